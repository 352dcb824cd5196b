"""QueryLog: searches, impressions and clicks, and the rules that every reader and writer of a log follows.

Columns are declared by the fields of ``QueryLog``; the rules between columns are declared once, here.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.column_table import KINDS, Column, ColumnTable, Numbers, check_rows

ACTIONS = ("search", "impression", "click", "add_to_cart", "purchase")
SEARCH, IMPRESSION, CLICK, *CONVERSIONS = ACTIONS
PLURALS = {SEARCH: "searches", "add_to_cart": "add_to_cart", "query": "queries"}
ONE_PER_SEARCH = ("query", "user", "session")
"""Columns that have one value in all events of a search."""
# Nobody types a longer query. Longer ones come from programs, and would cost time and memory in every comparison.
MAX_QUERY_LENGTH = 4096


@dataclass(frozen=True)
class OnlyFor:
    """The actions that have a value in a column, and a name for the others."""

    actions: tuple[str, ...]
    others: str


ONLY_FOR = {
    "url": OnlyFor(ACTIONS[1:], "a search"),
    "position": OnlyFor(ACTIONS[1:], "a search"),
    "dwell": OnlyFor((CLICK,), "events other than clicks"),
}
"""Columns in which only some actions have a value."""


@dataclass(frozen=True, eq=False, repr=False)
class QueryLog(ColumnTable):
    """Events of a search log, one row each: a search, or a result that was shown, clicked, put into a cart or bought.

    All columns except ``query``, ``action`` and ``url`` are optional, and so is each kind of event: many logs contain
    clicks only.

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
    action: Annotated[Any, Column("name", ", ".join(ACTIONS))]
    url: Annotated[Any, Column("text", "address of the result, '' for a search")]
    time: Annotated[Any, Column("time", "time of the event")] = None
    user: Annotated[Any, Column("identifier", "user who searched")] = None
    session: Annotated[Any, Column("identifier", "session that the event belongs to")] = None
    search: Annotated[Any, Column("identifier", "search, with its result list, that the event belongs to")] = None
    position: Annotated[Any, Column("position", "position of the result in the list, from 1; none for a search")] = None
    dwell: Annotated[Any, Column("duration", "seconds spent on the result after a click")] = None

    reading: ClassVar[Any] = None
    """Reading report, if the log was loaded from files; not a column."""

    def _check(self) -> None:
        check_rows("action", EXPECTED["action"], self.action, np.isin(self.action, ACTIONS))
        for name, only_for in ONLY_FOR.items():
            values, has_value = getattr(self, name), np.isin(self.action, only_for.actions)
            if name == "url":
                check_rows(name, EXPECTED[name], values, (values != "") == has_value)
            elif values is not None:
                check_rows(name, f"NaN for {only_for.others}", values, np.isnan(values) | has_value)
        if self.search is not None:
            for name in ONE_PER_SEARCH:
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
        return tuple(counted(count, action, PLURALS.get(action)) for action, count in self.counts().items())

    def counts(self) -> dict[str, int]:
        """Number of searches, impressions and clicks, and of each other action that occurs."""
        return shown_counts(Counter(self.action.tolist()))


def shown_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the number of events of each action; only shops have carts, so others need no zero for them."""
    return {action: counts.get(action, 0) for action in ACTIONS if action not in CONVERSIONS or counts.get(action)}


COLUMNS = QueryLog.declared()
REQUIRED = tuple(QueryLog.required())
IDENTIFIERS = tuple(name for name, column in COLUMNS.items() if column.kind == "identifier")
NUMBERS: dict[str, Numbers] = {
    name: kind for name, column in COLUMNS.items() if isinstance(kind := KINDS[column.kind], Numbers)
}
"""Columns of numbers, with their limits; the others are texts."""
EXPECTED = {
    "query": KINDS[COLUMNS["query"].kind].expected,
    "action": f"one of {', '.join(ACTIONS)}",
    "url": f"'' for {ONLY_FOR['url'].others} and an address otherwise",
    "position": f"whole numbers from 1, none for {ONLY_FOR['position'].others}",
    "dwell": f"seconds from 0 to 1e9, none for {ONLY_FOR['dwell'].others}",
    "time": KINDS[COLUMNS["time"].kind].expected,
}
"""Column → expected values, for messages."""
