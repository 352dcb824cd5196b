"""Reads CSV and TSV files without guessing types, and reports faults with their line."""

import io
import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.csv_dialect import CsvText
from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.data.read_features import NUMBER
from glassrank.files.atomic_files import read_bytes
from glassrank.files.memory_database import connect_in_memory
from glassrank.files.work_folder import work_folder

_FORMATS = {",": "csv", "\t": "tsv"}
_TESTS = 50  # columns tested by one query, whose time grows with the square of their number
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)


def check_delimiter(path: Any, names: Sequence[str]) -> None:
    """Raise an error if the header is one column that another delimiter would split; called when a column is missing.

    >>> check_delimiter("train.csv", ["qid;label;bm25"])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: train.csv:1: the delimiter looks like ';': the header is the one column \
'qid;label;bm25'. Save the table with commas or tabs between its columns.
    """
    delimiter = next((mark for mark in ";|\t, " if len(names) == 1 and mark in names[0]), None)
    if delimiter is None:
        return
    remedy: str | tuple[str, ...] = "Save the table with commas or tabs between its columns."
    if delimiter in _FORMATS:
        remedy = ("Rename the file", f"read it with {setting('format', _FORMATS[delimiter])}")
    problem = f"{path}:1: the delimiter looks like {delimiter!r}: the header is the one column {names[0]!r}."
    raise DataError(problem, expected="commas or tabs", got=delimiter, remedy=remedy)


