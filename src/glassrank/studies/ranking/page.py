"""The self-contained report page of a ranking study."""

from html import escape

from glassrank.drawing.live_page import content_policy, scripts
from glassrank.drawing.numbers import MINUS
from glassrank.drawing.self_contained_page import Section, build_page
from glassrank.drawing.small_marks import WhiskerScale, label_strip, whisker
from glassrank.metrics.comparison import ComparedSystem, Comparison
from glassrank.nomograms.figure.live import driver
from glassrank.nomograms.figure.nomogram import CAPTION
from glassrank.ranking.reliability import Reliability
from glassrank.studies.page_parts import STYLE, how_to_reproduce, page_head
from glassrank.studies.ranking.picker import picker, picker_script
from glassrank.studies.ranking.result import HardQuery, StudyResult

# The table shows "model minus this", so the other system's verdict is reversed.
REVERSED_VERDICTS = {
    "better": "model is worse",
    "worse": "model is better",
    "not significantly different": "not significantly different",
}
LABELS_COUNTED = 5
PROMISE = "With the same data and the same seed you get the same numbers."
OWN_STYLE = """
table.study td:first-child { white-space: normal; min-width: 180px; }
table.study small { color: var(--ink3); display: block; }
svg.strip path { stroke: var(--ink); stroke-width: 2; } svg.strip rect { fill: var(--subtle); }
.columns { display: flex; flex-wrap: wrap; gap: 24px 48px; align-items: flex-start; }
.columns figure svg { max-width: 100%; }
.columns > :first-child { flex: 1 1 560px; min-width: 0; } .columns > :last-child { flex: 0 1 360px; }
@media print { table.study td, table.study th { padding-right: 10px; white-space: normal; }
  table.study td:first-child { min-width: 0; } td.number svg { display: block; width: 64px; height: auto;
    margin: 0 0 0 auto; } }
"""


def page(result: StudyResult) -> str:
    """Return the HTML of the report."""
    sections = [
        Section("How good is it", _measures(result)),
        Section("Can I trust the probabilities", _trust(result)),
        Section("Why is A above B", _why(result)),
        Section("What can be dropped", _dropped(result)),
        Section("Where it fails", _fails(result)),
        Section("How C was chosen", _choice(result)),
        Section("Reproduce", how_to_reproduce(PROMISE, result.commands, result.versions)),
    ]
    drivers = (driver(), picker_script())
    return build_page(
        result.title,
        sections,
        lead=page_head(result.lead(), result.facts, sections),
        head=content_policy(*drivers) + f"<style>{STYLE}{OWN_STYLE}</style>",
        end=scripts(*drivers),
    )


def _measures(result: StudyResult) -> str:
    main, rows = result.main, []
    scales = [WhiskerScale.of([end for one in c.systems for end in one.interval]) for c in result.comparisons]
    ends = [end for one in main.systems for end in _reversed_interval(one) or ()]
    difference_scale = WhiskerScale.of(ends or [0.0], with_zero=True)
    for system in main.systems:
        cells = "".join(
            f'<td class="number">{comparison[system.name].mean:.3f}'
            f"{whisker(scale, comparison[system.name].mean, comparison[system.name].interval)}</td>"
            for comparison, scale in zip(result.comparisons, scales, strict=True)
        )
        own = system.name == result.model
        opening = '<tr class="chosen">' if own else "<tr>"
        label, verdict = escape(main.label(system.name)), _verdict(system, difference_scale, own)
        rows.append(f"{opening}<td>{label}</td>{cells}{verdict}</tr>")
    heads = "".join(f'<th scope="col" class="number">{escape(c.measure.upper())}</th>' for c in result.comparisons)
    axes = "".join(f'<td class="number">{scale.axis()}</td>' for scale in scales)
    return (
        f"<p>Means over {main.n_queries:,} {escape(result.evaluation)}, convention “{escape(main.convention)}”, with "
        f"{_percent(main)} intervals. Paired tests compare the same queries.</p>\n"
        f'<div class="scroll" tabindex="0" role="group" aria-label="Measures"><table class="study"><thead><tr>'
        f'<th scope="col">Ranker</th>{heads}<th scope="col" colspan="2">Model minus this, '
        f"{escape(main.measure.upper())}</th></tr></thead><tbody>{''.join(rows)}</tbody>"
        f"<tfoot><tr><td></td>{axes}<td>{difference_scale.axis()}</td><td></td></tr></tfoot></table></div>\n"
        f'<p class="note">Intervals: bootstrap over queries. Last column: {escape(main.test)}, p values adjusted by '
        "Holm over the comparisons. Overlapping intervals in a column do not mean that the paired difference is zero: "
        "read the last column.</p>" + "".join(f'\n<p class="note">{escape(note)}</p>' for note in result.notes)
    )


def _reversed_interval(system: ComparedSystem) -> tuple[float, float] | None:
    if system.difference_interval is None:
        return None
    low, high = system.difference_interval
    return -high, -low


def _verdict(system: ComparedSystem, scale: WhiskerScale, own: bool) -> str:
    interval = _reversed_interval(system)
    if own or interval is None or system.difference is None or system.adjusted_p_value is None:
        return '<td></td><td><span class="note">reference</span></td>'
    difference = -system.difference
    sign = MINUS if difference < 0 else "+"
    verdict = escape(REVERSED_VERDICTS[system.verdict])
    text = verdict if system.verdict == "not significantly different" else f"<strong>{verdict}</strong>"
    small = f"<small>{sign}{abs(difference):.3f}, p = {system.adjusted_p_value:.2g}</small>"
    return f"<td>{whisker(scale, difference, interval, zero=True)}</td><td>{text}{small}</td>"


