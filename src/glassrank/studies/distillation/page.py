"""The self-contained report page of a distillation study."""

from html import escape

from glassrank.drawing.self_contained_page import NO_SCRIPT, Section, build_page, table
from glassrank.drawing.small_marks import WhiskerScale, whisker
from glassrank.metrics.comparison import Comparison
from glassrank.studies.distillation.charts import agreement_chart, kept_chart, precision_chart, radius_chart
from glassrank.studies.distillation.result import (
    DistillationResult,
    MeasuredSet,
    StepTimes,
    judge_rows,
    main_measure,
)
from glassrank.studies.page_parts import STYLE, difference_cells, how_to_reproduce, page_head

PRUNED_SHOWN = 25
ABBREVIATED = ("p", "ndcg")
KERNELS_EXPLAINED = (
    "<em>unit</em>: text and co-citation are each scaled to a unit diagonal. <em>raw</em>: cosines of words plus the "
    "number of pages that cite both. <em>raw text</em>: the same with tf-idf rows that are not scaled."
)
PRECISION_CAPTION = "Mean precision at k, without cross-fit. Pruned pages are not in the lists."
PROMISE = "With the same pages and the same seed you get the same numbers, except for times."
OWN_STYLE = """
h3 { font-size: 15px; line-height: 24px; margin: 16px 0 4px; }
table.study th.number { text-align: left; } .refused :is(th, td):not(:last-child) { white-space: nowrap; }
table td.address { word-break: break-all; color: var(--ink3); font-size: 12px; max-width: 320px; white-space: normal; }
"""


def page(result: DistillationResult) -> str:
    """Return the HTML of the report."""
    sections = [Section("Which method finds the best pages", _methods(result))] if result.measured else []
    sections += [Section("Judges", _judges(result))] if result.agreement is not None else []
    sections += [
        Section("Kernels", _kernels(result)),
        Section("Radius of the sphere", radius_chart(result).figure(_radius_caption(result))),
        Section("Size of the pruned set", kept_chart(result).figure("Mean share of pages that the sphere accepts.")),
        Section("Pruned pages", _pruned(result)),
        Section(
            "Agreement with HITS",
            agreement_chart(result).figure(
                "Overlap of the top authorities of SVDD → HITS with those of HITS on the whole root set, and of HITS "
                "on the p training pages. Means over topics.",
            ),
        ),
        Section("Computing time", _times(result)),
        Section("Reproduce", how_to_reproduce(PROMISE, result.commands, result.versions)),
    ]
    lead = page_head(result.lead(), result.facts, sections, notes=result.notes)
    return build_page(result.title, sections, lead=lead, head=f"{NO_SCRIPT}<style>{STYLE}{OWN_STYLE}</style>")


def _judges(result: DistillationResult) -> str:
    agreement = result.agreement
    if agreement is None:
        return ""
    alpha = "undefined: " + agreement.undefined if agreement.alpha is None else f"{agreement.alpha:.3f}"
    labelled = ", ".join(f"{escape(name)} {n:,}" for name, n in agreement.judged.items())
    pairs = [
        [
            one.first,
            one.second,
            f"{one.n_shared:,}",
            *("–" if x is None else f"{x:.3f}" for x in (one.equal, one.kappa)),
        ]
        for one in agreement.pairs
    ]
    head = ["Judge", "and", "Pages of both", "Equal labels", "Cohen’s κ"]
    return (
        f"<p>Krippendorff’s α ({escape(agreement.level)}): <strong>{escape(alpha)}</strong>, over the "
        f"{agreement.n_shared:,} of {agreement.n_units:,} pages that two or more judges labelled. 1 is full agreement, "
        "0 what chance gives; from 0.8 labels are usually called reliable, from 0.667 good enough for tentative "
        f"conclusions. Labelled pages: {labelled}. The label of a page is the median of its judges, the lower of two."
        "</p>\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Agreement of pairs of judges">'
        f"{table(head, pairs, numeric={2, 3, 4})}</div>\n{''.join(map(_by_judge, result.measured))}"
    )


