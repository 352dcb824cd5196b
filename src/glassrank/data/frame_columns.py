"""Columns of a pandas, Polars, Arrow or DuckDB table as NumPy arrays."""

from collections.abc import Callable, Mapping
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError, NarwhalsError

from glassrank.core.checks import DataError, FloatArray

_MICROSECONDS = 1e6


class FrameColumns:
    """The columns of a table of any library: names, types and values.

    >>> import polars
    >>> columns = FrameColumns(polars.DataFrame({"qid": ["a", "a"], "bm25": [1, None]}))
    >>> columns.names
    ('qid', 'bm25')
    >>> columns.fetch({"bm25": "number"})
    {'bm25': array([ 1., nan])}
    """

    def __init__(self, frame: Any) -> None:
        try:
            self._frame = nw.from_native(frame)
            schema = self._frame.collect_schema()
        except DuplicateError as error:
            raise DataError(f"The columns of a table must have different names. {error}") from error
        except NarwhalsError as error:
            raise DataError(f"The table cannot be read: {error}") from error
        except TypeError as error:
            raise DataError(
                "A table must be a pandas or Polars frame, an Arrow table or a DuckDB relation: "
                f"got {type(frame).__name__}."
            ) from error
        self._types = {str(name): dtype for name, dtype in schema.items()}
        self.names = tuple(self._types)
        self._is_duckdb = self._frame.implementation.is_duckdb()
        check_names([str(name) for name in self._frame.columns], ignore_case=self._is_duckdb)

    def can_fetch(self, name: str, kind: str) -> bool:
        """Return whether a column can be fetched as this kind."""
        return _ACCEPTED[kind](self._types[name])

    def feature_type(self, name: str) -> str | None:
        """Return how a feature column is read: number, boolean or text; None if it cannot be a feature."""
        dtype = self._types[name]
        if dtype == nw.Boolean:
            return "boolean"
        return "number" if dtype.is_numeric() else "text" if _is_text(dtype) else None

    def type_name(self, name: str) -> str:
        """Return the Narwhals type of a column (Int64, String, …)."""
        return str(self._types[name])

    def place(self, row: int) -> str:
        """Return the location of a row, counted from 0, for messages."""
        return f"row {row}"

    def at(self, row: int) -> str:
        """Return the row, for messages that begin with the place."""
        return self.place(row)

    def fetch(self, kinds: Mapping[str, str]) -> dict[str, Any]:
        """Return the named columns, each as its kind.

        ``number`` gives float64 with NaN for missing values; ``time`` the same, in seconds since 1970 (a time without a
        zone is UTC); ``text`` gives Python strings with None for missing values, and so does ``level``, also for
        numbers; ``identifier`` gives int64, floats of the column's own precision, Python integers if int64 may be too
        small, or strings.
        """
        for name, kind in kinds.items():
            if not self.can_fetch(name, kind):
                raise DataError(
                    f"Column {name!r} must contain {WORDING[kind]}: got {self.type_name(name)}.",
                    remedy="Convert the column first.",
                )
        readers = {name: self._reader(name, kind) for name, kind in kinds.items()}
        if self._is_duckdb:
            return self._fetch_relation(readers)
        frame = self._frame
        if isinstance(frame, nw.LazyFrame):
            frame = frame.select(*kinds).collect()
        series = {str(column.name): column for column in frame.iter_columns()}
        return {name: _READERS[reader](series[name]) for name, reader in readers.items()}

    def _reader(self, name: str, kind: str) -> str:
        """Return the kind of reader for a column; identifiers are read by the type of the column."""
        if kind == "time" and self.can_fetch(name, "number"):
            return "number"
        if kind != "identifier":
            return kind
        dtype = self._types[name]
        if dtype.is_float():
            return "float"
        if dtype in _WIDE:
            return "wide"
        return "integer" if dtype.is_integer() else "text"

    def _fetch_relation(self, readers: Mapping[str, str]) -> dict[str, Any]:
        """Let DuckDB convert the columns; its arrays need neither pandas nor pyarrow."""
        import duckdb

        expressions = [
            f"{_SQL[reader].format(quote_name(name))} AS c{number}"
            for number, (name, reader) in enumerate(readers.items())
        ]
        try:
            arrays = self._frame.to_native().project(", ".join(expressions)).fetchnumpy()
        except duckdb.Error as error:
            raise DataError(f"DuckDB cannot read the relation: {error}") from error
        return {
            name: _from_masked(arrays[f"c{number}"], reader) for number, (name, reader) in enumerate(readers.items())
        }


