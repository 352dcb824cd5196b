"""The squared hinge objective with the bias minimised out, against the objective in both and against LIBLINEAR."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from glassrank.core.classes.squared_hinge_classes import (
    ClassRows,
    SquaredHingeClasses,
    best_bias,
    minimise_squared_hinge,
)
from tests.reference.class_objective import Classes, random_classes

RAW_SCALES = np.array([1e-3, 1.0, 1e3, 1e6, 20.0, 1e-2])


def rows_of(twin, as_rows=np.asarray):
    return ClassRows.of(as_rows(twin.X), twin.signs, twin.weights)


def solve(twin, tol=1e-10, max_iter=200, as_rows=np.asarray):
    return minimise_squared_hinge(rows_of(twin, as_rows), tol=tol, max_iter=max_iter)


def liblinear(twin):
    """LinearSVC penalises the bias divided by intercept_scaling squared, which is negligible if that is large."""
    peer = LinearSVC(dual=False, C=1.0, intercept_scaling=1e4, tol=1e-12, max_iter=100_000)
    peer.fit(twin.X, twin.signs, sample_weight=twin.weights)
    return peer.coef_[0], peer.intercept_[0]


def duality_gap(twin, w, b):
    """Weak duality at α = 2 · weight · slack, made feasible by scaling the class with the larger sum down."""
    alpha = 2.0 * twin.weights * twin.slack(w, b)
    totals = np.where(twin.signs > 0, alpha[twin.signs > 0].sum(), alpha[twin.signs < 0].sum())
    return twin.squared_hinge(w, b) - twin.dual_of_squared_hinge(alpha * totals.min() / totals)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("seed", range(5))
def test_the_value_is_the_minimum_over_all_biases(seed, as_rows):
    twin = random_classes(seed, weighted=True)
    w = np.random.default_rng(seed).normal(size=4)
    point = SquaredHingeClasses(rows_of(twin, as_rows)).at(w)
    values = [twin.squared_hinge(w, b) for b in np.linspace(-10, 10, 4001)]
    assert point.value <= min(values)
    assert point.value == pytest.approx(min(values), rel=1e-4)
    assert abs(twin.squared_hinge_gradient(w, point.bias - w @ rows_of(twin, as_rows).centre)[-1]) < 1e-9


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scale", [0.0, 0.1, 1.0, 10.0])
def test_gradient_and_hessian_are_those_with_the_bias_eliminated(scale, as_rows):
    twin = random_classes(3, n_rows=200, C=0.3, weighted=True)
    w = scale * np.random.default_rng(3).normal(size=4)
    rows = rows_of(twin, as_rows)
    point = SquaredHingeClasses(rows).at(w)
    bias = point.bias - w @ rows.centre
    np.testing.assert_allclose(point.gradient, twin.squared_hinge_gradient(w, bias)[:-1], rtol=1e-9, atol=1e-9)
    joint = twin.squared_hinge_hessian(w, bias)
    # The Schur complement eliminates the bias from the joint Hessian.
    expected = joint[:-1, :-1] - np.outer(joint[:-1, -1], joint[-1, :-1]) / joint[-1, -1]
    np.testing.assert_allclose(point.hessian(), expected, rtol=1e-9, atol=1e-9)
    v = np.random.default_rng(4).normal(size=4)
    np.testing.assert_allclose(point.hessian_product(v), expected @ v, rtol=1e-9, atol=1e-9)


def test_without_slack_only_the_penalty_remains():
    rows = ClassRows.of(np.array([[-3.0], [3.0]]), np.array([-1.0, 1.0]), np.ones(2))
    point = SquaredHingeClasses(rows).at(np.array([2.0]))
    assert point.value == 2.0
    assert point.gradient.tolist() == [2.0]
    assert point.hessian().tolist() == [[1.0]]
    assert point.hessian_product(np.array([5.0])).tolist() == [5.0]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e3, 1e3), st.sampled_from([-1.0, 1.0]), st.floats(1e-3, 1e3)), min_size=2, max_size=30
    )
)
def test_no_other_bias_has_less_loss(rows):
    scores, signs, weights = (np.array(column) for column in zip(*rows, strict=True))
    bias = best_bias(ClassRows.of(np.zeros((len(signs), 1)), signs, weights), scores)

    def loss(b):
        return np.sum(weights * np.maximum(0.0, 1.0 - signs * (scores + b)) ** 2)

    turning_points = signs - scores
    others = [*turning_points, bias + 1e-3, bias - 1e-3, (turning_points.min() + turning_points.max()) / 2]
    assert loss(bias) <= min(loss(other) for other in others) * (1 + 1e-12) + 1e-18


@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 30.0, 1e3])
def test_the_optimum_equals_that_of_liblinear(C, share):
    twin = random_classes(1, n_rows=150, C=C, share=share)
    solution, peer = solve(twin), liblinear(twin)
    assert solution.converged
    assert solution.value == pytest.approx(twin.squared_hinge(solution.w, solution.intercept), rel=1e-11)
    assert solution.value == pytest.approx(twin.squared_hinge(*peer), rel=1e-7)
    assert solution.value <= twin.squared_hinge(*peer) * (1 + 1e-10)
    np.testing.assert_allclose(np.append(solution.w, solution.intercept), np.append(*peer), rtol=0, atol=1e-4)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_equals_that_of_a_trust_region_over_weights_and_bias(seed, C):
    twin = random_classes(seed, n_rows=120, n_features=6, C=C, weighted=True)
    solution = solve(twin, tol=1e-12)
    w, b = twin.best()
    assert solution.value == pytest.approx(twin.squared_hinge(w, b), rel=1e-9)
    np.testing.assert_allclose(solution.w, w, rtol=0, atol=1e-6)
    assert solution.intercept == pytest.approx(b, abs=1e-6)


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(3))
def test_raw_scales_from_a_thousandth_to_a_million_are_certified_by_weak_duality(seed, C):
    raw = random_classes(seed, n_rows=120, n_features=6, C=C)
    twin = Classes(raw.X * RAW_SCALES, raw.signs, raw.weights)
    solution = solve(twin, tol=1e-7)
    assert solution.converged
    assert duality_gap(twin, solution.w, solution.intercept) <= 1.01e-7 * solution.value


def test_a_large_common_offset_does_not_reduce_precision():
    raw = random_classes(5, n_rows=200)
    # On a grid of 1/1024 the sums are exact.
    twin = Classes(np.round(raw.X * 1024) / 1024, raw.signs, raw.weights)
    moved = Classes(twin.X + np.array([0.0, 2.0**31, 0.0, -(2.0**20)]), twin.signs, twin.weights)
    plain, far = solve(twin, tol=1e-12), solve(moved, tol=1e-12)
    assert far.value == pytest.approx(plain.value, rel=1e-12)
    np.testing.assert_allclose(far.w, plain.w, rtol=0, atol=1e-10)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_an_early_stop_reports_a_gap_no_smaller_than_the_distance_to_the_optimum(max_iter):
    twin = random_classes(3, n_rows=100, C=100.0)
    optimum = twin.squared_hinge(*twin.best())
    solution = solve(twin, tol=1e-14, max_iter=max_iter)
    assert not solution.converged
    assert solution.n_iter == max_iter
    assert solution.duality_gap >= (solution.value - optimum) * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_bounds_the_distance_to_the_optimum_at_every_point(seed):
    twin = random_classes(seed, C=0.3)
    w, b = twin.best()
    optimum = twin.squared_hinge(w, b)
    objective = SquaredHingeClasses(rows_of(twin))
    for point in [np.zeros(4), w + 1e-3, 1.1 * w, -w, 100 * w]:
        evaluated = objective.at(point)
        assert evaluated.duality_gap >= (evaluated.value - optimum) * (1 - 1e-9)


def test_a_weight_counts_as_repeated_rows():
    twin = random_classes(6, weighted=True)
    times = twin.weights.astype(int)
    repeated = Classes(np.repeat(twin.X, times, axis=0), np.repeat(twin.signs, times), np.ones(times.sum()))
    weighted, plain = solve(twin), solve(repeated)
    np.testing.assert_allclose(weighted.w, plain.w, rtol=0, atol=1e-10)
    assert weighted.intercept == pytest.approx(plain.intercept, abs=1e-10)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
def test_thousands_of_features_are_certified_by_weak_duality(as_rows):
    twin = random_classes(7, n_rows=60, n_features=2500)
    X = np.where(np.random.default_rng(7).random(twin.X.shape) < 0.9, 0.0, twin.X)
    twin = Classes(X, twin.signs, twin.weights)
    solution = solve(twin, tol=1e-8, as_rows=as_rows)
    assert solution.converged
    assert duality_gap(twin, solution.w, solution.intercept) <= 1.01e-8 * solution.value


def test_rows_in_several_blocks_have_the_same_hessian():
    twin = random_classes(8, n_rows=9_000, n_features=60)
    rows = rows_of(twin)
    point = SquaredHingeClasses(rows).at(np.zeros(60))
    joint = twin.squared_hinge_hessian(np.zeros(60), point.bias)
    expected = joint[:-1, :-1] - np.outer(joint[:-1, -1], joint[-1, :-1]) / joint[-1, -1]
    np.testing.assert_allclose(point.hessian(), expected, rtol=1e-9, atol=1e-8)


def test_a_constant_feature_gets_no_weight():
    twin = random_classes(9)
    constant = Classes(np.column_stack([twin.X, np.full(80, 7.0)]), twin.signs, twin.weights)
    solution = solve(constant)
    assert solution.w[-1] == 0.0
    np.testing.assert_allclose(solution.w[:-1], solve(twin).w, rtol=0, atol=1e-9)
