"""Linear approximation of one-dimensional Gaussians, against exact Gaussians at values not used by the code."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from glassrank.core.additive.gaussian_columns import gaussian_columns
from glassrank.core.checks import DataError
from tests.reference.lrbf import gaussian

SPANS = [0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 400.0]
RANGES = [(0.0, 1.0), (-5.0, 10.0), (1000.0, 2.0), (-1e6, 0.01)]
TOLERANCES = [1e-6, 1e-10]


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """Use one BLAS thread: the products are small, and waiting for a second thread is slow on a busy machine."""
    with threadpool_limits(1, user_api="blas"):
        yield


def values_between(low, width, n=400):
    """Random values of the range, with both of its ends."""
    return low + width * np.concatenate([np.random.default_rng(0).random(n), [0.0, 1.0]])


def largest_error(columns, gamma, x, z):
    return np.abs(columns(x) @ columns(z).T - gaussian(x, z, gamma)).max()


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize(("low", "width"), RANGES)
def test_products_of_columns_equal_the_gaussian_on_the_range(span, low, width, tolerance):
    gamma = span / width**2
    columns = gaussian_columns(gamma, low, low + width, tolerance)
    x = values_between(low, width)
    assert largest_error(columns, gamma, x, x) <= tolerance


@pytest.mark.parametrize("span", [1e3, 5e3, 2e4])
def test_a_wide_range_keeps_the_tolerance(span):
    """γ = 1/(2s²) on a range of 200 standard deviations is γR² = 2·10⁴: a feature with one far document."""
    columns = gaussian_columns(span, 0.0, 1.0)
    x = values_between(0.0, 1.0)
    assert largest_error(columns, span, x, x) <= 1e-10


@pytest.mark.parametrize("span", [1e-14, 1e-8, 1e-3])
def test_a_nearly_constant_gaussian_needs_very_few_columns(span):
    columns = gaussian_columns(span, 0.0, 1.0)
    x = values_between(0.0, 1.0)
    assert columns.n_columns <= 4
    assert largest_error(columns, span, x, x) <= 1e-10


def fewest_columns(span, tolerance):
    """Count the eigenvectors of the Gaussian on a fine grid that are needed to reach the tolerance."""
    grid = np.linspace(0, 1, 601)
    exact = gaussian(grid, grid, span)
    values, vectors = np.linalg.eigh(exact)
    scaled = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]
    return next(n for n in range(1, 601) if np.abs(scaled[:, :n] @ scaled[:, :n].T - exact).max() <= tolerance)


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("span", [0.5, 1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 400.0])
def test_at_most_one_column_more_than_the_spectrum_needs(span, tolerance):
    assert gaussian_columns(span, 0.0, 1.0, tolerance).n_columns <= fewest_columns(span, tolerance) + 1


@pytest.mark.parametrize(
    ("span", "known"), [(0.5, 7), (1.0, 8), (5.0, 12), (10.0, 14), (25.0, 20), (50.0, 26), (100.0, 35)]
)
def test_the_number_of_columns_is_the_known_one_within_one(span, known):
    assert abs(gaussian_columns(span, 0.0, 1.0).n_columns - known) <= 1


@pytest.mark.parametrize("span", [0.1, 1.0, 10.0, 100.0, 400.0])
@pytest.mark.parametrize("beyond", [0.001, 0.03, 0.1, 0.3, 1.0, 3.0, 100.0])
def test_outside_the_range_the_columns_follow_the_gaussian(span, beyond):
    """The error of a value inside has a norm of at most √(tolerance/2), and that of one outside of at most 1."""
    columns = gaussian_columns(span, 0.0, 1.0)
    inside, outside = values_between(0.0, 1.0), np.array([-beyond, 1 + beyond])
    assert largest_error(columns, span, outside, inside) <= np.sqrt(1e-10 / 2)


def test_far_outside_the_range_the_columns_are_zero():
    columns = gaussian_columns(1.0, 0.0, 1.0)
    np.testing.assert_array_equal(columns(np.array([-1e3, 1e3, 1e150])), 0.0)


@pytest.mark.parametrize("span", [0.01, 1.0, 25.0, 400.0])
def test_a_smaller_tolerance_needs_more_columns(span):
    counts = [gaussian_columns(span, 0.0, 1.0, tolerance).n_columns for tolerance in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10]]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_a_gaussian_too_narrow_for_its_range_is_rejected_with_a_remedy():
    message = r"γ = 1 .* range 1e\+04 .*\d+ nodes.*Clip or transform the feature .*, or use a smaller gamma"
    with pytest.raises(DataError, match=message):
        gaussian_columns(1.0, 0.0, 1e4)


def test_columns_are_reproducible():
    x = values_between(0.0, 3.0)
    np.testing.assert_array_equal(gaussian_columns(2.0, 0.0, 3.0)(x), gaussian_columns(2.0, 0.0, 3.0)(x))
