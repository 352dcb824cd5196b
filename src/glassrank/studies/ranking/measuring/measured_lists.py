"""The lists on which the systems of a study are measured: queries, folds of one query's documents, or its pairs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.groups import group_codes
from glassrank.core.pairs.pair_sample import sample_pairs
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.compare import compare
from glassrank.metrics.compare_documents import compare_on_one_query, compare_on_pairs
from glassrank.metrics.comparison import Comparison
from glassrank.metrics.conventions import has_gains
from glassrank.ranking.query_folds import Folds
from glassrank.studies.measured_words import MeasuredWords
from glassrank.studies.ranking.measuring.study_folds import DOCUMENT, PAIR, StudyFolds, comparable_queries

MAX_PAIRS = 50_000  # of folds by pair: each becomes two rows
PAIR_WARNING = (
    "Folds of pairs: training and held-out pairs share documents, so every measure on this page is far too optimistic, "
    "for other documents of this query as well as for other queries. Use it only to compare with published results."
)
MEASURES = ("ndcg@1", "ndcg@5", "ndcg@10", "map")


@dataclass(frozen=True, eq=False)
class MeasuredLists:
    """Documents to score, as lists that are ranked each by one model, and how they are split into folds."""

    data: RankingData
    """The measured rows; a pair is a query of its own with two rows."""
    place: IntArray
    """Row of each measured row among the measured documents."""
    fold: npt.NDArray[np.int8]
    """The fold of each row of ``data``; test data are one fold. Lists of rows would take forty times the memory."""
    folds: StudyFolds
    has_test: bool

    @classmethod
    def of(cls, rows: RankingData, test: RankingData | None, folds: StudyFolds) -> "MeasuredLists":
        """Return the lists of the test data or, without them, of folds of the training rows."""
        if test is not None:
            return cls(test, np.arange(test.n_rows), np.zeros(test.n_rows, dtype=np.int8), folds, has_test=True)
        if folds.unit != PAIR:
            return cls(rows, np.arange(rows.n_rows), _numbered(folds.measuring(rows), rows), folds, has_test=False)
        place = _rows_of_pairs(rows)
        number = np.repeat(np.arange(len(place) // 2), 2)
        pairs = replace(rows.pick_rows(place), qid=number)
        shuffled = np.random.default_rng(0).permutation(len(place) // 2)
        fold = (shuffled % folds.n_measured(rows))[number].astype(np.int8)
        return cls(pairs, place, fold, folds, has_test=False)

    @property
    def n_folds(self) -> int:
        """Number of folds; 1 for test data."""
        return int(self.fold.max(initial=0)) + 1

    def split(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the training rows and the held-out rows of each fold; test data have no training rows here."""
        for number in range(self.n_folds):
            yield np.flatnonzero(self.fold != number), np.flatnonzero(self.fold == number)

    @property
    def by_query(self) -> bool:
        """Whether whole queries are held out, so that a document has a held-out score among its query's documents."""
        return self.has_test or self.folds.unit not in (DOCUMENT, PAIR)

    @cached_property
    def lists(self) -> RankingData:
        """The measured rows, with a query for each list: the documents of a fold are scored by one model."""
        if self.by_query or self.folds.unit == PAIR:
            return self.data
        return replace(self.data, qid=self.fold)

    @property
    def held_out(self) -> str:
        """What was held out."""
        return f"held-out {self.folds.plural}"

    @property
    def words(self) -> MeasuredWords:
        """What was measured, for the report."""
        rows, said, n_folds = self._rows_of_one_query, self.folds.words(), f"({self.n_folds} folds)"
        if self.has_test:
            what, n_units = ("test queries", None) if rows is None else ("documents of the one test query", len(rows))
            return MeasuredWords(what, self.held_out, said, n_units)
        if self.folds.unit == PAIR:
            of_folds: Any = {
                "slope_from": "pairs of other folds, which share documents with them",
                "ranked_by_seen": True,
            }
            what = f"held-out pairs of documents of one query {n_folds}"
            return MeasuredWords(what, self.held_out, said, len(self.place) // 2, **of_folds, warning=PAIR_WARNING)
        if self.folds.unit == DOCUMENT:
            of_folds = {"slope_from": "pairs of other folds", "ranked_by_seen": True}
            what, mean_over = f"held-out documents of one query {n_folds}", f"the {self.n_folds} held-out folds"
            return MeasuredWords(what, self.held_out, said, self.data.n_rows, **of_folds, mean_over=mean_over)
        how = "one at a time" if self.folds.leave_one_out else f"{self.n_folds} folds"
        return MeasuredWords(f"held-out queries ({how})", self.held_out, said)

    def compare(
        self, systems: Mapping[str, FloatArray], measure: str, convention: str, **settings: Any
    ) -> Iterator[Comparison]:
        """Compare systems by the study's own measure, and then by the usual ones; ``settings`` are those of compare."""
        fixed = {"convention": convention} | settings
        if not self.has_test and self.folds.unit == PAIR:
            yield self._compare_pairs(systems, settings)
            return
        rows = self._rows_of_one_query
        usual = MEASURES if has_gains(self.data.y, convention) else ()
        for name in dict.fromkeys([measure, *usual]):
            if rows is None:
                yield compare(systems, self.data.y, qid=self.data.qid, measure=name, **fixed)
            else:
                scores = {key: values[rows] for key, values in systems.items()}
                lists = group_codes(self.lists.groups.of_row[rows])
                yield compare_on_one_query(scores, self.data.y[rows], lists, measure=name, **fixed)

    @cached_property
    def _rows_of_one_query(self) -> IntArray | None:
        """Return the rows of the only measured query with different labels; None if there are several queries."""
        comparable = comparable_queries(self.data.y, self.data.groups)
        if comparable.sum() > 1:
            return None
        return np.flatnonzero(comparable[self.data.groups.of_row])

    def _compare_pairs(self, systems: Mapping[str, FloatArray], settings: Mapping[str, Any]) -> Comparison:
        gaps = {key: values[::2] - values[1::2] for key, values in systems.items()}
        right = {key: (gap > 0) + 0.5 * (gap == 0) for key, gap in gaps.items()}
        documents = np.unique(self.place, return_inverse=True)
        pairs = documents[1][::2], documents[1][1::2]
        return compare_on_pairs(right, pairs, n_documents=len(documents[0]), **settings)


def _numbered(folds: Folds, rows: RankingData) -> npt.NDArray[np.int8]:
    fold = np.empty(rows.n_rows, dtype=np.int8)
    for number, (_, held_out) in enumerate(folds):
        fold[held_out] = number
    return fold


def _rows_of_pairs(rows: RankingData) -> IntArray:
    """Return the rows of all comparable pairs, two for each pair, the better document first; both must count."""
    counts = np.arange(rows.n_rows) if rows.weights is None else np.flatnonzero(rows.weights)
    found = rows.pick_rows(counts)
    pairs = sample_pairs(found.y, found.groups)
    if len(pairs) > MAX_PAIRS:
        raise DataError(
            f"{setting('folds', PAIR)} lists every pair, at most {MAX_PAIRS:,}: got {counted(len(pairs), 'pair')}.",
            parameter="folds",
            got=PAIR,
            remedy=f"Use {setting('folds', DOCUMENT)}.",
        )
    return np.asarray(counts[np.column_stack([pairs.better, pairs.worse]).ravel()])
