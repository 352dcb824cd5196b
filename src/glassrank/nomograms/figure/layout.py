"""The positions of everything in a nomogram, in pixels; without Vega and colours."""

import math
from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import FloatArray
from glassrank.core.wording import counted
from glassrank.drawing.numbers import Notation, notation_for
from glassrank.nomograms.figure.lines import Line, line_of
from glassrank.nomograms.figure.overlay import Overlay
from glassrank.nomograms.figure.rows import (
    LABELS_LEFT,
    LINE_LEFT,
    LINE_RIGHT,
    ROW_HEIGHT,
    Plotter,
    Row,
    Scale,
    level_counts,
    row_height,
    value_notation,
)
from glassrank.nomograms.figure.ticks import Tick, axis_ticks, labelled

WIDTH = 1200
NAME_X = 24
PANEL_LEFT, PANEL_RIGHT = 900, 1176  # contributions
BAR_ZERO, BAR_LARGEST = 1078, 40
BAR_HEIGHT = 22
FIRST_BAR = {"score": 284, "log-odds": 446}
TOP = 132
RULER_DROP = 78  # from the bottom of the rows to the middle of the ruler of the total
BELOW_RULER = {"score": 54, "log-odds": 70}
HOW_TO_READ_HEIGHT = 168
HOLLOW_MARK_HEIGHT = 34  # of the sentence about missing values
AMOUNT_CHARACTERS = 7  # what fits right of the bars
MIN_LINE = 48  # if not all features are drawn, shorter lines are summed with the rest
MIN_HALF = 4.6  # the ruler reaches at least to log-odds of ±4.6: P from 0.01 to 0.99
PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
# The effect of a moved dot is interpolated. Its error is at most this, in log-odds and as a share of the line's range.
MAX_ERROR, MAX_ERROR_SHARE = 5e-4, 1e-3
MAX_BARS = 40
REST, OFFSET = -1, -2
ORDERS = ("length", "name", "model")
ALIGNMENTS = ("left", "zero")
TURNING = ("box", "folded")


@dataclass(frozen=True)
class FigureOptions:
    """How the lines are chosen and drawn."""

    order: str = "length"
    most_rows: int = 20
    lines: str = "box"
    align: str = "left"


@dataclass(frozen=True, eq=False)
class Rest:
    """All features without a row of their own, summed in one line."""

    columns: tuple[int, ...]
    top: float
    y: float
    x_start: float
    x_end: float
    lowest: float
    """The smallest summed effect, relative to the sum of the lowest effects of the lines."""
    dots: tuple[float, ...]
    contribution: float

    @property
    def label(self) -> str:
        """Its name in the list of contributions."""
        return counted(len(self.columns), "other feature")


@dataclass(frozen=True)
class Bar:
    """One line of the list of contributions, sorted from the most positive to the most negative."""

    entry: int
    """Index of the feature in the model; REST or OFFSET for entries that are not features."""
    number: int | None
    """Number of the feature's row; None without a row."""
    name: str
    contribution: float

    @property
    def label(self) -> str:
        return self.name if self.number is None else f"{self.number}  {self.name}"


