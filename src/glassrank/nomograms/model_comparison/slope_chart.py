"""What moved in one query: its first documents under each model, joined by lines."""

from dataclasses import dataclass
from typing import Any

from glassrank.drawing.marks import Rows, field, path, text
from glassrank.drawing.plot import Canvas
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.text_width import fitted
from glassrank.drawing.theme import Theme
from glassrank.nomograms.model_comparison.compared_models import ComparedModels, FlippedPair

FIRST = 12
ROW, TOP = 24.0, 40.0
LEFT_NAMES, LINES_FROM, LINES_TO, RIGHT_RANKS, WIDTH = 28.0, 250.0, 390.0, 400.0, 640.0
NAME_ROOM = 150.0


@dataclass(frozen=True)
class SlopeChart(PlotChart):
    """The ranks of a query's first documents by both models; the two documents of a pair are coloured."""

    found: ComparedModels
    query: str
    pair: FlippedPair | None

    @property
    def text(self) -> ChartText:
        """Title, subtitle and notes."""
        shown = len(self._documents("first"))
        subtitle = f"The first {shown} documents by each model, with their labels."
        hidden = len(self.found.rows(self.query)) > shown
        notes = ("A line from or to the lower edge belongs to a document further down.",) if hidden else ()
        return ChartText(f"{self.query}: what moved", subtitle, notes)

    def _documents(self, side: str) -> list[dict[str, Any]]:
        own = ("first", "second").index(side)
        return [
            {"name": one.name, "rank": one.ranks[own], "other": one.ranks[1 - own], "label": one.label}
            for one in self.found.first_documents(self.query, own, FIRST)
        ]

    def draw(self, theme: Theme) -> Canvas:
        """Draw everything except the text."""
        sides = {side: self._documents(side) for side in ("first", "second")}
        height = TOP + ROW * len(sides["first"]) + 8
        canvas = Canvas(WIDTH, height)
        for side, model, x in zip(sides, self.found.models, (0.0, RIGHT_RANKS), strict=True):
            head = {"fontSize": 12.5, "fontWeight": 600, "fill": theme.ink}
            canvas.marks.append(text("one", x=x, y=10, text=fitted(model.name, 230.0, 12.5, bold=True), **head))
            self._draw_names(canvas, theme, side, sides[side], x)
        self._draw_lines(canvas, theme, sides, height)
        return canvas

    def _colour(self, theme: Theme, name: str) -> str | None:
        by_name = {} if self.pair is None else {self.pair.a: theme.a, self.pair.b: theme.b}
        return by_name.get(name)

    def _letter(self, name: str) -> str:
        by_name = {} if self.pair is None else {self.pair.a: "A  ", self.pair.b: "B  "}
        return by_name.get(name, "")

    def _draw_names(self, canvas: Canvas, theme: Theme, side: str, documents: list[dict[str, Any]], x: float) -> None:
        rows: Rows = [
            {
                "y": _y(one["rank"]),
                "rank": str(one["rank"]),
                "name": fitted(f"{self._letter(one['name'])}{one['name']}", NAME_ROOM, 12.5),
                "label": f"judged {one['label']:g}",
                "colour": self._colour(theme, one["name"]) or theme.ink,
                "weight": 600 if self._colour(theme, one["name"]) else 400,
            }
            for one in documents
        ]
        y, fill = field("y"), field("colour")
        canvas.add(
            f"{side} names",
            rows,
            text(f"{side} names", x=x + 18, y=y, text=field("rank"), align="right", fill=theme.ink2),
            text(f"{side} names", x=x + LEFT_NAMES, y=y, text=field("name"), fontSize=12.5, fill=fill,
                 fontWeight=field("weight")),
            text(f"{side} names", x=x + 240, y=y, text=field("label"), align="right", fontSize=11, fill=theme.ink3),
        )  # fmt: skip

    def _draw_lines(self, canvas: Canvas, theme: Theme, sides: dict[str, list[dict[str, Any]]], height: float) -> None:
        joined = {one["name"]: (one["rank"], one["other"]) for one in sides["first"]}
        joined |= {one["name"]: (one["other"], one["rank"]) for one in sides["second"]}
        rows: Rows = [
            {
                "path": _curve(*(min(_y(rank), height) for rank in ranks)),
                "colour": self._colour(theme, name) or theme.mark,
                "width": 2.4 if self._colour(theme, name) else 1.2,
            }
            for name, ranks in joined.items()
        ]
        canvas.add(
            "lines",
            rows,
            path("lines", path=field("path"), stroke=field("colour"), strokeWidth=field("width"), fill="none"),
        )

    def describe(self) -> str:
        """Describe the drawing in words."""
        moved = [f"{one['name']} from {one['rank']} to {one['other']}" for one in self._documents("first")]
        return "Ranks by both models: " + ", ".join(moved) + "."


def _y(rank: int) -> float:
    return TOP + ROW * (rank - 0.5)


def _curve(y: float, y2: float) -> str:
    middle = (LINES_FROM + LINES_TO) / 2
    return f"M{LINES_FROM} {y}C{middle} {y} {middle} {y2} {LINES_TO} {y2}"
