"""Two matrices of rows whose product gives the Hessian of a sum over pairs."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.pairs.level_tree import add_row, n_terms, reordering_njit, subtract_before
from glassrank.core.pairs.sweeps import PairData, Sweep


@reordering_njit
def half_laplacian_rows(
    X: FloatArray,
    queries: IntArray,
    data: PairData,
    coefficients: FloatArray,
    sweep: Sweep,
    centred: FloatArray,
    half: FloatArray,
) -> None:
    """Fill C, X centred by query, and Y = Σ_e coefficient_e (½ degree · C − Σ weight · C over the better partners).

    CᵀY + YᵀC = Xᵀ L X, so that one matrix product gives the Hessian. X, ``centred`` and ``half`` contain only the rows
    of these queries. Centring changes nothing, because L sums to zero over a query, and preserves the precision of
    features with a large offset.
    """
    tree = np.empty((data.n_levels.max() + 1, n_terms(data.partner), X.shape[1]))
    offset = data.starts[queries[0]]
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _centre_rows(X, first - offset, end - offset, centred)
        half[first - offset : end - offset] = 0.0
        if data.n_levels[query] > 1:
            for e in range(len(coefficients)):
                _add_half_rows(query, data, coefficients[e], sweep, e, offset, centred, half, tree)


@reordering_njit
def _add_half_rows(
    query: int,
    data: PairData,
    coefficient: float,
    sweep: Sweep,
    e: int,
    offset: int,
    centred: FloatArray,
    half: FloatArray,
    tree: FloatArray,
) -> None:
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = first
    for r in range(first, end):
        row = sweep.ranking[r]
        while pointer < sweep.reach[e, r]:
            other = sweep.ranking[pointer]
            add_row(tree, n_levels, n_levels - 1 - data.level[other], centred[other - offset], data.partner, other)
            pointer += 1
        target = half[row - offset]
        share = 0.5 * coefficient * sweep.degree[e, row]
        for k in range(len(target)):
            target[k] += share * centred[row - offset, k]
        subtract_before(tree, n_levels - 1 - data.level[row], coefficient, data.own, row, target)


@reordering_njit
def _centre_rows(X: FloatArray, first: int, end: int, centred: FloatArray) -> None:
    """Subtract the mean row of a query."""
    mean = np.zeros(X.shape[1])
    for row in range(first, end):
        for k in range(X.shape[1]):
            mean[k] += X[row, k]
    mean /= end - first
    for row in range(first, end):
        for k in range(X.shape[1]):
            centred[row, k] = X[row, k] - mean[k]
