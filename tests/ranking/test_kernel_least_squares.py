"""KernelLeastSquaresRanker: the kernel baseline, against listed pairs and a peer."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from tests.estimator_checks import assert_passes
from tests.reference.least_squares import fit_kernel_by_pairs, ordered_pairs
from tests.reference.pairs import random_problem

WEIGHTINGS = ["pairs", "query", "different-labels"]


@parametrize_with_checks([KernelLeastSquaresRanker()])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture(scope="module")
def problem():
    """Documents that all differ, so that the kernel matrix is positive definite; unsorted, with tied labels."""
    tied = random_problem(31, n_rows=60, n_queries=5)
    return type(tied)(3 * np.random.default_rng(0).normal(size=(60, 4)), tied.y, tied.qid, tied.w)


def fit(problem, **parameters):
    return KernelLeastSquaresRanker(**parameters).fit(problem.X, problem.y, qid=problem.qid)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_coefficients_minimise_over_listed_pairs(problem, weighting):
    model = fit(problem, alpha=1e-2, gamma=0.2, weighting=weighting)
    K = np.exp(-0.2 * cdist(problem.X, problem.X, "sqeuclidean"))
    expected = fit_kernel_by_pairs(K, problem.y, problem.qid, 1e-2, weighting)
    np.testing.assert_allclose(model.dual_coef_, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.predict(problem.X), K @ expected, rtol=0, atol=1e-10)


def test_alpha_is_the_papers_gamma_times_m_minus_1_over_m(problem):
    """The mean over the m(m − 1)/2 pairs of different documents, with the penalty γ, minimised numerically."""
    X, y, m, gamma = problem.X[:12], problem.y[:12], 12, 0.05
    K = np.exp(-0.2 * cdist(X, X, "sqeuclidean"))

    def risk(beta):
        f = K @ beta
        total = sum((y[i] - y[j] - (f[i] - f[j])) ** 2 for i in range(m) for j in range(i + 1, m))
        return 2.0 / (m * (m - 1)) * total + gamma * beta @ K @ beta

    found = minimize(risk, np.zeros(m), method="BFGS", options={"gtol": 1e-9}).x
    model = KernelLeastSquaresRanker(alpha=gamma * (m - 1) / m, gamma=0.2).fit(X, y)
    np.testing.assert_allclose(model.predict(X) - model.predict(X).mean(), K @ found - (K @ found).mean(), atol=1e-5)
    halved = KernelLeastSquaresRanker(alpha=gamma * (m - 1) / (2 * m), gamma=0.2).fit(X, y)
    assert np.abs(np.ptp(halved.predict(X)) - np.ptp(K @ found)) > 1e-3


def test_one_query_is_kernel_ridge_regression_on_the_centred_kernel(problem):
    """K centred in feature space: J K J with J = I − 1/m; the scores agree up to a constant."""
    J = np.eye(60) - 1.0 / 60
    K = np.exp(-0.2 * cdist(problem.X, problem.X, "sqeuclidean"))
    ridge = KernelRidge(alpha=0.01 * 60 / 2, kernel="precomputed").fit(J @ K @ J, problem.y - problem.y.mean())
    scores = KernelLeastSquaresRanker(alpha=0.01, gamma=0.2).fit(problem.X, problem.y).predict(problem.X)
    np.testing.assert_allclose(scores - scores.mean(), ridge.predict(J @ K @ J), rtol=0, atol=1e-10)


def test_the_linear_kernel_ranks_like_least_squares_on_the_features(problem):
    """f(x) = w·x with ‖f‖² = ‖w‖²: the normal equations of w over listed pairs."""
    kernel = fit(problem, kernel="linear", alpha=1e-2)
    w = problem.X.T @ kernel.dual_coef_
    pairs = ordered_pairs(problem.y, problem.qid)
    rows = np.array([problem.X[i] - problem.X[j] for i, j, _ in pairs])
    targets = np.array([problem.y[i] - problem.y[j] for i, j, _ in pairs])
    normal = rows.T @ rows / len(pairs) + 1e-2 * np.eye(4)
    np.testing.assert_allclose(w, np.linalg.solve(normal, rows.T @ targets / len(pairs)), rtol=0, atol=1e-10)


def test_the_laplacian_kernel_follows_its_formula(problem):
    model = fit(problem, kernel="laplacian", gamma=0.3)
    K = np.exp(-0.3 * cdist(problem.X[:7], problem.X, "cityblock"))
    np.testing.assert_allclose(model.predict(problem.X[:7]), K @ model.dual_coef_, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_gamma_scale_is_that_of_scikit_learns_svc(problem, kind):
    X = kind(np.where(np.abs(problem.X) > 1, problem.X, 0.0))
    model = KernelLeastSquaresRanker().fit(X, problem.y, qid=problem.qid)
    assert model.gamma_ == pytest.approx(SVC(gamma="scale").fit(X, problem.y > 0)._gamma, rel=1e-12)


def test_constant_features_have_gamma_1_and_equal_scores():
    model = KernelLeastSquaresRanker().fit(np.ones((4, 2)), [0, 1, 2, 3])
    assert model.gamma_ == 1.0
    np.testing.assert_allclose(np.ptp(model.predict(np.ones((3, 2)))), 0.0, atol=1e-12)


def test_coefficients_of_a_query_add_up_to_0(problem):
    """Only differences within queries are fitted."""
    coef = fit(problem).dual_coef_
    sums = [coef[problem.qid == query].sum() for query in np.unique(problem.qid)]
    np.testing.assert_allclose(sums, 0.0, atol=1e-9 * np.abs(coef).max())


def test_sparse_rows_give_the_same_scores(problem):
    thin = sparse.csr_matrix(problem.X)
    model = KernelLeastSquaresRanker().fit(thin, problem.y, qid=problem.qid)
    np.testing.assert_allclose(model.predict(thin), fit(problem).predict(problem.X), rtol=0, atol=1e-9)


def test_many_random_nodes_and_a_kernel_order_new_documents_similarly():
    """Both follow the same smooth curve (simulated)."""
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(2, 200, 2))
    y, y_new = (np.sin(2 * rows[:, 0]) + rows[:, 1] for rows in (X, X_new))
    kernel = KernelLeastSquaresRanker(alpha=1e-5).fit(X, y)
    nodes = ELMRank(alpha=1e-5, random_state=0).fit(X, y)
    assert kernel.score(X_new, y_new) > 0.97
    assert nodes.score(X_new, y_new) > 0.97


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("alpha", 0.0),
        ("kernel", "cosine"),
        ("gamma", "auto"),
        ("gamma", -1.0),
        ("weighting", "documents"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(problem, parameter, value):
    with pytest.raises(DataError, match=f"{parameter} must"):
        fit(problem, **{parameter: value})


def test_values_that_overflow_the_kernel_are_refused(problem):
    huge = type(problem)(problem.X * 1e200, problem.y, problem.qid, problem.w)
    with pytest.raises(DataError, match="The kernel matrix has"):
        fit(huge, kernel="linear", gamma=1.0)
    with pytest.raises(DataError, match="variance is not finite"):
        fit(huge)
    with pytest.raises(DataError, match="The kernel matrix has"):
        fit(problem, kernel="linear").predict(np.full((2, 4), 1e308))


def test_a_penalty_below_rounding_is_refused():
    X = np.repeat(np.arange(10.0), 2)[:, None]
    with pytest.raises(DataError, match="alpha 1e-20 is too small"):
        KernelLeastSquaresRanker(alpha=1e-20).fit(X, np.arange(20.0))


def test_too_many_documents_for_a_kernel_matrix_are_refused():
    with pytest.raises(DataError, match=r"20,001 documents is too large.*Use ELMRank"):
        KernelLeastSquaresRanker().fit(np.zeros((20_001, 1)), np.arange(20_001), qid=np.zeros(20_001))


def test_a_clone_has_the_parameters_and_no_fit(problem):
    copy = clone(fit(problem, kernel="linear", alpha=0.5))
    assert (copy.alpha, copy.kernel, copy.gamma, copy.weighting) == (0.5, "linear", "scale", "pairs")
    with pytest.raises(NotFittedError):
        copy.predict(problem.X)
