"""Distribution of the anchor texts of a target, whatever the query."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.kernels import njit
from glassrank.navigational.features.anchor_texts import AnchorScope
from glassrank.navigational.features.word_coverage import divide


def shape_of_texts(scope: AnchorScope, tie: float) -> dict[str, FloatArray]:
    """Features of all targets that do not depend on the query."""
    starts, shares = scope.weights.indptr.astype(np.int64), scope.shares
    types = np.diff(starts)
    owner = np.repeat(np.arange(len(types)), types)
    entropy = np.where(types > 0, np.bincount(owner, -shares * np.log(shares), len(types)), np.nan)
    top, gap, median = (np.full(len(types), np.nan) for _ in range(3))
    _order_shares(starts, shares[np.lexsort((-shares, owner))], 0.5 - tie, top, gap, median)
    return {
        "mass": np.log(1.0 + scope.mass),
        "types": np.log(1.0 + types),
        "H": entropy,
        "Hn": np.where(types == 1, 0.0, divide(entropy, np.log(np.maximum(types, 1)))),
        "top1": top,
        "gap": gap,
        "medrank": median,
    }


@njit(cache=True, nogil=True)
def _order_shares(
    starts: IntArray, shares: FloatArray, half: float, top: FloatArray, gap: FloatArray, median: FloatArray
) -> None:
    """Largest share, its lead over the second, and how many of the largest make up half, row by row."""
    for row in range(len(starts) - 1):
        begin, end = starts[row], starts[row + 1]
        if begin == end:
            continue
        top[row] = shares[begin]
        gap[row] = shares[begin] - (shares[begin + 1] if end - begin > 1 else 0.0)
        total, place = 0.0, begin
        while place < end and total < half:
            total += shares[place]
            place += 1
        median[row] = place - begin
