"""Logistic loss over the comparable pairs of each query.

Unlike the hinge losses, it is never zero and has no sums that a sweep could share, so every pair is visited: O(m²) for
a query with m documents. No list of pairs is stored.
"""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.pairs.level_tree import pair_weight
from glassrank.core.pairs.sweeps import PairData
from glassrank.kernels import njit


@njit(cache=True, nogil=True)
def sweep_logistic(queries: IntArray, data: PairData, z: FloatArray, slope: FloatArray) -> float:
    """Σ weight · log(1 + exp(−(z_j − z_i))) over pairs with y_i < y_j, and its slope in z."""
    loss = 0.0
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        slope[first:end] = 0.0
        # Nested sums, because the rounding error of one long sum would grow with the number of pairs.
        query_loss = 0.0
        for worse in range(first, end):
            row_loss = 0.0
            for better in range(first, end):
                if data.level[better] > data.level[worse]:
                    weight = pair_weight(data.own, worse, data.partner, better)
                    margin = z[better] - z[worse]
                    small = np.exp(-abs(margin))
                    row_loss += weight * (np.log1p(small) + max(-margin, 0.0))
                    wrong = weight * (small if margin > 0 else 1.0) / (1.0 + small)
                    slope[worse] += wrong
                    slope[better] -= wrong
            query_loss += row_loss
        loss += query_loss
    return loss


@njit(cache=True, nogil=True)
def logistic_product(queries: IntArray, data: PairData, z: FloatArray, v: FloatArray, product: FloatArray) -> None:
    """L v, L the Laplacian of the pairs with weights weight · p(1 − p), p the probability of the correct order."""
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        product[first:end] = 0.0
        for worse in range(first, end):
            for better in range(first, end):
                if data.level[better] > data.level[worse]:
                    curvature = _curvature(z[better] - z[worse]) * pair_weight(data.own, worse, data.partner, better)
                    flow = curvature * (v[worse] - v[better])
                    product[worse] += flow
                    product[better] -= flow


@njit(cache=True, nogil=True)
def half_logistic_rows(
    X: FloatArray, queries: IntArray, data: PairData, z: FloatArray, centred: FloatArray, half: FloatArray
) -> None:
    """Fill C, X centred by query, and Y such that CᵀY + YᵀC = Xᵀ L X."""
    offset = data.starts[queries[0]]
    n_features = X.shape[1]
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query] - offset, data.starts[query + 1] - offset
        for k in range(n_features):
            mean = X[first:end, k].mean()
            for row in range(first, end):
                centred[row, k] = X[row, k] - mean
                half[row, k] = 0.0
        for worse in range(first, end):
            for better in range(first, end):
                if data.level[better + offset] > data.level[worse + offset]:
                    weight = pair_weight(data.own, worse + offset, data.partner, better + offset)
                    curvature = weight * _curvature(z[better + offset] - z[worse + offset])
                    # Half of δδᵀ: C_worseᵀ(½C_worse − C_better) + C_betterᵀ(½C_better), symmetrised later.
                    for k in range(n_features):
                        half[worse, k] += curvature * (0.5 * centred[worse, k] - centred[better, k])
                        half[better, k] += 0.5 * curvature * centred[better, k]


@njit(inline="always", cache=True, nogil=True)
def _curvature(margin: float) -> float:
    small: float = np.exp(-abs(margin))
    return small / (1.0 + small) ** 2
