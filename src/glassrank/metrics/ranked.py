"""The ranked lists that measures evaluate: each query's retrieved documents, best first."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray, as_vector, check_choice, check_length
from glassrank.core.groups import Groups, group_rows
from glassrank.core.identifiers import as_identifiers
from glassrank.core.pairs.concordance import Concordance, concordance
from glassrank.core.setting import setting
from glassrank.metrics.arithmetic import sum_by
from glassrank.metrics.conventions import CONVENTIONS, Convention

BoolArray = npt.NDArray[np.bool_]
MOST_PADDING = 4  # cells of a table of queries, as a multiple of the documents


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Judgements and ranked lists of all queries, stored one query after the other.

    A *place* is a retrieved document in ranked order, and most arrays have one entry per place. A *tie* is a run of
    places with equal scores; if the convention orders equal scores, every place is a tie of its own.
    """

    convention: Convention
    groups: Groups
    y: FloatArray
    """Label of each row, NaN if the document is unjudged."""
    rows: IntArray
    """Row of each place."""
    scores: FloatArray
    """Score of each place."""
    tie_starts: IntArray
    """First place of each tie."""

    @cached_property
    def query_of_row(self) -> IntArray:
        return self.groups.of_row

    @cached_property
    def query(self) -> IntArray:
        """Query of each place."""
        return self.query_of_row[self.rows]

    @cached_property
    def lengths(self) -> IntArray:
        """Number of retrieved documents of each query."""
        return np.bincount(self.query, minlength=self.groups.n_queries)

    @cached_property
    def starts(self) -> IntArray:
        """First place of each query, and the end of the last one."""
        return np.append(0, np.cumsum(self.lengths))

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each place within its query, from 1."""
        return np.arange(1, len(self.rows) + 1) - self.starts[self.query]

    @cached_property
    def labels(self) -> FloatArray:
        """Label of each row, 0 for unjudged documents."""
        return np.where(np.isnan(self.y), 0.0, self.y)

    @cached_property
    def relevant(self) -> BoolArray:
        """Whether the document at each place is relevant, that is, y ≥ 1."""
        return self.labels[self.rows] >= 1.0

    @cached_property
    def judged(self) -> BoolArray:
        """Whether the document at each place is judged."""
        return ~np.isnan(self.y[self.rows])

    @cached_property
    def n_relevant(self) -> FloatArray:
        """Number of relevant documents of each query, retrieved or not."""
        return sum_by(self.query_of_row, self.labels >= 1.0, self.groups.n_queries)

    @cached_property
    def n_judged(self) -> FloatArray:
        """Number of judged documents of each query, retrieved or not."""
        return sum_by(self.query_of_row, ~np.isnan(self.y), self.groups.n_queries)

    @cached_property
    def best_rows(self) -> IntArray:
        """All rows, query by query, in descending order of labels."""
        return _sort_within_queries(-self.labels, self.groups)

    @cached_property
    def tie_sizes(self) -> IntArray:
        return np.diff(np.append(self.tie_starts, len(self.rows)))

    @cached_property
    def concordance(self) -> Concordance:
        """Counts of concordant and discordant pairs of retrieved documents; independent of the convention."""
        places = Groups(self.groups.ids, np.arange(len(self.rows)), self.starts)
        return concordance(self.labels[self.rows], self.scores, places)

    def sum_by_query(self, values: npt.NDArray[Any], where: BoolArray | slice = slice(None)) -> FloatArray:
        """Sum the values of all or selected places of each query."""
        return sum_by(self.query[where], values[where], self.groups.n_queries)

    def sum_by_tie(self, values: npt.NDArray[Any]) -> FloatArray:
        """Sum the values of the places of each tie."""
        return np.add.reduceat(values.astype(np.float64), self.tie_starts)

    def spread(self, tie_values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Repeat each tie's value for each of its places."""
        return np.repeat(tie_values, self.tie_sizes)

    def average_over_ties(self, values: npt.NDArray[Any]) -> FloatArray:
        """Replace each value by the mean of its tie, the expected value over all orders of the tie."""
        if len(self.tie_starts) == len(values):
            return values.astype(np.float64)
        return self.spread(self.sum_by_tie(values) / self.tie_sizes)


