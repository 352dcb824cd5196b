"""A temporary database in which rows are staged, checked and sorted."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Self

import duckdb
import numpy as np

from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.data.frame_columns import quote_name
from glassrank.data.logs.log_file import LogFile, Record
from glassrank.data.logs.log_reading import LogTally, check_balance
from glassrank.data.logs.schemas import SchemaPart
from glassrank.data.reading_report import SHOWN_EXAMPLES
from glassrank.files.atomic_files import written_whole
from glassrank.files.work_folder import open_work_folder

# Kinds of faults that prevent a row from being staged.
UNSTAGED = (
    "line too long",
    "wrong number of fields",
    "not a JSON object",
    "invalid quoting",
    "list or object instead of text",
    "bulk action without a document",
)
# DuckDB spills to disk beyond this limit; together with the batches in Python the process stays below 2 GB.
_MEMORY = "1GB"
# Each thread takes its own buffers from the same memory.
_MAX_THREADS = 4
_BATCH_ROWS = 50_000
_BATCH_CHARACTERS = 16_000_000
# Small row groups, because each thread keeps one in memory while compressing it.
_PARQUET = "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 30_720, USE_TMP_FILE false"
# The position of a row among all files as one number; a file has fewer than 2⁴⁴ lines.
PLACE = f"(CAST(file AS BIGINT) * {1 << 44} + line)"


class Staging:
    """The staged tables, the files they come from, and the tally of faults."""

    def __init__(self, tally: LogTally) -> None:
        self.tally = tally
        self.files: list[LogFile] = []
        self._staged = 0
        self._dropped: Counter[str] = Counter()
        self._folder = open_work_folder()
        # Object arrays always contain text, but DuckDB would infer numbers from a sample of None. Rows are sorted at
        # the end, because preserving the order throughout would cost memory.
        settings: dict[str, Any] = {
            "pandas_analyze_sample": 0,
            "temp_directory": os.path.join(self._folder.name, "spill"),
            "memory_limit": _MEMORY,
            "threads": min(os.cpu_count() or 1, _MAX_THREADS),
            "preserve_insertion_order": False,
        }
        with ExitStack() as opened:
            opened.callback(self._folder.cleanup)
            with _staging_errors():
                self.connection = duckdb.connect(os.path.join(self._folder.name, "rows.duckdb"), config=settings)
            opened.pop_all()
        # DuckDB would draw a progress bar on stdout after two seconds, in the middle of the caller's output.
        self.connection.execute("SET enable_progress_bar = false")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self._folder.cleanup()

    @property
    def rows(self) -> int:
        """Number of rows read, including those that could not be split into fields."""
        return self._staged + self.tally.counted(*UNSTAGED)

    @property
    def source(self) -> str:
        """Names of the files."""
        return ", ".join(file.path for file in self.files)

    def check_rows(self, table: str, rows: str = "TRUE") -> int:
        """Check that each staged row was dropped or gave one of these rows of a table; return the table's size."""
        ((left, size),) = self.fetch(f"SELECT count(*) FILTER ({rows}), count(*) FROM {table}")
        check_balance(self.source, "rows", self._staged, left + self._dropped.total())
        return int(size)

    def check_kept(self, tables: Sequence[str], made: int) -> None:
        """Check that every row of the first table is in the last one or was dropped."""
        ((left,),) = self.fetch(f"SELECT count(*) FROM {tables[-1]}")
        check_balance(self.source, "rows", made, left + sum(self._dropped[table] for table in tables))

    def run(self, statement: str) -> None:
        """Run a statement; DuckDB's errors (disk full, out of memory) become a one-sentence DataError."""
        self.fetch(statement)

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with _staging_errors():
            return self.connection.execute(query).fetchall()

    def arrays(self, query: str) -> dict[str, Any]:
        """Return the columns of a query: float64 with NaN, or Python strings with None, for missing values."""
        with _staging_errors():
            found = self.connection.execute(query).fetchnumpy()
        return {name: _filled(values) for name, values in found.items()}

    def write(self, query: str, path: str | os.PathLike[str]) -> None:
        """Write the rows of a query as Parquet, completely or not at all."""
        with written_whole(path) as temporary:
            self.run(f"COPY ({query}) TO {_quoted(str(temporary))} ({_PARQUET})")

    def add_file(self, file: LogFile, part: SchemaPart, names: Mapping[str, str | None]) -> None:
        """Stage the records of a file in the tables of their schema parts; the table of ``part`` may remain empty."""
        self.files.append(file)
        self._create_table(part)
        for batch in _batches(file.records(part, names, self.tally)):
            self._staged += len(batch)
            for each in file.parts(part):
                rows = [record for record in batch if record[0] is each]
                if rows:
                    self._create_table(each)
                    self._insert(each, rows)

    def rebuild(self, table: str, query: str) -> None:
        """Replace a table with the rows of a query; updating every row would be slower and take more memory."""
        self.run(f"CREATE TABLE rebuilt AS {query}")
        self.run(f"DROP TABLE {table}")
        self.run(f"ALTER TABLE rebuilt RENAME TO {table}")

    @contextmanager
    def among(self, query: str) -> Iterator[str]:
        """Yield a condition that is true for the rows whose ``rowid`` a query returns."""
        self.run(f"CREATE TABLE found AS SELECT id FROM ({query}) AS rows_of (id)")
        yield "rowid IN (SELECT id FROM found)"
        self.run("DROP TABLE found")

    def has(self, table: str) -> bool:
        """Return whether there is a table of this name."""
        return self.fetch(f"SELECT 1 FROM duckdb_tables() WHERE table_name = {_quoted(table)}") != []

    def keep_only(self, *tables: str) -> None:
        """Drop all tables except these."""
        for (name,) in self.fetch("SELECT table_name FROM duckdb_tables()"):
            if name not in tables:
                self.run(f"DROP TABLE {name}")

    def count(self, kind: str, shown: str, condition: str, table: str = "events") -> int:
        """Count the rows of a table that match a condition, with ``shown`` of the first ones as examples."""
        ((count,),) = self.fetch(f"SELECT count(*) FROM {table} WHERE {condition}")
        if count:
            # Long values are cut inside the database, because an example does not need a megabyte.
            found = self.fetch(
                f"SELECT file, line, substr(CAST({shown} AS VARCHAR), 1, 80) FROM {table} WHERE {condition} "
                f"ORDER BY ALL LIMIT {SHOWN_EXAMPLES}"
            )
            self.tally.add(kind, count, [(self.files[file].place(line), value) for file, line, value in found])
        return int(count)

    def drop(self, kind: str, shown: str, condition: str, table: str = "events") -> None:
        """Count the rows that match a condition, and delete them."""
        count = self.count(kind, shown, condition, table)
        if count:
            ((deleted,),) = self.fetch(f"DELETE FROM {table} WHERE {condition}")
            check_balance(self.source, "rows", count, deleted)
            self._dropped[table] += count

    def empty(self, kind: str, column: str, condition: str, shown: str = "") -> None:
        """Count the events that match a condition, and set their value in a column to unknown."""
        if self.count(kind, shown or column, condition):
            self.run(f"UPDATE events SET {column} = NULL WHERE {condition}")

    def insert(self, table: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Append text columns to a table."""
        # DuckDB finds the arrays by the name of this variable.
        arrays = {name: np.array(values, dtype=object) for name, values in columns.items()}
        names = ", ".join(f"CAST({name} AS VARCHAR)" for name in arrays)
        with _staging_errors():
            self.connection.execute(f"INSERT INTO {table} SELECT {names} FROM arrays")

    def _create_table(self, part: SchemaPart) -> None:
        columns = ", ".join(f"{quote_name(column)} VARCHAR" for column in part.columns)
        self.run(f"CREATE TABLE IF NOT EXISTS {part.table} (file INTEGER, line BIGINT, {columns})")

    def _insert(self, part: SchemaPart, batch: Sequence[Record]) -> None:
        texts = zip(*(values for _, _, values in batch), strict=True)
        columns = {f"c{place}": values for place, values in enumerate(texts)}
        lines = [str(line) for _, line, _ in batch]
        self.insert(part.table, {"file": [str(len(self.files) - 1)] * len(batch), "line": lines, **columns})


def _staging_errors() -> AbstractContextManager[None]:
    """Turn operational errors (disk full, out of memory) into a DataError; other errors would be bugs in glassrank."""
    return duckdb_errors("DuckDB cannot stage the rows", duckdb.OperationalError)


def _batches(records: Iterable[Record]) -> Iterable[list[Record]]:
    """Yield batches that are bounded in rows and in characters."""
    batch: list[Record] = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += sum(len(value) for value in record[2] if value is not None)
        if len(batch) == _BATCH_ROWS or characters > _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def repeated_rows(table: str, columns: str, order: str) -> str:
    """Return SQL for the ``rowid`` of every row that equals an earlier row (by ``order``) in these columns.

    Only rows with the same hash are compared in full, so that few texts are kept in memory.
    """
    shared = f"SELECT hash({columns}) AS h FROM {table} GROUP BY h HAVING count(*) > 1"
    return (
        f"SELECT rowid FROM {table} WHERE hash({columns}) IN ({shared}) "
        f"QUALIFY row_number() OVER (PARTITION BY {columns} ORDER BY {order}) > 1"
    )


def _filled(values: Any) -> Any:
    if values.dtype == object:
        texts = np.ma.getdata(values).astype(object)
        texts[np.ma.getmaskarray(values)] = None
        return texts
    return np.ma.filled(values.astype(np.float64), np.nan)
