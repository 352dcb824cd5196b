"""Curves that another library has trained score as the library does, also when saved."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import HistGradientBoostingRegressor

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.terms import NotAdditiveError

N_QUERIES, PER_QUERY = 20, 20
QID = np.repeat(np.arange(N_QUERIES), PER_QUERY)
NAMES = ["price", "rating", "shop", "noise"]


def table():
    """Numbers with gaps, and a column of codes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(QID), 4))
    X[:, 2] = rng.integers(0, 6, len(X))
    utility = X[:, 0] + np.sin(3 * X[:, 1]) + np.isin(X[:, 2], [1, 4])
    X[:, :2][rng.random((len(X), 2)) < 0.15] = np.nan
    return X, np.digitize(utility, [0.0, 1.5])


X, Y = table()
BEYOND = np.vstack([X, 5.0 * X, np.full((1, 4), np.nan), np.zeros((1, 4))])
BEYOND[len(X) : 2 * len(X), 2] = 7.0


def lightgbm_ranker(depth, **options):
    made = lightgbm.LGBMRanker(max_depth=depth, n_estimators=30, min_child_samples=5, verbose=-1, n_jobs=1)
    return made.fit(X, Y, group=[PER_QUERY] * N_QUERIES, categorical_feature=[2], **options)


def xgboost_ranker(depth):
    made = xgboost.XGBRanker(max_depth=depth, n_estimators=30, n_jobs=1, feature_types=["q", "q", "c", "q"])
    return made.fit(X, Y, qid=QID)


@pytest.fixture(scope="module", params=[1, 2], ids=["one feature", "two features"])
def depth(request):
    return request.param


def stored(model, tmp_path):
    """Return the ranker of the model, the same saved and loaded, and the scorer."""
    gr.save_model(model, tmp_path / "model.json", feature_names=NAMES)
    return gr.AdditiveRanker.of(model), gr.load_model(tmp_path / "model.json"), gr.load_scorer(tmp_path / "model.json")


def test_lightgbm_trees_score_as_lightgbm(depth, tmp_path):
    model = lightgbm_ranker(depth)
    expected = model.predict(BEYOND)
    for ranker in (*stored(model, tmp_path), *stored(model.booster_, tmp_path)):
        np.testing.assert_allclose(ranker.predict(BEYOND), expected, rtol=1e-12, atol=1e-12)


def test_xgboost_trees_score_as_xgboost_in_32_bits(depth, tmp_path):
    """XGBoost rounds the sum to 32 bits after every tree."""
    model = xgboost_ranker(depth)
    expected = model.predict(BEYOND)
    size = 31 * 2.0**-24 * max(1.0, np.abs(expected).max())
    for ranker in stored(model, tmp_path):
        np.testing.assert_allclose(ranker.predict(BEYOND), expected, rtol=0.0, atol=size)


def test_a_calibrated_ranker_is_saved_with_its_probabilities(tmp_path):
    data = gr.RankingData(X, Y, QID, feature_names=NAMES)
    model = gr.PairCalibrator(lightgbm_ranker(1), cv="prefit").fit(data)
    gr.save_model(model, tmp_path / "model.json", feature_names=NAMES)
    loaded = gr.load_model(tmp_path / "model.json")
    A, B = X[:50], X[50:100]
    np.testing.assert_allclose(loaded.predict_pair_proba(A, B), model.predict_pair_proba(A, B), rtol=1e-9)
    found = gr.load_scorer(tmp_path / "model.json").explain_pair(data, 0, 1)
    assert found.probability == pytest.approx(float(model.predict_pair_proba(X[[0]], X[[1]])[0]), rel=1e-9)


def test_an_additive_ranker_itself_can_be_calibrated_saved_and_drawn(tmp_path):
    data = gr.RankingData(X, Y, QID, feature_names=NAMES)
    ranker = gr.AdditiveRanker.of(lightgbm_ranker(1))
    calibrated = gr.PairCalibrator(ranker, cv="prefit").fit(data)
    gr.save_model(calibrated, tmp_path / "model.json", feature_names=NAMES)
    loaded = gr.load_model(tmp_path / "model.json")
    assert loaded.predict(X).tolist() == ranker.predict(X).tolist()
    gr.nomogram(loaded, data, query=0, document=1, against=2).save(tmp_path / "pair.svg")
    assert gr.explain_pair(loaded, data, query=0, document=1, against=2).total == pytest.approx(
        -loaded.slope_ * float(np.subtract(*ranker.predict(X[[1, 2]]))), rel=1e-9
    )


