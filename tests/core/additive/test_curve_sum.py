"""A sum of curves equals the curves, added one by one."""

import numpy as np
import pytest

from glassrank.core.additive.curve_sum import BLOCK_ROWS, CurveSum
from glassrank.core.additive.curves import (
    FLAT,
    CategoryCurve,
    GaussianCurve,
    MissingCurve,
    PiecewiseLinearCurve,
    SumCurve,
)
from glassrank.core.additive.effects import LinearCurve

BUMPS = GaussianCurve(0.5, np.array([-1.0, 0.0, 2.0]), np.array([1.0, -3.0, 0.5]))
RAMP = PiecewiseLinearCurve(np.array([0.0, 1.0]), np.array([0.0, 4.0]))
CURVES = (
    BUMPS,
    MissingCurve(SumCurve((BUMPS, LinearCurve(0.3))), shift=0.7, missing=-2.0),
    LinearCurve(-1.5),
    FLAT,
    MissingCurve(CategoryCurve(np.array([1.0, 5.0]), unseen=0.25), 0.0, missing=9.0),
    MissingCurve(RAMP, shift=-1.0, missing=0.125),
    RAMP,
)


def rows(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, len(CURVES)))
    X[:, 4] = rng.integers(-1, 2, n)
    gaps = rng.random(X.shape) < 0.3
    gaps[:, [0, 2, 6]] = False
    return np.where(gaps, np.nan, X)


@pytest.mark.parametrize("n", [0, 1, 40, BLOCK_ROWS + 3])
def test_a_sum_is_that_of_its_curves(n):
    X = rows(n)
    expected = np.sum([curve(X[:, k]) for k, curve in enumerate(CURVES)], axis=0)
    np.testing.assert_allclose(CurveSum.of(CURVES)(X), expected, rtol=1e-12, atol=1e-12)


def test_missing_values_without_an_effect_stay_missing():
    X = np.zeros((2, len(CURVES)))
    X[1, 0] = np.nan
    assert np.isnan(CurveSum.of(CURVES)(X)).tolist() == [False, True]


def test_infinite_values_of_a_line_are_not_taken_for_missing():
    X = np.zeros((1, len(CURVES)))
    X[0, 2] = np.inf
    assert CurveSum.of(CURVES)(X).tolist() == [-np.inf]


def test_the_sum_of_a_row_does_not_depend_on_the_other_rows():
    X, total = rows(41), CurveSum.of(CURVES)
    together = total(X)
    assert [total(X[[row]])[0] for row in range(41)] == together.tolist()
    assert total(X[3:24]).tolist() == together[3:24].tolist()


def test_rows_are_not_changed():
    X = rows(40)
    before = X.copy()
    CurveSum.of(CURVES)(X)
    np.testing.assert_array_equal(X, before)
