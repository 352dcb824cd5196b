"""Fits that run in parallel also run on the executors of a Spark cluster, with the same results."""

import os
import signal

import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from glassrank.core.checks import DataError
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.navigational.coupling.coupling_study import CouplingStudy
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.ranking import rank_svm_cv
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.scale.spark_jobs import spark_jobs
from tests.navigational.planted import planted_queries
from tests.scale.executor_loss import claim_once, executor_of_this_process
from tests.scale.partitioned import in_blocks, mixed_data, plain_data

pytestmark = pytest.mark.spark


def eliminated():
    data = mixed_data()
    found = NomogramRFE(RankSVM(missing="mean"), cv=2, nested=True, random_state=0).fit(data)
    return found.cv_results_["mean_test_score"], found.ranking_, found.nested_score_


def searched():
    found = RankSVMCV([0.1, 10.0], cv=2).fit(plain_data())
    return found.cv_results_["mean_test_score"], found.coef_


def resampled():
    data = plain_data()
    samples = bootstrap_effects(RankSVM(), data.X, data.y, data.qid, n_resamples=3, random_state=0)
    return (samples.difference_errors(data.X[:1], data.X[1:2]),)


def followed():
    data = plain_data()
    model = PairCalibrator(RankSVM(), random_state=0).fit(data)
    samples = bootstrap_effects(model, data.X, data.y, data.qid, n_resamples=3, random_state=0)
    return (samples.difference_errors(data.X[:1], data.X[1:2]),)


def coupled():
    X, y, names, _ = planted_queries()
    fast = {"selectors": ["information gain"], "classifiers": ["naive Bayes"], "curve": (), "cv": 2, "random_state": 0}
    return (CouplingStudy(5, **fast).fit(X, y, names).result_.to_json(),)


def classified():
    X, y, _, _ = planted_queries()
    coupling = ("information gain", "naive Bayes", 5)
    return (NavigationalClassifier(coupling, cv=2, random_state=0).fit(X, y).predict_proba(X),)


# Two folds and two outer folds; of a coupling, each fold ranks, and trains on the best columns and on all.
N_FITS = {eliminated: 4, searched: 2, resampled: 3, followed: 3, coupled: 6, classified: 2}


@pytest.mark.parametrize("fits", N_FITS)
def test_fits_on_executors_are_those_of_this_machine(spark_engine, spark_fits, fits):
    expected = fits()
    with spark_jobs(spark_engine):
        found = fits()
    assert len(spark_fits) == N_FITS[fits]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_fits_run_on_both_executors_and_not_here(spark_engine):
    with spark_jobs(spark_engine):
        assert joblib.effective_n_jobs() == 2
        places = Parallel()(delayed(executor_of_this_process)() for _ in range(8))
    assert len(set(places)) == 2
    assert os.getpid() not in places


def test_folds_of_many_rows_are_distributed_too(spark_engine, spark_fits, monkeypatch):
    """On one machine, all cores would work on one fold after the other."""
    monkeypatch.setattr(rank_svm_cv, "MIN_ROWS_PER_THREAD", 10)
    with spark_jobs(spark_engine):
        searched()
    assert len(spark_fits) == N_FITS[searched]


def test_blocks_are_processed_by_all_executors_together(spark_engine, spark_fits, tmp_path):
    """Their search is one fit after the other, each on all executors: a fit on one of them would read all blocks."""
    in_blocks(plain_data(n_queries=12), tmp_path / "blocks")
    data = open_partitions(tmp_path / "blocks", engine=spark_engine)
    with spark_jobs(spark_engine):
        RankSVMCV([0.1, 10.0], cv=2).fit(data)
    assert spark_fits == []


def test_an_error_in_a_fit_reaches_the_caller(spark_engine):
    with pytest.raises(DataError, match="no two documents"), spark_jobs(spark_engine):
        Parallel()(delayed(refuse)() for _ in range(2))


def test_other_errors_say_what_failed(spark_engine):
    with pytest.raises(DataError, match=r"Spark cannot run the fits: .* by zero"), spark_jobs(spark_engine):
        Parallel()(delayed(divide)(1, 0) for _ in range(2))


def divide(one, other):
    return one // other


def test_warnings_of_a_fit_reach_the_caller(spark_engine):
    with pytest.warns(ConvergenceWarning, match="max_iter"), spark_jobs(spark_engine):
        Parallel()([delayed(fit_in_one_step)()])


def fit_in_one_step():
    return RankSVM(max_iter=1).fit(plain_data())


def refuse():
    raise DataError("There are no two documents to compare.")


def test_a_killed_executor_costs_a_fit_not_the_run(spark_engine, tmp_path):
    with spark_jobs(spark_engine):
        found = Parallel()(delayed(square_or_die)(number, str(tmp_path / "killed")) for number in range(4))
    assert found == [0, 1, 4, 9]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "killed").read_text()), 0)


def square_or_die(number, marker):
    """Kill the executor of the first call."""
    executor = executor_of_this_process()
    if claim_once(marker, executor):
        os.kill(executor, signal.SIGKILL)
        os._exit(1)
    return number * number
