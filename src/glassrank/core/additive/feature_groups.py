"""Groups of features that move together within queries: their sum can be trusted, their single signs cannot."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import FloatArray, IntArray, Matrix
from glassrank.core.feature_kinds import FeatureTable, kinds_of, values_of
from glassrank.core.groups import Groups

THRESHOLD = 0.8
"""Features whose mean absolute correlation within queries is at least this form a group."""
# With fewer documents beyond the first of each query, unrelated features can be correlated by chance: for 30, |r| ≥ 0.8
# of two unrelated normal features has a probability below 1e-7.
MIN_COMPARISONS = 30
# As many values as are centred at once; more would not be faster.
MAX_BLOCK_VALUES = 2**20
# Spread, relative to the largest value of a feature, that may be rounding alone.
ROUNDING = 1e-12


@dataclass(frozen=True)
class FeatureGroup:
    """Features that are shown as one row; ``members`` are their positions in the model's order.

    >>> FeatureGroup("text match", (0, 3)).members
    (0, 3)
    """

    name: str
    members: tuple[int, ...]


def correlated_columns(
    X: Matrix | FeatureTable, groups: Groups, weights: FloatArray | None, names: Sequence[str], threshold: float
) -> tuple[FeatureGroup, ...]:
    """Return the groups of columns that are correlated within queries; categories, and few documents, form none."""
    if groups.n_rows - groups.n_queries < MIN_COMPARISONS:
        return ()
    numeric = [k for k, kind in enumerate(kinds_of(X)) if not kind.is_category]
    values = values_of(X)
    if len(numeric) < values.shape[1]:
        values = values.tocsc()[:, numeric].tocsr() if sparse.issparse(values) else values[:, numeric]
    found = correlations_within_queries(values, groups, weights)
    grouped = group_correlated(found, [names[k] for k in numeric], threshold)
    return tuple(FeatureGroup(group.name, tuple(numeric[k] for k in group.members)) for group in grouped)


def correlations_within_queries(X: Matrix, groups: Groups, weights: FloatArray | None = None) -> FloatArray:
    """Return the weighted correlation of all columns around their query means.

    r_jk = Σ_i v_i x̃_ij x̃_ik / √(Σ_i v_i x̃_ij² · Σ_i v_i x̃_ik²), where x̃ is x minus the weighted mean of its query. A
    missing value (NaN) counts as the mean of its query. A column that is constant in each query has no correlation: 0.

    >>> from glassrank.core.groups import group_rows
    >>> X = np.array([[1.0, 5.0], [2.0, 4.0], [9.0, 8.0], [7.0, 10.0]])
    >>> correlations_within_queries(X, group_rows([0, 0, 1, 1], 4)).round(9).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    n_columns = X.shape[1]
    weights = np.ones(X.shape[0]) if weights is None else weights
    # A power of two is exact, and squares of values below 1 do not overflow.
    _, exponents = np.frexp(_largest(X))
    products = np.zeros((n_columns, n_columns))
    for first, end in blocks_of_queries(groups.starts, max(1, MAX_BLOCK_VALUES // max(n_columns, 1))):
        rows = groups.order[groups.starts[first] : groups.starts[end]]
        block = X[rows].toarray() if sparse.issparse(X) else X[rows]
        centred = _centre(np.ldexp(block, -exponents), groups.starts[first : end + 1], weights[rows])
        products += centred.T @ centred
    spread = np.sqrt(np.diagonal(products))
    spread[spread <= ROUNDING * np.sqrt(weights.sum())] = np.inf
    found: FloatArray = np.clip(products / spread / spread[:, None], -1.0, 1.0)
    np.fill_diagonal(found, np.isfinite(spread).astype(np.float64))
    return found


def _largest(X: Matrix) -> FloatArray:
    if 0 in X.shape:
        return np.zeros(X.shape[1])
    if sparse.issparse(X):
        return np.asarray(abs(X).max(axis=0).toarray()).ravel()
    return np.asarray(np.fmax(np.fmax.reduce(X, axis=0), -np.fmin.reduce(X, axis=0)))


def _centre(block: FloatArray, starts: IntArray, weights: FloatArray) -> FloatArray:
    """Return √v · (x − mean of its query); missing values become 0."""
    known = ~np.isnan(block)
    starts = starts - starts[0]
    weight = weights[:, None] * known
    sums = np.add.reduceat(np.where(known, block, 0.0) * weights[:, None], starts[:-1], axis=0)
    totals = np.add.reduceat(weight, starts[:-1], axis=0)
    means = np.repeat(sums / np.where(totals > 0, totals, 1.0), np.diff(starts), axis=0)
    return np.asarray(np.where(known, block - means, 0.0) * np.sqrt(weights)[:, None])


def group_correlated(
    correlations: FloatArray, names: Sequence[str], threshold: float = THRESHOLD
) -> tuple[FeatureGroup, ...]:
    """Group features by average linkage of |r| at the threshold, in the order of their first members.

    >>> group_correlated(np.array([[1.0, 0.1, -0.9], [0.1, 1.0, 0.0], [-0.9, 0.0, 1.0]]), ["bm25", "age", "length"])
    (FeatureGroup(name='bm25 + length', members=(0, 2)),)
    """
    if len(correlations) < 2:
        return ()
    distances = 1.0 - np.abs(correlations)
    np.fill_diagonal(distances, 0.0)
    # Rounding must not separate features that are equal to the threshold.
    clusters = fcluster(linkage(squareform(distances, checks=False), "average"), 1.0 - threshold + 1e-12, "distance")
    together = [tuple(np.flatnonzero(clusters == cluster).tolist()) for cluster in dict.fromkeys(clusters.tolist())]
    return tuple(FeatureGroup(group_name([names[k] for k in ks]), ks) for ks in together if len(ks) > 1)


def group_name(members: Sequence[str]) -> str:
    """Return a name for a group that has none: both members, or the first one and the number of the others.

    >>> group_name(["bm25", "tf-idf"]), group_name(["bm25", "tf-idf", "language model"])
    ('bm25 + tf-idf', 'bm25 + 2 more')
    """
    return f"{members[0]} + {members[1] if len(members) == 2 else f'{len(members) - 1} more'}"
