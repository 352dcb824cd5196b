"""The data of a pair loss: rows sorted by query, label levels and pair weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray, Matrix, read_only
from glassrank.core.column_ranges import column_ranges
from glassrank.core.groups import Groups
from glassrank.core.pairs.label_levels import LabelLevels, label_levels
from glassrank.core.pairs.pair_weights import PairWeights, join_weights, weigh_pairs


@dataclass(frozen=True, eq=False)
class PairSizes:
    """Number and size of the rows and pairs of a loss; the sizes of different queries can be added."""

    n_rows: int
    n_queries: int
    longest: int
    """Number of rows of the longest query."""
    n_pairs: int
    """Number of comparable pairs."""
    total: float
    """Sum of the pair weights."""
    magnitude: float
    """The same sum of absolute terms, to which rounding is proportional."""
    weighted: bool
    """Whether pairs have weights other than 1."""
    largest: FloatArray
    """Largest absolute value of each column."""

    def __add__(self, other: "PairSizes") -> "PairSizes":
        return PairSizes(
            self.n_rows + other.n_rows,
            self.n_queries + other.n_queries,
            max(self.longest, other.longest),
            self.n_pairs + other.n_pairs,
            self.total + other.total,
            self.magnitude + other.magnitude,
            self.weighted or other.weighted,
            np.maximum(self.largest, other.largest),
        )


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows sorted by query; ``level`` numbers the distinct labels of each query from 0 in ascending order."""

    X: Matrix
    starts: IntArray
    level: IntArray
    n_levels: IntArray
    pairs_per_query: IntArray
    weights: PairWeights
    known_largest: FloatArray | None = None
    """Largest absolute value of each column, if the rows were looked at before."""

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: FloatArray,
        groups: Groups,
        weights: PairWeights | None = None,
        labels: LabelLevels | None = None,
        largest: FloatArray | None = None,
    ) -> "ComparedRows":
        """Sort the rows by query if necessary, and encode the labels unless ``labels`` are given.

        Without ``weights``, all pairs have weight 1.
        """
        rows = X if groups.adjacent else X[groups.order]
        if not sparse.issparse(rows):
            # Read-only, so that numba compiles only one signature.
            rows = read_only(np.ascontiguousarray(rows))
        labels = label_levels(y, groups) if labels is None else labels
        weights = weigh_pairs("uniform", y, groups, labels=labels) if weights is None else weights
        return cls(rows, groups.starts, labels.level, labels.n_levels, labels.n_pairs, weights, largest)

    @cached_property
    def largest(self) -> FloatArray:
        """Largest absolute value of each column."""
        return column_ranges(self.X).largest if self.known_largest is None else self.known_largest

    @property
    def sizes(self) -> PairSizes:
        """Number and size of the rows and pairs."""
        weights, longest = self.weights, int(np.diff(self.starts).max(initial=0))
        counts = (len(self.level), len(self.n_levels), longest, self.n_pairs)
        magnitude = float(weights.magnitudes.sum())
        return PairSizes(*counts, weights.total, magnitude, weights.own is not None, self.largest)

    @property
    def n_pairs(self) -> int:
        """Number of comparable pairs: same query, different labels."""
        return int(self.pairs_per_query.sum())

    def with_rows(self, X: Matrix) -> "ComparedRows":
        """Return the same pairs with the features ``X``, which has the same rows."""
        rows = X if sparse.issparse(X) else read_only(np.ascontiguousarray(X))
        return replace(self, X=rows, known_largest=None)

    def pick_queries(self, queries: IntArray) -> "ComparedRows":
        """Return the data of some of the queries."""
        sizes = np.diff(self.starts)[queries]
        starts = np.append(0, np.cumsum(sizes))
        rows = np.repeat(self.starts[queries] - starts[:-1], sizes) + np.arange(starts[-1])
        X = self.X[rows] if sparse.issparse(self.X) else read_only(self.X[rows])
        weights = self.weights.pick(rows, queries)
        return ComparedRows(X, starts, self.level[rows], self.n_levels[queries], self.pairs_per_query[queries], weights)


def join_compared(parts: Sequence[ComparedRows]) -> ComparedRows:
    """Return the data of different queries together."""
    if len(parts) == 1:
        return parts[0]
    is_sparse = sparse.issparse(parts[0].X)
    X = sparse.csr_matrix(sparse.vstack([part.X for part in parts])) if is_sparse else np.vstack([p.X for p in parts])
    firsts = np.append(0, np.cumsum([part.starts[-1] for part in parts]))
    starts = np.concatenate([[0], *(part.starts[1:] + first for part, first in zip(parts, firsts[:-1], strict=True))])
    level, n_levels, n_pairs = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("level", "n_levels", "pairs_per_query")
    )
    weights = join_weights([part.weights for part in parts])
    return ComparedRows(X if is_sparse else read_only(X), starts, level, n_levels, n_pairs, weights)
