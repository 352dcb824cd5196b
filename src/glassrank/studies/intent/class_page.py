"""The self-contained report page of an intent study of more than two classes."""

from html import escape

from glassrank.drawing.self_contained_page import NO_SCRIPT, Section, build_page, table
from glassrank.navigational.feature_labels import feature_label
from glassrank.studies.intent.class_measures import ClassMeasures
from glassrank.studies.intent.class_result import IntentClassesResult, class_table, with_interval
from glassrank.studies.intent.page import OWN_STYLE, PROMISE, sources_section
from glassrank.studies.intent.result import SIMULATED
from glassrank.studies.page_parts import STYLE, how_to_reproduce, page_head

MAX_COLUMNS, MAX_COUPLINGS, N_ERRORS = 10, 3, 10
TWO_CLASSES = (
    "Tables 1 to 4 and figures 2 and 3 of Lu, Peng, Li and Ahmed (2006) compare selectors and classifiers for two "
    "classes. To get them for one class against the others, map the other classes to informational with --label-map."
)
CHOSEN = (
    "What was chosen for each class, and the number of folds in which it was. A column is a feature of the results, "
    "summarised over the result list by the operator after the bar |: p1 to p5 are the values at ranks 1 to 5, and r2 "
    "to r20 say how far the value at that rank is below the highest."
)


def class_page(result: IntentClassesResult) -> str:
    """Return the HTML of the report."""
    found = result.measures
    sections = [
        Section("Classes", _classes(found)),
        Section("Baselines", _baselines(found)),
        Section("Confusion", _confusion(found)),
        Section("Probabilities", _probabilities(found)),
        Section("Selected features", _selected(found)),
        Section("Sources of the features", sources_section(result.absent)),
        Section("Reproduce", how_to_reproduce(PROMISE, result.commands, result.versions)),
    ]
    warning = SIMULATED if result.simulated else None
    lead = page_head(result.lead(), result.facts, sections, warning=warning, notes=result.notes)
    return build_page(result.title, sections, lead=lead, head=f"{NO_SCRIPT}<style>{STYLE}{OWN_STYLE}</style>")


def _classes(found: ClassMeasures) -> str:
    head, rows = class_table(found)
    return (
        "<p>Every class has a model against all others, with its own columns and classifier. The predicted class is "
        "the one whose log-odds are highest above its threshold. Counts and measures are over all held-out queries.</p>"
        f"{_scrolled('Classes', table(head, rows, numeric=set(range(1, len(head)))))}"
        f'<p class="note">{escape(TWO_CLASSES)}</p>'
    )


def _baselines(found: ClassMeasures) -> str:
    rows = [
        [
            one.name,
            with_interval(one),
            f"{one.confusion.accuracy:.3f}",
            "" if one.difference is None else f"{one.difference[0]:+.3f} to {one.difference[1]:+.3f}",
            one.what,
        ]
        for one in found.systems
    ]
    head = ["System", "Macro-F1", "Accuracy", "Macro-F1 above it, 95 % interval", "Rule"]
    return (
        "<p>What can be reached without it, on the same folds. Intervals are from bootstrap samples of the queries, "
        "the same for all systems; they do not show how the results vary with other training queries.</p>"
        f"{_scrolled('Baselines', table(head, rows, numeric={1, 2, 3}, chosen=0))}"
    )


def _confusion(found: ClassMeasures) -> str:
    place = {name: code for code, name in enumerate(found.classes)}
    errors = [
        [one.query, one.label, one.predicted, f"{one.probabilities[place[one.label]]:.3f}"]
        for one in found.worst(N_ERRORS)
    ]
    head = ["Query", "Label", "Predicted", "P(label)"]
    return (
        f"{found.confusion_chart().figure()}<h3>Largest errors</h3>"
        "<p>Held-out queries whose label has the lowest probability: look at their labels first.</p>"
        f"{_scrolled('Largest errors', table(head, errors, numeric={3}))}"
    )


def _probabilities(found: ClassMeasures) -> str:
    rows = [[name, *(f"{score:.3f}" for score in found.brier(name))] for name in found.classes]
    caption = "Observed against predicted shares of held-out queries, by class; a mark is a bin of probabilities."
    drawn = "".join(chart.figure(caption) for chart in found.calibration_charts())
    head = ["Class", "Brier score", "Predicting its share for every query"]
    return f"{drawn}{_scrolled('Brier scores', table(head, rows, numeric={1, 2}))}"


def _selected(found: ClassMeasures) -> str:
    parts = [f"<p>{escape(CHOSEN)}</p>"]
    for name in found.classes:
        chosen = "; ".join(f"{what} ({n})" for what, n in list(found.couplings[name].items())[:MAX_COUPLINGS])
        rows = [
            [feature_label(column), column, str(n)] for column, n in list(found.selected[name].items())[:MAX_COLUMNS]
        ]
        parts.append(f"<h3>{escape(name)}</h3><p>{escape(chosen)}</p>")
        parts.append(_scrolled(f"Columns of {name}", table(["Column", "Code", "Folds"], rows, numeric={2})))
    return "\n".join(parts)


def _scrolled(name: str, content: str) -> str:
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}">{content}</div>'
