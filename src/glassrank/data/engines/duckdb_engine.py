"""Tables in a DuckDB file on disk, for data larger than memory on one machine."""

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw

from glassrank.core.checks import DataError, check_positive
from glassrank.data.csv_dialect import DELIMITERS, CsvText
from glassrank.data.delimited import duckdb_options
from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.data.engine import Engine, check_csv, is_remote
from glassrank.data.frame_columns import FrameColumns, check_names, quote_name
from glassrank.data.parquet_schema import open_parquet
from glassrank.files.atomic_files import written_whole
from glassrank.files.work_folder import open_work_folder

_PATTERN_CHARACTERS = set("*?[")


class DuckDBEngine(Engine):
    """Tables in a DuckDB file inside a temporary folder, which is removed when the engine is closed.

    ``folder`` is where the temporary folder is created (default: the system's temporary folder); choose a disk with
    enough space. Beyond ``memory_limit`` DuckDB spills to that folder. The limit covers DuckDB's buffers, not the whole
    process, so leave a quarter free: the default is meant for a process of 2 GB.

    >>> import polars
    >>> with DuckDBEngine() as engine:
    ...     links = engine.take(polars.DataFrame({"source": ["a", "b"], "target": ["c", "c"]}), "links")
    ...     counts = engine.run(lambda frame: frame.group_by("target").agg(nw.len().alias("n")), links, name="counts")
    ...     engine.rows(counts), engine.names
    ([{'target': 'c', 'n': 2}], ('links', 'counts'))
    """

    name = "duckdb"

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        memory_limit: str = "1.5GB",
        threads: int | None = None,
    ) -> None:
        super().__init__()
        if threads is not None:
            check_positive("threads", threads, whole=True)
        if folder is not None and not os.path.isdir(folder):
            raise DataError(
                parameter="folder", expected="a folder that exists", got=os.fspath(folder), remedy="Create it first."
            )
        self._folder = open_work_folder(folder)
        # The order of rows does not matter here, and preserving it would cost memory. Object arrays contain text.
        settings: dict[str, Any] = {
            "memory_limit": memory_limit,
            "preserve_insertion_order": False,
            "pandas_analyze_sample": 0,
        }
        settings |= {"temp_directory": os.path.join(self._folder.name, "spill")}
        if threads is not None:
            settings["threads"] = threads
        with ExitStack() as opened:
            opened.callback(self._folder.cleanup)
            with duckdb_errors("DuckDB cannot be opened"):
                self._connection = duckdb.connect(os.path.join(self._folder.name, "tables.duckdb"), config=settings)
            opened.pop_all()
        # DuckDB would draw a progress bar on stdout after two seconds, in the middle of the caller's output.
        self._connection.execute("SET enable_progress_bar = false")

    def number(self, frame: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
        return nw.from_native(frame.to_native().project(f"*, row_number() OVER () AS {quote_name(column)}"))

    def columns(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        with _as_data_error():
            source = FrameColumns(frame.to_native())
        return source.fetch(readable_kinds(source, None), once=True)

    def rows(self, frame: nw.LazyFrame[Any]) -> list[dict[str, Any]]:
        with _as_data_error():
            relation = frame.to_native()
            return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]

    def write(self, frame: nw.LazyFrame[Any], path: str | os.PathLike[str]) -> None:
        with written_whole(path) as temporary, _as_data_error():
            frame.to_native().write_parquet(str(temporary), use_tmp_file=False)

    def keep_columns(self, columns: Mapping[str, Any], name: str) -> nw.LazyFrame[Any]:
        """Store arrays (int64, float64, or Python strings) as a table."""
        # DuckDB finds the arrays by the name of this variable. Aliases, because a key may be any text.
        arrays = {f"c{number}": values for number, values in enumerate(columns.values())}
        casts = [
            f"CAST({alias} AS {_sql_type(values)}) AS {quote_name(column)}"
            for (alias, values), column in zip(arrays.items(), columns, strict=True)
        ]
        with _as_data_error():
            self._connection.sql(f"SELECT {', '.join(casts)} FROM arrays").create(name)
        return self._table(name)

    def _scan(self, path: str | os.PathLike[str], kind: str) -> nw.LazyFrame[Any]:
        place = self._plain_name(path)
        with _as_data_error(path):
            if kind == "parquet":
                place = os.path.join(place, "*.parquet") if os.path.isdir(path) else place
                return nw.from_native(open_parquet(self._connection, place, path))
            text = self._remote_header(path, kind) if is_remote(path) else check_csv(path, kind)
            check_names(list(text.names), ignore_case=True)
            options = duckdb_options(text.names, DELIMITERS[kind], parallel=not text.has_quoted_line_breaks)
            relation = self._connection.read_csv(place, **options)
            named = ", ".join(f"c{number} AS {quote_name(name)}" for number, name in enumerate(text.names))
            return nw.from_native(relation.project(named))

    def _remote_header(self, path: str | os.PathLike[str], kind: str) -> CsvText:
        """Return the first line of a file that only DuckDB can open."""
        line = {**duckdb_options([""], "\x01"), "header": False, "quotechar": "", "escapechar": ""}
        first = self._connection.read_csv(os.fspath(path), **line).limit(1).fetchone()
        header = "" if first is None else first[0] or ""
        return CsvText(BytesIO(header.encode()), DELIMITERS[kind], path)

    def _plain_name(self, path: str | os.PathLike[str]) -> str:
        """Return a path that DuckDB does not treat as a pattern: a link in the engine's folder if necessary."""
        name = os.fspath(path)
        if is_remote(path) or not _PATTERN_CHARACTERS & set(name):
            return name
        suffixes = "".join(Path(name).suffixes[-2:])
        link = os.path.join(self._folder.name, f"scanned-{secrets.token_hex(8)}{suffixes}")
        os.symlink(os.path.abspath(name), link)
        return self._plain_name(link)

    def _take(self, frame: Any, name: str, columns: Sequence[str] | None) -> nw.LazyFrame[Any]:
        if isinstance(frame, Mapping):
            return self.keep_columns(frame, name)
        source = FrameColumns(frame)
        if isinstance(frame, duckdb.DuckDBPyRelation):
            return self._take_relation(frame, name, list(source.names if columns is None else columns))
        return self.keep_columns(source.fetch(readable_kinds(source, columns)), name)

    def _take_relation(self, relation: Any, name: str, columns: Sequence[str]) -> nw.LazyFrame[Any]:
        """Copy a relation through a file, because relations of different connections cannot be joined."""
        passed = os.path.join(self._folder.name, f"{name}.parquet")
        with _as_data_error():
            relation.project(", ".join(map(quote_name, columns))).write_parquet(passed)
            self._connection.read_parquet(passed).create(name)
        os.remove(passed)
        return self._table(name)

    def _keep(self, frame: nw.LazyFrame[Any], name: str) -> nw.LazyFrame[Any]:
        with _as_data_error():
            frame.to_native().create(name)
        return self._table(name)

    def _table(self, name: str) -> nw.LazyFrame[Any]:
        """Return a table that was just created; if the disk is full, DuckDB may report the failure only here."""
        with _as_data_error():
            return nw.from_native(self._connection.table(name))

    def _free(self, name: str, frame: nw.LazyFrame[Any]) -> None:
        with _as_data_error():
            self._connection.execute(f"DROP TABLE {quote_name(name)}")

    def _close(self) -> None:
        self._connection.close()
        self._folder.cleanup()


def readable_kinds(source: FrameColumns, columns: Sequence[str] | None) -> dict[str, str]:
    """Return the kind as which each column is fetched: identifier (text or whole number), number or time."""
    names = source.names if columns is None else tuple(columns)
    missing = [name for name in names if name not in source.names]
    if missing:
        raise DataError(f"The table must have a column {missing[0]!r}: got {', '.join(map(repr, source.names))}.")
    return {name: next((kind for kind in _KINDS if source.can_fetch(name, kind)), "number") for name in names}


# In this order, because text and whole numbers are identifiers, and times are not.
_KINDS = ("identifier", "number", "time")


def _sql_type(values: Any) -> str:
    return {"i": "BIGINT", "f": "DOUBLE"}.get(values.dtype.kind, "VARCHAR")


def _as_data_error(path: str | os.PathLike[str] | None = None) -> AbstractContextManager[None]:
    """Turn DuckDB's errors (damaged file, disk full, out of memory) into a one-sentence DataError."""
    return duckdb_errors(f"{'' if path is None else f'{path}: '}DuckDB cannot read or store the table")
