"""The sphere's solver: optimality, feasibility, the duality gap and the interval of the radius."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import OneClassSVM

from glassrank.core.checks import DataError
from glassrank.core.sphere.smallest_sphere import accepted_up_to, fit_sphere, squared_distances
from tests.reference.sphere import (
    best_weights,
    composite,
    cosines,
    distances,
    dual_value,
    primal_value,
    radius_interval,
    shifted_kernel,
)

KERNELS = {"composite": composite, "cosines": cosines}


def one_class_weights(K, nu, tol=1e-12):
    """Weights of scikit-learn's one-class SVM, scaled to the sum 1."""
    model = OneClassSVM(kernel="precomputed", nu=nu, tol=tol, cache_size=500).fit(K)
    alpha = np.zeros(len(K))
    alpha[model.support_] = model.dual_coef_[0]
    return alpha / alpha.sum()


def value_of(K, alpha):
    return alpha @ np.diag(K) - alpha @ K @ alpha


@pytest.mark.parametrize("C", [1 / 6, 0.2, 0.25, 0.4, 0.5, 0.9, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_dual_value_is_the_maximum_over_all_faces(seed, C):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(6, [1, 2, 3, 8][seed]))
    K = rows @ rows.T
    alpha, value = best_weights(K, C)
    sphere = fit_sphere(K, C)
    assert sphere.objective == pytest.approx(value, rel=1e-10, abs=1e-10)
    assert sphere.objective == pytest.approx(dual_value(K, sphere.alpha), rel=1e-12)
    np.testing.assert_allclose(sphere.squared_distances, distances(K, alpha), atol=1e-4)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n", [150, 2000])
def test_the_sphere_equals_a_one_class_svm_on_the_shifted_kernel(n, kernel, nu):
    K = KERNELS[kernel](n, 3)
    # scikit-learn's tolerance refers to weights that sum to nu·N, so further digits would be rounding.
    peer = one_class_weights(shifted_kernel(K), nu, tol=1e-9)
    sphere = fit_sphere(K, 1 / (nu * n))
    assert sphere.objective == pytest.approx(value_of(K, peer), rel=1e-10)
    assert np.abs(sphere.alpha - peer).max() < 1e-3 * sphere.C


@pytest.mark.parametrize("nu", [0.1, 0.4])
def test_on_a_kernel_without_constant_diagonal_a_one_class_svm_differs(nu):
    K = composite(300, 0)
    sphere = fit_sphere(K, 1 / (nu * 300))
    wrong = one_class_weights(K, nu)
    assert value_of(K, wrong) < 0.9 * sphere.objective


def test_on_a_constant_diagonal_a_one_class_svm_is_the_same():
    K = cosines(300, 0)
    assert value_of(K, one_class_weights(K, 0.2)) == pytest.approx(fit_sphere(K, 1 / 60).objective, rel=1e-10)


@st.composite
def problems(draw):
    n, rank = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(st.integers(-5, 5), min_size=rank, max_size=rank), min_size=n, max_size=n))
    rows = np.array(rows, dtype=float)
    nu = draw(st.sampled_from([0.05, 0.2, 0.5, 0.77, 1.0]))
    return rows @ rows.T * draw(st.sampled_from([1e-6, 1.0, 1e5])), 1 / (nu * n)


@given(problems())
@settings(max_examples=150, deadline=None)
def test_weights_are_feasible_optimal_and_their_gap_is_certified(problem):
    K, C = problem
    sphere = fit_sphere(K, C)
    scale = max(K.diagonal().max(), 1e-300)
    assert sphere.alpha.sum() == pytest.approx(1.0, abs=1e-12)
    assert (sphere.alpha >= 0).all()
    assert (sphere.alpha <= sphere.C).all()
    squared = np.array(distances(K, sphere.alpha))
    np.testing.assert_allclose(sphere.squared_distances, np.maximum(squared, 0), atol=1e-12 * scale)
    # Karush–Kuhn–Tucker: pages whose weight may increase are no farther out than those whose weight may decrease.
    rise, fall = squared[sphere.alpha < sphere.C], squared[sphere.alpha > 0]
    assert rise.max(initial=-np.inf) - fall.min() <= 1e-4 * scale
    gap = primal_value(squared, sphere.C) - dual_value(K, sphere.alpha)
    assert gap == pytest.approx(sphere.gap, abs=1e-12 * scale)
    assert sphere.converged
    assert sphere.gap <= 1e-10 * sphere.objective + 1e-13 * scale


