"""Effects of boosted trees of one feature each against their own predictions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.calibration import PairCalibrator
from tests.nomograms.adapters.additive import CLASS, GAPS, LABEL, OTHER, QID, VALUE, X, assert_adds_up, log_odds

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
QUIET = {"verbose": -1, "n_jobs": 1, "n_estimators": 30, "min_child_samples": 5}
ONE_FEATURE_PER_TREE = [[0], [1], [2], [3]]
LIGHTGBM_REGRESSORS = {
    "stumps": {"max_depth": 1},
    "two leaves": {"num_leaves": 2},
    "deep trees of one feature": {"interaction_constraints": ONE_FEATURE_PER_TREE},
    "forest": {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5, "max_depth": 1},
    "absolute error": {"max_depth": 1, "objective": "l1"},
}


@pytest.mark.parametrize("name", LIGHTGBM_REGRESSORS)
@pytest.mark.parametrize("rows", [X, GAPS], ids=["whole", "with gaps"])
def test_lightgbm_regressors_add_up(name, rows):
    model = lightgbm.LGBMRegressor(**QUIET, **LIGHTGBM_REGRESSORS[name]).fit(rows, VALUE)
    for seen in (X, GAPS, OTHER):
        found = assert_adds_up(model, seen, model.predict(seen))
    assert (found.unit, found.subject) == ("score", "utility")


@pytest.mark.parametrize("sigmoid", [1.0, 2.0])
def test_a_lightgbm_classifier_adds_up_to_log_odds(sigmoid):
    model = lightgbm.LGBMClassifier(**QUIET, max_depth=1, sigmoid=sigmoid).fit(X, CLASS)
    found = assert_adds_up(model, OTHER, np.diff(np.log(model.predict_proba(OTHER)))[:, 0])
    assert (found.unit, found.subject, found.outcome) == ("log-odds", "class", "yes")


def test_a_lightgbm_ranker_adds_up_alone_and_calibrated():
    order = np.argsort(QID, kind="stable")
    model = lightgbm.LGBMRanker(**QUIET, max_depth=1)
    model.fit(X[order], LABEL[order].astype(int), group=np.bincount(QID))
    assert_adds_up(model, OTHER, model.predict(OTHER))
    calibrated = PairCalibrator(model, cv="prefit", random_state=0).fit(OTHER, np.arange(80) % 3, qid=np.arange(80) % 4)
    totals = effects(calibrated, X).differences(X[:50], X[50:100]).sum(axis=1)
    np.testing.assert_allclose(totals, -calibrated.slope_ * calibrated.decide_pairs(X[:50], X[50:100]), atol=1e-9)


def test_a_booster_adds_up_and_keeps_its_names():
    frame = pd.DataFrame(X, columns=["bm25", "age", "clicks", "depth"])
    model = lightgbm.LGBMRegressor(**QUIET, max_depth=1).fit(frame, VALUE)
    assert effects(model.booster_, frame).names == tuple(frame.columns)
    assert_adds_up(model.booster_, frame, model.predict(frame))
    unnamed = lightgbm.LGBMRegressor(**QUIET, max_depth=1).fit(X, VALUE)
    assert effects(unnamed, X).names == ("feature 1", "feature 2", "feature 3", "feature 4")


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_boosted_stumps_add_up_to_predictions(loss):
    model = GradientBoostingRegressor(max_depth=1, loss=loss, n_estimators=30, random_state=0).fit(X, VALUE)
    assert_adds_up(model, OTHER, model.predict(OTHER))


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
@pytest.mark.parametrize("init", [None, "zero"])
def test_boosted_stumps_add_up_to_log_odds(loss, init):
    model = GradientBoostingClassifier(max_depth=1, loss=loss, init=init, n_estimators=30, random_state=0)
    model.fit(pd.DataFrame(X, columns=list("abcd")), CLASS)
    rows = pd.DataFrame(OTHER, columns=list("abcd"))
    assert_adds_up(model, rows, log_odds(model, rows))


@pytest.mark.parametrize("options", [{"max_depth": 1}, {"interaction_cst": "no_interactions"}], ids=["stumps", "deep"])
def test_histogram_boosting_adds_up_also_with_missing_values(options):
    regressor = HistGradientBoostingRegressor(max_iter=10, random_state=0, **options).fit(GAPS, VALUE)
    classifier = HistGradientBoostingClassifier(max_iter=10, random_state=0, **options).fit(GAPS, CLASS)
    for rows in (X, GAPS, OTHER):
        assert_adds_up(regressor, rows, regressor.predict(rows))
        assert_adds_up(classifier, rows, classifier.decision_function(rows))


def test_a_feature_that_no_tree_uses_is_a_point():
    rows = np.column_stack([X, np.zeros(len(X))])
    model = HistGradientBoostingRegressor(max_depth=1, max_iter=5).fit(rows, VALUE)
    assert effects(model, rows).lengths(rows, kind="global")[4] == 0.0


REFUSED = {
    "deep lightgbm": (lambda: lightgbm.LGBMRegressor(**QUIET).fit(X, VALUE), r"tree \d+ combines.*max_depth=1"),
    "deep boosting": (
        lambda: GradientBoostingRegressor(n_estimators=5).fit(X, VALUE),
        r"combines the features.*max_depth=1",
    ),
    "deep histograms": (
        lambda: HistGradientBoostingRegressor(max_iter=5).fit(X, VALUE),
        r"combines the features.*no_interactions",
    ),
    "exponential": (
        lambda: lightgbm.LGBMRegressor(**QUIET, max_depth=1, objective="poisson").fit(X, np.exp(VALUE)),
        r"objective 'poisson'",
    ),
    "poisson": (
        lambda: HistGradientBoostingRegressor(max_depth=1, max_iter=5, loss="poisson").fit(X, np.exp(VALUE)),
        r"exponential of the sum",
    ),
    "three classes": (
        lambda: lightgbm.LGBMClassifier(**QUIET, max_depth=1).fit(X, LABEL.astype(int)),
        r"4 classes.*one model for each class",
    ),
    "own start": (
        lambda: GradientBoostingRegressor(max_depth=1, init=GradientBoostingRegressor(), n_estimators=5).fit(X, VALUE),
        r"init=None",
    ),
    "zero as missing": (
        lambda: lightgbm.LGBMRegressor(**QUIET, max_depth=1, zero_as_missing=True).fit(X // 1, VALUE),
        r"zero_as_missing=False",
    ),
    "linear leaves": (
        lambda: lightgbm.LGBMRegressor(**QUIET, max_depth=1, linear_tree=True).fit(X, VALUE),
        r"linear_tree=False",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_trees_that_are_not_additive_are_refused_with_the_remedy(name):
    train, message = REFUSED[name]
    with pytest.raises(DataError, match=message):
        effects(train(), X)
