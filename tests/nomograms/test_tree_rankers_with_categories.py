"""Explanations and nomograms of tree rankers that were trained on the codes of ranking data."""

import json

import numpy as np
import pandas as pd
import pytest

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.explanation import explain_pair
from glassrank.nomograms.figure.nomogram import nomogram

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
LEVELS = ("wiki", "shop", "news", "cars")
KINDS = (FeatureKind("category", LEVELS), FeatureKind(), FeatureKind("boolean"), FeatureKind("category", ("one",)))
NAMES = ("site", "bm25", "https", "only")
N_QUERIES, N_DOCUMENTS = 12, 20


def ranking_data(gaps):
    rng = np.random.default_rng(3)
    n_rows = N_QUERIES * N_DOCUMENTS
    site, https = rng.integers(0, 4, n_rows), rng.integers(0, 2, n_rows)
    bm25 = rng.normal(size=n_rows)
    grade = np.digitize(np.array([0.0, 2.0, -1.0, 1.0])[site] + bm25 + https, [0.0, 1.0, 2.0])
    X = np.column_stack([site, bm25, https, np.zeros(n_rows)])
    absent = rng.random(X.shape) < gaps
    absent[:4] = False
    qid = np.repeat([f"q{k}" for k in range(N_QUERIES)], N_DOCUMENTS)
    documents = [f"d{row}" for row in range(n_rows)]
    return RankingData(np.where(absent, np.nan, X), grade, qid, documents, NAMES, kinds=KINDS)


DATA, WITH_GAPS = ranking_data(0.0), ranking_data(0.15)


def lightgbm_ranker(data):
    options = {"n_estimators": 30, "interaction_constraints": [[0], [1], [2], [3]], "min_data_per_group": 5}
    model = lightgbm.LGBMRanker(**options, min_child_samples=5, verbose=-1, n_jobs=1)
    return model.fit(data.X, data.y.astype(int), group=[N_DOCUMENTS] * N_QUERIES, categorical_feature=[0, 3])


def xgboost_ranker(data):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    options = {"n_estimators": 30, "interaction_constraints": "[[0], [1], [2], [3]]", "n_jobs": 1}
    model = xgboost.XGBRanker(**options, feature_types=["c", "q", "q", "c"], enable_categorical=True)
    return model.fit(data.X, data.y, qid=np.repeat(np.arange(N_QUERIES), N_DOCUMENTS))


def histogram_regressor(data):
    from sklearn.ensemble import HistGradientBoostingRegressor

    options = {"interaction_cst": "no_interactions", "categorical_features": [0, 3], "max_iter": 30}
    return HistGradientBoostingRegressor(**options).fit(data.X, data.y)


RANKERS = {"LightGBM": lightgbm_ranker, "XGBoost": xgboost_ranker, "scikit-learn": histogram_regressor}


@pytest.mark.parametrize("library", RANKERS)
def test_a_pair_is_explained_exactly_with_the_names_of_the_levels(library):
    model = RANKERS[library](WITH_GAPS)
    scores = model.predict(WITH_GAPS.X).astype(np.float64)
    for a, b in [(0, 1), (2, 9), (5, 17)]:
        why = explain_pair(model, WITH_GAPS, query="q0", document=f"d{a}", against=f"d{b}")
        tolerance = 1e-5 if library == "XGBoost" else 1e-9
        assert why.total == pytest.approx(scores[a] - scores[b], abs=tolerance)
        assert sum(feature.contribution for feature in why.features) == pytest.approx(why.total, abs=1e-12)
        site = next(one for one in json.loads(why.to_json())["features"] if one["feature"] == "site")
        codes = WITH_GAPS.X[[a, b], 0]
        assert [site["value_a"], site["value_b"]] == [None if np.isnan(c) else LEVELS[int(c)] for c in codes]
        assert site["flip_a"] is None or site["flip_a"] in LEVELS


