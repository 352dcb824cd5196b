"""Where everything of a pair nomogram stands, in pixels; knows neither Vega nor colours."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.effects import AdditiveEffects, FeatureEffect
from glassrank.data.wording import counted
from glassrank.nomograms.numbers import Notation, notation_for, round_ticks
from glassrank.nomograms.pair import ComparedPair
from glassrank.nomograms.text import text_width

WIDTH = 1200
NAME_X = 24
LINE_LEFT, LINE_RIGHT = 252, 800  # every feature's line starts at LINE_LEFT; the longest one ends at LINE_RIGHT
PANEL_LEFT, PANEL_RIGHT = 860, 1176  # contributions
BAR_ZERO, BAR_LARGEST = 1072, 42
FIRST_BAR, BAR_HEIGHT = 262, 26
TOP = 132
ROW_HEIGHT = 44
TICK_SIZE = 11  # font size of tick labels
LEAST_LABEL_GAP = 27  # between the middles of two labels; closer ones lose their text and keep their tick
LEAST_SPACE = 6  # between the edges of two labels
LABEL_OVERHANG = 20  # how far a label may reach left of the lines, where the documents' values stand
PIXELS_PER_TICK = 34
HOW_TO_READ_HEIGHT = 150
AMOUNT_CHARACTERS = 7  # what fits right of the bars


@dataclass(frozen=True)
class Tick:
    """A mark on a line or axis; without a label where there is no room for one."""

    x: float
    label: str


@dataclass(frozen=True)
class Row:
    """One feature: its line, ticks, and the two documents' dots."""

    number: int
    name: str
    unit: str
    y: float
    x_end: float
    ticks: tuple[Tick, ...]
    value_a: str
    value_b: str
    x_a: float
    x_b: float
    contribution: float

    @property
    def constant(self) -> bool:
        """Whether the line is a point: the feature moves no document."""
        return self.x_end == LINE_LEFT


@dataclass(frozen=True)
class Bar:
    """One line of the list of contributions, sorted from "favours A" to "favours B"."""

    number: int | None
    """Number of the feature's row; ``None`` for the sum of those that have none."""
    name: str
    y: float
    x_end: float
    contribution: float

    @property
    def label(self) -> str:
        return self.name if self.number is None else f"{self.number}  {self.name}"


@dataclass(frozen=True)
class Layout:
    """All positions of a pair nomogram."""

    rows: tuple[Row, ...]
    bars: tuple[Bar, ...]
    n_others: int
    bottom: float
    height: float
    points: tuple[Tick, ...]
    scores: tuple[Tick, ...]
    """Ticks of the axis below the lines, in the effects' unit."""
    totals: tuple[Tick, ...]
    total_zero: float
    total_x: float
    amounts: Notation
    """How contributions and their total are written."""


def lay_out(effects: AdditiveEffects, lengths: FloatArray, pair: ComparedPair, most_rows: int) -> Layout:
    """Lay out the ``most_rows`` longest features, one line each; all others share one entry of the contributions."""
    order = np.argsort(-lengths, kind="stable")
    shown, others = order[:most_rows], order[most_rows:]
    lines = [_Line.of(effects.features[k], pair, k) for k in shown]
    widest = max((line.highest - line.lowest for line in lines), default=0.0)
    scale = (LINE_RIGHT - LINE_LEFT) / widest if widest > 0 else 0.0
    rows = tuple(_row(place, line, pair, k, scale) for place, (line, k) in enumerate(zip(lines, shown, strict=True)))
    bottom = TOP + ROW_HEIGHT * len(rows)
    bars = _bars(rows, float(pair.contributions[others].sum()), len(others))
    largest = max([abs(pair.difference), *(abs(bar.contribution) for bar in bars)])
    totals, total_zero, total_x = _total_axis(pair.difference, largest)
    return Layout(
        rows=rows,
        bars=bars,
        n_others=len(others),
        bottom=bottom,
        height=max(bottom + 128, FIRST_BAR + BAR_HEIGHT * (len(bars) + 1) + HOW_TO_READ_HEIGHT),
        points=tuple(Tick(LINE_LEFT + (LINE_RIGHT - LINE_LEFT) * p / 100, str(p)) for p in range(0, 101, 10)),
        scores=_axis(0.0, widest, 8),
        totals=totals,
        total_zero=total_zero,
        total_x=total_x,
        amounts=notation_for(largest, largest / 100, AMOUNT_CHARACTERS),
    )


