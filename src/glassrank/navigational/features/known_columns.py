"""The optional columns of a table that have values."""

from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from glassrank.data.column_table import ColumnTable


def held_by_table(table: ColumnTable) -> set[str]:
    """Return the names of the optional columns that have any value.

    >>> from glassrank.data.search_results import SearchResults
    >>> held_by_table(SearchResults(query_id=[1], query=["q"], rank=[1], url=["u"], score=[np.nan], snippet=[""]))
    {'snippet'}
    """
    columns = {column.name: getattr(table, column.name) for column in fields(table) if column.default is not MISSING}
    return {name for name, values in columns.items() if values is not None and _any_known(values)}


def _any_known(values: Any) -> bool:
    if values.dtype == object:
        return any(value is not None for value in values)
    return bool(len(values)) and not bool(np.isnan(values).all())
