"""Bins for counts per query, such as documents: of equal width or, if some counts are far larger, of growing width."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from glassrank.core.checks import IntArray

MOST = 7
FAR = 10  # times the median: beyond it, bins of equal width would put nearly all queries into the first
STEPS = (1, 2, 5)


@dataclass(frozen=True)
class CountBin:
    """How many queries have from ``low`` to ``high`` of something."""

    low: int
    high: int
    n_queries: int

    @property
    def label(self) -> str:
        """The range in words."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


def bin_counts(counts: IntArray) -> tuple[CountBin, ...]:
    """Put counts into at most seven bins with round limits.

    >>> [(one.label, one.n_queries) for one in bin_counts(np.array([8, 9, 12, 15, 31]))]
    [('5–9', 2), ('10–14', 1), ('15–19', 1), ('20–24', 0), ('25–29', 0), ('30–34', 1)]
    >>> [one.label for one in bin_counts(np.array([3, 4, 5, 900]))]
    ['1–9', '10–99', '100–999']
    """
    if not len(counts):
        return ()
    low, high = int(counts.min()), int(counts.max())
    edges = _growing_edges(low, high) if high > FAR * max(1.0, float(np.median(counts))) else _even_edges(low, high)
    found = np.histogram(counts, bins=edges)[0]
    return tuple(CountBin(a, b - 1, int(n)) for (a, b), n in zip(pairwise(edges), found, strict=True))


def limits_of(bins: Sequence[CountBin]) -> list[int]:
    """Return where each bin begins, and where the next one after the last would.

    >>> limits_of([CountBin(0, 9, 4), CountBin(10, 19, 2)])
    [0, 10, 20]
    """
    return [*(one.low for one in bins), *(one.high + 1 for one in bins[-1:])]


def _even_edges(low: int, high: int) -> list[int]:
    """Return the edges of bins whose width is the smallest of 1, 2, 5, 10, … that gives few enough."""
    for width in (step * 10**power for power in range(20) for step in STEPS):
        first, last = low // width, high // width
        if last - first < MOST:
            return [width * place for place in range(first, last + 2)]
    return [low, high + 1]


def _growing_edges(low: int, high: int) -> list[int]:
    """Return the edges 1, 2, 5, 10, … around the counts, or only the powers of ten if these are too many."""
    fine = _edges_around(low, high, STEPS)
    return fine if len(fine) <= MOST + 1 else _edges_around(low, high, (1,))


def _edges_around(low: int, high: int, steps: tuple[int, ...]) -> list[int]:
    edges = [0, *(step * 10**power for power in range(20) for step in steps)]
    first = max(place for place, edge in enumerate(edges) if edge <= low)
    last = min(place for place, edge in enumerate(edges) if edge > high)
    return edges[first : last + 1]
