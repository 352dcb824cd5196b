"""The page of a comparison of two models."""

from html import escape

import numpy as np

from glassrank.drawing.numbers import Notation
from glassrank.drawing.self_contained_page import NO_SCRIPT, Section, build_page
from glassrank.drawing.small_marks import WhiskerScale, dumbbell
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.nomograms.model_comparison.compared_models import (
    ComparedModels,
    FeatureChange,
    FlippedPair,
)
from glassrank.nomograms.model_comparison.compared_scores import QueryChange
from glassrank.nomograms.model_comparison.difference_chart import DifferenceChart
from glassrank.nomograms.model_comparison.slope_chart import SlopeChart

MOST_QUERIES = 6
MOST_FEATURES = 12
STYLE = """
.scroll { overflow-x: auto; } td { white-space: nowrap; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 110px; max-width: 360px; }
td bdi { unicode-bidi: isolate; }
.columns { display: flex; flex-wrap: wrap; gap: 24px 48px; align-items: flex-start; }
.columns > * { flex: 1 1 420px; min-width: 0; }
.columns figure svg { max-width: 100%; min-width: 560px; }
svg.dumbbell { vertical-align: middle; overflow: visible; }
svg.dumbbell path { stroke: var(--line); } svg.dumbbell path.zero { stroke: var(--rule); }
svg.dumbbell circle { stroke: var(--ink); stroke-width: 1.3; fill: var(--ink); }
svg.dumbbell circle.before { fill: var(--page); }
p.a strong { color: var(--a); } p.b strong { color: var(--b); } p.a, p.b { margin: 0; }
"""


def comparison_page(found: ComparedModels) -> str:
    """Return the page: what changes, which queries and which features; one query hurt and one helped in detail."""
    names = [one.name for one in found.models]
    lead = "".join(f'<p class="verdict">{escape(sentence)}</p>' for sentence in found.sentences())
    sections = [
        Section("Which queries change", DifferenceChart(found).figure()),
        Section("Hurt and helped most", _queries(found)),
        Section("Which features did it", _features(found)),
        *(_moved(found, one, what) for one, what in _examples(found)),
    ]
    head = f"{NO_SCRIPT}<style>{STYLE}</style>"
    return build_page(f"{names[1]} instead of {names[0]}", sections, lead=lead + _convention_note(found), head=head)


def _convention_note(found: ComparedModels) -> str:
    comparison = found.comparison
    note = f"Convention “{comparison.convention}”; test: {comparison.test}."
    if comparison.left_out:
        note += f" {comparison.left_out:,} queries are left out, because the measure is undefined for them."
    if CONVENTIONS[comparison.convention].short_list == "zero" and comparison.measure.startswith("ndcg@"):
        note += " It gives a query NDCG@k = 0 if it has fewer than k documents, in whatever order they are."
    return f'<p class="note">{escape(note)}</p>'


def _examples(found: ComparedModels) -> list[tuple[QueryChange, str]]:
    return [(one, "most hurt") for one in found.hurt[:1]] + [(one, "most helped") for one in found.helped[-1:]]


def _queries(found: ComparedModels) -> str:
    hurt, helped = found.hurt[:MOST_QUERIES], found.helped[-MOST_QUERIES:]
    if not hurt and not helped:
        return "<p>No query changes.</p>"
    scale = WhiskerScale.of([one.change for one in (*hurt, *helped)], with_zero=True)
    between = len(found.counted) - len(hurt) - len(helped)
    middle = f'<tr><td colspan="7">{between:,} queries between</td></tr>' if between else ""
    rows = [_query_row(one, scale) for one in (*hurt, *helped)]
    body = "".join([*rows[: len(hurt)], middle, *rows[len(hurt) :]])
    names = "".join(f'<th scope="col" class="number">{escape(one.name)}</th>' for one in found.models)
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Queries"><table><thead><tr>'
        f'<th scope="col">Query</th>{names}<td></td><th scope="col" class="number">Change</th>'
        '<th scope="col" class="number">Right to wrong</th><th scope="col" class="number">Wrong to right</th>'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
        '<p class="note">Right to wrong: pairs whose higher-judged document is above by the first model and below by '
        "the second.</p>"
    )


def _query_row(one: QueryChange, scale: WhiskerScale) -> str:
    return (
        f'<tr><td><bdi>{escape(one.query)}</bdi></td><td class="number">{one.value_1:.3f}</td>'
        f'<td class="number">{one.value_2:.3f}</td><td>{dumbbell(scale, 0.0, one.change)}</td>'
        f'<td class="number">{_signed(one.change, 3)}</td><td class="number">{one.flips.right_to_wrong:,}</td>'
        f'<td class="number">{one.flips.wrong_to_right:,}</td></tr>'
    )


