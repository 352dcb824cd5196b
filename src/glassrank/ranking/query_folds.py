"""Folds for cross-validation that keep each query whole."""

import numbers
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, check_cv

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.groups import Groups
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.setting import setting

Folds = list[tuple[IntArray, IntArray]]


def check_folds(cv: Any) -> None:
    """Raise an error unless cv is a number of folds, a splitter or an iterable of splits.

    >>> check_folds(1)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: cv must be a number of folds from 2, a splitter or an iterable of splits: got 1.
    """
    if isinstance(cv, numbers.Integral):
        usable = int(cv) >= 2
    else:
        usable = not isinstance(cv, str) and (hasattr(cv, "split") or isinstance(cv, Iterable))
    if not usable:
        raise DataError(
            parameter="cv", expected="a number of folds from 2, a splitter or an iterable of splits", got=cv
        )


def query_folds(cv: Any, X: Matrix, y: FloatArray, groups: Groups) -> Folds:
    """Return the training rows and held-out rows of each fold; a splitter gets the queries as ``groups``.

    The documents of a single query are split, stratified by label. A splitter may split the documents of the only query
    with different labels, because the others have nothing to learn from.

    >>> from glassrank.core.groups import group_rows
    >>> folds = query_folds(2, np.zeros((6, 1)), np.zeros(6), group_rows(["a", "b", "b", "a", "c", "c"], 6))
    >>> [held_out.tolist() for _, held_out in folds]
    [[0, 3, 4, 5], [1, 2]]
    """
    check_folds(cv)
    if isinstance(cv, numbers.Integral):
        return _counted_folds(int(cv), X, y, groups)
    several = groups.n_queries > 1
    with warnings.catch_warnings():
        # Splitters of rows warn that they ignore the queries; whether they split a query is checked below.
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        folds = list(check_cv(cv).split(X, y, groups.of_row if several else None))
    if several:
        _refuse_split_queries(folds, y, groups)
    return folds


def _counted_folds(n_folds: int, X: Matrix, y: FloatArray, groups: Groups) -> Folds:
    if groups.n_queries == 1:
        available, what = groups.n_rows, "documents of the one query"
    else:
        available, what = groups.n_queries, "queries"
    if n_folds > available:
        raise DataError(
            f"{n_folds} folds need at least {n_folds} {what}: got {available}.",
            remedy=(f"Add {what}", f"lower {setting('cv')}"),
        )
    if groups.n_queries > 1:
        return list(GroupKFold(n_folds).split(X, y, groups.of_row))
    fold = np.empty(len(y), dtype=np.int64)
    # Documents of equal label in random order, with a fixed seed: their order in the file may carry information.
    fold[np.lexsort((np.random.default_rng(0).random(len(y)), y))] = np.arange(len(y)) % n_folds
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(n_folds)]


def _refuse_split_queries(folds: Folds, y: FloatArray, groups: Groups) -> None:
    of_row, comparable = groups.of_row, np.flatnonzero(comparable_pairs(y, groups))
    for number, (train, held_out) in enumerate(folds):
        split = np.intersect1d(of_row[train], of_row[held_out])
        if len(comparable) == 1:
            split = split[split != comparable[0]]
        if len(split):
            raise DataError(
                f"cv must keep each query whole: in fold {number} query {groups.ids[split[0]]} has training rows and "
                "held-out rows.",
                parameter="cv",
                remedy="Use GroupKFold, or another splitter that keeps groups.",
            )


def document_folds(y: FloatArray, n_folds: int, rng: np.random.Generator) -> list[tuple[IntArray | None, IntArray]]:
    """Split the documents of one query stratified by label; documents of equal label are in random order."""
    fold = np.empty(len(y), dtype=np.int64)
    fold[np.lexsort((rng.random(len(y)), y))] = np.arange(len(y)) % n_folds
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(n_folds)]


def check_queries_stay_whole(folds: Folds, groups: Groups) -> None:
    """Raise an error if the rows of a query are in both parts of a fold."""
    if groups.n_queries == 1:
        return
    of_row = groups.of_row
    for number, (train, test) in enumerate(folds):
        split = np.intersect1d(of_row[train], of_row[test])
        if len(split):
            raise DataError(
                f"cv must keep each query whole: in fold {number} query {groups.ids[split[0]]} has training rows and "
                "held-out rows.",
                parameter="cv",
                remedy="Use GroupKFold or another splitter that keeps groups.",
            )