def _percent(comparison: Comparison) -> str:
    return f"{100 * comparison.confidence:g} %"


def _trust(result: StudyResult) -> str:
    found = result.reliability
    heads = ("Brier score", "Log-loss", "Mean calibration gap", "Pairs ordered correctly")
    head = "".join(f'<th scope="col" class="number">{name}</th>' for name in heads)
    rows = "".join(_trust_row(result, key, one) for key, one in result.reliabilities.items())
    toss = "".join(f'<td class="number">{value}</td>' for value in ("0.250", "0.693", "0.000", "50.0 %"))
    sampled = f", sampled from {found.n_comparable:,}" if found.n_comparable > found.n_pairs else ""
    return (
        "<p>When a system says P, how often is the pair really in that order? The chart shows the study’s model, the "
        f"table every system.</p>\n{found.chart().figure()}\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Probabilities"><table class="study"><thead><tr>'
        f'<th scope="col">Ranker</th>{head}</tr></thead><tbody>{rows}</tbody>'
        f"<tfoot><tr><td>coin toss</td>{toss}</tr></tfoot></table></div>\n"
        f'<p class="note">{found.n_pairs:,} pairs of {found.n_queries:,} {escape(result.evaluation)}{sampled}, the '
        "same for all systems. P comes from the difference of two scores, by a slope that is fitted to the pairs of "
        "other queries.</p>"
    )


def _trust_row(result: StudyResult, key: str, found: Reliability) -> str:
    values = (
        *(f"{value:.3f}" for value in (found.brier, found.log_loss, found.calibration_gap)),
        f"{100 * found.accuracy:.1f} %",
    )
    cells = "".join(f'<td class="number">{value}</td>' for value in values)
    opening = '<tr class="chosen">' if key == result.model else "<tr>"
    return f"{opening}<td>{escape(result.main.label(key))}</td>{cells}</tr>"


def _why(result: StudyResult) -> str:
    return (
        "<p>Pick a query and two of its documents, or drag a dot. Each feature’s contribution is one segment; the "
        "segments add up to the total.</p>\n"
        f"{picker(result.picker_queries)}\n{result.nomogram.html()}\n"
        f'<p class="note">{escape(CAPTION)} The picker lists the top documents of each query.</p>'
    )


def _dropped(result: StudyResult) -> str:
    found = result.elimination
    rows = "".join(
        f'<tr><td class="number">{place}</td><td>{escape(line.feature)}</td>'
        f'<td class="number">{line.length:.3f}</td></tr>'
        for place, line in enumerate(found.dropped, start=1)
    )
    shortest = found.kept[-1]
    foot = (
        f'<tr class="chosen"><td></td><td>shortest line kept: {escape(shortest.feature)}</td>'
        f'<td class="number">{shortest.length:.3f}</td></tr>'
    )
    text = " ".join(escape(sentence) for sentence in found.sentences())
    if len(result.n_kept) > 1:
        text += f" Features kept in each measured fold: {', '.join(map(str, result.n_kept))}."
    chart = found.chart()
    # The sentences below repeat the chart's other notes.
    drawn = chart.figure(chart.text.notes[0])
    head = '<tr><th class="number" scope="col">#</th><th scope="col">Dropped, in order</th>'
    return (
        f"<p>Features are dropped one at a time, the one with the shortest line first.</p>\n"
        f'<div class="columns"><div>{drawn}<p class="note">{text}</p></div><div><table><thead>{head}'
        f'<th class="number" scope="col">line</th></tr></thead><tbody>{rows}{foot}</tbody></table></div></div>'
    )


def _choice(result: StudyResult) -> str:
    chart = result.choice.chart(result.main.measure)
    return (
        f"<p>{escape(result.choice.sentence())} A larger C fits the training pairs more closely.</p>\n"
        f"{chart.figure('Mean over folds of the training queries, or on the validation queries.')}"
    )


def _fails(result: StudyResult) -> str:
    measure = escape(result.main.measure.upper())
    rows = "".join(_hard_row(query) for query in result.hardest)
    return (
        f"<p>The {len(result.hardest)} queries with the lowest {measure}, "
        "ranked by models that had not seen them.</p>\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Hardest queries"><table class="study"><thead><tr>'
        f'<th scope="col">Query</th><th scope="col" class="number">Docs</th><th scope="col">Judged</th>'
        f'<th scope="col" class="number">{measure}</th><th scope="col">Relevant documents in ranked order</th>'
        '<th scope="col" class="number">First best at</th><th scope="col">Largest wrong push</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>\n"
        '<p class="note">Tall marks: the highest label; shaded: the top ten. Largest wrong push: the feature that '
        "raises the first document most above the best one, in log-odds of the final model; – if none does.</p>"
    )


def _hard_row(query: HardQuery) -> str:
    judged = ", ".join(f"{count} × {label:g}" for label, count in query.judged[:LABELS_COUNTED])
    judged += ", …" if len(query.judged) > LABELS_COUNTED else ""
    push = "–" if query.push is None else f"{escape(query.push[0])} +{query.push[1]:.2f}"
    highest = max((label for label, _ in query.judged), default=1.0) or 1.0
    return (
        f'<tr><td>{escape(query.query)}</td><td class="number">{query.n_documents:,}</td><td>{judged}</td>'
        f'<td class="number">{query.value:.3f}</td><td>{label_strip(query.labels, highest, 10)}</td>'
        f'<td class="number">{query.first_best}</td><td>{push}</td></tr>'
    )
