"""A laid-out pair nomogram becomes one Vega specification."""

from dataclasses import dataclass
from typing import Any

from glassrank.data.wording import counted
from glassrank.drawing.marks import Mark, Rows, field, rect, rule, specification, symbol, text
from glassrank.drawing.theme import Theme
from glassrank.nomograms.layout import (
    BAR_LARGEST,
    BAR_ZERO,
    FIRST_BAR,
    LINE_LEFT,
    LINE_RIGHT,
    NAME_X,
    PANEL_LEFT,
    PANEL_RIGHT,
    TICK_SIZE,
    TOP,
    WIDTH,
    Layout,
    Row,
)
from glassrank.nomograms.numbers import MINUS, Notation, notation_for
from glassrank.nomograms.pair import ComparedPair, Document
from glassrank.nomograms.text import fitted

NAME_SIZE, VALUE_SIZE, TITLE_SIZE = 12.5, 12, 22
AXIS_LABEL_X = LINE_LEFT - 24
TICK_LABEL = {"align": "center", "fontSize": TICK_SIZE}
BOLD_NAME = {"fontSize": NAME_SIZE, "fontWeight": 600}
HOW_TO_READ = (
    "Find a value on a feature’s line; read its points straight up.",
    "Thick segment: what the feature adds to A − B, in the",
    "colour of the document it favours. Segments add up to",
    "the total difference; its sign says who stands above.",
    "Longer line = stronger feature. Rows by median spread",
    "of the feature’s effect within a query.",
)


def pair_specification(layout: Layout, pair: ComparedPair, unit: str, title: str, theme: Theme) -> dict[str, Any]:
    """Vega specification of two documents overlaid on an additive model."""
    return _PairDrawing(layout, pair, unit, title, theme).specification()


