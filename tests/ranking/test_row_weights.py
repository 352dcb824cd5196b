"""Row weights in every ranker: 0 means ignored, whole numbers mean repeated rows, and all Pipeline steps get them."""

import numpy as np
import pytest
import sklearn
from lightgbm import LGBMRanker
from scipy import sparse
from scipy.optimize import brentq
from sklearn.base import clone
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import GroupKFold, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from glassrank import (
    AdditiveSVC,
    BestSingleFeature,
    DataError,
    ELMRank,
    ELMRankCV,
    KernelLeastSquaresRanker,
    PairCalibrator,
    PairwiseRanker,
    RankSVM,
    RankSVMCV,
)
from glassrank.core.groups import group_rows
from glassrank.ranking.any_ranker import fit_ranker
from tests.reference import pair_losses
from tests.reference.least_squares import fit_by_pairs, fit_kernel_by_pairs
from tests.reference.measures import per_query
from tests.reference.pairs import comparable_pairs, random_problem
from tests.reference.sigmoid import likelihood_derivatives

EXACT_SVC = LinearSVC(C=0.5, dual=False, fit_intercept=False, tol=1e-12)
RANKERS = {
    "linear": RankSVM(loss="squared_hinge"),
    "hinge": RankSVM(loss="hinge", C=0.1),
    "logistic": RankSVM(loss="logistic", pair_weight="query"),
    "lrbf": RankSVM(kernel="lrbf", pair_weight="ndcg"),
    "difference": RankSVM(kernel="lrbf", mode="difference", C=0.1),
    "sampled difference": RankSVM(kernel="lrbf", mode="difference", C=0.1, max_pairs=50, random_state=0),
    "svm cv": RankSVMCV(Cs=[0.01, 1.0, 100.0]),
    "svm cv in pairs": RankSVMCV(Cs=3, C_unit="pair", kernel="lrbf", gamma=["scale", 0.1]),
    "elm": ELMRank(n_nodes=20, random_state=0),
    "elm cv": ELMRankCV([1e-3, 1.0], n_nodes=20, random_state=0),
    "elm leaving queries out": ELMRankCV([1e-3, 1.0], cv="leave-query-out", n_nodes=20, random_state=0),
    "kernel": KernelLeastSquaresRanker(weighting="different-labels"),
    "pairwise": PairwiseRanker(EXACT_SVC),
    "single": BestSingleFeature("pair_accuracy"),
    "calibrated": PairCalibrator(make_pipeline(StandardScaler(), RankSVM()), random_state=0),
}
WEIGHTED = [name for name in RANKERS if name != "single"]
quiet_about_samples = pytest.mark.filterwarnings("ignore:RankSVM learns from")


@pytest.fixture(scope="module")
def problem():
    return random_problem(5, n_rows=160, n_features=4, n_queries=14)


@pytest.fixture(scope="module")
def some(problem):
    """Weights of which a third is 0, and all of query 3."""
    weights = np.random.default_rng(1).choice([0.0, 0.5, 3.0], size=len(problem.y))
    weights[problem.qid == 3] = 0.0
    return weights


def learned(model):
    """All fitted attributes of a model, as plain values that can be compared."""
    found = {}
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and not name.startswith("_"):
            found[name] = learned(value) if hasattr(value, "get_params") else value
    return found


def assert_same(one, two):
    """Assert that two sets of attributes are exactly equal."""
    assert one.keys() == two.keys()
    for name, value in one.items():
        if isinstance(value, dict):
            assert_same(value, two[name])
        elif isinstance(value, (np.ndarray, np.generic, float, int)):
            np.testing.assert_array_equal(value, two[name], err_msg=name)


def fit(ranker, problem, rows, weights=None):
    return clone(ranker).fit(problem.X[rows], problem.y[rows], qid=problem.qid[rows], sample_weight=weights)


@quiet_about_samples
@pytest.mark.parametrize("name", RANKERS)
def test_a_row_of_weight_zero_is_ignored(name, problem, some):
    everything, counted = np.arange(len(some)), np.flatnonzero(some)
    with_zeros = fit(RANKERS[name], problem, everything, some)
    without = fit(RANKERS[name], problem, counted, some[counted])
    assert_same(learned(with_zeros), learned(without))
    # A query of weight 0 is ignored too.
    assert with_zeros.n_queries_ == len(np.unique(problem.qid[counted])) < len(np.unique(problem.qid))
    A, B = problem.X[:40], problem.X[40:80]
    np.testing.assert_array_equal(with_zeros.decide_pairs(A, B), without.decide_pairs(A, B))


