"""The elimination curve: a measure against the number of features, with the nested estimate beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from itertools import pairwise
from typing import Any

from glassrank.core.wording import counted
from glassrank.drawing.marks import field, rect, rule, symbol, text
from glassrank.drawing.numbers import Notation
from glassrank.drawing.plot import NUMBERS, ROOM, Axis, Canvas, Plot, line
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.theme import Theme

WIDTH, HEIGHT = 680, 320
RIGHT, RIGHT_BESIDE_LANE = 620, 508  # the plot makes room for the lane
INSET = 12  # between the vertical axis and the first point
TOP, BOTTOM = 36, 268
LANE_LEFT, LANE, LANE_RIGHT = 560, 602, 644
TITLE = "Score by number of features"
OPTIMISTIC = "The kept subset was chosen by this curve, so its selection score is optimistic."
QUOTE = "Quote the nested estimate, which repeats the selection without each outer fold. Its whisker spans the folds."

Point = tuple[int, float, tuple[float | None, ...]]


@dataclass(frozen=True, eq=False)
class EliminationChart(PlotChart):
    """A drawn elimination curve; ``save`` it, or let a notebook show it."""

    scoring: str
    points: tuple[Point, ...]
    """Number of features, mean over folds, and the value of each fold; None if a fold has none."""
    selected: int
    """Number of features of the kept subset."""
    nested: tuple[float, tuple[float, ...]] | None
    """Mean and single values of the nested estimate over the outer folds."""
    subtitle: str
    folds: str
    """What the folds consist of, such as queries."""
    shown: int | None = None
    """Number of features of the subset that the page around the chart shows, if any."""
    links: Mapping[int, str] = default(default_factory=dict)
    """Addresses to which the points lead, by number of features."""

    @property
    def text(self) -> ChartText:
        """Title, subtitle and notes."""
        notes = (f"Thin lines: single folds of {self.folds}.", OPTIMISTIC)
        return ChartText(TITLE, self.subtitle, notes if self.nested is None else (*notes, QUOTE))

    def describe(self) -> str:
        """Describe the score for each number of features, and the nested estimate, in words."""
        plot = self._plot()
        sizes = "; ".join(f"{counted(size, 'feature')} {_exact(plot, mean)}" for size, mean, _ in self.points)
        nested = "" if self.nested is None else f" Nested estimate {_exact(plot, self.nested[0])}."
        return f"{self.scoring} by number of features: {sizes}.{nested} {OPTIMISTIC}"

    def draw(self, theme: Theme) -> Canvas:
        """Draw the folds, their mean, the chosen subset and, beside them, the nested estimate."""
        on, plot = Canvas(WIDTH, HEIGHT), self._plot()
        frame = Plot(Axis(plot.x.low, plot.x.high, plot.x.start - INSET, plot.x.end + INSET), plot.y)
        # The kept number and both ends come first: labels that would overlap with them are omitted.
        shown = [] if self.shown is None else [self.shown]
        sizes = [self.selected, *shown, plot.x.high, plot.x.low, *(tick for tick in plot.x.ticks if tick == int(tick))]
        labels = plot.x.labels(sizes, "{:.0f}".format)
        frame.draw_axes(on, theme, x_name="features kept", y_name=self.scoring, x_labels=labels)
        self._draw_curve(on, plot, theme)
        if self.shown is not None:
            self._draw_shown(on, plot, self.shown, theme)
        if self.nested is not None:
            self._draw_lane(on, plot, theme)
        if self.links:
            self._draw_links(on, plot, theme)
        return on

    def _plot(self) -> Plot:
        shown = [score for _, mean, folds in self.points for score in (mean, *folds) if score is not None]
        shown += self._outer_scores
        right = RIGHT if self.nested is None else RIGHT_BESIDE_LANE
        sizes = Axis.around([size for size, _, _ in self.points], NUMBERS + INSET, right - INSET)
        return Plot(sizes, Axis.around(shown, BOTTOM, TOP, room=ROOM))

    @property
    def _outer_scores(self) -> list[float]:
        return [] if self.nested is None else [score for score in self.nested[1] if score == score]

    def _draw_curve(self, on: Canvas, plot: Plot, theme: Theme) -> None:
        single = []
        for fold in range(len(self.points[0][2])):
            known = [(size, folds[fold]) for size, _, folds in self.points]
            single += plot.segments([(size, score) for size, score in known if score is not None])
        on.add("folds", single, line("folds", stroke=theme.mark))
        means = [(size, mean) for size, mean, _ in self.points]
        chosen = dict(means)[self.selected]
        x, y = plot.x(self.selected), plot.y(chosen)
        on.marks.append(rule("one", x=x, x2=x, y=TOP - 8, y2=BOTTOM, stroke=theme.rule))
        on.add("mean", plot.segments(means), line("mean", stroke=theme.ink, strokeWidth=1.8))
        rows = self._places(plot)
        said = {} if self.links else {"description": field("says"), "tooltip": field("says")}
        on.add("points", rows, symbol("points", x=field("x"), y=field("y"), size=26, fill=theme.ink, **said))
        side: dict[str, Any] = {"x": x + 6, "align": "left"} if x < plot.x.middle else {"x": x - 6, "align": "right"}
        kept = f"kept: {counted(self.selected, 'feature')}, selection score {_exact(plot, chosen)}"
        on.marks += [
            symbol("one", x=x, y=y, size=110, fill=theme.page, stroke=theme.ink, strokeWidth=2),
            text("one", **side, y=TOP - 12, text=kept, fontWeight=600, fill=theme.ink),
        ]

    def _places(self, plot: Plot) -> list[dict[str, Any]]:
        """Return the places of the points, and what each of them says."""
        said = {size: f"{counted(size, 'feature')}: {_exact(plot, mean)}" for size, mean, _ in self.points}
        return [plot.place(size, mean) | {"says": said[size], "size": size} for size, mean, _ in self.points]

    def _draw_shown(self, on: Canvas, plot: Plot, shown: int, theme: Theme) -> None:
        """Mark the subset that the page shows: a line down to its number, and a ring; the kept one stays hollow."""
        x, y = plot.x(shown), plot.y({size: mean for size, mean, _ in self.points}[shown])
        fill = theme.page if shown == self.selected else theme.ink
        on.marks += [
            rule("one", x=x, x2=x, y=y, y2=BOTTOM, stroke=theme.a, strokeWidth=1.6),
            symbol("one", x=x, y=y, size=130, fill=fill, stroke=theme.a, strokeWidth=2.4),
        ]

    def _draw_links(self, on: Canvas, plot: Plot, theme: Theme) -> None:
        """Lay a link over each point: a band as high as the plot, up to the middle between it and its neighbours."""
        rows = sorted((row for row in self._places(plot) if row["size"] in self.links), key=lambda row: row["x"])
        places = [row["x"] for row in rows]
        middles = [(left + right) / 2 for left, right in pairwise(places)]
        lefts, rights = [places[0] - INSET, *middles], [*middles, places[-1] + INSET]
        for row, left, right in zip(rows, lefts, rights, strict=True):
            row |= {"left": left, "right": right, "href": self.links[row["size"]]}
        # Without a colour, a band could not be clicked.
        look = {"y": TOP, "y2": BOTTOM, "fill": theme.a, "fillOpacity": 0, "href": field("href")}
        said = {"description": field("says"), "tooltip": field("says")}
        on.add("links", rows, rect("links", x=field("left"), x2=field("right"), **look, **said))

    def _draw_lane(self, on: Canvas, plot: Plot, theme: Theme) -> None:
        """Draw the nested estimate on the curve's scale, in a column of its own."""
        scores, mean = self._outer_scores, self.nested[0] if self.nested is not None else 0.0
        lane = Plot(Axis(0.0, 1.0, LANE_LEFT, LANE_RIGHT), plot.y)
        hairlines = [row | {"label": ""} for row in plot.y.labels()]
        named = [{"at": LANE, "label": "nested estimate"}]
        lane.draw_axes(on, theme, x_labels=named, y_labels=hairlines, key="lane ")
        ends = {"x": LANE - 6, "x2": LANE + 6, "y": field("y"), "y2": field("y")}
        stem = {"x": LANE, "x2": LANE, "y": plot.y(min(scores)), "y2": plot.y(max(scores))}
        on.marks.append(rule("one", **stem, stroke=theme.ink, strokeWidth=1.6))
        rows = [{"y": plot.y(score)} for score in scores]
        on.add("outer", rows, rule("outer", **ends, stroke=theme.ink, strokeWidth=1.6))
        value = _exact(plot, mean)
        on.marks += [
            symbol("one", x=LANE, y=plot.y(mean), size=90, shape="square", fill=theme.ink),
            text("one", x=LANE, y=TOP - 12, text=value, align="center", fontWeight=600, fill=theme.ink),
        ]


def _exact(plot: Plot, value: float) -> str:
    """Format a value with one more decimal than the ticks, and at least three."""
    return Notation(max(3, plot.y.notation.decimals + 1))(value)
