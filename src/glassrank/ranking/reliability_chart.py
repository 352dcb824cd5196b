"""The reliability diagram: predicted probability against the share of pairs in that order, with counts below."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassrank.drawing.marks import field, rect, rule, symbol, text
from glassrank.drawing.plot import NUMBERS, Axis, Canvas, Plot, line
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.theme import Theme

WIDTH, HEIGHT = 680, 430
TOP, BOTTOM = 36, 296  # the curve
COUNTS_TOP, COUNTS_BOTTOM = 332, 376  # the bars below it
TITLE = "When the model says P, how often is the pair in that order?"
WHISKERS = "Whiskers: 95 % intervals from resampled queries."
GIVEN = "P is conditional on the two documents having different labels."
X_NAME = "predicted P, each pair in the direction with P ≥ 0.5"


@dataclass(frozen=True, eq=False)
class ReliabilityChart(PlotChart):
    """A drawn reliability diagram; ``save`` it, or let a notebook show it."""

    bins: tuple[Mapping[str, Any], ...]
    """One row per bin: low, high, pairs, predicted, observed, observed_low, observed_high."""
    subtitle: str

    @property
    def text(self) -> ChartText:
        """Title, subtitle and notes."""
        whiskers = (WHISKERS,) if self.bins[0]["observed_low"] is not None else ()
        return ChartText(TITLE, self.subtitle, (" ".join((*whiskers, GIVEN)),))

    def describe(self) -> str:
        """Describe each bin in words."""
        return f"Reliability diagram. {'; '.join(_say(one) for one in self.bins)}."

    def draw(self, theme: Theme) -> Canvas:
        """Draw the curve with its whiskers above the counts, on one axis of probabilities."""
        on = Canvas(WIDTH, HEIGHT)
        probability = Axis(0.5, 1.0, NUMBERS, WIDTH - 16)
        curve = Plot(probability, Axis(_lowest_share(self.bins), 1.0, BOTTOM, TOP))
        counts = Plot(probability, Axis(0.0, max(one["pairs"] for one in self.bins), COUNTS_BOTTOM, COUNTS_TOP))
        curve.draw_axes(on, theme, y_name="share of pairs ordered as predicted", x_labels=[], key="curve ")
        tenths = probability.labels([p / 10 for p in range(5, 11)], "{:.1f}".format)
        counts.draw_axes(on, theme, x_name=X_NAME, x_labels=tenths, y_labels=[])
        self._draw_curve(on, curve, theme)
        self._draw_counts(on, counts, theme)
        return on

    def _draw_curve(self, on: Canvas, plot: Plot, theme: Theme) -> None:
        said = {"description": field("says"), "tooltip": field("says")}
        stem = {"x": field("x"), "x2": field("x"), "y": field("low"), "y2": field("high")}
        on.add("diagonal", plot.segments([(0.5, 0.5), (1.0, 1.0)]))
        on.marks += [
            line("diagonal", stroke=theme.mark, strokeDash=[5, 4], strokeWidth=1.2),
            text(
                "one",
                x=plot.x(0.72) - 8,
                y=plot.y(0.72) - 12,
                text="perfectly calibrated",
                align="right",
                fill=theme.ink3,
            ),
        ]
        rows = [plot.place(one["predicted"], one["observed"]) | {"says": _say(one)} for one in self.bins]
        whiskers = [
            row | {"low": plot.y(one["observed_low"]), "high": plot.y(one["observed_high"])}
            for row, one in zip(rows, self.bins, strict=True)
            if one["observed_low"] is not None
        ]
        on.add("whiskers", whiskers, rule("whiskers", **stem, stroke=theme.ink, strokeWidth=2))
        points = [(one["predicted"], one["observed"]) for one in self.bins]
        on.add("curve", plot.segments(points), line("curve", stroke=theme.ink, strokeWidth=1.8))
        look = {"size": 80, "fill": theme.ink, "stroke": theme.page, "strokeWidth": 1.5}
        on.add("bins", rows, symbol("bins", x=field("x"), y=field("y"), **look, **said))

    def _draw_counts(self, on: Canvas, plot: Plot, theme: Theme) -> None:
        rows = [
            {
                "left": plot.x(one["low"]) + 1.5,
                "right": plot.x(one["high"]) - 1.5,
                "middle": plot.x((one["low"] + one["high"]) / 2),
                "top": plot.y(one["pairs"]),
                "count": _short(one["pairs"]),
            }
            for one in self.bins
        ]
        above = {"x": field("middle"), "y": {"field": "top", "offset": -8}, "align": "center", "fontSize": 11}
        on.add(
            "counts",
            rows,
            rect("counts", x=field("left"), x2=field("right"), y=field("top"), y2=COUNTS_BOTTOM, fill=theme.rule),
            text("counts", **above, text=field("count"), fill=theme.ink2),
        )
        on.marks.append(
            text("one", x=NUMBERS - 10, y=COUNTS_BOTTOM - 8, text="pairs", align="right", fontSize=12, fill=theme.ink2)
        )


def _lowest_share(bins: tuple[Mapping[str, Any], ...]) -> float:
    """Return the lower end of the axis of shares: 0.5, or the next tenth below the smallest share."""
    shares = [one["observed"] if one["observed_low"] is None else one["observed_low"] for one in bins]
    return min(0.5, math.floor(10 * min(shares)) / 10)


def _say(one: Mapping[str, Any]) -> str:
    return f"of {one['pairs']:,} pairs with P = {one['predicted']:.2f}, {one['observed']:.0%} were in that order"


def _short(count: int) -> str:
    """Format a count in at most five characters.

    >>> _short(9_870), _short(118_400), _short(2_340_000)
    ('9,870', '118k', '2.3M')
    """
    if count < 10_000:
        return f"{count:,}"
    return f"{count / 1e3:.0f}k" if count < 999_500 else f"{count / 1e6:.1f}M"
