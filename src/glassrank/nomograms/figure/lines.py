"""One feature's line before it has a place: its curve sampled, its kind and its monotone runs."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.checks import FloatArray

POINT, LINE, CATEGORY, BOX, FOLD = "point", "line", "category", "box", "fold"

FIRST_SAMPLES = 65
ROUNDS = 24  # each halves the interval that holds a jump
MOST_SAMPLES = 3000
MIDDLE_MARGIN = 2.0  # only the middle of an interval is tried: elsewhere the curve may be missed by somewhat more
LEAST_TURN = 0.01  # of the line's range: what rises and falls by less is drawn as one way


@dataclass(frozen=True, eq=False)
class Line:
    """A feature's curve from ``first`` to ``last``; effects are counted from the lowest one: a line starts at 0.

    Between neighbouring samples the curve is straight, to the tolerance it was sampled with.
    """

    feature: FeatureEffect
    values: FloatArray
    effects: FloatArray
    lowest: float
    kind: str
    runs: tuple[tuple[int, int], ...]
    """First and last sample of each part that only rises or only falls."""

    @property
    def first(self) -> float:
        return float(self.values[0])

    @property
    def last(self) -> float:
        return float(self.values[-1])

    @property
    def range(self) -> float:
        """Largest minus smallest effect: the line's length before it is scaled."""
        return float(self.effects.max())

    def inverse(self, run: int) -> tuple[FloatArray, FloatArray]:
        """Effects in ascending order and the value at each, along one run; small steps back are levelled out."""
        start, end = self.runs[run]
        effects, values = self.effects[start : end + 1], self.values[start : end + 1]
        if effects[-1] < effects[0]:
            effects, values = effects[::-1], values[::-1]
        return np.maximum.accumulate(effects), values


def line_of(feature: FeatureEffect, held: FloatArray, tolerance: float, share: float, turning: str) -> Line:
    """Sample a feature's curve over its observed values, widened to hold the documents' values.

    Samples miss the curve by at most ``tolerance``, and by at most this ``share`` of its range. ``turning`` is how a
    curve that rises and falls is drawn: ``"box"`` or ``"folded"``.
    """
    if feature.categories:
        values = np.arange(len(feature.categories), dtype=np.float64)
        return _category_line(feature, values, feature(values))
    first, last = min(feature.low, float(held.min())), max(feature.high, float(held.max()))
    straight = feature.linear or first == last
    values = np.array([first, last]) if straight else _samples(feature, first, last, tolerance, share)
    effects = np.asarray(feature(values), dtype=np.float64)
    lowest = float(effects.min())
    effects = effects - lowest
    if effects.max() == 0:
        return Line(feature, values, effects, lowest, POINT, ())
    runs = monotone_runs(effects, LEAST_TURN * effects.max())
    kind = LINE if len(runs) == 1 else BOX if turning == "box" else FOLD
    return Line(feature, values, effects, lowest, kind, runs)


def _category_line(feature: FeatureEffect, values: FloatArray, effects: FloatArray) -> Line:
    lowest = float(effects.min())
    kind = CATEGORY if effects.max() > lowest else POINT
    return Line(feature, values, effects - lowest, lowest, kind, ((0, len(values) - 1),) if kind == CATEGORY else ())


def _samples(feature: FeatureEffect, first: float, last: float, tolerance: float, share: float) -> FloatArray:
    """Values so dense that straight lines between them miss the curve by no more than the tolerance."""
    values = np.linspace(first, last, FIRST_SAMPLES)
    tolerance = min(tolerance, share * float(np.ptp(feature(values))))
    open_ = np.ones(len(values) - 1, dtype=bool)
    for _ in range(ROUNDS):
        left, right = values[:-1][open_], values[1:][open_]
        middles = (left + right) / 2
        missed = np.abs(feature(middles) - (feature(left) + feature(right)) / 2)
        poor = (missed > tolerance / MIDDLE_MARGIN) & (left < middles) & (middles < right)
        if not poor.any() or len(values) + poor.sum() > MOST_SAMPLES:
            break
        places = np.flatnonzero(open_)[poor] + 1
        values = np.insert(values, places, middles[poor])
        shifted = places + np.arange(len(places))
        open_ = np.zeros(len(values) - 1, dtype=bool)
        open_[shifted - 1] = open_[shifted] = True
    return _without_idle_samples(values, feature(values))


def _without_idle_samples(values: FloatArray, effects: FloatArray) -> FloatArray:
    """Drop samples that lie on the straight line between their neighbours, as on the treads of a staircase."""
    slack = 1e-12 * max(float(np.ptp(effects)), np.finfo(np.float64).tiny)
    inner = values[1:-1]
    share = (inner - values[:-2]) / (values[2:] - values[:-2])
    straight = effects[:-2] + share * (effects[2:] - effects[:-2])
    needed = np.concatenate([[True], np.abs(effects[1:-1] - straight) > slack, [True]])
    return values[needed]


def monotone_runs(effects: FloatArray, least: float) -> tuple[tuple[int, int], ...]:
    """Split at the turning points; a turn counts when the curve then goes back by ``least`` or more.

    >>> monotone_runs(np.array([0.0, 2.0, 1.9, 3.0, 1.0]), least=0.5)
    ((0, 3), (3, 4))
    """
    turns = [0]
    high = low = 0
    direction = 0
    for i in range(1, len(effects)):
        high = i if effects[i] > effects[high] else high
        low = i if effects[i] < effects[low] else low
        if direction >= 0 and effects[high] - effects[i] >= least:
            turns += [high] if direction else []
            direction, low = -1, i
        elif direction <= 0 and effects[i] - effects[low] >= least:
            turns += [low] if direction else []
            direction, high = 1, i
    ends = [*turns[1:], len(effects) - 1]
    return tuple(zip(turns, ends, strict=True))
