"""The positions of everything in a nomogram, in pixels; without Vega and colours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from warnings import warn

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, Curve
from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import FloatArray, Matrix, check_positive
from glassrank.core.groups import Groups
from glassrank.drawing.numbers import Notation, notation_for
from glassrank.nomograms.figure.arrangement import Arrangement, arrange, choose_rows, outside_groups
from glassrank.nomograms.figure.lines import GROUP, Line, Sampling, counts_of, group_sums, lines_of
from glassrank.nomograms.figure.overlay import Overlay
from glassrank.nomograms.figure.rows import (
    LABELS_LEFT,
    LINE_LEFT,
    LINE_RIGHT,
    Plotter,
    Row,
    Scale,
    level_counts,
    row_height,
    value_notation,
)
from glassrank.nomograms.figure.ticks import Tick, axis_ticks, labelled

WIDTH = 1400
NAME_X = 24
BAR_ZERO, AMOUNT_RIGHT = 978, 1128  # contributions, on the same rows as the lines
PANEL_LEFT, PANEL_RIGHT = 1164, 1376  # documents, probability and "How to read"
RULER_DROP = 78  # from the bottom of the rows to the middle of the ruler of the total
BELOW_RULER = {"score": 54, "log-odds": 70}
AMOUNT_CHARACTERS = 7  # what fits right of the bars
MIN_LOG_ODDS = 0.1  # if the largest contribution is smaller, two decimals do not suffice
MIN_HALF = 4.6  # the ruler reaches at least to log-odds of ±4.6: P from 0.01 to 0.99
PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
# The effect of a moved dot is interpolated. Its error is at most this, in log-odds and as a share of the line's range.
MAX_ERROR, MAX_ERROR_SHARE = 5e-4, 1e-3
REST, OFFSET = -1, -2
ORDERS = ("contribution", "length", "name", "model")
ALIGNMENTS = ("left", "zero")
TURNING = ("box", "folded")


@dataclass(frozen=True)
class FigureOptions:
    """How the lines are chosen and drawn."""

    order: str = "contribution"
    rows: int | None = None
    lines: str = "box"
    align: str = "left"
    by_length: bool = False
    """Whether rows are chosen by the length of their lines, not by what they contribute."""
    groups: tuple[FeatureGroup, ...] = ()
    """Features whose sum has one row."""
    open_groups: bool = False
    """Whether a still picture shows the members of groups, too."""


def rows_option(rows: int | None, most_rows: int | None) -> int | None:
    """Return the number of rows that the caller has set, perhaps by its old name; None for the automatic choice."""
    if most_rows is not None:
        warn("most_rows is called rows now, and goes away in version 0.3.", FutureWarning, stacklevel=3)
        rows = most_rows
    if rows is not None:
        check_positive("rows", rows, whole=True)
    return rows


@dataclass(frozen=True, eq=False)
class Rest:
    """All lines without a row of their own, summed."""

    columns: tuple[int, ...]
    contribution: float
    counts: str
    """How many features and interactions they are."""

    @property
    def label(self) -> str:
        """Its name in lists of contributions."""
        return f"the rest, {self.counts}"


@dataclass(frozen=True)
class Bar:
    """One contribution; the bars have the order of the rows."""

    number: int | None
    """Number of the feature's row; None for the rest and for the average row."""
    name: str
    contribution: float

    @property
    def label(self) -> str:
        return self.name if self.number is None else f"{self.number}  {self.name}"


