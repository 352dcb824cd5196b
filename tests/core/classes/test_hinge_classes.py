"""The interior-point method for the hinge loss, against LIBSVM, arithmetic by hand and its own certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

from glassrank.core.classes.hinge_classes import hinge_bias, minimise_hinge_loss
from glassrank.core.classes.squared_hinge_classes import ClassRows
from tests.reference.class_objective import Classes, random_classes

RAW_SCALES = np.array([1e-3, 1.0, 1e3, 1e6, 20.0, 1e-2])


def solve(twin, tol=1e-9, max_iter=200, as_rows=np.asarray):
    rows = ClassRows.of(as_rows(twin.X), twin.signs, twin.weights)
    return minimise_hinge_loss(rows, tol=tol, max_iter=max_iter)


def libsvm(twin):
    peer = SVC(kernel="linear", C=1.0, tol=1e-9).fit(twin.X, twin.signs, sample_weight=twin.weights)
    return peer.coef_[0], peer.intercept_[0]


@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0])
def test_the_optimum_equals_that_of_libsvm(C, share):
    twin = random_classes(1, n_rows=150, C=C, share=share, weighted=True)
    solution, peer = solve(twin), libsvm(twin)
    assert solution.converged
    assert solution.value == pytest.approx(twin.hinge(solution.w, solution.intercept), rel=1e-11)
    assert solution.value == pytest.approx(twin.hinge(*peer), rel=1e-7)
    # The distance from w to the optimum is at most √(2 · gap), because the objective curves at least as much as ½‖w‖².
    assert np.linalg.norm(solution.w - peer[0]) <= 1e-5 + np.sqrt(2 * solution.duality_gap)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_lies_within_the_certified_gap(seed, as_rows):
    twin = random_classes(seed, n_rows=200, n_features=6, C=3.0)
    exact, rough = solve(twin, tol=1e-11), solve(twin, tol=1e-3, as_rows=as_rows)
    assert exact.converged
    assert 0.0 <= rough.duality_gap <= 1e-3 * rough.value
    assert rough.value - rough.duality_gap <= exact.value <= rough.value


@pytest.mark.parametrize("C", [1.0, 100.0, 1e9])
def test_separable_classes_get_the_widest_margin(C):
    """Rows at 0 and 4 are nearest: w = 2/4 and f(2) = 0, so that f is −1 and 1 there, and the value is w²/2."""
    twin = Classes(np.array([[-3.0], [0.0], [4.0], [9.0]]), np.array([-1.0, -1.0, 1.0, 1.0]), np.full(4, C))
    solution = solve(twin, tol=1e-10)
    assert solution.converged
    assert solution.w[0] == pytest.approx(0.5, abs=1e-5)
    assert solution.intercept == pytest.approx(-1.0, abs=1e-5)
    assert solution.value == pytest.approx(0.125, rel=1e-9)


def test_with_a_small_c_every_row_is_at_its_bound():
    """α = C for both rows: w = C · (1 − (−1)) = 2C, and a bias in the middle."""
    twin = Classes(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), np.full(2, 0.01))
    solution = solve(twin, tol=1e-10)
    assert solution.w[0] == pytest.approx(0.02, rel=1e-4)
    assert solution.intercept == pytest.approx(0.0, abs=1e-9)
    assert solution.value == pytest.approx(0.5 * 0.02**2 + 2 * 0.01 * 0.98, rel=1e-9)


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("seed", range(3))
def test_raw_scales_from_a_thousandth_to_a_million_converge(seed, C):
    raw = random_classes(seed, n_rows=120, n_features=6, C=C)
    solution = solve(Classes(raw.X * RAW_SCALES, raw.signs, raw.weights), tol=1e-6)
    assert solution.converged
    assert 0.0 <= solution.duality_gap <= 1e-6 * solution.value


@pytest.mark.parametrize(("n_rows", "n_features"), [(400, 3), (60, 60), (30, 90)])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e6])
def test_few_steps_are_enough_for_any_shape(n_rows, n_features, C):
    twin = random_classes(2, n_rows=n_rows, n_features=n_features, C=C)
    solution = solve(twin, tol=1e-8)
    assert solution.converged
    assert solution.n_iter <= 60


def test_a_weight_counts_as_repeated_rows():
    twin = random_classes(6, weighted=True)
    times = twin.weights.astype(int)
    repeated = Classes(np.repeat(twin.X, times, axis=0), np.repeat(twin.signs, times), np.ones(times.sum()))
    weighted, plain = solve(twin), solve(repeated)
    np.testing.assert_allclose(weighted.w, plain.w, rtol=0, atol=1e-7)
    assert weighted.intercept == pytest.approx(plain.intercept, abs=1e-7)


def test_stopping_at_the_maximum_of_steps_is_not_converged():
    twin = random_classes(3, n_rows=200, C=10.0)
    solution = solve(twin, max_iter=2)
    assert not solution.converged
    assert solution.n_iter == 2
    assert solution.duality_gap >= solution.value - solve(twin).value


def test_one_row_of_a_class_is_enough():
    twin = Classes(np.array([[0.0], [0.5], [2.0]]), np.array([-1.0, -1.0, 1.0]), np.full(3, 50.0))
    solution, peer = solve(twin), libsvm(twin)
    assert solution.value == pytest.approx(twin.hinge(*peer), rel=1e-7)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e3, 1e3), st.sampled_from([-1.0, 1.0]), st.integers(1, 9)), min_size=2, max_size=30
    ).filter(lambda rows: len({sign for _, sign, _ in rows}) == 2)
)
def test_no_other_bias_has_less_hinge_loss(rows):
    scores, signs, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    bias = hinge_bias(ClassRows.of(np.zeros((len(signs), 1)), signs, weights), scores)

    def loss(b):
        return np.sum(weights * np.maximum(0.0, 1.0 - signs * (scores + b)))

    # The loss is piecewise linear between these points, so one of them is a minimum.
    assert loss(bias) <= min(loss(point) for point in signs - scores) * (1 + 1e-12) + 1e-12