class DelimitedFile:
    """A delimited file with a header line.

    The file is first checked against the package's CSV dialect. DuckDB then parses it without detecting anything: every
    field is text until it is cast, and no line is skipped.
    """

    def __init__(self, path: str | os.PathLike[str], delimiter: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self._open()
        try:
            text = self._text()
            self.names = text.names
            self._n_records = text.count()
            self._options = duckdb_options(self.names, delimiter, parallel=not text.has_quoted_line_breaks)
        except DataError:
            # With another delimiter, quotes are in wrong places: that is the cause, and the quotes are not.
            first = self._first_line()
            if delimiter not in first and any(mark in first for mark in ";|	,"):
                check_delimiter(path, [first])
            raise
        self._known = frozenset(text.names)

    def _open(self) -> None:
        """Load the text."""
        self._content = read_bytes(self.path)
        self._has_underscore = b"_" in self._content

    def _first_line(self) -> str:
        return self._content.decode("utf-8-sig", errors="replace").partition("\n")[0].strip()

    def can_fetch(self, name: str, kind: str) -> bool:
        """Return whether a column can be fetched as this kind; fields are checked only when they are read."""
        return name in self._known and kind in _CONVERT

    def feature_type(self, name: str) -> str | None:
        """Return how a feature column is read: as a number if all its fields are numbers, and otherwise as text."""
        return "text" if name in self._text_columns else "number"

    @cached_property
    def _text_columns(self) -> frozenset[str]:
        """Columns with a field that is neither empty nor a number; infinity is left to the check of the values."""
        tests = [
            f"bool_or(c{k} IS NOT NULL AND (TRY_CAST(c{k} AS DOUBLE) IS NULL OR isnan(TRY_CAST(c{k} AS DOUBLE))"
            f" OR contains(c{k}, '_'))) AS c{k}"
            for k in range(len(self.names))
        ]
        found: dict[str, Any] = {}
        for start in range(0, len(tests), _TESTS):
            found |= self._query(tests[start : start + _TESTS])
        return frozenset(name for k, name in enumerate(self.names) if found[f"c{k}"][0])

    def type_name(self, name: str) -> str:
        """Return the type of a column, which is text until it is read."""
        return "text"

    def fetch(self, kinds: Mapping[str, str]) -> dict[str, Any]:
        """Return numbers as float64 with NaN for an empty field, identifiers as int64 or strings, text as strings.

        Missing identifiers and texts are None.
        """
        numbers = {name for name, kind in kinds.items() if kind == "number"}
        positions = {name: position for position, name in enumerate(self.names) if name in kinds}
        try:
            arrays = self._query([self._expression(position, name in numbers) for name, position in positions.items()])
        except duckdb.Error as error:
            problem = f"{self.path}: {str(error).splitlines()[0]}"
            raise self._wrong_number(numbers) or DataError(problem) from error
        self._check_count(len(next(iter(arrays.values()))))
        columns = {name: arrays[f"c{position}"] for name, position in positions.items()}
        return {name: _CONVERT[kinds[name]](values) for name, values in columns.items()}

    def place(self, row: int) -> str:
        """Return the line on which a row (counted from 0) begins; slow, and used only in error messages."""
        line, _ = next(islice(self._text().records(), row, None))
        return f"line {line}"

    def places(self) -> list[str]:
        """Return the file and the line of every row."""
        return [f"{self.path}:{line}" for line, _ in self._text().records()]

    def at(self, row: int) -> str:
        """Return the file and the line of a row, for messages that begin with the place."""
        return f"{self.path}:{self.place(row).removeprefix('line ')}"

    def _expression(self, position: int, is_number: bool) -> str:
        field = f"c{position}"
        if not is_number:
            return field
        if not self._has_underscore:
            return f"CAST({field} AS DOUBLE) AS {field}"
        # DuckDB reads 1_000 as 1000, which must be rejected; files without an underscore skip the check.
        return f"CASE WHEN contains({field}, '_') THEN error('a number') ELSE CAST({field} AS DOUBLE) END AS {field}"

    def _query(self, expressions: Sequence[str]) -> dict[str, Any]:
        return self._table.execute(f"SELECT {', '.join(expressions)} FROM fields").fetchnumpy()

    @cached_property
    def _table(self) -> duckdb.DuckDBPyConnection:
        """The fields as text, parsed by DuckDB from a copy with a plain name.

        The file itself may be compressed, or named like a pattern.
        """
        connection = connect_in_memory()
        with work_folder() as folder, duckdb_errors(f"{self.path}: the table cannot be read"):
            copy = Path(folder, "table.csv")
            copy.write_bytes(self._content)
            fields = connection.read_csv(str(copy), **self._options)
            fields.query("parsed", "CREATE TEMP TABLE fields AS FROM parsed")
            connection.execute("DROP VIEW parsed")
        return connection

    def _text(self) -> CsvText:
        return CsvText(io.BytesIO(self._content), self.delimiter, self.path)

    def _check_count(self, n_rows: int) -> None:
        if n_rows != self._n_records:
            raise DataError(
                f"{self.path}: the file has {counted(self._n_records, 'row')}, and DuckDB reads {n_rows:,}.",
                remedy="Save the table as Parquet.",
            )

    def _wrong_number(self, numbers: Collection[str]) -> DataError | None:
        """Return an error for the first field that must be a number and is not; slow, and used only after a failure."""
        numeric = [(position, name) for position, name in enumerate(self.names) if name in numbers]
        for line, fields in self._text().records():
            for position, name in numeric:
                if fields[position] and not NUMBER.fullmatch(fields[position]):
                    return DataError(
                        f"{self.path}:{line}: column {name!r} must contain numbers: got {fields[position]!r}.",
                        remedy=("Correct the field", "remove the row", "give another column"),
                    )
        return None


def duckdb_options(names: Sequence[str], delimiter: str, *, parallel: bool = True) -> dict[str, Any]:
    """Return DuckDB's options for the dialect: columns are text called c0, c1, …; nothing is detected or skipped.

    ``parallel`` is for text without line breaks in quotes: the parallel reader refuses it where two parts of 32 MB
    meet inside a field.

    >>> duckdb_options(["query", "url"], ",")["columns"]
    {'c0': 'VARCHAR', 'c1': 'VARCHAR'}
    """
    return {
        "header": True,
        "columns": {f"c{position}": "VARCHAR" for position in range(len(names))},
        "delimiter": delimiter,
        "quotechar": '"',
        "escapechar": '"',
        "auto_detect": False,
        "parallel": parallel,
        "strict_mode": True,
        "hive_partitioning": False,
    }


def _texts(values: Any) -> Any:
    texts = np.ma.getdata(values).astype(object)
    texts[np.ma.getmaskarray(values)] = None
    return texts


def _identifiers(values: Any) -> Any:
    """Return whole numbers if that loses nothing (``007`` and ``7.0`` stay text), and text otherwise."""
    texts = _texts(values)
    different = set(texts.tolist())
    if None not in different and all(map(_WHOLE_NUMBER.fullmatch, different)):
        numbers = {text: int(text) for text in different}
        if all(-(2**63) <= number < 2**63 for number in numbers.values()):
            return np.array([numbers[text] for text in texts], dtype=np.int64)
    return texts


def _numbers(values: Any) -> Any:
    return np.ma.filled(values, np.nan)


_CONVERT = {"number": _numbers, "identifier": _identifiers, "text": _texts, "level": _texts}
