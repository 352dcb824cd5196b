"""Least squares over pairs: sums over documents against one row per pair."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.core.nodes.hidden_nodes import FullNodes
from glassrank.core.nodes.least_squares import (
    NormalEquations,
    kernel_coefficients,
    leave_query_out,
    normal_equations,
    scores,
    solve_positive,
)
from glassrank.core.nodes.pair_rows import WEIGHTINGS, pair_rows
from tests.reference.least_squares import (
    fit_by_pairs,
    fit_kernel_by_pairs,
    ordered_pairs,
    pair_objective,
    total_weight,
)
from tests.reference.pairs import random_problem

LEVELS = [2, 3, None]  # None: real-valued labels that all differ


def identity(n_features, dtype=np.float64):
    """Columns that are the features themselves."""
    return FullNodes("linear", np.eye(n_features, dtype=dtype), np.zeros(n_features, dtype=dtype))


def sum_up(problem, weighting, row_weights=None, **options):
    groups = group_rows(problem.qid, len(problem.y))
    pairs = pair_rows(weighting, problem.y, groups, row_weights)
    columns = identity(problem.X.shape[1], options.pop("dtype", np.float64))
    return normal_equations(columns, problem.X, problem.y, pairs, **options)


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_solution_is_that_of_least_squares_over_listed_pairs(weighting, levels):
    """Unsorted rows, duplicates, a query of one document and one whose labels are all equal."""
    problem = random_problem(1, levels=levels)
    for alpha in (1e-6, 1e-2, 10.0):
        expected = fit_by_pairs(problem.X, problem.y, problem.qid, alpha, weighting)
        np.testing.assert_allclose(sum_up(problem, weighting).solve(alpha), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_row_weights_multiply_the_weights_of_pairs(weighting):
    problem = random_problem(2)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], size=60)
    weights[problem.qid == 3] = 0.0
    expected = fit_by_pairs(problem.X, problem.y, problem.qid, 1e-2, weighting, weights)
    np.testing.assert_allclose(sum_up(problem, weighting, weights).solve(1e-2), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_objective_and_normaliser_are_those_of_the_listed_pairs(weighting):
    problem = random_problem(3)
    equations = sum_up(problem, weighting)
    assert equations.normaliser == pytest.approx(total_weight(problem.y, problem.qid, weighting), rel=1e-14)
    expected = pair_objective(problem.X, problem.y, problem.qid, problem.w, 0.1, weighting)
    assert equations.objective(problem.w, 0.1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_rows_have_the_squares_of_the_pairs(weighting, levels):
    problem = random_problem(4, levels=levels)
    pairs = pair_rows(weighting, problem.y, group_rows(problem.qid, 60))
    residual = np.random.default_rng(0).normal(size=60)
    listed = ordered_pairs(problem.y, problem.qid, weighting)
    expected = sum(weight * (residual[i] - residual[j]) ** 2 for i, j, weight in listed)
    rows = pairs.rows(residual[pairs.order][:, None]).ravel()
    assert 2.0 * rows @ rows == pytest.approx(expected, rel=1e-12)
    # ⟨u, R r⟩ = ⟨Rᵀ u, r⟩
    u = np.random.default_rng(1).normal(size=len(rows))
    assert pairs.transpose(u) @ residual[pairs.order] == pytest.approx(u @ rows, rel=1e-11)


@pytest.mark.parametrize("alpha", [1e-4, 0.3])
def test_one_query_is_ridge_regression_with_an_intercept_and_alpha_times_half_the_rows(alpha):
    problem = random_problem(5, n_rows=80, n_queries=1, levels=None)
    ridge = Ridge(alpha=alpha * 80 / 2, solver="svd").fit(problem.X, problem.y)
    np.testing.assert_allclose(sum_up(problem, "pairs").solve(alpha), ridge.coef_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_path_has_the_solution_of_each_alpha(weighting):
    equations = sum_up(random_problem(6), weighting)
    alphas = np.array([1e-7, 1e-3, 1.0, 100.0])
    for alpha, coef in zip(alphas, equations.path(alphas), strict=True):
        np.testing.assert_allclose(coef, equations.solve(alpha), rtol=0, atol=1e-11)


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("rows_per_block", [1, 2, 7, 25])
def test_blocks_of_any_size_give_the_same_equations(weighting, levels, rows_per_block):
    """This includes queries, and labels within them, that are longer than a block."""
    problem = random_problem(7, levels=levels)
    weights = np.random.default_rng(0).integers(0, 3, size=60).astype(float)
    whole = sum_up(problem, weighting, weights)
    parts = sum_up(problem, weighting, weights, block_bytes=rows_per_block * 8 * 5)
    np.testing.assert_allclose(parts.gram, whole.gram, rtol=0, atol=1e-12 * np.abs(whole.gram).max())
    np.testing.assert_allclose(parts.right, whole.right, rtol=0, atol=1e-12 * np.abs(whole.right).max())
    assert parts.target_square == pytest.approx(whole.target_square, rel=1e-12)


def test_a_large_common_offset_of_the_columns_does_not_reduce_precision():
    """Sums of raw squares would keep only 16 − 2·8 digits here."""
    problem = random_problem(8)
    shifted = sum_up(type(problem)(problem.X + 2.0**27, problem.y, problem.qid, problem.w), "pairs").solve(1e-3)
    rounded = (problem.X + 2.0**27) - 2.0**27
    expected = fit_by_pairs(rounded, problem.y, problem.qid, 1e-3)
    np.testing.assert_allclose(shifted, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_equations_of_different_queries_can_be_added(weighting):
    problem = random_problem(9)
    parts = [problem.qid < 2, problem.qid >= 2]
    halves = [type(problem)(problem.X[p], problem.y[p], problem.qid[p], problem.w) for p in parts]
    added = sum_up(halves[0], weighting) + sum_up(halves[1], weighting)
    np.testing.assert_allclose(added.solve(0.01), sum_up(problem, weighting).solve(0.01), rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_single_precision_columns_give_nearly_the_same_solution(weighting):
    problem = random_problem(10)
    single = sum_up(problem, weighting, dtype=np.float32, block_bytes=200)
    np.testing.assert_allclose(single.solve(0.01), sum_up(problem, weighting).solve(0.01), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("n_features", [3, 40])
def test_leaving_a_query_out_equals_fitting_without_it(weighting, n_features):
    """The penalty remains that of all queries; some queries have more documents than columns, some fewer."""
    problem = random_problem(11, n_features=n_features)
    pairs = pair_rows(weighting, problem.y, group_rows(problem.qid, 60))
    columns, alphas = identity(n_features), np.array([1e-3, 0.5])
    equations = normal_equations(columns, problem.X, problem.y, pairs)
    held_out = leave_query_out(equations, columns, problem.X, problem.y, pairs, alphas)
    Z = total_weight(problem.y, problem.qid, weighting)
    for alpha, found in zip(alphas, held_out, strict=True):
        for query in np.unique(problem.qid):
            out = problem.qid == query
            rest = problem.X[~out], problem.y[~out], problem.qid[~out]
            coef = fit_by_pairs(*rest, alpha, weighting, normaliser=Z)
            np.testing.assert_allclose(found[out], problem.X[out] @ coef, rtol=0, atol=1e-10)


def test_scores_are_the_columns_times_the_coefficients_in_blocks_of_any_size():
    problem = random_problem(12)
    coefs = np.random.default_rng(0).normal(size=(3, 4))
    found = scores(identity(4), problem.X, coefs, block_bytes=7 * 8 * 4)
    np.testing.assert_allclose(found, problem.X @ coefs.T, rtol=1e-13)


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_kernel_coefficients_minimise_over_listed_pairs(weighting, levels):
    problem = random_problem(13, levels=levels)
    # Rows are duplicated, so a ridge of 0.5 keeps the twin's Cholesky factor accurate.
    K = rbf_kernel(problem.X) + 0.5 * np.eye(60)
    expected = fit_kernel_by_pairs(K, problem.y, problem.qid, 0.01, weighting)
    pairs = pair_rows(weighting, problem.y, group_rows(problem.qid, 60))
    np.testing.assert_allclose(kernel_coefficients(K, problem.y, pairs, 0.01), expected, rtol=0, atol=1e-10)


def test_numerically_singular_equations_are_rejected_by_both_solvers():
    X = np.random.default_rng(0).normal(size=(30, 1)) @ np.ones((1, 3))
    problem = type(random_problem(0))(X, X[:, 0], np.zeros(30), np.zeros(3))
    equations = sum_up(problem, "pairs")
    for solve in (equations.solve, lambda alpha: equations.path(np.array([alpha]))):
        with pytest.raises(DataError, match=r"alpha 1e-18 is too small.*float64.*Raise alpha\."):
            solve(1e-18)
        assert np.isfinite(solve(1e-6)).all()


def test_single_precision_rejects_equations_that_double_precision_solves():
    problem = random_problem(14)
    X = np.column_stack([problem.X, problem.X[:, 0]])
    twice = type(problem)(X, problem.y, problem.qid, problem.w)
    assert np.isfinite(sum_up(twice, "pairs").solve(1e-9)).all()
    with pytest.raises(DataError, match=r"alpha 1e-09 is too small.*float32.*dtype='float64'"):
        sum_up(twice, "pairs", dtype=np.float32).solve(1e-9)


def test_an_indefinite_matrix_is_rejected():
    with pytest.raises(DataError, match="too small"):
        solve_positive(np.diag([1.0, -1.0]), np.ones(2), 0.1, np.dtype(np.float64))


def test_values_too_large_to_square_are_rejected():
    problem = random_problem(15)
    with pytest.raises(DataError, match="too large for float64"):
        sum_up(type(problem)(problem.X * 1e200, problem.y, problem.qid, problem.w), "pairs")
    with pytest.raises(DataError, match="too large for float64"):
        scores(identity(4), problem.X * 1e300, np.full((1, 4), 1e300))


def test_equations_without_pairs_have_the_solution_0():
    nothing = NormalEquations(np.zeros((2, 2)), np.zeros(2), 0.0, 0.0, np.dtype(np.float64))
    assert nothing.solve(1.0).tolist() == [0.0, 0.0]
    assert nothing.path(np.array([1.0])).tolist() == [[0.0, 0.0]]
    assert nothing.objective(np.array([1.0, 2.0]), 0.5) == 2.5
