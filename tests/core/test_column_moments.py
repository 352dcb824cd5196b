"""Means and deviations of all columns at once, against exact fractions."""

from fractions import Fraction

import numpy as np

from glassrank.core.column_ranges import ROWS_OF_PRODUCT, column_moments


def exact_moments(values, weights):
    values, weights = [Fraction(v) for v in values.tolist()], [Fraction(w) for w in weights.tolist()]
    mean = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    variance = sum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True)) / sum(weights)
    return float(mean), float(variance) ** 0.5


def test_moments_equal_those_in_exact_fractions_over_several_blocks():
    rng = np.random.default_rng(0)
    X = rng.normal(1e6, 1.0, (ROWS_OF_PRODUCT + 7, 2))
    weights = rng.integers(1, 4, len(X)).astype(float)
    mean, deviation = column_moments(X, weights)
    for k in range(2):
        expected = exact_moments(X[:, k], weights)
        np.testing.assert_allclose([mean[k], deviation[k]], expected, rtol=1e-12)


def test_a_constant_has_itself_as_mean_and_deviation_one():
    mean, deviation = column_moments(np.full((3, 1), 0.1), np.ones(3))
    assert (mean[0], deviation[0]) == (0.1, 1.0)


def test_columns_that_need_care_are_left_out():
    X = np.array([[1e200, 1e-200, np.nan, 1.0], [2e200, 2e-200, 0.0, 2.0]])
    mean, deviation = column_moments(X, np.ones(2))
    assert np.isnan(mean).tolist() == np.isnan(deviation).tolist() == [True, True, True, False]