@quiet_about_samples
@pytest.mark.parametrize("name", RANKERS)
def test_weights_of_zero_and_one_select_rows(name, problem, some):
    everything, counted = np.arange(len(some)), np.flatnonzero(some)
    assert_same(
        learned(fit(RANKERS[name], problem, everything, np.sign(some))), learned(fit(RANKERS[name], problem, counted))
    )


@quiet_about_samples
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_change_the_model(name, problem):
    everything = np.arange(len(problem.y))
    weights = np.where(np.random.default_rng(2).random(len(problem.y)) < 0.5, 1e-6, 100.0)
    A, B = problem.X[:40], problem.X[40:80]
    weighted, plain = (fit(RANKERS[name], problem, everything, given) for given in (weights, None))
    assert not np.allclose(weighted.decide_pairs(A, B), plain.decide_pairs(A, B), rtol=1e-3)


@pytest.mark.parametrize("name", RANKERS)
def test_weights_that_are_all_zero_are_refused(name, problem):
    with pytest.raises(DataError, match="sample_weight is zero for all 160 rows"):
        fit(RANKERS[name], problem, np.arange(160), np.zeros(160))


@pytest.mark.parametrize("name", RANKERS)
def test_weights_that_leave_no_pair_are_refused(name, problem):
    """One document of each query is left."""
    weights = np.zeros(160)
    weights[np.unique(problem.qid, return_index=True)[1]] = 1.0
    with pytest.raises(DataError, match="sample_weight is zero for a document of every comparable pair"):
        fit(RANKERS[name], problem, np.arange(160), weights)


@quiet_about_samples
@pytest.mark.parametrize("name", RANKERS)
def test_weights_are_routed_metadata(name, problem, some):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = clone(RANKERS[name])
        if name == "calibrated":
            ranker = PairCalibrator(RankSVM(), random_state=0)
        ranker.set_fit_request(qid=True, sample_weight=True)
        scaler = MinMaxScaler()
        routed = make_pipeline(scaler, ranker).fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
        direct = clone(ranker).fit(scaler.transform(problem.X), problem.y, qid=problem.qid, sample_weight=some)
    assert_same(learned(routed[-1]), learned(direct))


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_the_path_over_c_is_that_of_single_weighted_fits_and_an_unweighted_measure(problem, some, kernel):
    model = RankSVMCV(Cs=[0.01, 10.0], kernel=kernel, scoring="pair_accuracy", tol=1e-9)
    model.fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
    X, y, qid, v = (part[some > 0] for part in (problem.X, problem.y, problem.qid, some))
    numbers = {query: number for number, query in enumerate(dict.fromkeys(qid.tolist()))}
    folds = GroupKFold(3).split(X, y, [numbers[query] for query in qid.tolist()])
    for fold, (train, test) in enumerate(folds):
        for place, C in enumerate([0.01, 10.0]):
            single = RankSVM(C, kernel=kernel, C_unit="mean", tol=1e-9)
            scores = single.fit(X[train], y[train], qid=qid[train], sample_weight=v[train]).predict(X[test])
            found = per_query("pair_accuracy", y[test].tolist(), scores.tolist(), qid[test].tolist(), "standard")
            known = [value for value in found.values() if value is not None]
            expected = sum(known) / len(known)
            assert model.cv_results_[f"split{fold}_test_score"][place] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ranker", [RANKERS["svm cv"], RANKERS["elm cv"], RANKERS["calibrated"]])
def test_splits_index_all_rows_including_those_of_weight_zero(ranker, problem, some):
    numbered = np.unique(problem.qid, return_inverse=True)[1]
    splits = list(GroupKFold(3).split(problem.X, problem.y, numbered))
    counted = np.flatnonzero(some)
    place = np.cumsum(some > 0) - 1
    kept = [tuple(place[part[some[part] > 0]] for part in split) for split in splits]
    with_zeros = fit(clone(ranker).set_params(cv=splits), problem, np.arange(160), some)
    without = fit(clone(ranker).set_params(cv=kept), problem, counted, some[counted])
    assert_same(learned(with_zeros), learned(without))


