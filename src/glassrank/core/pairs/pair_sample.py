"""Comparable pairs of each query: all of them, or a random sample that does not enumerate the others.

Sort a query's documents by label. The document at place p is better than the b_p documents before the first one with
the same label, so pairs can be numbered: b_0 + … + b_{p−1} + j is the pair of p and the document at place j < b_p. A
sample of pairs is a sample of numbers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups


@dataclass(frozen=True, eq=False)
class PairSample:
    """Pairs of rows of one query with different labels, query by query."""

    better: IntArray
    """Row of the document with the higher label."""
    worse: IntArray
    """Row of the document with the lower label."""
    query: IntArray
    """Index of the pair's query."""
    n_comparable: IntArray
    """Number of comparable pairs of each query from which pairs were drawn, sampled or not."""

    def __len__(self) -> int:
        return len(self.better)


def sample_pairs(y: FloatArray, groups: Groups, max_pairs: int | None = None, random_state: Any = None) -> PairSample:
    """Draw up to ``max_pairs`` comparable pairs of each query without replacement; None means all pairs.

    Every comparable pair of a query is equally likely.

    >>> from glassrank.core.groups import group_rows
    >>> pairs = sample_pairs(np.array([1.0, 0.0, 2.0, 0.0]), group_rows(["a", "a", "a", "b"], 4))
    >>> list(zip(pairs.better.tolist(), pairs.worse.tolist())), pairs.n_comparable.tolist()
    ([(0, 1), (2, 1), (2, 0)], [3, 0])
    >>> len(sample_pairs(np.arange(5000.0), group_rows(None, 5000), 100, random_state=0))
    100
    """
    numbered = NumberedPairs.of(y, groups)
    return numbered.draw(np.arange(groups.n_queries), max_pairs, np.random.default_rng(random_state))


@dataclass(frozen=True, eq=False)
class NumberedPairs:
    """The comparable pairs of all queries, numbered but not listed, from which several samples can be drawn."""

    starts: IntArray
    """Place of each query's first document."""
    sorted_rows: IntArray
    """Row at each place, sorted by query and label."""
    n_worse: IntArray
    """Number of documents of the query that are worse than the one at each place."""
    ends: IntArray
    """Sum of these numbers up to each place. It continues from query to query, so that one search finds all pairs."""

    @classmethod
    def of(cls, y: FloatArray, groups: Groups) -> "NumberedPairs":
        """Sort the documents of each query by label."""
        sorted_rows = np.lexsort((y, groups.of_row))
        n_worse = _documents_with_lower_label(y[sorted_rows], groups)
        return cls(groups.starts, sorted_rows, n_worse, np.cumsum(n_worse))

    def draw(self, queries: IntArray, max_pairs: int | None, rng: np.random.Generator) -> PairSample:
        """Draw up to ``max_pairs`` pairs of each of these queries, as in ``sample_pairs``."""
        query_ends = np.append(0, self.ends)[self.starts]
        n_comparable = np.diff(query_ends)[queries]
        drawn = [first + _draw(n, max_pairs, rng) for first, n in zip(query_ends[queries], n_comparable, strict=True)]
        numbers = np.concatenate([np.zeros(0, dtype=np.int64), *drawn])
        query = np.repeat(queries, [len(part) for part in drawn])
        place = np.searchsorted(self.ends, numbers, side="right")
        partner = self.starts[query] + numbers - (self.ends[place] - self.n_worse[place])
        return PairSample(self.sorted_rows[place], self.sorted_rows[partner], query, n_comparable)


def _documents_with_lower_label(labels: FloatArray, groups: Groups) -> IntArray:
    """Return, for rows sorted by query and label, how many rows of the same query have a lower label."""
    places = np.arange(len(labels))
    starts = np.repeat(groups.starts[:-1], groups.sizes)
    first_of_label = np.append(True, labels[1:] != labels[:-1])[: len(labels)] | (places == starts)
    return np.maximum.accumulate(np.where(first_of_label, places, 0)) - starts


def _draw(n: int, size: int | None, rng: np.random.Generator) -> IntArray:
    """Draw ``size`` distinct whole numbers below n, in ascending order; all of them if ``size`` is at least n."""
    if size is None or size >= n:
        return np.arange(n)
    if 2 * size > n:
        return np.sort(rng.permutation(n)[:size])
    numbers = _distinct(rng.integers(n, size=size))
    # Duplicates are replaced until all numbers differ, which is fast because at most half of n is drawn.
    while len(numbers) < size:
        numbers = _distinct(np.concatenate([numbers, rng.integers(n, size=size - len(numbers))]))
    return numbers


def _distinct(numbers: IntArray) -> IntArray:
    """Return the distinct numbers in ascending order; for few numbers, np.unique would take several times as long."""
    numbers.sort()
    new = np.empty(len(numbers), dtype=bool)
    new[0] = True
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    return numbers[new]
