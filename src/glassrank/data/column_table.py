"""Tables with fixed columns: each column is declared once, with its kind and its meaning."""

import json
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from typing import Any, Self, get_type_hints

import numpy as np

from glassrank.core.checks import DataError, as_vector, check_length, read_only
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.frame_columns import FrameColumns

# The year 5138: a larger number counts milliseconds, not seconds.
MAX_TIME = 1e11


@dataclass(frozen=True)
class Texts:
    """A kind of column with Python strings, stored as objects because one long page must not widen every row."""

    expected: str
    may_be_empty: bool = True
    may_be_unknown: bool = False
    fetched: str = "text"

    def convert(self, name: str, values: Any) -> Any:
        """Return the values as a read-only array of strings."""
        texts = np.array(values, dtype=object)
        if texts.ndim != 1:
            raise DataError(f"{name} must be one-dimensional: got shape {texts.shape}.")
        if set(map(type, texts)) <= {str} and (self.may_be_empty or "" not in texts.tolist()):
            return read_only(texts)
        if self.fetched == "identifier":
            texts = np.array([str(text) if _is_whole(text) else text for text in texts], dtype=object)
        right = np.array([isinstance(text, str) and (self.may_be_empty or text != "") for text in texts], dtype=bool)
        if self.may_be_unknown:
            right |= np.array([text is None for text in texts], dtype=bool)
        check_rows(name, self.expected, texts, right)
        return read_only(texts)

    def summarise(self, texts: Any) -> str:
        """Summarise how many values are different, empty and unknown."""
        empty, unknown = int((texts == "").sum()), sum(text is None for text in texts)
        parts = [f"{len(set(texts) - {None}):,} different", f"{empty:,} empty" * (empty > 0)]
        return ", ".join(filter(None, [*parts, f"{unknown:,} unknown" * (unknown > 0)]))


@dataclass(frozen=True)
class Numbers:
    """A kind of column with numbers between limits; NaN for unknown values."""

    expected: str
    low: float = -np.inf
    high: float = np.inf
    whole: bool = False
    may_be_unknown: bool = True
    fetched: str = "number"
    dtype: type = np.float64
    show: Callable[[float], str] = "{:,g}".format

    def convert(self, name: str, values: Any) -> Any:
        """Return the values as a read-only array, checked against the limits."""
        numbers = as_vector(name, self._seconds(values), finite=False)
        right = np.isfinite(numbers) & (numbers >= self.low) & (numbers <= self.high)
        if self.whole:
            right &= numbers == np.round(numbers)
        if self.may_be_unknown:
            right |= np.isnan(numbers)
        check_rows(name, self.expected, numbers, right)
        return read_only(numbers.astype(self.dtype))

    def _seconds(self, values: Any) -> Any:
        """Convert NumPy times to seconds since 1970."""
        if self.fetched != "time" or np.asarray(values).dtype.kind != "M":
            return values
        times = np.asarray(values).astype("datetime64[us]")
        return np.where(np.isnat(times), np.nan, times.astype(np.int64) / 1e6)

    def summarise(self, numbers: Any) -> str:
        """Summarise the range of the values and how many are unknown."""
        if self.dtype is np.bool_:
            return f"{int(numbers.sum()):,} true"
        known = numbers[~np.isnan(numbers)]
        span = f"{self.show(known.min())} to {self.show(known.max())}" if len(known) else "all unknown"
        unknown = len(numbers) - len(known)
        return span + (f", {unknown:,} unknown" if unknown and len(known) else "")


