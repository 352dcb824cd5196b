"""Fits that run in parallel also run on the executors of a Spark cluster, with the same results."""

import os
import signal
import threading
import time
import warnings

import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn import config_context, get_config
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


# Two folds and two outer folds; three replicates, followed ones in parts for two executors; of a coupling, each fold
# ranks, and trains on the best columns and on all.
N_FITS = {eliminated: 4, searched: 2, resampled: 3, followed: 2, coupled: 6, classified: 2}


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
        places = Parallel()(delayed(place)() for _ in range(8))
    assert len({executor for executor, _ in places}) == 2
    assert os.getpid() not in {process for _, process in places}


def place():
    time.sleep(0.2)  # so that one executor cannot run all of them
    return executor_of_this_process(), os.getpid()


def test_one_job_at_a_time_runs_here(spark_engine, spark_fits):
    with spark_jobs(spark_engine, n_jobs=1):
        assert Parallel()([delayed(os.getpid)()]) == [os.getpid()]
    assert spark_fits == []


def test_no_job_at_a_time_is_an_error(spark_engine):
    with pytest.raises(DataError, match="n_jobs must be a positive number"), spark_jobs(spark_engine):
        Parallel(n_jobs=0)([delayed(os.getpid)()])


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
    with pytest.raises(DataError, match="no two documents") as raised, spark_jobs(spark_engine):
        Parallel()(delayed(refuse)() for _ in range(2))
    assert (raised.value.parameter, raised.value.remedy) == ("qid", "Add documents.")
    assert "in refuse" in raised.value.__notes__[0]


def refuse():
    raise DataError("There are no two documents to compare.", parameter="qid", remedy="Add documents.")


def test_an_error_of_another_type_keeps_it(spark_engine):
    with pytest.raises(ZeroDivisionError), spark_jobs(spark_engine):
        Parallel()(delayed(divmod)(1, 0) for _ in range(2))


def test_an_error_that_may_pass_is_tried_again(spark_engine, tmp_path):
    with spark_jobs(spark_engine):
        assert Parallel()([delayed(read_or_write)(tmp_path / "late")]) == ["there now"]


def read_or_write(path):
    if path.exists():
        return path.read_text()
    path.write_text("there now")
    raise FileNotFoundError(path)


def test_an_error_that_stays_says_what_failed(spark_engine, tmp_path):
    with pytest.raises(DataError, match=r"Spark cannot run the fits: .*No such file"), spark_jobs(spark_engine):
        Parallel()([delayed(open)(tmp_path / "absent")])


@pytest.mark.parametrize("engine", ["local[2]", None])
def test_what_is_no_engine_is_an_error(engine):
    with pytest.raises(DataError, match=r"engine must be a SparkEngine: got .* Open one with gr"), spark_jobs(engine):
        pass


def test_what_cannot_be_sent_is_an_error(spark_engine):
    with pytest.raises(DataError, match=r"cannot be sent to Spark: .*lock"), spark_jobs(spark_engine):
        Parallel()([delayed(str)(threading.Lock())])


def test_executors_with_another_version_are_an_error(spark_engine, monkeypatch):
    monkeypatch.setattr("glassrank.scale.spark_jobs.__version__", "0.0.0")
    with pytest.raises(DataError, match=r"Install version 0\.0\.0 on all executors"), spark_jobs(spark_engine):
        Parallel()([delayed(os.getpid)()])


def test_a_warning_of_all_fits_reaches_the_caller_once(spark_engine):
    with warnings.catch_warnings(record=True) as said, spark_jobs(spark_engine):
        warnings.simplefilter("default")
        Parallel()(delayed(fit_in_one_step)() for _ in range(2))
    (one,) = (warning for warning in said if warning.category is ConvergenceWarning)
    assert "max_iter" in str(one.message)


def fit_in_one_step():
    return RankSVM(max_iter=1).fit(plain_data())


def test_fits_have_the_configuration_of_the_caller(spark_engine):
    with spark_jobs(spark_engine), config_context(enable_metadata_routing=True):
        (found,) = Parallel()([delayed(get_config)()])
    assert found["enable_metadata_routing"]


def test_a_search_while_results_of_another_arrive(spark_engine):
    """Each call has jobs of its own: the inner ones neither wait for the outer ones nor cancel them."""
    with spark_jobs(spark_engine):
        outer = Parallel(return_as="generator")(delayed(abs)(-number) for number in range(6))
        found = [(one, Parallel()([delayed(abs)(-one)])) for one in outer]
    assert found == [(number, [number]) for number in range(6)]


def test_results_that_nobody_waits_for_are_cancelled(spark_engine, tmp_path):
    with spark_jobs(spark_engine):
        results = Parallel(return_as="generator")(delayed(wait_for)(number, tmp_path / "stop") for number in range(3))
        assert next(results) == 0
        with pytest.warns(UserWarning, match="have been cancelled"):
            results.close()
        tracker = spark_engine.context.statusTracker()
        until = time.monotonic() + 20
        while tracker.getActiveJobsIds() and time.monotonic() < until:
            time.sleep(0.05)
        assert tracker.getActiveJobsIds() == []


def wait_for(number, stop):
    while number and not stop.exists():
        time.sleep(0.05)
    return number


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
