"""SearchResults: the result lists that one or several engines return for queries."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.column_table import Column, ColumnTable, check_rows


@dataclass(frozen=True, eq=False, repr=False)
class SearchResults(ColumnTable):
    """Result lists, one row per result; with ``engine``, one list per query and engine.

    Each rank of a list has one result, and all rows of a query identifier have the same query text.

    >>> results = SearchResults(
    ...     query_id=[7, 7], query=["zen", "zen"], rank=[1, 2], url=["http://zen.org/", "http://b.org/x"]
    ... )
    >>> print(results.describe())
    SearchResults: 2 rows, 1 query
      query_id  1 different
      query     1 different
      rank      1 to 2
      url       2 different
    """

    query_id: Annotated[Any, Column("identifier", "query whose list contains the result")]
    query: Annotated[Any, Column("text", "text of the query as it was typed")]
    rank: Annotated[Any, Column("position", "position of the result in the list, from 1")]
    url: Annotated[Any, Column("name", "address of the result")]
    score: Annotated[Any, Column("number", "score that the engine gives the result")] = None
    engine: Annotated[Any, Column("identifier", "engine that returned the result, if there are several")] = None
    snippet: Annotated[Any, Column("text or unknown", "text that the engine shows for the result")] = None

    reading: ClassVar[Any] = None
    """Reading report, if the results were loaded from a file; not a column."""

    def _check(self) -> None:
        check_rows("rank", "whole numbers from 1, never missing", self.rank, self.rank == self.rank)
        if len(set(zip(self.query_id, self.query, strict=True))) != len(set(self.query_id)):
            self._refuse_texts()
        if len(set(self._places())) != len(self):
            self._refuse_ranks()

    def _refuse_texts(self) -> None:
        text_of: dict[str, str] = {}
        for row, (query_id, query) in enumerate(zip(self.query_id, self.query, strict=True)):
            if text_of.setdefault(query_id, query) != query:
                raise DataError(
                    f"query must be the same in all rows of a query_id: {query_id!r} has {text_of[query_id]!r}, and "
                    f"{query!r} at row {row}.",
                    remedy="Give the two queries different identifiers.",
                )

    def _refuse_ranks(self) -> None:
        seen: dict[tuple[Any, ...], int] = {}
        for row, place in enumerate(self._places()):
            if seen.setdefault(place, row) != row:
                engine = f" of engine {place[2]!r}" if self.engine is not None else ""
                raise DataError(
                    f"rank must be unique in a list: query_id {place[0]!r}{engine} has rank {place[1]:g} at "
                    f"rows {seen[place]} and {row}.",
                    remedy="Drop one, or renumber the results.",
                )

    def _places(self) -> Iterator[tuple[Any, ...]]:
        columns: list[Iterable[Any]] = [self.query_id, self.rank.tolist()]
        return zip(*columns, *([] if self.engine is None else [self.engine]), strict=True)

    def _facts(self) -> tuple[str, ...]:
        queries = counted(len(set(self.query_id)), "query", "queries")
        return (queries,) if self.engine is None else (queries, counted(len(set(self.engine)), "engine"))
