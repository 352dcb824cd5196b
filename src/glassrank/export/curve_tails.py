"""What a curve does far beyond the training values: straight lines between knots that are further and further apart."""

import numpy as np

from glassrank.core.additive.effects import Curve
from glassrank.core.checks import FloatArray
from glassrank.export.curve_tables import longest_chords

FARTHEST = 1e30  # knots beyond it would overflow in single precision
N_POINTS = 4_000
MAX_KNOTS = 100
SHARE = 0.02  # allowed error beyond the valid range, of the change of the effect since its end


def curve_tail(
    curve: Curve, end: float, side: float, unit: float, allowed: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return knots above an end of a table (side 1) or below it (side −1), their values, and the slope behind them all.

    The slope is 0 unless the curve itself is a straight line there. ``unit`` is the size of ordinary values.

    >>> knots, values, slope = curve_tail(np.log1p, 10.0, 1.0, 1.0, 0.01)
    >>> bool(abs(np.interp(1e6, knots, values) - np.log1p(1e6)) < 0.2), slope
    (True, 0.0)
    """
    points = end + side * np.concatenate([[0.0], np.geomspace(1e-12 * unit, FARTHEST, N_POINTS), [2.0 * FARTHEST]])
    with np.errstate(all="ignore"):
        values = _values(curve, points)
    distances, first = np.unique(np.abs(points - end), return_index=True)
    # Logarithms and roots end where they are undefined.
    first = first[np.logical_and.accumulate(np.isfinite(values[first]))]
    is_whole = len(first) == len(distances)
    distances, points, values = distances[: len(first)], points[first], values[first]
    chosen = longest_chords(distances, values, np.maximum(allowed, SHARE * np.abs(values - values[0])))
    # A line goes on from a knot that is near: from one that is far away, its values would cancel.
    before, last = chosen[-2], len(values) - 2
    if is_whole and len(chosen) <= MAX_KNOTS and before < last:
        slopes = np.diff(values[[before, last, -1]]) / np.diff(points[[before, last, -1]])
        if np.isclose(slopes[0], slopes[1], rtol=1e-6, atol=0.0):
            return points[chosen[1:-1]], values[chosen[1:-1]], float(slopes[0])
    chosen = chosen[1 : MAX_KNOTS + 1]
    return points[chosen], values[chosen], 0.0


def _values(curve: Curve, points: FloatArray) -> FloatArray:
    """Return the values; NaN for the farthest points if a transformer of scikit-learn refuses them or its results."""
    try:
        return np.asarray(curve(points), dtype=np.float64)
    except ValueError:
        near = np.array_split(points, 2)[0]
        if len(near) == len(points):
            raise
        return np.append(_values(curve, near), np.full(len(points) - len(near), np.nan))
