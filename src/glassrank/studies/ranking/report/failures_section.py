"""The section "Where it fails" of a ranking report: the worst queries, each with the pair that hurts most."""

from html import escape
from urllib.parse import quote, urlencode

from glassrank.core.wording import counted
from glassrank.drawing.small_marks import label_strip
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.studies.ranking.result import Failures, HardQuery, StudyResult, WrongDocument, WrongPair

LABELS_COUNTED = 5
PUSH_WIDTH = 60
FAILURES_STYLE = """
svg.strip path { stroke: var(--ink); stroke-width: 2; } svg.strip rect { fill: var(--subtle); }
.failures label { font-size: 13px; } .failures select { font: inherit; font-size: 13px; color: var(--ink);
  background: var(--page); border: 1px solid var(--mark); border-radius: 4px; padding: 2px 6px; margin-bottom: 12px;
  max-width: 100%; }
.failures td { overflow-wrap: anywhere; } .failures bdi { unicode-bidi: isolate; }
.failures table.study td, .failures table.study th { padding-right: 16px; }
.failures table.study td:first-child { min-width: 60px; max-width: 240px; }
.failures table.study td { white-space: normal; } .failures td.pair { min-width: 180px; max-width: 300px; }
.failures table.study td.pushes { min-width: 230px; max-width: 320px; padding-right: 0; }
.failures summary { cursor: pointer; } .failures ol { list-style: none; margin: 4px 0 0; padding: 0; }
.failures ol li { display: grid; grid-template-columns: 1fr 60px 44px; gap: 8px; align-items: center; }
.failures ol li span:last-child { text-align: right; }
.failures ol svg rect { fill: var(--a); }
@media print { .failures select { display: none; } .failures svg { max-width: 90px; height: auto; }
  .failures table.study td.pair, .failures table.study td.pushes, .failures table.study td:first-child { min-width: 0; }
  .failures table.study td, .failures table.study th { padding-right: 8px; white-space: normal; } }
"""


def failures(result: StudyResult) -> str:
    """Return the section: one table, or one per system that can be explained, with a choice between them."""
    measure = escape(result.main.measure.upper())
    tables = "".join(
        f'<div data-system="{place}">{_heading(one, len(result.failures))}{_table(one, measure)}{_source(one)}</div>'
        for place, one in enumerate(result.failures)
    )
    return (
        f"<p>{_which(result, measure)} A link shows the pair that hurts most in the nomogram above.</p>\n"
        f'<div class="failures">{_choice(result)}{tables}</div>\n'
        f'<p class="note">{_notes(result)}</p>'
    )


def _which(result: StudyResult, measure: str) -> str:
    if result.measured.ranked_by_seen:
        return "The query, ranked by the final model, which has seen its documents."
    return f"The queries with the lowest {measure}, ranked by models that had not seen them."


def short_lists_note(result: StudyResult, *measures: str) -> str:
    """Explain the zeros of short lists if the convention gives them to one of the measures; otherwise empty."""
    convention = result.main.convention
    cut = any(measure.startswith("ndcg@") for measure in measures)
    if CONVENTIONS[convention].short_list != "zero" or not cut:
        return ""
    short = result.failures[0].n_short
    own = f" Here these are {short:,} of the queries for {result.main.measure.upper()}." if short else ""
    return (
        f"The convention “{convention}” gives a query NDCG@k = 0 if it has fewer than k documents, in whatever order "
        f"they are.{own}"
    )


def _choice(result: StudyResult) -> str:
    if len(result.failures) == 1:
        return ""
    options = "".join(
        f'<option value="{place}">{escape(one.label)}</option>' for place, one in enumerate(result.failures)
    )
    return f'<label>Model <select autocomplete="off">{options}</select></label>'


def _heading(found: Failures, n_systems: int) -> str:
    return f"<h3>{escape(found.label)}</h3>" if n_systems > 1 else ""


