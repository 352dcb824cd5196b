"""Line charts side by side, with named axes, a mark for each value, and the name of each line at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from glassrank.drawing.marks import Mark, Rows, field, path, rule, symbol, text
from glassrank.drawing.plot import NUMBERS, ROOM, Axis, Canvas, Plot
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.text_width import text_width
from glassrank.drawing.theme import Theme

WIDTH, WIDTH_OF_ONE, GAP = 1152, 680, 24
TITLE, TOP, PLOT_HEIGHT, BELOW = 24, 36, 280, 52
INSET = 8  # between the vertical axis and the first value
NAME_SIZE = 12
LEADER, TO_MARK, TO_NAME, BESIDE_NAME = 16, 24, 34, 44  # from the end of a line to its name
LABEL_STEP = 15
# The cross comes last because it is hard to recognise when hollow and this small.
SHAPES = (
    *("circle", "square", "triangle-up", "diamond"),
    *("triangle-down", "triangle-right", "triangle-left", "cross"),
)
DASHES = ((), (7, 3), (2, 3), (9, 3, 2, 3), (4, 2), (1, 2))
Point = tuple[float, float] | tuple[float, float, str]
"""x, y and optionally a description of the mark."""
Points = Sequence[Point]


@dataclass(frozen=True)
class PanelLine:
    """A named line through points in the order of x, optionally emphasised."""

    name: str
    points: Points
    emphasised: bool = False


@dataclass(frozen=True)
class Panel:
    """Lines on one pair of axes; two lines may have the same name."""

    title: str
    x_title: str
    y_title: str
    lines: Sequence[PanelLine]
    log_x: bool = False
    x_ticks: tuple[float, ...] | None = None
    """Values to label, most important first."""
    y_range: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class LinePanels(PlotChart):
    """A chart of up to three panels in a row."""

    title: str
    panels: tuple[Panel, ...]
    subtitle: str = ""

    @property
    def text(self) -> ChartText:
        """Title and subtitle."""
        return ChartText(self.title, self.subtitle)

    def describe(self) -> str:
        """Describe each line by its first and last value."""
        return ". ".join(_describe(panel) for panel in self.panels)

    def draw(self, theme: Theme) -> Canvas:
        """Draw the panels from left to right."""
        whole = WIDTH if len(self.panels) > 1 else WIDTH_OF_ONE
        top = TOP + (TITLE if any(panel.title for panel in self.panels) else 0)
        on = Canvas(whole, top + PLOT_HEIGHT + BELOW)
        width = (whole - GAP * (len(self.panels) - 1)) / len(self.panels)
        for number, panel in enumerate(self.panels):
            _draw(on, f"panel {number} ", panel, number * (width + GAP), width, top, theme)
        return on


def _draw(on: Canvas, key: str, panel: Panel, start: float, width: float, top: float, theme: Theme) -> None:
    longest = max((text_width(line.name, NAME_SIZE, bold=True) for line in panel.lines), default=0.0)
    plot = _plot(panel, start + NUMBERS, start + width - longest - BESIDE_NAME, top)
    frame = Plot(Axis(0.0, 1.0, plot.x.start - INSET, plot.x.end + INSET), plot.y)
    on.marks.append(text("one", x=start, y=12, text=panel.title, fontSize=13, fontWeight=600, fill=theme.ink))
    ticks = plot.x.ticks if panel.x_ticks is None else panel.x_ticks
    labels = plot.x.labels([tick for tick in ticks if plot.x.low <= tick <= plot.x.high], "{:,g}".format)
    frame.draw_axes(on, theme, x_name=panel.x_title, y_name=panel.y_title, x_labels=labels, key=key)
    on.add(f"{key}lines", _line_rows(plot, panel, theme), _curve(f"{key}lines"))
    on.add(f"{key}dots", _dot_rows(plot, panel, theme), _dots(f"{key}dots"))
    on.add(f"{key}names", _name_rows(plot, panel, theme), *_line_names(f"{key}names", theme))


def _plot(panel: Panel, left: float, right: float, top: float) -> Plot:
    points = [point for line in panel.lines for point in line.points]
    x = Axis.around([point[0] for point in points], left + INSET, right - INSET, logarithmic=panel.log_x)
    bottom = top + PLOT_HEIGHT
    if panel.y_range is not None:
        return Plot(x, Axis(*panel.y_range, bottom, top))
    return Plot(x, Axis.around([point[1] for point in points], bottom, top, room=ROOM))


def _curve(rows: str) -> Mark:
    look = {"stroke": field("stroke"), "strokeWidth": field("width"), "strokeDash": field("dash")}
    return path(rows, path=field("d"), **look)


def _dots(rows: str) -> Mark:
    """Return the marks of the values, with the value as tooltip and description."""
    labels = {"description": field("description"), "tooltip": field("description")}
    return symbol(rows, x=field("x"), y=field("y"), **_value_mark(), **labels)


def _line_names(rows: str, theme: Theme) -> list[Mark]:
    """Return the marks at the end of each line: a leader, the line's symbol and its name."""
    y = field("y")
    end, mark, word = ({"field": "x", "offset": offset} for offset in (LEADER, TO_MARK, TO_NAME))
    look = {"fontSize": NAME_SIZE, "fontWeight": field("weight"), "fill": field("ink")}
    return [
        rule(rows, x=field("x"), y=field("from"), x2=end, y2=y, stroke=theme.rule),
        symbol(rows, x=mark, y=y, **_value_mark()),
        text(rows, x=word, y=y, text=field("name"), **look),
    ]


