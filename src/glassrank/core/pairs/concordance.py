"""Agreement of scores and labels within each query: concordant and discordant pairs, counted in O(m log m).

The documents of a query are visited in ascending order of scores. A Fenwick tree over the label levels gives the weight
of visited documents with a lower label, a second one that of those with a higher label. Since no sum is formed by
subtraction, pairs without weight count exactly 0.
"""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.core.pairs.label_levels import label_levels
from glassrank.kernels import njit


@dataclass(frozen=True, eq=False)
class Concordance:
    """Total weight of each query's concordant, discordant and tied pairs; the weight of a pair is w_i · w_j.

    Each field has one entry per query. Pairs that are equal in both label and score are not counted.
    """

    concordant: FloatArray
    """Labels differ, and the better document has the higher score."""
    discordant: FloatArray
    """Labels differ, and the better document has the lower score."""
    score_tied: FloatArray
    """Labels differ, and scores are equal."""
    label_tied: FloatArray
    """Labels are equal, and scores differ."""

    @property
    def pair_accuracy(self) -> FloatArray:
        """(P + T/2)/(P + Q + T): P concordant, Q discordant, T tied in score; NaN without a comparable pair."""
        right = self.concordant + 0.5 * self.score_tied
        return _ratio(right, self.concordant + self.discordant + self.score_tied)

    @property
    def tau(self) -> FloatArray:
        """(P − Q)/(P + Q); NaN if no pair differs in both label and score."""
        return _ratio(self.concordant - self.discordant, self.concordant + self.discordant)

    @property
    def tau_b(self) -> FloatArray:
        """Kendall's (P − Q)/√((P + Q + T)(P + Q + U)), U tied in label; NaN if all labels or all scores are equal."""
        strict = self.concordant + self.discordant
        scale = np.sqrt(strict + self.score_tied) * np.sqrt(strict + self.label_tied)
        return _ratio(self.concordant - self.discordant, scale)


def concordance(y: FloatArray, scores: FloatArray, groups: Groups, weights: FloatArray | None = None) -> Concordance:
    """Sum the weights of concordant, discordant and tied pairs within each query.

    >>> from glassrank.core.groups import group_rows
    >>> found = concordance(np.array([2.0, 1.0, 0.0, 0.0]), np.array([3.0, 1.0, 1.0, 2.0]), group_rows(None, 4))
    >>> found.concordant.tolist(), found.discordant.tolist(), found.score_tied.tolist(), found.label_tied.tolist()
    ([3.0], [1.0], [1.0], [1.0])
    """
    labels = label_levels(y, groups)
    n_levels = labels.n_levels
    level = np.empty(len(y), dtype=np.int64)
    level[groups.order] = labels.level
    order = np.lexsort((level, scores, groups.of_row))
    weight = np.ones(len(y)) if weights is None else weights[order]
    sums = np.zeros((4, groups.n_queries))
    widest = int(n_levels.max(initial=1))
    _count_pairs(groups.starts, n_levels, widest, level[order], scores[order], weight, sums)
    return Concordance(*sums)


def pair_accuracy_per_query(
    y: FloatArray, scores: FloatArray, groups: Groups, weights: FloatArray | None = None
) -> FloatArray:
    """Return the share of each query's comparable pairs that the scores order correctly; ties in score count half.

    A pair is comparable if its labels differ and both weights are positive. A query without comparable pairs is NaN.
    The mean over the other queries is the pair accuracy that glassrank reports.

    >>> from glassrank.core.groups import group_rows
    >>> groups = group_rows(["a", "a", "a", "b"], 4)
    >>> pair_accuracy_per_query(np.array([1.0, 0.0, 0.0, 1.0]), np.array([0.5, 0.5, 0.1, 0.3]), groups).tolist()
    [0.75, nan]
    """
    return concordance(y, scores, groups, weights).pair_accuracy


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    result = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result


@njit(cache=True, nogil=True)
def _count_pairs(
    starts: IntArray,
    n_levels: IntArray,
    widest: int,
    level: IntArray,
    scores: FloatArray,
    weight: FloatArray,
    sums: FloatArray,
) -> None:
    """Fill ``sums`` (concordant, discordant, score-tied, label-tied); rows are sorted by query, score and level."""
    lower = np.empty(widest + 1)
    higher = np.empty(widest + 1)
    passed = np.empty(widest)
    for query in range(len(starts) - 1):
        levels = n_levels[query]
        lower[: levels + 1] = 0.0
        higher[: levels + 1] = 0.0
        passed[:levels] = 0.0
        tie = starts[query]
        while tie < starts[query + 1]:
            end = tie + 1
            while end < starts[query + 1] and scores[end] == scores[tie]:
                end += 1
            for row in range(tie, end):
                sums[0, query] += weight[row] * _sum_before(lower, level[row])
                sums[1, query] += weight[row] * _sum_before(higher, levels - 1 - level[row])
                sums[3, query] += weight[row] * passed[level[row]]
            sums[2, query] += _pairs_of_different_level(level, weight, tie, end)
            # A tie is added to the trees as a whole, because its members form no ordered pairs.
            for row in range(tie, end):
                _add(lower, levels, level[row], weight[row])
                _add(higher, levels, levels - 1 - level[row], weight[row])
                passed[level[row]] += weight[row]
            tie = end


@njit(cache=True, nogil=True)
def _pairs_of_different_level(level: IntArray, weight: FloatArray, first: int, end: int) -> float:
    """Return the weight of the pairs with different levels among rows sorted by level."""
    total = 0.0
    below = 0.0
    at_level = 0.0
    for row in range(first, end):
        if row > first and level[row] != level[row - 1]:
            below += at_level
            at_level = 0.0
        total += weight[row] * below
        at_level += weight[row]
    return total


@njit(cache=True, nogil=True)
def _add(tree: FloatArray, size: int, level: int, weight: float) -> None:
    node = level + 1
    while node <= size:
        tree[node] += weight
        node += node & -node


@njit(cache=True, nogil=True)
def _sum_before(tree: FloatArray, level: int) -> float:
    """Return the sum of the weights at levels below ``level``."""
    total = 0.0
    node = level
    while node > 0:
        total += tree[node]
        node -= node & -node
    return total
