"""Pair explanations of boosted trees: interactions of two features, and attributions of deep trees."""

import json

import lightgbm
import numpy as np
import pandas as pd
import pytest

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.document_explanation import explain_document
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.nomograms.explanation import explain_pair
from glassrank.ranking.calibration import PairCalibrator
from tests.reference.tree_shap import shapley_values

xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
NAMES = ("bm25", "price", "rating", "age")
QUIET = {"n_jobs": 1, "verbose": -1, "min_child_samples": 3}


def made(seed=0, gaps=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(160, 4))
    value = X[:, 0] * np.sign(X[:, 1]) + np.abs(X[:, 2])
    X[rng.random(X.shape) < gaps] = np.nan
    labels = np.digitize(value, [0.0, 1.0, 2.0]).astype(float)
    return RankingData(X, labels, np.repeat(np.arange(8), 20), feature_names=NAMES)


DATA = made()


def fitted(**options):
    return lightgbm.LGBMRanker(**QUIET | options).fit(DATA.X, DATA.y, group=[20] * 8)


def explained(model, **options):
    return explain_pair(model, DATA, query=3, document=4, against=11, **options)


def nested(node):
    """A dumped tree of LightGBM, for the twin."""
    if "leaf_value" in node:
        return {"value": node["leaf_value"], "count": node["leaf_count"]}
    threshold, missing_left = node["threshold"], node["default_left"]

    def left(value):
        return missing_left if np.isnan(value) else value <= threshold

    children = tuple(nested(node[side]) for side in ("left_child", "right_child"))
    return {"feature": node["split_feature"], "left": left, "children": children, "count": node["internal_count"]}


def test_interactions_are_contributions_of_their_own_and_add_up():
    model = PairCalibrator(lightgbm.LGBMRanker(**QUIET, n_estimators=20, max_depth=2), cv=2, random_state=0)
    model.fit(DATA.X, DATA.y, qid=DATA.qid)
    why = explained(model)
    a, b = DATA.X[[64]], DATA.X[[71]]
    expected = -model.slope_ * model.decide_pairs(a, b)[0]
    assert why.total == pytest.approx(expected, abs=1e-9)
    assert sum(one.contribution for one in (*why.features, *why.interactions)) == pytest.approx(expected, abs=1e-9)
    assert {"bm25 × price"} <= {one.name for one in why.interactions}
    assert why.probability == pytest.approx(model.predict_pair_proba(a, b)[0])
    assert why.interactions[0].name in why.to_text()
    assert "tie" in why.to_text()
    assert why.attribution == ""
    columns = json.loads(why.to_json())["features"]
    assert len(columns) == len(why.features) + len(why.interactions)
    assert {row["value_a"] for row in columns if " × " in row["feature"]} == {None}


def test_tie_values_move_a_feature_in_all_its_interactions():
    model = fitted(n_estimators=15, max_depth=2)
    why = explained(model)
    a, b = DATA.X[[64]], DATA.X[[71]]
    side = np.sign(why.total)
    candidates = np.concatenate([np.linspace(-3, 3, 4001), DATA.X[:, 0][~np.isnan(DATA.X[:, 0])]])
    for k, feature in enumerate(why.features):
        rows = np.repeat(a, len(candidates), axis=0)
        rows[:, k] = np.clip(candidates, np.nanmin(DATA.X[:, k]), np.nanmax(DATA.X[:, k]))
        reversed_at = rows[side * (model.predict(rows) - model.predict(b)) <= 1e-12, k]
        if feature.flip_a is None:
            continue
        moved = a.copy()
        moved[0, k] = feature.flip_a
        assert side * (model.predict(moved) - model.predict(b))[0] <= 1e-9
        nearest = np.abs(reversed_at - a[0, k]).min() if not np.isnan(a[0, k]) else 0.0
        assert abs(feature.flip_a - a[0, k]) <= nearest + 1e-9 or np.isnan(a[0, k])
    assert any(feature.flip_a is not None for feature in why.features)


def test_deep_trees_are_explained_by_shapley_values():
    model = fitted(n_estimators=4, num_leaves=7)
    why = explained(model)
    trees = [nested(tree["tree_structure"]) for tree in model.booster_.dump_model()["tree_info"]]
    (of_a, _), (of_b, _) = (shapley_values(trees, DATA.X[row]) for row in (64, 71))
    found = [feature.contribution for feature in why.features]
    np.testing.assert_allclose(found, np.subtract(of_a, of_b), atol=1e-9)
    assert why.total == pytest.approx(np.subtract(*model.predict(DATA.X[[64, 71]])), abs=1e-9)
    assert why.attribution.startswith("TreeSHAP attribution by LightGBM")
    text = why.to_text()
    assert "not unique" in text
    assert "tie" not in text
    assert {feature.flip_a for feature in why.features} == {None}


