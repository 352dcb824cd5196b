"""bpref: how often judged non-relevant documents rank above relevant ones; unjudged documents are ignored."""

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.metrics.arithmetic import ratio, sum_by
from glassrank.metrics.ranked import RankedLists


def bpref(lists: RankedLists) -> FloatArray:
    """Mean, over the R relevant documents, of 1 − min(n, R)/min(N, R) (0 if not retrieved); NaN when R is 0.

    n is the number of judged non-relevant documents above the relevant one, and N their number in the query (Buckley
    and Voorhees 2004, as computed by trec_eval). In a tie with u of them, n takes u + 1 equally likely values, and the
    result is the mean over these.
    """
    non_relevant = lists.judged & ~lists.relevant
    in_tie = lists.sum_by_tie(non_relevant)
    query = lists.query[lists.tie_starts]
    by_query = lists.sum_by_query(non_relevant)
    above = np.cumsum(in_tie) - in_tie - (np.cumsum(by_query) - by_query)[query]
    n_relevant, n_non_relevant = lists.n_relevant[query], (lists.n_judged - lists.n_relevant)[query]
    mean_above = _mean_of_capped(above, in_tie, n_relevant)
    # If a query has no judged non-relevant document, none can rank above: the quotient is 0/1.
    worst = np.maximum(np.minimum(n_non_relevant, n_relevant), 1.0)
    credit = lists.sum_by_tie(lists.relevant) * (1.0 - mean_above / worst)
    return ratio(sum_by(query, credit, lists.groups.n_queries), lists.n_relevant)


def _mean_of_capped(least: FloatArray, width: FloatArray, cap: FloatArray) -> FloatArray:
    """Mean of min(least + i, cap) over i = 0, …, width."""
    uncapped = np.clip(cap - least, 0.0, width + 1.0)
    total = uncapped * least + uncapped * (uncapped - 1.0) / 2.0 + (width + 1.0 - uncapped) * cap
    return total / (width + 1.0)
