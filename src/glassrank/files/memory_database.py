"""Connections to a DuckDB database in memory that the readers and writers of this process share.

Opening a database takes longer than reading a small table. Connections see each other's tables, except temporary ones.
"""

import os
import threading
from contextlib import suppress
from functools import cache
from typing import Any

import duckdb


class _Databases:
    """The open databases by their settings.

    They are closed before the process forks, because their threads do not exist in the child, which would wait for them
    for ever.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[tuple[str, Any], ...], duckdb.DuckDBPyConnection] = {}
        os.register_at_fork(before=self._close, after_in_parent=self._lock.release, after_in_child=self._lock.release)

    def connect(self, settings: dict[str, Any]) -> duckdb.DuckDBPyConnection:
        key = tuple(sorted(settings.items()))
        with self._lock:
            if key not in self._open:
                self._open[key] = _opened(settings)
            connection = self._open[key].cursor()
            try:
                # A bar would be drawn on stdout after two seconds, in the middle of the caller's output.
                connection.execute("SET enable_progress_bar = false")
            except duckdb.Error:
                # An internal error of DuckDB makes a database unusable.
                self._open[key] = _opened(settings)
                connection = self._open[key].cursor()
                connection.execute("SET enable_progress_bar = false")
            return connection

    def _close(self) -> None:
        self._lock.acquire()
        for connection in self._open.values():
            connection.close()
        self._open.clear()


def _opened(settings: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config=settings)
    with suppress(duckdb.CatalogException):  # DuckDB before 1.3 keeps no parts of files in memory
        connection.execute("SET enable_external_file_cache = false")
    return connection


@cache
def _databases() -> _Databases:
    """Create the register when it is first needed: importing a module changes nothing."""
    return _Databases()


def connect_in_memory(**settings: Any) -> duckdb.DuckDBPyConnection:
    """Return a connection to the database with these settings; close it after use, and create only temporary tables.

    >>> with connect_in_memory(memory_limit="1GB") as connection:
    ...     connection.sql("SELECT 1 + 1").fetchall()
    [(2,)]
    """
    return _databases().connect(settings)