@dataclass(frozen=True, eq=False)
class RowPlots:
    """Draws the row of any line, the documents on it, and the distribution of the observed values."""

    lines: tuple[Line, ...]
    observed: FloatArray
    """Values of the features."""
    sums: dict[int, FloatArray]
    """Sums of the groups, by the number of their line."""
    overlay: Overlay
    samples: EffectSamples | None

    def observed_on(self, k: int) -> FloatArray:
        """Return the observed values on a line; none on that of an interaction, which has a heat map."""
        return self.observed[:, k] if self.lines[k].own else self.sums.get(k, np.zeros(0))

    def plotter(self, k: int, top: float, scale: Scale) -> Plotter:
        """Return what converts values on a line to positions."""
        values = self.observed_on(k)
        return Plotter(self.lines[k], scale, top, level_counts(self.lines[k], values), self.overlay.values[:, k])

    def row(self, k: int, number: int | None, top: float, scale: Scale) -> Row:
        """Draw one row."""
        line, values, plotter = self.lines[k], self.observed_on(k), self.plotter(k, top, scale)
        ticks = plotter.ticks()
        errors = None if self.samples is None or not line.own else self.samples.curve_errors(k, line.values)
        return Row(
            k=k,
            number=number,
            line=line,
            top=top,
            height=row_height(line),
            y=plotter.y,
            x_start=plotter.start,
            x_end=plotter.start + scale.pixels * line.range,
            line_ends=plotter.ends(),
            missing=plotter.missing(),
            more=plotter.more,
            ticks=ticks,
            curve=plotter.curve(),
            band="" if errors is None else plotter.band(errors),
            hills=plotter.hills(values),
            stems=plotter.stems(values),
            notation=value_notation(line, whole=line.feature.whole),
            values=self.overlay.values[:, k],
            dots=tuple(plotter.start + scale.pixels * float(e - line.lowest) for e in self.overlay.effects[:, k]),
            contribution=float(self.overlay.contributions[k]),
        )


@dataclass(frozen=True, eq=False)
class Layout:
    """All positions of a nomogram."""

    lines: tuple[Line, ...]
    """Of the features in the model's order, then of the interactions, then of the groups."""
    rows: tuple[Row, ...]
    """Those of the picture; the members of an open group follow it."""
    arrangement: Arrangement
    rest: Rest | None
    bars: tuple[Bar, ...]
    points: tuple[Tick, ...]
    scores: tuple[Tick, ...]
    """Ticks of the axis below the lines, in the effects' unit."""
    totals: tuple[Tick, ...]
    probabilities: tuple[Tick, ...]
    half: float
    """The ruler of the total reaches from −half to half."""
    amounts: Notation
    """How contributions and their total are written."""

    options: FigureOptions
    lengths: FloatArray
    plots: RowPlots

    @property
    def scale(self) -> Scale:
        return self.arrangement.scale

    @cached_property
    def group_of(self) -> dict[int, int]:
        """Number of the line of each feature's group, for the features that are in one."""
        return {member: k for k, line in enumerate(self.lines) if line.kind == GROUP for member in line.members}

    @property
    def bottom(self) -> float:
        """Where the rows end."""
        return self.arrangement.bottom

    @property
    def ruler(self) -> float:
        """Vertical position of the ruler's middle."""
        return self.bottom + RULER_DROP

    @cached_property
    def others(self) -> tuple[Row, ...]:
        """Lines without a row, drawn at the top of the picture: they get one if another pair is shown, or on demand."""
        drawn = {row.k for row in self.rows}
        return tuple(self.plots.row(k, None, 0.0, self.scale) for k in range(len(self.lines)) if k not in drawn)

    def rearranged(self, overlay: Overlay) -> Arrangement:
        """Return the rows of another pair on the same lines."""
        return _arrangement(self.lines, self.candidates, self.lengths, overlay, self._closed, self.amounts)

    @cached_property
    def candidates(self) -> list[int]:
        """The lines that can have a row."""
        return outside_groups(self.lines)

    @cached_property
    def counts(self) -> str:
        """How many features and interactions the model has."""
        return counts_of(self.lines, self.candidates).replace(", ", "  ·  ")

    @cached_property
    def _closed(self) -> FigureOptions:
        return replace(self.options, open_groups=False)

    def total_x(self, total: float) -> float:
        """Return the position of a total on the ruler."""
        middle = (LINE_LEFT + LINE_RIGHT) / 2
        return middle + (LINE_RIGHT - LINE_LEFT) / 2 * min(1.0, max(-1.0, total / self.half))


