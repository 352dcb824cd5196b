"""The data of a pair loss: rows sorted by query, label levels and pair weights."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray, Matrix, read_only
from glassrank.core.groups import Groups
from glassrank.core.pairs.label_levels import LabelLevels, label_levels
from glassrank.core.pairs.pair_weights import PairWeights, weigh_pairs


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows sorted by query; ``level`` numbers the distinct labels of each query from 0 in ascending order."""

    X: Matrix
    starts: IntArray
    level: IntArray
    n_levels: IntArray
    pairs_per_query: IntArray
    weights: PairWeights

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: FloatArray,
        groups: Groups,
        weights: PairWeights | None = None,
        labels: LabelLevels | None = None,
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
        return cls(rows, groups.starts, labels.level, labels.n_levels, labels.n_pairs, weights)

    @property
    def n_pairs(self) -> int:
        """Number of comparable pairs: same query, different labels."""
        return int(self.pairs_per_query.sum())

    def with_rows(self, X: Matrix) -> "ComparedRows":
        """Return the same pairs with the features ``X``, which has the same rows."""
        return replace(self, X=X if sparse.issparse(X) else read_only(np.ascontiguousarray(X)))

    def pick_queries(self, queries: IntArray) -> "ComparedRows":
        """Return the data of some of the queries."""
        sizes = np.diff(self.starts)[queries]
        starts = np.append(0, np.cumsum(sizes))
        rows = np.repeat(self.starts[queries] - starts[:-1], sizes) + np.arange(starts[-1])
        X = self.X[rows] if sparse.issparse(self.X) else read_only(self.X[rows])
        weights = self.weights.pick(rows, queries)
        return ComparedRows(X, starts, self.level[rows], self.n_levels[queries], self.pairs_per_query[queries], weights)
