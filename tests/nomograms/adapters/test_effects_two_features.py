"""Effects of trees of two features: curves and interactions add up to the libraries' own predictions."""

import lightgbm
import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.calibration import PairCalibrator
from tests.nomograms.adapters.additive import CLASS, GAPS, LABEL, OTHER, QID, VALUE, X, assert_adds_up

xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
LIGHTGBM = {"n_jobs": 1, "n_estimators": 25, "verbose": -1, "max_depth": 2, "min_child_samples": 5}
XGBOOST = {"n_jobs": 1, "n_estimators": 25, "max_depth": 2}
PRODUCT = np.where((X[:, 0] > 2) == (X[:, 1] > 15), 2.0, -1.0) + VALUE / 5


def states(rows):
    """Rows with values on both sides of the training data, and missing ones."""
    return np.concatenate([rows, OTHER, GAPS[:40], np.full((1, 4), np.nan), np.full((1, 4), 1e30)])


@pytest.mark.parametrize("rows", [X, GAPS], ids=["whole", "with gaps"])
def test_lightgbm_of_two_features_adds_up(rows):
    model = lightgbm.LGBMRegressor(**LIGHTGBM).fit(rows, PRODUCT)
    found = assert_adds_up(model, rows, model.predict(rows))
    assert found.interactions
    seen = states(rows)
    np.testing.assert_allclose(found.total(seen), model.predict(seen), atol=1e-9)


def test_xgboost_of_two_features_adds_up():
    model = xgboost.XGBRegressor(**XGBOOST).fit(GAPS, PRODUCT)
    found = assert_adds_up(model, GAPS, model.predict(GAPS), tolerance=1e-5)
    assert found.interactions
    seen = states(GAPS)
    np.testing.assert_allclose(found.total(seen), model.predict(seen), atol=1e-5)


def test_boosting_of_scikit_learn_with_two_features_adds_up():
    histograms = HistGradientBoostingRegressor(max_iter=15, interaction_cst="pairwise").fit(GAPS, PRODUCT)
    assert assert_adds_up(histograms, GAPS, histograms.predict(GAPS)).interactions
    boosting = GradientBoostingRegressor(n_estimators=15, max_depth=2).fit(X, PRODUCT)
    assert assert_adds_up(boosting, X, boosting.predict(X)).interactions


def test_categories_and_numbers_in_one_tree_add_up():
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.integers(0, 6, 400), rng.normal(size=400)]).astype(float)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    value = np.where(np.isin(rows[:, 0], [1, 4]), rows[:, 1], -rows[:, 1])
    model = lightgbm.LGBMRegressor(**LIGHTGBM, min_data_per_group=5, cat_smooth=1).fit(
        rows, np.nan_to_num(value), categorical_feature=[0]
    )
    found = assert_adds_up(model, rows, model.predict(rows))
    assert [both.features for both in found.interactions] == [(0, 1)]
    unseen = np.array([[9.0, 0.3], [-1.0, 0.3], [np.nan, np.nan], [4.0, np.nan]])
    np.testing.assert_allclose(found.total(unseen), model.predict(unseen), atol=1e-9)


def test_a_classifier_of_two_features_adds_up_in_log_odds():
    model = lightgbm.LGBMClassifier(**LIGHTGBM).fit(X, CLASS)
    found = assert_adds_up(model, X, model.predict(X, raw_score=True))
    assert (found.unit, found.subject, found.outcome) == ("log-odds", "class", "yes")
    assert found.interactions


def test_calibration_scales_interactions():
    model = PairCalibrator(lightgbm.LGBMRanker(**LIGHTGBM), random_state=0).fit(X, LABEL, qid=QID)
    found = effects(model, X)
    assert found.interactions
    totals = found.differences(X[:50], X[50:100]).sum(axis=1)
    np.testing.assert_allclose(totals, -model.slope_ * model.decide_pairs(X[:50], X[50:100]), atol=1e-9)


def test_interactions_have_mean_zero_for_each_value_of_one_feature():
    model = lightgbm.LGBMRegressor(**LIGHTGBM).fit(X, PRODUCT)
    for both in effects(model, X).interactions:
        added = both(X)
        for k, axis in zip(both.features, (both.first_axis, both.second_axis), strict=True):
            of_row = axis(X[:, k]).astype(int)
            means = np.bincount(of_row, added) / np.maximum(np.bincount(of_row), 1)
            np.testing.assert_allclose(means, 0.0, atol=1e-9)


def test_a_product_of_two_features_is_an_interaction_and_a_sum_is_none():
    left = np.where(X[:, 0] > 2, 1.0, -1.0)
    right = np.where(X[:, 1] > 15, 1.0, -1.0)
    options = LIGHTGBM | {"n_estimators": 60, "interaction_constraints": [[0, 1]]}

    def share(response):
        found = effects(lightgbm.LGBMRegressor(**options).fit(X[:, :2], response), X[:, :2])
        spread = found.contributions(X[:, :2]).std(axis=0)
        return spread[2:].sum() / spread.sum()

    assert share(left * right) > 0.5
    assert share(left + right) < 0.1


def test_trees_of_two_features_after_a_scaler_are_refused():
    model = make_pipeline(StandardScaler(), lightgbm.LGBMRegressor(**LIGHTGBM)).fit(X, PRODUCT)
    with pytest.raises(DataError, match=r"Trees need no scaling: fit them to the original columns"):
        effects(model, X)


def test_too_many_values_of_two_features_are_refused(monkeypatch):
    model = lightgbm.LGBMRegressor(**LIGHTGBM).fit(X, PRODUCT)
    monkeypatch.setattr("glassrank.nomograms.adapters.boosted_trees.MAX_CELLS", 8)
    with pytest.raises(DataError, match=r"more than 8 cells.*max_bin=255"):
        effects(model, X)
