"""Monotone transforms of single columns: standardised, logarithmic, or to normal scores."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from glassrank.core.checks import FloatArray

STANDARD, LOG, QUANTILE, NONE, AUTO = "standard", "log", "quantile", "none", "auto"
MAX_KNOTS = 1_000
# Heavy tails, for which "auto" chooses the logarithm: both must hold.
MIN_SKEWNESS, MIN_RANGE = 2.0, 100.0


class ColumnTransform(Protocol):
    """An increasing function of one column; missing values (NaN) stay missing."""

    def __call__(self, values: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class Identity:
    """x ↦ x."""

    def __call__(self, values: FloatArray) -> FloatArray:
        return values


@dataclass(frozen=True)
class Standardise:
    """x ↦ (x − mean)/deviation."""

    mean: float
    deviation: float

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray((values - self.mean) / self.deviation)


@dataclass(frozen=True)
class LogTransform:
    """x ↦ (sign(x) · log(1 + |x|/unit) − shift)/scale.

    >>> LogTransform(1.0).__call__(np.array([-1.0, 0.0, np.nan])).round(3).tolist()
    [-0.693, 0.0, nan]
    """

    unit: float
    shift: float = 0.0
    scale: float = 1.0

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray((np.sign(values) * np.log1p(np.abs(values) / self.unit) - self.shift) / self.scale)


@dataclass(frozen=True, eq=False)
class QuantileTransform:
    """Straight lines between the knots (x, normal score of the share of rows below x), flat beyond them."""

    knots: FloatArray
    scores: FloatArray

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        return np.where(np.isnan(values), np.nan, np.interp(values, self.knots, self.scores))


def below_one(values: FloatArray) -> tuple[FloatArray, int]:
    """Return values · 2^(−exponent) below 1 in size, and the exponent: exact, and squares and sums do not overflow.

    >>> below_one(np.array([3.0, -1.0]))
    (array([ 0.75, -0.25]), 2)
    """
    exponent = int(np.frexp(np.abs(values).max())[1])
    # In two steps, because a single power of two may be out of range.
    half = -exponent // 2
    return np.asarray(np.ldexp(np.ldexp(values, half), -exponent - half)), exponent


def mean_and_deviation(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and standard deviation; 1 for a constant, so that it can be divided by.

    >>> mean_and_deviation(np.array([1.0, 3.0]), np.ones(2)), mean_and_deviation(np.array([0.1, 0.1]), np.ones(2))
    ((2.0, 1.0), (0.1, 1.0))
    """
    if values.min() == values.max():
        return float(values[0]), 1.0
    scaled, exponent = below_one(values)
    mean = np.average(scaled, weights=weights)
    deviation = np.sqrt(np.average((scaled - mean) ** 2, weights=weights))
    return float(np.ldexp(mean, exponent)), float(np.ldexp(deviation, exponent))


def log_unit(values: FloatArray, weights: FloatArray) -> float:
    """Return the unit of the logarithm: 1, or the weighted median size of the values other than 0 if it is smaller.

    >>> log_unit(np.array([0.0, 0.01, 0.02, 5.0]), np.ones(4))
    0.02
    """
    sizes = np.abs(values)
    used = sizes > 0
    return min(1.0, weighted_quantile(sizes[used], weights[used], 0.5)) if used.any() else 1.0


def weighted_quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest value up to which at least this share of the weight lies.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order][min(int(np.searchsorted(total, share * total[-1])), len(values) - 1)])


def quantile_transform(values: FloatArray, weights: FloatArray) -> QuantileTransform:
    """Return the transform to normal scores: a value with the weight q below it and v at it has Φ⁻¹((q + v/2)/total).

    >>> found = quantile_transform(np.array([1.0, 10.0, 100.0]), np.ones(3))
    >>> found(np.array([1.0, 10.0, 1e9])).round(3).tolist()
    [-0.967, 0.0, 0.967]
    """
    knots, place = np.unique(values, return_inverse=True)
    own = np.bincount(place, weights)
    shares = (np.cumsum(own) - own / 2) / own.sum()
    if len(knots) > MAX_KNOTS:
        # The knots nearest to evenly spaced normal scores, and both ends.
        wanted = np.linspace(float(ndtri(shares[0])), float(ndtri(shares[-1])), MAX_KNOTS)
        kept = np.unique(np.clip(np.searchsorted(ndtri(shares), wanted), 0, len(knots) - 1))
        knots, shares = knots[kept], shares[kept]
    return QuantileTransform(knots, np.asarray(ndtri(shares)))


def is_heavy_tailed(values: FloatArray, weights: FloatArray) -> bool:
    """Whether a column is so skewed that a few extreme values would decide its scale.

    This holds if the skewness exceeds 2, to either side, and the range exceeds 100 times the interquartile range.

    >>> is_heavy_tailed(np.append(np.linspace(1.0, 2.0, 99), 1e6), np.ones(100))
    True
    """
    values, _ = below_one(values)
    mean = np.average(values, weights=weights)
    deviation = np.sqrt(np.average((values - mean) ** 2, weights=weights))
    if not deviation > 0:
        return False
    skewness = float(np.average(((values - mean) / deviation) ** 3, weights=weights))
    if not abs(skewness) > MIN_SKEWNESS:
        return False
    order = np.argsort(values)  # so that the quantiles need not sort
    quartiles = [weighted_quantile(values[order], weights[order], share) for share in (0.25, 0.75)]
    return float(np.ptp(values)) > MIN_RANGE * (quartiles[1] - quartiles[0])
