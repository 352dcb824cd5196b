"""QueryLog: what was asked, shown and clicked."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.column_table import Column, ColumnTable, refuse_rows

ACTIONS = ("search", "impression", "click")
# Nobody types a longer query; what pretends to is a program's, and would cost time and memory in every comparison.
LONGEST_QUERY = 4096


@dataclass(frozen=True, eq=False, repr=False)
class QueryLog(ColumnTable):
    """Events of a search log, one row each: a query was issued, a result was shown, a result was clicked.

    A log may lack any column but ``query``, ``action`` and ``url``, and any kind of event: many hold clicks only.

    >>> log = QueryLog(
    ...     query=["zen", "zen", "zen"],
    ...     action=["search", "impression", "click"],
    ...     url=["", "http://zen.org/", "http://zen.org/"],
    ...     position=[np.nan, 1, 1],
    ... )
    >>> print(log.describe())
    QueryLog: 3 rows, 1 search, 1 impression, 1 click
      query     1 different
      action    3 different
      url       2 different, 1 empty
      position  1 to 1, 1 unknown
    """

    query: Annotated[Any, Column("name", "text of the query as it was typed")]
    action: Annotated[Any, Column("name", "search, impression or click")]
    url: Annotated[Any, Column("text", "address of the result, '' for a search")]
    time: Annotated[Any, Column("time", "time of the event")] = None
    user: Annotated[Any, Column("identifier", "who asked")] = None
    session: Annotated[Any, Column("identifier", "visit that the event belongs to")] = None
    search: Annotated[
        Any, Column("identifier", "the one search, with its list of results, that the event belongs to")
    ] = None
    position: Annotated[Any, Column("position", "place of the result in the list, from 1; none for a search")] = None
    dwell: Annotated[Any, Column("duration", "seconds spent on the result after a click")] = None

    reading: ClassVar[Any] = None
    """How the log was read, where it was loaded from files; no column."""

    def _check(self) -> None:
        refuse_rows("action", f"one of {', '.join(ACTIONS)}", self.action, np.isin(self.action, ACTIONS))
        is_search = self.action == "search"
        refuse_rows("url", "'' for a search and an address otherwise", self.url, (self.url == "") == is_search)
        if self.position is not None:
            refuse_rows("position", "NaN for a search", self.position, np.isnan(self.position) | ~is_search)
        if self.dwell is not None:
            is_click = self.action == "click"
            refuse_rows("dwell", "NaN for all events but clicks", self.dwell, np.isnan(self.dwell) | is_click)
        if self.search is not None:
            for name in ("query", "user", "session"):
                if getattr(self, name) is not None:
                    self._check_one_per_search(name)

    def _check_one_per_search(self, name: str) -> None:
        first: dict[str, str] = {}
        for row, (search, value) in enumerate(zip(self.search, getattr(self, name), strict=True)):
            if first.setdefault(search, value) != value:
                raise DataError(
                    f"{name} must be the same in all events of a search: search {search!r} has {first[search]!r}, "
                    f"and {value!r} at row {row}."
                )

    def _facts(self) -> tuple[str, ...]:
        count = {action: int((self.action == action).sum()) for action in ACTIONS}
        return (
            counted(count["search"], "search", "searches"),
            counted(count["impression"], "impression"),
            counted(count["click"], "click"),
        )
