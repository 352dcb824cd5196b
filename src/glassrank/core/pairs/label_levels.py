"""Label levels and numbers of comparable pairs of each query, in one pass over the rows."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.blocks import even_blocks, for_each
from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.kernels import njit

MAX_BY_INSERTION = 16  # up to this many distinct labels are found by insertion; a query with more is sorted


@dataclass(frozen=True, eq=False)
class LabelLevels:
    """Ranks of the distinct labels within each query, from 0; rows are in the order of the groups."""

    level: IntArray
    n_levels: IntArray
    n_pairs: IntArray
    """Number of pairs with different labels in each query."""


def label_levels(y: FloatArray, groups: Groups) -> LabelLevels:
    """Rank the distinct labels of each query, and count its comparable pairs.

    >>> from glassrank.core.groups import group_rows
    >>> found = label_levels(np.array([7.5, 0.0, 3.0, 3.0, 4.0]), group_rows([1, 1, 2, 2, 2], 5))
    >>> found.level.tolist(), found.n_levels.tolist(), found.n_pairs.tolist()
    ([1, 0, 0, 0, 1], [2, 2], [1, 2])
    """
    level = np.empty(groups.n_rows, dtype=np.int64)
    n_levels, n_pairs = np.empty((2, groups.n_queries), dtype=np.int64)
    labels = y[groups.order]
    for_each(
        even_blocks(groups.starts), lambda block: _code_levels(block, labels, groups.starts, level, n_levels, n_pairs)
    )
    return LabelLevels(level, n_levels, n_pairs)


def comparable_pairs(y: FloatArray, groups: Groups) -> IntArray:
    """Return the number of pairs with different labels in each query.

    >>> from glassrank.core.groups import group_rows
    >>> comparable_pairs(np.array([2.0, 0.0, 0.0, 1.0]), group_rows(None, 4)).tolist()
    [5]
    """
    return label_levels(y, groups).n_pairs


def has_comparable_pair(y: FloatArray, groups: Groups) -> bool:
    """Whether any query has two different labels; much cheaper than counting pairs.

    >>> from glassrank.core.groups import group_rows
    >>> has_comparable_pair(np.array([2.0, 2.0, 1.0]), group_rows([7, 7, 8], 3))
    False
    """
    labels = y[groups.order]
    return bool((labels != np.repeat(labels[groups.starts[:-1]], groups.sizes)).any())


@njit(cache=True, nogil=True)
def _code_levels(
    queries: IntArray, labels: FloatArray, starts: IntArray, level: IntArray, n_levels: IntArray, n_pairs: IntArray
) -> None:
    """Rank the distinct labels of each query from 0; count levels and pairs with different labels."""
    few = np.empty(MAX_BY_INSERTION)
    for query in range(queries[0], queries[1]):
        first, end = starts[query], starts[query + 1]
        found = _distinct_few(labels, first, end, few)
        distinct = few[:found] if found >= 0 else np.unique(labels[first:end])
        size = np.zeros(len(distinct), dtype=np.int64)
        for row in range(first, end):
            place = 0
            if found >= 0:
                while distinct[place] < labels[row]:
                    place += 1
            else:
                place = np.searchsorted(distinct, labels[row])
            level[row] = place
            size[place] += 1
        n_levels[query] = len(distinct)
        n_pairs[query] = ((end - first) ** 2 - (size**2).sum()) // 2


@njit(cache=True, nogil=True)
def _distinct_few(labels: FloatArray, first: int, end: int, distinct: FloatArray) -> int:
    """Fill ``distinct`` with the sorted distinct labels; return their number, or −1 if there are too many."""
    found = 0
    for row in range(first, end):
        label = labels[row]
        place = 0
        while place < found and distinct[place] < label:
            place += 1
        if place < found and distinct[place] == label:
            continue
        if found == len(distinct):
            return -1
        for move in range(found, place, -1):
            distinct[move] = distinct[move - 1]
        distinct[place] = label
        found += 1
    return found
