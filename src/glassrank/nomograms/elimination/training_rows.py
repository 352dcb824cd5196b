"""The training data of an elimination: rows of a ranking or of two classes, their folds, pairs and resamples."""

import numbers
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray
from glassrank.core.feature_kinds import values_of
from glassrank.core.groups import Groups, group_codes, group_rows
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.pairs.pair_sample import sample_pairs
from glassrank.core.setting import setting
from glassrank.ranking.feature_columns import missing_columns
from glassrank.ranking.query_folds import Folds, query_folds

MAX_PAIRS = 200_000  # of folds by pair: each becomes two rows


@dataclass(frozen=True, eq=False)
class Rows:
    """Features and labels; ``query`` is the number of each row's query, or None for a classification."""

    X: Any
    y: npt.NDArray[Any]
    query: IntArray | None
    weights: FloatArray | None = None
    """Weight of each row, all positive; None if all weights are 1."""
    source: IntArray | None = None
    """In a resample, the original number of each row's query or of the row; folds keep equal numbers together."""
    all_gaps: BoolArray | None = None
    """Features with missing values in any row of the data, also if these rows have none."""

    @property
    def gaps(self) -> BoolArray:
        """Features with missing values."""
        return missing_columns(values_of(self.X)) if self.all_gaps is None else self.all_gaps

    def pick(self, rows: IntArray) -> "Rows":
        """Return some of the rows, possibly several times."""
        query = None if self.query is None else self.query[rows]
        weights = None if self.weights is None else self.weights[rows]
        source = None if self.source is None else self.source[rows]
        return Rows(_safe_indexing(self.X, rows), self.y[rows], query, weights, source, self.all_gaps)

    @cached_property
    def groups(self) -> Groups:
        """Queries of a ranking; a classification counts as one query."""
        return group_rows(None, len(self.y)) if self.query is None else group_codes(self.query)


def folds_of(rows: Rows, cv: Any, random_state: Any) -> Folds:
    """Return training and held-out rows: whole queries, documents of a single query, or rows stratified by class."""
    if rows.query is not None:
        return query_folds(cv, rows.X, rows.y, rows.groups if rows.source is None else group_codes(rows.source))
    if not isinstance(cv, numbers.Integral):
        return list(check_cv(cv, rows.y, classifier=True).split(rows.X, rows.y, rows.source))
    smallest = int(np.unique(rows.y, return_counts=True)[1].min())
    if int(cv) > smallest:
        raise DataError(
            f"{cv} folds need {cv} rows of each class: the smallest class has {smallest}.",
            remedy=("Add data", f"lower {setting('cv')}"),
        )
    if rows.source is not None:
        splitter = StratifiedGroupKFold(int(cv), shuffle=True, random_state=random_state)
        return list(splitter.split(rows.X, rows.y, rows.source))
    return list(StratifiedKFold(int(cv), shuffle=True, random_state=random_state).split(rows.X, rows.y))


def rows_by_pair(rows: Rows) -> Rows:
    """Return each comparable pair as a query of its own with two documents, for folds by pair.

    >>> two = rows_by_pair(Rows(np.array([[1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 1.0]), np.zeros(3, dtype=int)))
    >>> two.X.ravel().tolist(), two.query.tolist()
    ([2.0, 1.0, 3.0, 1.0], [0, 0, 1, 1])
    """
    n_pairs = int(comparable_pairs(rows.y, rows.groups).sum())
    if n_pairs > MAX_PAIRS:
        raise DataError(
            f"{setting('fold_unit', 'pair')} lists every pair, at most {MAX_PAIRS:,}: got {n_pairs:,}.",
            remedy=(f"Use {setting('fold_unit', 'query')}", "use a single query"),
        )
    pairs = sample_pairs(rows.y, rows.groups)
    picked = rows.pick(np.column_stack([pairs.better, pairs.worse]).ravel())
    return replace(picked, query=np.repeat(np.arange(n_pairs), 2))


def pair_folds(rows: Rows, cv: Any, random_state: Any) -> Folds:
    """Return random folds of the two-document queries that ``rows_by_pair`` makes."""
    n_pairs = len(rows.y) // 2
    if isinstance(cv, numbers.Integral):
        if int(cv) > n_pairs:
            raise DataError(
                f"{cv} folds need at least {cv} comparable pairs: got {n_pairs}.",
                remedy=("Add data", f"lower {setting('cv')}"),
            )
        cv = KFold(int(cv), shuffle=True, random_state=random_state)
    folds = check_cv(cv).split(np.zeros(n_pairs))
    return [(_rows_of_pairs(train), _rows_of_pairs(held_out)) for train, held_out in folds]


def _rows_of_pairs(pairs: IntArray) -> IntArray:
    return (2 * np.asarray(pairs)[:, None] + np.arange(2)).ravel()


def resamples(rows: Rows, n_resamples: int, random_state: Any) -> Iterator[Rows]:
    """Yield bootstrap resamples of queries, of the documents of a single query, or of the rows of each class.

    A query drawn twice counts as two queries, but folds keep them together.
    """
    rng = np.random.default_rng(random_state)
    for _ in range(n_resamples):
        yield _resample(rows, rng)


def _resample(rows: Rows, rng: np.random.Generator) -> Rows:
    if rows.query is None:
        members = [np.flatnonzero(rows.y == label) for label in np.unique(rows.y)]
        drawn = np.concatenate([rng.choice(own, len(own)) for own in members])
        return replace(rows.pick(drawn), source=drawn)
    groups = rows.groups
    while True:
        if groups.n_queries == 1:
            drawn = rng.integers(len(rows.y), size=len(rows.y))
            found = replace(rows.pick(drawn), source=drawn)
        else:
            queries = rng.integers(groups.n_queries, size=groups.n_queries)
            copy = np.repeat(np.arange(len(queries)), groups.sizes[queries])
            found = rows.pick(np.concatenate([groups.rows(q) for q in queries]))
            found = replace(found, query=copy, source=queries[copy])
        # Nothing can be learned from a resample without a comparable pair: draw again.
        if comparable_pairs(found.y, found.groups).sum() > 0:
            return found
