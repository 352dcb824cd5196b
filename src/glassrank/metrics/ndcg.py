"""Discounted cumulative gain, and the same normalised."""

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.metrics.arithmetic import ratio, sum_by
from glassrank.metrics.ranked import RankedLists


def ndcg(lists: RankedLists, cutoff: int) -> FloatArray:
    """DCG of each query's first ``cutoff`` documents, divided by the ideal DCG; NaN if that is 0."""
    return ratio(_dcg(lists, cutoff), _ideal_dcg(lists, cutoff))


def dcg(lists: RankedLists, cutoff: int) -> FloatArray:
    """DCG of each query's first ``cutoff`` documents; NaN if no document has a gain."""
    return np.where(_ideal_dcg(lists, cutoff) > 0, _dcg(lists, cutoff), np.nan)


def _dcg(lists: RankedLists, cutoff: int) -> FloatArray:
    """Σ_j discount(j) · gain(y_j). It is linear in the gains, so the mean gain of a tie gives its expected value."""
    convention, top = lists.convention, lists.rank <= cutoff
    gains = lists.average_over_ties(convention.gains(lists.labels)[lists.rows])
    discounted = gains[top] * convention.discounts(lists.rank[top].astype(np.float64))
    values = sum_by(lists.query[top], discounted, lists.groups.n_queries)
    return np.where(convention.too_short(lists.lengths, cutoff), 0.0, values)


def _ideal_dcg(lists: RankedLists, cutoff: int) -> FloatArray:
    """DCG of each query's judged documents in the best order, whether retrieved or not."""
    groups = lists.groups
    query = np.repeat(np.arange(groups.n_queries), groups.sizes)
    rank = np.arange(1, groups.n_rows + 1) - groups.starts[query]
    top = rank <= cutoff
    best = lists.labels[lists.best_rows[top]]
    discounted = lists.convention.gains(best) * lists.convention.discounts(rank[top].astype(np.float64))
    return sum_by(query[top], discounted, groups.n_queries)
