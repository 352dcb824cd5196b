"""The Vega specification of a nomogram: the picture, and everything that changes when a dot is dragged."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.drawing.marks import Mark, computed, specification, symbol, text
from glassrank.drawing.numbers import notation_for
from glassrank.drawing.text_width import fitted, text_width, wrapped
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.arrangement import PLACES, Arrangement
from glassrank.nomograms.figure.bar_marks import BarMarks
from glassrank.nomograms.figure.dataflow import data_sets
from glassrank.nomograms.figure.layout import (
    BELOW_RULER,
    NAME_X,
    PANEL_LEFT,
    PANEL_RIGHT,
    RULER_DROP,
    WIDTH,
    Layout,
)
from glassrank.nomograms.figure.lines import BOX, FOLD, GROUP
from glassrank.nomograms.figure.map_marks import MapMarks
from glassrank.nomograms.figure.overlay import CLASS, Head, Overlay
from glassrank.nomograms.figure.panel_marks import PANEL_END, PanelMarks
from glassrank.nomograms.figure.row_data import NAME_SIZE, RowData
from glassrank.nomograms.figure.row_marks import CIRCLE, DIAMOND, RowMarks
from glassrank.nomograms.figure.scales import scales
from glassrank.nomograms.figure.signals import signals
from glassrank.nomograms.figure.state_data import feature_states, table_rows
from glassrank.nomograms.figure.words import how_to_read, marks_in_words, rows_in_words, words_for

TITLE_SIZE, READ_SIZE = 22, 11.5
HEADS = (26, 86)  # where the documents are named
HEAD_ROOM = PANEL_RIGHT - PANEL_LEFT - 22


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything that a picture shows, without colours."""

    effects: AdditiveEffects
    overlay: Overlay
    layout: Layout
    title: str
    samples: EffectSamples | None = None

    @cached_property
    def words(self) -> Any:
        return words_for(self.overlay, self.effects)

    def specification(self, theme: Theme, *, live: bool = False) -> dict[str, Any]:
        """Return the picture in a theme's colours; a live one can also show other rows, and so has all lines."""
        layout, unit = self.layout, self.effects.unit
        parts = RowData(layout, live)
        states = feature_states(self.effects, layout.lines)
        tables = table_rows(self.effects, layout.lines, states)
        maps = MapMarks(layout, theme, self.overlay.kind)
        rows = RowMarks(layout, self.words, theme, self.overlay.kind, unit)
        panel = PanelMarks(layout, self.words, theme, unit)
        bars = BarMarks(layout, self.words, theme)
        computing = data_sets(layout, self.overlay, self.words, self.samples, parts.rows, states, tables)
        marks = [
            *rows.marks(),
            *maps.marks(),
            *maps.dots(),
            *bars.marks(),
            *self._header(theme),
            *panel.marks(),
            *self._how_to_read(theme),
        ]
        below = RULER_DROP + BELOW_RULER[unit]
        height = {"name": "height", "update": f"max(bottom + {below}, {self._panel_height()!r})"}
        return specification(
            WIDTH,
            max(layout.bottom + below, self._panel_height()),
            {"one": [{}], **parts.sets(), **maps.data(parts.rows), **panel.data(), **computing, **maps.dot_data()},
            [{"interactive": False, **mark} for mark in marks],
            background=theme.page,
            description=self.description(),
            usermeta=self._words_for_script(),
            signals=[*signals(layout, self.overlay, unit), *self._head_signals(), height],
            scales=[*scales(layout, self.samples, parts.rows, states), *panel.scales()],
        )

    def amount(self, value: float) -> str:
        """Format a contribution or total as in the picture."""
        return self.layout.amounts(value, sign=True)

    def description(self) -> str:
        """Describe the picture in words, for screen readers."""
        parts = "; ".join(f"{bar.name} {self.amount(bar.contribution)}" for bar in self.layout.bars)
        groups = [f"{row.name} is the sum of {len(row.line.members)}" for row in self.layout.rows if row.kind == GROUP]
        if groups:
            parts += f". {', '.join(groups)} features that move together; signs inside are not meaningful on their own"
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
        return {"measure": measure, "owners": owners, "letters": list(words.letters), "places": PLACES}

    def _head_signals(self) -> list[dict[str, Any]]:
        """Names and places of the documents; a script that loads another pair sets them."""
        made = [{"name": "subtitle", "value": self.subtitle(self.overlay, self.layout.arrangement)}]
        for letter, head in zip("ab", self.overlay.heads, strict=False):
            made.append({"name": f"name_{letter}", "value": self.shown_name(head.name, letter)})
            made.append({"name": f"place_{letter}", "value": self.place(head)})
        return made

    def shown_name(self, name: str, letter: str) -> str:
        """Return a document's name, shortened to fit into the header."""
        lettered = (
            f"{letter.upper()}  {name}" if self.words.two_sided or (letter == "a" and self.words.letters[0]) else name
        )
        return fitted(lettered, PANEL_RIGHT - PANEL_LEFT - 22, 13, bold=True)

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
        lines = parts[:1]
        for part in parts[1:]:
            longer = f"{lines[-1]}  ·  {part}"
            lines = [*lines[:-1], longer] if text_width(longer, 12) <= HEAD_ROOM else [*lines, part]
        return "\n".join(line for part in lines for line in wrapped(part, HEAD_ROOM, 12))

    def _header(self, theme: Theme) -> list[Mark]:
        title = fitted(self.title, PANEL_LEFT - NAME_X - 24, TITLE_SIZE, bold=True)
        marks = [
            text("one", x=NAME_X, y=34, text=title, fontSize=TITLE_SIZE, fontWeight=600, fill=theme.ink),
            text(
                "one",
                x=NAME_X,
                y=60,
                text=computed("subtitle"),
                lineBreak="\n",
                lineHeight=18,
                fontSize=13,
                fill=theme.ink3,
            ),
        ]
        inks = (theme.a, theme.b) if self.words.two_sided else (theme.a, theme.ink2)
        x = PANEL_LEFT + 22
        for letter, y, ink in zip("ab"[: len(self.overlay.heads)], HEADS, inks, strict=False):
            name = {"text": computed(f"name_{letter}"), "fontSize": 13, "fontWeight": 600, "fill": ink}
            place = {"text": computed(f"place_{letter}"), "lineBreak": "\n", "lineHeight": 16, "fill": theme.ink2}
            marks += [text("one", x=x, y=y, **name), text("one", x=x, y=y + 18, **place)]
        x = PANEL_LEFT + 7
        marks.append(symbol("one", x=x, y=HEADS[0], **CIRCLE, fill=theme.a))
        if self.words.two_sided:
            marks.append(symbol("one", x=x, y=HEADS[1], **DIAMOND, fill=theme.page, stroke=theme.b))
        return marks

    def subtitle(self, overlay: Overlay, arrangement: Arrangement) -> str:
        """Return the query and the number of features and, below, the order of the rows and their share."""
        features = self.layout.counts
        first = features if overlay.kind == CLASS else f"{fitted(f'Query {overlay.query}', 360, 13)}  ·  {features}"
        return f"{first}\n{rows_in_words(self.layout, arrangement, self.words)}"

    def _panel_height(self) -> float:
        return PANEL_END[self.effects.unit] + 28 + 16 * len(self._reading()) + 8

    def _reading(self) -> list[str]:
        """Return the lines of "How to read"."""
        boxes = any(row.kind in (BOX, FOLD) for row in self.layout.rows)
        bands = self.samples is not None
        sentences = how_to_read(self.words, self.effects.unit, boxes=boxes, bands=bands)
        sentences[-1:-1] = marks_in_words(self.layout.rows)
        return [line for sentence in sentences for line in wrapped(sentence, PANEL_RIGHT - PANEL_LEFT, READ_SIZE)]

    def _how_to_read(self, theme: Theme) -> list[Mark]:
        lines = self._reading()
        first = PANEL_END[self.effects.unit] + 28
        heading = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": theme.ink}
        return [
            text("one", x=PANEL_LEFT, y=first - 20, text="How to read", **heading),
            *(
                text("one", x=PANEL_LEFT, y=first + 16 * place, text=line, fontSize=READ_SIZE, fill=theme.ink3)
                for place, line in enumerate(lines)
            ),
        ]
