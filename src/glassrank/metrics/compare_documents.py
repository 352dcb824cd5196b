"""Comparison of systems on one query: its documents are resampled, because there are no other queries."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.metrics.compare_values import Resampling, choose_baseline, describe_systems
from glassrank.metrics.comparison import Comparison
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.document_resampling import (
    bootstrap_test,
    draw_documents,
    resampled_list_means,
    resampled_pair_means,
)
from glassrank.metrics.measure_notes import measure_notes
from glassrank.metrics.measures import parse_measure
from glassrank.metrics.ranked import rank_documents

PAIR_ACCURACY = "pair_accuracy"
N_RESAMPLES, N_PAIR_RESAMPLES, CONFIDENCE = 2_000, 10_000, 0.95


def compare_on_one_query(
    systems: Mapping[str, FloatArray],
    y: FloatArray,
    lists: Groups,
    *,
    measure: str,
    baseline: str,
    convention: str = "standard",
    margin: float | None = None,
    asked: Collection[str] | None = None,
    random_state: int = 0,
) -> Comparison:
    """Compare systems by the mean of a measure over ``lists`` of documents of one query: the whole query, or its folds.

    Intervals and p values come from a bootstrap over the documents of each list. They say how the systems differ on
    other documents of this query, not on other queries. Copies of documents change the level of measures such as NDCG,
    so the samples are centred at the values of the lists themselves.
    """
    written, names, known = parse_measure(measure), list(systems), CONVENTIONS[convention]
    name = written.graded(y, known)
    settings = Resampling(N_RESAMPLES, CONFIDENCE, np.random.default_rng(random_state), margin, asked)
    scores = np.column_stack(list(systems.values()))
    values = np.column_stack(
        [name.per_query(rank_documents(y, column, qid=lists, convention=convention)) for column in scores.T]
    )
    defined = np.asarray(~np.isnan(values).any(axis=1))
    if not defined.any():
        raise DataError(f"{name.text} is undefined on every list of documents.", remedy="Add judged documents.")
    kept = np.flatnonzero(defined[lists.of_row])
    drawn = resampled_list_means(name, convention, y[kept], scores[kept], lists.pick(kept), N_RESAMPLES, settings.rng)
    means = values[defined].mean(axis=0)
    found = _comparison(
        written.text,
        convention,
        names,
        choose_baseline(systems, baseline),
        means,
        _centred(drawn, means),
        settings,
        len(y),
        name.measure.higher_is_better,
    )
    return replace(found, notes=measure_notes([written], y, lists.sizes, known))


def compare_on_pairs(
    systems: Mapping[str, FloatArray],
    pairs: tuple[IntArray, IntArray],
    *,
    n_documents: int,
    baseline: str,
    margin: float | None = None,
    asked: Collection[str] | None = None,
    random_state: int = 0,
) -> Comparison:
    """Compare systems by the share of pairs that each puts in the right order, with a bootstrap over documents.

    ``systems`` have 1 for each pair in the right order, ½ for a tie and 0 otherwise; ``pairs`` are the documents of
    each pair. Pairs that share a document are not independent, so documents are drawn, and with them their pairs.
    """
    settings = Resampling(N_PAIR_RESAMPLES, CONFIDENCE, np.random.default_rng(random_state), margin, asked)
    values = np.column_stack(list(systems.values()))
    counts = draw_documents(n_documents, settings.n_resamples, settings.rng)
    drawn = resampled_pair_means(counts, *pairs, values)
    return _comparison(
        PAIR_ACCURACY,
        "standard",
        list(systems),
        choose_baseline(systems, baseline),
        values.mean(axis=0),
        drawn,
        settings,
        n_documents,
        True,
    )


def _centred(drawn: FloatArray, means: FloatArray) -> FloatArray:
    """Shift samples (samples × systems) to these means, within the range of values that occur in any sample."""
    known = drawn[~np.isnan(drawn).any(axis=1)]
    return np.asarray(np.clip(known - known.mean(axis=0) + means, known.min(), known.max()))


def _comparison(
    measure: str,
    convention: str,
    names: list[str],
    baseline: str,
    means: FloatArray,
    drawn: FloatArray,
    settings: Resampling,
    n_documents: int,
    higher_is_better: bool,
) -> Comparison:
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    base = names.index(baseline)
    test = bootstrap_test(np.delete(drawn, base, axis=1) - drawn[:, [base]])
    return Comparison(
        measure=measure,
        convention=convention,
        baseline=baseline,
        confidence=settings.confidence,
        n_queries=1,
        left_out=0,
        test=f"bootstrap over the {n_documents:,} documents, {len(drawn):,} samples",
        systems=describe_systems(names, base, means, drawn, test, settings, higher_is_better),
        asked=settings.asked_of([name for name in names if name != baseline]),
        margin=settings.margin,
        n_documents=n_documents,
    )
