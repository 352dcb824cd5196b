"""A dot plot of two models: one dot per query at the change of its measure."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from glassrank.drawing.marks import Rows, field, rule, symbol, text
from glassrank.drawing.plot import ROOM, Axis, Canvas
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.theme import Theme
from glassrank.nomograms.model_comparison.compared_models import ComparedModels
from glassrank.nomograms.model_comparison.compared_scores import UNCHANGED, signed

LEFT, RIGHT, BASE, STEP = 8.0, 640.0, 210.0, 10.0
MOST_IN_COLUMN = 17
LINE = {"y": BASE, "y2": BASE}


@dataclass(frozen=True)
class DifferenceChart(PlotChart):
    """The change of each query from model 1 to model 2: hollow dots lose, filled dots gain, grey ones stay."""

    found: ComparedModels

    @property
    def text(self) -> ChartText:
        """Title, subtitle and notes."""
        first, second = (one.name for one in self.found.models)
        measure = self.found.comparison.measure.upper()
        shared = self.queries_per_dot
        each = "One dot is one query." if shared == 1 else f"One dot is up to {shared} queries."
        return ChartText(
            f"{second} instead of {first}", f"{measure} by {second} minus {measure} by {first}. {each}",
            ("Hollow: loses; filled: gains; grey: unchanged.",),
        )  # fmt: skip

    @property
    def axis(self) -> Axis:
        """The horizontal axis, which always includes 0."""
        changes = [one.change for one in self.found.counted]
        return Axis.around([0.0, *changes], LEFT + STEP, RIGHT - STEP, room=ROOM)

    @property
    def columns(self) -> Counter[tuple[int, int]]:
        """Number of queries by column of the plot and direction of the change: −1, 0 or 1."""
        return Counter(self._column(one.change) for one in self.found.counted)

    def _column(self, change: float) -> tuple[int, int]:
        way = (change > UNCHANGED) - (change < -UNCHANGED)
        offset = (self.axis(change) - self.axis(0.0)) / STEP
        # A query that changes never shares a column with those that do not.
        return (max(1, round(abs(offset))) * way if way else 0), way

    @property
    def queries_per_dot(self) -> int:
        """How many queries share a dot, so that the highest column fits."""
        return ceil(max(self.columns.values(), default=1) / MOST_IN_COLUMN)

    def draw(self, theme: Theme) -> Canvas:
        """Draw everything except the text."""
        axis = self.axis
        canvas = Canvas(RIGHT + 8, BASE + 74)
        dots: dict[int, Rows] = {-1: [], 0: [], 1: []}
        for (column, way), count in self.columns.items():
            for row in range(ceil(count / self.queries_per_dot)):
                dots[way].append({"x": axis(0.0) + STEP * column, "y": BASE - STEP * (row + 0.7)})
        canvas.marks.append(rule("one", x=axis(0.0), x2=axis(0.0), y=16, y2=BASE, stroke=theme.rule))
        looks = {
            -1: {"stroke": theme.ink, "fill": theme.page, "strokeWidth": 1.3},
            0: {"fill": theme.mark, "strokeWidth": 0},
            1: {"fill": theme.ink, "stroke": theme.ink, "strokeWidth": 1.3},
        }
        for way, rows in dots.items():
            canvas.add(f"dots {way}", rows, symbol(f"dots {way}", x=field("x"), y=field("y"), size=38, **looks[way]))
        self._draw_axis(canvas, theme)
        self._draw_heads(canvas, theme)
        return canvas

    def _draw_axis(self, canvas: Canvas, theme: Theme) -> None:
        axis, label = self.axis, {"fontSize": 12, "fill": theme.ink2}
        at = field("at")
        canvas.add(
            "ticks",
            axis.labels(write=lambda value: axis.notation(value, sign=True)),
            rule("one", x=LEFT, x2=RIGHT, **LINE, stroke=theme.line),
            rule("ticks", x=at, x2=at, y=BASE, y2=BASE + 5, stroke=theme.line),
            text("ticks", x=at, y=BASE + 16, text=field("label"), align="center", **label),
        )
        second = self.found.second
        ends = [axis(end) for end in second.difference_interval or ()]
        middle = axis(second.difference or 0.0)
        words = f"mean {signed(second.difference or 0.0, sign=True)}"
        canvas.marks += [
            *(rule("one", x=low, x2=high, y=BASE + 40, y2=BASE + 40, stroke=theme.ink) for low, high in pairwise(ends)),
            symbol("one", x=middle, y=BASE + 40, size=60, fill=theme.ink),
            text("one", x=min(max(middle, 60.0), RIGHT - 60), y=BASE + 60, text=words, align="center", **label),
        ]

    def _draw_heads(self, canvas: Canvas, theme: Theme) -> None:
        found, look = self.found, {"y": 6, "fontSize": 12.5, "fill": theme.ink}
        canvas.marks += [
            text("one", x=LEFT, text=f"{found.n_lose:,} lose", fontWeight=600, **look),
            text("one", x=RIGHT, text=f"{found.n_gain:,} gain", align="right", fontWeight=600, **look),
        ]

    def describe(self) -> str:
        """Describe the drawing in words."""
        return self.found.changes_in_words
