"""Why two documents changed their order: P(A above B) and the contribution of each feature by both models."""

from html import escape

from glassrank.drawing.numbers import Notation
from glassrank.drawing.small_marks import WhiskerScale, dumbbell
from glassrank.studies.views.study_comparison import FeatureShift, PairShift

SHOWN = 7
DOTS = 190  # pixels of the column of dots
write = Notation(2)


def why_moved(pair: PairShift, ranking: str) -> str:
    """Return the panel of a pair; ``ranking`` is the address of the pair in the Ranking page."""
    shown, rest = pair.features[:SHOWN], pair.features[SHOWN:]
    if len(rest) > 1:
        sums = (sum(one.before or 0.0 for one in rest), sum(one.after or 0.0 for one in rest))
        shown = (*shown, FeatureShift(f"{len(rest)} others", *sums))
    else:
        shown = pair.features
    ends = [end for one in shown for end in (one.before or 0.0, one.after or 0.0)]
    scale = WhiskerScale.of([*ends, *pair.totals], with_zero=True, width=DOTS)
    unit = "score" if pair.probabilities is None else "log-odds"
    total = FeatureShift(f"Total, {unit}", *pair.totals)
    return (
        f"<h2>{'Why B passed A' if _b_passed(pair) else 'A and B by both models'}</h2>"
        f"{_document(pair, 0)}{_document(pair, 1)}"
        f'<div class="before-after">{_probabilities(pair)}<span class="note">{escape(_said(pair))}</span></p></div>'
        '<table class="why"><thead><tr><th scope="col">Feature</th><th scope="col"><span class="b">favours B</span>'
        '<span class="a">favours A</span></th><th scope="col" class="number">Change</th></tr></thead><tbody>'
        f'{"".join(_row(one, scale) for one in shown)}</tbody><tbody class="total">{_row(total, scale)}</tbody>'
        f"<tfoot><tr><td></td><td>{scale.axis()}</td><td></td></tr></tfoot></table>"
        '<p class="note">○ model 1 &nbsp; ● model 2 &nbsp; '
        f"what the feature adds to A − B, in {unit}</p>"
        f'<p><a href="{escape(ranking)}">Open this pair in Ranking</a></p>'
    )


def _b_passed(pair: PairShift) -> bool:
    return pair.flipped and pair.ranks[0][0] < pair.ranks[1][0]


def _probabilities(pair: PairShift) -> str:
    if pair.probabilities is None:
        return "<p>"
    shown = (f'<span class="{"a" if one >= 0.5 else "b"}">{one:.2f}</span>' for one in pair.probabilities)
    return f'<p class="big">{" → ".join(shown)}</p><p>P(A above B)<br>'


def _document(pair: PairShift, place: int) -> str:
    letter, (before, after) = "ab"[place], pair.ranks[place]
    mark = "●" if letter == "a" else "◇"
    return (
        f'<p class="document"><span class="{letter}">{mark} {letter.upper()}</span> '
        f"<bdi>{escape(pair.names[place])}</bdi>, judged {pair.labels[place]:g}: rank {before} → {after}</p>"
    )


def _said(pair: PairShift) -> str:
    """Say in a sentence which feature changes most."""
    first = pair.features[0]
    if not first.change:
        return "No feature changes its contribution."
    amount, side = Notation(2)(abs(first.change)), "A" if first.change < 0 else "B"
    if first.after is None:
        return f"Without {first.name}, {amount} in favour of {side} is gone."
    other = "B" if side == "A" else "A"
    how = "which model 1 does not have" if first.before is None else "which changes most"
    return f"{first.name}, {how}, adds {amount} in favour of {other}."


def _row(one: FeatureShift, scale: WhiskerScale) -> str:
    before, after = one.before or 0.0, one.after or 0.0
    side = "" if not write(one.change, sign=True).strip("0.") else "a" if one.change > 0 else "b"
    absent = " (not in model 1)" if one.before is None else " (not in model 2)" if one.after is None else ""
    words = f"{write(before, sign=True)} → {write(after, sign=True)}{absent}"
    return (
        f'<tr><th scope="row"><bdi>{escape(one.name)}</bdi></th><td title="{words}">{dumbbell(scale, before, after)}'
        f'<span class="vh">{words}</span></td><td class="number {side}">{write(one.change, sign=True)}</td></tr>'
    )