def lay_out(
    effects: AdditiveEffects,
    lengths: FloatArray,
    observed: FloatArray,
    overlay: Overlay,
    options: FigureOptions,
    samples: EffectSamples | None = None,
) -> Layout:
    """Place every line, axis and number; ``observed`` contains the values of which the distributions are drawn.

    ``lengths`` and the columns of the overlay are those of the features, of the interactions and of the groups.
    """
    absolute = MAX_ERROR if effects.unit == "log-odds" else math.inf
    sampling = Sampling(absolute, MAX_ERROR_SHARE, options.lines)
    lines = lines_of(effects, options.groups, overlay.values, observed, sampling)
    n_columns = len(lines) - len(options.groups)
    sums = {n_columns + g: group_sums(group, effects, observed) for g, group in enumerate(options.groups)}
    largest = max(abs(overlay.total), abs(overlay.offset), *np.abs(overlay.contributions), 0.0)
    amounts = _amounts(largest if overlay.heads else float(lengths.max(initial=0.0)), effects.unit)
    arrangement = _arrangement(lines, outside_groups(lines), lengths, overlay, options, amounts)
    plots = RowPlots(lines, observed, sums, overlay, samples)
    rows = tuple(plots.row(place.k, place.number, place.top, arrangement.scale) for place in arrangement.places)
    rest = _rest(lines, arrangement, overlay)
    half = _half(overlay, largest, effects.unit)
    return Layout(
        lines=lines,
        rows=rows,
        arrangement=arrangement,
        rest=rest,
        bars=_bars(rows, rest, overlay),
        points=points_axis(lines, arrangement),
        scores=effect_axis(arrangement.scale),
        totals=axis_ticks(-half, half, LINE_LEFT, LINE_RIGHT, 11, sign=True),
        probabilities=_probabilities(half) if effects.unit == "log-odds" else (),
        half=half,
        amounts=amounts,
        options=options,
        lengths=lengths,
        plots=plots,
    )


def line_lengths(
    effects: AdditiveEffects, X: Matrix, queries: Groups | None, observed: FloatArray, groups: Sequence[FeatureGroup]
) -> FloatArray:
    """Return the lengths of the lines of all features, interactions and groups."""
    # A classifier's lines show the central range of the values, and their lengths are those of that range.
    kind = "central" if effects.subject == "class" else None
    sums = tuple(_GroupSum(group, effects) for group in groups)
    lengths = replace(effects, interactions=(*effects.interactions, *sums)).lengths(X, queries, kind)
    # A model of differences has lengths of features only.
    own = [np.ptp(group_sums(group, effects, observed)) for group in groups] if effects.subject == "difference" else []
    return np.concatenate([lengths, own])


@dataclass(frozen=True, eq=False)
class _GroupSum:
    """The sum of a group as a column of effects."""

    group: FeatureGroup
    effects: AdditiveEffects

    @property
    def features(self) -> tuple[int, int]:
        return self.group.members[0], self.group.members[1]

    def along(self, k: int, values: FloatArray) -> Curve:
        return self.effects.features[k].curve

    def __call__(self, X: FloatArray) -> FloatArray:
        return group_sums(self.group, self.effects, X)


def _rest(lines: tuple[Line, ...], arrangement: Arrangement, overlay: Overlay) -> Rest | None:
    shown = set(arrangement.shown)
    hidden = [k for k in outside_groups(lines) if k not in shown]
    return Rest(tuple(hidden), float(overlay.contributions[hidden].sum()), counts_of(lines, hidden)) if hidden else None


