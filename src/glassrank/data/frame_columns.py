"""Columns of a pandas, Polars, Arrow or DuckDB table as NumPy arrays."""

import secrets
import weakref
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError, NarwhalsError

from glassrank.core.checks import DataError, FloatArray

COLUMNS_AT_A_TIME = 16  # of a DuckDB relation
_MICROSECONDS = 1e6
_LAST_EXACT = 2.0**53  # Whole floats up to here are exact.


class FrameColumns:
    """The columns of a table of any library: names, types and values.

    ``levels`` are columns that are known to be categories although their type does not say so. A DuckDB relation or a
    lazy frame is a query, which may return its rows in another order whenever it runs: it is run once, and its result
    is stored until the object is deleted. ``keeps_order`` avoids this for a relation that always has the same order,
    such as a file.

    >>> import polars
    >>> columns = FrameColumns(polars.DataFrame({"qid": ["a", "a"], "bm25": [1, None]}))
    >>> columns.names
    ('qid', 'bm25')
    >>> columns.fetch({"bm25": "number"})
    {'bm25': array([ 1., nan])}
    """

    def __init__(self, frame: Any, levels: Collection[str] = (), *, keeps_order: bool = False) -> None:
        self._levels, self._keeps_order = frozenset(levels), keeps_order
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
        if _ACCEPTED[kind](self._types[name]):
            return True
        return kind in ("number", "level") and self._type_of_values(name) is not None

    def feature_type(self, name: str) -> str | None:
        """Return how a feature column is read: number, boolean, text, or level if its type is that of categories.

        None if it cannot be a feature.
        """
        dtype = self._types[name]
        if dtype == nw.Boolean and name not in self._levels:
            return "boolean"
        if dtype in (nw.Categorical, nw.Enum) or name in self._levels:
            return "level"
        if dtype.is_numeric():
            return "number"
        return "text" if _is_text(dtype) else self._type_of_values(name)

    def _type_of_values(self, name: str) -> str | None:
        """Return the type of a column that has none: booleans with gaps in pandas, and columns without any value."""
        if self._types[name] not in (nw.Object, nw.Unknown):
            return None
        if self._is_duckdb:
            known = self._frame.to_native().aggregate(f"count({quote_name(name)})").fetchall()[0][0]
            return None if known else "number"
        column = self._series[name].drop_nulls().to_list()
        if not column:
            return "number"
        return "boolean" if all(isinstance(value, bool | np.bool_) for value in column) else None

    def type_name(self, name: str) -> str:
        """Return the Narwhals type of a column (Int64, String, …)."""
        return str(self._types[name])

    def place(self, row: int) -> str:
        """Return the location of a row, counted from 0, for messages."""
        return f"row {row}"

    def at(self, row: int) -> str:
        """Return the row, for messages that begin with the place."""
        return self.place(row)

    def fetch(self, kinds: Mapping[str, str], *, once: bool = False) -> dict[str, Any]:
        """Return the named columns, each as its kind.

        ``number`` gives float64 with NaN for missing values; ``time`` the same, in seconds since 1970 (a time without a
        zone is UTC); ``text`` gives Python strings with None for missing values, and so does ``level``, also for
        numbers and booleans, in the same spelling for every library; ``identifier`` gives int64, floats of the column's
        own precision, Python integers if int64 may be too small, or strings. ``once`` means that nothing else is read,
        so that the result of a DuckDB query need not be stored.
        """
        for name, kind in kinds.items():
            if not self.can_fetch(name, kind):
                raise DataError(
                    f"Column {name!r} must contain {WORDING[kind]}: got {self.type_name(name)}.",
                    remedy="Convert the column first.",
                )
        readers = {name: self._reader(name, kind) for name, kind in kinds.items()}
        if self._is_duckdb:
            return self._fetch_relation(readers, once)
        return {name: _READERS[reader](self._series[name]) for name, reader in readers.items()}

    def _reader(self, name: str, kind: str) -> str:
        """Return the kind of reader for a column; identifiers are read by the type of the column."""
        if kind == "time" and self.can_fetch(name, "number"):
            return "number"
        dtype = self._types[name]
        if kind == "level":
            is_boolean = dtype == nw.Boolean or self._type_of_values(name) == "boolean"
            return "boolean level" if is_boolean else "float level" if dtype.is_float() else kind
        if kind != "identifier":
            return kind
        if dtype.is_float():
            return "float"
        if dtype in _WIDE:
            return "wide"
        return "integer" if dtype.is_integer() else "text"

    @cached_property
    def _series(self) -> dict[str, Any]:
        """The columns of a frame by name, which in pandas may be a number."""
        frame = self._frame.collect() if isinstance(self._frame, nw.LazyFrame) else self._frame
        return {str(column.name): column for column in frame.iter_columns()}

    @cached_property
    def _relation(self) -> Any:
        """The DuckDB relation, with the rows in the same order in every query."""
        relation = self._frame.to_native()
        return relation if self._keeps_order else _stored(relation, self)

    def _fetch_relation(self, readers: Mapping[str, str], once: bool) -> dict[str, Any]:
        """Let DuckDB convert the columns; its arrays need neither pandas nor pyarrow."""
        import duckdb

        expressions = [
            f"{_SQL[reader].format(quote_name(name))} AS c{number}"
            for number, (name, reader) in enumerate(readers.items())
        ]
        in_one_query = once and len(expressions) <= COLUMNS_AT_A_TIME
        relation = self._frame.to_native() if in_one_query else self._relation
        found = {}
        for first in range(0, len(expressions), COLUMNS_AT_A_TIME):
            # DuckDB keeps a result beside the arrays that are made of it, so a large table is read in parts.
            some = expressions[first : first + COLUMNS_AT_A_TIME]
            try:
                arrays = relation.project(", ".join(some)).fetchnumpy()
            except duckdb.Error as error:
                raise DataError(f"DuckDB cannot read the relation: {error}") from error
            for number, name in list(enumerate(readers))[first : first + COLUMNS_AT_A_TIME]:
                found[name] = _from_masked(arrays.pop(f"c{number}"), readers[name])
        return found


