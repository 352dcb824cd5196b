"""Effects of XGBoost's trees of one feature each against its own trees and predictions.

XGBoost adds up leaves in 32 bits. Effects are compared with the sum of the same leaves in 64 bits and, less strictly,
with the predictions.
"""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.calibration import PairCalibrator
from tests.nomograms.adapters.additive import CLASS, GAPS, LABEL, OTHER, QID, VALUE, X, assert_adds_up
from tests.nomograms.adapters.test_effects_tree_categories import NAMES, frame_of, made, strange_rows

xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
QUIET = {"n_jobs": 1, "n_estimators": 30}
ONE_FEATURE_PER_TREE = {"interaction_constraints": "[[0], [1], [2], [3]]"}
CODES = {"n_jobs": 1, "n_estimators": 20, "interaction_constraints": "[[0], [1]]", "feature_types": ["c", "q"]}
CODES |= {"enable_categorical": True, "min_child_weight": 0.1}


def leaf_sums(booster, rows, n_trees=None, **options):
    """Add up the leaves that XGBoost itself finds for each row, in 64 bits."""
    matrix = rows if isinstance(rows, xgboost.DMatrix) else xgboost.DMatrix(rows, **options)
    found = booster.predict(matrix, pred_leaf=True)
    leaves = found.reshape(len(found), -1).astype(int)[:, :n_trees]
    trees = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    values = [np.array(tree["split_conditions"], dtype=np.float32).astype(np.float64) for tree in trees]
    return sum(own[column] for own, column in zip(values, leaves.T, strict=False))


def assert_exact(model, rows, base=0.0, **options):
    """Assert that effects differ from the sum of the leaves by a constant, and that totals are the predictions."""
    booster = model if isinstance(model, xgboost.Booster) else model.get_booster()
    sums = leaf_sums(booster, rows, **options)
    found = assert_adds_up(model, rows, sums + base)
    margins = booster.predict(xgboost.DMatrix(rows, **options), output_margin=True)
    np.testing.assert_allclose(found.total(found.encode(rows)), margins, rtol=0, atol=1e-5)
    return found


@pytest.mark.parametrize("options", [{"max_depth": 1}, ONE_FEATURE_PER_TREE], ids=["stumps", "deep"])
@pytest.mark.parametrize("rows", [X, GAPS], ids=["whole", "with gaps"])
def test_xgboost_regressors_add_up(options, rows):
    weights = np.linspace(0.5, 2.0, len(rows))
    model = xgboost.XGBRegressor(**QUIET, **options, base_score=0.5).fit(rows, VALUE, sample_weight=weights)
    for seen in (X, GAPS, OTHER):
        found = assert_exact(model, seen, base=0.5)
    assert (found.unit, found.subject, found.names[0]) == ("score", "utility", "feature 1")


@pytest.mark.parametrize("objective", ["reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror"])
def test_xgboost_adds_up_with_its_own_base_score(objective):
    options = {"quantile_alpha": 0.7} if "quantile" in objective else {}
    model = xgboost.XGBRegressor(**QUIET, max_depth=1, objective=objective, **options).fit(X, VALUE)
    assert_adds_up(model, OTHER, model.predict(OTHER), tolerance=1e-5)


