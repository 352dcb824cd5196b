"""The least-squares ranking risk."""

from glassrank.core.checks import FloatArray
from glassrank.metrics.arithmetic import ratio
from glassrank.metrics.ranked import RankedLists


def ranking_risk(lists: RankedLists) -> FloatArray:
    """2/(m(m − 1)) · Σ_{i<j} (y_i − y_j − (f_i − f_j))² over each query's m retrieved documents; NaN when m < 2.

    This is the empirical ranking risk of Chen et al. (2014), section 2. With e = y − f the sum over pairs equals
    m Σ (e − mean e)², so pairs need not be enumerated.
    """
    residual = lists.labels[lists.rows] - lists.scores
    mean = ratio(lists.sum_by_query(residual), lists.lengths)
    return ratio(2.0 * lists.sum_by_query((residual - mean[lists.query]) ** 2), lists.lengths - 1)
