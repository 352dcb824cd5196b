"""The folds of a study: of queries, of the documents of one query, or of its pairs of documents."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, check_choice
from glassrank.core.groups import Groups, group_codes, group_rows
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.query_folds import Folds, query_folds

QUERY, DOCUMENT, PAIR = "query", "document", "pair"
FOLD_UNITS = (QUERY, DOCUMENT, PAIR)
N_FOLDS, INNER_FOLDS = 5, 3
PLURALS = {QUERY: "queries", DOCUMENT: "documents", PAIR: "pairs"}
MEANINGS = {
    QUERY: f"{N_FOLDS} folds of queries, and {INNER_FOLDS} within them",
    DOCUMENT: (
        f"{N_FOLDS} folds of documents of one query, and {INNER_FOLDS} within them: says how well other documents of "
        "this query are ranked, not other queries"
    ),
    PAIR: (
        f"{N_FOLDS} folds of pairs, and {INNER_FOLDS} within them: training and held-out pairs share documents, so all "
        "measures are far too optimistic. Only for comparison with published results"
    ),
}
LEAVE_ONE_OUT = (
    "one query at a time is held out, also within the training queries, because there are fewer than "
    f"{N_FOLDS}; within a single training query, {INNER_FOLDS} folds of its documents"
)
# Without a fold, and within the rest without another fold, a document of another label must be left.
MIN_OTHER_LABELS = 3


@dataclass(frozen=True)
class StudyFolds:
    """What the folds of a study are made of, by the number of queries with documents of different labels."""

    unit: str = QUERY
    leave_one_out: bool = False
    """Whether each fold is one query, because there are fewer than five."""

    @classmethod
    def of(cls, unit: str | None, data: RankingData) -> "StudyFolds":
        """Return the folds of these training data; None as the unit means queries, or documents of a single query."""
        n_given, data = data.n_queries, data.counted()
        check_comparable("Training data", data)
        comparable = comparable_queries(data.y, data.groups)
        n_queries = int(comparable.sum())
        unit = (QUERY if n_queries > 1 else DOCUMENT) if unit is None else unit
        if unit == QUERY:
            _check_queries(n_queries)
            return cls(QUERY, leave_one_out=n_queries < N_FOLDS)
        _check_one_query(unit, n_given, data, comparable)
        _check_documents(data.y)
        return cls(unit)

    @property
    def plural(self) -> str:
        """What the folds are made of, as a word."""
        return PLURALS[self.unit]

    def words(self, *, has_test: bool = False) -> str:
        """Say what the folds are, and what they can show; with test data, only choices use folds."""
        if self.leave_one_out:
            return LEAVE_ONE_OUT
        if has_test:
            return f"{INNER_FOLDS} folds of the training {PLURALS[self.unit]}, for the choices made in training"
        return MEANINGS[self.unit]

    @property
    def inner(self) -> "FoldsOfQueries":
        """The folds of training rows, which choose C and the features."""
        return FoldsOfQueries(INNER_FOLDS, self.leave_one_out or self.unit == DOCUMENT)

    def measuring(self, data: RankingData) -> Folds:
        """Return training rows and held-out rows of each measured fold; rows of weight 0 are also held out once."""
        counts = np.ones(data.n_rows, dtype=bool) if data.weights is None else data.weights > 0
        if self.unit != QUERY or self.leave_one_out:
            return _few_folds(N_FOLDS, data.y, data.groups, counts)
        return query_folds(N_FOLDS, data.X, data.y, data.groups)

    def n_measured(self, data: RankingData) -> int:
        """Return the number of measured folds."""
        rows = data.counted()
        return int(comparable_queries(rows.y, rows.groups).sum()) if self.leave_one_out else N_FOLDS

    @property
    def calibration(self) -> Any:
        """The folds of the final model's probabilities: if possible a number, which a model file can store."""
        return self.inner if self.leave_one_out else INNER_FOLDS


@dataclass(frozen=True)
class FoldsOfQueries:
    """A splitter that keeps queries whole, and leaves one query out of each fold if there are few.

    With few queries, each fold holds out one query with documents of different labels. If there is only one such query,
    its documents are split, stratified by label. Queries with equal labels only stay whole.

    >>> y, queries = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 2.0]), np.array([0, 0, 1, 1, 2, 2])
    >>> [held_out.tolist() for _, held_out in FoldsOfQueries(3, few=True).split(None, y, queries)]
    [[0, 1, 2, 3], [4, 5]]
    """

    n_folds: int
    few: bool = False

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield training rows and held-out rows; ``groups`` are the queries, None for one query."""
        y = np.asarray(y, dtype=np.float64)
        if not self.few:
            yield from GroupKFold(self.n_folds).split(y, y, groups)
            return
        yield from _few_folds(self.n_folds, y, group_rows(groups, len(y)), np.ones(len(y), dtype=bool))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds, as scikit-learn asks for it."""
        return sum(1 for _ in self.split(X, y, groups))


