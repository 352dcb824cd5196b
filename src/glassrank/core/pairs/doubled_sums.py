"""Sums over pairs in doubled precision, for certificates that the rounding of ordinary sums would dominate.

A number is stored as high + low, two floats that do not overlap, which gives about 32 digits. The rounding error of a
product or sum of two floats is itself a float and costs only a few operations (Knuth, Dekker 1971), so it is carried
along in the low part. The kernels must not be compiled with fastmath, which would simplify these errors to zero.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import FloatArray, IntArray, read_only
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.kernels import njit

BLOCK_BYTES = 4_000_000

Margins = tuple[tuple[float, float], ...]
"""Margins of slacks, each with the sign of its slope; empty for the logistic loss."""
SPLITTER = 134_217_729.0  # 2^27 + 1: splits a float into halves whose products are exact
# Positions of the sums in a node of the tree; each has a high and a low part.
WEIGHT, TOTAL, SQUARES, NODE = 0, 2, 4, 6


@njit(inline="always", cache=True, nogil=True)
def add_exactly(a: float, b: float) -> tuple[float, float]:
    """Return a + b and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@njit(inline="always", cache=True, nogil=True)
def multiply_exactly(a: float, b: float) -> tuple[float, float]:
    """Return a · b and its rounding error."""
    product, cut = a * b, SPLITTER * a
    a_high = cut - (cut - a)
    cut = SPLITTER * b
    b_high = cut - (cut - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@njit(inline="always", cache=True, nogil=True)
def multiply(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return the product of two doubled numbers."""
    high, low = multiply_exactly(a, b)
    return add_exactly(high, low + (a * b_low + a_low * b))


@njit(inline="always", cache=True, nogil=True)
def accumulate(total: FloatArray, place: int, high: float, low: float) -> None:
    """Add a doubled number to the one at ``place`` and ``place + 1``."""
    total[place], lost = add_exactly(total[place], high)
    total[place + 1] += lost + low


@njit(cache=True, nogil=True)
def multiply_rows(X: FloatArray, w: FloatArray, scores: FloatArray) -> None:
    """Compute the scores X w in doubled precision."""
    for row in range(X.shape[0]):
        scores[row] = 0.0
        for k in range(X.shape[1]):
            high, low = multiply_exactly(X[row, k], w[k])
            accumulate(scores[row], 0, high, low)
        scores[row, 0], scores[row, 1] = add_exactly(scores[row, 0], scores[row, 1])


@njit(cache=True, nogil=True)
def add_rows(X: FloatArray, factors: FloatArray, total: FloatArray) -> None:
    """Add the rows, each times its doubled factor, to a doubled total."""
    for row in range(X.shape[0]):
        for k in range(X.shape[1]):
            high, low = multiply_exactly(factors[row, 0], X[row, k])
            accumulate(total[k], 0, high, low + factors[row, 1] * X[row, k])


@njit(cache=True, nogil=True)
def add_slack(
    starts: IntArray,
    level: IntArray,
    n_levels: IntArray,
    own: FloatArray,
    partner: FloatArray,
    margin: float,
    sign: float,
    scores: FloatArray,
    ranking: IntArray,
    slope: FloatArray,
    sums: FloatArray,
) -> None:
    """Sum the slacks max(0, margin + z_i − z_j) of the pairs, i worse than j, for doubled scores sorted by ``ranking``.

    Adds Σ weight · slack and Σ weight · slack² to ``sums``. Adds sign · weight · slack to the slope of i and subtracts
    it from the slope of j. Both use the same weight Σ_r own[i, r] · partner[j, r], and so the same dual variable.
    """
    tree = np.empty((n_levels.max() + 1, NODE * own.shape[1]))
    reach = np.empty(len(ranking), dtype=np.int64)
    found = np.empty(NODE)
    for query in range(len(starts) - 1):
        first, end, n = starts[query], starts[query + 1], n_levels[query]
        tree[: n + 1] = 0.0
        pointer = first
        for r in range(first, end):
            row = ranking[r]
            edge, edge_low = _shift(scores[row], margin)
            while pointer < end and _below(scores[ranking[pointer]], edge, edge_low):
                other = ranking[pointer]
                _add(tree, n, n - 1 - level[other], scores[other], partner[other])
                pointer += 1
            reach[r] = pointer
            _sum_before(tree, n - 1 - level[row], own[row], found)
            _add_row(found, edge, edge_low, sign, slope[row], sums)
        tree[: n + 1] = 0.0
        pointer = end - 1
        for r in range(end - 1, first - 1, -1):
            row = ranking[r]
            while pointer >= first and reach[pointer] > r:
                other = ranking[pointer]
                _add(tree, n, level[other], scores[other], own[other])
                pointer -= 1
            _sum_before(tree, level[row], partner[row], found)
            edge, edge_low = _shift(scores[row], -margin)
            slack, slack_low = _slack(found, edge, edge_low)
            accumulate(slope[row], 0, sign * slack, sign * slack_low)


@njit(cache=True, nogil=True)
def add_logistic(
    starts: IntArray,
    level: IntArray,
    own: FloatArray,
    partner: FloatArray,
    scores: FloatArray,
    slope: FloatArray,
    sums: FloatArray,
) -> None:
    """Sum the logistic loss of the pairs and its slope in the doubled scores, in doubled precision.

    The loss and slope of a single pair are floats. They are wrong by a few roundings and by the rounding of the margin,
    which changes the slope by at most a fraction |margin|. The second sum is Σ weight · slope · (1 + |margin|).
    """
    for query in range(len(starts) - 1):
        for worse in range(starts[query], starts[query + 1]):
            for better in range(starts[query], starts[query + 1]):
                if level[better] > level[worse]:
                    weight = np.sum(own[worse] * partner[better])
                    margin = (scores[better, 0] - scores[worse, 0]) + (scores[better, 1] - scores[worse, 1])
                    small = np.exp(-abs(margin))
                    wrong = weight * (small if margin > 0 else 1.0) / (1.0 + small)
                    accumulate(sums[0], 0, weight * (np.log1p(small) + max(-margin, 0.0)), 0.0)
                    accumulate(sums[1], 0, wrong * (1.0 + abs(margin)), 0.0)
                    accumulate(slope[worse], 0, wrong, 0.0)
                    accumulate(slope[better], 0, -wrong, 0.0)


@njit(inline="always", cache=True, nogil=True)
def _shift(score: FloatArray, margin: float) -> tuple[float, float]:
    high, low = add_exactly(score[0], margin)
    return add_exactly(high, low + score[1])


@njit(inline="always", cache=True, nogil=True)
def _below(score: FloatArray, edge: float, edge_low: float) -> bool:
    high: float = score[0]
    low: float = score[1]
    return high < edge or (high == edge and low < edge_low)


@njit(cache=True, nogil=True)
def _add(tree: FloatArray, n_levels: int, position: int, score: FloatArray, weights: FloatArray) -> None:
    """Add a document at a position of the Fenwick tree over the label levels."""
    square, square_low = multiply(score[0], score[1], score[0], score[1])
    node = position + 1
    while node <= n_levels:
        for term in range(len(weights)):
            weight, place = weights[term], NODE * term
            accumulate(tree[node], place + WEIGHT, weight, 0.0)
            high, low = multiply(weight, 0.0, score[0], score[1])
            accumulate(tree[node], place + TOTAL, high, low)
            high, low = multiply(weight, 0.0, square, square_low)
            accumulate(tree[node], place + SQUARES, high, low)
        node += node & -node


@njit(cache=True, nogil=True)
def _sum_before(tree: FloatArray, position: int, weights: FloatArray, found: FloatArray) -> None:
    """Sum the weights, scores and squares of the documents before a position, weighted by a row's ``weights``."""
    found[:] = 0.0
    node = position
    while node > 0:
        for term in range(len(weights)):
            for place in range(0, NODE, 2):
                part = NODE * term + place
                high, low = multiply(weights[term], 0.0, tree[node, part], tree[node, part + 1])
                accumulate(found, place, high, low)
        node -= node & -node


@njit(inline="always", cache=True, nogil=True)
def _slack(found: FloatArray, edge: float, edge_low: float) -> tuple[float, float]:
    """Return weight · edge − total."""
    high, low = multiply(found[WEIGHT], found[WEIGHT + 1], edge, edge_low)
    slack, lost = add_exactly(high, -found[TOTAL])
    return add_exactly(slack, lost + (low - found[TOTAL + 1]))


@njit(cache=True, nogil=True)
def _add_row(found: FloatArray, edge: float, edge_low: float, sign: float, slope: FloatArray, sums: FloatArray) -> None:
    """Add the slack of one row as the worse document, and its square, edge · (slack − total) + squares."""
    slack, slack_low = _slack(found, edge, edge_low)
    accumulate(slope, 0, sign * slack, sign * slack_low)
    accumulate(sums[0], 0, slack, slack_low)
    less, lost = add_exactly(slack, -found[TOTAL])
    high, low = multiply(edge, edge_low, less, lost + (slack_low - found[TOTAL + 1]))
    accumulate(sums[1], 0, high, low)
    accumulate(sums[1], 0, found[SQUARES], found[SQUARES + 1])


@dataclass(frozen=True, eq=False)
class DoubledTotals:
    """Two sums for each margin, and Xᵀ slope.

    The sums are Σ weight · slack and Σ weight · slack². Of the logistic loss they are the loss itself, and how
    sensitive it is to the rounding of the margins.
    """

    sums: tuple[tuple[Fraction, Fraction], ...]
    pulled: tuple[Fraction, ...]

    def __add__(self, other: "DoubledTotals") -> "DoubledTotals":
        return DoubledTotals(
            tuple((a + c, b + d) for (a, b), (c, d) in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.pulled, other.pulled, strict=True)),
        )


def doubled_totals(data: ComparedRows, w: FloatArray, margins: Margins) -> DoubledTotals:
    """Return the sums at ``w``; the slopes of all margins are added up.

    >>> from glassrank.core.groups import group_rows
    >>> data = ComparedRows.of(np.array([[1.0], [0.5]]), np.array([1.0, 0.0]), group_rows(None, 2))
    >>> found = doubled_totals(data, np.array([1.0]), ((1.0, 1.0),))
    >>> found.sums, found.pulled
    (((Fraction(1, 2), Fraction(1, 4)),), (Fraction(-1, 4),))
    """
    n_rows, w = len(data.level), np.ascontiguousarray(w)
    scores, slope = np.zeros((n_rows, 2)), np.zeros((n_rows, 2))
    for rows, X in _dense_blocks(data):
        multiply_rows(X, w, scores[rows])
    ones = np.ones((n_rows, 1))
    own = ones if data.weights.own is None else data.weights.own
    partner = ones if data.weights.partner is None else data.weights.partner
    found = np.zeros((max(1, len(margins)), 2, 2))
    if margins:
        query = np.repeat(np.arange(len(data.n_levels)), np.diff(data.starts))
        ranking = np.lexsort((scores[:, 1], scores[:, 0], query))
        pairs = (data.starts, data.level, data.n_levels, own, partner)
        for (margin, sign), sums in zip(margins, found, strict=True):
            add_slack(*pairs, margin, sign, scores, ranking, slope, sums)
    else:
        add_logistic(data.starts, data.level, own, partner, scores, slope, found[0])
    total = np.zeros((len(w), 2))
    for rows, X in _dense_blocks(data):
        add_rows(X, slope[rows], total)
    sums_of_margin = tuple((_fraction(first), _fraction(second)) for first, second in found)
    return DoubledTotals(sums_of_margin, tuple(map(_fraction, total)))


def _fraction(doubled: FloatArray) -> Fraction:
    return Fraction(float(doubled[0])) + Fraction(float(doubled[1]))


def _dense_blocks(data: ComparedRows) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the rows in blocks that are small enough to be made dense."""
    most_rows = max(1, BLOCK_BYTES // (8 * max(1, data.X.shape[1])))
    for first, end in blocks_of_queries(data.starts, most_rows):
        rows = slice(data.starts[first], data.starts[end])
        X = data.X[rows]
        yield rows, read_only(X.toarray() if sparse.issparse(X) else X)
