"""Engine: the one place that knows what a table lives in, so that everything else is a function from table to table.

Tables are Narwhals lazy frames. What is computed from them is written once and runs on every engine.
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

# name -> where its class is; loaded when it is asked for, because Spark is an extra
_ENGINES = {
    "duckdb": ("glassrank.data.engines.duckdb_engine", "DuckDBEngine"),
    "spark": ("glassrank.data.engines.spark_engine", "SparkEngine"),
}


class Engine(ABC):
    """Scans files, keeps tables by name and drops them, and brings small results into memory.

    A chain of lazy tables is computed anew each time it is looked at, and one that feeds itself doubles with every
    step: ``materialise`` what is used twice, and ``drop`` it when it is used no more. An engine is a context manager;
    leaving it removes every table and every temporary file.
    """

    name: str

    def __init__(self) -> None:
        self._tables: dict[str, nw.LazyFrame[Any]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tables that are kept."""
        return tuple(self._tables)

    def scan(self, path: str | os.PathLike[str]) -> nw.LazyFrame[Any]:
        """Return a file (``.parquet``, ``.csv``, ``.tsv``, the latter two also ``.gz``) or a folder of Parquet files.

        CSV and TSV files of this machine are checked against the package's dialect first, from front to back. Their
        columns are text, and an empty field is null: the file says nothing of types, so the caller does.
        A number that is NaN becomes null, for engines disagree about NaN.
        """
        if not is_remote(path) and not os.path.exists(path):
            raise DataError(
                f"{path}: there is no such file or folder.", remedy=f"Check the name; it starts at {Path.cwd()}."
            )
        if not is_remote(path) and not os.path.isdir(path):
            check_regular(path)
        return nan_to_null(self._scan(path, scanned_format(path)))

    def take(self, frame: Any, name: str, columns: Sequence[str] | None = None) -> nw.LazyFrame[Any]:
        """Keep columns of a table of any library (pandas, Polars, Arrow, DuckDB, Spark) under a new name.

        Without ``columns`` all of them. A table that lives in this engine's backend already is not copied where the
        backend allows it. NaN becomes null, as in ``scan``.
        """
        self._check_name(name)
        self._tables[name] = nan_to_null(self._take(nw.to_native(frame, pass_through=True), name, columns))
        return self._tables[name]

    def materialise(self, frame: nw.LazyFrame[Any], name: str) -> nw.LazyFrame[Any]:
        """Compute a table now, keep it under a new name, and return what is kept."""
        self._check_name(name)
        self._tables[name] = self._keep(frame, name)
        return self._tables[name]

    def run(
        self, function: Callable[..., nw.LazyFrame[Any]], *frames: nw.LazyFrame[Any], name: str, **options: Any
    ) -> nw.LazyFrame[Any]:
        """Apply a function from tables to a table, and materialise what it gives."""
        return self.materialise(function(*frames, **options), name)

    def drop(self, *names: str) -> None:
        """Forget kept tables and free what they take."""
        for name in names:
            if name not in self._tables:
                raise DataError(f"The engine has no table {name!r}. It has: {', '.join(self._tables) or 'none'}.")
            self._free(name, self._tables.pop(name))

    def scalars(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        """Return a table of one row as Python values, by column."""
        rows = self.rows(frame.head(2))
        if len(rows) != 1:
            raise DataError(f"A table of scalars must have 1 row: got {'none' if not rows else 'more'}.")
        return rows[0]

    def close(self) -> None:
        """Drop every table, remove temporary files, and let the backend go."""
        self.drop(*self.names)
        self._close()

    def _check_name(self, name: str) -> None:
        if not name.isidentifier():
            raise DataError(f"The name of a table must be letters, digits and underscores: got {name!r}.")
        if name in self._tables:
            raise DataError(
                f"The engine has a table {name!r} already.", remedy="Drop it first, or choose another name."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._tables) or 'no tables'})"

    @abstractmethod
    def number(self, frame: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
        """Add a column of different whole numbers, in no order; materialise it before it is looked at twice."""

    @abstractmethod
    def columns(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        """Bring a table into memory: float64 with NaN for null, int64, or Python strings with None for null."""

    @abstractmethod
    def rows(self, frame: nw.LazyFrame[Any]) -> list[dict[str, Any]]:
        """Bring a small table into memory as a list of rows, each a dictionary of Python values."""

    @abstractmethod
    def write(self, frame: nw.LazyFrame[Any], path: str | os.PathLike[str]) -> None:
        """Write a table as Parquet, wholly or not at all."""

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
    """Open an engine by its name: ``"duckdb"`` (on disk, in a temporary folder inside ``folder``) or ``"spark"``.

    Threads add fractions in another order every time. With ``repeatable`` DuckDB takes one thread, and the same tables
    give the same sums to the last bit; Spark cannot promise that.

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
    """Tell the format of a file that an engine scans by its name; a folder is one of Parquet files.

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
    """Check a file of this machine against the dialect of CSV or TSV, and return what was found.

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
    """Whether a path is an address (``s3://``, ``hdfs://``), which the backend itself must open."""
    return "://" in os.fspath(path)


def nan_to_null(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Make every NaN of a column of floats null."""
    floats = [name for name, dtype in frame.collect_schema().items() if dtype.is_float()]
    if not floats:
        return frame
    return frame.with_columns(nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name) for name in floats)
