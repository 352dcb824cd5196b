"""Checks of adjacency matrices: square, non-negative, one entry per link; the row links to the column."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, as_vector, as_weights, check_finite
from glassrank.core.links.link_sums import LinkSums

_NUMBERS = "biuf"


def as_adjacency(adjacency: Any) -> Any:
    """Return a CSR matrix of float64 without stored zeros; duplicate entries are added up, as in SciPy.

    >>> as_adjacency([[0, 2], [0, 0]]).data.tolist()
    [2.0]
    >>> as_adjacency([[0, -1], [0, 0]])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: adjacency must not be negative: got -1 at row 0, column 1.
    """
    matrix = adjacency if sparse.issparse(adjacency) else _dense(adjacency)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"adjacency must be square, with a row and a column for each page: got shape {matrix.shape}.",
            parameter="adjacency",
            got=matrix.shape,
        )
    if matrix.dtype.kind not in _NUMBERS:
        raise DataError(f"adjacency must contain numbers or booleans: got {matrix.dtype}.", parameter="adjacency")
    if matrix.dtype != np.float64:
        # Convert before entries are added up: small integers would overflow, and True + True is True.
        matrix = matrix.astype(np.float64)
    matrix = matrix if matrix.format == "csr" else sparse.csr_array(matrix)
    _check_indices(matrix)
    if not matrix.has_canonical_format:
        # Duplicates are added up in place, so copy the caller's matrix first.
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return _with_short_indices(_checked_entries(matrix))


def link_sums(matrix: Any) -> LinkSums:
    """Return the links of a checked matrix with weights of at most 1, or without weights if all are equal.

    Scores do not change if all weights are multiplied by a number, and squares of very large weights would overflow.
    """
    weights = matrix.data
    if len(weights) == 0 or (weights == weights[0]).all():
        return LinkSums(matrix.indptr, matrix.indices)
    weights = weights / weights.max()
    return LinkSums(matrix.indptr, matrix.indices, weights, weights)


def page_weights(name: str, values: Any, n_pages: int) -> FloatArray:
    """Return a vector with a non-negative weight for each page."""
    return as_weights(name, as_vector(name, values, n_pages, per="page"), n_pages)


def _dense(adjacency: Any) -> Any:
    try:
        dense = np.asarray(adjacency)
    except ValueError as error:
        raise DataError(f"adjacency must be a matrix: {error}.", parameter="adjacency") from error
    if dense.ndim != 2 or dense.dtype.kind not in _NUMBERS:
        raise DataError(
            "adjacency must be a square matrix of numbers or booleans, dense or of scipy.sparse: got "
            f"{type(adjacency).__name__} of shape {dense.shape} and type {dense.dtype}.",
            parameter="adjacency",
        )
    return sparse.csr_array(dense)


def _check_indices(matrix: Any) -> None:
    try:
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise DataError(f"adjacency is not a valid sparse matrix: {error}.", remedy="Build it again.") from error


def _with_short_indices(matrix: Any) -> Any:
    """Use 32-bit indices if they suffice: they need half the memory, and kernels are compiled only once."""
    if matrix.indices.dtype == np.int32 or max(matrix.nnz, *matrix.shape) > np.iinfo(np.int32).max:
        return matrix
    parts = matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sparse.csr_array(parts, shape=matrix.shape)


def _checked_entries(matrix: Any) -> Any:
    # Checking the range is enough for most matrices: NaN fails every comparison.
    if len(matrix.data) == 0 or (matrix.data.min() > 0.0 and matrix.data.max() < np.inf):
        return matrix
    check_finite("adjacency", matrix)
    lowest = int(np.argmin(matrix.data))
    if matrix.data[lowest] < 0.0:
        row = int(np.searchsorted(matrix.indptr, lowest, side="right")) - 1
        place = f"row {row}, column {matrix.indices[lowest]}"
        raise DataError(
            f"adjacency must not be negative: got {matrix.data[lowest]:g} at {place}.", parameter="adjacency"
        )
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    return matrix