def rank_documents(
    y: Any,
    scores: Any,
    *,
    qid: Any = None,
    convention: str = "standard",
    doc_ids: Any = None,
    scores_name: str = "scores",
) -> RankedLists:
    """Validate judgements and scores, and sort each query's retrieved documents according to the convention."""
    check_choice("convention", convention, CONVENTIONS)
    labels = _as_values("y", y, "an unjudged document")
    values = _as_values(scores_name, scores, "a document that was not retrieved")
    check_length(scores_name, values, len(labels), per="label in y")
    groups = _group(qid, len(labels))
    chosen = CONVENTIONS[convention]
    retrieved = np.flatnonzero(~np.isnan(values))
    compared = _compared_scores(values[retrieved], chosen)
    if len(retrieved) == len(values):
        rows = _sort_within_queries(-compared, groups)
        compared = compared[rows]
    else:
        order = np.lexsort((-compared, groups.of_row[retrieved]))
        rows, compared = retrieved[order], compared[order]
    tie_starts = _tie_starts(groups.of_row[rows], compared)
    if chosen.ties == "document id":
        rows = _order_ties_by_document(rows, tie_starts, groups, doc_ids)
    if chosen.ties != "average":
        tie_starts = np.arange(len(rows))
    return RankedLists(chosen, groups, labels, rows, values[rows], tie_starts)


def _sort_within_queries(keys: FloatArray, groups: Groups) -> IntArray:
    """Return the rows query by query, those of a query by ascending key; equal keys keep the order of the rows.

    Queries of similar length are the rows of a table, each sorted on its own: this takes a fraction of the time of
    ``np.lexsort((keys, groups.of_row))``, which is the same.
    """
    sizes = groups.sizes
    longest = int(sizes.max(initial=0))
    if longest * len(sizes) > MOST_PADDING * len(keys):
        return np.asarray(np.lexsort((keys, groups.of_row)))
    table = np.full((len(sizes), longest), np.inf)
    used = np.arange(longest) < sizes[:, None]
    table[used] = keys[groups.order]
    places = (groups.starts[:-1, None] + np.argsort(table, axis=1, kind="stable"))[used]
    return np.asarray(groups.order[places])


def _as_values(name: str, values: Any, nan_means: str) -> FloatArray:
    vector = as_vector(name, values, finite=False)
    if len(vector) == 0:
        raise DataError(f"{name} is empty: a measure needs at least one document.", parameter=name)
    infinite = np.isinf(vector)
    if infinite.any():
        place = int(np.argmax(infinite))
        raise DataError(
            f"{name} must be finite, or NaN for {nan_means}: got {int(infinite.sum())} infinite values, the first "
            f"({vector[place]}) at position {place}.",
            parameter=name,
        )
    return vector


def _group(qid: Any, n_rows: int) -> Groups:
    if qid is not None and not isinstance(qid, Groups):
        qid = as_identifiers("qid", qid)
        check_length("qid", qid, n_rows, per="label in y")
    return group_rows(qid, n_rows)


def _compared_scores(scores: FloatArray, convention: Convention) -> FloatArray:
    """Return the scores as the convention compares them: trec_eval reads them as 32-bit numbers."""
    if convention.ties != "document id":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _tie_starts(query: IntArray, scores: FloatArray) -> IntArray:
    same = (query[1:] == query[:-1]) & (scores[1:] == scores[:-1])
    return np.flatnonzero(np.append(True, ~same)[: len(scores)])


def _order_ties_by_document(rows: IntArray, tie_starts: IntArray, groups: Groups, doc_ids: Any) -> IntArray:
    """Reorder the rows of each tie by document identifier, descending, as trec_eval does."""
    sizes = np.diff(np.append(tie_starts, len(rows)))
    tie = np.repeat(np.arange(len(sizes)), sizes)
    places = np.flatnonzero(sizes[tie] > 1)
    if len(places) == 0:
        return rows
    if doc_ids is None:
        first = groups.ids[groups.of_row[rows[places[0]]]]
        raise DataError(
            f"Convention 'trec' needs document ids to order equal scores: {int((sizes > 1).sum())} groups of documents "
            f"have equal scores (as 32-bit numbers), the first in query {first!s}.",
            remedy=f"Give the document ids: {setting('document_column', python='doc_ids')}.",
        )
    names = as_identifiers("doc_ids", doc_ids).astype(np.str_)
    check_length("doc_ids", names, groups.n_rows, per="label in y")
    tied = rows[places]
    alphabetical = np.unique(names[tied], return_inverse=True)[1]
    order = np.lexsort((-alphabetical, tie[places]))
    _check_unique(names[tied][order], tie[places])
    result = rows.copy()
    result[places] = tied[order]
    return result


def _check_unique(names: npt.NDArray[np.str_], tie: IntArray) -> None:
    repeated = (names[1:] == names[:-1]) & (tie[1:] == tie[:-1])
    if repeated.any():
        raise DataError(
            f"doc_ids must be unique within a query: {names[:-1][repeated][0]!s} appears twice with equal scores.",
            parameter="doc_ids",
        )
