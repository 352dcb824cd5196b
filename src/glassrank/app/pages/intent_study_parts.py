"""The part of the Queries page about a finished intent study: coupling matrix, baselines, and errors by query."""

from html import escape
from urllib.parse import quote

from glassrank.drawing.confusion_chart import ConfusionChart
from glassrank.drawing.self_contained_page import table
from glassrank.studies.intent.assessment_page import baselines_section, probabilities_section
from glassrank.studies.intent.result import SIMULATED
from glassrank.studies.views.intent_study_view import ClassesView, CouplingCell, CouplingMatrix, SavedIntentStudy

# The darkest cell is not darker than this share of the colour, so that the text on it stays readable.
DARKEST = 40
N_ERRORS = 20


def study_part(study: SavedIntentStudy, name: str) -> str:
    """Return the HTML of a finished study; what the study did not measure is absent."""
    facts = "".join(
        f"<div><dt>{escape(fact)}</dt><dd>{escape(value)}</dd></div>" for fact, value in study.facts.items()
    )
    parts = [
        f'<div class="row"><h2>{escape(study.title)}</h2><span class="room"></span>'
        f'<a class="button" href="/queries/{quote(name, safe="")}/report">Report</a></div>',
        f"<p>{escape(SIMULATED)}</p>" if study.simulated else "",
        f'<dl class="facts">{facts}</dl>',
    ]
    if study.matrix is not None:
        parts.append(_matrix(study.matrix))
    if study.assessment is not None and study.assessment.baselines:
        parts.append(f"<h3>Baselines</h3>{baselines_section(study.assessment)}")
    if study.assessment is not None and study.assessment.held_out:
        parts.append(f"<h3>Probabilities and errors by query</h3>{probabilities_section(study.assessment)}")
    if study.classes is not None:
        parts.append(_classes(study.classes))
    return "\n".join(parts)


def _matrix(found: CouplingMatrix) -> str:
    heads = "".join(f'<th scope="col" class="number">{escape(one or "all features")}</th>' for one in found.selectors)
    rows = "".join(
        f'<tr><th scope="row">{escape(classifier)}</th>{"".join(map(_cell, cells))}</tr>'
        for classifier, cells in found.rows.items()
    )
    return (
        f"<h3>Selectors coupled with classifiers</h3><p>F1 on held-out queries with the {found.n_features} columns "
        "that each selector selects: mean and standard deviation over folds. The highest F1 is bold.</p>"
        '<div class="scroll" tabindex="0" role="group" aria-label="F1 of every coupling"><table class="heat"><thead>'
        f'<tr><th scope="col">Classifier</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        f'<p class="note">Colour: from F1 {found.lowest:.3f} (none) to {found.highest:.3f} (darkest).</p>'
    )


def _cell(cell: CouplingCell) -> str:
    depth = f"{DARKEST * cell.share:.0f}%"
    best = " best" if cell.best else ""
    return (
        f'<td class="number{best}" style="background:color-mix(in srgb, var(--a) {depth}, var(--page))">{cell.f1:.3f}'
        f"<small>± {cell.f1_std:.3f}</small></td>"
    )


def _classes(found: ClassesView) -> str:
    systems = [
        [one.name, f"{one.macro_f1:.3f}", f"{one.interval[0]:.3f} to {one.interval[1]:.3f}", f"{one.accuracy:.3f}"]
        for one in found.systems
    ]
    errors = [[one.query, one.label, one.predicted, f"{one.probability:.3f}"] for one in found.errors[:N_ERRORS]]
    chart = ConfusionChart("Confusion on held-out queries", found.classes, found.confusion)
    parts = [
        "<h3>Baselines</h3>",
        _scrolled("Baselines", table(["System", "Macro-F1", "95 % interval", "Accuracy"], systems, numeric={1, 2, 3})),
        f"<h3>Confusion</h3>{chart.figure()}",
    ]
    if errors:
        parts.append("<h3>Errors by query</h3><p>Held-out queries whose class has the lowest probability.</p>")
        parts.append(_scrolled("Errors", table(["Query", "Label", "Predicted", "P(label)"], errors, numeric={3})))
    return "\n".join(parts)


def _scrolled(name: str, content: str) -> str:
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}">{content}</div>'
