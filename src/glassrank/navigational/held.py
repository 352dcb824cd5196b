"""What a table holds: columns with a value, and kinds of events."""

from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from glassrank.data.columns import ColumnTable
from glassrank.data.query_log import QueryLog


def held_by_table(table: ColumnTable) -> set[str]:
    """Names of the optional columns that hold a value at all.

    >>> from glassrank.data.search_results import SearchResults
    >>> held_by_table(SearchResults(query_id=[1], query=["q"], rank=[1], url=["u"], score=[np.nan], snippet=[""]))
    {'snippet'}
    """
    columns = {column.name: getattr(table, column.name) for column in fields(table) if column.default is not MISSING}
    return {name for name, values in columns.items() if values is not None and _any_known(values)}


def held_by_log(log: QueryLog) -> set[str]:
    """Columns with a value, kinds of events, and whether there are sessions and lists of results."""
    held = held_by_table(log) & {"position", "dwell", "time", "user", "session", "search"}
    held |= {"sessions"} if "session" in held or {"user", "time"} <= held else set()
    held |= {"lists"} if "search" in held or "sessions" in held else set()
    actions = set(log.action)
    held |= {"impressions"} if "impression" in actions else set()
    held |= {"searches"} if "search" in actions else set()
    # "search" names a column here, and no feature needs it: what it gives is called lists.
    return held - {"session", "search"}


def _any_known(values: Any) -> bool:
    if values.dtype == object:
        return any(value is not None for value in values)
    return bool(len(values)) and not bool(np.isnan(values).all())