def _arrangement(
    lines: tuple[Line, ...],
    candidates: list[int],
    lengths: FloatArray,
    overlay: Overlay,
    options: FigureOptions,
    amounts: Notation,
) -> Arrangement:
    """Choose the rows by what they contribute, or by length, and sort them."""
    # A group replaces its members, which have no key.
    key = np.full(len(lines), np.nan)
    key[candidates] = (lengths if options.by_length else np.abs(overlay.contributions))[candidates]
    shown = choose_rows(key, options.rows, amounts)
    if options.order == "name":
        shown = sorted(shown, key=lambda k: lines[k].feature.name.casefold())
    elif options.order == "model":
        shown = sorted(shown)
    return arrange(
        lines,
        candidates,
        shown,
        key,
        overlay.contributions,
        overlay.effects,
        offset=overlay.offset,
        align=options.align,
        open_groups=options.open_groups,
    )


def _amounts(largest: float, unit: str) -> Notation:
    """Return how contributions are written: log-odds with two decimals, scores with three digits."""
    if unit == "log-odds" and MIN_LOG_ODDS <= largest < 1000:
        return Notation(2)
    return notation_for(largest, largest / 100, AMOUNT_CHARACTERS)


def _bars(rows: tuple[Row, ...], rest: Rest | None, overlay: Overlay) -> tuple[Bar, ...]:
    # The members of an open group are part of its sum.
    bars = [Bar(row.number, row.name, row.contribution) for row in rows if row.number is not None]
    bars += [Bar(None, rest.label, rest.contribution)] if rest else []
    bars += [Bar(None, overlay.start, overlay.offset)] if overlay.offset else []
    return tuple(bars)


def points_axis(lines: tuple[Line, ...], arrangement: Arrangement) -> tuple[Tick, ...]:
    """Return the ticks of the points: 100 is the longest line or, if lines are aligned at 0, the largest |effect|."""
    scale, shown = arrangement.scale, [lines[k] for k in arrangement.shown]
    if scale.zero is None:
        step = (LINE_RIGHT - LINE_LEFT) / 10
        return labelled([(LINE_LEFT + step * p, 10.0 * p) for p in range(11)], LABELS_LEFT)
    largest = max((max(-line.lowest, line.lowest + line.range) for line in shown), default=0.0)
    places = [(scale.zero + scale.pixels * largest * p / 100, float(p)) for p in range(-100, 101, 20)]
    return labelled([(x, p) for x, p in places if LINE_LEFT - 1 <= x <= LINE_RIGHT + 1], LABELS_LEFT)


def effect_axis(scale: Scale) -> tuple[Tick, ...]:
    """Return the ticks of the axis below the lines, in the effects' unit."""
    if not scale.pixels:
        return ()
    low = 0.0 if scale.zero is None else (LINE_LEFT - scale.zero) / scale.pixels
    return axis_ticks(low, low + (LINE_RIGHT - LINE_LEFT) / scale.pixels, LINE_LEFT, LINE_RIGHT, 8)


def _half(overlay: Overlay, largest: float, unit: str) -> float:
    """Return half the ruler's range, which includes the total with its interval, and P from 0.01 to 0.99."""
    reach = max(abs(end) for end in (overlay.total, *(overlay.interval or ())))
    if unit == "log-odds":
        return max(MIN_HALF, 1.15 * reach)
    return 1.25 * max(reach, largest / 100) or 1.0


def _probabilities(half: float) -> tuple[Tick, ...]:
    middle, pixels = (LINE_LEFT + LINE_RIGHT) / 2, (LINE_RIGHT - LINE_LEFT) / 2 / half
    places = [(middle + pixels * math.log(p / (1 - p)), f"{p:g}") for p in PROBABILITIES]
    inside = [(x, label) for x, label in places if LINE_LEFT - 1 <= x <= LINE_RIGHT + 1]
    # P = 0.5 is the tie and keeps its label; from there outwards, labels that are too close are omitted.
    ticks: list[Tick] = []
    for x, label in sorted(inside, key=lambda place: abs(place[0] - middle)):
        apart = all(abs(x - tick.x) >= 27 for tick in ticks if tick.label)
        ticks.append(Tick(x, label if apart else ""))
    return tuple(sorted(ticks, key=lambda tick: tick.x))