def _table(found: Failures, measure: str) -> str:
    rows = "".join(_row(query, found.unit) for query in found.queries)
    name = escape(f"Hardest queries of {found.label}")
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{name}"><table class="study"><thead><tr>'
        f'<th scope="col">Query</th><th scope="col" class="number">Docs</th><th scope="col">Judged</th>'
        f'<th scope="col" class="number">{measure}</th><th scope="col">Relevant documents by rank</th>'
        '<th scope="col" class="number">First best at</th><th scope="col">Pair that hurts most</th>'
        f'<th scope="col">What pushes it up</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _source(found: Failures) -> str:
    """Name the source of contributions that are not effects of an additive model."""
    named = {query.pair.attribution for query in found.queries if query.pair is not None} - {""}
    return "".join(f'<p class="note">What pushes it up: {escape(words)}</p>' for words in sorted(named))


def _row(query: HardQuery, unit: str) -> str:
    judged = ", ".join(f"{count} × {label:g}" for label, count in query.judged[:LABELS_COUNTED])
    judged += ", …" if len(query.judged) > LABELS_COUNTED else ""
    highest = max((label for label, _ in query.judged), default=1.0) or 1.0
    return (
        f'<tr><td>{_link(query)}</td><td class="number">{query.n_documents:,}</td><td>{judged}</td>'
        f'<td class="number">{query.value:.3f}</td><td>{label_strip(query.labels, highest, 10)}</td>'
        f'<td class="number">{query.first_best}</td><td class="pair">{_pair(query.pair)}</td>'
        f'<td class="pushes">{_pushes(query.pair, unit)}</td></tr>'
    )


def _link(query: HardQuery) -> str:
    name = f"<bdi>{escape(query.query)}</bdi>"
    if query.pair is None:
        return name
    above, below = query.pair.above.name, query.pair.below.name
    address = urlencode({"query": query.query, "a": above, "b": below}, quote_via=quote, safe="")
    says = f"{query.query}: show {above} above {below} in the nomogram"
    return f'<a href="#{escape(address)}" aria-label="{escape(says)}">{name}</a>'


def _pair(pair: WrongPair | None) -> str:
    if pair is None:
        return "– no swap of two documents raises the measure"
    return f"{_document(pair.above)} above {_document(pair.below)}<small>swapped: +{pair.gain:.3f}</small>"


def _document(document: WrongDocument) -> str:
    return f"<bdi>{escape(document.name)}</bdi> (judged {document.label:g}, rank {document.rank:,})"


def _pushes(pair: WrongPair | None, unit: str) -> str:
    if pair is None or not pair.pushes:
        return "–"
    (first, largest), rest = pair.pushes[0], len(pair.pushes) - 1
    items = "".join(
        f"<li><bdi>{escape(name)}</bdi>{_bar(amount / largest)}<span>+{amount:.2f}</span></li>"
        for name, amount in pair.pushes
    )
    correct = "" if pair.total > 0 else "<small>The final model orders the pair correctly.</small>"
    more = f", {rest} more" if rest else ""
    return (
        f"<details><summary><bdi>{escape(first)}</bdi>: +{largest:.2f}{more}</summary>"
        f'<ol aria-label="{escape(f"Contributions in {unit}")}">{items}</ol></details>{correct}'
    )


def _bar(share: float) -> str:
    width = round(PUSH_WIDTH * share, 1)
    return f'<svg width="{PUSH_WIDTH}" height="8" aria-hidden="true"><rect width="{width}" height="8" rx="1"/></svg>'


def _notes(result: StudyResult) -> str:
    unit, measure = result.failures[0].unit, result.main.measure.upper()
    parts = [
        "Tall marks: the highest label; shaded: the top ten.",
        f"Pair that hurts most: of all pairs with the higher-judged document below, the one whose swap would raise "
        f"{measure} of the query most.",
        f"What pushes it up: the features that raise the wrong document most over the other, in {unit} of the final "
        "model, which has seen the query if there are no test data. Features that move together within queries are "
        "added up, because their single signs mean little.",
    ]
    if len(result.failures) > 1:
        parts.append("The nomogram above shows the study’s own model, whichever table the link is in.")
    short = [one.n_short for one in result.failures if one.n_short]
    if short:
        left_out = counted(short[0], "query is", "queries are")
        parts.append(f"{left_out} too short for {measure} and not listed here.")
    return escape(" ".join([*parts, short_lists_note(result, result.main.measure)]).strip())
