"""PairCalibrator over rankers of LightGBM, XGBoost and scikit-learn with native categories."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import glassrank as gr
from glassrank import DataError, FeatureKind, FeatureTransformer, PairCalibrator, RankingData
from tests.reference.sigmoid import likelihood_derivatives

LEVELS = ("cars", "news", "shop", "wiki")
NAMES = ("site", "bm25", "https", "only")
KINDS = (FeatureKind("category", LEVELS), FeatureKind(), FeatureKind("boolean"), FeatureKind("category", ("one",)))
N_QUERIES, N_DOCUMENTS = 9, 15


def ranking_data():
    rng = np.random.default_rng(3)
    n_rows = N_QUERIES * N_DOCUMENTS
    site, https, bm25 = rng.integers(0, 4, n_rows), rng.integers(0, 2, n_rows), rng.normal(size=n_rows)
    site[:N_DOCUMENTS] = 2  # a query with one level only
    grade = np.digitize(np.array([0.0, 2.0, -1.0, 1.0])[site] + bm25 + https, [0.0, 1.0, 2.0])
    X = np.column_stack([site, bm25, https, np.zeros(n_rows)])
    X[rng.random(X.shape) < 0.1] = np.nan
    qid = np.repeat([f"q{k}" for k in range(N_QUERIES)], N_DOCUMENTS)
    return RankingData(X, grade, qid, [f"d{row}" for row in range(n_rows)], NAMES, kinds=KINDS)


DATA = ranking_data()


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other cost more than these small fits."""
    with threadpool_limits(1):
        yield


def lightgbm_ranker():
    options = {"n_estimators": 8, "interaction_constraints": [[0], [1], [2], [3]], "min_data_per_group": 5}
    return lightgbm.LGBMRanker(**options, min_child_samples=5, verbose=-1, n_jobs=1)


def xgboost_ranker():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    return xgboost.XGBRanker(n_estimators=8, interaction_constraints="[[0], [1], [2], [3]]", n_jobs=1)


def histogram_ranker():
    return HistGradientBoostingRegressor(interaction_cst="no_interactions", max_iter=8)


def fit_lightgbm(X, y, sizes):
    return lightgbm_ranker().fit(X, y.astype(int), group=sizes, categorical_feature=[0, 3])


def fit_xgboost(X, y, sizes):
    model = xgboost_ranker().set_params(feature_types=["c", "q", "q", "c"], enable_categorical=True)
    return model.fit(X, y, qid=np.repeat(np.arange(len(sizes)), sizes))


def fit_histogram(X, y, sizes):
    return histogram_ranker().set_params(categorical_features=[0, 3]).fit(X, y)


RANKERS = {
    "LightGBM": (lightgbm_ranker, fit_lightgbm),
    "XGBoost": (xgboost_ranker, fit_xgboost),
    "scikit-learn": (histogram_ranker, fit_histogram),
}
every_library = pytest.mark.parametrize("library", RANKERS)


def with_other_levels(data):
    """The same rows with levels in another order, and one more of them, which no row has."""
    levels = ("zoo", *reversed(LEVELS))
    X = data.X.copy()
    known = ~np.isnan(X[:, 0])
    X[known, 0] = [levels.index(LEVELS[int(code)]) for code in X[known, 0]]
    return RankingData(X, data.y, data.qid, data.doc_ids, NAMES, kinds=(FeatureKind("category", levels), *KINDS[1:]))


def better_first(y, scores, qid):
    """Differences of scores of all comparable pairs."""
    return [scores[i] - scores[j] for i in range(len(y)) for j in range(len(y)) if qid[i] == qid[j] and y[i] > y[j]]


def assert_most_likely(slope, outputs):
    """A Newton step of the slow twin does not change the slope."""
    _, gradient, curvature = likelihood_derivatives([slope], outputs, [True] * len(outputs))
    assert abs(gradient[0] / curvature[0, 0]) < 1e-6 * abs(slope)