def _by_judge(measured: MeasuredSet) -> str:
    """Means of all methods by the labels of each judge alone."""
    if not measured.by_judge:
        return ""
    head, *rows = judge_rows(measured)
    name = f"{main_measure(measured)} by judge, {measured.candidates} set"
    labelled = "; ".join(
        f"{escape(one.judge)}: {one.n_topics:,} topics, at least {one.judged:.0%} of each method’s first pages"
        for one in measured.by_judge
    )
    return (
        f"<h3>{escape(name)}</h3>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}">'
        f"{table(['Method', *head[1:]], rows, numeric=set(range(1, len(head))))}</div>"
        f'<p class="note">Better or worse than bm25 by the same paired test, with the labels of one judge. Pages that '
        f"the judge did not label count as not relevant. Labelled: {labelled}.</p>\n"
    )


def _kernels(result: DistillationResult) -> str:
    kernel, share, C, weight = result.default
    judged = any(one.precision is not None for one in result.kernels())
    head = [
        "Kernel",
        "Accepts of its training pages",
        "of the others",
        "Top in common with HITS",
        "with HITS on the top p",
    ]
    head += [f"P@{result.k}"] if judged else []
    rows = []
    for one in result.kernels():
        shares = (one.kept_trained, one.kept_unseen, one.overlap, one.overlap_top)
        cells = ["" if value is None else f"{value:.0%}" for value in shares]
        cells += [f"{one.precision:.3f}" if one.precision is not None else ""] if judged else []
        rows.append([one.kernel, *cells])
    return (
        f"<p>The sphere on the root set, means over topics at p = {share:g} |R|, C = {C:g} and μ = {weight:g}. "
        f"{KERNELS_EXPLAINED} A sphere that accepts its training pages and no others keeps the top of the search, and "
        "its list is that of HITS on the top p.</p>\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Kernels">'
        f"{table(head, rows, numeric=set(range(1, len(head))))}</div>\n"
        f'<p class="note">The charts below show the kernel {escape(kernel)}; sphere.csv has all.</p>'
    )


def _radius_caption(result: DistillationResult) -> str:
    if result.default[0] == "unit":
        return (
            "Mean radius over topics. The kernel has a unit diagonal, so radii of different topics and weights are "
            "comparable."
        )
    return (
        "Mean radius over topics. The kernel counts citing pages, so radii of different topics and weights have "
        "different scales."
    )


def _methods(result: DistillationResult) -> str:
    first = result.measured[0].comparisons[0]
    tables = "".join(_measured(one, result.k) for one in result.measured)
    return (
        f"<p>Every method ranks the same candidates. Means over {first.n_queries:,} topics with "
        f"{100 * first.confidence:g} % intervals (bootstrap over topics). "
        f"{escape(' '.join(first.how_tested))}</p>\n"
        f"{precision_chart(result).figure(PRECISION_CAPTION)}\n{tables}{_refused(result)}"
    )


def _measured(one: MeasuredSet, k: int) -> str:
    parts = [f"<h3>{one.candidates.capitalize()} set, {one.n_pages:,.0f} pages on average</h3>"]
    by_measure: dict[str, list[Comparison]] = {}
    for comparison in one.comparisons:
        by_measure.setdefault(comparison.measure, []).append(comparison)
    parts += [_measure_table(one.candidates, comparisons) for comparisons in by_measure.values()]
    least = min(one.judged.values(), default=1.0)
    if least < 1.0:
        parts.append(
            f'<p class="note">At least {least:.0%} of each method’s first {k} pages were judged. The others count as '
            "not relevant.</p>"
        )
    return "".join(parts)


def _measure_table(candidates: str, comparisons: list[Comparison]) -> str:
    """One measure: means, and differences from each baseline."""
    main = comparisons[0]
    scale = WhiskerScale.of([end for system in main.systems for end in system.interval])
    ends = [end for one in comparisons for system in one.systems for end in system.difference_interval or ()]
    against = WhiskerScale.of(ends or [0.0], with_zero=True)
    heads = "".join(f'<th scope="col" colspan="2">this minus {escape(one.baseline)}</th>' for one in comparisons)
    body = "".join(
        f'<tr><td>{escape(system.name)}</td><td class="number">{system.mean:.3f}'
        f"{whisker(scale, system.mean, system.interval)}</td>"
        f"{''.join(difference_cells(one, one[system.name], against) for one in comparisons)}</tr>"
        for system in main.systems
    )
    foot = "".join(f"<td>{against.axis()}</td><td></td>" for _ in comparisons)
    measure = _measure_name(main.measure)
    name = f"{measure}, {candidates} set"
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}"><table class="study"><thead><tr>'
        f'<th scope="col">Method</th><th scope="col" class="number">{escape(measure)}</th>{heads}</tr>'
        f'</thead><tbody>{body}</tbody><tfoot><tr><td></td><td class="number">{scale.axis()}</td>{foot}</tr></tfoot>'
        "</table></div>\n"
    )


