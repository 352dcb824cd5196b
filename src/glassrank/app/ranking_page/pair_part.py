"""The panel of a pair: the probability if there is one, the strongest features with their lines, and the total."""

from html import escape

import numpy as np
from scipy.special import expit

from glassrank.app.ranking_page.page_words import document_mark, hidden, probability_text, signed
from glassrank.app.ranking_page.ranking_address import Shown
from glassrank.core.wording import counted
from glassrank.drawing.numbers import MINUS
from glassrank.nomograms.figure.lines import FOLD
from glassrank.nomograms.figure.rows import LINE_LEFT, Plotter, Scale, row_height
from glassrank.nomograms.figure.ticks import Tick
from glassrank.nomograms.pair_text import outside_note
from glassrank.studies.views.pair_view import PairRow, PairView, pair_view

LINE_WIDTH = 150  # pixels of the longest line
LEFT, WIDTH = LINE_LEFT - 14, LINE_WIDTH + 28  # of a row's picture; labels of ticks extend beyond the line
RULER_WIDTH, RULER_HALF = 432, 3.0  # the ruler reaches to log-odds of ±3, or to the total
DOTS = {"a": '<circle r="5"/>', "b": '<path d="M0 -6L6 0L0 6L-6 0Z"/>'}
RULER_TICKS = (0.01, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99)


def pair_of(shown: Shown) -> PairView | None:
    """Return the comparison of A and B; None if the query has one document only."""
    names = shown.ranked.names
    return None if shown.b is None else pair_view(shown.ranked, names[shown.a], names[shown.b])


def pair_part(shown: Shown, pair: PairView | None) -> str:
    """Return the section that compares A and B."""
    if pair is None:
        return (
            '<section class="pair" aria-labelledby="pair-title"><h2 id="pair-title">Why is A above B</h2>'
            f"{picker(shown, 'a')}<p>This query has one document: there is none to compare it with.</p></section>"
        )
    recorded = shown.ranked.recorded.scores
    above = "above" if recorded[pair.a] >= recorded[pair.b] else "below"
    return (
        f'<section class="pair" aria-labelledby="pair-title"><h2 id="pair-title">Why is A {above} B</h2>'
        f"{picker(shown, 'a')}{picker(shown, 'b')}{_probability(shown, pair)}{_table(shown, pair)}{_ruler(pair)}"
        f'<p class="list-foot"><a href="{shown.href("nomogram")}">Open the full nomogram</a>'
        f'<a id="swap" href="{shown.href(a=shown.ranked.names[pair.b], b=shown.ranked.names[pair.a])}">Swap A and B '
        "<kbd>X</kbd></a></p></section>"
    )


def picker(shown: Shown, letter: str) -> str:
    """Return a field with the name of a document; its form works without scripts."""
    ranked, other = shown.ranked, "b" if letter == "a" else "a"
    place = shown.a if letter == "a" else shown.b
    kept = {"q": ranked.query, other: None, "model": shown.view.n_features, "order": shown.asked.order}
    against = shown.b if letter == "a" else shown.a
    kept[other] = None if against is None else ranked.names[against]
    fields = "".join(hidden(key, value) for key, value in kept.items() if value is not None)
    fields += "".join(hidden("set", one) for one in ranked.changes)
    name = "" if place is None else ranked.names[place]
    score = "" if place is None or not shown.view.scores_documents else f" · {signed(float(ranked.now.scores[place]))}"
    where = "" if place is None else f"rank {ranked.now.ranks[place]}{score}"
    return (
        f'<form class="choose {letter}" method="get">{fields}<label class="unseen" for="choose-{letter}">'
        f'Document {letter.upper()}</label>{document_mark(letter)}<input id="choose-{letter}" name="{letter}" '
        f'value="{escape(name)}" autocomplete="off"><span class="hint" data-part="place-{letter}">{where}</span></form>'
    )


