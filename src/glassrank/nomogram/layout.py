"""Where everything of a pair nomogram stands, in pixels; knows neither Vega nor colours."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.effects import AdditiveEffects, FeatureEffect
from glassrank.nomogram.numbers import decimals_for, number, round_ticks
from glassrank.nomogram.pair import ComparedPair

WIDTH = 1200
NAME_X = 24
LINE_LEFT, LINE_RIGHT = 252, 800  # every feature's line starts at LINE_LEFT; the longest one ends at LINE_RIGHT
PANEL_LEFT, PANEL_RIGHT = 860, 1176  # contributions
BAR_ZERO, BAR_LARGEST = 1080, 46
TOP = 132
ROW_HEIGHT = 44
LEAST_LABEL_GAP = 27  # tick labels closer than this lose their text and keep their tick


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
    constant: bool


@dataclass(frozen=True)
class Bar:
    """One line of the list of contributions, sorted from "favours A" to "favours B"."""

    label: str
    y: float
    x_end: float
    contribution: float


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
    decimals: int


def lay_out(effects: AdditiveEffects, lengths: FloatArray, pair: ComparedPair, most_rows: int) -> Layout:
    """Lay out the ``most_rows`` longest features, one line each; all others share one entry of the contributions."""
    order = np.argsort(-lengths, kind="stable")
    shown = order[:most_rows]
    lines = [_Line.of(effects.features[k], pair, k) for k in shown]
    widest = max((line.highest - line.lowest for line in lines), default=0.0)
    scale = (LINE_RIGHT - LINE_LEFT) / widest if widest > 0 else 0.0
    rows = tuple(_row(place, line, pair, k, scale) for place, (line, k) in enumerate(zip(lines, shown, strict=True)))
    bottom = TOP + ROW_HEIGHT * len(rows)
    largest = max((abs(row.contribution) for row in rows), default=0.0)
    rest = float(pair.contributions[order[most_rows:]].sum())
    decimals = decimals_for(max(largest, abs(pair.difference), abs(rest)) / 100)
    totals, zero, x = _total_axis(pair.difference, decimals)
    return Layout(
        rows=rows,
        bars=_bars(rows, rest, len(order) - len(shown), max(largest, abs(rest))),
        n_others=len(order) - len(shown),
        bottom=bottom,
        height=max(bottom + 128, 250 + 26 * (len(rows) + 2) + 130),
        points=tuple(Tick(LINE_LEFT + (LINE_RIGHT - LINE_LEFT) * p / 100, str(p)) for p in range(0, 101, 10)),
        scores=_axis(0.0, widest, LINE_LEFT, LINE_RIGHT, 8),
        totals=totals,
        total_zero=zero,
        total_x=x,
        decimals=decimals,
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

    def text(self, value: float) -> str:
        """A value with as many decimals as a hundredth of the line needs; whole numbers stay whole."""
        whole = all(end == round(end) for end in (self.first, self.last, value))
        return number(value, 0 if whole else decimals_for((self.last - self.first) / 100))


def _row(place: int, line: _Line, pair: ComparedPair, k: int, scale: float) -> Row:
    def x_of(value: float) -> float:
        return LINE_LEFT + scale * (float(line.feature(np.array(value))) - line.lowest)

    x_end = LINE_LEFT + scale * (line.highest - line.lowest)
    values = round_ticks(line.first, line.last, most=max(2, min(10, int((x_end - LINE_LEFT) / 34))))
    tick_decimals = decimals_for(min(np.diff(values), default=1.0))
    ticks = [Tick(x_of(value), number(value, tick_decimals)) for value in values]
    a, b = float(pair.a.values[k]), float(pair.b.values[k])
    return Row(
        number=place + 1,
        name=line.feature.name,
        unit=line.feature.unit,
        y=TOP + ROW_HEIGHT * place + 16,
        x_end=x_end,
        ticks=_thinned(sorted(ticks, key=lambda tick: tick.x)),
        value_a=line.text(a),
        value_b=line.text(b),
        x_a=x_of(a),
        x_b=x_of(b),
        contribution=float(pair.contributions[k]),
        constant=line.feature.constant,
    )


def _thinned(ticks: list[Tick]) -> tuple[Tick, ...]:
    """Keep every tick, but only labels that stand apart."""
    kept: list[Tick] = []
    last = -np.inf
    for tick in ticks:
        readable = tick.x - last >= max(LEAST_LABEL_GAP, 7 * len(tick.label))
        kept.append(tick if readable else Tick(tick.x, ""))
        last = tick.x if readable else last
    return tuple(kept)


def _bars(rows: tuple[Row, ...], rest: float, n_others: int, largest: float) -> tuple[Bar, ...]:
    entries = [(f"{row.number}  {row.name}", row.contribution) for row in rows]
    if n_others:
        entries.append((f"{n_others} other features", rest))
    entries.sort(key=lambda entry: -entry[1])
    unit = BAR_LARGEST / largest if largest > 0 else 0.0
    return tuple(
        Bar(label, 262 + 26 * place, BAR_ZERO + unit * value, value) for place, (label, value) in enumerate(entries)
    )


def _axis(low: float, high: float, left: float, right: float, most: int, *, sign: bool = False) -> tuple[Tick, ...]:
    values = round_ticks(low, high, most)
    decimals = decimals_for(min(np.diff(values), default=1.0))
    pixels = (right - left) / (high - low) if high > low else 0.0
    return tuple(Tick(left + pixels * (value - low), number(value, decimals, sign=sign)) for value in values)


def _total_axis(difference: float, decimals: int) -> tuple[tuple[Tick, ...], float, float]:
    """A symmetric axis wide enough for the difference, the place of 0 and that of the difference."""
    half = 1.25 * max(abs(difference), 10.0**-decimals)
    middle = (LINE_LEFT + LINE_RIGHT) / 2
    x = middle + (LINE_RIGHT - LINE_LEFT) / 2 * difference / half
    return _axis(-half, half, LINE_LEFT, LINE_RIGHT, 9, sign=True), middle, x
