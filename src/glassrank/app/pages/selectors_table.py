"""The table of selectors: the place that each gives a feature, the spread of the places, and how its first ones do."""

from collections import Counter
from html import escape
from urllib.parse import urlencode

from glassrank.drawing.numbers import Notation
from glassrank.metrics.verdict import difference_in_words, is_different
from glassrank.selection.selector_names import BOOSTING_INFLUENCE, COMBINED, INFORMATION_GAIN, NOMOGRAM, SVM_WEIGHTS
from glassrank.studies.views.model_sizes import FoldDifference
from glassrank.studies.views.selector_places import SelectorPlaces, SelectorRanking

# Value of ``sort`` in the address -> method, and the head of its column
SORTS = {
    "nomogram": (NOMOGRAM, "Nomogram"),
    "svm": (SVM_WEIGHTS, "SVM weights"),
    "boosting": (BOOSTING_INFLUENCE, "Boosting"),
    "combined": (COMBINED, "Combined"),
    "gain": (INFORMATION_GAIN, "Inform. gain"),
}
WIDTH, MARGIN, MIDDLE = 360, 10, 12
SMALLEST, GROWTH = 3.0, 0.9  # radius of a dot, and how much each further method adds


def selectors_table(found: SelectorPlaces, sort: str, n_features: int) -> str:
    """Return the table, sorted by one method; ``n_features`` of the page stays chosen in its links."""
    by_method = {one.method: one for one in found.rankings}
    order = found.order(SORTS[sort][0])
    dropped = by_method[NOMOGRAM].places
    heads = "".join(_head(key, label, key == sort, n_features) for key, (_, label) in SORTS.items())
    rows = []
    for place, k in enumerate(order):
        last = sort == "nomogram" and place + 1 == found.n_kept < len(order)
        cells = "".join(_place(by_method[method].places[k], found.n_kept) for method, _ in SORTS.values())
        name = escape(found.features[k]) + ("" if dropped[k] <= found.n_kept else '<small class="hint">dropped</small>')
        rows.append(
            f'<tr{" class=last-kept" if last else ""}><th scope="row">{name}</th>{cells}<td>{_dots(found, k)}</td>'
            f'<td class="number">{found.votes(k)} of {len(found.rankings)}</td></tr>'
        )
    return (
        "<p>Place that each method gives a feature. The nomogram’s places are those of the elimination above; the "
        f"other methods are those of <code>glassrank select</code>. Bold: within the first {found.n_kept}, as many as "
        'the study keeps.</p><div class="scroll" tabindex="0" role="group" aria-label="Places of the features">'
        f'<table class="list selectors"><thead><tr><th scope="col">Feature</th>{heads}'
        f'<th scope="col">Places of the five</th><th scope="col" class="number">In first {found.n_kept}</th></tr>'
        "</thead>"
        f"<tbody>{''.join(rows)}</tbody>{_foot(found, by_method)}</table></div>"
        '<p class="note">Larger dot: several methods agree. The scores of the last row are optimistic in the same way '
        "as the curve’s: every method has seen all queries.</p>"
    )


def _head(key: str, label: str, chosen: bool, n_features: int) -> str:
    address = escape("?" + urlencode({"n": n_features, "sort": key}) + "#selectors")
    sorted_by = ' aria-sort="ascending"' if chosen else ""
    arrow = ' <span aria-hidden="true">↓</span>' if chosen else ""
    return f'<th scope="col" class="number"{sorted_by}><a href="{address}">{label}{arrow}</a></th>'


def _place(place: int, n_kept: int) -> str:
    return f'<td class="number">{f"<strong>{place}</strong>" if place <= n_kept else place}</td>'


def _x(place: float, n_features: int) -> float:
    return round(MARGIN + (WIDTH - 2 * MARGIN) * (place - 1) / max(1, n_features - 1), 2)


def _dots(found: SelectorPlaces, k: int) -> str:
    """Return the places on a line: solid within the first ones, hollow beyond; a dot grows with its methods."""
    n_features = len(found.features)
    counts = Counter(one.places[k] for one in found.rankings)
    limit = _x(found.n_kept + 0.5, n_features)
    line = f"M{_x(min(counts), n_features)} {MIDDLE}H{_x(max(counts), n_features)}"
    dots = "".join(
        f'<circle{"" if place <= found.n_kept else " class=beyond"} cx="{_x(place, n_features)}" cy="{MIDDLE}" '
        f'r="{SMALLEST + GROWTH * (count - 1):.1f}"/>'
        for place, count in sorted(counts.items())
    )
    return (
        f'<svg class="places" viewBox="0 0 {WIDTH} {2 * MIDDLE}" width="{WIDTH}" height="{2 * MIDDLE}" '
        f'aria-hidden="true"><path class="limit" d="M{limit} 0V{2 * MIDDLE}"/><path d="{line}"/>{dots}</svg>'
    )


def _foot(found: SelectorPlaces, by_method: dict[str, SelectorRanking]) -> str:
    """Return how the study's model does with the first features of each method, and the axis of the places."""
    own = by_method[NOMOGRAM].scores
    ticks = sorted({1, found.n_kept, len(found.features)})
    axis = "".join(f'<text x="{_x(tick, len(found.features))}" y="14">{tick}</text>' for tick in ticks)
    axis = f'<svg class="places" viewBox="0 0 {WIDTH} 18" width="{WIDTH}" height="18" aria-hidden="true">{axis}</svg>'
    if own is None:
        return f"<tfoot><tr><td colspan=6></td><td>{axis}</td><td></td></tr></tfoot>"
    cells = "".join(f'<td class="number">{_score(by_method[method], own)}</td>' for method, _ in SORTS.values())
    name = f"{escape(found.measure)} with its first {found.n_kept}<small>against the nomogram’s, paired</small>"
    return f'<tfoot><tr><th scope="row">{name}</th>{cells}<td>{axis}</td><td></td></tr></tfoot>'


def _score(one: SelectorRanking, own: tuple[float | None, ...]) -> str:
    if one.mean_score is None:
        return "–"
    number = Notation(3)
    mean = number(one.mean_score)
    difference = None if one.method == NOMOGRAM else FoldDifference.of(one.scores or (), own)
    if difference is None:
        return f"<strong>{mean}</strong>"
    words, _ = difference_in_words(difference.mean, difference.interval)
    words += f", {difference.verdict}" if is_different(difference.verdict) else ""
    return f"<strong>{mean}</strong><small>{words}</small>"
