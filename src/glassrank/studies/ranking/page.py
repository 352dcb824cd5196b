"""The self-contained report page of a ranking study."""

import math
import re
from html import escape

from glassrank.core.wording import counted
from glassrank.drawing.live_page import content_policy, scripts
from glassrank.drawing.self_contained_page import Section, build_page, table
from glassrank.drawing.small_marks import WhiskerScale, whisker
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.nomograms.figure.live import driver
from glassrank.nomograms.figure.nomogram import CAPTION
from glassrank.ranking.reliability import Reliability
from glassrank.studies.page_parts import STYLE, difference_cells, how_to_reproduce, page_head, verdict_in_words
from glassrank.studies.ranking.picker_queries import PickerQueries
from glassrank.studies.ranking.report.failures_section import FAILURES_STYLE, failures, short_lists_note
from glassrank.studies.ranking.report.picker import all_queries, picker, picker_script
from glassrank.studies.ranking.result import REVERSED, StudyResult

PROMISE = "With the same data and the same seed you get the same numbers, except for times."
OTHER_QUERIES = "For any other query: glassrank explain model.json DATA --query Q --document A --against B."
FOLD = re.compile(", fold \\d+ of \\d+$")
OWN_STYLE = """
table.study td:first-child { white-space: normal; min-width: 180px; }
p.warning { border-left: 4px solid var(--a); padding: 6px 12px; max-width: 80ch; }
.dropped small { color: var(--ink3); display: block; }
dl.answers { display: flex; flex-wrap: wrap; gap: 16px 32px; border: solid var(--rule); border-width: 1px 0;
  margin: 16px 0; padding: 12px 0; }
dl.answers > div { flex: 1 1 240px; max-width: 380px; } dl.answers dd { margin: 0; }
dl.answers dt, dl.answers dd + dd { font-size: 12px; line-height: 18px; color: var(--ink2); }
dl.answers dd { font-size: 18px; line-height: 28px; }
/* A model of many features drops many: the list scrolls beside the chart, and is printed whole. */
.dropped { max-height: 640px; overflow-y: auto; } @media print { .dropped { max-height: none; } }
.columns { display: flex; flex-wrap: wrap; gap: 24px 48px; align-items: flex-start; }
.columns figure svg { max-width: 100%; }
.columns > :first-child { flex: 1 1 560px; min-width: 0; } .columns > :last-child { flex: 0 1 360px; }
@media print { table.study td, table.study th { padding-right: 10px; white-space: normal; }
  table.study :is(td:first-child, small) { min-width: 0; } td.number svg { display: block; width: 64px; height: auto;
    margin: 0 0 0 auto; } }
"""


def page(result: StudyResult, pairs: str | None = None, *, files_beside: bool = False) -> str:
    """Return the HTML of the report.

    ``pairs`` are the data of the picker as JSON, by default those of all queries. With ``files_beside``, the page may
    load scripts from where it is.
    """
    sections = [
        Section("How good is it", _measures(result)),
        Section("Can I trust the probabilities", _trust(result)),
        Section("Why is A above B", _why(result, pairs)),
        Section("What can be dropped", _dropped(result)),
        Section("Where it fails", failures(result)),
        Section("How C was chosen", _choice(result)),
        Section("Computing time", _times(result)),
        Section("Reproduce", how_to_reproduce(PROMISE, result.commands, result.versions)),
    ]
    drivers = (driver(), picker_script())
    return build_page(
        result.title,
        sections,
        lead=page_head(result.opening(), result.facts, sections, answers=_answers(result)),
        head=content_policy(*drivers, files_beside=files_beside) + f"<style>{STYLE}{OWN_STYLE}{FAILURES_STYLE}</style>",
        end=scripts(*drivers),
    )


def _answers(result: StudyResult) -> str:
    """Return how each other system compares with the model: first those that the user gave."""
    main = result.main
    answers = "".join(
        f"<div><dt>{escape(main.label(one.name))}, compared with the model</dt>"
        f"<dd>{verdict_in_words(one)}</dd><dd>{escape(main.numbers(one.name))}</dd></div>"
        for one in main.others
    )
    return f'<dl class="answers">{answers}</dl>\n'