def _measure_name(measure: str) -> str:
    """The measure as a column title: P@10, NDCG@10, Relative recall@10."""
    kind, _, depth = measure.partition("@")
    return f"{kind.upper() if kind in ABBREVIATED else kind.capitalize()}@{depth}"


def _refused(result: DistillationResult) -> str:
    if not result.refusals:
        return ""
    rows = [
        [
            one.candidates,
            one.method,
            f"{one.n_topics:,}",
            "search order" if one.searched else "none",
            one.topic,
            one.reason,
        ]
        for one in result.grouped_refusals()
    ]
    head = ["Set", "Method", "Topics", "List", "Example", "Reason"]
    return (
        "<h3>Topics that a method cannot rank</h3><p>A method that finds no links lists the pages in search order. A "
        "topic without search results is measured as an empty list.</p>"
        '<div class="scroll refused" tabindex="0" role="group" aria-label="Topics that a method cannot rank">'
        f"{table(head, rows, numeric={2})}</div>"
    )


def _pruned(result: DistillationResult) -> str:
    shown = result.pruned[:PRUNED_SHOWN]
    if not shown:
        return "<p>The sphere pruned no page of any root set.</p>"
    judged = any(one.label is not None for one in shown)
    rows = "".join(
        f"<tr><td>{escape(one.query)}</td><td>{escape(one.title)}</td>"
        f'<td class="number">{one.distance:.3f}</td><td class="number">{one.radius:.3f}</td>'
        f'<td class="number">{one.search_rank}</td>'
        + (f'<td class="number">{"" if one.label is None else f"{one.label:g}"}</td>' if judged else "")
        + f'<td class="address">{escape(one.url)}</td></tr>'
        for one in shown
    )
    label = '<th scope="col" class="number">Judged</th>' if judged else ""
    return (
        "<p>Pages of the root sets that lie outside the sphere, the farthest of each topic first. Are they off topic? "
        "Distances are measured from the centre of the sphere.</p>\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Pruned pages"><table><thead><tr>'
        '<th scope="col">Query</th><th scope="col">Page</th><th scope="col" class="number">Distance</th>'
        '<th scope="col" class="number">Radius</th><th scope="col" class="number">Search rank</th>'
        f'{label}<th scope="col">Address</th></tr></thead><tbody>{rows}</tbody></table></div>'
        f"{_more(len(result.pruned) - len(shown))}"
    )


def _more(left: int) -> str:
    return f'<p class="note">pruned.csv lists {left:,} more.</p>' if left > 0 else ""


def _times(result: DistillationResult) -> str:
    steps = _in_order(result.times)
    rows = [[one.candidates, one.method, *_milliseconds(one, steps)] for one in result.times]
    numeric = set(range(2, 3 + len(steps)))
    return (
        "<p>CPU milliseconds per topic, median of each step. All methods share search, candidates and links. Methods "
        "with a kernel share its parts, and the first of them is charged for the computation.</p>\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Computing time">'
        f"{table(['Set', 'Method', *steps, 'total'], rows, numeric=numeric)}</div>"
    )


def _in_order(times: tuple[StepTimes, ...]) -> list[str]:
    """Steps sorted by their latest position in any method."""
    places: dict[str, int] = {}
    for one in times:
        for place, step in enumerate(one.steps):
            places[step] = max(place, places.get(step, 0))
    return sorted(places, key=places.__getitem__)


def _milliseconds(one: StepTimes, steps: list[str]) -> list[str]:
    cells = [f"{1000 * one.steps[step]:.1f}" if step in one.steps else "" for step in steps]
    return [*cells, f"{1000 * one.total:.1f}"]
