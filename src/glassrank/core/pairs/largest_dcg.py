"""The largest DCG of a query whose documents have weights: a document of weight v takes up v ranks."""

from functools import cache

import numpy as np
from scipy.special import expi

from glassrank.core.checks import FloatArray

# Discounts of ranks beyond this are summed by a formula, because weights may add up to any number of ranks.
LISTED_RANKS = 4_096


def largest_dcg(gains: FloatArray, rows: FloatArray) -> float:
    """Return the DCG of the gains in their best order.

    >>> round(largest_dcg(np.array([1.0, 3.0]), np.array([1.0, 2.0])), 6), round(float(3 + 3 / np.log2(3) + 1 / 2), 6)
    (5.392789, 5.392789)
    """
    order = np.argsort(-gains, kind="stable")
    reached = summed_discounts(np.cumsum(rows[order]))
    return float(gains[order] @ np.diff(reached, prepend=0.0))


def summed_discounts(ranks: FloatArray) -> FloatArray:
    """Σ 1/log2(r + 1) over the ranks r up to each of ``ranks``; a fraction of a rank counts in proportion.

    >>> summed_discounts(np.array([1.0, 1.5, 3.0])).round(4).tolist()
    [1.0, 1.3155, 2.1309]
    """
    whole = np.floor(ranks)
    listed = _listed_sums()[np.minimum(whole, LISTED_RANKS).astype(np.int64)]
    return np.asarray(listed + _beyond(np.maximum(whole, LISTED_RANKS)) + (ranks - whole) / np.log2(whole + 2.0))


@cache
def _listed_sums() -> FloatArray:
    return np.append(0.0, np.cumsum(1.0 / np.log2(np.arange(2.0, LISTED_RANKS + 2.0))))


def _beyond(last: FloatArray) -> FloatArray:
    """Σ 1/log2(r + 1) for r from LISTED_RANKS + 1 to ``last``.

    By the Euler–Maclaurin formula: ∫ dr/ln r is Ei(ln r), and the term after the one with 1/12 is below 1e-16.
    """

    def antiderivative(ranks: FloatArray) -> FloatArray:
        log = np.log(ranks + 1.0)
        return np.asarray(expi(log) + 0.5 / log - 1.0 / (12.0 * (ranks + 1.0) * log**2))

    return np.asarray(np.log(2.0) * (antiderivative(last) - antiderivative(np.array(float(LISTED_RANKS)))))
