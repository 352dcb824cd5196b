"""A minimum updated while columns are removed equals the minimum found from zero."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import minimise
from glassrank.core.pairs.objectives import LogisticPairs, SquaredHingePairs
from glassrank.core.pairs.shrinking_fit import ShrinkingFit
from tests.reference.elimination import fit_pairs
from tests.reference.pairs import comparable_pairs, random_problem

LOSSES = {"squared hinge": SquaredHingePairs, "logistic": LogisticPairs}


def objective(loss, X, problem, C):
    groups = group_rows(problem.qid, len(problem.y))
    return LOSSES[loss](ComparedRows.of(X, problem.y, groups), C)


def drop_all(fit, order, check):
    for column in order:
        fit.drop(np.array([column]))
        check(fit)


@pytest.mark.parametrize("C", [1e-4, 1e-2, 10.0])
def test_every_subset_has_the_weights_that_liblinear_finds_from_zero(C):
    problem = random_problem(3, n_rows=150, n_features=8, n_queries=9)
    pairs = comparable_pairs(problem.y, problem.qid)

    def check(fit):
        expected = fit_pairs(problem.X[:, fit.kept], pairs, C)
        np.testing.assert_allclose(fit.w, expected, rtol=0, atol=1e-6 * np.abs(expected).max())

    fit = ShrinkingFit(objective("squared hinge", problem.X, problem, C))
    check(fit)
    drop_all(fit, [3, 0, 7, 1, 6, 5, 4], check)
    assert fit.kept.tolist() == [2]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1.0, 1e4], ids=["even scales", "one feature 1e4 times wider"])
def test_every_subset_has_the_weights_that_newtons_method_finds_from_zero(loss, scale):
    problem = random_problem(5, n_rows=200, n_features=10, n_queries=12)
    X = problem.X * np.where(np.arange(10) == 4, scale, 1.0)

    def check(fit):
        cold = minimise(objective(loss, X[:, fit.kept], problem, 0.1), np.zeros(len(fit.kept)), tol=1e-15, max_iter=200)
        width = np.ptp(X[:, fit.kept], axis=0)
        np.testing.assert_allclose(fit.w * width, cold.w * width, rtol=0, atol=1e-6 * np.abs(cold.w * width).max())
        assert fit.converged

    drop_all(ShrinkingFit(objective(loss, X, problem, 0.1)), [9, 2, 5, 0, 1, 8, 3, 7], check)


def test_sparse_rows_give_the_weights_of_dense_ones():
    problem = random_problem(7, n_rows=120, n_features=6, n_queries=6)
    X = np.where(np.abs(problem.X) > 0.8, problem.X, 0.0)
    dense, thin = (ShrinkingFit(objective("squared hinge", rows, problem, 0.1)) for rows in (X, sparse.csr_matrix(X)))
    for columns in ([5], [0, 2], [4]):
        dense.drop(np.array(columns))
        thin.drop(np.array(columns))
        np.testing.assert_allclose(thin.w, dense.w, rtol=1e-6)


def test_the_kept_columns_are_found_in_the_matrix_before_and_after_it_is_copied():
    problem = random_problem(9, n_rows=80, n_features=8, n_queries=4)
    fit = ShrinkingFit(objective("squared hinge", problem.X, problem, 1.0))
    by_query = problem.X[group_rows(problem.qid, 80).order]
    widths = []
    for column in (1, 6, 3, 0):
        fit.drop(np.array([column]))
        np.testing.assert_array_equal(fit.rows[:, fit.places], by_query[:, fit.kept])
        widths.append(fit.rows.shape[1])
    assert widths[0] == 8
    assert widths[-1] < 8


def test_one_hessian_serves_many_subsets_while_all_pairs_have_slack():
    """With a tiny C every pair has slack, so the Hessian does not change and its submatrices are exact."""
    problem = random_problem(11, n_rows=150, n_features=8, n_queries=9)
    fit = ShrinkingFit(objective("squared hinge", problem.X, problem, 1e-9))
    drop_all(fit, range(7), lambda _: None)
    assert fit.n_hessians == 1


def test_all_columns_can_be_removed():
    problem = random_problem(13, n_rows=40, n_features=3, n_queries=3)
    fit = ShrinkingFit(objective("squared hinge", problem.X, problem, 1.0))
    fit.drop(np.arange(3))
    assert (fit.w.tolist(), fit.kept.tolist()) == ([], [])
