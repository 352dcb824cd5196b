"""The line of a row, not yet placed: of a feature, of what two features add together, or of the sum of a group."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

import numpy as np

from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.additive.interactions import Interaction, n_states
from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import UNSEEN
from glassrank.core.wording import counted
from glassrank.drawing.numbers import notation_for
from glassrank.nomograms.heat_map import HeatMap, heat_map

POINT, LINE, CATEGORY, BOX, FOLD = "point", "line", "category", "box", "fold"
TOGETHER, GROUP = "together", "group"
"""Lines whose value is the effect itself: of an interaction, and of the sum of a group's members."""
GROUP_ENDS = (0.005, 0.995)
GROUP_TICKS = (50, 1, 99, 10, 90, 25, 75)
MAX_MAP_ROWS = 5000  # rows that weigh the cells of a heat map

CELL_HEIGHT, STRIP_GAP = 16, 5  # of a heat map; the cells of missing values are apart
MAP_HEAD, MAP_FOOT = 26, 26  # for the names of the features and the labels of the cells

FIRST_SAMPLES = 65
ROUNDS = 24  # each halves the interval that contains a jump
MAX_SAMPLES = 3000
MIDDLE_MARGIN = 2.0  # only the middle of an interval is tested: the error may be somewhat larger elsewhere
MIN_TURN = 0.01  # of the line's range: smaller rises and falls do not count as turns


@dataclass(frozen=True, eq=False)
class Line:
    """A curve from ``first`` to ``last``; effects are relative to the lowest one, that of missing included.

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
    members: tuple[int, ...] = ()
    """The two features of an interaction, or the features of a group."""
    marks: tuple[tuple[float, str], ...] = ()
    """Ticks of an interaction or a group, the most important first: effects and labels."""
    map_of: Callable[[], HeatMap] | None = None

    @cached_property
    def map(self) -> HeatMap | None:
        """The heat map of an interaction, made when it is first drawn."""
        return None if self.map_of is None else self.map_of()

    @property
    def own(self) -> bool:
        """Whether this is the line of one feature, whose value can be changed."""
        return not self.members

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

    @cached_property
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


@dataclass(frozen=True)
class Sampling:
    """How exactly curves are drawn, as in ``line_of``."""

    tolerance: float
    share: float
    turning: str


def map_height(drawn: HeatMap) -> float:
    """Return the height of a heat map with its names and labels."""
    return MAP_HEAD + CELL_HEIGHT * drawn.up.width + STRIP_GAP * drawn.up.missing + MAP_FOOT


def lines_of(
    effects: AdditiveEffects,
    groups: Sequence[FeatureGroup],
    documents: FloatArray,
    observed: FloatArray,
    sampling: Sampling,
) -> tuple[Line, ...]:
    """Return the lines of all features, then of the interactions, then of the groups.

    ``documents`` has one column for each of these lines, ``observed`` one for each feature.
    """
    precision = sampling.tolerance, sampling.share, sampling.turning
    lines = [line_of(feature, documents[:, k], *precision) for k, feature in enumerate(effects.features)]
    some = observed[:: 1 + len(observed) // MAX_MAP_ROWS]
    for name, both in zip(effects.interaction_names, effects.interactions, strict=True):
        lines.append(_line_together(name, cast(Interaction, both), effects, documents[:, len(lines)], some))
    n = len(lines)
    return (*lines, *(_group_line(group, effects, documents[:, n + g], observed) for g, group in enumerate(groups)))


def _line_together(
    name: str, both: Interaction, effects: AdditiveEffects, documents: FloatArray, observed: FloatArray
) -> Line:
    """Return the line of an interaction over all states that a row can have."""
    line = _sum_line(name, TOGETHER, both.features, _reachable(both, effects), documents)
    ends = [line.lowest, line.lowest + line.range]
    shown = notation_for(max(map(abs, ends)) or 1.0, max(line.range, 1e-300) / 100)
    zero = [0.0] if ends[0] < 0.0 < ends[1] else []
    marks = tuple((value, shown(value, sign=True)) for value in [*ends, *zero])
    return replace(line, marks=marks, map_of=partial(heat_map, both, effects.features, observed))


def _group_line(group: FeatureGroup, effects: AdditiveEffects, documents: FloatArray, observed: FloatArray) -> Line:
    """Return the line of a group's sum; its ticks are the shares of documents with a lower one."""
    sums = group_sums(group, effects, observed)
    ends = np.quantile(sums, GROUP_ENDS) if len(sums) else np.zeros(1)
    line = _sum_line(group.name, GROUP, group.members, ends, documents)
    shares = GROUP_TICKS if len(sums) else ()
    marks = tuple((float(np.quantile(sums, share / 100)), f"{share} %") for share in shares)
    return replace(line, marks=marks)


def group_sums(group: FeatureGroup, effects: AdditiveEffects, observed: FloatArray) -> FloatArray:
    """Return the summed effects of a group's features in each row."""
    parts = [effects.features[k](observed[:, k]) for k in group.members]
    return np.asarray(np.sum(parts, axis=0))


def _sum_line(name: str, kind: str, members: tuple[int, ...], effects: FloatArray, documents: FloatArray) -> Line:
    """Return a line whose value is the effect, over these effects and those of the documents."""
    both = np.concatenate([effects, documents])
    ends = np.array([both.min(), both.max()])
    feature = FeatureEffect(name, LinearCurve(1.0), float(ends[0]), float(ends[1]), 0.0)
    return Line(feature, ends, ends - ends[0], float(ends[0]), kind, ((0, 1),), members=tuple(members))


def _reachable(both: Interaction, effects: AdditiveEffects) -> FloatArray:
    """Return the effects of all states that a row can have: not of unseen levels, nor of missing values without any."""
    kept = []
    for axis, k in zip((both.first_axis, both.second_axis), both.features, strict=True):
        feature, states = effects.features[k], np.ones(n_states(axis), dtype=bool)
        states[-1] = feature.missing_share is not None
        if feature.categories:
            states[-2] = False
        kept.append(states)
    return np.asarray(both.table[np.ix_(*kept)].ravel())


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


def counts_of(lines: tuple[Line, ...], columns: Iterable[int]) -> str:
    """Say how many features and interactions these lines are; the features of a group count one by one."""
    columns = list(columns)
    pairs = sum(lines[k].kind == TOGETHER for k in columns)
    features = sum(len(lines[k].members) if lines[k].kind == GROUP else lines[k].own for k in columns)
    parts = [counted(features, "feature")] if features or not pairs else []
    return ", ".join([*parts, *([counted(pairs, "interaction")] if pairs else [])])