@pytest.mark.parametrize("weighting", ["pairs", "query", "different-labels"])
def test_least_squares_with_weights_minimise_over_listed_weighted_pairs(weighting):
    problem = random_problem(8, n_rows=50)
    v = np.random.default_rng(3).choice([0.0, 0.3, 2.0], size=50)
    elm = ELMRank(n_nodes=12, alpha=1e-2, weighting=weighting, random_state=1)
    elm.fit(problem.X, problem.y, qid=problem.qid, sample_weight=v)
    H = elm.hidden_layer(problem.X)
    expected = fit_by_pairs(H, problem.y, problem.qid, 1e-2, weighting, v)
    np.testing.assert_allclose(elm.predict(problem.X), H @ expected, rtol=0, atol=1e-8)
    kernel = KernelLeastSquaresRanker(1e-2, gamma=0.3, weighting=weighting)
    kernel.fit(problem.X, problem.y, qid=problem.qid, sample_weight=v)
    X, y, qid, positive = (part[v > 0] for part in (problem.X, problem.y, problem.qid, v))
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2)) + 1e-9 * np.eye(len(X))
    beta = fit_kernel_by_pairs(K, y, qid, 1e-2, weighting, positive)
    np.testing.assert_allclose(kernel.predict(X), K @ beta, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_the_scale_of_a_kernel_is_that_of_repeated_rows(kind):
    problem = random_problem(8, n_rows=50)
    v = np.random.default_rng(3).integers(0, 4, size=50)
    weighted = KernelLeastSquaresRanker().fit(kind(problem.X), problem.y, sample_weight=v)
    repeated = np.repeat(problem.X, v, axis=0)
    assert weighted.gamma_ == pytest.approx(1 / (4 * repeated.var()), rel=1e-12)


def test_weighted_partial_fits_of_elm_equal_one_fit_to_all_queries(problem, some):
    whole = ELMRank(n_nodes=20, random_state=0).fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
    parts = ELMRank(n_nodes=20, random_state=0)
    for part in (problem.qid < 5, problem.qid >= 5):
        parts.partial_fit(problem.X[part], problem.y[part], qid=problem.qid[part], sample_weight=some[part])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.observed_values_.mean, whole.observed_values_.mean, rtol=1e-12)
    assert parts.n_queries_ == whole.n_queries_


def test_the_weight_of_a_transformed_pair_is_the_product_of_its_rows_weights(problem, some):
    model = fit(PairwiseRanker(EXACT_SVC), problem, np.arange(160), some)
    pairs = pair_losses.listed_pairs(problem.y, problem.qid)
    weights = some[pairs[:, 0]] * some[pairs[:, 1]]
    differences = problem.X[pairs[:, 0]] - problem.X[pairs[:, 1]]
    signs = np.where(np.arange(len(pairs)) % 2, -1, 1)
    expected = clone(EXACT_SVC).fit(differences * signs[:, None], signs, sample_weight=weights).coef_.ravel()
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-6)


def test_the_slope_is_fitted_to_pairs_weighted_by_the_product_of_their_rows(problem, some):
    ranker = RankSVM(C=0.1, C_unit="pair", tol=1e-10)
    model = PairCalibrator(ranker, max_pairs=None, random_state=0)
    model.fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
    X, y, qid, v = (part[some > 0] for part in (problem.X, problem.y, problem.qid, some))
    outputs, weights = [], []
    for train, test in GroupKFold(3).split(X, y, qid):
        scores = clone(ranker).fit(X[train], y[train], qid=qid[train], sample_weight=v[train]).predict(X[test])
        for i, j in comparable_pairs(y[test], qid[test]):
            outputs.append(scores[i] - scores[j])
            weights.append(v[test][i] * v[test][j])
    weights = np.array(weights) / np.mean(weights)
    yes = [True] * len(outputs)
    best = brentq(lambda A: likelihood_derivatives([A], outputs, yes, weights)[1][0], -3.5, -1.0, xtol=1e-12)
    assert model.slope_ == pytest.approx(best, rel=1e-8)
    plain = clone(model).fit(X, y, qid=qid)
    assert abs(model.slope_ / plain.slope_ - 1) > 0.01


