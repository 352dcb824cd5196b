"""Slow twins of monotone piecewise-linear columns: one value, one ramp at a time."""

import math
from itertools import pairwise


def ramp(x, low, high):
    """Share of the way from ``low`` to ``high`` that lies below x."""
    if x <= low:
        return 0.0
    return 1.0 if x >= high else (x - low) / (high - low)


def monotone_row(x, knots, direction, spread):
    """Columns of one value: ramps of height √(spacing/spread)."""
    return [direction * math.sqrt((high - low) / spread) * ramp(x, low, high) for low, high in pairwise(knots)]


def deviation(values, weights):
    """Weighted standard deviation, with exact sums."""
    total = math.fsum(weights)
    mean = math.fsum(v * w for v, w in zip(values, weights, strict=True)) / total
    return math.sqrt(math.fsum(w * (v - mean) ** 2 for v, w in zip(values, weights, strict=True)) / total)


def squared_slopes(knots, levels):
    """∫ (df/dx)² dx of the curve through the levels at the knots."""
    pieces = zip(pairwise(knots), pairwise(levels), strict=True)
    return math.fsum(((top - bottom) / (high - low)) ** 2 * (high - low) for (low, high), (bottom, top) in pieces)