def _value_mark() -> dict[str, Any]:
    """Return the channels of a value's symbol, for points on a line and for the line's name."""
    return {
        "shape": field("shape"),
        "size": 34,
        "fill": field("fill"),
        "stroke": field("stroke"),
        "strokeWidth": 1.2,
    }


def _look(number: int, line: PanelLine, theme: Theme) -> dict[str, Any]:
    # With more lines than shapes, the second round of shapes is filled. It begins one shape later, because the first
    # line is often emphasised and therefore filled as well.
    second = number // len(SHAPES)
    hollow = theme.mark if second else theme.page
    return {
        "stroke": theme.ink if line.emphasised else theme.mark,
        "fill": theme.ink if line.emphasised else hollow,
        "shape": SHAPES[(number + second) % len(SHAPES)],
        "dash": [] if line.emphasised else list(DASHES[number % len(DASHES)]),
        "width": 2.2 if line.emphasised else 1.4,
    }


def _line_rows(plot: Plot, panel: Panel, theme: Theme) -> Rows:
    return [
        {"d": plot.path((point[0], point[1]) for point in line.points)} | _look(number, line, theme)
        for number, line in enumerate(panel.lines)
        if line.points
    ]


def _dot_rows(plot: Plot, panel: Panel, theme: Theme) -> Rows:
    return [
        plot.place(point[0], point[1])
        | {"description": _point_text(panel, line.name, point)}
        | _look(number, line, theme)
        for number, line in enumerate(panel.lines)
        for point in line.points
    ]


def _point_text(panel: Panel, name: str, point: Point) -> str:
    if len(point) == 3:
        return f"{name}, {point[2]}"
    return f"{name}: {panel.x_title} {point[0]:g}, {panel.y_title} {point[1]:.3g}"


def _name_rows(plot: Plot, panel: Panel, theme: Theme) -> Rows:
    """Return the names at the ends of the lines, moved apart if they would overlap."""
    drawn = [(number, line) for number, line in enumerate(panel.lines) if line.points]
    edge = max((plot.x(line.points[-1][0]) for _, line in drawn), default=0.0)
    ends = sorted((plot.y(line.points[-1][1]), line.name, number, line) for number, line in drawn)
    places = spread([y for y, *_ in ends], LABEL_STEP, plot.y.end, plot.y.start)
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
    """Return ascending positions at least ``step`` apart, closest to the ascending values in the least-squares sense.

    All positions lie between ``highest`` and ``lowest``. Names that would overlap form a block around their mean, and
    blocks that would overlap are merged.

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


def _describe(panel: Panel) -> str:
    ends = (
        f"{line.name} from {line.points[0][1]:.3g} to {line.points[-1][1]:.3g}" for line in panel.lines if line.points
    )
    return f"{panel.title}, {panel.y_title} against {panel.x_title}: {'; '.join(ends)}"
