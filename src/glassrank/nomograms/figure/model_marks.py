"""The Vega specification of a model's lines: axes, lines, lengths, and a ruler from log-odds to probabilities."""

from dataclasses import dataclass
from typing import Any

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.drawing.marks import Mark, computed, field, rect, rule, specification, text
from glassrank.drawing.numbers import notation_for
from glassrank.drawing.text_width import fitted, wrapped
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.arrangement import TOP
from glassrank.nomograms.figure.layout import (
    AMOUNT_RIGHT,
    BELOW_RULER,
    NAME_X,
    PANEL_LEFT,
    PANEL_RIGHT,
    RULER_DROP,
    WIDTH,
    Layout,
)
from glassrank.nomograms.figure.lines import BOX, FOLD
from glassrank.nomograms.figure.map_marks import MapMarks
from glassrank.nomograms.figure.overlay import REFERENCE
from glassrank.nomograms.figure.placing import placing_signals
from glassrank.nomograms.figure.row_data import NAME_SIZE, RowData
from glassrank.nomograms.figure.row_marks import TICK_LABEL, RowMarks
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from glassrank.nomograms.figure.specification import READ_SIZE, TITLE_SIZE
from glassrank.nomograms.figure.ticks import TICK_SIZE
from glassrank.nomograms.figure.words import marks_in_words, reference_words, rows_in_words
from glassrank.nomograms.pair_text import ONE_ORDER

BAR_LEFT, BAR_END = 886, 1058  # bars of the lengths


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
    def height(self) -> float:
        lines = self.layout.bottom + (RULER_DROP + BELOW_RULER["log-odds"] if self.probable else 40)
        return max(lines, TOP + 16 * len(self._reading()))

    def specification(self) -> dict[str, Any]:
        """Return the picture."""
        words = reference_words(self.effects.unit, self.effects.outcome)
        rows = RowMarks(self.layout, words, self.theme, REFERENCE, self.effects.unit)
        maps, parts = MapMarks(self.layout, self.theme, REFERENCE), RowData(self.layout)
        marks = [
            *rows.marks_without_documents(),
            *maps.marks(),
            *self._rest(),
            *self._header(),
            *self._lengths(),
            *self._how_to_read(),
        ]
        return specification(
            WIDTH,
            self.height,
            {"one": [{}], **parts.sets(), **maps.data(parts.rows), **self._data()},
            [*marks, *(self._ruler() if self.probable else [])],
            background=self.theme.page,
            description=self._description(),
            signals=placing_signals(self.layout),
        )

    def _data(self) -> dict[str, list[dict[str, Any]]]:
        shown = [self.lengths[row.k] for row in self.layout.rows]
        largest = max(shown, default=0.0)
        bars = [
            {
                "y": row.middle,
                "end": BAR_LEFT + (BAR_END - BAR_LEFT) * (length / largest if largest else 0.0),
                "amount": self.layout.amounts(length),
                "inside": row.number is None,
            }
            for row, length in zip(self.layout.rows, shown, strict=True)
        ]
        return {
            "bars": bars,
            "totals": [{"x": tick.x, "label": tick.label} for tick in self.layout.totals],
            "probabilities": [{"x": tick.x, "label": tick.label} for tick in self.layout.probabilities],
        }

    def _description(self) -> str:
        parts = "; ".join(f"{row.name} {self.lengths[row.k]:.3g}" for row in self.layout.rows)
        return f"{self.title}. Lengths of the lines in {self.effects.unit}: {parts}."

    def _rest(self) -> list[Mark]:
        """How many features have no row, and how long their lines are."""
        rest = self.layout.rest
        if rest is None:
            return []
        y, amount = self.layout.arrangement.rest_top + 20, self.layout.amounts
        lengths = [self.lengths[k] for k in rest.columns]
        title = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": self.theme.ink}
        said = f"{rest.counts}: no line is longer than {amount(max(lengths))}"
        return [
            text("one", x=NAME_X, y=y, text="All the rest", **title),
            text("one", x=LINE_LEFT, y=y, text=said, fill=self.theme.ink2),
            text("one", x=AMOUNT_RIGHT, y=y, text=amount(sum(lengths)), align="right", fill=self.theme.ink2),
        ]

    def _header(self) -> list[Mark]:
        words = reference_words(self.effects.unit, self.effects.outcome)
        order = rows_in_words(self.layout, self.layout.arrangement, words)
        title = fitted(self.title, PANEL_LEFT - NAME_X - 24, TITLE_SIZE, bold=True)
        facts = f"{self.layout.counts}  ·  {order}"
        if self.effects.subject == "difference":
            facts += "  ·  values are differences A − B"
        return [
            text("one", x=NAME_X, y=34, text=title, fontSize=TITLE_SIZE, fontWeight=600, fill=self.theme.ink),
            text("one", x=NAME_X, y=62, text=facts, fontSize=13, fill=self.theme.ink3),
        ]

    def _lengths(self) -> list[Mark]:
        theme = self.theme
        middle = {"y": {"field": "y", "offset": -6.5}, "y2": {"field": "y", "offset": 6.5}}
        where = "over the data" if self.effects.subject == "class" else "within a query"
        heading = {"fontSize": 13, "fontWeight": 600, "fill": theme.ink, "text": f"Length, {self.effects.unit}"}
        right = {"x": AMOUNT_RIGHT, "align": "right"}
        edge = {"stroke": theme.mark, "strokeWidth": inside(0, 1)}
        note = {"fontSize": TICK_SIZE, "fill": theme.ink3, "text": f"typical range {where}"}
        return [
            text("one", **right, y=TOP - 44, **heading),
            text("one", **right, y=TOP - 26, **note),
            rect("bars", x=BAR_LEFT, x2=field("end"), **middle, fill=inside(theme.a, "transparent"), **edge),
            text("bars", **right, y=field("y"), text=field("amount"), fontWeight=inside(600, 400), fill=theme.ink2),
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
        if not self.effects.antisymmetric:
            sentences.append(f"{ONE_ORDER}.")
        sentences += marks_in_words(self.layout.rows)
        return [line for sentence in sentences for line in wrapped(sentence, PANEL_RIGHT - PANEL_LEFT, READ_SIZE)]

    def _adding_up(self) -> str:
        unit, subject = self.effects.unit, self.effects.subject
        ruler = " The ruler gives the probability." if self.probable else ""
        if subject == "utility":
            return f"Two documents: subtract their effects and add up the differences for A − B in {unit}.{ruler}"
        # Lines that start at the left show effects relative to the lowest one.
        shown = self.layout.arrangement.shown
        lowest = sum(self.layout.lines[k].lowest for k in shown) if self.layout.scale.zero is None else 0.0
        constant = lowest + self.effects.intercept
        added = notation_for(abs(constant) or 1.0, 0.01)(constant, sign=True)
        return f"Add up the effects and {added} for the total in {unit}.{ruler}"

    def _how_to_read(self) -> list[Mark]:
        theme, lines = self.theme, self._reading()
        first = TOP - 12
        heading = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": theme.ink}
        return [
            text("one", x=PANEL_LEFT, y=first - 20, text="How to read", **heading),
            *(
                text("one", x=PANEL_LEFT, y=first + 16 * place, text=line, fontSize=READ_SIZE, fill=theme.ink3)
                for place, line in enumerate(lines)
            ),
        ]


def inside(others: float | str, members: float | str) -> dict[str, str]:
    """Return one value of a channel for the members of open groups, and another one for all other rows."""
    return computed(f"datum.inside ? {members!r} : {others!r}")
