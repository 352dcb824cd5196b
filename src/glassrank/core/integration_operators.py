"""Operators that integrate the values of a result list into values of its query.

Each query is processed separately, in the order of ranks, so that results are bitwise equal on any number of cores.
"""

import math
from collections.abc import Sequence

import numpy as np

from glassrank.core.blocks import even_blocks, for_each
from glassrank.core.checks import DataError, FloatArray, IntArray, check_length, read_only
from glassrank.kernels import njit

POSITIONS = (1, 2, 3, 4, 5)
RATIO_RANKS = (2, 5, 10, 20)
OPERATORS = (
    *("mean", "median", "max", "min", "entropy", "std"),
    *(f"p{rank}" for rank in POSITIONS),
    *(f"r{rank}" for rank in RATIO_RANKS),
)
N_SUMMARIES = len(OPERATORS) - len(POSITIONS) - len(RATIO_RANKS)
# Beyond these, a sum of squares could overflow or underflow, so a list is scaled by its largest value.
LARGE, SMALL = 2.0**400, 2.0**-400
# Equal values may differ by rounding (cosines by 1e-16), from which r_k would make an arbitrary number from 0 to 1.
ROUNDING = 1e-12


def integrate_lists(
    X: FloatArray, rank: IntArray, order: IntArray, starts: IntArray, names: Sequence[str] | None = None
) -> FloatArray:
    """Apply the fifteen operators to each column of each list; return queries × columns × operators, NaN = missing.

    Rows ``order[starts[q]:starts[q + 1]]`` of X are the list of query q by rank. Over the values f that are not NaN:
    mean, median, max, min, entropy −Σ p ln p with p_i ∝ f_i − min(0, min f) (0 if all are zero), standard deviation
    √(Σ (f_i − mean)² / n); f_k at ranks k = 1 … 5; and r_k = (max f − f_k) / (max f − min f) at k = 2, 5, 10, 20 (Lu,
    Peng, Li and Ahmed 2006, equation 1), which is 0 if max f − min f ≤ 1e-12 max |f|: values equal to twelve digits
    count as equal.

    >>> found = integrate_lists(
    ...     np.array([[3.0], [1.0], [2.0]]), np.array([1, 2, 3]), np.array([0, 1, 2]), np.array([0, 3])
    ... )
    >>> dict(zip(OPERATORS, found[0, 0].round(2).tolist(), strict=True))["r2"], found[0, 0, :4].tolist()
    (1.0, [2.0, 2.0, 3.0, 1.0])
    """
    check_length("rank", rank, len(X))
    values = _readable(X)
    found = np.full((len(starts) - 1, X.shape[1], len(OPERATORS)), np.nan)

    def work(block: IntArray) -> int:
        return int(_integrate_queries(values, rank, order, starts, block[0], block[1], found))

    for query in for_each(even_blocks(starts, X.shape[1]), work):
        if query >= 0:
            _refuse_infinity(X, order[starts[query] : starts[query + 1]], names)
    return found


def _readable(X: FloatArray) -> FloatArray:
    """Return a read-only float64 array that is contiguous by rows or columns, copied only if necessary."""
    values = np.asarray(X, dtype=np.float64)
    if not (values.flags.c_contiguous or values.flags.f_contiguous):
        values = np.asfortranarray(values)
    return read_only(values)


def _refuse_infinity(X: FloatArray, rows: IntArray, names: Sequence[str] | None) -> None:
    place, column = np.argwhere(np.isinf(X[rows]))[0]
    row = int(rows[place])
    which = f"column {column}" if names is None else f"feature {names[column]!r}"
    raise DataError(
        f"X must contain finite numbers, or NaN for missing values: got {X[row, column]} at row {row}, {which}.",
        parameter="X",
        remedy="Correct it, or set it to NaN.",
    )


