"""The section of an intent report on baselines, probabilities, errors and later clicks."""

from html import escape

from glassrank.drawing.self_contained_page import table
from glassrank.metrics.class_probabilities import reliability
from glassrank.studies.intent.assessment import Assessment
from glassrank.studies.intent.result import later_text

N_ERRORS = 10


def baselines_section(found: Assessment) -> str:
    """Baselines, and the split by time if there is one."""
    rows = [[one.name, f"{one.f1:.3f} ± {one.f1_std:.3f}", one.what] for one in found.baselines]
    parts = [
        "<p>What can be reached without the coupling: F1 on the same folds, mean and standard deviation.</p>",
        _scrolled("Baselines", table(["Baseline", "F1", "Rule"], rows, numeric={1})),
    ]
    if found.time_split is not None:
        parts.append(
            f"<p>{escape(later_text(found.time_split))} No event of the later period was used in training, and no "
            "query is in both the training and the test rows.</p>"
        )
    return "\n".join(parts)


def probabilities_section(found: Assessment) -> str:
    """Precision against recall, calibration, and the queries with the largest errors."""
    brier, constant = found.brier
    caption = (
        f"P(navigational) of each labelled query, by the best coupling trained without it. Brier score {brier:.3f}; "
        f"predicting the share of navigational queries for every query has {constant:.3f}."
    )
    y, p = [one.navigational for one in found.held_out], [one.probability for one in found.held_out]
    bins = [
        [f"{one.low:.1f} to {one.high:.1f}", f"{one.n:,}", f"{one.predicted:.3f}", f"{one.observed:.3f}"]
        for one in reliability(y, p)
    ]
    errors = [
        [one.query, "navigational" if one.navigational else "informational", f"{one.probability:.3f}"]
        for one in found.worst(N_ERRORS)
    ]
    head = ["P(navigational)", "Queries", "Mean predicted", "Share observed"]
    return "\n".join(
        [
            found.chart().figure(caption),
            _scrolled("Calibration", table(head, bins, numeric={1, 2, 3})),
            "<h3>Largest errors</h3>",
            "<p>Held-out queries whose probability is farthest from their label: look at their labels first.</p>",
            _scrolled("Largest errors", table(["Query", "Label", "P(navigational)"], errors, numeric={2})),
        ]
    )


def _scrolled(name: str, content: str) -> str:
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}">{content}</div>'