def test_names_of_categories_are_kept(tmp_path):
    shops = pd.Categorical.from_codes(X[:, 2].astype(int), [f"shop {code}" for code in range(6)])
    frame = pd.DataFrame(X, columns=NAMES).assign(shop=shops)
    model = lightgbm.LGBMRanker(max_depth=1, n_estimators=10, min_child_samples=5, verbose=-1, n_jobs=1)
    model.fit(frame, Y, group=[PER_QUERY] * N_QUERIES)
    gr.save_model(model, tmp_path / "model.json")
    loaded, scorer = gr.load_model(tmp_path / "model.json"), gr.load_scorer(tmp_path / "model.json")
    # In other codes, and with a shop that the model does not know, which it takes for a missing value.
    few = frame.iloc[:30].assign(shop=["a new shop", *shops[1:30].astype(str)])
    levels = sorted(set(few["shop"]))
    kinds = [gr.FeatureKind(), gr.FeatureKind(), gr.FeatureKind("category", tuple(levels)), gr.FeatureKind()]
    coded = few.assign(shop=[levels.index(shop) for shop in few["shop"]]).to_numpy(dtype=float)
    data = gr.RankingData(coded, None, feature_names=NAMES, kinds=kinds)
    known = pd.Categorical([None, *few["shop"][1:]], shops.categories)
    expected = model.predict(few.assign(shop=known))
    np.testing.assert_allclose(scorer.predict(data), expected, rtol=1e-12)
    np.testing.assert_allclose(loaded.predict(few), expected, rtol=1e-12)
    assert scorer.kinds[2].levels == tuple(f"shop {code}" for code in range(6))


def test_names_with_spaces_are_saved_as_given(tmp_path):
    """LightGBM replaces the spaces by underscores."""
    names = ["list price", "rating", "shop", "noise"]
    model = lightgbm_ranker(1, feature_name=names)
    gr.save_model(model, tmp_path / "model.json", feature_names=names)
    assert gr.load_scorer(tmp_path / "model.json").feature_names == tuple(names)
    with pytest.raises(DataError, match="feature_names must be the names that the model was fitted with, 'list_price'"):
        gr.save_model(model, tmp_path / "model.json", feature_names=["price", "rating", "shop", "noise"])


def test_boosting_of_scikit_learn_can_be_stored_as_curves(tmp_path):
    model = HistGradientBoostingRegressor(max_iter=20, interaction_cst="no_interactions").fit(X, Y)
    gr.save_model(gr.AdditiveRanker.of(model), tmp_path / "model.json")
    np.testing.assert_allclose(gr.load_scorer(tmp_path / "model.json").predict(X), model.predict(X), rtol=1e-12)


def test_deep_trees_are_refused_with_a_remedy(tmp_path):
    deep = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=5, verbose=-1).fit(X, Y, group=[len(X)])
    for call in (gr.AdditiveRanker.of, lambda model: gr.save_model(model, tmp_path / "m.json")):
        with pytest.raises(NotAdditiveError, match=r"combines the features .* max_depth=1"):
            call(deep)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (X[:, :3], "X must have one column per feature: expected 4, got 3"),
        (X[0], "X must have two dimensions"),
        (np.full((1, 4), np.inf), "X has 4 values that are not finite"),
    ],
)
def test_rows_that_cannot_be_scored_are_rejected(rows, message):
    with pytest.raises(DataError, match=message):
        gr.AdditiveRanker.of(lightgbm_ranker(1)).predict(rows)


def test_a_model_of_differences_has_no_scores():
    model = gr.RankSVM(kernel="lrbf", mode="difference").fit(X[:, [3]], Y, qid=QID)
    with pytest.raises(DataError, match="compares pairs of documents"):
        gr.AdditiveRanker.of(model)


def test_curves_of_other_shapes_are_not_stored(tmp_path):
    model = gr.RankSVM(kernel="lrbf").fit(X[:, [3]], Y, qid=QID)
    with pytest.raises(DataError, match=r"GaussianCurve cannot be stored as lines and steps\. Save the model from"):
        gr.save_model(gr.AdditiveRanker.of(model), tmp_path / "m.json")
