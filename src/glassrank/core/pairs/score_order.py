"""The documents of a query in the order of their scores, and scores about the middle one."""

import numpy as np
from numba import njit

from glassrank.core.checks import FloatArray, IntArray

MOVES_PER_ROW = 8  # more than these, and sorting anew is cheaper than insertion


@njit(cache=True, nogil=True)
def sort_rows(first: int, end: int, z: FloatArray, ranking: IntArray) -> None:
    """Sort a query's rows by score, starting from the last ranking: insertion while nearly sorted, else anew."""
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
    """Subtract the value of the query's middle document, so that sums lose no digits; pairs see differences only.

    Unlike the mean it is not dragged away by one far document, and it rounds nothing off values that are whole.
    """
    middle = values[ranking[(first + end) // 2]]
    for row in range(first, end):
        values[row] -= middle
