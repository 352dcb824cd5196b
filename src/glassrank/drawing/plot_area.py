"""A plot with two axes, for the study's figures: where values stand, round ticks, and what names the axes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any

from glassrank.drawing.marks import Mark, Rows, field, rule, symbol, text
from glassrank.drawing.numbers import notation_for, round_ticks
from glassrank.drawing.text_width import text_width
from glassrank.drawing.theme import Theme

WIDTH, HEIGHT = 760, 470
LEFT, RIGHT, TOP, BOTTOM = 72, 736, 124, 396
MARGIN = 0.06  # room above and below the curves, as a share of their range
MOST_TICKS = 6
LABEL_ROOM = 34
LEGEND_GAP = 22


@dataclass(frozen=True)
class PlotArea:
    """Values to pixels; x on a logarithmic scale where asked for."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    logarithmic: bool = False

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]], *, logarithmic: bool = False) -> "PlotArea":
        """The area that holds all points, with some room above and below.

        >>> area = PlotArea.around([(1.0, 0.0), (100.0, 1.0)])
        >>> area.x(1.0), round(area.y_high, 2)
        (72.0, 1.06)
        """
        xs, ys = [x for x, _ in points], [y for _, y in points]
        room = MARGIN * (max(ys) - min(ys)) or MARGIN
        return cls(min(xs), max(xs), min(ys) - room, max(ys) + room, logarithmic)

    def x(self, value: float) -> float:
        """Pixel of a value on the horizontal axis."""
        if self.x_high == self.x_low:
            return (LEFT + RIGHT) / 2
        scale: Callable[[float], float] = log if self.logarithmic else float
        low, high = scale(self.x_low), scale(self.x_high)
        return LEFT + (RIGHT - LEFT) * (scale(value) - low) / (high - low)

    def y(self, value: float) -> float:
        """Pixel of a value on the vertical axis."""
        return BOTTOM - (BOTTOM - TOP) * (value - self.y_low) / (self.y_high - self.y_low)

    def y_ticks(self) -> Rows:
        """Round values with their labels."""
        ticks = round_ticks(self.y_low, self.y_high, MOST_TICKS)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else abs(ticks[0]) if ticks else 1.0
        notation = notation_for(max(map(abs, ticks), default=1.0), step)
        return [{"y": self.y(tick), "label": notation(tick)} for tick in ticks]

    def x_ticks(self, values: Sequence[float]) -> Rows:
        """Labels of these values, none closer than a label's width to one before it."""
        kept: list[float] = []
        for value in values:
            if all(abs(self.x(value) - self.x(other)) >= LABEL_ROOM for other in kept):
                kept.append(value)
        return [{"x": self.x(value), "label": f"{value:,.0f}"} for value in sorted(kept)]

    def segments(self, points: Sequence[tuple[float, float]]) -> Rows:
        """Straight lines from point to point."""
        return [
            {"x": self.x(x), "y": self.y(y), "x2": self.x(x2), "y2": self.y(y2)}
            for (x, y), (x2, y2) in pairwise(points)
        ]


def frame_marks(title: str, subtitle: str, y_name: str, x_name: str, theme: Theme) -> list[Mark]:
    """Title, axes and ticks; data ``one``, ``x_ticks`` and ``y_ticks``."""
    label = {"fontSize": 12, "fill": theme.ink2}
    return [
        text("one", x=24, y=30, text=title, fontSize=18, fontWeight=600, fill=theme.ink),
        text("one", x=24, y=54, text=subtitle, fontSize=13, fill=theme.ink3),
        text("one", x=24, y=TOP - 18, text=y_name, **label),
        rule("y_ticks", x=LEFT, x2=RIGHT, y=field("y"), y2=field("y"), stroke=theme.hair),
        text("y_ticks", x=LEFT - 10, y=field("y"), text=field("label"), align="right", **label),
        rule("one", x=LEFT, x2=RIGHT, y=BOTTOM, y2=BOTTOM, stroke=theme.line),
        rule("x_ticks", x=field("x"), x2=field("x"), y=BOTTOM, y2=BOTTOM + 5, stroke=theme.line),
        text("x_ticks", x=field("x"), y=BOTTOM + 17, text=field("label"), align="center", **label),
        text("one", x=(LEFT + RIGHT) / 2, y=BOTTOM + 40, text=x_name, align="center", **label),
    ]


@dataclass(frozen=True)
class Pen:
    """How one curve is told from the others: colour, dashes and shape, so that colour alone never decides."""

    colour: str
    shape: str = ""
    """Empty for a curve without points."""
    dash: tuple[int, ...] = ()

    def line(self, data: str, **more: Any) -> Mark:
        """The segments of a curve."""
        ends = {"x": field("x"), "y": field("y"), "x2": field("x2"), "y2": field("y2")}
        return rule(data, **ends, stroke=self.colour, strokeWidth=2, strokeDash={"value": list(self.dash)}, **more)

    def dots(self, data: str, **more: Any) -> Mark:
        """The points of a curve."""
        place = {"x": field("x"), "y": field("y")}
        return symbol(data, **place, shape=self.shape, size=56, fill=self.colour, **more)


def legend_marks(names: Sequence[str], pens: Sequence[Pen], theme: Theme) -> list[Mark]:
    """One row: a piece of each curve and its name."""
    marks: list[Mark] = []
    x = 24.0
    for name, pen in zip(names, pens, strict=True):
        dash = {"value": list(pen.dash)}
        if pen.shape:
            marks.append(symbol("one", x=x + 14, y=80, shape=pen.shape, size=56, fill=pen.colour))
        marks += [
            rule("one", x=x, x2=x + 28, y=80, y2=80, stroke=pen.colour, strokeWidth=2, strokeDash=dash),
            text("one", x=x + 34, y=80, text=name, fontSize=12, fill=theme.ink2),
        ]
        x += 34 + text_width(name, 12.0) + LEGEND_GAP
    return marks