@every_library
def test_the_slope_is_that_of_held_out_pairs_by_the_library_itself(library):
    make, fit = RANKERS[library]
    model = PairCalibrator(make(), cv=3, max_pairs=None).fit(DATA)
    outputs = []
    number = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    for train, test in GroupKFold(3).split(DATA.X, groups=number):
        peer = fit(DATA.X[train], DATA.y[train], [N_DOCUMENTS] * (len(train) // N_DOCUMENTS))
        outputs += better_first(DATA.y[test], peer.predict(DATA.X[test]).astype(float), DATA.qid[test])
    assert_most_likely(model.slope_, outputs)
    whole = fit(DATA.X, DATA.y, [N_DOCUMENTS] * N_QUERIES)
    np.testing.assert_array_equal(model.predict(DATA), whole.predict(DATA.X).astype(float))


@every_library
def test_levels_are_matched_by_name_and_codes_without_names_are_refused(library):
    model = PairCalibrator(RANKERS[library][0](), cv=3).fit(DATA)
    other = with_other_levels(DATA)
    np.testing.assert_array_equal(model.predict(other), model.predict(DATA))
    np.testing.assert_array_equal(
        model.predict_pair_proba(other.table[:5], other.table[5:10]),
        model.predict_pair_proba(DATA.table[:5], DATA.table[5:10]),
    )
    with pytest.raises(DataError, match="'site' is a category, and a matrix"):
        model.predict(DATA.X)
    for data in (DATA, other):
        why = gr.explain_pair(model, data, query="q1", document="d15", against="d21")
        odds = model.predict_pair_proba(DATA.table[[15]], DATA.table[[21]])[0]
        assert 1 / (1 + np.exp(-why.total)) == pytest.approx(odds, rel=1e-5)
        picture = gr.nomogram(model, data, query="q1", document="d15", against="d21")
        assert picture.pair.difference == pytest.approx(why.total, abs=1e-12)
        assert picture.effects.features[0].categories == LEVELS


@every_library
def test_a_fitted_ranker_is_calibrated_from_ranking_data(library):
    ranker = RANKERS[library][1](DATA.X, DATA.y, [N_DOCUMENTS] * N_QUERIES)
    model = PairCalibrator(ranker, cv="prefit", max_pairs=None).fit(DATA)
    scores = ranker.predict(DATA.X).astype(float)
    assert_most_likely(model.slope_, better_first(DATA.y, scores, DATA.qid))
    np.testing.assert_array_equal(model.predict(with_other_levels(DATA)), scores)


@every_library
def test_a_ranker_of_a_data_frame_finds_the_levels_by_name(library):
    frame = pd.DataFrame(DATA.X, columns=NAMES)
    for name, kind in zip(NAMES, KINDS, strict=True):
        if kind.is_category:
            names = [None if np.isnan(code) else kind.levels[int(code)] for code in frame[name]]
            frame[name] = pd.Categorical(names, categories=kind.levels)
    ranker = RANKERS[library][0]()
    settings = {"XGBoost": {"enable_categorical": True, "interaction_constraints": None}}
    ranker.set_params(**settings.get(library, {}))
    numbers = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    queries = {"LightGBM": {"group": [N_DOCUMENTS] * N_QUERIES}, "XGBoost": {"qid": numbers}}
    ranker.fit(frame, DATA.y.astype(int), **queries.get(library, {}))
    model = PairCalibrator(ranker, cv="prefit").fit(with_other_levels(DATA))
    np.testing.assert_array_equal(model.predict(DATA), ranker.predict(frame).astype(float))


def test_a_pipeline_of_our_transformer_and_a_tree_ranker_takes_categories():
    model = make_pipeline(FeatureTransformer(), lightgbm_ranker())
    calibrated = PairCalibrator(model, cv=3).fit(DATA)
    np.testing.assert_array_equal(calibrated.predict(with_other_levels(DATA)), calibrated.predict(DATA))
    transformed = FeatureTransformer().fit(DATA).transform(DATA).values
    peer = fit_lightgbm(transformed, DATA.y, [N_DOCUMENTS] * N_QUERIES)
    np.testing.assert_array_equal(calibrated.predict(DATA), peer.predict(transformed))


def test_rankers_that_would_take_codes_for_numbers_are_refused_by_name():
    for ranker, name in ((Ridge(), "Ridge"), (make_pipeline(StandardScaler(), lightgbm_ranker()), "StandardScaler")):
        with pytest.raises(DataError, match=f"{name} would take the codes of the category 'site' for numbers"):
            PairCalibrator(ranker, cv=3).fit(DATA)
    own = make_pipeline(FeatureTransformer(), StandardScaler(), gr.RankSVM())
    with pytest.raises(DataError, match="StandardScaler would take the codes of the category 'site'"):
        PairCalibrator(own, cv=3).fit(DATA)
    plain = histogram_ranker().fit(DATA.X, DATA.y)
    with pytest.raises(DataError, match="HistGradientBoostingRegressor would take the codes of the category 'site'"):
        PairCalibrator(plain, cv="prefit").fit(DATA)
    some = histogram_ranker().set_params(categorical_features=[3])
    with pytest.raises(DataError, match="HistGradientBoostingRegressor would take the codes of the category 'site'"):
        PairCalibrator(some, cv=3).fit(DATA)


def test_categories_that_the_user_declared_are_kept():
    by_mask = histogram_ranker().set_params(categorical_features=[True, False, True, True])
    model = PairCalibrator(by_mask, cv=3).fit(DATA)
    assert model.estimator_.is_categorical_.tolist() == [True, False, True, True]


def test_a_booster_of_xgboost_takes_matrices_and_data_frames():
    """XGBoost's own model in scikit-learn's style takes them, and its Booster only takes a DMatrix."""
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    frame = pd.DataFrame({"bm25": DATA.X[:, 1], "site": pd.Categorical.from_codes(codes_of_sites(), LEVELS)})
    number = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    ranker = xgboost.XGBRanker(n_estimators=8, enable_categorical=True, n_jobs=1)
    for rows in (frame, DATA.X[:, 1:3]):
        fitted = ranker.fit(rows, DATA.y, qid=number)
        booster = xgboost.Booster(model_file=fitted.get_booster().save_raw("ubj"))
        model = PairCalibrator(booster, cv="prefit", max_pairs=None).fit(rows, DATA.y, qid=DATA.qid)
        np.testing.assert_array_equal(model.predict(rows), fitted.predict(rows).astype(float))
        assert_most_likely(model.slope_, better_first(DATA.y, fitted.predict(rows).astype(float), DATA.qid))


def codes_of_sites():
    return np.where(np.isnan(DATA.X[:, 0]), -1, DATA.X[:, 0]).astype(int)
