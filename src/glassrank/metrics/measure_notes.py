"""What to know about the numbers of measures: zeros of short lists, and what was assumed about the labels."""

from collections.abc import Sequence

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.metrics.arithmetic import shortest
from glassrank.metrics.conventions import Convention
from glassrank.metrics.measures import MeasureName


def measure_notes(
    names: Sequence[MeasureName], y: FloatArray, lengths: IntArray, convention: Convention
) -> tuple[str, ...]:
    """Say which lists are too short for a measure, and where labels decide that all is relevant or the top grade."""
    return *_short_lists(names, lengths, convention), *_all_relevant(names, y), *_top_grades(names, y, convention)


def _short_lists(names: Sequence[MeasureName], lengths: IntArray, convention: Convention) -> list[str]:
    counts = [(name, int(name.too_short(lengths, convention).sum())) for name in names]
    return [
        f"{count:,} of {len(lengths):,} lists have fewer than {name.cutoff:,} documents: {convention.name} counts "
        f"their {name.text} as 0, whatever the order."
        for name, count in counts
        if count
    ]


def _all_relevant(names: Sequence[MeasureName], y: FloatArray) -> list[str]:
    """Name the binary measures to which every document is relevant, together for each relevance threshold."""
    judged, found = y[~np.isnan(y)], dict[float, list[MeasureName]]()
    lowest_judged = judged.min(initial=np.inf)
    lowest = lowest_judged if len(judged) == len(y) else min(lowest_judged, 0.0)
    for name in names:
        rel = name.option("rel", 1.0)
        if "rel" in name.measure.parameters and (lowest_judged if name.measure.skips_unjudged else lowest) >= rel:
            found.setdefault(rel, []).append(name)
    notes = []
    for rel, those in found.items():
        all_of = ", ".join(name.text for name in those)
        notes.append(f"No label is below {shortest(rel)}, so every document counts as relevant to {all_of}.")
        better = judged[judged > lowest_judged]
        if len(better):
            notes[-1] += f" Name the lowest relevant label, as in {those[0].having('rel', better.min()).text}."
    return notes


def _top_grades(names: Sequence[MeasureName], y: FloatArray, convention: Convention) -> list[str]:
    found = [(name, name.highest_grade(y, convention)) for name in names]
    return [
        f"{name.text} takes the highest label, {shortest(grade)}, as the highest grade of the collection. "
        f"Name that grade, as in {name.having('grade', grade).text}."
        for name, grade in found
        if grade is not None
    ]
