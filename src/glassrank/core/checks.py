"""Input checks with one wording: what, expected, got, and the remedy."""

import numbers
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Matrix = Any  # a C-contiguous float64 array or a CSR matrix of float64
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class DataError(ValueError):
    """Input that cannot be used; the message says what was expected, what came, and what to do."""


def check_length(name: str, values: Sized, expected: int, per: str = "row of X") -> None:
    """Refuse a sequence whose length differs from ``expected``.

    >>> check_length("qid", [1, 1], 3)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: qid must have one entry per row of X: expected 3, got 2.
    """
    if len(values) != expected:
        raise DataError(f"{name} must have one entry per {per}: expected {expected}, got {len(values)}.")


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Refuse a value that is not a key of a registry, and list the keys.

    >>> check_choice("convention", "trek", {"standard": 1, "trec": 2})
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: convention must be one of 'standard', 'trec': got 'trek'.
    """
    known = list(choices)
    if value not in known:
        raise DataError(f"{name} must be one of {', '.join(map(repr, known))}: got {value!r}.")


def as_vector(
    name: str, values: Any, length: int | None = None, *, finite: bool = True, per: str = "row of X"
) -> FloatArray:
    """Return ``values`` as a one-dimensional float64 array, checked for length and finite values."""
    vector = _as_floats(name, values)
    if vector.ndim != 1:
        raise DataError(f"{name} must be one-dimensional: got shape {vector.shape}.")
    if length is not None:
        check_length(name, vector, length, per)
    if finite:
        check_finite(name, vector)
    return vector


def as_weights(name: str, values: Any, length: int) -> FloatArray:
    """Return row weights: a vector without negative values."""
    weights = as_vector(name, values, length)
    if (weights < 0).any():
        raise DataError(f"{name} must not be negative: got {weights.min():g} at position {int(np.argmin(weights))}.")
    return weights


def check_positive(name: str, value: Any, *, whole: bool = False) -> None:
    """Refuse a parameter that is not a positive, finite number.

    >>> check_positive("max_iter", 1.5, whole=True)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: max_iter must be a positive whole number: got 1.5.
    """
    is_number = isinstance(value, numbers.Integral if whole else numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 < float(value) < np.inf:
        raise DataError(f"{name} must be a positive {'whole ' if whole else ''}number: got {value!r}.")


def as_matrix(X: Any, name: str = "X") -> Matrix:
    """Return ``X`` as a C-contiguous float64 array, or as CSR of float64 when it is sparse."""
    if sparse.issparse(X):
        matrix = sparse.csr_matrix(X, dtype=np.float64)
        if not matrix.has_canonical_format:
            # Adding up entries of one cell works in place: leave the caller's matrix alone.
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix
    dense = _as_floats(name, X)
    if dense.ndim != 2:
        raise DataError(f"{name} must have two dimensions (rows × features): got shape {np.shape(X)}.")
    return dense


def _as_floats(name: str, values: Any) -> FloatArray:
    if values is None:
        raise DataError(f"{name} must hold numbers: got None.")
    try:
        kind = np.asarray(values).dtype.kind
        # Dates and complex numbers would be cast without complaint, and lose their meaning.
        if kind in "mMc":
            raise DataError(f"{name} must hold numbers: got {np.asarray(values).dtype}.")
        return np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} must hold numbers: {error}.") from error


def check_finite(name: str, values: Matrix, remedy: str = "") -> None:
    """Refuse NaN and infinity, and say how many there are and where the first one stands."""
    stored = values.data if sparse.issparse(values) else values
    bad = ~np.isfinite(stored)
    if not bad.any():
        return
    n_bad = int(bad.sum())
    noun = "value that is" if n_bad == 1 else "values that are"
    message = f"{name} has {n_bad} {noun} not finite, the first {_place(values, bad)}"
    raise DataError(f"{message}. {remedy or 'Remove or fill them first.'}")


def _place(values: Matrix, bad: npt.NDArray[np.bool_]) -> str:
    """Say where the first bad value stands, counting rows and columns from 0 as Python does."""
    if sparse.issparse(values):
        position = int(np.argmax(bad))
        row = int(np.searchsorted(values.indptr, position, side="right")) - 1
        return f"({values.data[position]}) at row {row}, column {values.indices[position]}"
    if values.ndim == 1:
        position = int(np.argmax(bad))
        return f"({values[position]}) at position {position}"
    cell = np.unravel_index(int(np.argmax(bad)), values.shape)
    return f"({values[cell]}) at row {cell[0]}, column {cell[1]}"


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written through; the caller's own array keeps its flag."""
    view = array.view()
    view.flags.writeable = False
    return view
