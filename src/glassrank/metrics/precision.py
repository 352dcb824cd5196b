"""Measures that count relevant documents: precision and recall at a cutoff, R-precision, average precision, …"""

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.metrics.arithmetic import ratio
from glassrank.metrics.ranked import RankedLists


def precision(lists: RankedLists, cutoff: int) -> FloatArray:
    """Relevant documents in the first ``cutoff`` ranks, divided by ``cutoff``; NaN without a relevant document."""
    hits = lists.sum_by_query(lists.average_over_ties(lists.relevant), lists.rank <= cutoff)
    return np.where(lists.n_relevant > 0, hits / cutoff, np.nan)


def rbp(lists: RankedLists, cutoff: int, p: float) -> FloatArray:
    """(1 − p) Σ_j p^(j − 1) over the ranks j of relevant documents (Moffat and Zobel 2008); NaN without any."""
    weights = (1.0 - p) * p ** (lists.rank - 1.0)
    values = lists.sum_by_query(lists.average_over_ties(lists.relevant) * weights, lists.rank <= cutoff)
    return np.where(lists.n_relevant > 0, values, np.nan)


def recall(lists: RankedLists, cutoff: int) -> FloatArray:
    """Relevant documents in the first ``cutoff`` ranks, divided by the query's number R of them; NaN if R is 0."""
    hits = lists.sum_by_query(lists.average_over_ties(lists.relevant), lists.rank <= cutoff)
    return ratio(hits, lists.n_relevant)


def r_precision(lists: RankedLists) -> FloatArray:
    """Precision at R, the query's number of relevant documents; NaN if R is 0."""
    hits = lists.sum_by_query(lists.average_over_ties(lists.relevant), lists.rank <= lists.n_relevant[lists.query])
    return ratio(hits, lists.n_relevant)


def average_precision(lists: RankedLists, cutoff: int) -> FloatArray:
    """Mean, over the query's relevant documents, of the precision at their ranks (0 beyond ``cutoff``).

    The divisor is the number of relevant documents at every cutoff, as in trec_eval's map_cut.

    In a tie of n documents, r of them relevant, the i-th is relevant with probability r/n, and then on average
    (i − 1)(r − 1)/(n − 1) of those before it in the tie are relevant. The result is the expected value over all orders
    of the tie.
    """
    size = lists.spread(lists.tie_sizes)
    relevant_in_tie = lists.sum_by_tie(lists.relevant)
    share = lists.spread(relevant_in_tie / lists.tie_sizes)
    before_in_tie = np.arange(len(lists.rows)) - lists.spread(lists.tie_starts)
    before = lists.spread(np.cumsum(relevant_in_tie) - relevant_in_tie) - _relevant_before_query(lists)
    others_in_tie = before_in_tie * (lists.spread(relevant_in_tie) - 1.0) / np.maximum(size - 1, 1)
    found = share * (before + 1.0 + others_in_tie) / lists.rank
    return ratio(lists.sum_by_query(found, lists.rank <= cutoff), lists.n_relevant)


def _relevant_before_query(lists: RankedLists) -> FloatArray:
    """Return, for each place, the number of relevant documents in the lists of all earlier queries."""
    found = lists.sum_by_query(lists.relevant)
    return (np.cumsum(found) - found)[lists.query]


def judged_share(lists: RankedLists, cutoff: int) -> FloatArray:
    """Share of judged documents among the first ``cutoff`` retrieved (or all, if fewer); 0 if none was retrieved."""
    judged = lists.sum_by_query(lists.average_over_ties(lists.judged), lists.rank <= cutoff)
    return judged / np.maximum(np.minimum(lists.lengths, cutoff), 1)