def _features(found: ComparedModels) -> str:
    if not found.flips.total:
        return "<p>No pair changes its order.</p>"
    shown = found.features[:MOST_FEATURES]
    scale = WhiskerScale.of([one.mean_change for one in shown], with_zero=True)
    rows = "".join(_feature_row(found, one, scale) for one in shown)
    rest = len(found.features) - len(shown)
    more = f" {rest:,} more features change less." if rest else ""
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Features"><table><thead><tr><th scope="col">Feature'
        '</th><th scope="col" class="number">Mean |change|</th><td></td>'
        '<th scope="col" class="number">Mean change</th><td></td></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="note">Over the {found.flips.total:,} flipped pairs, in {escape(found.models[0].effects.unit)}: the '
        "contribution to A − B by the second model minus that by the first, which puts A above B. A negative mean "
        f"change means that the feature contributed to the flips.{more}</p>"
    )


def _feature_row(found: ComparedModels, one: FeatureChange, scale: WhiskerScale) -> str:
    absent = [model.name for model, has in zip(found.models, one.in_models, strict=True) if not has]
    note = f'<span class="note">not in {escape(absent[0])}</span>' if absent else ""
    return (
        f'<tr><td><bdi>{escape(one.name)}</bdi></td><td class="number">{one.mean_absolute_change:.3f}</td>'
        f'<td>{dumbbell(scale, 0.0, one.mean_change)}</td><td class="number">{_signed(one.mean_change, 3)}</td>'
        f"<td>{note}</td></tr>"
    )


def _moved(found: ComparedModels, one: QueryChange, what: str) -> Section:
    wanted = 1 if one.change < 0 else -1
    pairs = [pair for pair in found.flipped_pairs(one.query) if wanted * (pair.label_a - pair.label_b) > 0]
    pair = pairs[0] if pairs else None
    drawn = SlopeChart(found, one.query, pair).figure()
    values = f"{escape(found.comparison.measure.upper())} {one.value_1:.3f} → {one.value_2:.3f}"
    why = "" if pair is None else _why(found, pair)
    inside = f'<p>The {what} query: {values}.</p><div class="columns"><div>{drawn}</div>{why}</div>'
    return Section(f"What moved: {one.query}", inside)


def _why(found: ComparedModels, pair: FlippedPair) -> str:
    shown = list(pair.contributions.items())[:MOST_FEATURES]
    rest = list(pair.contributions.items())[MOST_FEATURES:]
    if rest:
        sums = tuple(sum(both[place] for _, both in rest) for place in (0, 1))
        shown.append((f"{len(rest):,} others", (sums[0], sums[1])))
    scale = WhiskerScale.of([end for _, both in shown for end in both], with_zero=True)
    rows = "".join(
        f"<tr><td><bdi>{escape(name)}</bdi></td><td>{dumbbell(scale, *both)}</td>"
        f'<td class="number">{_signed(both[1] - both[0], 2)}</td></tr>'
        for name, both in shown
    )
    before, after = pair.totals
    names = [escape(one.name) for one in found.models]
    probability = ""
    if found.models[0].effects.unit == "log-odds":
        first, second = found.models[0].effects.probability(np.array(pair.totals))
        probability = f"<p>P(A above B): {first:.2f} → {second:.2f}</p>"
    return (
        f"<div><h3>Why B passed A</h3>{_document('A', pair.a, pair.label_a, pair.ranks_a)}"
        f"{_document('B', pair.b, pair.label_b, pair.ranks_b)}{probability}"
        '<table><thead><tr><th scope="col">Feature</th><th scope="col">adds to A − B</th>'
        f'<th scope="col" class="number">Change</th></tr></thead><tbody>{rows}'
        f'<tr class="chosen"><td>Total</td><td>{_signed(before, 2)} → {_signed(after, 2)}</td>'
        f'<td class="number">{_signed(after - before, 2)}</td></tr></tbody></table>'
        f'<p class="note">Hollow: {names[0]}; filled: {names[1]}; in {escape(found.models[0].effects.unit)}.</p></div>'
    )


def _document(letter: str, name: str, label: float, ranks: tuple[int, int]) -> str:
    return (
        f'<p class="{letter.lower()}"><strong>{letter} <bdi>{escape(name)}</bdi></strong>, judged {label:g}: '
        f"rank {ranks[0]} → {ranks[1]}</p>"
    )


def _signed(value: float, decimals: int) -> str:
    return Notation(decimals)(value, sign=True)
