"""Columns for trees that read values in single precision: trees use their order only, which ranks keep."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, Matrix

LARGEST = float(np.finfo(np.float32).max)


def fit_single_precision(X: Matrix) -> Matrix:
    """Return X with the columns replaced by ranks that have a value beyond single precision; 0 stays 0.

    >>> fit_single_precision(np.array([[1.0, -1e300], [2.0, 0.0], [3.0, 7.0]])).tolist()
    [[1.0, -1.0], [2.0, 0.0], [3.0, 1.0]]
    """
    stored = X.data if sparse.issparse(X) else X
    if not stored.size or max(stored.max(), -stored.min()) <= LARGEST:
        return X
    made: Any = sparse.csc_matrix(X, copy=True) if sparse.issparse(X) else np.array(X)
    for k in range(made.shape[1]):
        column: FloatArray = made.data[made.indptr[k] : made.indptr[k + 1]] if sparse.issparse(made) else made[:, k]
        if len(column) and np.abs(column).max() > LARGEST:
            column[:] = _ranks(column)
    found: Matrix = made
    return found


def _ranks(values: FloatArray) -> FloatArray:
    """Return the place of each value among the different ones, counted from 0."""
    different = np.unique(np.append(values, 0.0))
    return np.asarray(np.searchsorted(different, values) - np.searchsorted(different, 0.0), dtype=np.float64)