def quote_name(name: str) -> str:
    """Quote a column name for SQL.

    >>> quote_name('a "b"')
    '"a ""b\"""'
    """
    return '"' + name.replace('"', '""') + '"'


def check_names(names: list[str], *, ignore_case: bool) -> None:
    """Raise an error if two names are equal, or differ only in case and DuckDB would consider them equal."""
    seen: dict[str, str] = {}
    for name in names:
        key = name.casefold() if ignore_case else name
        if key in seen:
            how = " (DuckDB ignores case)" if name != seen[key] else ""
            raise DataError(
                f"The columns of a table must have different names{how}: got {seen[key]!r} and {name!r}.",
                remedy="Rename one.",
            )
        seen[key] = name


def _numbers(series: Any) -> FloatArray:
    values = series.to_numpy()
    # Most columns need no cast, and a cast costs as much as everything else in tables of many columns.
    return values if values.dtype == np.float64 else np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _integers(series: Any) -> Any:
    if series.is_null().any():
        return _numbers(series)
    return series.to_numpy().astype(np.int64)


def _floats(series: Any) -> Any:
    """Floats of their own precision, which says up to which number they are exact."""
    values = series.to_numpy()
    return values if values.dtype.kind == "f" else _numbers(series)


def _texts(series: Any) -> Any:
    missing = series.is_null().to_numpy()
    # No array of NumPy in between: it would be as wide as the longest text, and drop NULs at the end.
    values = np.empty(len(missing), dtype=object)
    values[:] = series.cast(nw.String).to_list()
    values[missing] = None
    return values


def _wide(series: Any) -> Any:
    """Whole numbers that may exceed int64 (hashes), with all their digits."""
    return _as_python_numbers(_texts(series))


def _as_python_numbers(texts: Any) -> Any:
    return np.array([None if text is None else int(text) for text in texts], dtype=object)


def _times(series: Any) -> FloatArray:
    return _numbers(series.dt.timestamp("us")) / _MICROSECONDS


def _from_masked(array: Any, reader: str) -> Any:
    """Convert a masked DuckDB array to the array type of the reader."""
    missing = np.ma.getmaskarray(array)
    values = np.ma.getdata(array)
    if reader == "integer" and not missing.any():
        return values.astype(np.int64)
    if reader in ("text", "level", "wide"):
        texts = values.astype(object)
        texts[missing] = None
        return texts if reader != "wide" else _as_python_numbers(texts)
    if reader == "float":
        return np.where(missing, values.dtype.type(np.nan), values)
    if reader == "time":
        values = values.astype("datetime64[us]").astype(np.int64) / _MICROSECONDS
    return np.where(missing, np.nan, values.astype(np.float64))


def _is_text(dtype: Any) -> bool:
    return dtype in (nw.String, nw.Categorical, nw.Enum)


def _is_number(dtype: Any) -> bool:
    return dtype.is_numeric() or dtype == nw.Boolean


_WIDE = (nw.UInt64, nw.Int128, nw.UInt128)
_READERS: dict[str, Callable[[Any], Any]] = {
    "number": _numbers,
    "integer": _integers,
    "float": _floats,
    "wide": _wide,
    "text": _texts,
    "level": _texts,
    "time": _times,
}
_SQL = {
    "number": "CAST({} AS DOUBLE)",
    "integer": "CAST({} AS BIGINT)",
    "float": "{}",
    "wide": "CAST({} AS VARCHAR)",
    "text": "CAST({} AS VARCHAR)",
    "level": "CAST({} AS VARCHAR)",
    "time": "{}",
}
_ACCEPTED: dict[str, Callable[[Any], bool]] = {
    "number": _is_number,
    "text": _is_text,
    "level": lambda dtype: _is_text(dtype) or _is_number(dtype),
    "identifier": lambda dtype: dtype.is_integer() or dtype.is_float() or _is_text(dtype),
    "time": lambda dtype: dtype in (nw.Datetime, nw.Date) or dtype.is_numeric(),
}
WORDING = {
    "number": "numbers",
    "text": "text",
    "level": "text, numbers or booleans",
    "identifier": "text or whole numbers",
    "time": "times, or numbers of seconds since 1970",
}
