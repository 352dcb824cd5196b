"""Joins a feature log with judgements: ranking data to train on, and what did not match."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.data.feature_logs.feature_log import FeatureLog
from glassrank.data.judgements.judgements import Judgements
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import write_atomically
from glassrank.files.csv_text import csv_text

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class JudgedLog:
    """Ranking data from a feature log and judgements, and the documents that only one of them has; prints both.

    ``join_judgements`` makes it.

    >>> log = FeatureLog(["zen", "zen"], ["d1", "d3"], [[7.5], [3.0]], ["bm25"])
    >>> found = join_judgements(log, Judgements(["zen", "zen"], ["d1", "d9"], [3, 1]))
    >>> found.not_logged, found.not_judged, found.tied_queries
    ((('zen', 'd9'),), (('zen', 'd3'),), ('zen',))
    """

    data: RankingData
    """One row per document that is logged and judged: the text of the query as ``qid``, the grade as label."""
    not_logged: tuple[Pair, ...]
    """Query and document of judgements that are not in the log."""
    not_judged: tuple[Pair, ...]
    """Query and document of rows of the log without a judgement."""
    tied_queries: tuple[str, ...]
    """Queries of the data with fewer than two different grades: they are kept, and have no pair to learn from."""

    def __repr__(self) -> str:
        return f"JudgedLog({self.data!r}, {len(self.not_logged):,} not logged, {len(self.not_judged):,} not judged)"

    def __str__(self) -> str:
        return "\n".join([f"{counted(self.data.n_rows, 'document')} judged and logged", *self.notes])

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on documents that did not match, and on queries with one grade."""
        return tuple(_notes(self))

    def mismatches(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns problem, query and doc_id, one row per document or query not used."""
        return make_frame(self._mismatches(), backend)

    def save_mismatches(self, path: str | os.PathLike[str]) -> None:
        """Write ``mismatches`` to a CSV file."""
        columns = self._mismatches()
        write_atomically(path, csv_text(columns, zip(*columns.values(), strict=True)).encode())

    def _mismatches(self) -> dict[str, list[str]]:
        rows = [("not logged", *pair) for pair in self.not_logged]
        rows += [("not judged", *pair) for pair in self.not_judged]
        rows += [("one grade", query, "") for query in self.tied_queries]
        return {name: [row[k] for row in rows] for k, name in enumerate(("problem", "query", "doc_id"))}

    def to_json(self) -> str:
        """Return the numbers of rows and queries, and everything that did not match, as JSON."""
        return json.dumps(
            {
                "n_rows": self.data.n_rows,
                "n_queries": self.data.n_queries,
                "not_logged": self.not_logged,
                "not_judged": self.not_judged,
                "tied_queries": self.tied_queries,
            }
        )


def join_judgements(log: FeatureLog, judgements: Judgements) -> JudgedLog:
    """Join logged features with grades by the text of the query and the document; rows keep the order of the log.

    Blanks around a query do not count; otherwise texts must be equal. Missing values stay missing.

    >>> log = FeatureLog(["zen", "zen", "zen"], ["d1", "d2", "d3"], [[7.5], [1.25], [3.0]], ["bm25"])
    >>> joined = join_judgements(log, Judgements(["zen", "zen", "zen"], ["d2", "d1", "d9"], [0, 3, 1]))
    >>> print(joined)
    2 documents judged and logged
    1 document is judged but not logged, such as 'd9' ('zen').
    1 document is logged but not judged, such as 'd3' ('zen'): left out.
    >>> joined.data.y.tolist(), joined.data.X.tolist()
    ([3.0, 0.0], [[7.5], [1.25]])
    """
    logged, judged = _pairs(log), _pairs(judgements)
    grades = dict(zip(judged, judgements.grades.tolist(), strict=True))
    rows = [row for row, pair in enumerate(logged) if pair in grades]
    if not rows:
        raise _nothing_in_common(log, judgements)
    chosen = np.array(rows)
    data = RankingData(
        log.X[chosen],
        [grades[logged[row]] for row in rows],
        log.query[chosen],
        log.doc_ids[chosen],
        log.feature_names,
    )
    known = set(logged)
    return JudgedLog(
        data,
        not_logged=tuple(pair for pair in judged if pair not in known),
        not_judged=tuple(pair for pair in logged if pair not in grades),
        tied_queries=tuple(_tied(data)),
    )


def _pairs(table: FeatureLog | Judgements) -> list[Pair]:
    return list(zip(table.query.tolist(), table.doc_ids.tolist(), strict=True))


def _tied(data: RankingData) -> Iterator[str]:
    for number, query in enumerate(data.groups.ids.tolist()):
        own = data.y[data.groups.rows(number)]
        if (own == own[0]).all():
            yield query


def _nothing_in_common(log: FeatureLog, judgements: Judgements) -> DataError:
    query, judged = str(log.query[0]), str(judgements.query[0])
    if set(log.query.tolist()) & set(judgements.query.tolist()):
        problem = (
            "No judged document is in the log, although queries are: the log begins with document "
            f"{str(log.doc_ids[0])!r}, the judgements with {str(judgements.doc_ids[0])!r}."
        )
    else:
        problem = f"No judged query is in the log: the log begins with {query!r}, the judgements with {judged!r}."
    return DataError(problem, remedy="Give both the same texts of queries and identifiers of documents.")


def _notes(joined: JudgedLog) -> Iterator[str]:
    if joined.not_logged:
        are = counted(len(joined.not_logged), "document is", "documents are")
        yield f"{are} judged but not logged, {_example(joined.not_logged)}."
    if joined.not_judged:
        are = counted(len(joined.not_judged), "document is", "documents are")
        yield f"{are} logged but not judged, {_example(joined.not_judged)}: left out."
    if joined.tied_queries:
        have = counted(len(joined.tied_queries), "query has", "queries have")
        yield f"{have} fewer than two different grades, such as {joined.tied_queries[0]!r}: no pair to learn from."


def _example(pairs: Sequence[Pair]) -> str:
    return f"such as {pairs[0][1]!r} ({pairs[0][0]!r})"
