"""Newton's optimum against LIBLINEAR on the listed pairs, and the certificate against weak duality."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import minimise, minimise_hinge
from glassrank.core.pairs.objectives import SmoothedHingePairs, SquaredHingePairs
from tests.reference import pair_losses
from tests.reference.pairs import random_problem, squared_hinge

RAW_SCALES = np.array([1e-3, 1.0, 1e3, 1e6, 20.0, 1e-2])


def objective_of(X, y, qid, C):
    return SquaredHingePairs(ComparedRows.of(X, y, group_rows(qid, len(y))), C)


def solve(X, y, qid, C, tol=1e-10, max_iter=100, start=None):
    start = np.zeros(X.shape[1]) if start is None else start
    return minimise(objective_of(X, y, qid, C), start, tol=tol, max_iter=max_iter)


def liblinear(twin):
    """Return the weights of scikit-learn's LinearSVC on the listed differences, every second one reversed."""
    sign = np.where(np.arange(len(twin.differences)) % 2 == 0, 1.0, -1.0)
    peer = LinearSVC(loss="squared_hinge", C=twin.C, fit_intercept=False, dual=False, tol=1e-12, max_iter=100_000)
    return peer.fit(twin.differences * sign[:, None], sign).coef_[0]


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("levels", [2, 5, None])
def test_the_optimum_equals_that_of_liblinear(C, levels):
    problem = random_problem(1, n_rows=100, levels=levels)
    twin = squared_hinge(problem.X, problem.y, problem.qid, C)
    solution = solve(problem.X, problem.y, problem.qid, C)
    peer = liblinear(twin)
    assert solution.converged
    assert solution.value == pytest.approx(twin.value(solution.w), rel=1e-12)
    assert solution.value == pytest.approx(twin.value(peer), rel=1e-7)
    np.testing.assert_allclose(solution.w, peer, rtol=0, atol=1e-5 * np.abs(peer).max())


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_vanishes_at_the_optimum(seed):
    problem = random_problem(seed, n_rows=150, n_features=6)
    twin = squared_hinge(problem.X, problem.y, problem.qid, 1.0)
    solution = solve(problem.X, problem.y, problem.qid, 1.0, tol=1e-12)
    assert np.linalg.norm(twin.gradient(solution.w)) <= 1e-5 * np.linalg.norm(twin.gradient(np.zeros(6)))


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("seed", range(3))
def test_raw_scales_from_a_thousandth_to_a_million_converge(seed, C):
    """Weak duality certifies the optimum, because no other library converges on the listed pairs."""
    problem = random_problem(seed, n_rows=120, n_features=6)
    X = problem.X * RAW_SCALES + 5 * RAW_SCALES
    twin = squared_hinge(X, problem.y, problem.qid, C)
    solution = solve(X, problem.y, problem.qid, C, tol=1e-7)
    assert solution.converged
    assert twin.duality_gap(solution.w) <= 1.01e-7 * twin.value(solution.w)
    assert solution.value == pytest.approx(twin.value(solution.w), rel=1e-9)


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_a_converged_solution_has_the_requested_gap(tol, C):
    problem = random_problem(2, n_rows=100)
    twin = squared_hinge(problem.X, problem.y, problem.qid, C)
    solution = solve(problem.X, problem.y, problem.qid, C, tol=tol)
    assert solution.converged
    assert solution.duality_gap <= tol * solution.value
    assert twin.duality_gap(solution.w) <= tol * solution.value * 1.001 + 1e-12 * solution.value


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_an_early_stop_reports_a_gap_no_smaller_than_the_distance_to_the_optimum(max_iter):
    problem = random_problem(3, n_rows=100)
    twin = squared_hinge(problem.X, problem.y, problem.qid, 10.0)
    optimum = twin.value(liblinear(twin))
    solution = solve(problem.X, problem.y, problem.qid, 10.0, tol=1e-14, max_iter=max_iter)
    assert solution.n_iter <= max_iter
    assert solution.duality_gap >= (solution.value - optimum) * (1 - 1e-9)


def test_stopping_at_max_iter_is_not_converged():
    problem = random_problem(3, n_rows=100)
    solution = solve(problem.X, problem.y, problem.qid, 10.0, tol=1e-10, max_iter=1)
    assert not solution.converged
    assert solution.duality_gap > 1e-10 * solution.value


def test_the_point_of_the_last_iteration_counts_for_the_hinge_loss():
    """One iteration already improves on w = 0, and as many as are needed are enough."""
    problem = random_problem(3, n_rows=100)
    objective = SmoothedHingePairs(ComparedRows.of(problem.X, problem.y, group_rows(problem.qid, 100)), 1.0)
    twin = pair_losses.listed_objective(problem.X, problem.y, problem.qid, 1.0, pair_losses.Hinge())

    def solve_hinge(max_iter):
        return minimise_hinge(objective, np.zeros(problem.X.shape[1]), tol=1e-6, max_iter=max_iter)

    free = solve_hinge(500)
    limited = [solve_hinge(max_iter) for max_iter in range(1, free.n_iter + 1)]
    assert limited[0].value < twin.value(np.zeros(problem.X.shape[1]))
    assert [one.value for one in limited] == pytest.approx([twin.value(one.w) for one in limited], rel=1e-12)
    assert (np.diff([one.value for one in limited]) <= 0.0).all()
    assert [one.converged for one in limited] == [False] * (free.n_iter - 1) + [True]
    np.testing.assert_array_equal(limited[-1].w, free.w)


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_bounds_the_distance_to_the_optimum_at_every_point(seed):
    problem = random_problem(seed, n_rows=80)
    objective = objective_of(problem.X, problem.y, problem.qid, 0.3)
    twin = squared_hinge(problem.X, problem.y, problem.qid, 0.3)
    peer = liblinear(twin)
    for point in [np.zeros(4), problem.w, 100 * problem.w, peer + 1e-3, 1.1 * peer]:
        evaluated = objective.at(point)
        assert evaluated.duality_gap >= evaluated.value - twin.value(peer) - 1e-9 * evaluated.value