@njit(cache=True, nogil=True)
def _integrate_queries(
    X: FloatArray, rank: IntArray, order: IntArray, starts: IntArray, first: int, end: int, found: FloatArray
) -> int:
    """Process a block of queries; return the first query with an infinite value, or −1."""
    longest = 0
    for query in range(first, end):
        longest = max(longest, starts[query + 1] - starts[query])
    values = np.empty(longest)
    at_position = np.empty(len(POSITIONS), np.int64)
    at_ratio = np.empty(len(RATIO_RANKS), np.int64)
    for query in range(first, end):
        rows = order[starts[query] : starts[query + 1]]
        _find_ranks(rank, rows, POSITIONS, at_position)
        _find_ranks(rank, rows, RATIO_RANKS, at_ratio)
        for column in range(X.shape[1]):
            target = found[query, column]
            for place in range(len(POSITIONS)):
                if at_position[place] >= 0:
                    target[N_SUMMARIES + place] = X[at_position[place], column]
            n, low, high = _gather(X, column, rows, values)
            if math.isinf(low) or math.isinf(high):
                if n > 0:
                    return query
            elif low == high:
                _summarise_equal(n, low, target)
                _take_ratios(X, column, at_ratio, low, high, 0, target)
            else:
                shift = _summarise(values[:n], low, high, target)
                _take_ratios(X, column, at_ratio, low, high, shift, target)
    return -1


@njit(cache=True, nogil=True)
def _find_ranks(rank: IntArray, rows: IntArray, wanted: tuple[int, ...], found: IntArray) -> None:
    """Find the row of each wanted rank in a list, −1 if there is none."""
    found[:] = -1
    for row in rows:
        for place in range(len(wanted)):
            if rank[row] == wanted[place]:
                found[place] = row


@njit(cache=True, nogil=True)
def _gather(X: FloatArray, column: int, rows: IntArray, values: FloatArray) -> tuple[int, float, float]:
    """Collect the known values of a list; return their number, minimum and maximum."""
    n, low, high = 0, np.inf, -np.inf
    for row in rows:
        value = X[row, column]
        values[n] = value
        # NaN is not equal to itself, so the next value overwrites it.
        n += value == value
        low = value if value < low else low
        high = value if value > high else high
    return n, low, high


@njit(cache=True, nogil=True)
def _summarise_equal(n: int, value: float, target: FloatArray) -> None:
    """Summarise equal values exactly; sums would leave a rounding error that looks like a difference."""
    target[0] = target[1] = target[2] = target[3] = value
    target[4] = math.log(n) if value > 0.0 else 0.0
    target[5] = 0.0


@njit(cache=True, nogil=True)
def _summarise(values: FloatArray, low: float, high: float, target: FloatArray) -> int:
    """Summarise values that differ; return the exponent of the power of two by which they were scaled."""
    size = max(abs(low), abs(high))
    target[1] = _median(values, size > LARGE)
    target[2], target[3] = high, low
    shift = 0
    if size > LARGE or size < SMALL:
        shift = math.frexp(size)[1]
        for i in range(len(values)):
            values[i] = math.ldexp(values[i], -shift)
    mean = 0.0
    for value in values:
        mean += value
    mean /= len(values)
    squares = 0.0
    for value in values:
        squares += (value - mean) * (value - mean)
    target[0] = min(max(math.ldexp(mean, shift), low), high)
    target[4] = _entropy(values, min(0.0, math.ldexp(low, -shift)))
    target[5] = math.ldexp(math.sqrt(squares / len(values)), shift)
    return shift


@njit(cache=True, nogil=True)
def _entropy(values: FloatArray, floor: float) -> float:
    total = 0.0
    for value in values:
        total += value - floor
    entropy = 0.0
    for value in values:
        if value > floor:
            share = (value - floor) / total
            if share > 0.0:
                entropy -= share * math.log(share)
    return entropy


@njit(cache=True, nogil=True)
def _median(values: FloatArray, large: bool) -> float:
    """Return the median, by Hoare's selection algorithm."""
    middle = len(values) // 2
    left, right = 0, len(values) - 1
    while left < right:
        pivot = values[middle]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if j < middle:
            left = i
        if middle < i:
            right = j
    upper: float = values[middle]
    if len(values) % 2 == 1:
        return upper
    lower: float = values[0]
    for i in range(1, middle):
        lower = max(lower, values[i])
    return 0.5 * lower + 0.5 * upper if large else 0.5 * (lower + upper)


@njit(cache=True, nogil=True)
def _take_ratios(
    X: FloatArray, column: int, at_ratio: IntArray, low: float, high: float, shift: int, target: FloatArray
) -> None:
    first = N_SUMMARIES + len(POSITIONS)
    low, high = math.ldexp(low, -shift), math.ldexp(high, -shift)
    are_equal = high - low <= ROUNDING * max(abs(low), abs(high))
    for place in range(len(at_ratio)):
        if at_ratio[place] >= 0:
            value = math.ldexp(X[at_ratio[place], column], -shift)
            if value == value:
                target[first + place] = 0.0 if are_equal else (high - value) / (high - low)
