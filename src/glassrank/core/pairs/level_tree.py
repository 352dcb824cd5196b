"""A Fenwick tree over the label levels of a query: adds a document and sums over lower positions in O(log levels).

A node contains sums over documents: their number and, for each term of the pair weight, Σ weight, Σ weight·value and
Σ weight·value². If every pair has weight 1, the weights are ``None``, and a node contains only count, Σ value and
Σ value²; numba compiles a separate branch for this case.
"""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.kernels import njit

# Sums may be reordered, so that they can be vectorised.
reordering_njit = njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz", "arcp"})


@reordering_njit
def n_terms(partner: FloatArray | None) -> int:
    """Return the number of products that make up the weight of a pair."""
    if partner is None:
        return 1
    else:
        n: int = partner.shape[1]
        return n


@reordering_njit
def new_tree(n_levels: IntArray, partner: FloatArray | None) -> FloatArray:
    """Return memory for the tree of any of these queries."""
    return np.empty((n_levels.max() + 1, 1 + 3 * n_terms(partner)))


@reordering_njit
def add(tree: FloatArray, n_levels: int, position: int, value: float, partner: FloatArray | None, other: int) -> None:
    """Add document ``other`` at a position (0-based) of the tree."""
    node = position + 1
    if partner is None:
        square = value * value
        while node <= n_levels:
            tree[node, 0] += 1.0
            tree[node, 1] += value
            tree[node, 2] += square
            node += node & -node
    else:
        while node <= n_levels:
            tree[node, 0] += 1.0
            for term in range(partner.shape[1]):
                weight = partner[other, term]
                tree[node, 3 * term + 1] += weight
                tree[node, 3 * term + 2] += weight * value
                tree[node, 3 * term + 3] += weight * value * value
            node += node & -node


@reordering_njit
def sum_before(tree: FloatArray, position: int, own: FloatArray | None, row: int) -> tuple[float, float, float, float]:
    """Return count, weight, weighted sum and weighted squares of the partners of ``row`` before a position."""
    count, weight, total, squares = 0.0, 0.0, 0.0, 0.0
    node = position
    if own is None:
        while node > 0:
            count += tree[node, 0]
            total += tree[node, 1]
            squares += tree[node, 2]
            node -= node & -node
        weight = count
    else:
        while node > 0:
            count += tree[node, 0]
            for term in range(own.shape[1]):
                weight += own[row, term] * tree[node, 3 * term + 1]
                total += own[row, term] * tree[node, 3 * term + 2]
                squares += own[row, term] * tree[node, 3 * term + 3]
            node -= node & -node
    return count, weight, total, squares


@reordering_njit
def add_row(
    tree: FloatArray, n_levels: int, position: int, values: FloatArray, partner: FloatArray | None, other: int
) -> None:
    """Add a row of values, multiplied by its weights, at a position of a tree of rows."""
    node = position + 1
    while node <= n_levels:
        for term in range(n_terms(partner)):
            weight = 1.0 if partner is None else partner[other, term]
            for k in range(len(values)):
                tree[node, term, k] += weight * values[k]
        node += node & -node


@reordering_njit
def subtract_before(
    tree: FloatArray, position: int, coefficient: float, own: FloatArray | None, row: int, target: FloatArray
) -> None:
    """Subtract from ``target`` the weighted sum of the rows before a position."""
    node = position
    while node > 0:
        for term in range(n_terms(own)):
            weight = coefficient if own is None else coefficient * own[row, term]
            for k in range(len(target)):
                target[k] -= weight * tree[node, term, k]
        node -= node & -node


@reordering_njit
def pair_weight(own: FloatArray | None, worse: int, partner: FloatArray | None, better: int) -> float:
    """Return the weight of one pair."""
    if own is None:
        return 1.0
    else:
        weight = 0.0
        for term in range(own.shape[1]):
            weight += own[worse, term] * partner[better, term]  # type: ignore[index]  # None only if own is None
        return weight