def test_a_common_factor_of_the_weights_changes_no_probability(problem, some):
    given = {"C_unit": "mean", "tol": 1e-10}
    few, many = (
        PairCalibrator(RankSVM(**given), random_state=0).fit(
            problem.X, problem.y, qid=problem.qid, sample_weight=factor * some
        )
        for factor in (1e-4, 1.0)
    )
    A, B = problem.X[:40], problem.X[40:80]
    np.testing.assert_allclose(few.predict_pair_proba(A, B), many.predict_pair_proba(A, B), rtol=1e-5)


def test_a_pipeline_scales_by_weighted_moments(problem, some):
    pipeline = make_pipeline(MinMaxScaler(), StandardScaler(), RankSVM(C_unit="pair", tol=1e-10))
    fitted = fit_ranker(pipeline, problem.X, problem.y, group_rows(problem.qid, len(problem.qid)), some + 0.25)
    unit = (problem.X - problem.X.min(axis=0)) / np.ptp(problem.X, axis=0)
    v = some + 0.25
    mean = v @ unit / v.sum()
    np.testing.assert_allclose(fitted[1].mean_, mean, rtol=1e-12)
    np.testing.assert_allclose(fitted[1].var_, v @ (unit - mean) ** 2 / v.sum(), rtol=1e-12)
    slow = pair_losses.listed_objective(
        (unit - mean) / fitted[1].scale_, problem.y, problem.qid, 1.0, pair_losses.SquaredHinge(), row_weights=v
    )
    assert fitted[2].objective_ == pytest.approx(slow.value(fitted[2].coef_), rel=1e-10)


def test_a_foreign_ranker_gets_weights_in_the_order_of_its_rows(problem):
    v = np.random.default_rng(4).uniform(0.5, 2.0, size=160)
    ranker = LGBMRanker(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1, deterministic=True)
    found = fit_ranker(clone(ranker), problem.X, problem.y, group_rows(problem.qid, len(problem.qid)), v).predict(
        problem.X
    )
    order = np.argsort(problem.qid, kind="stable")
    sizes = np.unique(problem.qid, return_counts=True)[1]
    ranker.fit(problem.X[order], problem.y[order], group=sizes, sample_weight=v[order])
    np.testing.assert_array_equal(found, ranker.predict(problem.X))


@pytest.mark.parametrize("estimator", [KNeighborsRegressor(), make_pipeline(StandardScaler(), KNeighborsRegressor())])
def test_a_ranker_that_takes_no_weights_is_refused_unless_they_only_select_rows(estimator, problem, some):
    model = PairCalibrator(estimator, random_state=0)
    with pytest.raises(DataError, match="KNeighborsRegressor takes no sample_weight in fit"):
        fit(model, problem, np.arange(160), some)
    counted = np.flatnonzero(some)
    chosen, absent = fit(model, problem, np.arange(160), np.sign(some)), fit(model, problem, counted)
    assert chosen.slope_ == absent.slope_


def test_a_classifier_of_differences_that_takes_no_weights_is_refused(problem, some):
    class Unweighted(Lasso):
        def fit(self, X, y):
            return super().fit(X, y)

    assert fit(PairwiseRanker(Unweighted(alpha=0.01)), problem, np.arange(160), np.sign(some)).n_pairs_ > 0
    with pytest.raises(DataError, match="Unweighted takes no sample_weight"):
        fit(PairwiseRanker(Unweighted(alpha=0.01)), problem, np.arange(160), some)


@pytest.mark.parametrize("cv", [3, KFold(4), None])
@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_a_classifiers_row_of_weight_zero_is_ignored_in_its_folds_too(cv, kernel, problem, some):
    y = (problem.y > 0).astype(int)
    classifier = AdditiveSVC(kernel=kernel, cv=cv, random_state=0)
    counted = np.flatnonzero(some)
    with_zeros = clone(classifier).fit(problem.X, y, sample_weight=some)
    without = clone(classifier).fit(problem.X[counted], y[counted], sample_weight=some[counted])
    assert_same(learned(with_zeros), learned(without))
    observed = with_zeros.observed_values_
    np.testing.assert_allclose(observed.mean, some @ problem.X / some.sum(), rtol=1e-12)
    np.testing.assert_array_equal(observed.low, problem.X[counted].min(axis=0))


def test_a_regressor_as_a_ranker_learns_with_weights(problem, some):
    found = fit_ranker(Ridge(), problem.X, problem.y, group_rows(problem.qid, len(problem.qid)), some)
    expected = Ridge().fit(problem.X, problem.y, sample_weight=some)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-10)
