"""Comparison of systems over the same queries: how each of them compares with a baseline."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from glassrank.core.input_types import ArrayLike, RandomState
from glassrank.core.randomness import random_generator
from glassrank.metrics.compare_values import Resampling, choose_baseline, compared
from glassrank.metrics.comparison import Comparison
from glassrank.metrics.measure_notes import measure_notes
from glassrank.metrics.measures import parse_measure
from glassrank.metrics.ranked import rank_documents


def compare(
    systems: Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    measure: str = "ndcg@10",
    baseline: str | None = None,
    convention: str = "standard",
    doc_ids: ArrayLike | None = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    margin: float | None = None,
    asked: Collection[str] | None = None,
    random_state: RandomState = None,
) -> Comparison:
    """Compare systems, given as name → scores, by one measure over the same queries.

    The default baseline is the first system. A query for which the measure is undefined for one system is left out for
    all systems. The verdict comes only from the interval of the paired difference, because the intervals of two means
    may overlap although the systems differ on nearly every query. That interval contains the differences that the
    paired randomisation test does not reject. A system is better or worse if it excludes 0, and as good if it lies
    within ±``margin``. ``confidence`` is the level of the intervals; the level of the test is 1 − confidence.

    ``asked`` names the systems that are tested by themselves, by default all. Name only those that are your question,
    or none (``[]``): Holm's method then adjusts for the number of the others, and so do their intervals.

    >>> y, qid = [1, 0, 0] * 8, [q for q in range(8) for _ in range(3)]
    >>> found = compare({"old": [1, 2, 3] * 8, "new": [3, 2, 1] * 8}, y, qid=qid, measure="mrr", random_state=0)
    >>> found["new"].difference, found["new"].p_value, found["new"].verdict
    (0.6666666666666667, 0.0078125, 'better')
    """
    name = parse_measure(measure)
    settings = Resampling(n_resamples, confidence, random_generator(random_state), margin, asked)
    chosen = choose_baseline(systems, baseline)
    lists = [
        rank_documents(y, scores, scores_name=f"scores of {system!r}", qid=qid, convention=convention, doc_ids=doc_ids)
        for system, scores in systems.items()
    ]
    values = np.column_stack([name.per_query(one) for one in lists])
    better = name.measure.higher_is_better
    found = compared(values, list(systems), chosen, settings, name.text, convention, higher_is_better=better)
    shortest = np.min([one.lengths for one in lists], axis=0)
    return replace(found, notes=(*found.notes, *measure_notes([name], lists[0].y, shortest, lists[0].convention)))