@pytest.mark.parametrize("library", RANKERS)
def test_a_nomogram_shows_the_names_of_the_levels_and_the_same_difference(library):
    model = RANKERS[library](WITH_GAPS)
    why = explain_pair(model, WITH_GAPS, query="q1", document="d21", against="d33")
    picture = nomogram(model, WITH_GAPS, query="q1", document="d21", against="d33")
    assert picture.pair.difference == pytest.approx(why.total, abs=1e-12)
    assert str(why.nomogram()) == str(picture)
    assert picture.effects.features[0].categories == LEVELS
    assert picture.effects.features[3].categories == ("one",)
    labels = json.dumps(picture.specification())
    assert all(f'"{level}"' in labels for level in LEVELS)


@pytest.mark.parametrize("library", RANKERS)
def test_missing_values_of_other_rows_and_features_do_not_change_an_explanation(library):
    model = RANKERS[library](WITH_GAPS)
    X = DATA.X.copy()
    X[30:, 0], X[40:90, 1], X[100:, 2], X[4:, 3] = np.nan, np.nan, np.nan, np.nan
    other = RankingData(X, DATA.y, DATA.qid, DATA.doc_ids, NAMES, kinds=KINDS)
    whole, gappy = (explain_pair(model, data, query="q0", document="d0", against="d3") for data in (DATA, other))
    assert [one.contribution for one in whole.features] == [one.contribution for one in gappy.features]
    assert gappy.total == whole.total


def test_levels_that_the_model_has_not_seen_have_their_names_and_the_models_effect():
    levels = (*LEVELS, "zoo", "bank")
    kinds = (FeatureKind("category", levels), *KINDS[1:])
    X = DATA.X.copy()
    X[0, 0], X[1, 0] = 4.0, 5.0
    data = RankingData(X, DATA.y, DATA.qid, DATA.doc_ids, NAMES, kinds=kinds)
    model = lightgbm_ranker(DATA)
    why = explain_pair(model, data, query="q0", document="d0", against="d2")
    scores = model.predict(X)
    assert why.total == pytest.approx(scores[0] - scores[2], abs=1e-9)
    assert "zoo" in str(why)


def test_codes_of_other_levels_than_those_of_the_training_data_are_refused():
    kinds = (FeatureKind("category", ("a", "b")), *KINDS[1:])
    fewer = RankingData(np.where(DATA.X[:, [0]] > 1, np.nan, DATA.X), DATA.y, DATA.qid, kinds=kinds)
    with pytest.raises(DataError, match=r"by the codes 0 to 3, but the data have 2 levels"):
        effects_on(lightgbm_ranker(DATA), fewer)


def test_effects_of_codes_are_given_the_levels_of_the_data_later():
    made = effects(lightgbm_ranker(DATA), DATA.X)
    assert made.features[0].categories == ("0", "1", "2", "3")
    named, rows = effects_on(made, RankingData(DATA.X, DATA.y, DATA.qid, feature_names=made.names, kinds=KINDS))
    assert named.features[0].categories == LEVELS
    np.testing.assert_array_equal(named.total(rows.X), made.total(DATA.X))


def test_a_ranker_of_a_data_frame_finds_the_levels_of_ranking_data_by_name():
    shuffled = ("bank", "cars", "news", "shop", "wiki")
    frame = pd.DataFrame(DATA.X[:, :2], columns=["site", "bm25"])
    frame["site"] = pd.Categorical(np.array(LEVELS)[DATA.X[:, 0].astype(int)])
    options = {"n_estimators": 20, "interaction_constraints": [[0], [1]], "verbose": -1, "n_jobs": 1}
    model = lightgbm.LGBMRegressor(**options, min_data_per_group=5).fit(frame, DATA.y)
    X = DATA.X[:, :2].copy()
    X[:, 0] = [shuffled.index(LEVELS[int(code)]) for code in X[:, 0]]
    X[1, 0] = 0.0
    kinds = (FeatureKind("category", shuffled), FeatureKind())
    data = RankingData(X, DATA.y, DATA.qid, DATA.doc_ids, ("site", "bm25"), kinds=kinds)
    frame.loc[1, "site"] = None
    scores = model.predict(frame)
    why = explain_pair(model, data, query="q0", document="d0", against="d1")
    assert why.total == pytest.approx(scores[0] - scores[1], abs=1e-9)
    assert str(why.nomogram()) == str(nomogram(model, data, query="q0", document="d0", against="d1"))
