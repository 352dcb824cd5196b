"""Conversion of DuckDB's errors (full disk, out of memory, damaged file) to DataErrors."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from glassrank.core.checks import DataError


def first_line(error: BaseException) -> str:
    """Return the first line of DuckDB's message, without the query and the hints that follow."""
    return str(error).strip().splitlines()[0].rstrip(".")


@contextmanager
def duckdb_errors(what: str, kinds: type[duckdb.Error] = duckdb.Error) -> Iterator[None]:
    """Turn DuckDB's errors of these kinds in the block into a DataError whose message begins with ``what``.

    >>> with duckdb_errors("DuckDB cannot read the table"):
    ...     duckdb.sql("SELECT 1 +")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: DuckDB cannot read the table: Parser Error: syntax error at end of input.
    """
    try:
        yield
    except kinds as error:
        raise DataError(f"{what}: {first_line(error)}.") from error
