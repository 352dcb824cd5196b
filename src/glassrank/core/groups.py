"""Rows ↔ queries: the one place that knows how the rows of a query are found."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray, check_length


@dataclass(frozen=True, eq=False)
class Groups:
    """Which rows belong to which query.

    ``order`` sorts the rows so that a query's rows are adjacent and keep their file order; rows
    ``order[starts[q]:starts[q + 1]]`` belong to query ``ids[q]``. Queries stand in order of first appearance.
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
        """Whether the rows already stand query by query, so that ``order`` changes nothing."""
        return bool(np.array_equal(self.order, np.arange(len(self.order))))

    @property
    def of_row(self) -> IntArray:
        """Index of each row's query, in the rows' own order."""
        index = np.empty(self.n_rows, dtype=np.int64)
        index[self.order] = np.repeat(np.arange(self.n_queries), self.sizes)
        return index

    def rows(self, query: int) -> IntArray:
        """Rows of the query with this index."""
        return self.order[self.starts[query] : self.starts[query + 1]]


def group_rows(qid: Any, n_rows: int) -> Groups:
    """Group rows by query identifier; ``qid=None`` means that all rows are one query.

    >>> groups = group_rows(["b", "a", "b"], 3)
    >>> groups.ids.tolist(), groups.order.tolist(), groups.starts.tolist()
    (['b', 'a'], [0, 2, 1], [0, 2, 3])
    """
    if qid is None:
        return Groups(np.zeros(1, dtype=np.int64), np.arange(n_rows), np.array([0, n_rows]))
    identifiers = as_identifiers("qid", qid)
    check_length("qid", identifiers, n_rows)
    run_starts = _run_starts(identifiers)
    heads = identifiers[run_starts]
    unique, first_run, run_query = np.unique(heads, return_index=True, return_inverse=True)
    if len(unique) == len(heads):
        return Groups(heads, np.arange(n_rows), np.append(run_starts, n_rows))
    # np.unique sorts the identifiers: renumber the queries by first appearance.
    by_appearance = np.argsort(first_run)
    rank = np.empty(len(unique), dtype=np.int64)
    rank[by_appearance] = np.arange(len(unique))
    of_row = np.repeat(rank[run_query], np.diff(np.append(run_starts, n_rows)))
    starts = np.append(0, np.cumsum(np.bincount(of_row, minlength=len(unique))))
    return Groups(unique[by_appearance], np.argsort(of_row, kind="stable"), starts)


def as_identifiers(name: str, values: Any) -> npt.NDArray[Any]:
    """Return identifiers as a one-dimensional array of int64 or of strings.

    >>> as_identifiers("qid", [3.0, 3.0, 7.0]).dtype
    dtype('int64')
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional: got shape {array.shape}.")
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.trunc(array))
        if not whole.all():
            raise DataError(
                f"{name} must hold whole numbers or strings: got {array[~whole][0]} at position {np.argmin(whole)}."
            )
        return array.astype(np.int64)
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    if array.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in array], dtype=bool)
        if missing.any():
            raise DataError(f"{name} is missing at {missing.sum()} positions, the first {np.argmax(missing)}.")
    return array.astype(np.str_)


def _run_starts(identifiers: npt.NDArray[Any]) -> IntArray:
    """Positions where a run of equal neighbours begins."""
    if len(identifiers) == 0:
        return np.zeros(0, dtype=np.int64)
    changes = np.flatnonzero(identifiers[1:] != identifiers[:-1]) + 1
    return np.concatenate([np.zeros(1, dtype=np.int64), changes])


def levels_within_queries(y: FloatArray, groups: Groups) -> tuple[IntArray, IntArray]:
    """Number the different labels of each query from 0 upwards, and count them.

    >>> groups = group_rows([1, 1, 2, 2, 2], 5)
    >>> level, n_levels = levels_within_queries(np.array([7.5, 0.0, 3.0, 3.0, 4.0]), groups)
    >>> level.tolist(), n_levels.tolist()
    ([1, 0, 0, 0, 1], [2, 2])
    """
    query = groups.of_row
    by_label = np.lexsort((y, query))
    label, of = y[by_label], query[by_label]
    first_of_query = np.append(True, of[1:] != of[:-1])[: len(y)]
    rises = np.append(False, label[1:] != label[:-1])[: len(y)] & ~first_of_query
    climbed = np.cumsum(rises)
    query_starts = np.flatnonzero(first_of_query)
    base = np.repeat(climbed[query_starts], np.diff(np.append(query_starts, len(y))))
    level = np.empty(len(y), dtype=np.int64)
    level[by_label] = climbed - base
    n_levels = np.bincount(of[rises], minlength=groups.n_queries) + (groups.sizes > 0)
    return level, n_levels


def comparable_pairs(y: FloatArray, groups: Groups) -> IntArray:
    """Number of pairs with different labels in each query: all pairs less those within a label.

    >>> comparable_pairs(np.array([2.0, 0.0, 0.0, 1.0]), group_rows(None, 4)).tolist()
    [5]
    """
    level, n_levels = levels_within_queries(y, groups)
    width = int(n_levels.max(initial=1))
    cells, sizes = np.unique(groups.of_row * width + level, return_counts=True)
    tied = np.bincount(cells // width, sizes * (sizes - 1) // 2, minlength=groups.n_queries).astype(np.int64)
    return groups.sizes * (groups.sizes - 1) // 2 - tied
