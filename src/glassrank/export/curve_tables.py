"""Tables of a curve: straight lines between knots, or steps, with a measured largest error."""

from typing import Any

import numpy as np

from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.setting import setting
from glassrank.export.curve_kinks import kinks

MAX_KNOTS = 4_000
FIRST_PIECES = 512
CHECKED = 20  # points per segment at which the error is measured
MARGIN = 1.01  # between two such points, the error of a smooth curve is larger by at most 1/(4 · 20²) of itself
NEXT_TO_0 = 1e-300  # a curve may jump at 0, such as that of a count whose 0 is frequent
SHARE_FOR_KNOTS = 0.9  # of the allowed error; the rest is for what lies between the sampled points


def tabulate(curve: Curve, low: float, high: float, allowed: float, name: str) -> tuple[FloatArray, FloatArray, float]:
    """Return knots, values and the largest error of straight lines between them, on [low, high].

    Neighbouring knots are as far apart as the allowed error permits, so that there are many where the curve bends.

    >>> knots, values, error = tabulate(np.sin, 0.0, 6.0, 0.01, "angle")
    >>> len(knots) < 40, error <= 0.01
    (True, True)
    """
    _check_defined(curve, low, high, name)
    points = _sampled(curve, low, high, 0.05 * allowed)
    chosen = longest_chords(points, curve(points), np.full(len(points), SHARE_FOR_KNOTS * allowed))
    knots = points[chosen]
    if len(knots) > MAX_KNOTS:
        raise _too_fine(name, allowed)
    values = np.asarray(curve(knots), dtype=np.float64)
    # Between two neighbouring samples of a jump there is nothing to measure.
    wide = np.diff(knots) > NEXT_TO_0
    tests = np.concatenate([points, *(np.linspace(knots[:-1][wide], knots[1:][wide], CHECKED + 1)[1:-1])])
    error = MARGIN * float(np.abs(np.interp(tests, knots, values) - curve(tests)).max())
    if error > allowed:
        raise _too_fine(name, allowed)
    return knots, values, error


def tabulate_steps(
    curve: Curve, low: float, high: float, allowed: float, name: str, most: int = MAX_KNOTS
) -> tuple[FloatArray, FloatArray, float]:
    """Return thresholds, levels and the largest error of steps x ≤ threshold, on [low, high]; flat beyond it.

    Each step spans values of the curve that differ by at most twice the allowed error.

    >>> thresholds, levels, error = tabulate_steps(np.sin, 0.0, 1.5, 0.05, "angle")
    >>> len(levels), error <= 0.05
    (12, True)
    """
    points = _sampled(curve, low, high, 0.1 * allowed)
    # Between two samples the curve is nearly straight: subdivide until it changes little from one to the next.
    counts = np.ceil(np.abs(np.diff(curve(points))) / (0.1 * allowed)).astype(np.int64)
    if counts.sum() > 80 * most:
        raise _too_many_steps(name, allowed, most)
    points = _subdivided(points, counts)
    values = np.asarray(curve(points), dtype=np.float64)
    starts = _runs_within(values, 1.8 * allowed)
    if len(starts) > most:
        raise _too_many_steps(name, allowed, most)
    lows, highs = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    # A threshold lies on the last sample of its step, which is x ≤ threshold; the next step begins right after it.
    thresholds = points[starts[1:] - 1]
    before = np.append(values[0], _before(values, starts[1:], 1.8 * allowed))
    levels = 0.5 * (np.minimum(lows, before) + np.maximum(highs, before))
    after = np.nextafter(thresholds, np.inf)
    tests = np.unique(np.concatenate([points, 0.5 * (points[:-1] + points[1:]), after]))
    steps = levels[np.searchsorted(thresholds, tests, side="left")]
    error = MARGIN * float(np.abs(steps - curve(tests)).max())
    if error > allowed:
        raise _too_many_steps(name, allowed, most)
    return thresholds, levels, error


def _subdivided(points: FloatArray, counts: IntArray) -> FloatArray:
    """Return the points with each interval cut into as many equal parts as its count says, at least one."""
    between = zip(points[:-1], points[1:], np.maximum(counts, 1).tolist(), strict=True)
    pieces = [np.linspace(start, end, count + 1)[1:] for start, end, count in between]
    return np.unique(np.concatenate([points[:1], *pieces]))