def check_fold_unit(unit: str | None, *, has_valid: bool, has_test: bool) -> None:
    """Raise an error for an unknown unit of folds, and for folds of pairs beside other data to measure on."""
    if unit is not None:
        check_choice("folds", unit, FOLD_UNITS)
    if unit == PAIR and (has_valid or has_test):
        other = "test" if has_test else "validation"
        raise DataError(
            f"{setting('folds', PAIR)} measures on held-out pairs of the training query, and not on {other} data.",
            parameter="folds",
            got=unit,
            remedy=(f"Leave out the {other} data", f"leave out {setting('folds')}"),
        )


def comparable_queries(y: FloatArray, groups: Groups) -> BoolArray:
    """Return which queries have documents of different labels."""
    return np.asarray(comparable_pairs(y, groups) > 0)


def check_comparable(name: str, data: RankingData) -> None:
    """Raise an error unless the data have a query with documents of different labels."""
    if not comparable_queries(data.y, data.groups).any():
        raise DataError(
            f"{name} must have at least 1 query with documents of different labels: got 0 among "
            f"{counted(data.n_queries, 'query', 'queries')}.",
            parameter=name,
            remedy="Add judged queries.",
        )


def _few_folds(n_folds: int, y: FloatArray, groups: Groups, counts: BoolArray) -> Folds:
    """Leave each comparable query out, or split the documents of the only one; rows that do not count go anywhere."""
    seen = group_codes(groups.of_row[counts])
    comparable = np.isin(np.arange(groups.n_queries), seen.ids[comparable_queries(y[counts], seen)])
    order = np.lexsort((np.arange(groups.n_queries), ~comparable))
    of_query = np.empty(groups.n_queries, dtype=np.int64)
    n_comparable = int(comparable.sum())
    number = n_comparable if n_comparable > 1 else n_folds
    of_query[order] = np.arange(groups.n_queries) % number
    fold = of_query[groups.of_row]
    if n_comparable == 1:
        rows = groups.rows(int(np.flatnonzero(comparable)[0]))
        fold[rows] = _stratified(y[rows], counts[rows]) % number
    found = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(number)]
    return [(rest, rows) for rest, rows in found if len(rows) and len(rest)]


def _stratified(y: FloatArray, counts: BoolArray) -> IntArray:
    """Number documents so that the rarest labels come first; equal labels in random order, with a fixed seed."""
    _, level, frequency = np.unique(y, return_inverse=True, return_counts=True)
    place = np.empty(len(y), dtype=np.int64)
    keys = (np.random.default_rng(0).random(len(y)), level, frequency[level], ~counts)
    place[np.lexsort(keys)] = np.arange(len(y))
    return place


def _check_queries(n_queries: int) -> None:
    if n_queries < 2:
        raise DataError(
            f"{setting('folds', QUERY)} needs at least 2 queries with documents of different labels: got {n_queries}.",
            parameter="folds",
            got=QUERY,
            remedy=("Add judged queries", f"use {setting('folds', DOCUMENT)}"),
        )


def _check_one_query(unit: str, n_queries: int, data: RankingData, comparable: BoolArray) -> None:
    if n_queries == 1:
        return
    first = data.groups.ids[int(np.argmax(comparable))]
    what = "pairs" if unit == PAIR else "documents"
    raise DataError(
        f"Folds of {what} are for a single query: got {n_queries} queries, {int(comparable.sum())} of them with "
        "documents of different labels.",
        parameter="folds",
        got=unit,
        remedy=(
            f"Study one query: {setting('query', str(first), python=f'train.pick_queries({str(first)!r})')}",
            "add judged queries",
            f"use {setting('folds', QUERY)}",
        ),
    )


def _check_documents(y: FloatArray) -> None:
    counts = np.unique(y, return_counts=True)[1]
    others = int(counts.sum() - counts.max())
    if others < MIN_OTHER_LABELS or len(y) < 2 * INNER_FOLDS:
        raise DataError(
            f"A study of one query needs at least {2 * INNER_FOLDS} documents, {MIN_OTHER_LABELS} of them with another "
            f"label than the most frequent one: got {len(y)} and {others}.",
            parameter="Training data",
            remedy="Add judged documents or judged queries.",
        )
