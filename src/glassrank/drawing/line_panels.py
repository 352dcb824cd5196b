"""Panels of lines side by side: axes with names, a mark for each value, and every line named at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from statistics import fmean
from typing import Any

from glassrank.drawing.chart import Chart
from glassrank.drawing.marks import Mark, Rows, field, path, rule, specification, symbol, text
from glassrank.drawing.numbers import notation_for, round_ticks
from glassrank.drawing.text_width import text_width
from glassrank.drawing.theme import LIGHT, Theme

WIDTH, MARGIN, GAP = 1200, 24, 24
TOP, PLOT_HEIGHT, BELOW = 100, 280, 64
LEFT_AXIS = 52  # room for the numbers of an axis
NAME_SIZE = 12
LEADER, TO_MARK, TO_NAME, BESIDE_NAME = 16, 24, 34, 44  # from the end of a line to its name
LABEL_STEP = 15
# The cross comes last: hollow, at this size, its arms close up.
SHAPES = (
    *("circle", "square", "triangle-up", "diamond"),
    *("triangle-down", "triangle-right", "triangle-left", "cross"),
)
DASHES = ((), (7, 3), (2, 3), (9, 3, 2, 3), (4, 2), (1, 2))
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class PanelLine:
    """Points in the order of x, under a name; an emphasised line stands out."""

    name: str
    points: Points
    emphasised: bool = False


@dataclass(frozen=True)
class Panel:
    """Lines on one pair of axes; two of them may have the same name."""

    title: str
    x_title: str
    y_title: str
    lines: Sequence[PanelLine]
    log_x: bool = False
    x_ticks: tuple[float, ...] | None = None
    y_range: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class LinePanels(Chart):
    """Drawn panels, up to three in a row."""

    title: str
    panels: tuple[Panel, ...]

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        width = (WIDTH - 2 * MARGIN - GAP * (len(self.panels) - 1)) / len(self.panels)
        data: dict[str, Rows] = {"one": [{}]}
        marks = [text("one", x=MARGIN, y=28, text=self.title, fontSize=16, fontWeight=600, fill=theme.ink)]
        for number, panel in enumerate(self.panels):
            frame = _Frame(panel, MARGIN + number * (width + GAP), width)
            panel_data, panel_marks = _draw(f"panel {number}", frame, theme)
            data |= panel_data
            marks += panel_marks
        said = ". ".join(_say(panel) for panel in self.panels)
        return specification(
            WIDTH,
            TOP + PLOT_HEIGHT + BELOW,
            data,
            marks,
            background=theme.page,
            description=f"{self.title}. {said}",
        )


@dataclass(frozen=True)
class _Frame:
    """Where a panel's values stand."""

    panel: Panel
    start: float
    width: float

    @property
    def left(self) -> float:
        return self.start + LEFT_AXIS

    @property
    def right(self) -> float:
        longest = max((text_width(line.name, NAME_SIZE, bold=True) for line in self.panel.lines), default=0.0)
        return self.start + self.width - longest - BESIDE_NAME

    @property
    def x_range(self) -> tuple[float, float]:
        values = [x for line in self.panel.lines for x, _ in line.points] or [0.0, 1.0]
        return min(values), max(values)

    @property
    def y_range(self) -> tuple[float, float]:
        if self.panel.y_range is not None:
            return self.panel.y_range
        values = [y for line in self.panel.lines for _, y in line.points] or [0.0, 1.0]
        room = 0.06 * (max(values) - min(values)) or 0.05
        return min(values) - room, max(values) + room

    def x(self, value: float) -> float:
        low, high = self.x_range
        if high <= low:
            return (self.left + self.right) / 2
        share = log(value / low) / log(high / low) if self.panel.log_x else (value - low) / (high - low)
        return round(self.left + 8 + (self.right - self.left - 16) * share, 2)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return round(TOP + PLOT_HEIGHT * (high - value) / (high - low), 2)

    def x_ticks(self) -> list[float]:
        if self.panel.x_ticks is not None:
            return [tick for tick in self.panel.x_ticks if self.x_range[0] <= tick <= self.x_range[1]]
        return round_ticks(*self.x_range, 6)


def _draw(name: str, frame: _Frame, theme: Theme) -> tuple[dict[str, Rows], list[Mark]]:
    data = {
        f"{name} columns": _x_labels(frame),
        f"{name} rows": _y_labels(frame),
        f"{name} lines": _line_rows(frame, theme),
        f"{name} dots": _dot_rows(frame, theme),
        f"{name} names": _name_rows(frame, theme),
    }
    return data, [*_axes(name, frame, theme), *_curves(name), *_line_names(name, theme)]


def _axes(name: str, frame: _Frame, theme: Theme) -> list[Mark]:
    """Titles, a hairline for each number on the left, and ticks below."""
    panel, bottom = frame.panel, TOP + PLOT_HEIGHT
    label = {"fontSize": 12, "fill": theme.ink2}
    across = {"x": frame.left, "x2": frame.right}
    return [
        text("one", x=frame.start, y=56, text=panel.title, fontSize=13, fontWeight=600, fill=theme.ink),
        text("one", x=frame.start, y=76, text=panel.y_title, **label),
        rule(f"{name} rows", **across, y=field("y"), y2=field("y"), stroke=theme.hair),
        rule("one", **across, y=bottom, y2=bottom, stroke=theme.rule),
        text(f"{name} rows", x=frame.left - 8, y=field("y"), text=field("label"), align="right", **label),
        rule(f"{name} columns", x=field("x"), x2=field("x"), y=bottom, y2=bottom + 4, stroke=theme.rule),
        text(f"{name} columns", x=field("x"), y=bottom + 16, text=field("label"), align="center", **label),
        text("one", x=(frame.left + frame.right) / 2, y=bottom + 38, text=panel.x_title, align="center", **label),
    ]


