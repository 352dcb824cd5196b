"""Linear approximation of the odd part of the LRBF kernel, against the exact kernel at other differences."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from glassrank.core.additive import feature_map
from glassrank.core.additive.gaussian_columns import gaussian_columns
from glassrank.core.additive.odd_gaussian_columns import OddCurve, difference_scores, odd_gaussian_columns, odd_map
from glassrank.core.checks import DataError
from tests.reference.differences import odd_kernel

SPANS = [1e-8, 0.01, 0.1, 0.5, 1.0, 5.0, 25.0, 100.0, 400.0, 2e3, 1e4]


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """Use one BLAS thread: the products are small, and waiting for a second thread is slow on a busy machine."""
    with threadpool_limits(1, user_api="blas"):
        yield


def differences(reach, n=400):
    """Random differences in [−reach, reach], with both ends and 0."""
    return reach * np.concatenate([2 * np.random.default_rng(0).random(n) - 1, [-1.0, 0.0, 1.0]])


@pytest.mark.parametrize("reach", [1e-3, 1.0, 5e4])
@pytest.mark.parametrize("span", SPANS)
def test_products_of_columns_equal_the_odd_kernel_on_the_range(span, reach):
    gamma = span / (2 * reach) ** 2
    columns, delta = odd_gaussian_columns(gamma, reach), differences(reach)
    exact = odd_kernel(delta[:, None], delta[:, None], [gamma])
    assert np.abs(columns(delta) @ columns(delta).T - exact).max() <= 1e-10


@pytest.mark.parametrize("span", SPANS)
def test_half_of_the_gaussians_columns_are_enough(span):
    both = gaussian_columns(span, -0.5, 0.5).n_columns
    assert odd_gaussian_columns(span, 0.5).n_columns <= both / 2 + 1


@pytest.mark.parametrize("span", SPANS)
def test_columns_are_bitwise_odd_in_the_difference(span):
    columns, delta = odd_gaussian_columns(span, 0.5), differences(1.5)
    np.testing.assert_array_equal(columns(-delta), -columns(delta))
    np.testing.assert_array_equal(columns(np.zeros(1)), 0.0)


@pytest.mark.parametrize("span", [0.1, 1.0, 25.0, 400.0])
@pytest.mark.parametrize("beyond", [0.001, 0.1, 1.0, 100.0])
def test_outside_the_range_the_columns_follow_the_kernel(span, beyond):
    """The error of a difference inside has a norm of at most √tolerance, and that of one outside of at most 1."""
    columns, inside, outside = odd_gaussian_columns(span, 0.5), differences(0.5), np.array([0.5 + beyond])
    exact = odd_kernel(outside[:, None], inside[:, None], [span])
    assert np.abs(columns(outside) @ columns(inside).T - exact).max() <= 1e-5


def test_far_outside_the_range_the_columns_are_zero():
    columns, far = odd_gaussian_columns(1.0, 1.0), np.array([-1e3, 1e150, -1e200, np.inf])
    np.testing.assert_array_equal(columns(far), 0.0)
    np.testing.assert_array_equal(OddCurve(1.0, columns.nodes, np.ones(len(columns.nodes)))(far), 0.0)


def test_each_feature_has_its_block_and_its_curve():
    gammas, reach = np.array([0.5, 0.0, 2.0, 1.0]), np.array([3.0, 1.0, 1.5, 0.0])
    made = odd_map(gammas, reach, ("a", "b", "c", "d"))
    assert made.blocks[1] is None
    assert made.blocks[3] is None
    rng = np.random.default_rng(1)
    delta, coef = rng.normal(size=(3000, 4)), rng.normal(size=made.n_columns)
    exact = odd_kernel(delta[:50] % 1, delta[:50] % 1, [0.5, 0.0, 2.0, 0.0])
    assert np.abs(made(delta[:50] % 1) @ made(delta[:50] % 1).T - exact).max() <= 2e-10
    curves = made.curves(coef)
    summed = sum(curve(delta[:, k]) for k, curve in enumerate(curves))
    np.testing.assert_allclose(summed, made(delta) @ coef, rtol=0, atol=1e-8)
    np.testing.assert_allclose(difference_scores(delta, curves), summed, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(curves[1](delta[:, 1]), 0.0)
    assert curves[0](np.array(0.7)).shape == ()


@pytest.mark.parametrize("gamma", [1e-6, 0.1, 5.0, 400.0, 1e4])
@pytest.mark.parametrize("n_nodes", [1, 2, 30])
def test_a_curve_is_the_sum_of_its_gaussians_inside_and_outside_its_nodes(gamma, n_nodes):
    rng = np.random.default_rng(3)
    nodes, weights, delta = rng.random(n_nodes), rng.normal(size=n_nodes), differences(1.5)
    exact = 2 * odd_kernel(delta[:, None], nodes[:, None], [gamma]) @ weights
    scale = np.abs(weights).sum()
    np.testing.assert_allclose(OddCurve(gamma, nodes, weights)(delta), exact, rtol=0, atol=1e-12 * scale)


def test_scores_are_bitwise_odd_in_the_differences():
    made = odd_map(np.array([0.5, 2.0]), np.array([3.0, 1.5]), ("a", "b"))
    rng = np.random.default_rng(2)
    delta, curves = rng.normal(size=(2500, 2)), made.curves(rng.normal(size=made.n_columns))
    np.testing.assert_array_equal(difference_scores(-delta, curves), -difference_scores(delta, curves))


def test_a_feature_too_wide_for_gamma_is_rejected_by_name():
    message = r"Differences of feature 'clicks': .*more than 1000 nodes.*Clip or transform the feature .*or use"
    with pytest.raises(DataError, match=message):
        odd_map(np.ones(2), np.array([1.0, 1e4]), ("bm25", "clicks"))


def test_too_many_columns_are_rejected_with_the_widest_feature(monkeypatch):
    monkeypatch.setattr(feature_map, "MAX_COLUMNS", 40)
    reach = np.array([1.0, 1.0, 1.5, 1.0])
    message = r"differences needs 4\d columns, but at most 40 are supported; 'c' alone needs 1\d\. Clip or transform"
    with pytest.raises(DataError, match=message):
        odd_map(np.full(4, 8.0), reach, ("a", "b", "c", "d"))
