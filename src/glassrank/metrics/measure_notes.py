"""What to know about the numbers of measures: zeros of short lists, and what was assumed about the labels."""

from collections.abc import Iterator, Sequence

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.metrics.arithmetic import shortest
from glassrank.metrics.conventions import Convention
from glassrank.metrics.measures import MeasureName


def measure_notes(
    names: Sequence[MeasureName], y: FloatArray, lengths: IntArray, convention: Convention
) -> tuple[str, ...]:
    """Say which lists are too short for a measure, and where labels decide that all is relevant or the top grade."""
    return tuple(note for name in names for note in _notes(name, y, lengths, convention))


def _notes(name: MeasureName, y: FloatArray, lengths: IntArray, convention: Convention) -> Iterator[str]:
    count = int(name.too_short(lengths, convention).sum())
    if count:
        yield (
            f"{count:,} of {len(lengths):,} lists have fewer than {name.cutoff:,} documents: {convention.name} counts "
            f"their {name.text} as 0, whatever the order."
        )
    rel, judged = name.option("rel", 1.0), y[~np.isnan(y)]
    counted = judged if name.measure.skips_unjudged else np.nan_to_num(y)
    if "rel" in name.measure.parameters and (counted >= rel).all():
        better = judged[judged > judged.min(initial=np.inf)]
        example = name.having("rel", better.min()).text if len(better) else ""
        remedy = f" Name the lowest relevant label, as in {example}." if example else ""
        yield f"No label is below {shortest(rel)}, so every document counts as relevant to {name.text}.{remedy}"
    graded = name.graded(y, convention)
    if graded != name:
        yield (
            f"{name.text} takes the highest label, {shortest(graded.option('grade', 0.0))}, as the highest grade of "
            f"the collection. Name that grade, as in {graded.text}."
        )