def test_values_at_a_threshold_go_where_xgboost_sends_them_in_32_bits():
    model = xgboost.XGBRegressor(**QUIET, max_depth=1, base_score=0.5).fit(X, VALUE)
    trees = json.loads(model.get_booster().save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    cuts = np.array([tree["split_conditions"][0] for tree in trees])
    near = np.concatenate([cuts, cuts.astype(np.float32), cuts * (1 + 1e-9), cuts * (1 - 1e-9), cuts * (1 + 1e-7)])
    assert_exact(model, np.repeat(near[:, None], 4, axis=1), base=0.5)


@pytest.mark.parametrize("base_score", [None, 0.3])
def test_an_xgboost_classifier_adds_up_to_log_odds(base_score):
    model = xgboost.XGBClassifier(**QUIET, max_depth=1, base_score=base_score).fit(X, CLASS == "yes")
    found = assert_adds_up(model, OTHER, model.predict(OTHER, output_margin=True), tolerance=1e-5)
    assert (found.unit, found.subject, found.outcome) == ("log-odds", "class", "1")
    np.testing.assert_allclose(found.probability(found.total(OTHER)), model.predict_proba(OTHER)[:, 1], atol=1e-5)


def test_an_xgboost_ranker_adds_up_alone_and_calibrated():
    order = np.argsort(QID, kind="stable")
    model = xgboost.XGBRanker(**QUIET, max_depth=1).fit(X[order], LABEL[order], qid=QID[order])
    found = assert_adds_up(model, OTHER, model.predict(OTHER), tolerance=1e-5)
    assert found.subject == "utility"
    calibrated = PairCalibrator(model, cv="prefit", random_state=0).fit(OTHER, np.arange(80) % 3, qid=np.arange(80) % 4)
    totals = effects(calibrated, X).differences(X[:50], X[50:100]).sum(axis=1)
    np.testing.assert_allclose(totals, -calibrated.slope_ * calibrated.decide_pairs(X[:50], X[50:100]), atol=1e-4)


def test_trees_after_the_best_iteration_count_for_a_booster_only():
    model = xgboost.XGBRegressor(**QUIET | {"n_estimators": 200}, max_depth=1, early_stopping_rounds=3)
    model.fit(X[:160], VALUE[:160], eval_set=[(X[160:], VALUE[160:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    assert_adds_up(model, OTHER, model.predict(OTHER), tolerance=1e-5)
    booster = model.get_booster()
    assert_adds_up(booster, OTHER, booster.predict(xgboost.DMatrix(OTHER)), tolerance=1e-5)


@pytest.mark.parametrize("n_levels", [1, 3, 200])
@pytest.mark.parametrize("onehot", [1, 500], ids=["sets", "one against the rest"])
def test_effects_of_codes_add_up_to_xgboost_also_for_codes_it_has_never_seen(n_levels, onehot):
    rows, response = made(n_levels)
    model = xgboost.XGBRegressor(**CODES, max_cat_to_onehot=onehot, base_score=0.5).fit(rows, response)
    strange = strange_rows(n_levels)
    for seen in (rows, strange[abs(np.nan_to_num(strange[:, 0])) < 1e300]):
        found = assert_exact(model, seen, 0.5, feature_types=["c", "q"], enable_categorical=True)
        np.testing.assert_array_equal(found.total(seen), found.total(found.encode(seen)))
    assert effects(model, rows).features[0].categories == tuple(map(str, range(n_levels)))


@given(seed=st.integers(0, 10_000), n_levels=st.integers(1, 40), onehot=st.sampled_from([1, 100]))
@settings(deadline=None, max_examples=15)
def test_random_models_of_codes_add_up_to_xgboost(seed, n_levels, onehot):
    rows, response = made(n_levels, seed=seed, n_rows=80)
    options = CODES | {"n_estimators": 5, "max_cat_to_onehot": onehot, "base_score": 0.5}
    model = xgboost.XGBRegressor(**options).fit(rows * [3, 1], response)
    strange = strange_rows(3 * n_levels)[:-2]
    seen = strange[abs(np.nan_to_num(strange[:, 0])) < 1e300]
    assert_exact(model, seen, 0.5, feature_types=["c", "q"], enable_categorical=True)


@pytest.mark.parametrize("names", [NAMES, np.array([3, 5, 8, 13, 21])], ids=["text", "numbers"])
def test_categories_of_a_data_frame_keep_their_names_and_add_up(names):
    rows, response = made(5)
    options = {**QUIET, "max_depth": 1, "enable_categorical": True, "base_score": 0.5, "max_cat_to_onehot": 1}
    model = xgboost.XGBRegressor(**options).fit(frame_of(rows, names), response)
    few = frame_of(rows[:40], names[[2, 0, 3, 2, 3]])
    for frame in (frame_of(rows, names), few):
        found = assert_adds_up(model, frame, model.predict(frame), tolerance=1e-5)
    assert found.names == ("site", "bm25", "only")
    assert [feature.categories for feature in found.features] == [tuple(map(str, sorted(names))), (), ("one",)]


def foreign():
    rows, response = made(3, gaps=0.0)
    frame = frame_of(rows, np.array(["Ärzte", "日本", "été"]))[["site", "bm25"]]
    return xgboost.XGBRegressor(**QUIET, max_depth=1, enable_categorical=True).fit(frame, response)


REFUSED = {
    "deep": (lambda: xgboost.XGBRegressor(**QUIET).fit(X, VALUE), r"tree \d+ combines the features.*max_depth=1"),
    "dart": (
        lambda: xgboost.XGBRegressor(**QUIET, max_depth=1, booster="dart").fit(X, VALUE),
        r"booster 'dart'.*booster='gbtree'",
    ),
    "linear": (lambda: xgboost.XGBRegressor(**QUIET, booster="gblinear").fit(X, VALUE), r"booster 'gblinear'"),
    "three classes": (
        lambda: xgboost.XGBClassifier(**QUIET, max_depth=1).fit(X, LABEL.astype(int)),
        r"4 classes.*one model for each class",
    ),
    "several outputs": (
        lambda: xgboost.XGBRegressor(**QUIET, max_depth=1).fit(X, np.column_stack([VALUE, VALUE])),
        r"2 outputs",
    ),
    "exponential": (
        lambda: xgboost.XGBRegressor(**QUIET, max_depth=1, objective="count:poisson").fit(X, np.exp(VALUE)),
        r"objective 'count:poisson'.*rank:ndcg",
    ),
    "names that are not ASCII": (foreign, r"not ASCII text.*codes"),
    "another missing value": (
        lambda: xgboost.XGBRegressor(**QUIET, max_depth=1, missing=-999.0).fit(X, VALUE),
        r"-999.0 as missing.*NaN",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_xgboost_models_that_are_not_additive_are_refused_with_the_remedy(name):
    train, message = REFUSED[name]
    model = train()
    with pytest.raises(DataError, match=message):
        effects(model, X)


def test_a_named_booster_keeps_its_names():
    frame = pd.DataFrame(X, columns=["bm25", "age", "clicks", "depth"])
    booster = xgboost.train({"max_depth": 1, "nthread": 1}, xgboost.DMatrix(frame, VALUE), 5)
    assert effects(booster, frame).names == tuple(frame.columns)