def _measures(result: StudyResult) -> str:
    main, rows = result.main, []
    measures = [comparison.measure for comparison in result.comparisons]
    resampled = (
        "" if main.n_documents is None else "Documents are resampled, so the tests say nothing about other queries."
    )
    said = [note for comparison in result.comparisons for note in comparison.notes]
    scales = [WhiskerScale.of([end for one in c.systems for end in one.interval]) for c in result.comparisons]
    ends = [end for one in main.systems for end in one.difference_interval or ()]
    difference_scale = WhiskerScale.of(ends or [0.0], with_zero=True)
    for system in main.systems:
        cells = "".join(
            f'<td class="number">{comparison[system.name].mean:.3f}'
            f"{whisker(scale, comparison[system.name].mean, comparison[system.name].interval)}</td>"
            for comparison, scale in zip(result.comparisons, scales, strict=True)
        )
        own = system.name == result.model
        opening = '<tr class="chosen">' if own else "<tr>"
        label, verdict = escape(main.label(system.name)), difference_cells(main, system, difference_scale)
        rows.append(f"{opening}<td>{label}</td>{cells}{verdict}</tr>")
    heads = "".join(f'<th scope="col" class="number">{escape(c.measure.upper())}</th>' for c in result.comparisons)
    axes = "".join(f'<td class="number">{scale.axis()}</td>' for scale in scales)
    return (
        f"<p>{escape(_means(result))}, convention “{escape(main.convention)}”, with "
        f"{100 * main.confidence:g} % intervals. "
        f"{'Paired tests compare the same queries.' if main.n_documents is None else ''}</p>\n{_warning(result)}"
        f'<div class="scroll" tabindex="0" role="group" aria-label="Measures"><table class="study"><thead><tr>'
        f'<th scope="col">Ranker</th>{heads}<th scope="col" colspan="2">This minus the model, '
        f"{escape(main.measure.upper())}</th></tr></thead><tbody>{''.join(rows)}</tbody>"
        f"<tfoot><tr><td></td>{axes}<td>{difference_scale.axis()}</td><td></td></tr></tfoot></table></div>\n"
        f'<p class="note">Intervals of means: bootstrap over {escape(result.measured.resampled(main))}. '
        f"{escape(' '.join(main.how_tested))} Overlapping intervals in a column do not mean that the paired difference "
        f"is zero: read the last column. {resampled} "
        f"{escape(short_lists_note(result, *measures))}</p>"
        + "".join(f'\n<p class="note">{escape(note)}</p>' for note in (*dict.fromkeys(said), *result.notes))
    )


def _means(result: StudyResult) -> str:
    """Say what the numbers are means of."""
    measured, number = result.measured, result.measured.number(result.main)
    return f"Means over {measured.mean_over} of {number}" if measured.mean_over else f"Means over {number}"


def _warning(result: StudyResult) -> str:
    said = result.measured.warning
    return f'<p class="warning" role="note"><strong>{escape(said)}</strong></p>\n' if said else ""


def _own_note(result: StudyResult) -> str:
    return short_lists_note(result, result.main.measure)


def _trust(result: StudyResult) -> str:
    heads = ("Brier score", "Log-loss", "Mean calibration gap", "Pairs ordered correctly")
    head = "".join(f'<th scope="col" class="number">{name}</th>' for name in heads)
    rows = "".join(_trust_row(result, system.name) for system in result.main.systems)
    if not result.reliabilities:
        return f"<p>No system has probabilities: {escape(REVERSED)}.</p>"
    found = next(iter(result.reliabilities.values()))
    toss = "".join(f'<td class="number">{value}</td>' for value in ("0.250", "0.693", "0.000", "50.0 %"))
    sampled = f", sampled from {found.n_comparable:,}" if found.n_comparable > found.n_pairs else ""
    return (
        "<p>When a system says P, how often is the pair really in that order? The chart shows the study’s model, the "
        f"table every system.</p>\n{_trust_chart(result)}\n"
        '<div class="scroll" tabindex="0" role="group" aria-label="Probabilities"><table class="study"><thead><tr>'
        f'<th scope="col">Ranker</th>{head}</tr></thead><tbody>{rows}</tbody>'
        f"<tfoot><tr><td>coin toss</td>{toss}</tr></tfoot></table></div>\n"
        f'<p class="note">{escape(_measured(result, found))}{sampled}, the same for all '
        f"systems. P comes from the difference of two scores, by a slope that is fitted to the "
        f"{escape(result.measured.slope_from)}.</p>"
    )


def _measured(result: StudyResult, found: Reliability) -> str:
    """Say which pairs the probabilities are of."""
    measured = result.measured
    n_units = found.n_queries if measured.n_units is None else measured.n_units
    if n_units == found.n_pairs:
        return f"{n_units:,} {measured.evaluation}"
    return f"{found.n_pairs:,} pairs of {n_units:,} {measured.evaluation}"


def _trust_chart(result: StudyResult) -> str:
    """Return the chart of the model, if any; on one query, its whiskers do not come from resampled queries."""
    if result.reliability is None:
        return f'<p class="warning" role="note"><strong>{escape(result.calibration_in_words())}</strong></p>'
    chart = result.reliability.chart()
    if result.measured.n_units is None:
        return chart.figure()
    return chart.figure(
        "Pairs with different labels. Whiskers: 95 % intervals that take the held-out lists as independent, although "
        "they belong to one query. P is conditional on the two documents having different labels."
    )


def _trust_row(result: StudyResult, key: str) -> str:
    found = result.reliability if key == result.model else result.reliabilities.get(key)
    if found is None:
        return f'<tr><td>{escape(result.main.label(key))}</td><td colspan="4">none: {escape(REVERSED)}</td></tr>'
    values = (
        *(f"{value:.3f}" for value in (found.brier, found.log_loss, found.calibration_gap)),
        f"{100 * found.accuracy:.1f} %",
    )
    cells = "".join(f'<td class="number">{value}</td>' for value in values)
    opening = '<tr class="chosen">' if key == result.model else "<tr>"
    return f"{opening}<td>{escape(result.main.label(key))}</td>{cells}</tr>"


