"""Bootstrap, randomisation test, Holm's correction and the detectable difference."""

import itertools

import numpy as np
import pytest
from scipy import stats

from glassrank.metrics.resampling import (
    bootstrap_means,
    detectable_difference,
    holm,
    is_exact,
    percentile_interval,
    randomisation_test,
    smallest_p_value,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def enumerate_p_value(differences):
    """Share of all sign patterns whose sum is at least as far from 0 as the observed one."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(value >= observed - 1e-12 for value in sums) / len(sums)


@pytest.mark.parametrize("n_queries", [1, 2, 5, 9])
def test_few_queries_are_tested_by_enumeration(n_queries):
    differences = np.round(rng(n_queries).normal(0.3, 1.0, size=(n_queries, 3)), 1)
    expected = [enumerate_p_value(column) for column in differences.T.tolist()]
    assert is_exact(n_queries, 10_000)
    assert randomisation_test(differences, 10_000, rng()).p_values().tolist() == expected


def test_random_patterns_approximate_enumeration():
    differences = rng(3).normal(0.4, 1.0, size=(12, 2))
    exact = randomisation_test(differences, 4096, rng()).p_values()
    random = randomisation_test(differences, 4095, rng()).p_values()
    assert is_exact(12, 4096)
    assert not is_exact(12, 4095)
    # Four standard errors of a share estimated from 4,095 patterns.
    np.testing.assert_allclose(random, exact, rtol=0, atol=4 * 0.5 / np.sqrt(4095))


def test_the_p_value_of_random_patterns_is_never_zero():
    differences = np.ones((200, 1))
    assert randomisation_test(differences, 999, rng()).p_values().tolist() == [1 / 1000]
    assert smallest_p_value(200, 999) == 1 / 1000


def test_the_smallest_exact_p_value_is_that_of_differences_of_one_sign():
    assert randomisation_test(np.ones((6, 1)), 10_000, rng()).p_values().tolist() == [2 / 64]
    assert smallest_p_value(6, 10_000) == 2 / 64


@pytest.mark.parametrize("n_queries", [5, 500])
def test_equal_systems_have_the_p_value_one(n_queries):
    assert randomisation_test(np.zeros((n_queries, 1)), 1000, rng()).p_values().tolist() == [1.0]


def test_equal_sums_in_different_orders_count_as_equal():
    # 0.1 + 0.2 − 0.3 is not 0 in binary: every pattern with the observed sum must count.
    differences = np.array([[0.1], [0.2], [-0.3]])
    assert randomisation_test(differences, 100, rng()).p_values().tolist() == [1.0]


def test_many_queries_are_tested_in_blocks():
    """With 60,000 queries a block has few patterns; p-values of a clear difference and of none are unaffected."""
    differences = np.column_stack([np.full(60_000, 0.1), np.resize([1.0, -1.0], 60_000)])
    assert randomisation_test(differences, 100, rng()).p_values().tolist() == [1 / 101, 1.0]


def test_the_randomisation_test_has_its_nominal_level():
    """Differences that are symmetric about 0 are significant in about 5 of 100 tests."""
    differences = rng(11).standard_t(3, size=(40, 1000))
    share = (randomisation_test(differences, 999, rng(12)).p_values() < 0.05).mean()
    assert share == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 1000))


def test_bootstrap_means_have_the_distribution_of_all_resamples():
    values = np.array([[0.0], [0.1], [0.4], [1.0]])
    every = np.array([np.mean(choice) for choice in itertools.product(values[:, 0], repeat=4)])
    drawn = bootstrap_means(values, 40_000, rng())[:, 0]
    assert drawn.mean() == pytest.approx(every.mean(), abs=4 * every.std() / 200)
    assert drawn.std() == pytest.approx(every.std(), rel=0.02)
    low, high = percentile_interval(drawn[:, None], 0.9)
    assert (low[0], high[0]) == pytest.approx(np.quantile(every, [0.05, 0.95]), abs=0.03)


def test_bootstrap_draws_the_same_queries_for_all_systems():
    values = rng(1).normal(size=(30, 1)) + np.array([[0.0, 5.0]])
    means = bootstrap_means(values, 200, rng())
    np.testing.assert_allclose(means[:, 1] - means[:, 0], 5.0, rtol=0, atol=1e-12)


def test_the_interval_is_close_to_scipys_percentile_bootstrap():
    values = rng(4).exponential(size=50)
    expected = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=rng(5))
    low, high = percentile_interval(bootstrap_means(values[:, None], 20_000, rng(6)), 0.95)
    assert (low[0], high[0]) == pytest.approx(tuple(expected.confidence_interval), abs=0.02)


def test_holm_by_hand():
    # Sorted: 0.01 × 4, 0.02 × 3, 0.03 × 2 (not below 0.06), 0.9 × 1.
    assert holm(np.array([0.03, 0.01, 0.9, 0.02])) == pytest.approx([0.06, 0.04, 0.9, 0.06])


def test_holm_never_exceeds_one_and_does_not_change_a_single_p_value():
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]
    assert holm(np.array([0.04])).tolist() == [0.04]


def test_the_detectable_difference_by_hand():
    # n = 10, s = 2: t quantiles with 9 degrees of freedom are 2.262157 (0.975) and 0.883404 (0.8).
    differences = stats.zscore(np.arange(10.0), ddof=1)[:, None] * 2.0
    assert detectable_difference(differences, 0.05) == pytest.approx((2.262157 + 0.883404) * 2 / np.sqrt(10), rel=1e-6)


def test_the_detectable_difference_is_detected_with_80_percent_power():
    n_queries, n_trials = 50, 600
    noise = rng(21).normal(size=(n_queries, n_trials))
    shift = detectable_difference(stats.zscore(rng(22).normal(size=(n_queries, 1)), ddof=1), 0.05)
    found = randomisation_test(noise + shift, 999, rng(23)).p_values() < 0.05
    assert found.mean() == pytest.approx(0.8, abs=4 * np.sqrt(0.8 * 0.2 / n_trials))