def _curves(name: str) -> list[Mark]:
    """The lines, and over them a mark for each value, which says it."""
    look = {"stroke": field("stroke"), "strokeWidth": field("width"), "strokeDash": field("dash")}
    said = {"description": field("says"), "tooltip": field("says")}
    return [
        path(f"{name} lines", path=field("d"), **look),
        symbol(f"{name} dots", x=field("x"), y=field("y"), **_value_mark(), **said),
    ]


def _line_names(name: str, theme: Theme) -> list[Mark]:
    """Beside the end of each line a leader, the line's mark and its name."""
    rows, y = f"{name} names", field("y")
    end, mark, word = ({"field": "x", "offset": offset} for offset in (LEADER, TO_MARK, TO_NAME))
    look = {"fontSize": NAME_SIZE, "fontWeight": field("weight"), "fill": field("ink")}
    return [
        rule(rows, x=field("x"), y=field("from"), x2=end, y2=y, stroke=theme.rule),
        symbol(rows, x=mark, y=y, **_value_mark()),
        text(rows, x=word, y=y, text=field("name"), **look),
    ]


def _value_mark() -> dict[str, Any]:
    """How the mark of a value looks, in a line and beside its name."""
    return {
        "shape": field("shape"),
        "size": 34,
        "fill": field("fill"),
        "stroke": field("stroke"),
        "strokeWidth": 1.2,
    }


def _x_labels(frame: _Frame) -> Rows:
    ticks = frame.x_ticks()
    rows: Rows = []
    for tick in ticks:
        x = frame.x(tick)
        # Numbers on a logarithmic axis crowd at its end: what would touch the last one is left out.
        if not rows or x - rows[-1]["x"] > 30:
            rows.append({"x": x, "label": f"{tick:g}"})
    return rows


def _y_labels(frame: _Frame) -> Rows:
    low, high = frame.y_range
    ticks = round_ticks(low, high, 7)
    step = min((b - a for a, b in pairwise(ticks)), default=1.0)
    written = notation_for(max(map(abs, ticks), default=1.0), step)
    return [{"y": frame.y(tick), "label": written(tick)} for tick in ticks]


def _look(number: int, line: PanelLine, theme: Theme) -> dict[str, Any]:
    # With more lines than shapes, the second round of shapes is filled, and begins one shape later: the first line
    # often stands out, and is filled as well.
    second = number // len(SHAPES)
    hollow = theme.mark if second else theme.page
    return {
        "stroke": theme.ink if line.emphasised else theme.mark,
        "fill": theme.ink if line.emphasised else hollow,
        "shape": SHAPES[(number + second) % len(SHAPES)],
        "dash": [] if line.emphasised else list(DASHES[number % len(DASHES)]),
        "width": 2.2 if line.emphasised else 1.4,
    }


def _line_rows(frame: _Frame, theme: Theme) -> Rows:
    return [
        {"d": "M" + "L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in line.points)} | _look(number, line, theme)
        for number, line in enumerate(frame.panel.lines)
        if line.points
    ]


def _dot_rows(frame: _Frame, theme: Theme) -> Rows:
    panel = frame.panel
    return [
        {"x": frame.x(x), "y": frame.y(y), "says": f"{line.name}: {panel.x_title} {x:g}, {panel.y_title} {y:.3g}"}
        | _look(number, line, theme)
        for number, line in enumerate(panel.lines)
        for x, y in line.points
    ]


def _name_rows(frame: _Frame, theme: Theme) -> Rows:
    """Names at the ends of the lines, moved apart where they would touch."""
    drawn = [(number, line) for number, line in enumerate(frame.panel.lines) if line.points]
    edge = max((frame.x(line.points[-1][0]) for _, line in drawn), default=0.0)
    ends = sorted((frame.y(line.points[-1][1]), line.name, number, line) for number, line in drawn)
    places = spread([y for y, *_ in ends], LABEL_STEP, TOP, TOP + PLOT_HEIGHT)
    return [
        _look(number, line, theme)
        | {
            "x": edge + 4,
            "from": y,
            "y": place,
            "name": name,
            "weight": 600 if line.emphasised else 400,
            "ink": theme.ink if line.emphasised else theme.ink2,
        }
        for (y, name, number, line), place in zip(ends, places, strict=True)
    ]


def spread(values: Sequence[float], step: float, highest: float, lowest: float) -> list[float]:
    """Rising places at least ``step`` apart, as near the rising values as can be by squares, from highest to lowest.

    Names that would touch form a block around their mean, and blocks that would touch become one.

    >>> spread([30.0, 32.0, 80.0], 15.0, 0.0, 100.0)
    [23.5, 38.5, 80.0]
    >>> spread([98.0, 99.0], 15.0, 0.0, 100.0)
    [85.0, 100.0]
    """
    blocks: list[list[float]] = []
    for number, value in enumerate(values):
        blocks.append([value - number * step])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    last = lowest - step * (len(values) - 1)
    starts = [min(max(fmean(block), highest), last) for block in blocks for _ in block]
    return [start + number * step for number, start in enumerate(starts)]


def _say(panel: Panel) -> str:
    ends = (
        f"{line.name} from {line.points[0][1]:.3g} to {line.points[-1][1]:.3g}" for line in panel.lines if line.points
    )
    return f"{panel.title}, {panel.y_title} against {panel.x_title}: {'; '.join(ends)}"
