"""Statistics over queries by resampling: bootstrap, randomisation test, Holm's correction, detectable difference.

Rows are queries and columns are systems or differences, so that one matrix product handles all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from glassrank.core.checks import FloatArray

# Resamples are drawn in blocks of at most this many numbers (2 MB), which fit into a processor's cache.
MAX_BLOCK_SIZE = 2**18
POWER = 0.8


def bootstrap_means(values: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Column means of ``n_resamples`` bootstrap samples of the rows, the same samples for all columns."""
    n_queries, n_systems = values.shape
    means = np.empty((n_resamples, n_systems))
    for first, end in _blocks(n_resamples, n_queries):
        drawn = rng.integers(0, n_queries, size=(end - first, n_queries))
        cell = drawn + n_queries * np.arange(end - first)[:, None]
        counts = np.bincount(cell.ravel(), minlength=cell.size).reshape(cell.shape)
        means[first:end] = counts @ values / n_queries
    return means


def percentile_interval(samples: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper end of each column's central interval that contains a share ``confidence`` of the samples."""
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(samples, [tail, 1.0 - tail], axis=0)
    return low, high


def is_exact(n_queries: int, n_resamples: int) -> bool:
    """Whether all 2^n sign patterns are enumerated, because they are no more than ``n_resamples``."""
    return n_queries < 63 and 2**n_queries <= n_resamples


def smallest_p_value(n_queries: int, n_resamples: int) -> float:
    """Smallest p-value that the randomisation test can give: 2/2^n if exact, 1/(B + 1) if B patterns are drawn."""
    return 2.0 / 2**n_queries if is_exact(n_queries, n_resamples) else 1.0 / (n_resamples + 1)


@dataclass(frozen=True, eq=False)
class ShiftTest:
    """A test of every shift δ of some differences at once: p(δ) = min(#{low ≤ δ}, #{high ≥ δ})/total, at most 1.

    p rises up to the observed difference and falls beyond it, so the shifts that are not rejected are an interval. The
    p-value is p(0), so that it is below a level if and only if the interval at this level excludes 0.
    """

    low: FloatArray
    """Patterns × differences, each column sorted, as is ``high``."""
    high: FloatArray
    total: float

    def p_values(self) -> FloatArray:
        """p(0) of each difference."""
        counts = np.minimum((self.low <= 0.0).sum(axis=0), (self.high >= 0.0).sum(axis=0))
        return np.asarray(np.minimum(counts / self.total, 1.0))

    def interval(self, column: int, level: float) -> tuple[float, float] | None:
        """Smallest and largest shift with p ≥ ``level``; None if no shift can be rejected at this level."""
        least = int(np.argmax(np.arange(1, len(self.low) + 1) / self.total >= level))
        low, high = float(self.low[least, column]), float(self.high[-1 - least, column])
        return (low, high) if np.isfinite([low, high]).all() else None


def randomisation_test(differences: FloatArray, n_resamples: int, rng: np.random.Generator) -> ShiftTest:
    """Two-sided paired randomisation test of the mean difference, for each column.

    If the mean is δ, the sign of each query's d − δ is random. p(δ) is the share of sign patterns with
    |Σ ± (d − δ)| ≥ |Σ (d − δ)|, over all 2^n patterns if they are at most ``n_resamples``. Otherwise it is
    (b + 1)/(B + 1) if b of B = ``n_resamples`` random patterns are as extreme. The inequality says that the sums of
    d − δ over the flipped queries and over the others do not have the same sign: δ lies between the mean of d over the
    flipped queries and that over the others. One pass over the patterns thus tests every δ.
    """
    n_queries = len(differences)
    # Column by column, so that no sum depends on the other columns, even in rounding.
    columns = np.ascontiguousarray(differences.T)
    # Sums of the same numbers in different orders differ by rounding errors and must count as equal.
    rounding = 0.5e-10 * np.abs(columns).sum(axis=1)
    exact = is_exact(n_queries, n_resamples)
    n_patterns = 2**n_queries if exact else n_resamples
    # A pattern that flips nothing is the observation itself, which random patterns may not contain: it is added.
    low = np.full((n_patterns + (not exact), len(columns)), -np.inf)
    high = np.full_like(low, np.inf)
    for first, end in _blocks(n_patterns, n_queries):
        flips = _patterns(first, end, n_queries) if exact else _random_patterns(end - first, n_queries, rng)
        n_flipped = flips.sum(axis=1)
        own = np.flatnonzero((n_flipped > 0) & (n_flipped < n_queries))
        flips, n_flipped = flips[own], n_flipped[own]
        for place, column in enumerate(columns):
            flipped = _without_rounding(flips @ column, rounding[place])
            others = _without_rounding(column.sum() - flipped, rounding[place])
            means = flipped / n_flipped, others / (n_queries - n_flipped)
            low[first + own, place], high[first + own, place] = np.minimum(*means), np.maximum(*means)
    return ShiftTest(np.sort(low, axis=0), np.sort(high, axis=0), float(len(low)))


def _without_rounding(sums: FloatArray, rounding: float) -> FloatArray:
    return np.where(np.abs(sums) <= rounding, 0.0, sums)


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's adjusted p-values: the i-th smallest of m becomes (m − i + 1) p, at least its predecessors, at most 1.

    >>> holm(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted


def holm_levels(p_values: FloatArray, alpha: float) -> FloatArray:
    """Level at which Holm's method judges each of m p-values: α/(m − i) if i others are smaller.

    The method stops at the first p-value that is not below its level. All larger ones are then not significant either,
    whatever they are: that level is theirs too. A p-value is significant if and only if it is below its level.

    >>> [round(level, 6) for level in holm_levels(np.array([0.04, 0.01, 0.03]), 0.06).tolist()]
    [0.03, 0.02, 0.03]
    """
    ordered = np.sort(p_values)
    levels = alpha / (len(ordered) - np.searchsorted(ordered, ordered))
    stopped = np.flatnonzero(ordered >= levels)
    if len(stopped):
        levels[stopped[0] :] = levels[stopped[0]]
    return np.asarray(levels[np.searchsorted(ordered, p_values)])


def detectable_difference(differences: FloatArray, alpha: float | FloatArray) -> FloatArray:
    """Smallest mean difference that a two-sided paired test at ``alpha`` detects with 80 % power, for each column.

    (t(1 − α/2) + t(0.8)) · s/√n, where t are the quantiles of Student's distribution with n − 1 degrees of freedom and
    s is the standard deviation of the paired differences. Except for very few queries, the randomisation test has the
    same power as the paired t-test.
    """
    n_queries = len(differences)
    quantiles = stdtrit(n_queries - 1, 1.0 - alpha / 2.0) + stdtrit(n_queries - 1, POWER)
    spread = np.ascontiguousarray(differences.T).std(axis=1, ddof=1)
    return np.asarray(quantiles * spread / np.sqrt(n_queries))


def _blocks(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows whose blocks do not exceed the maximum size."""
    height = max(MAX_BLOCK_SIZE // n_columns, 1)
    for first in range(0, n_rows, height):
        yield first, min(first + height, n_rows)


def _patterns(first: int, end: int, n_queries: int) -> FloatArray:
    """Return 1 for each flipped sign in the patterns ``first`` to ``end`` of all 2^n."""
    numbers = np.arange(first, end)[:, None]
    return ((numbers >> np.arange(n_queries)) & 1).astype(np.float64)


def _random_patterns(n_patterns: int, n_queries: int, rng: np.random.Generator) -> FloatArray:
    """Return 1 for each flipped sign in random patterns; each sign is one random bit."""
    n_bytes = -(-n_queries // 8)
    drawn = rng.integers(0, 256, size=(n_patterns, n_bytes), dtype=np.uint8)
    return np.unpackbits(drawn, axis=1, count=n_queries).astype(np.float64)
