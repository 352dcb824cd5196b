"""The Vega specification of a model's lines: axes, lines, lengths, and a ruler from log-odds to probabilities."""

from dataclasses import dataclass
from typing import Any

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.wording import counted
from glassrank.drawing.marks import Mark, field, rect, rule, specification, text
from glassrank.drawing.numbers import notation_for
from glassrank.drawing.text_width import fitted, wrapped
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.layout import (
    BAR_HEIGHT,
    BELOW_RULER,
    NAME_X,
    PANEL_LEFT,
    PANEL_RIGHT,
    RULER_DROP,
    TOP,
    WIDTH,
    Layout,
)
from glassrank.nomograms.figure.lines import BOX, FOLD
from glassrank.nomograms.figure.overlay import REFERENCE
from glassrank.nomograms.figure.row_marks import NAME_SIZE, TICK_LABEL, VALUE_SIZE, RowMarks
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from glassrank.nomograms.figure.specification import READ_SIZE, TITLE_SIZE
from glassrank.nomograms.figure.ticks import TICK_SIZE
from glassrank.nomograms.figure.words import HOLLOW_MARK, reference_words

BAR_LEFT, BAR_END = 1060, 1116  # bars of the lengths
FIRST_BAR = TOP + 8
MAX_BARS = 40


@dataclass(frozen=True)
class ModelDrawing:
    """Everything that a picture of a model shows, in a theme's colours."""

    effects: AdditiveEffects
    layout: Layout
    title: str
    lengths: tuple[float, ...]
    bands: bool
    theme: Theme

    @property
    def probable(self) -> bool:
        return self.effects.unit == "log-odds"

    @property
    def bars(self) -> list[tuple[str, float]]:
        """Names and lengths of the rows."""
        named = [(f"{row.number}  {row.name}", self.lengths[row.k]) for row in self.layout.rows]
        return named[:MAX_BARS]

    @property
    def height(self) -> float:
        reading = 16 * len(self._reading()) + 60
        lines = self.layout.bottom + (RULER_DROP + BELOW_RULER["log-odds"] if self.probable else 40)
        return max(lines, FIRST_BAR + BAR_HEIGHT * len(self.bars) + reading)

    def specification(self) -> dict[str, Any]:
        """Return the picture."""
        words = reference_words(self.effects.unit, self.effects.outcome)
        rows = RowMarks(self.layout, words, self.theme, REFERENCE, self.effects.unit)
        marks = [*rows.marks_without_documents(), *self._header(), *self._lengths(), *self._how_to_read()]
        return specification(
            WIDTH,
            self.height,
            {"one": [{}], **rows.data(), **self._data()},
            [*marks, *(self._ruler() if self.probable else [])],
            background=self.theme.page,
            description=self._description(),
        )

    def _data(self) -> dict[str, list[dict[str, Any]]]:
        largest = max((length for _, length in self.bars), default=0.0)
        amount = notation_for(largest, largest / 100) if largest else str
        room = BAR_LEFT - PANEL_LEFT - 12
        bars = [
            {
                "label": fitted(name, room, VALUE_SIZE),
                "y": FIRST_BAR + BAR_HEIGHT * place,
                "end": BAR_LEFT + (BAR_END - BAR_LEFT) * (length / largest if largest else 0.0),
                "amount": amount(length),
            }
            for place, (name, length) in enumerate(self.bars)
        ]
        return {
            "bars": bars,
            "totals": [{"x": tick.x, "label": tick.label} for tick in self.layout.totals],
            "probabilities": [{"x": tick.x, "label": tick.label} for tick in self.layout.probabilities],
        }

    def _description(self) -> str:
        parts = "; ".join(f"{name.partition('  ')[2]} {length:.3g}" for name, length in self.bars)
        return f"{self.title}. Lengths of the lines in {self.effects.unit}: {parts}."

    def _header(self) -> list[Mark]:
        features = counted(len(self.layout.lines), "feature")
        shown = f"the {len(self.layout.rows)} longest of {features}" if self.layout.rest else features
        title = fitted(self.title, PANEL_LEFT - NAME_X - 24, TITLE_SIZE, bold=True)
        facts = f"{shown}  ·  longer line = stronger feature"
        if self.effects.subject == "difference":
            facts += "  ·  values are differences A − B"
        return [
            text("one", x=NAME_X, y=34, text=title, fontSize=TITLE_SIZE, fontWeight=600, fill=self.theme.ink),
            text("one", x=NAME_X, y=62, text=facts, fontSize=13, fill=self.theme.ink3),
        ]

    def _lengths(self) -> list[Mark]:
        theme = self.theme
        middle = {"y": {"field": "y", "offset": -6}, "y2": {"field": "y", "offset": 6}}
        where = "over the data" if self.effects.subject == "class" else "within a query"
        heading = f"Length of the line, {self.effects.unit}"
        return [
            text("one", x=PANEL_LEFT, y=TOP - 44, text=heading, fontSize=13, fontWeight=600, fill=theme.ink),
            text("one", x=PANEL_LEFT, y=TOP - 24, text=f"typical range {where}", fontSize=TICK_SIZE, fill=theme.ink3),
            text("bars", x=PANEL_LEFT, y=field("y"), text=field("label"), fontSize=VALUE_SIZE, fill=theme.ink),
            rect("bars", x=BAR_LEFT, x2=field("end"), **middle, fill=theme.a),
            text("bars", x=PANEL_RIGHT, y=field("y"), text=field("amount"), align="right", fill=theme.ink2),
        ]

    def _ruler(self) -> list[Mark]:
        """Log-odds and the probabilities that belong to them."""
        theme, y = self.theme, self.layout.ruler
        is_class = self.effects.subject == "class"
        probability = f"P({self.effects.outcome})" if is_class else "P(A above B)"
        edge = {"x": LINE_LEFT, "x2": LINE_RIGHT, "stroke": theme.ink, "strokeWidth": 1.2}
        name = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": theme.ink, "x": NAME_X}
        marks = [
            rect("one", x=LINE_LEFT, x2=LINE_RIGHT, y=y - 9, y2=y + 9, fill=theme.subtle),
            text("one", y=y - 10, text="Total log-odds" if is_class else "Log-odds, A − B", **name),
            text("one", y=y + 12, text=fitted(probability, 190, NAME_SIZE, bold=True), **name),
        ]
        for data, way in (("totals", -1), ("probabilities", 1)):
            marks += [
                rule("one", y=y + way * 9, y2=y + way * 9, **edge),
                rule(data, x=field("x"), x2=field("x"), y=y + way * 9, y2=y + way * 15, stroke=theme.ink),
                text(data, x=field("x"), y=y + way * 25, text=field("label"), fill=theme.ink2, **TICK_LABEL),
            ]
        return marks

    def _reading(self) -> list[str]:
        """Return the lines of "How to read"."""
        boxes = any(row.kind in (BOX, FOLD) for row in self.layout.rows)
        where = "line or curve" if boxes else "line"
        sentences = [f"Find a value on a feature’s {where}; read its points straight up, its effect straight down."]
        sentences.append(self._adding_up())
        if self.bands:
            sentences.append("Pale bands: 95 % intervals.")
        sentences.append("Grey hills: how often the values occur.")
        if any(row.missing is not None for row in self.layout.rows):
            sentences.append(HOLLOW_MARK)
        return [line for sentence in sentences for line in wrapped(sentence, PANEL_RIGHT - PANEL_LEFT, READ_SIZE)]

    def _adding_up(self) -> str:
        unit, subject = self.effects.unit, self.effects.subject
        ruler = " The ruler gives the probability." if self.probable else ""
        if subject == "utility":
            return f"Two documents: subtract their effects and add up the differences for A − B in {unit}.{ruler}"
        # Lines that start at the left show effects relative to the lowest one.
        lowest = sum(row.line.lowest for row in self.layout.rows) if self.layout.scale.zero is None else 0.0
        constant = lowest + (self.effects.intercept if subject == "class" else 0.0)
        shown = notation_for(abs(constant) or 1.0, 0.01)(constant, sign=True)
        return f"Add up the effects and {shown} for the total in {unit}.{ruler}"

    def _how_to_read(self) -> list[Mark]:
        theme, lines = self.theme, self._reading()
        first = self.height - 16 * len(lines) - 2
        heading = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": theme.ink}
        return [
            text("one", x=PANEL_LEFT, y=first - 16, text="How to read", **heading),
            *(
                text("one", x=PANEL_LEFT, y=first + 16 * place, text=line, fontSize=READ_SIZE, fill=theme.ink3)
                for place, line in enumerate(lines)
            ),
        ]
