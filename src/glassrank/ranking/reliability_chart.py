"""The reliability diagram: predicted probability against the share of pairs in that order, with counts below."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from glassrank.drawing.chart import Chart
from glassrank.drawing.marks import Mark, Rows, field, rect, rule, specification, symbol, text
from glassrank.drawing.theme import LIGHT, Theme

WIDTH, HEIGHT = 704, 552
LEFT, RIGHT = 72, 672
TOP, BOTTOM = 124, 384  # the curve
COUNTS_TOP, COUNTS_BOTTOM = 420, 470  # the bars below it
TITLE = "When the model says P, how often is the pair in that order?"
WHISKERS = "Whiskers: 95 % intervals, queries resampled. "


@dataclass(frozen=True, eq=False)
class ReliabilityChart(Chart):
    """A drawn reliability diagram; ``save`` it, or let a notebook show it."""

    bins: tuple[Mapping[str, Any], ...]
    """One row per bin: low, high, pairs, predicted, observed, observed_low, observed_high."""
    subtitle: str

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        lowest = _lowest_share(self.bins)
        data: dict[str, Rows] = {
            "one": [{}],
            "bins": [_bin_row(one, lowest, self._most_pairs) for one in self.bins],
            "whiskers": [
                _bin_row(one, lowest, self._most_pairs) for one in self.bins if one["observed_low"] is not None
            ],
            "segments": _segments(self.bins, lowest),
            "shares": [
                {"y": _y(share / 10, lowest), "label": f"{share / 10:.1f}"} for share in range(round(10 * lowest), 11)
            ],
            "probabilities": [{"x": _x(p / 10), "label": f"{p / 10:.1f}"} for p in range(5, 11)],
        }
        marks = [*_frame(self._notes(), theme), *_axes(lowest, theme), *_curve(theme), *_counts(theme)]
        description = f"Reliability diagram. {self._notes()[1]}. {'; '.join(_say(one) for one in self.bins)}."
        return specification(WIDTH, HEIGHT, data, marks, background=theme.page, description=description)

    @property
    def _most_pairs(self) -> int:
        return max(one["pairs"] for one in self.bins)

    def _notes(self) -> tuple[str, str, str]:
        whiskers = WHISKERS if self.bins[0]["observed_low"] is not None else ""
        return TITLE, self.subtitle, f"{whiskers}P is given that the two documents differ in label."


def _lowest_share(bins: tuple[Mapping[str, Any], ...]) -> float:
    """Lower end of the axis of shares: 0.5, or the tenth below whatever lies lower."""
    shares = [one["observed"] if one["observed_low"] is None else one["observed_low"] for one in bins]
    return min(0.5, math.floor(10 * min(shares)) / 10)


def _x(probability: float) -> float:
    return LEFT + (RIGHT - LEFT) * (probability - 0.5) / 0.5


def _y(share: float, lowest: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * (share - lowest) / (1.0 - lowest)


def _bin_row(one: Mapping[str, Any], lowest: float, most_pairs: int) -> dict[str, Any]:
    low = one["observed"] if one["observed_low"] is None else one["observed_low"]
    high = one["observed"] if one["observed_high"] is None else one["observed_high"]
    return {
        "x": _x(one["predicted"]),
        "y": _y(one["observed"], lowest),
        "low": _y(low, lowest),
        "high": _y(high, lowest),
        "left": _x(one["low"]) + 1.5,
        "right": _x(one["high"]) - 1.5,
        "middle": _x((one["low"] + one["high"]) / 2),
        "top": COUNTS_BOTTOM - (COUNTS_BOTTOM - COUNTS_TOP) * one["pairs"] / most_pairs,
        "count": _short(one["pairs"]),
        "says": _say(one),
    }


def _segments(bins: tuple[Mapping[str, Any], ...], lowest: float) -> Rows:
    points = [(_x(one["predicted"]), _y(one["observed"], lowest)) for one in bins]
    return [{"x": x, "y": y, "x2": x2, "y2": y2} for (x, y), (x2, y2) in pairwise(points)]


def _say(one: Mapping[str, Any]) -> str:
    return f"of {one['pairs']:,} pairs given {one['predicted']:.2f}, {one['observed']:.0%} were in that order"


def _short(count: int) -> str:
    """A count in at most five characters.

    >>> _short(9_870), _short(118_400), _short(2_340_000)
    ('9,870', '118k', '2.3M')
    """
    if count < 10_000:
        return f"{count:,}"
    return f"{count / 1e3:.0f}k" if count < 999_500 else f"{count / 1e6:.1f}M"


def _frame(notes: tuple[str, str, str], theme: Theme) -> list[Mark]:
    title, subtitle, note = notes
    return [
        text("one", x=24, y=32, text=title, fontSize=18, fontWeight=600, fill=theme.ink),
        text("one", x=24, y=58, text=subtitle, fontSize=13, fill=theme.ink3),
        text("one", x=24, y=HEIGHT - 20, text=note, fontSize=12, fill=theme.ink3),
    ]


def _axes(lowest: float, theme: Theme) -> list[Mark]:
    label = {"fontSize": 12, "fill": theme.ink2}
    diagonal = {"x": _x(0.5), "y": _y(0.5, lowest), "x2": _x(1.0), "y2": _y(1.0, lowest)}
    return [
        text("one", x=LEFT, y=TOP - 24, text="share of pairs ordered as predicted", **label),
        rule("shares", x=LEFT, x2=RIGHT, y=field("y"), y2=field("y"), stroke=theme.hair),
        text("shares", x=LEFT - 10, y=field("y"), text=field("label"), align="right", **label),
        rule("one", **diagonal, stroke=theme.mark, strokeDash=[5, 4], strokeWidth=1.2),
        text(
            "one", x=_x(0.72) - 8, y=_y(0.72, lowest) - 12, text="perfectly calibrated", align="right", fill=theme.ink3
        ),
        text("one", x=LEFT - 10, y=COUNTS_BOTTOM - 8, text="pairs", align="right", **label),
        rule("one", x=LEFT, x2=RIGHT, y=COUNTS_BOTTOM, y2=COUNTS_BOTTOM, stroke=theme.line),
        rule("probabilities", x=field("x"), x2=field("x"), y=COUNTS_BOTTOM, y2=COUNTS_BOTTOM + 5, stroke=theme.line),
        text("probabilities", x=field("x"), y=COUNTS_BOTTOM + 15, text=field("label"), align="center", **label),
        text(
            "one",
            x=(LEFT + RIGHT) / 2,
            y=COUNTS_BOTTOM + 34,
            text="predicted P, each pair turned so that P ≥ 0.5",
            align="center",
            **label,
        ),
    ]


def _curve(theme: Theme) -> list[Mark]:
    said = {"description": field("says"), "tooltip": field("says")}
    return [
        rule(
            "whiskers", x=field("x"), x2=field("x"), y=field("low"), y2=field("high"), stroke=theme.ink, strokeWidth=2
        ),
        rule("segments", x=field("x"), y=field("y"), x2=field("x2"), y2=field("y2"), stroke=theme.ink, strokeWidth=1.8),
        symbol("bins", x=field("x"), y=field("y"), size=80, fill=theme.ink, stroke=theme.page, strokeWidth=1.5, **said),
    ]


def _counts(theme: Theme) -> list[Mark]:
    return [
        rect("bins", x=field("left"), x2=field("right"), y=field("top"), y2=COUNTS_BOTTOM, fill=theme.rule),
        text(
            "bins",
            x=field("middle"),
            y={"field": "top", "offset": -8},
            text=field("count"),
            align="center",
            fontSize=11,
            fill=theme.ink2,
        ),
    ]