@given(problems(), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_moving_the_origin_of_the_space_changes_no_sphere(problem, seed):
    K, C = problem
    shift = np.random.default_rng(seed).random(len(K)) * K.diagonal().max()
    # Products about another origin: ⟨x − a, y − a⟩ = ⟨x, y⟩ − ⟨x, a⟩ − ⟨a, y⟩ + ⟨a, a⟩; the dual sees differences only.
    moved = K + shift[:, None] + shift
    first, second = fit_sphere(K, C), fit_sphere(moved, C)
    assert first.objective == pytest.approx(second.objective, rel=1e-9, abs=1e-11 * max(1, moved.max()))


@pytest.mark.parametrize("steps", [1, 5, 10, 20])
def test_a_stopped_search_is_reported_and_its_gap_bounds_the_error(steps):
    K = composite(200, 1)
    stopped, full = fit_sphere(K, 0.05, max_iter=steps), fit_sphere(K, 0.05)
    assert not stopped.converged
    assert stopped.iterations <= steps
    assert 0 < full.objective - stopped.objective <= stopped.gap


def test_c_below_one_over_n_is_rejected_with_a_remedy():
    with pytest.raises(DataError, match=r"C must be at least 1/N = 0\.25 for N = 4 pages: got 0\.2.*set nu instead"):
        fit_sphere(np.eye(4), 0.2)


@pytest.mark.parametrize("n", [1, 3, 7, 10, 1700])
def test_at_c_of_one_over_n_the_centre_is_the_mean_and_the_interval_begins_at_zero(n):
    rows = np.random.default_rng(n).normal(size=(n, 3))
    sphere = fit_sphere(rows @ rows.T, 1 / n)
    np.testing.assert_array_equal(sphere.alpha, np.full(n, 1 / n))
    squared = ((rows - rows.mean(axis=0)) ** 2).sum(axis=1)
    np.testing.assert_allclose(sphere.squared_distances, squared, atol=1e-12)
    assert sphere.radius_interval == (0.0, pytest.approx(np.sqrt(squared.min()), abs=1e-6))
    assert sphere.squared_radius == pytest.approx(squared.min() / 2, abs=1e-12)


@pytest.mark.parametrize("C", [1.0, 2.5, 1e6])
def test_from_c_of_one_on_no_page_lies_outside(C):
    K = composite(120, 4)
    sphere = fit_sphere(K, C)
    limit = accepted_up_to(sphere.squared_radius, K.diagonal().max())
    assert (sphere.squared_distances <= limit).all()
    assert sphere.objective == pytest.approx(sphere.squared_radius, rel=1e-8)


def test_the_hard_sphere_of_a_right_triangle_has_the_hypotenuse_as_diameter():
    rows = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    sphere = fit_sphere(rows @ rows.T, 1.0)
    assert sphere.radius == pytest.approx(2.5, abs=1e-9)
    np.testing.assert_allclose(sphere.alpha @ rows, [1.5, 2.0], atol=1e-6)


def test_without_a_page_on_the_sphere_the_radius_is_in_the_middle_of_its_interval():
    # Two far pages have all the weight, C = 1/2 each; every radius between inner and outer pages is optimal.
    rows = np.array([[-3.0], [3.0], [-1.0], [0.5]])
    K = rows @ rows.T
    sphere = fit_sphere(K, 0.5)
    low, high = radius_interval(K, [0.5, 0.5, 0.0, 0.0], 0.5)
    assert (low, high) == (1.0, 9.0)
    assert sphere.radius_interval == (pytest.approx(1.0), pytest.approx(3.0))
    assert sphere.squared_radius == pytest.approx(5.0)
    assert not sphere.radius_is_certain


def test_a_page_on_the_sphere_makes_the_radius_certain():
    K = composite(200, 2)
    sphere = fit_sphere(K, 1 / 20)
    assert sphere.radius_is_certain
    least, greatest = radius_interval(K, sphere.alpha, sphere.C)
    assert least - 1e-8 <= sphere.squared_radius <= greatest + 1e-8


@pytest.mark.parametrize("value", [0.0, 1.0, 1e8])
@pytest.mark.parametrize("C", [0.2, 0.5, 1.0])
def test_identical_pages_have_a_sphere_of_radius_zero(value, C):
    sphere = fit_sphere(np.full((5, 5), value), C)
    assert sphere.radius == pytest.approx(0.0, abs=1e-6 * np.sqrt(value))
    assert sphere.converged
    assert (sphere.squared_distances <= accepted_up_to(sphere.squared_radius, value)).all()


def test_one_page_is_its_own_sphere():
    sphere = fit_sphere(np.array([[2.0]]), 1.0)
    assert sphere.alpha.tolist() == [1.0]
    assert sphere.radius == 0.0


def test_two_fits_are_bitwise_equal():
    K = cosines(1800, 5)
    first, second = fit_sphere(K, 1 / 180), fit_sphere(K.copy(), 1 / 180)
    np.testing.assert_array_equal(first.alpha, second.alpha)
    assert first.squared_radius == second.squared_radius


def test_the_gram_matrix_is_not_changed():
    K = composite(50, 0)
    before = K.copy()
    fit_sphere(K, 0.1)
    np.testing.assert_array_equal(K, before)


def test_distances_of_new_pages_are_those_from_the_centre():
    rng = np.random.default_rng(0)
    rows, new = rng.normal(size=(40, 3)), rng.normal(size=(7, 3))
    sphere = fit_sphere(rows @ rows.T, 0.1)
    found = squared_distances(new @ rows.T, (new**2).sum(axis=1), sphere.alpha, sphere.squared_centre)
    np.testing.assert_allclose(found, ((new - sphere.alpha @ rows) ** 2).sum(axis=1), rtol=1e-10)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), r"K must be square, one row and one column per page: got shape \(2, 3\)"),
        (np.ones((0, 0)), r"K must be square"),
        (np.array([[1.0, 0.5], [0.2, 1.0]]), r"K must be symmetric: K\[0, 1\] is 0.5 and K\[1, 0\] is 0.2"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), r"K must contain finite numbers: got nan at row 0, column 1"),
        (np.array([[np.inf, 0.0], [0.0, 1.0]]), r"K must have a diagonal of finite numbers ≥ 0: got inf for page 0"),
        (np.array([[1.0, 0.0], [0.0, -1.0]]), r"K must have a diagonal of finite numbers ≥ 0: got -1.0 for page 1"),
        (
            np.array([[1.0, 3.0], [3.0, 1.0]]),
            r"K must be positive semidefinite: the squared distance of page [01] from",
        ),
    ],
    ids=["not-square", "empty", "not-symmetric", "not-a-number", "infinite", "negative", "indefinite"],
)
def test_a_matrix_that_is_not_a_gram_matrix_is_rejected(K, message):
    with pytest.raises(DataError, match=message):
        fit_sphere(K, 1.0)
