"""One feature's line, not yet placed: its sampled curve, its kind and its monotone runs."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import UNSEEN

POINT, LINE, CATEGORY, BOX, FOLD = "point", "line", "category", "box", "fold"

FIRST_SAMPLES = 65
ROUNDS = 24  # each halves the interval that contains a jump
MAX_SAMPLES = 3000
MIDDLE_MARGIN = 2.0  # only the middle of an interval is tested: the error may be somewhat larger elsewhere
MIN_TURN = 0.01  # of the line's range: smaller rises and falls do not count as turns


@dataclass(frozen=True, eq=False)
class Line:
    """A feature's curve from ``first`` to ``last``; effects are relative to the lowest one, that of missing included.

    Between neighbouring samples the curve is straight, within the tolerance of the sampling.
    """

    feature: FeatureEffect
    values: FloatArray
    effects: FloatArray
    lowest: float
    kind: str
    runs: tuple[tuple[int, int], ...]
    """First and last sample of each part that only rises or only falls."""
    others: tuple[float, ...] = ()
    """Effects that are not on the curve but belong to the line: of missing values, and of levels not seen."""

    @property
    def missing(self) -> float | None:
        """Effect of a missing value; None if there are none."""
        effect = self.feature.missing_effect
        return None if effect is None else effect - self.lowest

    @property
    def first(self) -> float:
        return float(self.values[0])

    @property
    def last(self) -> float:
        return float(self.values[-1])

    @property
    def range(self) -> float:
        """Largest minus smallest effect: the line's length before it is scaled."""
        return float(max(self.effects.max(), *self.others)) if self.others else float(self.effects.max())

    def inverse(self, run: int) -> tuple[FloatArray, FloatArray]:
        """Return the effects along one run in ascending order, and the value at each; small dips are levelled out."""
        start, end = self.runs[run]
        effects, values = self.effects[start : end + 1], self.values[start : end + 1]
        if effects[-1] < effects[0]:
            effects, values = effects[::-1], values[::-1]
        return np.maximum.accumulate(effects), values


def line_of(feature: FeatureEffect, documents: FloatArray, tolerance: float, share: float, turning: str) -> Line:
    """Sample a feature's curve over its observed values, widened to include the documents' values.

    Straight lines between samples differ from the curve by at most ``tolerance``, and by at most this ``share`` of its
    range. ``turning`` says how a curve that rises and falls is drawn: ``"box"`` or ``"folded"``.
    """
    known = documents[~np.isnan(documents)]
    others = [] if feature.missing_effect is None else [feature.missing_effect]
    if feature.categories:
        values = np.arange(len(feature.categories), dtype=np.float64)
        return _line(feature, values, [*others, *feature(known[known == UNSEEN]).tolist()], turning)
    first, last = min([feature.low, *known]), max([feature.high, *known])
    straight = feature.linear or first == last
    values = np.array([first, last]) if straight else _samples(feature, first, last, tolerance, share)
    return _line(feature, values, others, turning)


def _line(feature: FeatureEffect, values: FloatArray, others: list[float], turning: str) -> Line:
    effects = np.asarray(feature(values), dtype=np.float64)
    lowest = float(min([effects.min(), *others]))
    effects = effects - lowest
    beside = tuple(other - lowest for other in others)
    size = float(np.ptp(effects))
    if size == 0:
        return Line(feature, values, effects, lowest, POINT, (), beside)
    if feature.categories:
        return Line(feature, values, effects, lowest, CATEGORY, ((0, len(values) - 1),), beside)
    runs = monotone_runs(effects, MIN_TURN * size)
    kind = LINE if len(runs) == 1 else BOX if turning == "box" else FOLD
    return Line(feature, values, effects, lowest, kind, runs, beside)


def _samples(feature: FeatureEffect, first: float, last: float, tolerance: float, share: float) -> FloatArray:
    """Return values so dense that straight lines between them differ from the curve by at most the tolerance."""
    values = np.linspace(first, last, FIRST_SAMPLES)
    tolerance = min(tolerance, share * float(np.ptp(feature(values))))
    open_ = np.ones(len(values) - 1, dtype=bool)
    for _ in range(ROUNDS):
        left, right = values[:-1][open_], values[1:][open_]
        middles = (left + right) / 2
        missed = np.abs(feature(middles) - (feature(left) + feature(right)) / 2)
        poor = (missed > tolerance / MIDDLE_MARGIN) & (left < middles) & (middles < right)
        if not poor.any() or len(values) + poor.sum() > MAX_SAMPLES:
            break
        places = np.flatnonzero(open_)[poor] + 1
        values = np.insert(values, places, middles[poor])
        shifted = places + np.arange(len(places))
        open_ = np.zeros(len(values) - 1, dtype=bool)
        open_[shifted - 1] = open_[shifted] = True
    return _without_redundant_samples(values, feature(values))


def _without_redundant_samples(values: FloatArray, effects: FloatArray) -> FloatArray:
    """Drop samples that lie on the straight line between their neighbours, as on the treads of a staircase."""
    slack = 1e-12 * max(float(np.ptp(effects)), np.finfo(np.float64).tiny)
    inner = values[1:-1]
    share = (inner - values[:-2]) / (values[2:] - values[:-2])
    straight = effects[:-2] + share * (effects[2:] - effects[:-2])
    needed = np.concatenate([[True], np.abs(effects[1:-1] - straight) > slack, [True]])
    return values[needed]


def monotone_runs(effects: FloatArray, min_turn: float) -> tuple[tuple[int, int], ...]:
    """Split at the turning points; a turn counts if the curve then goes back by ``min_turn`` or more.

    >>> monotone_runs(np.array([0.0, 2.0, 1.9, 3.0, 1.0]), min_turn=0.5)
    ((0, 3), (3, 4))
    """
    turns = [0]
    high = low = 0
    direction = 0
    for i in range(1, len(effects)):
        high = i if effects[i] > effects[high] else high
        low = i if effects[i] < effects[low] else low
        if direction >= 0 and effects[high] - effects[i] >= min_turn:
            turns += [high] if direction else []
            direction, low = -1, i
        elif direction <= 0 and effects[i] - effects[low] >= min_turn:
            turns += [low] if direction else []
            direction, high = 1, i
    ends = [*turns[1:], len(effects) - 1]
    return tuple(zip(turns, ends, strict=True))
