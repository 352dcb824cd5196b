"""Judgements: the grades of documents for queries, by the text of the query."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from glassrank.core.checks import DataError, as_vector, check_length, read_only
from glassrank.core.frames import make_frame
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import Frame
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.judgements.url_judgements import CONFLICTS, REFUSE


class JudgedRow(NamedTuple):
    """One entry of a judgement list, and where it is; without a grade, the document was not rated."""

    place: str
    query: str
    document: str | None
    grade: float | None


class UnequalGrades(NamedTuple):
    """A document with different grades for the same query, and the grade that was used."""

    query: str
    doc_id: str
    grades: tuple[float, ...]
    used: float


@dataclass(frozen=True, eq=False, repr=False)
class Judgements:
    """Grades of documents for queries, from 0 up, also fractions; a document appears once per query.

    Blanks around the text of a query do not count. ``load_judgements`` makes it; it prints what was read and merged.

    >>> judged = Judgements(query=["blue jeans ", "blue jeans"], doc_ids=["d1", "d2"], grades=[3, 0.5])
    >>> judged
    Judgements(2 documents, 1 query)
    >>> judged.query.tolist()
    ['blue jeans', 'blue jeans']
    """

    query: Any
    doc_ids: Any
    grades: Any
    unrated_queries: tuple[str, ...] = ()
    """Queries of the list without any grade."""
    n_unrated: int = 0
    """Number of documents without a grade."""
    n_merged: int = 0
    """Number of entries that repeat an earlier one with the same grade."""
    conflicts: tuple[UnequalGrades, ...] = ()
    """Documents with different grades for one query, and the grade that was chosen."""
    conflict: str = REFUSE
    """Rule that chose it."""

    def __post_init__(self) -> None:
        query = np.strings.strip(as_identifiers("query", self.query).astype(np.str_))
        doc_ids = as_identifiers("doc_ids", self.doc_ids).astype(np.str_)
        check_length("doc_ids", doc_ids, len(query), per="entry of query")
        grades = as_vector("grades", self.grades, len(query), per="entry of query")
        if (grades < 0).any():
            raise negative_grade(float(grades[np.argmax(grades < 0)]))
        check_pairs(query.tolist(), doc_ids.tolist())
        for name, values in {"query": query, "doc_ids": doc_ids, "grades": grades}.items():
            object.__setattr__(self, name, read_only(values))

    def __repr__(self) -> str:
        return f"Judgements({self._sizes()})"

    def __str__(self) -> str:
        return "\n".join([self._sizes(), *self.notes])

    def __len__(self) -> int:
        return len(self.query)

    def _sizes(self) -> str:
        return f"{counted(len(self), 'document')}, {counted(len(np.unique(self.query)), 'query', 'queries')}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on entries without a grade, repeated entries and unequal grades."""
        return tuple(_notes(self))

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns query, doc_id and grade."""
        columns = {"query": self.query.tolist(), "doc_id": self.doc_ids.tolist(), "grade": self.grades}
        return make_frame(columns, backend)


def collect_judgements(rows: Iterable[JudgedRow], conflict: str) -> Judgements:
    """Merge the entries of a list; different grades of one document are an error, or decided by a rule.

    >>> rows = [JudgedRow("1", "zen", "a", 2.0), JudgedRow("2", "zen ", "a", 1.0), JudgedRow("3", "tao", None, None)]
    >>> print(collect_judgements(rows, "highest"))
    1 document, 1 query
    1 query has no grade, such as 'tao'.
    1 document has different grades for one query; the highest counts, such as 2 of 2, 1 for 'a' ('zen').
    """
    grades: dict[tuple[str, str], list[float]] = {}
    place: dict[tuple[str, str], str] = {}
    queries: dict[str, None] = {}
    n_unrated = 0
    for row in rows:
        query = row.query.strip()
        if not query:
            raise DataError(f"{row.place}: the query is empty.", remedy="Write its text, or remove the entry.")
        queries[query] = None
        if row.grade is None:
            n_unrated += row.document is not None
            continue
        if not row.document:
            raise DataError(f"{row.place}: the grade {row.grade:g} belongs to no document.", remedy="Name it.")
        pair = (query, row.document)
        grades.setdefault(pair, []).append(row.grade)
        if conflict == REFUSE and grades[pair][-1] != grades[pair][0]:
            raise _unequal(pair, grades[pair], row.place, place[pair])
        place.setdefault(pair, row.place)
    if not grades:
        raise DataError(
            f"The list contains no grade: {counted(len(queries), 'query', 'queries')}, {n_unrated:,} documents."
        )
    graded = {query for query, _ in grades}
    unequal = {pair: own for pair, own in grades.items() if len(set(own)) > 1}
    used = {pair: CONFLICTS[conflict](own) for pair, own in unequal.items()}
    return Judgements(
        [query for query, _ in grades],
        [document for _, document in grades],
        [used.get(pair, own[0]) for pair, own in grades.items()],
        unrated_queries=tuple(query for query in queries if query not in graded),
        n_unrated=n_unrated,
        n_merged=sum(len(own) - 1 for pair, own in grades.items() if pair not in unequal),
        conflicts=tuple(UnequalGrades(*pair, tuple(own), used[pair]) for pair, own in unequal.items()),
        conflict=conflict,
    )


def check_pairs(queries: list[str], documents: list[str]) -> None:
    """Raise an error for an empty query, and for a document that appears twice in a query."""
    seen = set()
    for row, pair in enumerate(zip(queries, documents, strict=True)):
        if not pair[0]:
            raise DataError(f"query must not be empty: got '' at position {row}.", parameter="query", got="")
        if pair in seen:
            raise DataError(
                f"Document {pair[1]!r} appears in query {pair[0]!r} twice, the second time at position {row}.",
                remedy="Keep one of them.",
            )
        seen.add(pair)


def negative_grade(grade: float, place: str = "") -> DataError:
    """Return the error for a grade below 0."""
    at = f"{place}: " if place else ""
    return DataError(
        f"{at}a grade must not be negative: got {grade:g}.",
        expected="0 or more",
        got=grade,
        remedy="Decide what it means: write 0 for a document that is not relevant, or remove one that was not judged.",
    )


def _unequal(pair: tuple[str, str], grades: list[float], place: str, first: str) -> DataError:
    return DataError(
        f"{place}: document {pair[1]!r} has the grade {grades[-1]:g} for query {pair[0]!r}, but {grades[0]:g} at "
        f"{first}.",
        parameter="conflict",
        remedy=("Correct the judgements", f"choose a rule, such as {setting('conflict', 'median')}"),
    )


def _notes(found: Judgements) -> Iterator[str]:
    if found.unrated_queries:
        have = counted(len(found.unrated_queries), "query has", "queries have")
        yield f"{have} no grade, such as {found.unrated_queries[0]!r}."
    if found.n_unrated:
        yield f"{counted(found.n_unrated, 'document has', 'documents have')} no grade: left out."
    if found.n_merged:
        yield f"{counted(found.n_merged, 'entry repeats', 'entries repeat')} another with the same grade: merged."
    if found.conflicts:
        first = found.conflicts[0]
        have = counted(len(found.conflicts), "document has", "documents have")
        values = ", ".join(f"{grade:g}" for grade in first.grades)
        yield (
            f"{have} different grades for one query; the {found.conflict} counts, such as {first.used:g} of {values} "
            f"for {first.doc_id!r} ({first.query!r})."
        )