def _sampled(curve: Any, low: float, high: float, allowed: float) -> FloatArray:
    """Return points so dense that the curve deviates little from straight lines between neighbours."""
    points = _first_points(curve, low, high)
    pieces = np.column_stack([points[:-1], points[1:]])
    found = [points]
    while len(pieces):
        # Three inner points: a bend that is symmetric about the middle is seen at the quarters.
        inner = pieces[:, :1] + (pieces[:, 1:] - pieces[:, :1]) * np.array([0.25, 0.5, 0.75])
        ends, values = curve(pieces), curve(inner)
        chords = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * np.array([0.25, 0.5, 0.75])
        bent = (np.abs(values - chords) > allowed).any(axis=1)
        middle = inner[:, 1]
        bent &= (middle > pieces[:, 0]) & (middle < pieces[:, 1]) & (pieces[:, 1] - pieces[:, 0] > NEXT_TO_0)
        found.append(middle[bent])
        halves = np.column_stack([pieces[bent, 0], middle[bent]]), np.column_stack([middle[bent], pieces[bent, 1]])
        pieces = np.concatenate(halves)
        if sum(map(len, found)) > 64 * MAX_KNOTS:
            break
    return np.unique(np.concatenate(found))


def _first_points(curve: Any, low: float, high: float) -> FloatArray:
    """Return evenly spaced points, points that crowd towards 0 (curves of logarithms bend there), and known kinks."""
    width = high - low
    near = np.append(width * np.geomspace(1e-12, 1.0, FIRST_PIECES // 2), NEXT_TO_0)
    points = np.concatenate([np.linspace(low, high, FIRST_PIECES + 1), -near, [0.0], near, kinks(curve, low, high)])
    return np.unique(points[(points >= low) & (points <= high)])


def longest_chords(points: FloatArray, values: FloatArray, allowed: FloatArray) -> list[int]:
    """Return the indices of knots: each chord is the longest that stays within the allowed error of each point."""
    # Plain numbers: indexing arrays one by one is slow.
    x, y, errors = points.tolist(), values.tolist(), allowed.tolist()
    chosen, anchor, last = [0], 0, len(x) - 1
    while anchor < last and len(chosen) <= MAX_KNOTS:
        lowest, highest, end = -np.inf, np.inf, anchor + 1
        for place in range(anchor + 1, last + 1):
            distance, rise = x[place] - x[anchor], y[place] - y[anchor]
            if lowest <= rise / distance <= highest:
                end = place
            # Steeper or flatter lines would miss this point.
            lowest = max(lowest, (rise - errors[place]) / distance)
            highest = min(highest, (rise + errors[place]) / distance)
            if lowest > highest:
                break
        chosen.append(end)
        anchor = end
    return chosen


def _runs_within(values: FloatArray, spread: float) -> IntArray:
    """Return the starts of the longest runs of values that differ by at most ``spread``, also from the one before."""
    starts, low, high = [0], values[0], values[0]
    before = _before(values, np.arange(1, len(values)), spread).tolist()
    for place, value in enumerate(values[1:].tolist(), start=1):
        low, high = min(low, value), max(high, value)
        if high - low > spread:
            starts.append(place)
            low, high = sorted((before[place - 1], value))
    return np.array(starts)


def _before(values: FloatArray, places: IntArray, spread: float) -> FloatArray:
    """Return the value before each place, or the one at it if the curve jumps in between."""
    jumps = np.abs(values[places] - values[places - 1]) > 0.2 * spread
    return np.where(jumps, values[places], values[places - 1])


def _check_defined(curve: Curve, low: float, high: float, name: str) -> None:
    """Raise an error if a curve has no finite value somewhere, such as a logarithm of a negative number."""
    points = _first_points(curve, low, high)
    with np.errstate(all="ignore"):
        wrong = points[~np.isfinite(curve(points))]
    if len(wrong):
        raise DataError(
            f"The curve of {name!r} has no finite value at {wrong[0]:.4g}. Exports need one from {low:.4g} to "
            f"{high:.4g}, well beyond the training values.",
            remedy="Transform the feature by a function of all numbers, such as FeatureTransformer('log').",
        )


def _too_fine(name: str, allowed: float) -> DataError:
    return DataError(
        f"The curve of {name!r} needs more than {MAX_KNOTS:,} pieces for an error of {allowed:.2g}.",
        remedy=(f"Raise {setting('max_error')}", "train with a smaller gamma, which makes smoother curves"),
    )


def _too_many_steps(name: str, allowed: float, most: int) -> DataError:
    return DataError(
        f"The effect of {name!r} needs more than {most:,} steps for an error of {allowed:.2g}, because steps must "
        "follow it far beyond the training values.",
        remedy=(
            f"Raise {setting('max_error')}",
            f"choose a {setting('kind')} or format with straight lines",
        ),
    )
