"""Measures for a reader who stops at the first good document: success, reciprocal rank and its expected value."""

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.gains import exponential_gains
from glassrank.kernels import njit
from glassrank.metrics.arithmetic import shortest, sum_by
from glassrank.metrics.conventions import MAX_GRADE, WHOLE_LIST
from glassrank.metrics.ranked import RankedLists


def reciprocal_rank(lists: RankedLists, cutoff: int) -> FloatArray:
    """1 / rank of the first relevant document, 0 if none is among the first ``cutoff``; NaN without a relevant one."""
    return _of_first_hit(lists, 1.0 / np.arange(1.0, min(cutoff, lists.lengths.max()) + 1.0))


def success(lists: RankedLists, cutoff: int) -> FloatArray:
    """1 if a relevant document is among the first ``cutoff``, otherwise 0; NaN without a relevant one."""
    return _of_first_hit(lists, np.ones(min(cutoff, lists.lengths.max())))


def _of_first_hit(lists: RankedLists, worth: FloatArray) -> FloatArray:
    """What the rank of the first relevant document is worth, 0 beyond ``worth``; NaN without a relevant document."""
    values = np.zeros(lists.groups.n_queries)
    sizes = lists.spread(lists.tie_sizes)
    _first_hit(lists.starts, sizes, lists.relevant.astype(np.float64), worth, values)
    return np.where(lists.n_relevant > 0, values, np.nan)


def expected_reciprocal_rank(lists: RankedLists, cutoff: int, grade: float) -> FloatArray:
    """ERR = Σ_j (1/j) · R_j · Π_{i<j} (1 − R_i), R = (2^y − 1)/2^grade; NaN without a label above 0.

    ``grade`` is the highest grade of the collection (Chapelle et al. 2009); NaN takes the convention's or, if it has
    none, the highest label in y.
    """
    lists.convention.check_labels(lists.labels)
    top_grade = _top_grade(lists, cutoff, grade)
    gains = exponential_gains(np.maximum(lists.labels, 0.0))
    values = np.zeros(lists.groups.n_queries)
    sizes = lists.spread(lists.tie_sizes)
    _stop_on_average(lists.starts, sizes, gains[lists.rows] / 2.0**top_grade, cutoff, values)
    good = sum_by(lists.query_of_row, gains > 0, lists.groups.n_queries)
    return np.where(good > 0, values, np.nan)


def _top_grade(lists: RankedLists, cutoff: int, grade: float) -> float:
    """Highest grade of the collection, checked against the highest label."""
    highest, implied = float(lists.labels.max()), lists.convention.highest_grade
    top_grade = grade if grade == grade else max(highest, 0.0) if implied is None else implied
    if highest > top_grade:
        at = "" if cutoff == WHOLE_LIST else f"@{cutoff}"
        said = f"err({shortest(grade)}){at}" if grade == grade else f"Convention {lists.convention.name!r}"
        raise DataError(
            f"{said} means that {shortest(top_grade)} is the highest grade, but y contains the label "
            f"{shortest(highest)}: write err({shortest(highest)}){at}."
        )
    if top_grade > MAX_GRADE:
        raise DataError(
            f"err supports grades up to {MAX_GRADE:g}: got {top_grade:g}.", remedy="Use grades such as 0 to 4."
        )
    return top_grade


@njit(cache=True, nogil=True)
def _first_hit(starts: IntArray, sizes: IntArray, relevant: FloatArray, worth: FloatArray, values: FloatArray) -> None:
    """Expected worth of the rank of the first relevant document, over all orders of the first tie that contains one."""
    for query in range(len(starts) - 1):
        place = starts[query]
        while place < starts[query + 1]:
            size = sizes[place]
            hits = relevant[place : place + size].sum()
            if hits > 0:
                alive = 1.0
                first = place - starts[query] + 1
                for i in range(min(size, len(worth) - first + 1)):
                    stop = min(hits / (size - i), 1.0)
                    values[query] += alive * stop * worth[first + i - 1]
                    alive *= 1.0 - stop
                break
            place += size


@njit(cache=True, nogil=True)
def _stop_on_average(starts: IntArray, sizes: IntArray, stop: FloatArray, cutoff: int, values: FloatArray) -> None:
    """Expected value of Σ (1/j) R_j Π (1 − R_i) over all orders of each tie."""
    for query in range(len(starts) - 1):
        alive = 1.0
        place = starts[query]
        while place < starts[query + 1] and place - starts[query] < cutoff and alive > 0.0:
            size = sizes[place]
            first = place - starts[query] + 1
            past = _past(stop[place : place + size], min(size, cutoff - first + 1))
            for i in range(1, len(past)):
                values[query] += alive * (past[i - 1] - past[i]) / (first + i - 1)
            alive *= past[-1]
            place += size


@njit(cache=True, nogil=True)
def _past(stop: FloatArray, width: int) -> FloatArray:
    """Probability that a reader passes the first i documents of a tie, i = 0, …, width, mean over its orders.

    This is the mean of Π (1 − R) over all choices of i documents. Adding an m-th document x to a tie changes it to
    (m − i)/m times its old value (x is not among the i) plus i/m · (1 − R_x) times the old value for i − 1 (x is).
    """
    past = np.zeros(width + 1)
    past[0] = 1.0
    for m in range(1, len(stop) + 1):
        passing = 1.0 - stop[m - 1]
        for i in range(min(m, width), 0, -1):
            past[i] = ((m - i) * past[i] + i * passing * past[i - 1]) / m
    return past
