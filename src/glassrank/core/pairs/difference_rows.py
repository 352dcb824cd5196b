"""The data of a machine on differences: comparable pairs, their weights and their odd columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from glassrank.core.additive.odd_gaussian_columns import OddMap
from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.core.pairs.pair_sample import PairSample, _documents_with_lower_label, _draw
from glassrank.core.pairs.pair_weights import PairWeights

BLOCK_PAIRS = 4_096
CACHED_BYTES = 256_000_000  # further columns are computed again in every pass, which limits memory


def draw_pairs(y: FloatArray, groups: Groups, max_pairs: int | None, random_state: Any) -> PairSample:
    """Draw up to ``max_pairs`` comparable pairs from all queries, each equally likely; None means all pairs.

    >>> from glassrank.core.groups import group_rows
    >>> y, groups = np.array([1.0, 0.0, 2.0, 0.0, 1.0]), group_rows(["a", "a", "a", "b", "b"], 5)
    >>> pairs = draw_pairs(y, groups, 2, random_state=0)
    >>> len(pairs), pairs.n_comparable.tolist(), bool((y[pairs.better] > y[pairs.worse]).all())
    (2, [3, 1], True)
    """
    sorted_rows = np.lexsort((y, groups.of_row))
    n_worse = _documents_with_lower_label(y[sorted_rows], groups)
    # A pair is found by its number in two searches, as in ``pair_sample``: its better document, then its query.
    ends = np.cumsum(n_worse)
    query_ends = np.append(0, ends)[groups.starts]
    numbers = _draw(int(query_ends[-1]), max_pairs, np.random.default_rng(random_state))
    place = np.searchsorted(ends, numbers, side="right")
    query = np.searchsorted(query_ends, numbers, side="right") - 1
    partner = groups.starts[query] + numbers - (ends[place] - n_worse[place])
    return PairSample(sorted_rows[place], sorted_rows[partner], query, np.diff(query_ends))


def weights_of_pairs(pairs: PairSample, weights: PairWeights, groups: Groups) -> FloatArray:
    """Return the weight of each given pair; ``weights`` has the rows in the order of ``groups``."""
    place = np.empty(groups.n_rows, dtype=np.int64)
    place[groups.order] = np.arange(groups.n_rows)
    return weights.of_pairs(place[pairs.worse], place[pairs.better])


class DifferenceRows:
    """Pairs (better, worse) of rows of ``X`` with their weights, and the odd columns of their differences on demand."""

    def __init__(
        self,
        X: FloatArray,
        pairs: PairSample,
        weights: FloatArray,
        feature_map: OddMap,
        cached_bytes: int = CACHED_BYTES,
    ) -> None:
        self.weights = weights
        self.n_columns = feature_map.n_columns
        self._X, self._pairs, self._map = X, pairs, feature_map
        n_cached = cached_bytes // (8 * max(1, self.n_columns))
        if n_cached < len(pairs):
            n_cached -= n_cached % BLOCK_PAIRS
        self._cached = np.empty((min(n_cached, len(pairs)), self.n_columns))
        for rows in self._slices(len(self._cached)):
            self._cached[rows] = self._compute(np.arange(rows.start, rows.stop))

    def __len__(self) -> int:
        return len(self._pairs)

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the positions and columns of all pairs, block by block."""
        for rows in self._slices(len(self)):
            yield rows, self._columns(np.arange(rows.start, rows.stop), rows)

    def blocks_of(self, places: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the positions and columns of the pairs at ``places``, in ascending order, block by block."""
        for rows in self._slices(len(places)):
            yield places[rows], self._columns(places[rows], places[rows])

    def _columns(self, places: IntArray, cached: Any) -> FloatArray:
        n_cached = int(np.searchsorted(places, len(self._cached)))
        if n_cached == len(places):
            return np.asarray(self._cached[cached])
        computed = self._compute(places[n_cached:])
        return computed if n_cached == 0 else np.concatenate([self._cached[places[:n_cached]], computed])

    def _compute(self, places: IntArray) -> FloatArray:
        return self._map(self._X[self._pairs.better[places]] - self._X[self._pairs.worse[places]])

    @staticmethod
    def _slices(n_pairs: int) -> list[slice]:
        return [slice(first, min(first + BLOCK_PAIRS, n_pairs)) for first in range(0, n_pairs, BLOCK_PAIRS)]
