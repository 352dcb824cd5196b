"""Values over ranks as plain lines, one panel below the other with the same axes."""

from dataclasses import dataclass

from glassrank.core.wording import shortened
from glassrank.drawing.marks import text
from glassrank.drawing.plot import NUMBERS, Axis, Canvas, Plot, line
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.theme import Theme

WIDTH, TOP, PLOT_HEIGHT, BELOW, TITLE = 680, 8, 180, 56, 34
MAX_TITLE = 60
DASH = 0.3  # half the length of a dash, in ranks


@dataclass(frozen=True)
class RankCurve:
    """The values of one query over the ranks."""

    query: str
    kind: str
    points: tuple[tuple[int, float], ...]
    """Rank and value; NaN if missing, where the line has a gap."""


@dataclass(frozen=True, eq=False)
class RankPanels(PlotChart):
    """A chart of one panel per query."""

    name: str
    """What the values are."""
    curves: tuple[RankCurve, ...]
    y_range: tuple[float, float]

    @property
    def text(self) -> ChartText:
        """Title and subtitle."""
        return ChartText(f"{self.name}, over the result list", "One panel per query, with the same axes.")

    def describe(self) -> str:
        """Describe each query by its first and last value."""
        ends = [(one, [value for _, value in one.points if value == value]) for one in self.curves]
        return ". ".join(f"{_title(one)}: {values[0]:.3g} first, {values[-1]:.3g} last" for one, values in ends)

    def draw(self, theme: Theme) -> Canvas:
        """Draw the panels from top to bottom."""
        height = TITLE + PLOT_HEIGHT + BELOW
        on = Canvas(WIDTH, TOP + height * len(self.curves))
        last = max(rank for one in self.curves for rank, _ in one.points)
        for number, one in enumerate(self.curves):
            top = TOP + number * height + TITLE
            x, y = Axis(1.0, float(max(last, 2)), NUMBERS, WIDTH - 16), Axis(*self.y_range, top + PLOT_HEIGHT, top)
            plot = Plot(x, y)
            ticks = dict.fromkeys([1, last, *range(20, last + 1, 20), *([5, 10] if last < 40 else [])])
            labels = x.labels([float(tick) for tick in ticks if tick <= last], "{:,.0f}".format)
            plot.draw_axes(on, theme, x_name="rank", y_name="value", x_labels=labels, key=f"panel {number} ")
            place = {"x": NUMBERS, "y": top - 21, "fontSize": 13, "fontWeight": 600}
            on.marks.append(text("one", **place, text=_title(one), fill=theme.ink))
            for part, points in enumerate(_runs(one.points)):
                rows = f"line {number}-{part}"
                on.add(rows, plot.segments(points), line(rows, stroke=theme.ink, strokeWidth=1.5))
        return on


def _title(one: RankCurve) -> str:
    query = shortened(" ".join(one.query.split()), MAX_TITLE)
    return f"“{query}”, {one.kind}" if one.kind else f"“{query}”"


def _runs(points: tuple[tuple[int, float], ...]) -> list[list[tuple[float, float]]]:
    """Split the points at missing values; a single point becomes a short dash."""
    runs: list[list[tuple[float, float]]] = [[]]
    for rank, value in points:
        if value == value:
            runs[-1].append((float(rank), value))
        elif runs[-1]:
            runs.append([])
    return [run if len(run) > 1 else _dash(*run[0]) for run in runs if run]


def _dash(rank: float, value: float) -> list[tuple[float, float]]:
    return [(rank - DASH, value), (rank + DASH, value)]
