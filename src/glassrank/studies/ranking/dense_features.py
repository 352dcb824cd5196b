"""Sparse features as a dense matrix: standardising changes zeros, and curves and trees need all values."""

from collections.abc import Callable
from dataclasses import replace

from scipy.sparse import issparse

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData

MAX_DENSE_BYTES = 4_000_000_000  # size limit when sparse features are converted to a dense matrix


def dense_features(data: RankingData, say: Callable[[str], object]) -> RankingData:
    """Return the data with dense features; ``say`` is told about a conversion.

    >>> from scipy.sparse import csr_matrix
    >>> found = dense_features(RankingData(csr_matrix([[0.0, 2.0]]), y=[1]), print)
    Converting sparse features to dense, 1 rows × 2 features
    >>> found.X.tolist()
    [[0.0, 2.0]]
    """
    if not issparse(data.X):
        return data
    size = f"{data.n_rows:,} rows × {data.n_features:,} features"
    n_bytes = 8 * data.n_rows * data.n_features
    if n_bytes > MAX_DENSE_BYTES:
        raise DataError(
            f"A study converts sparse features to a dense matrix of at most {MAX_DENSE_BYTES / 1e9:.0f} GB: {size} "
            f"take {n_bytes / 1e9:.1f} GB. Keep fewer features or fewer queries."
        )
    say(f"Converting sparse features to dense, {size}")
    return replace(data, X=data.X.toarray())