def _probability(shown: Shown, pair: PairView) -> str:
    turned = (pair.total < 0) != (pair.recorded_total < 0)
    place = ("A" if pair.total > 0 else "B", "B" if pair.total > 0 else "A")
    said = f"the order has turned, {place[0]} is above {place[1]}" if turned else "given that they differ in relevance"
    ends = pair.interval
    if ends is not None:
        facts = f"95 % interval {_big(pair, ends[0])} to {_big(pair, ends[1])}"
    elif shown.view.chosen:
        facts = "no interval: the resampled models of the study are not in its folder"
    else:
        facts = "no interval: only the study’s own model was resampled"
    outside = "".join(f'<p class="note">{note}</p>' for note in outside_note(pair.total, pair.interval))
    if pair.total != pair.recorded_total:
        facts += f" · recorded values: {_big(pair, pair.recorded_total)}"
    what = "P(A above B)" if pair.probability is not None else "Score of A − B, of a model without probabilities"
    return (
        f'<div class="big-p {"a" if pair.total >= 0 else "b"}"><output data-unit="{pair.unit}" '
        f"data-part=\"probability\">{_big(pair, pair.total)}</output><p>{what}, <span data-part='turned'>{said}</span>"
        f'<br><span class="hint">{facts}</span></p></div>{outside}'
    )


def _big(pair: PairView, total: float) -> str:
    """Return P(A above B) of a total or, without probabilities, the total."""
    return probability_text(float(expit(total))) if pair.probability is not None else signed(total)


def _table(shown: Shown, pair: PairView) -> str:
    ranges = [row.line.range for row in pair.rows if row.line is not None]
    scale = Scale(LINE_WIDTH / (max(ranges, default=0.0) or 1.0), None)
    rows = "".join(_row(row, scale) for row in pair.rows)
    if pair.n_rest:
        what = f"{counted(pair.n_rest, 'weaker feature')}, summed"
        rows += f'<tr><th scope="row" colspan="4">{what}</th>{_amount(pair.rest)}</tr>'
    if pair.offset:
        rows += f'<tr><th scope="row" colspan="4">The model’s output for two equal documents</th>{_amount(pair.offset)}'
    note = (
        ""
        if shown.view.scores_documents
        else (
            '<p class="note">The model has curves of differences, A − B. They have no place for a single document, '
            "so there are no lines to drag; the full nomogram shows the curves.</p>"
        )
    )
    return (
        f'<table class="pair" data-pixels="{scale.pixels!r}" data-left="{LINE_LEFT}"><thead><tr><th scope="col" '
        'rowspan="2">Feature</th><td rowspan="2"></td><th scope="colgroup" colspan="2" class="number hint">tie if '
        'changed to</th><th scope="col" rowspan="2" class="number">A − B</th></tr><tr><th scope="col" '
        'class="number a">A</th><th scope="col" class="number b">B</th></tr></thead>'
        f"<tbody>{rows}</tbody><tfoot><tr><th scope='row' colspan='4'>Total, {pair.unit}</th>"
        f"{_amount(pair.total, 'total')}</tr></tfoot></table>{note}"
    )


def _row(row: PairRow, scale: Scale) -> str:
    found = row.found
    unit = f", {escape(row.effect.unit)}" if row.effect.unit else ""
    values = "".join(
        f'<span class="{letter}"><b>{letter.upper()}</b> <span data-part="value-{letter}">{escape(row.said(value))}'
        "</span></span> "
        for letter, value in (("a", found.value_a), ("b", found.value_b))
    )
    ties = "".join(
        f'<td class="number {letter}">{escape(row.said(value))}</td>'
        for letter, value in (("a", found.flip_a), ("b", found.flip_b))
    )
    picture, name = "" if row.line is None else _line(row, scale), escape(row.effect.name)
    return (
        f'<tr data-k="{row.k}"><th scope="row"><span class="feature" title="{name}">{name}{unit}</span>'
        f'<span class="values">{values}</span></th><td class="line">{picture}</td>{ties}'
        f"{_amount(found.contribution, 'contribution')}</tr>"
    )


def _amount(value: float, part: str = "") -> str:
    side = "a" if value > 0 else "b" if value < 0 else ""
    return f'<td class="number {side}"{f" data-part={part}" if part else ""}>{signed(value)}</td>'