@pytest.mark.parametrize("scale", [0.0, 1.0, 1e4])
def test_the_optimum_does_not_depend_on_the_start(scale):
    problem = random_problem(4, n_rows=100)
    cold = solve(problem.X, problem.y, problem.qid, 1.0, tol=1e-12)
    warm = solve(problem.X, problem.y, problem.qid, 1.0, tol=1e-12, start=scale * problem.w)
    assert warm.converged
    np.testing.assert_allclose(warm.w, cold.w, rtol=0, atol=1e-6 * np.abs(cold.w).max())


def test_a_start_at_the_optimum_stays_there():
    problem = random_problem(4, n_rows=100)
    cold = solve(problem.X, problem.y, problem.qid, 1.0, tol=1e-8)
    again = solve(problem.X, problem.y, problem.qid, 1.0, tol=1e-8, start=cold.w)
    assert again.converged
    assert again.n_iter <= 1
    assert again.value <= cold.value * (1 + 1e-15)


def test_separable_data_end_with_every_margin_near_one():
    """One feature that orders everything, C huge: w → 1 over the smallest difference of neighbouring labels."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    solution = solve(X, np.arange(4.0), None, C=1e6, tol=1e-12)
    # Pair (0, 1) alone is active: minimise ½w² + C(1 − w)², so w = 2C/(1 + 2C).
    assert solution.w[0] == pytest.approx(2e6 / (1 + 2e6), rel=1e-9)


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("n", [4, 50, 1000])
def test_separable_rows_on_a_large_scale_keep_their_precision(n, C):
    """Steps of 10⁶, only neighbours active: with K = C(n − 1), minimise ½w² + K(1 − 10⁶w)²: f = K/(1 + 2K·10¹²)."""
    X, y = 1e6 * np.arange(n)[:, None], np.arange(float(n))
    solution = solve(X, y, None, C, tol=1e-6)
    K = C * (n - 1)
    assert solution.value == pytest.approx(K / (1 + 2e12 * K), rel=1e-6, abs=0)
    assert solution.value == pytest.approx(squared_hinge(X, y, None, C).value(solution.w), rel=1e-9, abs=0)


def test_sparse_and_dense_rows_have_the_same_optimum():
    problem = random_problem(5, n_rows=120, n_features=12)
    X = np.where(np.random.default_rng(5).random(problem.X.shape) < 0.7, 0.0, problem.X)
    dense = solve(X, problem.y, problem.qid, 1.0, tol=1e-12)
    thin = solve(sparse.csr_matrix(X), problem.y, problem.qid, 1.0, tol=1e-12)
    np.testing.assert_allclose(thin.w, dense.w, rtol=0, atol=1e-8)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
def test_many_features_reach_the_optimum_of_liblinear(as_rows):
    problem = random_problem(6, n_rows=60, n_features=500, levels=4)
    twin = squared_hinge(problem.X, problem.y, problem.qid, 0.1)
    solution = solve(as_rows(problem.X), problem.y, problem.qid, 0.1)
    assert solution.converged
    assert solution.value == pytest.approx(twin.value(liblinear(twin)), rel=1e-7)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
def test_thousands_of_features_are_certified_by_weak_duality(as_rows):
    problem = random_problem(7, n_rows=60, n_features=2500)
    X = np.where(np.random.default_rng(7).random(problem.X.shape) < 0.9, 0.0, problem.X)
    twin = squared_hinge(X, problem.y, problem.qid, 1.0)
    solution = solve(as_rows(X), problem.y, problem.qid, 1.0, tol=1e-8)
    assert solution.converged
    assert twin.duality_gap(solution.w) <= 1.01e-8 * twin.value(solution.w)


@pytest.mark.parametrize("C", [1.0, 1e9])
def test_equal_columns_share_their_weight(C):
    """½‖w‖² is minimal if copies of a column have equal weights, even if the Hessian is numerically singular."""
    problem = random_problem(8, n_rows=80, n_features=3)
    X = np.column_stack([problem.X, problem.X[:, 0], np.zeros(80)])
    solution = solve(X, problem.y, problem.qid, C, tol=1e-6)
    assert solution.w[0] == pytest.approx(solution.w[3], rel=1e-4)
    assert solution.w[4] == 0.0
    assert solution.value == pytest.approx(squared_hinge(X, problem.y, problem.qid, C).value(solution.w), rel=1e-10)