@dataclass(frozen=True)
class _Line:
    """A feature's line before it has a place: from which value to which, and how far its effect reaches."""

    feature: FeatureEffect
    first: float
    last: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, feature: FeatureEffect, pair: ComparedPair, k: int) -> "_Line":
        """Span the observed values, widened to hold both dots."""
        values = (feature.low, feature.high, float(pair.a.values[k]), float(pair.b.values[k]))
        first, last = min(values), max(values)
        ends = feature(np.array([first, last]))
        return cls(feature, first, last, float(ends.min()), float(ends.max()))

    def notation(self, a: float, b: float) -> Notation:
        """One notation for both documents' values: to a hundredth of the line, and whole numbers stay whole."""
        whole = all(value == round(value) for value in (self.first, self.last, a, b))
        step = max(1.0, (self.last - self.first) / 1000) if whole else (self.last - self.first) / 100
        return notation_for(max(abs(self.first), abs(self.last)), step)


def _row(place: int, line: _Line, pair: ComparedPair, k: int, scale: float) -> Row:
    def x_of(value: float) -> float:
        return LINE_LEFT + scale * (float(line.feature(np.array(value))) - line.lowest)

    x_end = LINE_LEFT + scale * (line.highest - line.lowest)
    most_ticks = max(4, min(10, int((x_end - LINE_LEFT) / PIXELS_PER_TICK)))
    # A point stands for every value: a tick would claim one of them.
    values = round_ticks(line.first, line.last, most_ticks) if x_end > LINE_LEFT else []
    a, b = float(pair.a.values[k]), float(pair.b.values[k])
    shown = line.notation(a, b)
    return Row(
        number=place + 1,
        name=line.feature.name,
        unit=line.feature.unit,
        y=TOP + ROW_HEIGHT * place + 16,
        x_end=x_end,
        ticks=_labelled([(x_of(value), value) for value in values]),
        value_a=shown(a),
        value_b=shown(b),
        x_a=x_of(a),
        x_b=x_of(b),
        contribution=float(pair.contributions[k]),
    )


def _labelled(places: list[tuple[float, float]], *, sign: bool = False) -> tuple[Tick, ...]:
    """Ticks at these places (x, value): all of them, but only labels that stand apart."""
    values = [value for _, value in places]
    step = min((abs(b - a) for a, b in pairwise(values)), default=max(map(abs, values), default=1.0))
    shown = notation_for(max(map(abs, values), default=1.0), step)
    ticks: list[Tick] = []
    last: Tick | None = None
    for x, value in sorted(places):
        tick = Tick(x, shown(value, sign=sign))
        free = x - text_width(tick.label, TICK_SIZE) / 2 >= LINE_LEFT - LABEL_OVERHANG
        readable = free and (last is None or x - last.x >= _least_distance(last.label, tick.label))
        ticks.append(tick if readable else Tick(x, ""))
        last = tick if readable else last
    return tuple(ticks)


def _least_distance(label: str, other: str) -> float:
    halves = (text_width(label, TICK_SIZE) + text_width(other, TICK_SIZE)) / 2
    return max(LEAST_LABEL_GAP, halves + LEAST_SPACE)


def _bars(rows: tuple[Row, ...], rest: float, n_others: int) -> tuple[Bar, ...]:
    entries: list[tuple[int | None, str, float]] = [(row.number, row.name, row.contribution) for row in rows]
    if n_others:
        entries.append((None, counted(n_others, "other feature"), rest))
    entries.sort(key=lambda entry: -entry[2])
    largest = max((abs(value) for *_, value in entries), default=0.0)
    unit = BAR_LARGEST / largest if largest > 0 else 0.0
    return tuple(
        Bar(number, name, FIRST_BAR + BAR_HEIGHT * place, BAR_ZERO + unit * value, value)
        for place, (number, name, value) in enumerate(entries)
    )


def _axis(low: float, high: float, most: int, *, sign: bool = False) -> tuple[Tick, ...]:
    pixels = (LINE_RIGHT - LINE_LEFT) / (high - low) if high > low else 0.0
    places = [(LINE_LEFT + pixels * (value - low), value) for value in round_ticks(low, high, most)]
    return _labelled(places, sign=sign)


def _total_axis(difference: float, largest: float) -> tuple[tuple[Tick, ...], float, float]:
    """A symmetric axis wide enough for the difference, the place of 0 and that of the difference."""
    half = 1.25 * max(abs(difference), largest / 100) or 1.0
    middle = (LINE_LEFT + LINE_RIGHT) / 2
    x = middle + (LINE_RIGHT - LINE_LEFT) / 2 * difference / half
    return _axis(-half, half, 9, sign=True), middle, x
