"""The minimum on a resample, followed from that on all queries, is that of the repeated rows."""

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.objectives import SquaredHingePairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.core.pairs.resampled_fit import TOLERANCE, ResampledFit
from tests.reference.elimination import fit_pairs
from tests.reference.pairs import SquaredHinge, comparable_pairs, pair_differences, random_problem

C = 0.02
# The estimate of the remaining distance, by the steps so far, is not a bound.
ALLOWED = 3 * TOLERANCE


def problem_of(n_queries=30):
    problem = random_problem(11, n_rows=12 * n_queries, n_features=5, n_queries=n_queries)
    groups = group_rows(problem.qid, len(problem.y))
    return problem, groups


def fit_of(problem, groups, row_weights=None, factor=C):
    weights = weigh_pairs("uniform", problem.y, groups, row_weights)
    objective = SquaredHingePairs(ComparedRows.of(problem.X, problem.y, groups, weights), factor)
    return ResampledFit.of(objective, np.zeros(problem.X.shape[1]), tol=1e-12, max_iter=200)


def repeated_minimum(problem, groups, counts, factor=C, row_weights=None):
    """Minimum over the listed pairs of the resample's rows; a query that was drawn twice is two queries."""
    draws = np.repeat(np.arange(len(counts)), counts)
    rows = np.concatenate([groups.rows(query) for query in draws])
    place = np.repeat(np.arange(len(draws)), groups.sizes[draws])
    own = None if row_weights is None else row_weights[rows]
    return fit_pairs(problem.X[rows], comparable_pairs(problem.y[rows], place), factor, own)


def draw(groups, seed):
    rng = np.random.default_rng(seed)
    return np.bincount(rng.integers(groups.n_queries, size=groups.n_queries), minlength=groups.n_queries)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_a_resample_has_the_weights_that_liblinear_finds_for_its_repeated_rows(weighted):
    problem, groups = problem_of()
    own = np.random.default_rng(0).choice([0.5, 1.0, 2.0], size=len(problem.y)) if weighted else None
    fit = fit_of(problem, groups, own)
    for seed in range(3):
        counts = draw(groups, seed)
        expected = repeated_minimum(problem, groups, counts, row_weights=own)
        away = np.linalg.norm(fit.resample(counts, C).w - expected)
        assert away <= ALLOWED * np.linalg.norm(expected - fit.w)


def test_a_part_of_a_resample_has_the_weights_of_its_own_repeated_rows():
    problem, groups = problem_of()
    fit, counts = fit_of(problem, groups), draw(groups, 5)
    whole, part = fit.resample(counts, C), np.where(np.arange(len(counts)) % 3 == 0, 0, counts)
    expected = repeated_minimum(problem, groups, part, 1.5 * C)
    away = np.linalg.norm(fit.resample_part(whole, counts, C, part, 1.5 * C) - expected)
    assert away <= ALLOWED * np.linalg.norm(expected - fit.w)


def test_a_resample_unlike_all_queries_is_minimised_instead():
    """One query 50 times: the Hessian of all queries is of no use, and the weights are exact."""
    problem, groups = problem_of(8)
    fit, counts = fit_of(problem, groups, factor=10.0), np.zeros(groups.n_queries, dtype=np.int64)
    counts[np.argmax(groups.sizes)] = 50
    found = fit.resample(counts, 10.0)
    expected = repeated_minimum(problem, groups, counts, 10.0)
    assert found.rate == 1.0
    np.testing.assert_allclose(found.w, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_all_queries_once_have_the_minimum_itself():
    problem, groups = problem_of()
    fit = fit_of(problem, groups)
    once = fit.resample(np.ones(groups.n_queries, dtype=np.int64), C)
    np.testing.assert_allclose(once.w, fit.w, rtol=0, atol=1e-6 * np.abs(fit.w).max())


def test_gradients_of_queries_are_those_of_their_listed_pairs():
    problem, groups = problem_of()
    objective = fit_of(problem, groups).objective
    w, queries = np.linspace(-1.0, 1.0, problem.X.shape[1]), np.array([4, 0, 2])
    for query, found in zip(queries, objective.query_gradients(w, queries), strict=True):
        rows = groups.rows(query)
        pairs = comparable_pairs(problem.y[rows])
        twin = SquaredHinge(pair_differences(problem.X[rows], pairs), 1.0)
        np.testing.assert_allclose(found, twin.gradient(w) - w, rtol=1e-10, atol=1e-10)


def test_the_hessian_of_an_earlier_point_is_refused_after_gradients_of_queries():
    problem, groups = problem_of()
    objective = fit_of(problem, groups).objective
    point = objective.at(np.zeros(problem.X.shape[1]))
    objective.query_gradients(np.ones(problem.X.shape[1]), np.array([0]))
    with pytest.raises(RuntimeError, match="last evaluated point"):
        point.hessian()