@dataclass(frozen=True, eq=False)
class Layout:
    """All positions of a nomogram."""

    lines: tuple[Line, ...]
    """One per feature, in the model's order."""
    rows: tuple[Row, ...]
    rest: Rest | None
    bars: tuple[Bar, ...]
    scale: Scale
    bottom: float
    height: float
    first_bar: float
    points: tuple[Tick, ...]
    scores: tuple[Tick, ...]
    """Ticks of the axis below the lines, in the effects' unit."""
    totals: tuple[Tick, ...]
    probabilities: tuple[Tick, ...]
    half: float
    """The ruler of the total reaches from −half to half."""
    amounts: Notation
    """How contributions and their total are written."""

    @property
    def ruler(self) -> float:
        """Vertical position of the ruler's middle."""
        return self.bottom + RULER_DROP

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
    """Place every feature, axis and number; ``observed`` contains the values of which the distributions are drawn."""
    absolute = MAX_ERROR if effects.unit == "log-odds" else math.inf
    lines = tuple(
        line_of(feature, overlay.values[:, k], absolute, MAX_ERROR_SHARE, options.lines)
        for k, feature in enumerate(effects.features)
    )
    shown, others = _chosen(lines, lengths, options)
    sums = effects.contributions(observed)[:, others].sum(axis=1) if len(others) else np.zeros(1)
    scale = _scale([lines[k] for k in shown], _rest_ends(sums, overlay, others), options.align)
    rows = _rows(lines, shown, scale, observed, overlay, samples)
    below = rows[-1].top + rows[-1].height if rows else TOP
    rest = _rest(lines, others, scale, overlay, sums, below) if len(others) else None
    bottom = below + (ROW_HEIGHT if rest else 0)
    bars = _bars(lines, rows, rest, overlay)
    first_bar = FIRST_BAR[effects.unit]
    largest = max([abs(overlay.total), *(abs(bar.contribution) for bar in bars)])
    half = _half(overlay, largest, effects.unit)
    panel = first_bar + BAR_HEIGHT * (len(bars) + 2) + HOW_TO_READ_HEIGHT
    panel += HOLLOW_MARK_HEIGHT if any(row.missing is not None for row in rows) else 0
    return Layout(
        lines=lines,
        rows=rows,
        rest=rest,
        bars=bars,
        scale=scale,
        bottom=bottom,
        height=max(bottom + RULER_DROP + BELOW_RULER[effects.unit], panel),
        first_bar=first_bar,
        points=_points(scale, lines, shown),
        scores=_effect_axis(scale),
        totals=axis_ticks(-half, half, LINE_LEFT, LINE_RIGHT, 11, sign=True),
        probabilities=_probabilities(half) if effects.unit == "log-odds" else (),
        half=half,
        amounts=notation_for(largest, largest / 100, AMOUNT_CHARACTERS),
    )


def _chosen(lines: tuple[Line, ...], lengths: FloatArray, options: FigureOptions) -> tuple[list[int], list[int]]:
    """Return the features with a row of their own, in the requested order, and the others."""
    by_length = [int(k) for k in np.argsort(-lengths, kind="stable")]
    longest = by_length[: options.most_rows]
    if len(longest) < len(by_length):
        widest = max(lines[k].range for k in longest)
        least = MIN_LINE / (LINE_RIGHT - LINE_LEFT) * widest
        longest = [k for k in longest if lines[k].range >= least] or longest[:1]
    shown = set(longest)
    orders = {
        "length": longest,
        "name": sorted(longest, key=lambda k: lines[k].feature.name.casefold()),
        "model": sorted(longest),
    }
    return orders[options.order], [k for k in by_length if k not in shown]


def _rest_ends(sums: FloatArray, overlay: Overlay, others: list[int]) -> tuple[float, float]:
    """Return the middle 99 % of the summed effects, widened to include the documents."""
    if not others:
        return 0.0, 0.0
    shown = [*overlay.effects[:, others].sum(axis=1), overlay.base[others].sum(), *np.quantile(sums, [0.005, 0.995])]
    return float(min(shown)), float(max(shown))


def _scale(shown: list[Line], rest: tuple[float, float], align: str) -> Scale:
    room = LINE_RIGHT - LINE_LEFT
    if align == "left":
        widest = max([rest[1] - rest[0], *(line.range for line in shown)], default=0.0)
        return Scale(room / widest if widest > 0 else 0.0, None)
    lowest = min([rest[0], *(line.lowest for line in shown)])
    highest = max([rest[1], *(line.lowest + line.range for line in shown)])
    pixels = room / (highest - lowest) if highest > lowest else 0.0
    return Scale(pixels, LINE_LEFT - pixels * lowest)


