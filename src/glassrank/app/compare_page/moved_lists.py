"""What moved in one query: its first documents by each model, side by side, joined by lines."""

from collections.abc import Callable
from html import escape

from glassrank.drawing.small_marks import label_steps
from glassrank.nomograms.model_comparison.compared_scores import MovedDocument, QueryChange
from glassrank.studies.views.study_comparison import FIRST, StudyComparison

ROW, GAP, EDGE = 34, 150, 14

Link = Callable[[str, str], str]
"""``"a"`` or ``"b"`` and a document → the address that chooses it."""


def moved_lists(found: StudyComparison, query: QueryChange, pair: tuple[str, str] | None, link: Link) -> str:
    """Return both lists; a name on the left chooses document A, one on the right document B."""
    own = found.list_change(query.query)
    sides = [found.lists.first_documents(query.query, side, FIRST) for side in (0, 1)]
    highest = float(found.lists.data.y.max()) or 1.0
    measure = found.lists.comparison.measure.upper()
    letters = {} if pair is None else {pair[0]: "a", pair[1]: "b"}
    lists = []
    for side, (documents, value) in enumerate(zip(sides, (own.value_1, own.value_2), strict=True)):
        rows = "".join(_row(one, side, highest, letters.get(one.name), link) for one in documents)
        lists.append(
            f'<div><p class="list-head"><strong>Model {side + 1}</strong><span>{escape(measure)} {value:.3f}</span></p>'
            f'<ol aria-label="First documents by model {side + 1}">{rows}</ol></div>'
        )
    return f'<div class="moved">{lists[0]}{_lines(sides, letters, link)}{lists[1]}</div>'


def _row(one: MovedDocument, side: int, highest: float, letter: str | None, link: Link) -> str:
    rank, other = one.ranks[side], one.ranks[1 - side]
    target = "ab"[side]
    if side == 0:
        moved = f'<span class="leaves">→ {other}</span>' if other > FIRST else ""
    else:
        up = other - rank
        words = f"{'up' if up > 0 else 'down'} {abs(up)}"
        moved = f'<span aria-label="{words}" role="img">{"▲" if up > 0 else "▼"}{abs(up)}</span>' if up else ""
    mark = "" if letter is None else f' class="{letter}"'
    letters = "" if letter is None else f'<span class="letter">{letter.upper()}</span> '
    return (
        f'<li{mark}><span class="rank">{rank}</span><a href="{escape(link(target, one.name))}" '
        f'title="{escape(one.name)}: make it {target.upper()}">{letters}<bdi>{escape(one.name)}</bdi></a>'
        f'{label_steps(one.label, highest, f"judged {one.label:g}")}<span class="move">{moved}</span></li>'
    )


def _lines(sides: list[list[MovedDocument]], letters: dict[str, str], link: Link) -> str:
    """Return a line per document; one that leaves the shown part runs to its lower edge."""
    documents = {one.name: one for side in sides for one in side}
    height = ROW * max(map(len, sides)) + EDGE
    ordered = sorted(documents.values(), key=lambda one: one.name in letters)
    lines = "".join(_line(one, height, letters.get(one.name), link) for one in ordered)
    size = f'viewBox="0 0 {GAP} {height}" width="{GAP}" height="{height}"'
    return f'<svg class="slopes" {size} aria-hidden="true">{lines}</svg>'


def _line(one: MovedDocument, height: int, letter: str | None, link: Link) -> str:
    y, y2 = (min(ROW * (rank - 0.5), height) for rank in one.ranks)
    middle, words = GAP / 2, f"{one.name}: rank {one.ranks[0]} → {one.ranks[1]}"
    ends = "" if letter is None else "".join(_end(letter, x, at) for x, at in ((6, y), (GAP - 6, y2)))
    curve = f"M6 {y}C{middle} {y} {middle} {y2} {GAP - 6} {y2}"
    return (
        f'<a href="{escape(link("a", one.name))}" data-b="{escape(link("b", one.name))}" tabindex="-1">'
        f'<title>{escape(words)}</title><path class="wide" d="{curve}"/>'
        f'<path class="{letter or ("stays" if one.ranks[0] == one.ranks[1] else "other")}" d="{curve}"/>{ends}</a>'
    )


def _end(letter: str, x: float, y: float) -> str:
    if letter == "a":
        return f'<circle class="a" cx="{x}" cy="{y}" r="5"/>'
    return f'<path class="b end" d="M{x} {y - 6}l6 6l-6 6l-6 -6z"/>'
