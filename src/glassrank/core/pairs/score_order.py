"""Sorting the documents of a query by score, and centring the scores."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.kernels import njit

MOVES_PER_ROW = 8  # with more moves than this, a full sort is cheaper than insertion


@njit(cache=True, nogil=True)
def sort_rows(first: int, end: int, z: FloatArray, ranking: IntArray) -> None:
    """Sort a query's rows by score, starting from the last ranking: by insertion, or fully if far from sorted."""
    moves_left = MOVES_PER_ROW * (end - first)
    for r in range(first + 1, end):
        row = ranking[r]
        score = z[row]
        hole = r
        while hole > first and z[ranking[hole - 1]] > score:
            ranking[hole] = ranking[hole - 1]
            hole -= 1
        ranking[hole] = row
        moves_left -= r - hole
        if moves_left < 0:
            ranking[first:end] = first + np.argsort(z[first:end])
            return


@njit(cache=True, nogil=True)
def centre(first: int, end: int, values: FloatArray, ranking: IntArray) -> None:
    """Subtract the median from a query's values, so that sums lose no precision; pairs depend on differences only.

    Unlike the mean, the median is not affected by outliers, and subtracting it is exact for whole numbers.
    """
    middle = values[ranking[(first + end) // 2]]
    for row in range(first, end):
        values[row] -= middle
