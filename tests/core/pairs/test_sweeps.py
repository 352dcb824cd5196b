"""The pair sweeps, which do not list pairs, against twins that list them all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.optimize import approx_fprime
from sklearn.model_selection import StratifiedShuffleSplit

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.objectives import SquaredHingePairs
from tests.reference.pairs import (
    comparable_pairs,
    comparable_pairs_by_comparison,
    published_points,
    random_problem,
    squared_hinge,
)

SEEDS = range(8)


def objective_of(X, y, qid=None, C=1.0):
    return SquaredHingePairs(ComparedRows.of(X, np.asarray(y, dtype=float), group_rows(qid, len(y))), C)


def assert_equals_twin(X, y, qid, w, C=1.0, rtol=1e-11):
    """Compare every quantity at w; errors are relative to the size of the whole array."""
    dense = X.toarray() if sparse.issparse(X) else X
    twin = squared_hinge(dense, y, qid, C)
    objective = objective_of(X, y, qid, C)
    assert objective.n_features == X.shape[1]
    assert objective.n_pairs == len(twin.differences)
    direction = np.cos(np.arange(1, len(w) + 1))
    point = objective.at(w)
    hessian, product = point.hessian(), point.hessian_product(direction)
    np.testing.assert_array_equal(point.w, w)
    assert_close(point.value, twin.value(w), rtol)
    assert_close(point.gradient, twin.gradient(w), rtol, scale=gradient_scale(twin, w))
    assert_close(hessian, twin.hessian(w), rtol)
    assert_close(product, twin.hessian_product(w, direction), rtol)
    assert_close(point.duality_gap, twin.duality_gap(w), rtol, scale=gap_scale(twin, w))


def assert_close(actual, expected, rtol, scale=None):
    scale = np.max(np.abs(expected)) if scale is None else scale
    np.testing.assert_allclose(actual, expected, rtol=0, atol=rtol * max(scale, 1e-300))


def gradient_scale(twin, w):
    """Size of the gradient's terms before they cancel each other, as they do near the optimum."""
    return np.max(np.abs(w) + 2 * twin.C * np.abs(twin.differences).T @ twin.slack(w))


def gap_scale(twin, w):
    """Size of the terms of value and dual before they cancel."""
    alpha = 2 * twin.C * twin.slack(w)
    total = twin.differences.T @ alpha
    return twin.value(w) + alpha.sum() + np.sum(alpha**2) / (4 * twin.C) + 0.5 * total @ total


def test_both_twins_list_the_same_pairs():
    problem = random_problem(0)
    expected = comparable_pairs(problem.y, problem.qid)
    assert comparable_pairs_by_comparison(problem.y, problem.qid).tolist() == [list(pair) for pair in expected]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("levels", [2, 3, 5, 40, None])
def test_every_quantity_equals_the_listed_pairs(seed, levels):
    problem = random_problem(seed, levels=levels, n_rows=60 + 20 * seed)
    assert_equals_twin(problem.X, problem.y, problem.qid, problem.w, C=10.0 ** (seed - 4))


@pytest.mark.parametrize("levels", [2, 3, 5, 40, None])
@pytest.mark.parametrize("n_features", [1, 7])
def test_at_zero_the_loss_of_every_pair_is_c(levels, n_features):
    problem = random_problem(1, levels=levels, n_features=n_features)
    point = objective_of(problem.X, problem.y, problem.qid, C=0.25).at(np.zeros(n_features))
    assert point.value == pytest.approx(0.25 * len(comparable_pairs(problem.y, problem.qid)), rel=1e-14)


def test_two_documents_by_hand():
    """δ = (2, −1), w = (¼, ½), margin 0, slack 1, C = 3: f = 5/32 + 3, α = 6, D = 6 − 3 − ½·36·5 = −87."""
    point = objective_of(np.array([[2.0, 0.0], [0.0, 1.0]]), [1, 0], C=3.0).at(np.array([0.25, 0.5]))
    hessian, product = point.hessian(), point.hessian_product(np.array([1.0, 1.0]))
    assert point.value == pytest.approx(5 / 32 + 3)
    np.testing.assert_allclose(point.gradient, [0.25 - 12, 0.5 + 6])
    np.testing.assert_allclose(hessian, [[25, -12], [-12, 7]])
    np.testing.assert_allclose(product, [13, -5])
    assert point.duality_gap == pytest.approx(5 / 32 + 3 + 87)


def test_ties_in_label_form_no_pair():
    objective = objective_of(np.arange(6.0).reshape(3, 2), [2, 2, 2])
    assert objective.n_pairs == 0
    assert objective.at(np.ones(2)).value == 1.0


def test_rows_of_different_queries_form_no_pair():
    assert objective_of(np.eye(4), [0, 1, 2, 3], qid=[1, 2, 3, 4]).n_pairs == 0
    assert objective_of(np.eye(4), [0, 1, 2, 3], qid=["b", "a", "b", "a"]).n_pairs == 2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("levels", [3, 40])
