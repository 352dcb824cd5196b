"""Parts shared by the reports of all studies: the head, how to reproduce them, and the common style."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from glassrank.drawing.self_contained_page import Section
from glassrank.drawing.small_marks import WhiskerScale, whisker
from glassrank.metrics.comparison import ComparedSystem, Comparison
from glassrank.metrics.verdict import is_different

STYLE = """
.scroll { overflow-x: auto; }
nav.sections { margin: 0 0 8px; } nav.sections a { display: inline-block; margin-right: 20px; }
table.study td, table.study th { white-space: nowrap; vertical-align: middle; }
svg.whisker, svg.axis { vertical-align: middle; margin-left: 8px; }
svg.whisker path, svg.axis path { stroke: var(--line); stroke-width: 1.4; fill: none; }
svg.whisker path.zero { stroke: var(--rule); stroke-width: 1; } svg.whisker circle { fill: var(--ink); }
svg.axis { overflow: visible; } svg.axis text { fill: var(--ink3); font-size: 11px; }
table.study small { color: var(--ink3); display: block; white-space: normal; min-width: 200px; }
table.study tfoot td { border-bottom: 0; padding-top: 2px; }
@media print { nav.sections { display: none; } .scroll { overflow: visible; } table.study { font-size: 10px; } }
"""


def page_head(
    verdict: str,
    facts: Mapping[str, str],
    sections: Sequence[Section],
    *,
    answers: str = "",
    warning: str | None = None,
    notes: Iterable[str] = (),
) -> str:
    """Return the head of a report: summary, answers as HTML, warning, facts, notes and links to the sections."""
    warned = "" if warning is None else f'<p class="simulated">{escape(warning)}</p>\n'
    noted = "".join(f'<p class="note">{escape(note)}</p>' for note in notes)
    links = "".join(f'<a href="#{section.anchor}">{escape(section.heading)}</a>' for section in sections)
    return (
        f'<p class="verdict">{escape(verdict)}</p>\n{answers}{warned}{_facts(facts)}\n{noted}'
        f'<nav class="sections" aria-label="Sections">{links}</nav>'
    )


def verdict_in_words(system: ComparedSystem) -> str:
    """Return the verdict on a system, in bold if its difference from the baseline is not 0."""
    said = escape(system.verdict)
    return f"<strong>{said}</strong>" if is_different(system.verdict) else said


def difference_cells(comparison: Comparison, system: ComparedSystem, scale: WhiskerScale) -> str:
    """Return two cells of a table: the difference of a system from the baseline, and the verdict on it."""
    if system.difference is None:
        return '<td></td><td><span class="note">reference</span></td>'
    interval = system.difference_interval
    drawn = "" if interval is None else whisker(scale, system.difference, interval, zero=True)
    numbers = escape(comparison.numbers(system.name))
    return f"<td>{drawn}</td><td>{verdict_in_words(system)}<small>{numbers}</small></td>"


def how_to_reproduce(promise: str, commands: Sequence[str], versions: Mapping[str, str]) -> str:
    """Return the section on reproducing a report: what stays the same, the commands and the versions."""
    lines = "\n".join(f"$ {command}" for command in commands)
    shown = f"<pre>{escape(lines)}</pre>" if lines else ""
    return f"<p>{escape(promise)}</p>\n{shown}{_facts(versions)}"


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(fact)}</dd></div>" for name, fact in facts.items())
    return f'<dl class="facts">{rows}</dl>'
