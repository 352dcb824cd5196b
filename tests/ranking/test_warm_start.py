"""Fits that start from the weights of another one."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.warm_start import first_weights, start_from


@pytest.fixture(scope="module")
def data():
    return gr.simulate_ranking(20, 12, random_state=0).data.pick_features([0, 1, 2, 3, 4])


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_the_start_does_not_change_the_minimum(data, kernel):
    rows = data.groups.of_row > 2
    fixed = {"kernel": kernel, "tol": 1e-12, "missing": "mean"}
    whole = RankSVM(**fixed).fit(data.X, data.y, qid=data.qid)
    cold, warm = RankSVM(**fixed), start_from(RankSVM(**fixed), whole)
    for model in (cold, warm):
        model.fit(data.X[rows], data.y[rows], qid=data.qid[rows])
    np.testing.assert_allclose(warm.predict(data.X), cold.predict(data.X), atol=1e-5)
    assert warm.n_iter_ <= cold.n_iter_


def test_other_columns_start_from_zero(data):
    fitted = RankSVM().fit(data.X, data.y, qid=data.qid)
    model = start_from(make_pipeline(RankSVM()), fitted)
    assert first_weights(model[-1], 5).tolist() == fitted.coef_.tolist()
    assert first_weights(model[-1], 4).tolist() == [0.0] * 4
    assert first_weights(clone(model)[-1], 5).tolist() == [0.0] * 5


def test_a_replicate_has_the_slope_and_the_ranker_of_a_separate_fit(data):
    made = PairCalibrator(RankSVM(tol=1e-12), random_state=0)
    whole = clone(made).fit(data.X, data.y, qid=data.qid)
    rows = data.groups.of_row > 2
    given = data.X[rows], data.y[rows], data.qid[rows]
    replicate, separate = clone(made).as_replicate_of(whole).fit(*given), clone(made).fit(*given)
    np.testing.assert_allclose(replicate.slope_, separate.slope_, rtol=1e-5)
    np.testing.assert_allclose(replicate.estimator_.coef_, separate.estimator_.coef_, atol=1e-5)
    assert not hasattr(replicate, "calibration_")