@dataclass(frozen=True)
class _PairDrawing:
    """Marks of the picture, part by part."""

    layout: Layout
    pair: ComparedPair
    unit: str
    title: str
    theme: Theme

    def specification(self) -> dict[str, Any]:
        data: dict[str, Rows] = {"one": [{}], **self._row_data(), **self._axis_data(), "bars": self._bar_data()}
        marks = [
            *self._header(),
            *self._lines(),
            *self._dots(),
            *self._total(),
            *self._contributions(),
            *self._how_to_read(),
        ]
        theme = self.theme
        described = self._description()
        return specification(WIDTH, self.layout.height, data, marks, background=theme.page, description=described)

    def _amount(self, value: float) -> str:
        return self.layout.amounts(value, sign=True)

    def _favoured(self, value: float) -> str:
        """Colour of the document that a difference favours; neither when it is written as zero."""
        if not any(digit in self._amount(value) for digit in "123456789"):
            return self.theme.ink2
        return self.theme.a if value > 0 else self.theme.b

    def _description(self) -> str:
        """The picture in words, for screen readers."""
        pair = self.pair
        parts = "; ".join(f"{bar.name} {self._amount(bar.contribution)}" for bar in self.layout.bars)
        return (
            f"Nomogram of query {pair.query}: document A, {pair.a.name}, against document B, {pair.b.name}. "
            f"Difference of {self.unit}s A minus B: {self._amount(pair.difference)}. Contributions: {parts}."
        )

    def _row_data(self) -> dict[str, Rows]:
        rows = self.layout.rows
        return {
            "rows": [self._line(row) for row in rows],
            "ticks": [{"x": tick.x, "y": row.y, "label": tick.label} for row in rows for tick in row.ticks],
            "dots_a": [{"x": row.x_a, "y": row.y, "says": f"Document A, {row.name} {row.value_a}"} for row in rows],
            "dots_b": [{"x": row.x_b, "y": row.y, "says": f"Document B, {row.name} {row.value_b}"} for row in rows],
        }

    def _line(self, row: Row) -> dict[str, Any]:
        name = f"{row.number}  {row.name}, {row.unit}" if row.unit else f"{row.number}  {row.name}"
        return {
            "name": fitted(name, LINE_LEFT - NAME_X - 16, NAME_SIZE, bold=True),
            "y": row.y,
            "end": row.x_end,
            "width": 0 if row.constant else 1.6,
            "point": 26 if row.constant else 0,
            "a": f"A {row.value_a}",
            "b": f"B {row.value_b}",
            "xa": row.x_a,
            "xb": row.x_b,
            "favoured": self._favoured(row.contribution),
        }

    def _axis_data(self) -> dict[str, Rows]:
        axes = {"points": self.layout.points, "scores": self.layout.scores, "totals": self.layout.totals}
        return {name: [{"x": tick.x, "label": tick.label} for tick in ticks] for name, ticks in axes.items()}

    def _bar_data(self) -> Rows:
        room = BAR_ZERO - BAR_LARGEST - PANEL_LEFT - 8
        return [
            {
                "name": fitted(bar.label, room, VALUE_SIZE),
                "y": bar.y,
                "x": min(bar.x_end, BAR_ZERO),
                "x2": max(bar.x_end, BAR_ZERO),
                "amount": self._amount(bar.contribution),
                "favoured": self._favoured(bar.contribution),
                "says": f"{bar.label} contributes {self._amount(bar.contribution)}",
            }
            for bar in self.layout.bars
        ]

    def _header(self) -> list[Mark]:
        theme, layout = self.theme, self.layout
        n_features = len(layout.rows) + layout.n_others
        features = counted(n_features, "feature")
        shown = f"the {len(layout.rows)} longest of {features}" if layout.n_others else features
        query = fitted(self.pair.query, 320, 13)
        title = fitted(self.title, PANEL_LEFT - NAME_X - 24, TITLE_SIZE, bold=True)
        subtitle = f"Query {query}  ·  {shown}  ·  longer line = stronger feature"
        diamond = {"shape": "diamond", "size": 100, "fill": theme.page, "stroke": theme.b, "strokeWidth": 2}
        return [
            text("one", x=NAME_X, y=34, text=title, fontSize=TITLE_SIZE, fontWeight=600, fill=theme.ink),
            text("one", x=NAME_X, y=62, text=subtitle, fontSize=13, fill=theme.ink3),
            symbol("one", x=PANEL_LEFT + 7, y=26, shape="circle", size=110, fill=theme.a),
            *self._document("A", self.pair.a, 26, theme.a),
            symbol("one", x=PANEL_LEFT + 7, y=74, **diamond),
            *self._document("B", self.pair.b, 74, theme.b),
        ]

    def _document(self, letter: str, document: Document, y: float, colour: str) -> list[Mark]:
        x = PANEL_LEFT + 22
        name = fitted(f"{letter}  {document.name}", WIDTH - x - 8, 13, bold=True)
        label = f"{document.label:g}".replace("-", MINUS)
        place = f"rank {document.rank} of {document.n_documents}"
        score = self._score_notation()(document.score)
        return [
            text("one", x=x, y=y, text=name, fontSize=13, fontWeight=600, fill=colour),
            text(
                "one", x=x, y=y + 19, text=f"{place}  ·  {self.unit} {score}  ·  judged {label}", fill=self.theme.ink2
            ),
        ]

    def _score_notation(self) -> Notation:
        """Scores to the last place of their difference, so that it can be checked by eye."""
        largest = max(abs(self.pair.a.score), abs(self.pair.b.score))
        return notation_for(largest, self.layout.amounts.resolution)

    def _lines(self) -> list[Mark]:
        theme, bottom = self.theme, self.layout.bottom
        below = {"field": "y", "offset": 15}
        return [
            rule("points", x=field("x"), x2=field("x"), y=TOP - 4, y2=bottom, stroke=theme.hair),
            text("one", x=AXIS_LABEL_X, y=TOP - 26, text="Points", align="right", fontWeight=600, fill=theme.ink),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=TOP - 12, y2=TOP - 12, stroke=theme.ink, strokeWidth=1.2),
            rule("points", x=field("x"), x2=field("x"), y=TOP - 12, y2=TOP - 17, stroke=theme.ink),
            text("points", x=field("x"), y=TOP - 26, text=field("label"), fill=theme.ink2, **TICK_LABEL),
            text("rows", x=NAME_X, y=field("y"), text=field("name"), fill=theme.ink, **BOLD_NAME),
            text("rows", x=NAME_X + 16, y=below, text=field("a"), fontSize=VALUE_SIZE, fill=theme.a),
            text("rows", x=NAME_X + 112, y=below, text=field("b"), fontSize=VALUE_SIZE, fill=theme.b),
            rule("ticks", x=field("x"), x2=field("x"), y=field("y"), y2={"field": "y", "offset": 6}, stroke=theme.line),
            text("ticks", x=field("x"), y=below, text=field("label"), fill=theme.ink3, **TICK_LABEL),
            rule(
                "rows",
                x=LINE_LEFT,
                x2=field("end"),
                y=field("y"),
                y2=field("y"),
                stroke=theme.line,
                strokeWidth=field("width"),
            ),
            symbol("rows", x=LINE_LEFT, y=field("y"), size=field("point"), fill=theme.line),
            text("one", x=AXIS_LABEL_X, y=bottom + 16, text=self.unit.capitalize(), align="right", fill=theme.ink3),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=bottom, y2=bottom, stroke=theme.rule),
            rule("scores", x=field("x"), x2=field("x"), y=bottom, y2=bottom + 5, stroke=theme.rule),
            text("scores", x=field("x"), y=bottom + 16, text=field("label"), fill=theme.ink3, **TICK_LABEL),
        ]

    def _dots(self) -> list[Mark]:
        theme = self.theme
        place, said = {"x": field("x"), "y": field("y")}, {"description": field("says"), "tooltip": field("says")}
        on_line = {"x": field("xa"), "x2": field("xb"), "y": field("y"), "y2": field("y")}
        diamond = {"shape": "diamond", "size": 104, "stroke": theme.b, "strokeWidth": 2}
        circle = {"shape": "circle", "size": 100, "fill": theme.a, "stroke": theme.page, "strokeWidth": 1.2}
        return [
            rule("rows", **on_line, stroke=field("favoured"), strokeWidth=4),
            symbol("dots_b", **place, **diamond, fill=theme.page, **said),
            symbol("dots_a", **place, **circle, **said),
            # B's outline once more, so that it shows where both dots coincide.
            symbol("dots_b", **place, **diamond),
        ]

    def _total(self) -> list[Mark]:
        theme, y = self.theme, self.layout.bottom + 72
        zero, x, favoured = self.layout.total_zero, self.layout.total_x, self._favoured(self.pair.difference)
        return [
            text("one", x=NAME_X, y=y - 8, text="Total difference", fontSize=NAME_SIZE, fontWeight=600, fill=theme.ink),
            text("one", x=NAME_X, y=y + 10, text=f"{self.unit}, A − B", fill=theme.ink3),
            rect("one", x=LINE_LEFT, x2=zero, y=y - 9, y2=y + 9, fill=theme.tint_b),
            rect("one", x=zero, x2=LINE_RIGHT, y=y - 9, y2=y + 9, fill=theme.tint_a),
            text("one", x=LINE_LEFT + 8, y=y - 20, text="B above A", fontSize=TICK_SIZE, fill=theme.b),
            text("one", x=LINE_RIGHT - 8, y=y - 20, text="A above B", align="right", fontSize=TICK_SIZE, fill=theme.a),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=y + 9, y2=y + 9, stroke=theme.ink, strokeWidth=1.2),
            rule("totals", x=field("x"), x2=field("x"), y=y + 9, y2=y + 15, stroke=theme.ink),
            text(
                "totals",
                x=field("x"),
                y=y + 25,
                text=field("label"),
                align="center",
                fontSize=TICK_SIZE,
                fill=theme.ink2,
            ),
            rule("one", x=zero, x2=x, y=y, y2=y, stroke=favoured, strokeWidth=5),
            symbol("one", x=x, y=y, shape="circle", size=120, fill=favoured, stroke=theme.page, strokeWidth=1.6),
        ]

    def _contributions(self) -> list[Mark]:
        theme, difference = self.theme, self.pair.difference
        end = self.layout.bars[-1].y if self.layout.bars else FIRST_BAR
        favoured, total = self._favoured(difference), self._amount(difference)
        above = "A above B" if difference > 0 else "B above A" if difference < 0 else "A and B tie"
        heading = f"Contribution to the {self.unit}, A − B"
        said = {"description": field("says"), "tooltip": field("says")}
        bar_ends = {"y": {"field": "y", "offset": -7}, "y2": {"field": "y", "offset": 7}}
        return [
            text("one", x=PANEL_LEFT, y=132, text=f"Difference of {self.unit}s, A − B", fontSize=13, fill=theme.ink3),
            text("one", x=PANEL_LEFT - 2, y=170, text=total, fontSize=44, fontWeight=600, fill=favoured),
            text("one", x=PANEL_RIGHT, y=176, text=above, align="right", fontSize=16, fontWeight=600, fill=favoured),
            text("one", x=PANEL_LEFT, y=216, text=heading, fontSize=13, fontWeight=600, fill=theme.ink),
            text("one", x=BAR_ZERO - 8, y=238, text="favours B", align="right", fontSize=TICK_SIZE, fill=theme.b),
            text("one", x=BAR_ZERO + 8, y=238, text="favours A", fontSize=TICK_SIZE, fill=theme.a),
            rule("one", x=BAR_ZERO, x2=BAR_ZERO, y=248, y2=end + 13, stroke=theme.rule),
            text("bars", x=PANEL_LEFT, y=field("y"), text=field("name"), fontSize=VALUE_SIZE, fill=theme.ink),
            rect("bars", x=field("x"), x2=field("x2"), **bar_ends, fill=field("favoured"), **said),
            text("bars", x=PANEL_RIGHT, y=field("y"), text=field("amount"), align="right", fill=field("favoured")),
            rule("one", x=PANEL_LEFT, x2=PANEL_RIGHT, y=end + 18, y2=end + 18, stroke=theme.rule),
            text("one", x=PANEL_LEFT, y=end + 33, text="Total", fontWeight=600, fill=theme.ink),
            text("one", x=PANEL_RIGHT, y=end + 33, text=total, align="right", fontWeight=600, fill=favoured),
        ]

    def _how_to_read(self) -> list[Mark]:
        first = self.layout.height - 18 * len(HOW_TO_READ) - 4
        heading = text("one", x=PANEL_LEFT, y=first - 18, text="How to read", fill=self.theme.ink, **BOLD_NAME)
        lines = [
            text("one", x=PANEL_LEFT, y=first + 18 * place, text=line, fontSize=11.5, fill=self.theme.ink3)
            for place, line in enumerate(HOW_TO_READ)
        ]
        return [heading, *lines]
