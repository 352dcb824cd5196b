"""Axes: the conversion of values to pixels, ticks and numbers, for all charts."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from glassrank.drawing.marks import Mark, Rows, rule, text
from glassrank.drawing.marks import field as of_row
from glassrank.drawing.numbers import Notation, notation_for, round_ticks
from glassrank.drawing.theme import Theme

ROOM = 0.06  # free space beyond the values, as a share of their range
LABEL_GAP = 27  # labels closer than this would touch
NUMBERS = 48  # width of the column of numbers left of a plot
MAX_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """Maps values from ``low`` to ``high`` to pixels from ``start`` to ``end``, upwards if ``end`` is smaller."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    @classmethod
    def around(
        cls, values: Iterable[float], start: float, end: float, *, room: float = 0.0, logarithmic: bool = False
    ) -> "Axis":
        """Return an axis that includes all values, with ``room`` at both ends as a share of their range.

        >>> axis = Axis.around([0.0, 1.0], 48, 648, room=0.1)
        >>> axis(0.5), round(axis.high, 2)
        (348.0, 1.1)
        """
        shown = list(values) or [0.0, 1.0]
        low, high = min(shown), max(shown)
        extra = room * (high - low) or (0.05 * max(1.0, abs(high)) if room else 0.0)
        return cls(low - extra, high + extra, start, end, logarithmic)

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; the middle if the axis has only one value."""
        if self.high <= self.low:
            return (self.start + self.end) / 2
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + (self.end - self.start) * share, 2)

    @property
    def middle(self) -> float:
        """Pixel half-way along the axis."""
        return (self.start + self.end) / 2

    @cached_property
    def ticks(self) -> list[float]:
        """Round values within the axis."""
        return round_ticks(self.low, self.high, MAX_TICKS)

    @cached_property
    def notation(self) -> Notation:
        """Format of the numbers of this axis, all with the same decimals."""
        step = min((b - a for a, b in pairwise(self.ticks)), default=self.high - self.low)
        return notation_for(max(map(abs, self.ticks), default=max(abs(self.low), abs(self.high))), step)

    def labels(self, values: Iterable[float] | None = None, write: Callable[[float], str] | None = None) -> Rows:
        """Return pixel and text of each value; labels that would touch those of earlier values are left out.

        >>> Axis(0.0, 100.0, 0.0, 200.0).labels([100, 0, 10, 50], "{:g}".format)
        [{'at': 0.0, 'label': '0'}, {'at': 100.0, 'label': '50'}, {'at': 200.0, 'label': '100'}]
        """
        kept: list[float] = []
        for value in self.ticks if values is None else values:
            if all(abs(self(value) - self(other)) >= LABEL_GAP for other in kept):
                kept.append(value)
        write = self.notation if write is None else write
        return [{"at": self(value), "label": write(value)} for value in sorted(kept)]


@dataclass
class Canvas:
    """Marks in pixels and the data sets that they use; ``one`` is a data set with a single row."""

    width: float
    height: float
    data: dict[str, Rows] = field(default_factory=lambda: {"one": [{}]})
    marks: list[Mark] = field(default_factory=list)

    def add(self, name: str, rows: Rows, *marks: Mark) -> None:
        """Add a data set and the marks that use it."""
        self.data[name] = rows
        self.marks += marks


@dataclass(frozen=True)
class Plot:
    """The area between a horizontal and a vertical axis."""

    x: Axis
    y: Axis

    def place(self, x: float, y: float) -> dict[str, float]:
        """Return the pixels of a point as fields of a row."""
        return {"x": self.x(x), "y": self.y(y)}

    def segments(self, points: Sequence[tuple[float, float]]) -> Rows:
        """Return the line segments between consecutive points as rows with x, y, x2 and y2."""
        places = [(self.x(x), self.y(y)) for x, y in points]
        return [{"x": x, "y": y, "x2": x2, "y2": y2} for (x, y), (x2, y2) in pairwise(places)]

    def path(self, points: Iterable[tuple[float, float]]) -> str:
        """Return the SVG path through the points."""
        return "M" + "L".join(f"{self.x(x)} {self.y(y)}" for x, y in points)

    def draw_axes(
        self,
        on: Canvas,
        theme: Theme,
        *,
        x_name: str = "",
        y_name: str = "",
        x_labels: Rows | None = None,
        y_labels: Rows | None = None,
        key: str = "",
    ) -> None:
        """Draw both axes: names, numbers, a hairline for each number on the left, and the base line with ticks."""
        left, right, bottom = self.x.start, self.x.end, self.y.start
        label = {"fontSize": 12, "fill": theme.ink2}
        at, name = of_row("at"), of_row("label")
        across, down = {"x": left, "x2": right}, {"y": bottom, "y2": bottom + 5}
        on.add(
            f"{key}y labels",
            self.y.labels() if y_labels is None else y_labels,
            rule(f"{key}y labels", **across, y=at, y2=at, stroke=theme.hair),
            text(f"{key}y labels", x=left - 10, y=at, text=name, align="right", **label),
        )
        on.add(
            f"{key}x labels",
            self.x.labels() if x_labels is None else x_labels,
            rule("one", **across, y=bottom, y2=bottom, stroke=theme.line),
            rule(f"{key}x labels", x=at, x2=at, **down, stroke=theme.line),
            text(f"{key}x labels", x=at, y=bottom + 16, text=name, align="center", **label),
        )
        on.marks += [
            text("one", x=left - NUMBERS, y=self.y.end - 22, text=y_name, **label),
            text("one", x=self.x.middle, y=bottom + 37, text=x_name, align="center", **label),
        ]


def line(data: str, **look: object) -> Mark:
    """Return a mark that draws segments, given as rows with x, y, x2 and y2."""
    return rule(data, x=of_row("x"), y=of_row("y"), x2=of_row("x2"), y2=of_row("y2"), **look)
