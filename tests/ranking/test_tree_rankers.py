"""LightGBM and XGBoost on tables of features: the scores of the libraries, or an error that names the feature."""

import lightgbm
import numpy as np
import pytest
import xgboost

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.ranking.any_ranker import document_scores
from glassrank.ranking.tree_rankers import BoostedTrees
from tests.shop_table import shop

FEATURES = ["price", "rating", "in stock", "brand"]


@pytest.fixture(scope="module")
def table():
    return shop(6, 10)


@pytest.fixture(scope="module")
def data(table):
    return gr.RankingData.from_frame(table)


def frame(table):
    return table[FEATURES].astype({"brand": "category"})


def lightgbm_on(X, y, **options):
    return lightgbm.LGBMRegressor(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1).fit(X, y, **options)


def test_named_categories_are_found_by_name_whatever_their_codes(table, data):
    few = table[table.brand != "brand 0"]
    for model in (
        lightgbm_on(frame(few), few.label),
        xgboost.XGBRegressor(n_estimators=5, enable_categorical=True, n_jobs=1).fit(frame(few), few.label),
    ):
        rows = table.brand != "brand 0"
        found = document_scores(model, data.table)
        assert found[rows] == pytest.approx(model.predict(frame(few)), abs=1e-6)
        # A level that the model has not seen is missing.
        gone = frame(table[~rows])
        gone["brand"] = gone.brand.cat.set_categories(frame(few).brand.cat.categories)
        assert found[~rows] == pytest.approx(model.predict(gone), abs=1e-6)


def test_categories_without_names_are_the_codes_of_the_data(table, data):
    model = lightgbm_on(data.X, data.y, categorical_feature=[3])
    assert document_scores(model, data.table) == pytest.approx(model.predict(data.X))
    few = data.pick_rows(np.flatnonzero(data.X[:, 3] < 2))
    fewer = gr.RankingData.from_frame(table[data.X[:, 3] < 2])
    assert document_scores(model, few.table) == pytest.approx(model.predict(few.X))
    with pytest.raises(DataError, match="'brand' by the codes 0 to 5, but the data have 2 levels"):
        document_scores(model, fewer.table)


def test_a_binary_classifier_scores_by_log_odds(table, data):
    for kind, margin in (("lightgbm", "raw_score"), ("xgboost", "output_margin")):
        X = data.pick_features(["price", "rating"])
        if kind == "lightgbm":
            model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(X.X, data.y > 0)
        else:
            model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(X.X, data.y > 0)
        found = BoostedTrees.of(model).scores(X.table)
        assert found == pytest.approx(model.predict(X.X, **{margin: True}), abs=1e-6)


def test_xgboost_stops_at_its_best_round(data):
    X = data.pick_features(["price", "rating"])
    model = xgboost.XGBRegressor(n_estimators=50, early_stopping_rounds=2, n_jobs=1)
    model.fit(X.X[:40], data.y[:40], eval_set=[(X.X[40:], data.y[40:])], verbose=False)
    assert model.get_booster().num_boosted_rounds() > model.best_iteration + 1
    assert document_scores(model, X.table) == pytest.approx(model.predict(X.X), abs=1e-6)


def test_a_calibrated_booster_gives_probabilities_on_tables_with_categories(table, data):
    model = gr.PairCalibrator(lightgbm_on(frame(table), table.label).booster_, cv="prefit").fit(data)
    P = model.predict_pair_proba(data.pick_rows([0]).table, data.pick_rows([1]).table)
    assert 0.0 < P[0] < 1.0


def test_lightgbm_is_fitted_with_the_categories_of_the_data(data):
    estimator = lightgbm.LGBMRegressor(n_estimators=20, min_child_samples=2, verbose=-1, n_jobs=1)
    model = gr.PairCalibrator(estimator).fit(data)
    assert list(BoostedTrees.of(model.estimator_).levels) == [3]


def refused(data, table):
    numbers = gr.RankingData.from_frame(table.assign(brand=1.0))
    named = lightgbm_on(frame(table), table.label)
    return {
        "number": (
            named,
            numbers,
            "'brand' is a category in the model and a number in the data. Read it as a category: categ",
        ),
        "category": (
            lightgbm_on(data.X, data.y),
            data,
            "'brand' is a number in the model and a category in the data",
        ),
        "order": (named, data.pick_features(FEATURES[::-1]), r"takes 4 features \(price, .*: got 4 \(brand, "),
        "number of features": (named, data.pick_features(["price"]), "takes 4 features .*: got 1"),
        "outputs": (
            lightgbm.LGBMClassifier(n_estimators=2, verbose=-1, n_jobs=1).fit(data.X, data.y),
            data,
            "one score per document: LGBMClassifier has 3 outputs",
        ),
        "missing value": (
            xgboost.XGBRegressor(n_estimators=2, missing=-1.0, n_jobs=1).fit(data.X[:, :1], data.y),
            data.pick_features(["price"]),
            "treats the value -1.0 as missing",
        ),
    }


@pytest.mark.parametrize("case", ["number", "category", "order", "number of features", "outputs", "missing value"])
def test_tables_that_do_not_fit_the_model_are_refused(case, data, table):
    model, given, said = refused(data, table)[case]
    with pytest.raises(DataError, match=said):
        BoostedTrees.of(model).scores(given.table)
