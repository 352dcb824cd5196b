"""The elimination curve: a measure against the number of features, and the nested estimate in a lane beside it."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from glassrank.drawing.chart import Chart
from glassrank.drawing.marks import Mark, Rows, field, rule, specification, symbol, text
from glassrank.drawing.numbers import Notation, notation_for, round_ticks
from glassrank.drawing.theme import LIGHT, Theme

WIDTH, HEIGHT = 704, 468
LEFT, RIGHT, RIGHT_BESIDE_LANE = 72, 660, 544  # the plot gives way to the lane
TOP, BOTTOM = 116, 348
LANE = 632  # centre of the nested estimate's lane
LANE_LEFT, LANE_RIGHT = 592, 672
TITLE = "How well fewer features do"
OPTIMISTIC = "The kept subset was chosen on this curve: its selection score is optimistic."
QUOTE = "The nested estimate repeats the choice without each outer fold: quote that. Its whisker spans the outer folds."
DASHED = " Dashed: the best, less one standard error."
MARGIN = 0.06

Point = tuple[int, float, tuple[float | None, ...]]


@dataclass(frozen=True, eq=False)
class EliminationChart(Chart):
    """A drawn elimination curve; ``save`` it, or let a notebook show it."""

    scoring: str
    points: tuple[Point, ...]
    """Number of features, mean over folds, and the value of each fold; None where a fold has none."""
    selected: int
    """Number of features of the kept subset."""
    limit: float | None
    """One standard error from the best, when the subset was chosen by that rule."""
    nested: tuple[float, tuple[float, ...]] | None
    """Mean and single values of the nested estimate over the outer folds."""
    subtitle: str
    folds: str
    """What folds are made of."""

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        scale = self._scale()
        data: dict[str, Rows] = {
            "one": [{}],
            "ticks": [{"y": scale.y(tick), "label": scale.notation(tick)} for tick in scale.ticks],
            "sizes": [{"x": scale.x(size), "label": str(size)} for size in self._size_ticks(scale)],
            "folds": self._fold_segments(scale),
            "mean": _segments([(scale.x(size), scale.y(mean)) for size, mean, _ in self.points]),
            "points": [self._point_row(point, scale) for point in self.points],
            "chosen": [self._point_row(self._chosen, scale)],
        }
        marks = [*self._frame(theme), *self._axes(scale, theme), *self._curve(scale, theme)]
        if self.nested is not None:
            data["outer"] = [{"y": scale.y(score)} for score in self._outer_scores]
            marks += self._lane(scale, theme)
        return specification(WIDTH, HEIGHT, data, marks, background=theme.page, description=self._describe(scale))

    @property
    def _chosen(self) -> Point:
        return next(point for point in self.points if point[0] == self.selected)

    @property
    def _outer_scores(self) -> list[float]:
        return [] if self.nested is None else [score for score in self.nested[1] if score == score]

    def _scale(self) -> "_Scale":
        shown = [score for _, mean, folds in self.points for score in (mean, *folds) if score is not None]
        shown += self._outer_scores
        shown += [] if self.limit is None else [self.limit]
        sizes = [size for size, _, _ in self.points]
        right = RIGHT if self.nested is None else RIGHT_BESIDE_LANE
        return _Scale.over(right, min(sizes), max(sizes), min(shown), max(shown))

    def _size_ticks(self, scale: "_Scale") -> list[int]:
        """Round numbers of features and both ends, none closer than a label's width to a more important one."""
        ticks: list[int] = []
        round_ones = [int(tick) for tick in round_ticks(scale.fewest, scale.most, 8) if tick == int(tick)]
        for size in [self.selected, scale.most, scale.fewest, *round_ones]:
            if all(abs(scale.x(size) - scale.x(other)) >= 27 for other in ticks):
                ticks.append(size)
        return sorted(ticks)

    def _fold_segments(self, scale: "_Scale") -> Rows:
        rows: Rows = []
        for fold in range(len(self.points[0][2])):
            curve = [(size, folds[fold]) for size, _, folds in self.points]
            rows += _segments([(scale.x(size), scale.y(score)) for size, score in curve if score is not None])
        return rows

    def _point_row(self, point: Point, scale: "_Scale") -> dict[str, Any]:
        size, mean, _ = point
        return {"x": scale.x(size), "y": scale.y(mean), "says": f"{size} features: {scale.value(mean)}"}

    def _frame(self, theme: Theme) -> list[Mark]:
        dashed = "" if self.limit is None else DASHED
        notes = [f"Thin lines: single folds of {self.folds}.{dashed}", OPTIMISTIC]
        notes += [] if self.nested is None else [QUOTE]
        return [
            text("one", x=24, y=32, text=TITLE, fontSize=18, fontWeight=600, fill=theme.ink),
            text("one", x=24, y=58, text=self.subtitle, fontSize=13, fill=theme.ink3),
            *(
                text("one", x=24, y=BOTTOM + 62 + 18 * row, text=note, fill=theme.ink3)
                for row, note in enumerate(notes)
            ),
        ]

    def _axes(self, scale: "_Scale", theme: Theme) -> list[Mark]:
        label = {"fontSize": 12, "fill": theme.ink2}
        middle = (LEFT + scale.right) / 2
        return [
            text("one", x=24, y=TOP - 26, text=self.scoring, **label),
            rule("ticks", x=LEFT, x2=scale.right, y=field("y"), y2=field("y"), stroke=theme.hair),
            text("ticks", x=LEFT - 10, y=field("y"), text=field("label"), align="right", **label),
            rule("one", x=LEFT, x2=scale.right, y=BOTTOM, y2=BOTTOM, stroke=theme.line),
            rule("sizes", x=field("x"), x2=field("x"), y=BOTTOM, y2=BOTTOM + 5, stroke=theme.line),
            text("sizes", x=field("x"), y=BOTTOM + 15, text=field("label"), align="center", **label),
            text("one", x=middle, y=BOTTOM + 34, text="features kept", align="center", **label),
        ]

    def _curve(self, scale: "_Scale", theme: Theme) -> list[Mark]:
        x, y = scale.x(self.selected), scale.y(self._chosen[1])
        ends = {"x": field("x"), "y": field("y"), "x2": field("x2"), "y2": field("y2")}
        said = {"description": field("says"), "tooltip": field("says")}
        at_left = x < (LEFT + scale.right) / 2
        marks = [
            rule("folds", **ends, stroke=theme.mark),
            rule("one", x=x, x2=x, y=TOP - 8, y2=BOTTOM, stroke=theme.rule),
            rule("mean", **ends, stroke=theme.ink, strokeWidth=1.8),
            symbol("points", x=field("x"), y=field("y"), size=26, fill=theme.ink, **said),
            symbol("chosen", x=x, y=y, size=110, fill=theme.page, stroke=theme.ink, strokeWidth=2),
            text(
                "one",
                x=x + (6 if at_left else -6),
                y=TOP - 12,
                align="left" if at_left else "right",
                text=f"kept: {_features(self.selected)}, selection score {scale.value(self._chosen[1])}",
                fontWeight=600,
                fill=theme.ink,
            ),
        ]
        if self.limit is not None:
            y = scale.y(self.limit)
            marks += [
                rule("one", x=LEFT, x2=scale.right, y=y, y2=y, stroke=theme.mark, strokeDash=[5, 4]),
                text("one", x=scale.right + 6, y=y, text="−1 SE", fontSize=11, fill=theme.ink3),
            ]
        return marks

    def _lane(self, scale: "_Scale", theme: Theme) -> list[Mark]:
        """The nested estimate, on the curve's scale but apart from it."""
        scores, mean = self._outer_scores, self.nested[0] if self.nested is not None else 0.0
        low, high = scale.y(min(scores)), scale.y(max(scores))
        return [
            rule("ticks", x=LANE_LEFT, x2=LANE_RIGHT, y=field("y"), y2=field("y"), stroke=theme.hair),
            rule("one", x=LANE_LEFT, x2=LANE_RIGHT, y=BOTTOM, y2=BOTTOM, stroke=theme.line),
            rule("one", x=LANE, x2=LANE, y=low, y2=high, stroke=theme.ink, strokeWidth=1.6),
            rule("outer", x=LANE - 6, x2=LANE + 6, y=field("y"), y2=field("y"), stroke=theme.ink, strokeWidth=1.6),
            symbol("one", x=LANE, y=scale.y(mean), size=90, shape="square", fill=theme.ink),
            text("one", x=LANE, y=TOP - 12, text=scale.value(mean), align="center", fontWeight=600, fill=theme.ink),
            text("one", x=LANE, y=BOTTOM + 15, text="nested estimate", align="center", fill=theme.ink2),
        ]

    def _describe(self, scale: "_Scale") -> str:
        sizes = "; ".join(f"{_features(size)} {scale.value(mean)}" for size, mean, _ in self.points)
        nested = "" if self.nested is None else f" Nested estimate {scale.value(self.nested[0])}."
        return f"{TITLE}. {self.subtitle} {self.scoring} by number of features: {sizes}.{nested} {OPTIMISTIC}"