def test_calibrated_deep_trees_have_probabilities():
    model = PairCalibrator(lightgbm.LGBMRanker(**QUIET, n_estimators=10), cv=2, random_state=0)
    model.fit(DATA.X, DATA.y, qid=DATA.qid)
    why = explained(model)
    a, b = DATA.X[[64]], DATA.X[[71]]
    assert why.unit == "log-odds"
    assert why.probability == pytest.approx(model.predict_pair_proba(a, b)[0])
    assert why.a.rank != why.b.rank


@pytest.mark.parametrize("early", [False, True])
def test_deep_trees_of_xgboost_add_up(early):
    options = {"n_jobs": 1, "n_estimators": 12, "max_depth": 4} | ({"early_stopping_rounds": 2} if early else {})
    model = xgboost.XGBRanker(**options)
    more = {"eval_set": [(DATA.X[:60], DATA.y[:60])], "eval_qid": [DATA.qid[:60]], "verbose": False} if early else {}
    model.fit(DATA.X, DATA.y, qid=DATA.qid, **more)
    why = explained(model)
    found = sum(feature.contribution for feature in why.features)
    assert found == pytest.approx(np.subtract(*model.predict(DATA.X[[64, 71]])), abs=1e-4)
    assert "XGBoost" in why.attribution


def test_boosters_are_explained_like_their_estimators():
    model = fitted(n_estimators=6, num_leaves=9)
    own, booster = explained(model), explained(model.booster_)
    assert [one.contribution for one in own.features] == [one.contribution for one in booster.features]


def test_other_models_that_are_not_additive_are_refused():
    from sklearn.ensemble import RandomForestRegressor

    model = RandomForestRegressor(n_estimators=2, random_state=0).fit(np.nan_to_num(DATA.X), DATA.y)
    with pytest.raises(DataError, match="its trees combine several features"):
        explained(model)


def test_names_of_deep_trees_must_be_those_of_the_data():
    frame = pd.DataFrame(DATA.X, columns=["bm25", "rating", "price", "age"])
    model = lightgbm.LGBMRanker(**QUIET, n_estimators=5).fit(frame, DATA.y, group=[20] * 8)
    with pytest.raises(DataError, match=r"takes 4 features \(bm25, rating, .*\): got 4 \(bm25, price, "):
        explained(model)


def test_interactions_of_one_document_add_up():
    model = fitted(n_estimators=15, max_depth=2)
    why = explain_document(model, DATA, query=3, document=4)
    scores = model.predict(DATA.X[60:80])
    median = np.sort(scores)[9]
    assert why.total == pytest.approx(scores[4] - median, abs=1e-9)
    assert any(" × " in feature.name for feature in why.features)
    assert "bm25 × price" in str(why)


def test_elimination_of_models_with_interactions_is_refused():
    model = lightgbm.LGBMRanker(**QUIET, n_estimators=5, max_depth=2)
    with pytest.raises(DataError, match=r"what two features add together is on no line.*max_depth=1"):
        NomogramRFE(model, cv=2).fit(DATA.X, DATA.y, qid=DATA.qid)


def test_deep_trees_with_categories_are_explained_by_name():
    rng = np.random.default_rng(5)
    brands = rng.choice(["Tarn", "Oska", "Veltra"], 160)
    frame = pd.DataFrame({"qid": DATA.qid, "label": DATA.y, "brand": brands, "bm25": DATA.X[:, 0]})
    data = RankingData.from_frame(frame)
    columns = frame[["brand", "bm25"]].astype({"brand": "category"})
    model = lightgbm.LGBMRanker(**QUIET, n_estimators=8, min_data_per_group=2, cat_smooth=0.1)
    model.fit(columns, DATA.y, group=[20] * 8)
    calibrated = PairCalibrator(model, cv="prefit", random_state=0).fit(data)
    why = explain_pair(calibrated, data, query=3, document=4, against=11)
    a, b = model.predict(columns.iloc[[64, 71]])
    assert why.total == pytest.approx(-calibrated.slope_ * (a - b), abs=1e-9)
    assert (why.features[0].name, why.features[0].categories[int(why.features[0].value_a)]) == ("brand", brands[64])
