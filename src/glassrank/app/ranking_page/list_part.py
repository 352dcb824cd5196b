"""The ranked list of the Ranking page: a row for each document, with what its features add as small bars."""

from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np

from glassrank.app.ranking_page.page_words import document_mark, label_mark, label_text, ordinal, signed
from glassrank.app.ranking_page.ranking_address import Shown
from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.wording import counted
from glassrank.drawing.small_marks import label_strip
from glassrank.studies.views.pair_view import value_text
from glassrank.studies.views.ranked_list import FIRST, RankedList
from glassrank.studies.views.what_if import text_of

COLUMNS, MOST_COLUMNS = 6, 12
SHOWN_ROWS = 12
AT_A_TIME, WIDE_AT_A_TIME = 100, 25  # rows of a long list; fewer if it has very many columns
ROW_HEIGHT = 44  # pixels, as in ranking.css
HALF = 46.0  # per cent of a cell's width that the longest bar takes, to each side
MOST_LABELS = 120  # of the strip
BARS = (
    "Bars: what a feature adds (right) or takes (left), against the average of the first ten as recorded. "
    "A row’s bars sum to its score{unit}."
)
NO_BARS = (
    "This model compares documents two at a time and gives no single document a score. So there are no bars, and "
    "values cannot be changed. The documents are ranked by the number of others that they beat."
)


