"""Groups of rows by query."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, IntArray, check_length

MAX_INT64 = np.iinfo(np.int64).max
MAX_EXACT_INTEGER = 2.0**53  # beyond this, neighbouring whole numbers are equal as floats


@dataclass(frozen=True, eq=False)
class Groups:
    """The assignment of rows to queries.

    ``order`` sorts the rows so that the rows of a query are adjacent and keep their file order. Rows
    ``order[starts[q]:starts[q + 1]]`` belong to query ``ids[q]``. Queries are in order of first appearance.
    """

    ids: npt.NDArray[Any]
    order: IntArray
    starts: IntArray

    @property
    def n_queries(self) -> int:
        return len(self.ids)

    @property
    def n_rows(self) -> int:
        return len(self.order)

    @property
    def sizes(self) -> IntArray:
        """Number of rows of each query."""
        return np.diff(self.starts)

    @property
    def adjacent(self) -> bool:
        """Whether the rows are already sorted by query, so that ``order`` changes nothing."""
        return bool(np.array_equal(self.order, np.arange(len(self.order))))

    @cached_property
    def of_row(self) -> IntArray:
        """Index of each row's query, in the original order of the rows."""
        index = np.empty(self.n_rows, dtype=np.int64)
        index[self.order] = np.repeat(np.arange(self.n_queries), self.sizes)
        return index

    def rows(self, query: int) -> IntArray:
        """Return the rows of the query with this index."""
        return self.order[self.starts[query] : self.starts[query + 1]]

    def pick(self, rows: Any) -> "Groups":
        """Return the groups of some rows, given by position or as a mask.

        >>> picked = group_rows(["b", "a", "b"], 3).pick([1, 2])
        >>> picked.ids.tolist(), picked.order.tolist(), picked.starts.tolist()
        (['a', 'b'], [0, 1], [0, 1, 2])
        """
        return group_codes(self.of_row[rows], self.ids)


def group_rows(qid: Any, n_rows: int) -> Groups:
    """Group rows by query identifier; with ``qid=None`` all rows are one query, and ``Groups`` are returned unchanged.

    >>> groups = group_rows(["b", "a", "b"], 3)
    >>> groups.ids.tolist(), groups.order.tolist(), groups.starts.tolist()
    (['b', 'a'], [0, 2, 1], [0, 2, 3])
    """
    if isinstance(qid, Groups):
        check_length("qid", qid.order, n_rows)
        return qid
    if qid is None:
        return Groups(np.zeros(1, dtype=np.int64), np.arange(n_rows), np.array([0, n_rows]))
    identifiers = as_identifiers("qid", qid)
    check_length("qid", identifiers, n_rows)
    return group_codes(identifiers)


def group_codes(identifiers: npt.NDArray[Any], names: npt.NDArray[Any] | None = None) -> Groups:
    """Group rows by validated identifiers; if these are codes, ``names`` are the identifiers of the codes."""
    n_rows, run_starts = len(identifiers), _run_starts(identifiers)
    heads = identifiers[run_starts]
    unique, first_run, run_query = np.unique(heads, return_index=True, return_inverse=True)
    if len(unique) == len(heads):
        return Groups(_named(heads, names), np.arange(n_rows), np.append(run_starts, n_rows))
    # np.unique sorts the identifiers, so the queries are renumbered by first appearance.
    by_appearance = np.argsort(first_run)
    rank = np.empty(len(unique), dtype=np.int64)
    rank[by_appearance] = np.arange(len(unique))
    of_row = np.repeat(rank[run_query], np.diff(np.append(run_starts, n_rows)))
    starts = np.append(0, np.cumsum(np.bincount(of_row, minlength=len(unique))))
    return Groups(_named(unique[by_appearance], names), np.argsort(of_row, kind="stable"), starts)


def _named(identifiers: npt.NDArray[Any], names: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    return identifiers if names is None else names[identifiers]


def as_identifiers(name: str, values: Any) -> npt.NDArray[Any]:
    """Return identifiers as a one-dimensional array of int64 or of strings.

    >>> as_identifiers("qid", [3.0, 3.0, 7.0]).dtype
    dtype('int64')
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{name} must contain one identifier per row: {error}.", parameter=name) from error
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional: got shape {array.shape}.", parameter=name, got=array.shape)
    if array.dtype.kind == "f":
        return _whole_numbers(name, array)
    if array.dtype.kind in "ib" or (array.dtype.kind == "u" and array.max(initial=0) <= MAX_INT64):
        return array.astype(np.int64)
    if array.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in array], dtype=bool)
        if missing.any():
            raise DataError(f"{name} is missing at {missing.sum()} positions, the first at {np.argmax(missing)}.")
    return array.astype(np.str_)


def _whole_numbers(name: str, array: npt.NDArray[Any]) -> IntArray:
    whole = np.isfinite(array) & (array == np.trunc(array)) & (np.abs(array) <= MAX_EXACT_INTEGER)
    if not whole.all():
        position = int(np.argmin(whole))
        raise DataError(
            f"{name} must contain whole numbers or strings: got {array[position]} at position {position}.",
            parameter=name,
        )
    return array.astype(np.int64)


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA, whose comparison with itself has no truth value."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _run_starts(identifiers: npt.NDArray[Any]) -> IntArray:
    """Return the positions where runs of equal values begin."""
    if len(identifiers) == 0:
        return np.zeros(0, dtype=np.int64)
    changes = np.flatnonzero(identifiers[1:] != identifiers[:-1]) + 1
    return np.concatenate([np.zeros(1, dtype=np.int64), changes])
