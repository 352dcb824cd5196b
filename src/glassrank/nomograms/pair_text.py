"""Text of an explanation of a pair, for a terminal."""

import math
from collections.abc import Mapping
from typing import Any

from glassrank.core.additive.categories import MISSING, level_name, short_name
from glassrank.drawing.numbers import Notation
from glassrank.nomograms.compared_pair import ComparedDocument
from glassrank.nomograms.contribution_table import Column, contribution_table
from glassrank.nomograms.text_columns import aligned, notation_of

NO_TIE = "–"
TIE = f"tie: the nearest value of this feature alone at which the order would change; {NO_TIE} if there is none."
GIVEN = "given that the two differ in relevance"
ONE_ORDER = "P(A above B) and P(B above A) need not add up to 1: the model learned each pair in one order only"
OUTSIDE = (
    "The interval excludes the estimate: resamples contain fewer different queries or rows than the data, and their "
    "models tend to be less certain. Treat both as rough; more training data bring them together."
)
NO_PROBABILITY = (
    "P(A above B) is unknown: to get it, calibrate the ranker with PairCalibrator, or glassrank explain --calibrate."
)


def pair_text(explanation: Any, most_rows: int) -> str:
    """Format an explanation: the two documents, the total, and the features with the largest contribution first."""
    amount = notation_of([explanation.total, *(feature.contribution for feature in explanation.features)])
    lines = [f"query {explanation.query}: why A ranks {_relation(explanation.total)} B", ""]
    lines += _documents(explanation)
    lines += ["", *_verdict(explanation, amount), ""]
    features = (*explanation.features, *explanation.interactions)
    columns = _VALUES if explanation.attribution else (*_VALUES, *_TIES)
    lines += contribution_table(features, explanation.reasons, amount, columns, bars="B ← → A", most_rows=most_rows)
    return "\n".join([*lines, explanation.attribution or TIE])


def _relation(total: float) -> str:
    return "above" if total > 0 else "below" if total < 0 else "level with"


def _documents(explanation: Any) -> list[str]:
    return aligned(document_rows({"A": explanation.a, "B": explanation.b}), right={3, 4})


def document_rows(documents: Mapping[str, ComparedDocument], score: str = "score") -> list[tuple[str, ...]]:
    """Return a table of documents by the name of their place, with the judgement if there is one."""
    rows: list[tuple[str, ...]] = [("", "document", "rank", score, "judgement")]
    for place, one in documents.items():
        judgement = "" if one.label is None else f"{one.label:g}"
        number = f"{one.score:.4f}".replace("-", "−")
        rows.append((place, one.name, f"{one.rank} of {one.n_documents}", number, judgement))
    judged = any(one.label is not None for one in documents.values())
    return rows if judged else [row[:-1] for row in rows]


def outside_note(total: float, interval: tuple[float, float] | None) -> list[str]:
    """Return a sentence if a percentile interval excludes its own estimate.

    >>> outside_note(1.0, (0.5, 2.0)), outside_note(1.0, None), len(outside_note(3.0, (0.5, 2.0)))
    ([], [], 1)
    """
    return [] if interval is None or interval[0] <= total <= interval[1] else [OUTSIDE]


def _verdict(explanation: Any, amount: Notation) -> list[str]:
    total = f"A − B = {amount(explanation.total, sign=True)} {explanation.unit}"
    if explanation.offset:
        total += f", of which {amount(explanation.offset, sign=True)} for two equal documents"
    if explanation.interval is not None:
        low, high = explanation.interval
        total += f", 95 % interval [{amount(low, sign=True)}, {amount(high, sign=True)}]"
    outside = outside_note(explanation.total, explanation.interval)
    if explanation.probability is None:
        return [total, *outside, NO_PROBABILITY]
    probability = f"P(A above B) = {explanation.probability:.3f}"
    if explanation.probability_interval is not None:
        low, high = explanation.probability_interval
        probability += f", 95 % interval [{low:.3f}, {high:.3f}]"
    lines = [total, f"{probability}, {GIVEN}", *outside]
    return lines if explanation.antisymmetric else [*lines, f"{ONE_ORDER}."]


def _value(feature: Any, value: float | None) -> str:
    if value is None:
        return NO_TIE
    if math.isnan(value):
        return MISSING
    if feature.categories:
        return short_name(level_name(feature.categories, value))
    return f"{value:.4g}".replace("-", "−")


_VALUES: tuple[Column, ...] = (("A", lambda one: _known(one, one.value_a)), ("B", lambda one: _known(one, one.value_b)))
_TIES: tuple[Column, ...] = (
    ("tie if A were", lambda one: _value(one, one.flip_a)),
    ("tie if B were", lambda one: _value(one, one.flip_b)),
)


def _known(feature: Any, value: float | None) -> str:
    """Return a document's value; an interaction has none."""
    return "" if value is None else _value(feature, value)
