"""Statistics over queries by resampling: bootstrap, randomisation test, Holm's correction, detectable difference.

Rows are queries and columns are systems or differences, so that one matrix product handles all of them.
"""

from collections.abc import Iterator

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


def randomisation_test(differences: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Two-sided p-value of the paired randomisation test of a mean difference of 0, for each column.

    Under the null hypothesis, the sign of each query's difference d is random. The p-value is the share of sign
    patterns with |Σ ± d| ≥ |Σ d|, over all 2^n patterns if they are at most ``n_resamples``. Otherwise it is
    (b + 1)/(B + 1) if b of B = ``n_resamples`` random patterns are as extreme.
    """
    n_queries = len(differences)
    observed = differences.sum(axis=0)
    # Sums of the same numbers in different orders differ by rounding errors and must count as equal.
    threshold = np.abs(observed) - 1e-10 * np.abs(differences).sum(axis=0)
    exact = is_exact(n_queries, n_resamples)
    n_patterns = 2**n_queries if exact else n_resamples
    as_extreme = np.zeros(differences.shape[1], dtype=np.int64)
    for first, end in _blocks(n_patterns, n_queries):
        flipped = _patterns(first, end, n_queries) if exact else _random_patterns(end - first, n_queries, rng)
        as_extreme += (np.abs(observed - 2.0 * (flipped @ differences)) >= threshold).sum(axis=0)
    return as_extreme / n_patterns if exact else (as_extreme + 1.0) / (n_patterns + 1.0)


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


def detectable_difference(differences: FloatArray, alpha: float) -> FloatArray:
    """Smallest mean difference that a two-sided paired test at ``alpha`` detects with 80 % power, for each column.

    (t(1 − α/2) + t(0.8)) · s/√n, where t are the quantiles of Student's distribution with n − 1 degrees of freedom and
    s is the standard deviation of the paired differences. Except for very few queries, the randomisation test has the
    same power as the paired t-test.
    """
    n_queries = len(differences)
    quantiles = stdtrit(n_queries - 1, 1.0 - alpha / 2.0) + stdtrit(n_queries - 1, POWER)
    return np.asarray(quantiles * differences.std(axis=0, ddof=1) / np.sqrt(n_queries))


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