def check_rows(name: str, expected: str, values: Any, right: Any) -> None:
    """Raise an error that shows the first invalid value of a column, if there is one.

    >>> check_rows("position", "whole numbers from 1", np.array([1.0, 0.0]), np.array([True, False]))
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: position must contain whole numbers from 1: got 0.0 at row 1.
    """
    if not right.all():
        row, wrong = int(np.argmin(right)), int((~right).sum())
        shown = repr(values[row]) if isinstance(values[row], str) else str(values[row])
        more = f" ({counted(wrong, 'row')} are wrong)" if wrong > 1 else ""
        raise DataError(f"{name} must contain {expected}: got {shown} at row {row}{more}.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _show_time(seconds: float) -> str:
    return str(np.datetime64(int(seconds), "s")).replace("T", " ")


_TIME = "seconds since 1970-01-01 UTC (divide milliseconds by 1000)"
KINDS: dict[str, Texts | Numbers] = {
    "text": Texts("text, '' if there is none"),
    "text or unknown": Texts("text, None if unknown", may_be_unknown=True),
    "name": Texts("non-empty text", may_be_empty=False),
    "identifier": Texts("text or whole numbers, never missing", may_be_empty=False, fetched="identifier"),
    "flag": Numbers("True or False", 0, 1, whole=True, may_be_unknown=False, dtype=np.bool_),
    "count": Numbers("whole numbers from 0, NaN if unknown", 0, whole=True),
    "position": Numbers("whole numbers from 1, NaN if there is none", 1, whole=True),
    "number": Numbers("finite numbers, NaN if unknown"),
    "share": Numbers("shares from 0 to 1, NaN if unknown", 0, 1),
    "duration": Numbers("seconds from 0 to 1e9, NaN if unknown", 0, 1e9),
    "time": Numbers(_TIME, -MAX_TIME, MAX_TIME, may_be_unknown=False, fetched="time", show=_show_time),
    "time or unknown": Numbers(f"{_TIME}, NaN if unknown", -MAX_TIME, MAX_TIME, fetched="time", show=_show_time),
}


@dataclass(frozen=True)
class Column:
    """Declaration of a column, as an annotation of its field; a field without a default is a required column."""

    kind: str
    meaning: str


@dataclass(frozen=True, eq=False, repr=False)
class ColumnTable:
    """Base class of containers with fixed columns, which are checked once and then frozen."""

    def __post_init__(self) -> None:
        first = ""
        for name, declared in self.declared().items():
            values = getattr(self, name)
            if values is None and name not in self.required():
                continue
            converted = KINDS[declared.kind].convert(name, values)
            if first:
                check_length(name, converted, len(getattr(self, first)), per=f"entry of {first}")
            first = first or name
            object.__setattr__(self, name, converted)
        self._check()

    @classmethod
    def declared(cls) -> dict[str, Column]:
        """Return column name → declaration."""
        table: Any = cls
        return dict(_declared(table))

    @classmethod
    def required(cls) -> list[str]:
        """Return the names of the required columns."""
        return [spec.name for spec in fields(cls) if spec.default is MISSING]

    @classmethod
    def explain_columns(cls) -> str:
        """Return a line for each column: its name, its meaning and its values."""
        required = cls.required()
        return "\n".join(
            f"{name}{' (required)' if name in required else ''}: {column.meaning}. "
            f"Values: {KINDS[column.kind].expected}."
            for name, column in cls.declared().items()
        )

    def _check(self) -> None:
        """Check conditions that involve several values."""

    def _facts(self) -> tuple[str, ...]:
        """Return facts about the table for its description."""
        return ()

    def __len__(self) -> int:
        return len(next(iter(self._columns().values())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self), 'row')}: {', '.join(self._columns())})"

    def _columns(self) -> dict[str, Any]:
        """Return the columns that are present."""
        columns = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return {name: values for name, values in columns.items() if values is not None}

    def pick_rows(self, rows: Any) -> Self:
        """Keep these rows (indices or a mask), in the order given."""
        return type(self)(**{name: values[rows] for name, values in self._columns().items()})

    def describe(self) -> "TableDescription":
        """Describe the content of each column."""
        declared = self.declared()
        summaries = {name: KINDS[declared[name].kind].summarise(values) for name, values in self._columns().items()}
        return TableDescription(type(self).__name__, len(self), self._facts(), summaries)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns that are present."""
        columns = self._columns().items()
        return make_frame(
            {name: array.tolist() if array.dtype == object else array for name, array in columns}, backend
        )

    @classmethod
    def from_frame(cls, frame: Any, **names: str) -> Self:
        """Make the container from a pandas, Polars, Arrow or DuckDB table.

        ``names`` maps columns to their names in the table: ``from_frame(table, url="address")``. Unknown columns raise
        an error, so that a misspelt name is not overlooked.
        """
        source = FrameColumns(frame)
        declared = cls.declared()
        theirs = {name: names.get(name, name) for name in declared}
        unknown = [name for name in names if name not in declared]
        unknown += [column for column in source.names if column not in theirs.values()]
        if unknown:
            raise DataError(
                f"{cls.__name__} has no column {unknown[0]!r}: its columns are {', '.join(declared)}.",
                remedy=("Drop or rename the column", f"map it: {_naming(next(iter(declared)), unknown[0])}"),
            )
        for name in [*names, *cls.required()]:
            if theirs[name] not in source.names:
                raise DataError(f"The table has no column {theirs[name]!r}: it has {', '.join(source.names)}.")
        present = {name: column for name, column in theirs.items() if column in source.names}
        arrays = source.fetch({column: KINDS[declared[name].kind].fetched for name, column in present.items()})
        return cls(**{name: arrays[column] for name, column in present.items()})


@cache
def _declared(table: Any) -> dict[str, Column]:
    hints = get_type_hints(table, include_extras=True)
    return {spec.name: hints[spec.name].__metadata__[0] for spec in fields(table)}


def _naming(name: str, column: str) -> str:
    return setting("column_names", python=f"from_frame(table, {name}={column!r})")


@dataclass(frozen=True)
class TableDescription:
    """Summaries of the columns of a table; prints as a short text."""

    name: str
    n_rows: int
    facts: tuple[str, ...]
    columns: dict[str, str]

    def __str__(self) -> str:
        width = max(map(len, self.columns))
        lines = [f"{self.name}: {', '.join([counted(self.n_rows, 'row'), *self.facts])}"]
        return "\n".join(lines + [f"  {name:<{width}}  {summary}" for name, summary in self.columns.items()])

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return one row for each column."""
        return make_frame({"column": list(self.columns), "holds": list(self.columns.values())}, backend)

    def to_json(self) -> str:
        """Return the description as JSON."""
        return json.dumps(asdict(self))