def test_a_margin_of_exactly_one_is_not_active(seed, levels):
    """Whole-numbered scores: many pairs have margin 1, 0 and −1 exactly, and all sums are exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(90, 3)).astype(float)
    y = rng.integers(levels, size=90).astype(float)
    qid = rng.integers(7, size=90)
    w = rng.integers(-1, 2, size=3).astype(float)
    margins = squared_hinge(X, y, qid, 1.0).differences @ w
    assert np.any(margins == 1.0) or not w.any()
    assert_equals_twin(X, y, qid, w, rtol=1e-13)


whole = st.integers(-3, 3).map(float)


@st.composite
def small_problems(draw):
    n, d = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    return (
        draw(arrays(float, (n, d), elements=whole)),
        draw(arrays(float, n, elements=whole)),
        draw(arrays(int, n, elements=st.integers(0, 3))),
        draw(arrays(float, d, elements=whole)),
        draw(st.sampled_from([0.25, 1.0, 8.0])),
    )


@settings(deadline=None)
@given(small_problems())
def test_any_small_problem_equals_the_listed_pairs(problem):
    X, y, qid, w, C = problem
    assert_equals_twin(X, y, qid, w, C, rtol=1e-13)


@pytest.mark.parametrize("levels", [3, None])
def test_one_long_query_equals_the_listed_pairs(levels):
    problem = random_problem(3, n_rows=2000, n_features=3, n_queries=1, levels=levels)
    assert_equals_twin(problem.X, problem.y, None, problem.w, C=0.01, rtol=1e-10)


@pytest.mark.parametrize("levels", [4, None])
def test_more_features_than_rows(levels):
    problem = random_problem(5, n_rows=80, n_features=500, levels=levels)
    assert_equals_twin(problem.X, problem.y, problem.qid, problem.w / 20)


def test_only_the_order_of_labels_counts():
    problem = random_problem(6, levels=4)
    strange = np.array([-7.5, -0.25, 0.0, 1e9])[problem.y.astype(int)]
    plain = objective_of(problem.X, problem.y, problem.qid).at(problem.w)
    moved = objective_of(problem.X, strange, problem.qid).at(problem.w)
    assert moved.value == pytest.approx(plain.value, rel=1e-14)
    np.testing.assert_allclose(moved.gradient, plain.gradient, rtol=1e-12)
    assert_equals_twin(problem.X, strange, problem.qid, problem.w)


@pytest.mark.parametrize("levels", [3, 40, None])
@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_a_large_offset_of_the_features_does_not_reduce_accuracy(levels, offset):
    """Differences within a query are as exact as the rounded features themselves."""
    problem = random_problem(7, levels=levels)
    assert_equals_twin(problem.X + offset, problem.y, problem.qid, problem.w, rtol=1e-9)


def test_an_offset_of_each_query_does_not_reduce_accuracy():
    problem = random_problem(8)
    offsets = 1e6 * np.random.default_rng(0).normal(size=(5, problem.X.shape[1]))
    assert_equals_twin(problem.X + offsets[problem.qid], problem.y, problem.qid, problem.w, rtol=1e-9)


@pytest.mark.parametrize("far", [1e4, 1e7])
def test_an_outlier_does_not_reduce_accuracy(far):
    """It is first by label and by score, so none of its pairs is active: value and slope come from the others."""
    problem = random_problem(9, n_rows=40, n_features=1, n_queries=1)
    X, y, w = problem.X.copy(), problem.y.copy(), np.ones(1)
    X[7], y[7] = far, 9.0
    twin, point = squared_hinge(X, y, None, 1.0), objective_of(X, y).at(w)
    assert_close(point.value, twin.value(w), 1e-11)
    assert_close(point.gradient, twin.gradient(w), 1e-11)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("levels", [3, None])
def test_sparse_rows_equal_the_listed_pairs(seed, levels):
    problem = random_problem(seed, n_features=6, levels=levels)
    thinned = np.where(np.random.default_rng(seed).random(problem.X.shape) < 0.6, 0.0, problem.X)
    thinned[:, 2] = 0.0
    assert_equals_twin(sparse.csr_matrix(thinned), problem.y, problem.qid, problem.w)


@pytest.mark.parametrize("seed", SEEDS)
def test_gradient_and_hessian_are_the_slopes_of_value_and_gradient(seed):
    problem = random_problem(seed, n_rows=40)
    objective = objective_of(problem.X, problem.y, problem.qid, C=0.5)
    slope = approx_fprime(problem.w, lambda w: objective.at(w).value, 1e-7)
    gradient = objective.at(problem.w).gradient
    np.testing.assert_allclose(gradient, slope, rtol=0, atol=1e-4 * np.abs(slope).max())
    slope = approx_fprime(problem.w, lambda w: objective.at(w).gradient, 1e-8)
    np.testing.assert_allclose(objective.at(problem.w).hessian(), slope, rtol=0, atol=1e-5 * np.abs(slope).max())


def test_the_published_experiment_trains_on_154_pairs():
    X, y, blocks, generator = published_points()
    train, _ = next(StratifiedShuffleSplit(n_splits=10, test_size=0.5, random_state=generator).split(X, y))
    assert objective_of(X[train], y[train], blocks[train]).n_pairs == 154