def _why(result: StudyResult, pairs: str | None) -> str:
    content = (all_queries(result.picker_queries) or "") if pairs is None else pairs
    return (
        "<p>Pick a query and two of its documents, or drag a dot. Each feature’s contribution is one segment; the "
        "segments add up to the total.</p>\n"
        f"{picker(content or '')}\n{result.nomogram.html()}\n"
        f'<p class="note">{escape(CAPTION)} {escape(_offered(result.picker_queries))} {escape(_own_note(result))}</p>'
    )


def _offered(queries: PickerQueries) -> str:
    """Say what the picker offers, and what it does not."""
    said = (
        f"The picker finds {_found_queries(queries)}. It offers the first {queries.n_top} documents of a query, "
        f"the best judged one, and the two whose swap would raise {queries.measure.upper()} most."
    )
    if queries.n_left_out:
        said += f" {OTHER_QUERIES}"
    if queries.n_alone:
        said += f" {counted(queries.n_alone, 'query has', 'queries have')} a single document and cannot be picked."
    if not queries.all_sampled:
        said += " Only the query that the page shows first has intervals."
    return said


def _found_queries(queries: PickerQueries) -> str:
    """Say which queries the picker has: all, or those that the page has room for."""
    if queries.n_left_out:
        n_all = len(queries) + queries.n_left_out
        return f"{len(queries):,} of the {n_all:,} queries: the hardest ones below, and others drawn at random"
    return "the query" if len(queries) == 1 else f"all {len(queries):,} queries"


def _dropped(result: StudyResult) -> str:
    found = result.elimination
    rows = "".join(
        f'<tr><td class="number">{place}</td><td>{escape(line.feature)}{_carrier(found, line.feature)}</td>'
        f'<td class="number">{line.length:.3f}</td></tr>'
        for place, line in enumerate(found.dropped, start=1)
    )
    shortest = found.kept[-1]
    foot = (
        f'<tr class="chosen"><td></td><td>shortest line kept: {escape(shortest.feature)}</td>'
        f'<td class="number">{shortest.length:.3f}</td></tr>'
    )
    sentences = [*found.sentences()]
    if len(result.n_kept) > 1:
        sentences.append(f"Features kept in each measured fold: {', '.join(map(str, result.n_kept))}.")
    text = escape(" ".join([*sentences, _own_note(result)]).strip())
    chart = found.chart()
    # The sentences below repeat the chart's other notes.
    drawn = chart.figure(chart.text.notes[0])
    head = '<tr><th class="number" scope="col">#</th><th scope="col">Dropped, in order</th>'
    return (
        f"<p>Features are dropped one at a time, the one with the shortest line first.</p>\n"
        f'<div class="columns"><div>{drawn}<p class="note">{text}</p></div><div class="dropped" tabindex="0" '
        f'role="group" aria-label="Dropped features"><table><thead>{head}'
        f'<th class="number" scope="col">line</th></tr></thead><tbody>{rows}{foot}</tbody></table></div></div>'
    )


def _carrier(found: EliminationResult, feature: str) -> str:
    """Name the kept feature that carries the effect of a dropped one."""
    carrier = found.carried.get(feature)
    return "" if carrier is None else f"<small>moves with {escape(carrier)}, which is kept</small>"


def _choice(result: StudyResult) -> str:
    choice, held_out = result.choice, result.measured.held_out
    said = escape(choice.sentence(held_out))
    if not choice.chose_penalty:
        return f"<p>{said}</p>"
    chart = choice.chart(result.main.measure, held_out)
    caption = f"Mean over folds of the training data, or on the validation queries. {_own_note(result)}"
    return f"<p>{said} A larger C fits the training pairs more closely.</p>\n{chart.figure(caption.strip())}"


def _times(result: StudyResult) -> str:
    seconds: dict[str, list[float]] = {}
    for step, spent in result.times.items():
        seconds.setdefault(FOLD.sub("", step), []).append(spent)
    total = math.fsum(result.times.values())
    rows = [
        [f"{step} ({len(spent)} folds)" if len(spent) > 1 else step, *_spent(math.fsum(spent), total)]
        for step, spent in seconds.items()
    ]
    return (
        "<p>CPU seconds of each step. If a step was reused, they are those of the run that computed it. The time to "
        'write this page is only in <code>times.csv</code>.</p>\n<div class="scroll" tabindex="0" role="group" '
        'aria-label="Computing time">'
        f"{table(['Step', 'CPU seconds', 'Share'], [*rows, ['total', *_spent(total, total)]], numeric={1, 2})}</div>"
    )


def _spent(seconds: float, total: float) -> list[str]:
    return [f"{seconds:,.1f}", f"{seconds / total:.0%}" if total else ""]
