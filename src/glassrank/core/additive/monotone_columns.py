"""Monotone curves as columns of a linear machine whose weights must not be negative.

Each column is a ramp between two neighbouring knots. A sum of ramps with non-negative weights never falls, or never
rises if the ramps point down. It is a straight line between knots and constant beyond the first and the last one.
"""

from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.curves import PiecewiseLinearCurve
from glassrank.core.checks import DataError, FloatArray, check_choice, check_positive

N_KNOTS = 16
DIRECTIONS = (1, -1)


@dataclass(frozen=True, eq=False)
class MonotoneColumns:
    """φ_j(x) = direction · heights_j · (share of the way from knots_j to knots_{j+1} that lies below x).

    With non-negative weights, w·φ(x) rises with x if ``direction`` is 1 and falls if it is −1. The heights are
    √((knots_{j+1} − knots_j)/spread), so that ‖w‖² is the integral of the squared slope of the curve, as in a smoothing
    spline: ‖w‖² = ∫ (df/du)² du with u = x/spread. So the penalty of a curve hardly depends on the number of knots, and
    not at all on the unit of the feature.

    >>> columns = MonotoneColumns(np.array([0.0, 1.0, 5.0]), direction=1, spread=1.0)
    >>> columns(np.array([-1.0, 0.5, 3.0, 9.0])).tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]
    """

    knots: FloatArray
    direction: int
    spread: float

    @property
    def n_columns(self) -> int:
        return len(self.knots) - 1

    @property
    def heights(self) -> FloatArray:
        return np.sqrt(np.diff(self.knots) / self.spread)

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return the columns of φ for each value."""
        shares = (np.asarray(values, dtype=np.float64)[:, None] - self.knots[:-1]) / np.diff(self.knots)
        return np.asarray(self.direction * self.heights * np.clip(shares, 0.0, 1.0))

    def curve(self, weights: FloatArray) -> PiecewiseLinearCurve:
        """Return w·φ as a curve; it is 0 up to the first knot.

        >>> MonotoneColumns(np.array([0.0, 1.0, 5.0]), direction=-1, spread=1.0).curve(np.array([2.0, 0.5])).levels
        array([ 0., -2., -3.])
        """
        rises = self.direction * self.heights * weights
        return PiecewiseLinearCurve(self.knots, np.concatenate([[0.0], np.cumsum(rises)]))


def monotone_columns(
    values: FloatArray,
    weights: FloatArray | None,
    direction: int,
    n_knots: int = N_KNOTS,
    *,
    spread: float | None = None,
) -> MonotoneColumns:
    """Return monotone columns with knots at weighted quantiles of the values, the smallest and the largest included.

    A frequent value counts as much as one knot at most, so that there are always ``n_knots`` knots, or one for each
    distinct value if these are fewer. A constant feature has no columns. Values of weight 0 are ignored. ``spread`` is
    the unit of the penalty, by default the weighted standard deviation.

    >>> columns = monotone_columns(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), None, direction=1, n_knots=4)
    >>> columns.knots.tolist(), columns.n_columns
    ([0.0, 1.0, 3.0, 4.0], 3)
    """
    check_choice("direction", direction, DIRECTIONS)
    if not n_knots >= 2:
        raise DataError(parameter="n_knots", expected="at least 2", got=n_knots)
    if spread is not None:
        check_positive("spread", spread)
    weights = np.ones(len(values)) if weights is None else weights
    distinct, weight = _distinct(values[weights > 0.0], weights[weights > 0.0])
    knots = _quantiles(distinct, weight, n_knots)
    return MonotoneColumns(knots, direction, _standard_deviation(distinct, weight) if spread is None else spread)


def _distinct(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values in ascending order, and the weight of each."""
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) == 0:
        raise DataError("Monotone columns need a value of positive weight: got none.")
    low, high = float(distinct[0]), float(distinct[-1])
    if not np.isfinite(high - low):
        raise DataError(
            f"The range of a feature must be a finite number: got values from {low:g} to {high:g}.",
            remedy="Remove missing values, and scale the feature.",
        )
    return distinct, np.asarray(np.bincount(place, weights), dtype=np.float64)


def _standard_deviation(values: FloatArray, weight: FloatArray) -> float:
    """Return the weighted standard deviation of ascending values; their range, or 1, if it rounds to 0."""
    width = float(values[-1] - values[0]) or 1.0
    # In units of the range, squares of small values do not underflow.
    shares = (values - values[0]) / width
    centre = np.average(shares, weights=weight)
    return width * (float(np.sqrt(np.average((shares - centre) ** 2, weights=weight))) or 1.0)


def _quantiles(values: FloatArray, weight: FloatArray, n_knots: int) -> FloatArray:
    """Return quantiles of distinct ascending values, all different because no value counts for more than one."""
    if len(values) <= n_knots:
        return values
    # If the k largest weights are lowered to the limit, it is one n_knots-th of the total.
    ascending = np.sort(weight)
    limits = np.cumsum(ascending)[: -n_knots - 1 : -1] / np.arange(n_knots, 0, -1)
    largest = ascending[: -n_knots - 1 : -1]
    below = np.cumsum(np.minimum(weight, limits[np.argmax(largest <= limits)]))
    inner = np.searchsorted(below, below[-1] * np.arange(1, n_knots - 1) / (n_knots - 1))
    return np.unique(np.concatenate([values[:1], values[inner], values[-1:]]))
