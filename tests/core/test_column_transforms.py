"""Monotone transforms of columns against their formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.preprocessing import QuantileTransformer

from glassrank.core.column_transforms import (
    MAX_KNOTS,
    Identity,
    LogTransform,
    QuantileTransform,
    Standardise,
    is_heavy_tailed,
    log_unit,
    mean_and_deviation,
    quantile_transform,
    weighted_quantile,
)
from tests.reference import transforms as twin

VALUES = st.floats(-1e6, 1e6).map(lambda value: round(value, 4)) | st.sampled_from([0.0, 1.0, -1.0])
WEIGHTS = st.sampled_from([0.5, 1.0, 2.0, 7.0])


@st.composite
def weighted_columns(draw):
    rows = draw(st.lists(st.tuples(VALUES, WEIGHTS), min_size=1, max_size=20))
    return np.array([value for value, _ in rows]), np.array([weight for _, weight in rows])


@given(column=weighted_columns(), share=st.sampled_from([0.25, 0.5, 0.75]))
@settings(deadline=None)
def test_a_weighted_quantile_is_the_first_value_that_reaches_the_share(column, share):
    values, weights = column
    expected = twin.smallest_with_share(list(zip(values.tolist(), weights.tolist(), strict=True)), share)
    assert weighted_quantile(values, weights, share) == expected


@given(column=weighted_columns())
@settings(deadline=None)
def test_normal_scores_equal_the_slow_twin(column):
    values, weights = column
    places = np.concatenate([values, values[:-1] * 0.3 + values[1:] * 0.7, [-1e9, 1e9]])
    expected = twin.transform("quantile", values.tolist(), weights.tolist(), places.tolist())
    np.testing.assert_allclose(quantile_transform(values, weights)(places), expected, rtol=1e-9, atol=1e-9)


@given(column=weighted_columns())
@settings(deadline=None)
def test_heavy_tails_equal_the_slow_twin(column):
    values, weights = column
    assert is_heavy_tailed(values, weights) == twin.has_heavy_tails(values.tolist(), weights.tolist())


def test_normal_scores_of_five_values_are_those_of_the_normal_distribution():
    found = quantile_transform(np.array([5.0, 1.0, 2.0, 9.0, 700.0]), np.ones(5))
    np.testing.assert_allclose(
        found(np.array([1.0, 2.0, 5.0, 9.0, 700.0])), norm.ppf([0.1, 0.3, 0.5, 0.7, 0.9]), atol=1e-12
    )
    # Half-way between two knots, half-way between their scores; constant beyond the ends.
    np.testing.assert_allclose(found(np.array([1.5])), norm.ppf([0.1, 0.3]).mean())
    assert found(np.array([-1e300, 1e300])).tolist() == found(np.array([1.0, 700.0])).tolist()


def test_many_values_are_near_scikit_learns_quantiles():
    values = np.random.default_rng(0).lognormal(size=5_000)
    found = quantile_transform(values, np.ones(5_000))
    assert len(found.knots) <= MAX_KNOTS
    peer = QuantileTransformer(n_quantiles=5_000, output_distribution="normal", subsample=None)
    expected = peer.fit_transform(values[:, None])[:, 0]
    middle = (values > np.quantile(values, 0.005)) & (values < np.quantile(values, 0.995))
    np.testing.assert_allclose(found(values)[middle], expected[middle], atol=0.02)
    assert found.knots[0] == values.min()
    assert found.knots[-1] == values.max()


@pytest.mark.parametrize(
    ("values", "unit"),
    [([0.0, 0.0], 1.0), ([3.0, 50.0], 1.0), ([0.0, 0.01, 0.02, 5.0], 0.02), ([-0.5, 0.25, 0.0], 0.25)],
)
def test_the_unit_of_the_logarithm_is_at_most_1(values, unit):
    assert log_unit(np.array(values), np.ones(len(values))) == unit


def test_heavy_tails_need_both_skewness_and_range():
    ones = np.ones(100)
    far = np.append(np.linspace(1.0, 2.0, 99), 1e6)
    assert is_heavy_tailed(far, ones)
    # Skewed, but the range is 20 times the interquartile range.
    assert not is_heavy_tailed(np.append(np.linspace(1.0, 2.0, 99), 11.0), ones)
    # Wide, but symmetric.
    assert not is_heavy_tailed(np.concatenate([[-1e6], np.linspace(-1.0, 1.0, 98), [1e6]]), ones)
    assert not is_heavy_tailed(np.full(100, 0.1), ones)


@given(column=weighted_columns(), power=st.sampled_from([-1040, -900, 0, 900, 1003]))
@settings(deadline=None)
def test_mean_and_deviation_equal_exact_arithmetic_at_every_scale(column, power):
    values, weights = np.ldexp(column[0], power), column[1]
    known = list(zip(values.tolist(), weights.tolist(), strict=True))
    mean, deviation = mean_and_deviation(values, weights)
    rows = [(Fraction(value), Fraction(weight)) for value, weight in known]
    total = sum(weight for _, weight in rows)
    exact = sum(value * weight for value, weight in rows) / total
    scale = Fraction(float(np.abs(values).max())) or 1
    variance = sum(weight * ((value - exact) / scale) ** 2 for value, weight in rows) / total
    tiny = 2.0**-1070
    np.testing.assert_allclose(mean, float(exact), rtol=1e-12, atol=1e-14 * float(scale) + tiny)
    expected = float(scale) * math.sqrt(variance) if variance else 1.0
    np.testing.assert_allclose(deviation, expected, rtol=1e-7, atol=1e-14 * float(scale) + tiny)


def test_tails_of_values_near_the_largest_number_are_judged_without_overflow():
    far = np.append(np.linspace(1.0, 2.0, 99), 1e6)
    assert is_heavy_tailed(np.ldexp(far, 1000), np.ones(100))
    assert is_heavy_tailed(np.ldexp(far, -1000), np.ones(100))
    assert not is_heavy_tailed(np.array([1.7e308, -1.7e308, 0.0]), np.ones(3))


@pytest.mark.parametrize(
    "function",
    [
        Identity(),
        Standardise(2.0, 0.5),
        LogTransform(0.1, 1.0, 3.0),
        QuantileTransform(np.array([0.0, 1.0, 4.0]), np.array([-1.0, 0.0, 1.0])),
    ],
    ids=lambda function: type(function).__name__,
)
def test_a_missing_value_stays_missing_and_the_order_is_kept(function):
    values = np.array([-1e300, -3.0, -1e-9, 0.0, 0.5, np.nan, 1.0, 7.0, 1e300])
    made = function(values)
    assert np.isnan(made).tolist() == np.isnan(values).tolist()
    assert (np.diff(made[~np.isnan(made)]) >= 0).all()
    assert function(np.array(2.0)).shape == ()
