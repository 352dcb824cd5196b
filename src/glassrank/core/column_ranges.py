"""Minimum, maximum, mean and standard deviation of all columns at once, without a copy of the rows."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from glassrank.core.blocks import even_blocks, for_each
from glassrank.core.checks import FloatArray, IntArray, Matrix, read_only
from glassrank.core.native_threads import one_blas_thread
from glassrank.kernels import njit

ROWS_AT_A_TIME = 64  # partial sums of few rows prevent rounding errors from growing with the number of rows

ROWS_OF_PRODUCT = 4_096  # of a weighted sum of rows
# Squares of values of this size neither overflow nor lose digits.
LEAST, LARGEST = 1e-100, 1e100


class ColumnRanges(NamedTuple):
    """Minimum, maximum and mean of each column; if it contains NaN, the mean is NaN."""

    low: FloatArray
    high: FloatArray
    mean: FloatArray

    @property
    def largest(self) -> FloatArray:
        """Largest absolute value."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def finite(self) -> bool:
        """Whether every value is a finite number."""
        infinite = np.isinf(self.low) | np.isinf(self.high)
        return not bool((infinite | np.isnan(self.mean)).any())


def column_ranges(X: Matrix) -> ColumnRanges:
    """Return the ranges of the columns of a matrix with at least one row.

    >>> low, high, mean = column_ranges(np.array([[1.0, -2.0], [3.0, 0.0]]))
    >>> low.tolist(), high.tolist(), mean.tolist()
    ([1.0, -2.0], [3.0, 0.0], [2.0, -1.0])
    """
    if sparse.issparse(X):
        low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
        return ColumnRanges(low, high, np.asarray(X.mean(axis=0)).ravel())
    rows = read_only(np.ascontiguousarray(X))

    def fold(block: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        low, high, total = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf), np.zeros(X.shape[1])
        _fold_rows(rows, block[0], block[1], low, high, total)
        return low, high, total

    parts = for_each(even_blocks(np.arange(len(rows) + 1)), fold)
    lows, highs, totals = (np.array(part) for part in zip(*parts, strict=True))
    return ColumnRanges(lows.min(axis=0), highs.max(axis=0), totals.sum(axis=0) / len(rows))


@one_blas_thread()
def column_moments(X: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean and standard deviation of each column; the deviation of a constant is 1.

    Both are NaN for a column with missing values, and for one whose values are so large or small that their squares
    are not exact.

    >>> mean, deviation = column_moments(np.array([[1.0, 0.1, np.nan], [3.0, 0.1, 2.0]]), np.ones(2))
    >>> mean.tolist(), deviation.tolist()
    ([2.0, 0.1, nan], [1.0, 1.0, nan])
    """
    ranges, total = column_ranges(X), weights.sum()
    blocks = [slice(first, first + ROWS_OF_PRODUCT) for first in range(0, len(X), ROWS_OF_PRODUCT)]
    sums, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks:
            sums += weights[block] @ X[block]
        mean = sums / total
        for block in blocks:
            away = X[block] - mean
            squares += weights[block] @ (away * away)
        spread = ranges.high - ranges.low
    constant = ranges.low == ranges.high
    exact = constant | ((ranges.largest < LARGEST) & (spread > LEAST))
    exact &= ~np.isnan(ranges.mean)
    found = np.where(constant, ranges.low, mean), np.where(constant, 1.0, np.sqrt(squares / total))
    return np.where(exact, found[0], np.nan), np.where(exact, found[1], np.nan)


@njit(cache=True, nogil=True)
def _fold_rows(X: FloatArray, first: int, end: int, low: FloatArray, high: FloatArray, total: FloatArray) -> None:
    n_columns = X.shape[1]
    part = np.empty(n_columns)
    for start in range(first, end, ROWS_AT_A_TIME):
        part[:] = 0.0
        for row in range(start, min(start + ROWS_AT_A_TIME, end)):
            for k in range(n_columns):
                value = X[row, k]
                part[k] += value
                low[k] = low[k] if low[k] < value else value
                high[k] = high[k] if high[k] > value else value
        for k in range(n_columns):
            total[k] += part[k]