def _stored(relation: Any, owner: object) -> Any:
    """Run a relation's query, and return a relation of the result, a temporary table that exists as long as an object.

    Columns that are read by different runs of a query would belong to different rows.
    """
    import duckdb

    table = f"glassrank_{secrets.token_hex(8)}"
    view = f"{table}_view"
    try:
        relation.query(view, f"CREATE TEMP TABLE {table} AS SELECT * FROM {view}")
        weakref.finalize(owner, _drop, relation, table, view)
        ((keeps_order,),) = relation.query(view, "SELECT current_setting('preserve_insertion_order')").fetchall()
        return relation.query(view, f"SELECT * FROM {table}{'' if keeps_order else ' ORDER BY rowid'}")
    except duckdb.Error as error:
        raise DataError(f"DuckDB cannot read the relation: {error}") from error


def _drop(relation: Any, table: str, view: str) -> None:
    import duckdb

    with suppress(duckdb.Error):  # the connection may be closed, which also removes both
        relation.query(view, f"DROP TABLE {table}")
        relation.query(view, f"DROP VIEW {view}")


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
    if series.dtype == nw.Object:
        missing = series.is_null().to_numpy()
        return np.array([np.nan if gone else float(value) for value, gone in zip(values, missing, strict=True)])
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


def _float_levels(values: FloatArray) -> Any:
    """Return the names of numbers as levels, in their own precision; whole numbers have no decimal point."""
    levels = np.empty(len(values), dtype=object)
    levels[:] = [
        None if value != value else str(int(value)) if value.is_integer() and abs(value) <= _LAST_EXACT else str(value)
        for value in values
    ]
    return levels


def _boolean_levels(values: FloatArray) -> Any:
    levels = np.empty(len(values), dtype=object)
    levels[:] = [None if value != value else "true" if value else "false" for value in values]
    return levels


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
    if reader in ("float", "float level"):
        floats = np.where(missing, values.dtype.type(np.nan), values)
        return floats if reader == "float" else _float_levels(floats)
    if reader == "time":
        values = values.astype("datetime64[us]").astype(np.int64) / _MICROSECONDS
    numbers = np.where(missing, np.nan, values.astype(np.float64))
    return _boolean_levels(numbers) if reader == "boolean level" else numbers


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
    "float level": lambda series: _float_levels(_floats(series)),
    "boolean level": lambda series: _boolean_levels(_numbers(series)),
    "time": _times,
}
_SQL = {
    "number": "CAST({} AS DOUBLE)",
    "integer": "CAST({} AS BIGINT)",
    "float": "{}",
    "wide": "CAST({} AS VARCHAR)",
    "text": "CAST({} AS VARCHAR)",
    "level": "CAST({} AS VARCHAR)",
    "float level": "{}",
    "boolean level": "CAST({} AS DOUBLE)",
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