def _rows(
    lines: tuple[Line, ...],
    shown: list[int],
    scale: Scale,
    observed: FloatArray,
    overlay: Overlay,
    samples: EffectSamples | None,
) -> tuple[Row, ...]:
    rows, top = [], float(TOP)
    for number, k in enumerate(shown, start=1):
        line, values = lines[k], observed[:, k]
        known = values[~np.isnan(values)]
        plotter = Plotter(line, scale, top, level_counts(line, values), overlay.values[:, k])
        ticks = plotter.ticks()
        errors = None if samples is None else samples.curve_errors(k, line.values)
        height = row_height(line)
        whole = bool(np.all(known == np.round(known)))
        rows.append(
            Row(
                k=k,
                number=number,
                line=line,
                top=top,
                height=height,
                y=plotter.y,
                x_start=plotter.start,
                x_end=plotter.start + scale.pixels * line.range,
                line_ends=plotter.ends(),
                missing=plotter.missing(),
                more=plotter.more(ticks),
                ticks=ticks,
                curve=plotter.curve(),
                band="" if errors is None else plotter.band(errors),
                hills=plotter.hills(values),
                whole=whole,
                notation=value_notation(line, whole=whole),
                values=overlay.values[:, k],
                dots=tuple(plotter.start + scale.pixels * float(e - line.lowest) for e in overlay.effects[:, k]),
                contribution=float(overlay.contributions[k]),
            )
        )
        top += height
    return tuple(rows)


def _rest(
    lines: tuple[Line, ...], others: list[int], scale: Scale, overlay: Overlay, sums: FloatArray, top: float
) -> Rest:
    low, high = _rest_ends(sums, overlay, others)
    start = LINE_LEFT if scale.zero is None else scale.zero + scale.pixels * low
    return Rest(
        columns=tuple(others),
        top=top,
        y=top + ROW_HEIGHT / 2 - 5,
        x_start=start,
        x_end=start + scale.pixels * (high - low),
        lowest=low - sum(lines[k].lowest for k in others),
        dots=tuple(start + scale.pixels * float(e - low) for e in overlay.effects[:, others].sum(axis=1)),
        contribution=float(overlay.contributions[others].sum()),
    )


def _bars(lines: tuple[Line, ...], rows: tuple[Row, ...], rest: Rest | None, overlay: Overlay) -> tuple[Bar, ...]:
    """Return one bar per feature; in a long list, the features without a row share one."""
    bars = [Bar(row.k, row.number, row.name, row.contribution) for row in rows]
    if rest and len(lines) <= MAX_BARS:
        bars += [Bar(k, None, lines[k].feature.name, float(overlay.contributions[k])) for k in rest.columns]
    elif rest:
        bars.append(Bar(REST, None, rest.label, rest.contribution))
    bars += [Bar(OFFSET, None, "average row", overlay.offset)] if overlay.offset else []
    return tuple(sorted(bars, key=lambda bar: -bar.contribution))


def _points(scale: Scale, lines: tuple[Line, ...], shown: list[int]) -> tuple[Tick, ...]:
    """Return the ticks of the points: 100 is the longest line or, if lines are aligned at 0, the largest |effect|."""
    if scale.zero is None:
        longest = scale.pixels * max((lines[k].range for k in shown), default=0.0) or LINE_RIGHT - LINE_LEFT
        # The sum of many weak features may be longer than the longest line.
        last = int((LINE_RIGHT + 1 - LINE_LEFT) / longest * 10)
        return labelled([(LINE_LEFT + longest * p / 10, 10.0 * p) for p in range(last + 1)], LABELS_LEFT)
    largest = max((max(-lines[k].lowest, lines[k].lowest + lines[k].range) for k in shown), default=0.0)
    places = [(scale.zero + scale.pixels * largest * p / 100, float(p)) for p in range(-100, 101, 20)]
    return labelled([(x, p) for x, p in places if LINE_LEFT - 1 <= x <= LINE_RIGHT + 1], LABELS_LEFT)


def _effect_axis(scale: Scale) -> tuple[Tick, ...]:
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