def _line(row: PairRow, scale: Scale) -> str:
    """Return the line of a feature with its ticks, the two dots, the segment between them, ties and ghosts, as SVG."""
    line = row.line
    if line is None:
        return ""
    plotter = Plotter(line, scale, 0.0, row.level_counts)
    y, found = plotter.y, row.found
    low, high = plotter.ends()
    a, b = (plotter.x_of(value) for value in (found.value_a or 0.0, found.value_b or 0.0))
    height = row_height(line) - 4
    marks = f'<path class="axis" d="M{low:.1f} {y}H{max(high, low + 1):.1f}"/>'
    if line.kind == FOLD:
        marks += f'<path class="axis" d="{plotter.curve()}"/>'
    marks += "".join(_tick(tick) for tick in plotter.ticks())
    missing = plotter.missing()
    if missing is not None:
        marks += f'<path class="axis" d="M{missing.x:.1f} {y - 4}v8"><title>{escape(missing.label)}</title></path>'
    marks += f'<path class="between {"a" if found.contribution > 0 else "b"}" d="M{a:.1f} {y}H{b:.1f}"/>'
    for letter, value in (("a", found.flip_a), ("b", found.flip_b)):
        if value is not None:
            x = plotter.x_of(value)
            marks += f'<path class="tie {letter}" d="M{x - 4.5:.1f} {y - 14}h9l-4.5 6Z"/>'
    for letter, value, changed in zip("ab", row.recorded, row.changed, strict=True):
        if changed:
            x = plotter.x_of(value)
            marks += f'<circle class="ghost {letter}" cx="{x:.1f}" cy="{y}" r="4.5"/>'
    for letter, x in (("b", b), ("a", a)):
        marks += (
            f'<g class="dot {letter}" id="dot-{letter}-{row.k}" data-dot="{letter}" transform="translate({x:.1f} {y})">'
            f'<circle class="grip" r="12"/>{DOTS[letter]}</g>'
        )
    return f'<svg viewBox="{LEFT} 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">{marks}</svg>'


def _tick(tick: Tick) -> str:
    label = f'<text x="{tick.x:.1f}" y="{tick.y + 16 + 11 * tick.lane:.1f}">{escape(tick.label)}</text>'
    return f'<path class="axis" d="M{tick.x:.1f} {tick.y}v4"/>{label if tick.label else ""}'


def _ruler(pair: PairView) -> str:
    half = max(RULER_HALF, 1.05 * abs(pair.total), 1.05 * abs(pair.recorded_total))

    def x_of(total: float) -> float:
        return RULER_WIDTH / 2 * (1.0 + total / half)

    middle, x = RULER_WIDTH / 2, x_of(pair.total)
    ticks = ""
    last = -100.0
    for probability in RULER_TICKS if pair.probability is not None else ():
        place = x_of(float(np.log(probability / (1.0 - probability))))
        if 12 <= place <= RULER_WIDTH - 12 and place - last >= 30:
            ticks += f'<path class="axis" d="M{place:.1f} 15v4"/><text x="{place:.1f}" y="31">{probability:g}</text>'
            last = place
    ghost = ""
    if pair.total != pair.recorded_total:
        ghost = f'<circle class="ghost a" cx="{x_of(pair.recorded_total):.1f}" cy="9" r="4.5"/>'
    side = "a" if pair.total >= 0 else "b"
    what = "P(A above B)" if pair.probability is not None else "A − B"
    said = f"{what} {_big(pair, pair.total)}".replace("-", MINUS)
    return (
        f'<svg class="ruler" viewBox="0 0 {RULER_WIDTH} 52" width="{RULER_WIDTH}" height="52" role="img" '
        f'aria-label="{escape(said)}" data-half="{half!r}"><rect class="b" y="4" width="{middle}" height="10"/>'
        f'<rect class="a" x="{middle}" y="4" width="{middle}" height="10"/><path class="axis" d="M{middle} 0v18"/>'
        f"{ticks}"
        f'<path class="between {side}" data-part="ruler-bar" d="M{middle} 9H{x:.1f}"/>{ghost}'
        f'<circle class="dot {side}" data-part="ruler-dot" transform="translate({x:.1f} 9)" r="5"/>'
        f'<text x="0" y="48" class="b start">B above A</text><text x="{middle}" y="48">{what}</text>'
        f'<text x="{RULER_WIDTH}" y="48" class="a end">A above B</text></svg>'
    )
