"""Engine: hides the backend that stores tables, so that everything else is a function from table to table.

Tables are Narwhals lazy frames. Computations on them are written once and run on every engine.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import narwhals as nw

from glassrank.core.checks import DataError, check_choice
from glassrank.data.csv_dialect import DELIMITERS, CsvText
from glassrank.files.input_files import check_regular, open_input, packing_of

SCANNED = {".parquet": "parquet", ".csv": "csv", ".tsv": "tsv"}

# Name → module and class, loaded on demand, because Spark is an extra
_ENGINES = {
    "duckdb": ("glassrank.data.engines.duckdb_engine", "DuckDBEngine"),
    "spark": ("glassrank.data.engines.spark_engine", "SparkEngine"),
}


class Engine(ABC):
    """Scans files, stores and drops named tables, and loads small results into memory.

    A chain of lazy tables is recomputed each time it is evaluated, and in a loop its cost doubles with every step:
    ``materialise`` a table that is used twice, and ``drop`` it when it is no longer needed. An engine is a context
    manager; leaving it removes every table and every temporary file.
    """

    name: str

    def __init__(self) -> None:
        self._tables: dict[str, nw.LazyFrame[Any]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the stored tables."""
        return tuple(self._tables)

    def scan(self, path: str | os.PathLike[str]) -> nw.LazyFrame[Any]:
        """Scan a file (``.parquet``, ``.csv``, ``.tsv``, the latter two also ``.gz``) or a folder of Parquet files.

        Local CSV and TSV files are first checked against the package's dialect from start to end. Their columns are
        text, and an empty field is null; the caller casts them to other types. NaN becomes null, because engines
        disagree about NaN.
        """
        if not is_remote(path) and not os.path.exists(path):
            raise DataError(
                f"{path}: there is no such file or folder.",
                remedy=f"Check the path; relative paths start at {Path.cwd()}.",
            )
        if not is_remote(path) and not os.path.isdir(path):
            check_regular(path)
        return nan_to_null(self._scan(path, scanned_format(path)))

    def take(self, frame: Any, name: str, columns: Sequence[str] | None = None) -> nw.LazyFrame[Any]:
        """Store columns of a table of any library (pandas, Polars, Arrow, DuckDB, Spark) under a new name.

        The default is all columns. A table of this engine's own backend is not copied if the backend allows it. DuckDB
        also takes a dictionary from column to array. NaN becomes null, as in ``scan``.
        """
        self._check_name(name)
        self._tables[name] = nan_to_null(self._take(nw.to_native(frame, pass_through=True), name, columns))
        return self._tables[name]

    def materialise(self, frame: nw.LazyFrame[Any], name: str) -> nw.LazyFrame[Any]:
        """Compute a table now, store it under a new name, and return the stored table."""
        self._check_name(name)
        self._tables[name] = self._keep(frame, name)
        return self._tables[name]

    def run(
        self, function: Callable[..., nw.LazyFrame[Any]], *frames: nw.LazyFrame[Any], name: str, **options: Any
    ) -> nw.LazyFrame[Any]:
        """Apply a function from tables to a table, and materialise its result."""
        return self.materialise(function(*frames, **options), name)

    def drop(self, *names: str) -> None:
        """Drop stored tables and free their space."""
        for name in names:
            if name not in self._tables:
                raise DataError(f"The engine has no table {name!r}. It has: {', '.join(self._tables) or 'none'}.")
            self._free(name, self._tables.pop(name))

    def scalars(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        """Return a table of one row as a dictionary from column to Python value."""
        rows = self.rows(frame.head(2))
        if len(rows) != 1:
            raise DataError(f"A table of scalars must have 1 row: got {'none' if not rows else 'more'}.")
        return rows[0]

    def close(self) -> None:
        """Drop every table, remove temporary files, and close the backend."""
        self.drop(*self.names)
        self._close()

    def _check_name(self, name: str) -> None:
        if not name.isidentifier():
            raise DataError(f"A table name must consist of letters, digits and underscores: got {name!r}.")
        if name in self._tables:
            raise DataError(
                f"The engine already has a table {name!r}.", remedy="Drop it first, or choose another name."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._tables) or 'no tables'})"

    @abstractmethod
    def number(self, frame: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
        """Add a column of unique whole numbers in arbitrary order; materialise it before it is evaluated twice."""

    @abstractmethod
    def columns(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        """Load a table into memory: float64 with NaN for null, int64, or Python strings with None for null."""

    @abstractmethod
    def rows(self, frame: nw.LazyFrame[Any]) -> list[dict[str, Any]]:
        """Load a small table into memory as a list of rows, each a dictionary of Python values."""

    @abstractmethod
    def write(self, frame: nw.LazyFrame[Any], path: str | os.PathLike[str]) -> None:
        """Write a table as Parquet, completely or not at all."""

    @abstractmethod
    def _scan(self, path: str | os.PathLike[str], kind: str) -> nw.LazyFrame[Any]: ...

    @abstractmethod
    def _take(self, frame: Any, name: str, columns: Sequence[str] | None) -> nw.LazyFrame[Any]: ...

    @abstractmethod
    def _keep(self, frame: nw.LazyFrame[Any], name: str) -> nw.LazyFrame[Any]: ...

    @abstractmethod
    def _free(self, name: str, frame: nw.LazyFrame[Any]) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...


def open_engine(engine: str, *, folder: str | os.PathLike[str] | None = None, repeatable: bool = False) -> Engine:
    """Open an engine by name: ``"duckdb"`` (on disk, in a temporary folder inside ``folder``) or ``"spark"``.

    With several threads, floating-point sums depend on the order of additions. With ``repeatable`` DuckDB uses one
    thread, so that the same tables give the same sums to the last bit; Spark cannot guarantee that.

    >>> import polars
    >>> with open_engine("duckdb") as engine:
    ...     table = engine.take(polars.DataFrame({"n": [1, 2]}), "numbers")
    ...     engine.scalars(table.select(nw.col("n").sum().cast(nw.Int64)))
    {'n': 3}
    """
    check_choice("engine", engine, _ENGINES)
    module, name = _ENGINES[engine]
    settings = {"threads": 1} if repeatable and engine == "duckdb" else {}
    made: Engine = getattr(import_module(module), name)(folder=folder, **settings)
    return made


def scanned_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a file to scan, by its name; a folder contains Parquet files.

    >>> scanned_format("links.csv.gz"), scanned_format("s3://bucket/links.parquet")
    ('csv', 'parquet')
    """
    if os.path.isdir(path):
        return "parquet"
    name = Path(path)
    suffix = (name.with_suffix("") if name.suffix.lower() == ".gz" else name).suffix.lower()
    if suffix not in SCANNED or (name.suffix.lower() == ".gz" and suffix == ".parquet"):
        raise DataError(
            f"{path}: an engine scans files that end in {', '.join(SCANNED)}, .csv.gz or .tsv.gz, and folders of "
            f"Parquet files: got {''.join(name.suffixes[-2:]) or 'no suffix'!r}.",
            remedy="Rename or convert the file.",
        )
    return SCANNED[suffix]


def check_csv(path: str | os.PathLike[str], kind: str) -> CsvText:
    """Check a local file against the CSV or TSV dialect, and return the checked text with its column names.

    >>> _ = Path("links.csv").write_text("source,target\\n#a,b\\n")
    >>> check_csv("links.csv", "csv").names
    ('source', 'target')
    """
    packing, named = packing_of(path), Path(path).suffix.lower() == ".gz"
    if packing != ("gzip" if named else ""):
        raise DataError(
            f"{path}: an engine scans plain text, or text packed by gzip whose name ends in .gz: got "
            f"{packing or 'plain'} content.",
            remedy="Rename or unpack the file.",
        )
    with open_input(path) as stream:
        text = CsvText(stream, DELIMITERS[kind], path)
        text.count()
    return text


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is an address (``s3://``, ``hdfs://``), which the backend itself must open."""
    return "://" in os.fspath(path)


def nan_to_null(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Replace NaN with null in float columns."""
    floats = [name for name, dtype in frame.collect_schema().items() if dtype.is_float()]
    if not floats:
        return frame
    return frame.with_columns(nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name) for name in floats)