@dataclass(frozen=True)
class _Scale:
    """Where numbers of features and values of the measure stand, in pixels."""

    right: float
    fewest: int
    most: int
    low: float
    high: float
    ticks: tuple[float, ...]
    notation: Notation

    @classmethod
    def over(cls, right: float, fewest: int, most: int, low: float, high: float) -> "_Scale":
        """A scale with some air above and below; equal values get a little room, too."""
        air = MARGIN * (high - low) or 0.01 * max(1.0, abs(high))
        low, high = low - air, high + air
        ticks = round_ticks(low, high, 6)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else high - low
        return cls(right, fewest, most, low, high, tuple(ticks), notation_for(max(abs(low), abs(high)), step))

    def x(self, size: int) -> float:
        if self.most == self.fewest:
            return (LEFT + self.right) / 2
        return LEFT + 12 + (self.right - LEFT - 24) * (size - self.fewest) / (self.most - self.fewest)

    def y(self, value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (value - self.low) / (self.high - self.low)

    def value(self, value: float) -> str:
        """A value with one digit more than the ticks, and at least three."""
        return Notation(max(3, self.notation.decimals + 1))(value)


def _segments(points: list[tuple[float, float]]) -> Rows:
    return [{"x": x, "y": y, "x2": x2, "y2": y2} for (x, y), (x2, y2) in pairwise(points)]


def _features(n: int) -> str:
    return f"{n} feature" if n == 1 else f"{n} features"
