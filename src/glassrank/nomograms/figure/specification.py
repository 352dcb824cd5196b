"""The Vega specification of a nomogram: the picture, and everything that changes when a dot is dragged."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.wording import counted
from glassrank.drawing.marks import Mark, computed, specification, symbol, text
from glassrank.drawing.numbers import notation_for
from glassrank.drawing.text_width import fitted, wrapped
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.dataflow import data_sets, signals
from glassrank.nomograms.figure.layout import NAME_X, PANEL_LEFT, PANEL_RIGHT, WIDTH, Layout
from glassrank.nomograms.figure.lines import BOX, FOLD
from glassrank.nomograms.figure.overlay import CLASS, Head, Overlay
from glassrank.nomograms.figure.panel_marks import PanelMarks
from glassrank.nomograms.figure.row_marks import CIRCLE, DIAMOND, NAME_SIZE, RowMarks
from glassrank.nomograms.figure.scales import scales
from glassrank.nomograms.figure.words import how_to_read, words_for

TITLE_SIZE, READ_SIZE = 22, 11.5


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything that a picture shows, without colours."""

    effects: AdditiveEffects
    overlay: Overlay
    layout: Layout
    title: str
    samples: EffectSamples | None = None

    @property
    def words(self) -> Any:
        return words_for(self.overlay, self.effects.unit, self.effects.outcome or "positive class")

    def specification(self, theme: Theme) -> dict[str, Any]:
        """Return the picture in a theme's colours."""
        rows = RowMarks(self.layout, self.words, theme, self.overlay.kind, self.effects.unit)
        panel = PanelMarks(self.layout, self.words, theme, self.effects.unit)
        computing = data_sets(self.layout, self.overlay, self.words, self.samples)
        marks = [*rows.marks(), *self._header(theme), *panel.marks(), *self._how_to_read(theme)]
        return specification(
            WIDTH,
            self.layout.height,
            {"one": [{}], **rows.data(), **panel.data(), **computing},
            [{"interactive": False, **mark} for mark in marks],
            background=theme.page,
            description=self.description(),
            usermeta=self._words_for_script(),
            signals=[*signals(self.layout, self.overlay, self.effects.unit), *self._head_signals()],
            scales=[*scales(self.layout, self.samples), *panel.scales()],
        )

    def amount(self, value: float) -> str:
        """Format a contribution or total as in the picture."""
        return self.layout.amounts(value, sign=True)

    def description(self) -> str:
        """Describe the picture in words, for screen readers."""
        parts = "; ".join(f"{bar.name} {self.amount(bar.contribution)}" for bar in self.layout.bars)
        return f"Nomogram of {self._subject()}. {self._result()} Contributions: {parts}."

    def _subject(self) -> str:
        pair = self.overlay.pair
        if pair is not None:
            return f"query {pair.query}: document A, {pair.a.name}, against document B, {pair.b.name}"
        names = ", ".join(head.name for head in self.overlay.heads)
        return f"query {self.overlay.query}: {names}" if self.overlay.query else names

    def _result(self) -> str:
        total = self.amount(self.overlay.total)
        if self.effects.unit == "log-odds":
            probability = float(self.effects.probability(np.array(self.overlay.total)))
            return f"{self.words.probability} is {probability:.3f}; total in log-odds {total}."
        if self.overlay.pair is not None:
            return f"Difference of {self.effects.unit}s A minus B: {total}."
        return f"Total {self.words.subtotal}: {total}."

    def _words_for_script(self) -> dict[str, Any]:
        """Texts that the live figure uses to describe a change."""
        words = self.words
        measure = words.probability if self.effects.unit == "log-odds" else f"The total ({words.subtotal})"
        owners = [f"{letter}’s " if len(letter) == 1 else f"{letter}, " if letter else "" for letter in words.letters]
        return {"measure": measure, "owners": owners, "letters": list(words.letters)}

    def _head_signals(self) -> list[dict[str, Any]]:
        """Names and places of the documents; a script that loads another pair sets them."""
        made = [{"name": "subtitle", "value": self.subtitle(self.overlay.query)}]
        for letter, head in zip("ab", self.overlay.heads, strict=False):
            made.append({"name": f"name_{letter}", "value": self.shown_name(head.name, letter)})
            made.append({"name": f"place_{letter}", "value": self.place(head)})
        return made

    def shown_name(self, name: str, letter: str) -> str:
        """Return a document's name, shortened to fit into the header."""
        lettered = (
            f"{letter.upper()}  {name}" if self.words.two_sided or (letter == "a" and self.words.letters[0]) else name
        )
        return fitted(lettered, WIDTH - PANEL_LEFT - 30, 13, bold=True)

    def place(self, head: Head) -> str:
        """Return rank, score and judgement; scores have the decimals of their difference, so that you can check it."""
        scores = [abs(number) for head in self.overlay.heads for _, number in head.place if number is not None]
        precise = notation_for(max(scores, default=1.0), self.layout.amounts.resolution)
        parts = []
        for word, number in head.place:
            shown = (
                ""
                if number is None
                else precise(number)
                if word == self.effects.unit
                else f"{number:g}".replace("-", "\u2212")
            )
            parts.append(f"{word} {shown}".strip())
        return "  ·  ".join(parts)

    def _header(self, theme: Theme) -> list[Mark]:
        title = fitted(self.title, PANEL_LEFT - NAME_X - 24, TITLE_SIZE, bold=True)
        marks = [
            text("one", x=NAME_X, y=34, text=title, fontSize=TITLE_SIZE, fontWeight=600, fill=theme.ink),
            text("one", x=NAME_X, y=62, text=computed("subtitle"), fontSize=13, fill=theme.ink3),
        ]
        inks = (theme.a, theme.b) if self.words.two_sided else (theme.a, theme.ink2)
        for letter, y, ink in zip("ab"[: len(self.overlay.heads)], (26, 74), inks, strict=False):
            marks += [
                text(
                    "one",
                    x=PANEL_LEFT + 22,
                    y=y,
                    text=computed(f"name_{letter}"),
                    fontSize=13,
                    fontWeight=600,
                    fill=ink,
                ),
                text("one", x=PANEL_LEFT + 22, y=y + 19, text=computed(f"place_{letter}"), fill=theme.ink2),
            ]
        x = PANEL_LEFT + 7
        marks.append(symbol("one", x=x, y=26, **CIRCLE, fill=theme.a))
        if self.words.two_sided:
            marks.append(symbol("one", x=x, y=74, **DIAMOND, fill=theme.page, stroke=theme.b))
        return marks

    def subtitle(self, query: str) -> str:
        """Return the query and the number of features."""
        features = counted(len(self.layout.lines), "feature")
        shown = f"the {len(self.layout.rows)} longest of {features}" if self.layout.rest else features
        facts = f"{shown}  ·  longer line = stronger feature"
        if self.overlay.kind == CLASS:
            return facts
        return fitted(f"Query {query}", 360, 13) + f"  ·  {facts}"

    def _how_to_read(self, theme: Theme) -> list[Mark]:
        boxes = any(row.kind in (BOX, FOLD) for row in self.layout.rows)
        missing = any(row.missing is not None for row in self.layout.rows)
        bands = self.samples is not None
        sentences = how_to_read(self.words, self.effects.unit, boxes=boxes, bands=bands, missing=missing)
        lines = [line for sentence in sentences for line in wrapped(sentence, PANEL_RIGHT - PANEL_LEFT, READ_SIZE)]
        first = self.layout.height - 16 * len(lines) - 2
        heading = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": theme.ink}
        return [
            text("one", x=PANEL_LEFT, y=first - 16, text="How to read", **heading),
            *(
                text("one", x=PANEL_LEFT, y=first + 16 * place, text=line, fontSize=READ_SIZE, fill=theme.ink3)
                for place, line in enumerate(lines)
            ),
        ]
