"""Ranking and pair accuracy from decisions on pairs.

A model may decide which of two documents ranks above the other without scoring single documents. Usually
f(a, b) = −f(b, a), and each pair is decided once. A model whose two decisions may disagree decides each pair in both
orders. Decisions need not be transitive: a above b and b above c do not imply a above c. A ranking has to combine all
of them.
"""

from collections.abc import Callable, Iterator

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups

BLOCK_PAIRS = 65_536
DIGITS = (
    9  # sums of decisions that agree to this many digits count as equal, so that rounding does not decide the order
)

Decide = Callable[[IntArray, IntArray], FloatArray]


def rank_by_wins(decide: Decide, groups: Groups, *, antisymmetric: bool = True) -> IntArray:
    """Return the rank of each row in its query, by wins minus losses against all others (Copeland 1951).

    Rows with equal counts are ordered by the sum of the decisions, then by row. ``decide`` returns f(a, b) for arrays
    of rows a and b. It is called once for each pair of a query, with tens of thousands of pairs at a time. If decisions
    are not ``antisymmetric``, a pair is decided in both orders, and each order counts.

    >>> from glassrank.core.groups import group_rows
    >>> values = np.array([0.2, 0.9, 0.5])
    >>> rank_by_wins(lambda a, b: values[a] - values[b], group_rows(None, 3)).tolist()
    [3, 1, 2]
    """
    wins, sums, sizes = np.zeros((3, groups.n_rows))
    for first, second, _ in _decided_pairs(groups, antisymmetric):
        decided = decide(first, second)
        for totals, values in ((wins, np.sign(decided)), (sums, decided)):
            np.add.at(totals, first, values)
            np.subtract.at(totals, second, values)
        np.add.at(sizes, first, np.abs(decided))
        np.add.at(sizes, second, np.abs(decided))
    # The rounding error is relative to the sum of the absolute values.
    largest = np.maximum.reduceat(sizes[groups.order], groups.starts[:-1])
    scale = np.where(largest > 0, largest, 1.0)[groups.of_row]
    return positions(groups, wins, np.round(sums / scale, DIGITS))


def positions(groups: Groups, *keys: FloatArray) -> IntArray:
    """Return the rank of each row in its query, by descending keys, the first key first; equal keys by row.

    >>> from glassrank.core.groups import group_rows
    >>> positions(group_rows([1, 1, 2, 1], 4), np.array([0.5, 0.7, 0.1, 0.7])).tolist()
    [3, 1, 1, 2]
    """
    order = np.lexsort((*(-key for key in keys[::-1]), groups.of_row))
    found = np.empty(groups.n_rows, dtype=np.int64)
    found[order] = np.arange(groups.n_rows) - np.repeat(groups.starts[:-1], groups.sizes) + 1
    return found


def accuracy_of_decisions(
    decide: Decide,
    y: FloatArray,
    groups: Groups,
    weights: FloatArray | None = None,
    *,
    antisymmetric: bool = True,
) -> FloatArray:
    """Return the share of each query's comparable pairs decided correctly; f(a, b) = 0 counts half; NaN without pairs.

    The weight of a pair is w_i · w_j, as in ``pair_accuracy_per_query``. If decisions are not ``antisymmetric``, a pair
    is decided in both orders, and each counts half.

    >>> from glassrank.core.groups import group_rows
    >>> values, y = np.array([0.2, 0.9, 0.5, 0.5]), np.array([0.0, 1.0, 2.0, 1.0])
    >>> accuracy_of_decisions(lambda a, b: values[a] - values[b], y, group_rows(None, 4)).tolist()
    [0.7]
    """
    weights = np.ones(len(y)) if weights is None else weights
    right, total = np.zeros(groups.n_queries), np.zeros(groups.n_queries)
    for first, second, query in _decided_pairs(groups, antisymmetric):
        weight = weights[first] * weights[second]
        counted = (y[first] != y[second]) & (weight > 0)
        first, second, query, weight = first[counted], second[counted], query[counted], weight[counted]
        if len(first):
            agreement = np.sign(decide(first, second)) * np.sign(y[first] - y[second])
            np.add.at(right, query, weight * 0.5 * (1.0 + agreement))
            np.add.at(total, query, weight)
    return np.asarray(np.divide(right, total, out=np.full(groups.n_queries, np.nan), where=total > 0))


def _decided_pairs(groups: Groups, antisymmetric: bool) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    for first, second, query in pairs_of_queries(groups):
        yield first, second, query
        if not antisymmetric:
            yield second, first, query


def pairs_of_queries(groups: Groups, most: int = BLOCK_PAIRS) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield all pairs of rows of one query, each once, in blocks of at most ``most``: first row, second row, query.

    >>> from glassrank.core.groups import group_rows
    >>> [(a.tolist(), b.tolist()) for a, b, _ in pairs_of_queries(group_rows([7, 7, 8, 7], 4), most=2)]
    [([0, 0], [1, 3]), ([1], [3])]
    """
    # With rows sorted by query, each row is the first of as many pairs as rows follow in its query.
    places = np.arange(groups.n_rows)
    n_following = np.repeat(groups.starts[1:], groups.sizes) - places - 1
    ends = np.cumsum(n_following)
    of_place = np.repeat(np.arange(groups.n_queries), groups.sizes)
    for begin in range(0, int(n_following.sum()), most):
        numbers = np.arange(begin, min(begin + most, int(ends[-1])))
        first = np.searchsorted(ends, numbers, side="right")
        second = first + 1 + numbers - (ends[first] - n_following[first])
        yield groups.order[first], groups.order[second], of_place[first]