@dataclass(frozen=True, eq=False)
class ListPart:
    """The section with the list."""

    shown: Shown

    def html(self) -> str:
        """Return the heading, the list, what can be unfolded, and the strip of labels."""
        unit = ", in log-odds" if self.shown.view.effects.unit == "log-odds" else ""
        note = BARS.format(unit=unit) if self.columns else NO_BARS
        return (
            f'<section aria-labelledby="list-title"><h2 id="list-title">How this query is ranked</h2>'
            f'<p class="note">{note}</p>{self._grid()}{self._foot()}{_strip(self.ranked)}'
            "</section>"
        )

    @property
    def ranked(self) -> RankedList:
        return self.shown.ranked

    @cached_property
    def columns(self) -> list[int]:
        """Features with a column of their own."""
        if not self.shown.view.scores_documents:
            return []
        return self.ranked.longest(len(self.shown.view.effects.names) if self.shown.asked.others else COLUMNS)

    @property
    def n_others(self) -> int:
        return self.ranked.now.contributions.shape[1] - len(self.columns)

    @cached_property
    def others(self) -> FloatArray:
        """The sum of the features without a column, for each document."""
        return np.asarray(np.delete(self.ranked.now.contributions, self.columns, axis=1).sum(axis=1))

    @cached_property
    def value_places(self) -> dict[int, IntArray]:
        """The place of each document's value of a feature with a column, from 1 for the highest."""
        return {k: self.ranked.value_places(k) for k in self.columns}

    @cached_property
    def largest(self) -> float:
        """The contribution of the longest bar."""
        states = self.ranked.recorded, self.ranked.now
        bars = [self.others, *(state.contributions[:, self.columns] for state in states)]
        return max(float(np.abs(one).max(initial=0.0)) for one in bars) or 1.0

    @cached_property
    def rows(self) -> list[int]:
        """Documents to show: the first ones, and those that are compared or changed."""
        wanted = {self.shown.a, self.shown.b, *(document for document, _ in self.ranked.changed)}
        start, end = self.window
        order = enumerate(self.ranked.now.order.tolist())
        return [place for number, place in order if start <= number < end or place in wanted]

    @property
    def window(self) -> tuple[int, int]:
        """The places of the first document that is shown in any case, and of the first that is not."""
        if not self.shown.asked.all:
            return 0, SHOWN_ROWS
        size = AT_A_TIME if len(self.columns) <= MOST_COLUMNS else WIDE_AT_A_TIME
        start = size * (min(self.shown.asked.start, len(self.ranked.names) - 1) // size)
        return start, start + size

    def _grid(self) -> str:
        failing = self.ranked.failing()
        rows = "".join(self._row(place, number, failing.get(place)) for number, place in enumerate(self.rows))
        n_columns = len(self.columns) + (self.n_others > 0)
        wide = " wide" if n_columns > MOST_COLUMNS else ""
        return (
            f'<div class="ranked-scroll{wide}"><div class="ranked{"" if n_columns else " no-bars"}" role="grid" '
            f'aria-label="{escape(f"Documents of query {self.ranked.query} by rank")}" '
            f'aria-rowcount="{len(self.ranked.names) + 1}" style="--columns: {n_columns}">{self._head()}'
            f'<div role="rowgroup" class="documents">{rows}{self._ghosts()}</div></div></div>'
        )

    def _head(self) -> str:
        names = [self.shown.view.effects.names[k] for k in self.columns]
        cells = "".join(f'<span role="columnheader" title="{escape(name)}">{escape(name)}</span>' for name in names)
        if self.n_others:
            others = counted(self.n_others, "other")
            cells += f'<span role="columnheader"><a href="{self.shown.href(others=True)}">{others}</a></span>'
        score = "Score" if self.shown.view.scores_documents else "Beats"
        return (
            '<div role="row" class="heads"><span role="columnheader">#</span><span role="columnheader">Document</span>'
            f'<span role="columnheader">Judged</span>{cells}<span role="columnheader">{score}</span></div>'
        )

    def _row(self, place: int, number: int, better_below: int | None) -> str:
        ranked, letter = self.ranked, self._letter(place)
        name, rank = ranked.names[place], int(ranked.now.ranks[place])
        score = signed(float(ranked.now.scores[place])) if self.columns else f"{ranked.now.scores[place]:.0f}"
        bars = "".join(self._bar(place, k, letter) for k in self.columns)
        if self.n_others:
            value = float(self.others[place])
            title = f"{counted(self.n_others, 'other feature')}, summed: {signed(value)}"
            bars += _bar_cell(f'title="{title}"', self._drawn(value, letter), signed(value))
        return (
            f'<div role="row" class="document {letter}" id="d{place}" data-document="{place}" '
            f'tabindex="{-1 if number else 0}" '
            f'aria-rowindex="{rank + 1}"><span role="gridcell" class="rank">{rank}{document_mark(letter)}</span>'
            f'<span role="rowheader" class="name"><a href="{self._choose(place)}" title="{escape(name)}" tabindex="-1">'
            f"{escape(name)}</a><small>{self._below(place, better_below)}</small></span>"
            f'<span role="gridcell" class="judged">{label_mark(ranked, ranked.labels[place])} '
            f"{label_text(ranked.labels[place])}</span>{bars}"
            f'<span role="gridcell" class="score">{score}</span></div>'
        )

    def _letter(self, place: int) -> str:
        return "a" if place == self.shown.a else "b" if place == self.shown.b else ""

    def _choose(self, place: int) -> str:
        """Return the address that makes a document A; B becomes the former A if the document is B now."""
        names = self.ranked.names
        b = names[self.shown.a] if place == self.shown.b else None if self.shown.b is None else names[self.shown.b]
        return self.shown.href(a=names[place], b=b)

    def _below(self, place: int, better_below: int | None) -> str:
        ranked, parts = self.ranked, []
        if better_below:
            parts.append(f"<b>▼ too high</b>, {better_below} better below")
        before = int(ranked.recorded.ranks[place])
        if before != int(ranked.now.ranks[place]):
            parts.append(f"was {before}")
        for document, k in ranked.changed:
            if document == place:
                effect = self.shown.view.effects.features[k]
                now, then = (float(state.values[place, k]) for state in (ranked.now, ranked.recorded))
                new = f'<b class="new">{escape(value_text(effect, now))}</b>'
                parts.append(f"{escape(effect.name)} {escape(value_text(effect, then))} → {new}")
        return " · ".join(parts)

    def _bar(self, place: int, k: int, letter: str) -> str:
        ranked, effect = self.ranked, self.shown.view.effects.features[k]
        value, added = float(ranked.now.values[place, k]), float(ranked.now.contributions[place, k])
        title = f"{effect.name} {value_text(effect, value)}: adds {signed(added)} against the first ten’s average"
        if not effect.categories and not np.isnan(value):
            title += f", {ordinal(int(self.value_places[k][place]))} highest of {len(ranked.names)}"
        drawn, recorded = self._drawn(added, letter), ""
        if (place, k) in ranked.changed:
            drawn += self._drawn(float(ranked.recorded.contributions[place, k]), "ghost")
            recorded = f' data-recorded="{escape(text_of(effect, float(ranked.recorded.values[place, k])))}"'
        attributes = (
            f'id="d{place}-{k}" data-k="{k}" data-value="{escape(text_of(effect, value))}"{recorded} '
            f'title="{escape(title)}" tabindex="-1"'
        )
        return _bar_cell(attributes, drawn, signed(added))

    def _drawn(self, value: float, kind: str) -> str:
        width = HALF * abs(value) / self.largest
        left = 50.0 if value >= 0 else 50.0 - width
        return f'<i class="{kind}" style="left:{left:.2f}%;width:{width:.2f}%"></i>'

    def _ghosts(self) -> str:
        """Return a dashed way from the present to the recorded place of each changed document that moved."""
        ways = []
        slots = {int(self.ranked.now.ranks[place]): number for number, place in reversed(list(enumerate(self.rows)))}
        for place in {document for document, _ in self.ranked.changed}:
            before = slots.get(int(self.ranked.recorded.ranks[place]))
            number = self.rows.index(place)
            if before is None or before == number:
                continue
            start, end = (ROW_HEIGHT * (n + 0.5) for n in (number, before))
            start += 9 if end > start else -9
            ways.append(f'<path class="way" d="M10 {start}C-2 {start} -2 {end} 10 {end}"/>')
            if self._letter(self.rows[before]) == "":
                ways.append(f'<circle class="ghost" cx="10" cy="{end}" r="4.5"/>')
        height = ROW_HEIGHT * len(self.rows)
        return (
            f'<svg class="ways" width="20" height="{height}" aria-hidden="true">{"".join(ways)}</svg>' if ways else ""
        )

    def _foot(self) -> str:
        n_documents = len(self.ranked.names)
        start, end = self.window
        more = ""
        if self.shown.asked.all:
            if start > 0:
                before = 2 * start - end
                more += f'<a href="{self.shown.href(start=before)}">Ranks {before + 1:,} to {start:,}</a>'
            if end < n_documents:
                last = min(n_documents, 2 * end - start)
                more += f'<a href="{self.shown.href(start=end)}">Ranks {end + 1:,} to {last:,}</a>'
            if n_documents > SHOWN_ROWS:
                more += f'<a href="{self.shown.href(all=False, start=0)}">Show the first {SHOWN_ROWS}</a>'
        elif len(self.rows) < n_documents:
            more = f'<a href="{self.shown.href(all=True)}">Show all {n_documents:,} documents</a>'
        if self.shown.asked.others:
            more += f' <a href="{self.shown.href(others=False)}">Show the longest {COLUMNS} features</a>'
        change = ", a bar to change its value" if self.columns else ""
        return (
            f'<p class="list-foot"><span class="row">{more}</span>'
            f'<span class="hint needs-script">Click a row for A, Shift-click for B{change}</span></p>'
        )


def _bar_cell(attributes: str, drawn: str, text: str) -> str:
    return f'<span role="gridcell" class="bar" {attributes}>{drawn}<span class="unseen">{text}</span></span>'


def _strip(ranked: RankedList) -> str:
    labels = ranked.labels[ranked.now.order][:MOST_LABELS].tolist()
    high = float(ranked.labels.max(initial=0.0))
    if high <= 0:
        return '<p class="note">No document of this query is judged relevant.</p>'
    many = f" (the first {MOST_LABELS})" if len(ranked.labels) > MOST_LABELS else ""
    return (
        f'<div class="strip-row"><p class="note">Labels in ranked order{many}. Tall: judged {label_text(high)}. '
        f"Shaded: the first {FIRST}.</p>{label_strip(labels, high, min(FIRST, len(labels)))}</div>"
    )
