"""Reads CSV and TSV files without guessing types, and reports faults with their line."""

import csv
import io
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.files.atomic_files import read_bytes

_NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)\s*", re.IGNORECASE | re.ASCII)
# How to exclude columns that are not features
FEATURES = setting("feature", python="features=[...]")
_WITHOUT_INDEX = setting("index", False, python="to_csv(index=False)")
_FORMATS = {",": "csv", "\t": "tsv"}
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)


def check_delimiter(path: Any, names: Sequence[str]) -> None:
    """Raise an error if the header is one column that another delimiter would split; called when a column is missing.

    >>> check_delimiter("train.csv", ["qid;label;bm25"])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: train.csv:1: the delimiter looks like ';': the header is the one column \
'qid;label;bm25'. Save the table with commas or tabs between its columns.
    """
    delimiter = next((mark for mark in ";|\t," if len(names) == 1 and mark in names[0]), None)
    if delimiter is None:
        return
    remedy: str | tuple[str, ...] = "Save the table with commas or tabs between its columns."
    if delimiter in _FORMATS:
        remedy = ("Rename the file", f"read it with {setting('format', _FORMATS[delimiter])}")
    problem = f"{path}:1: the delimiter looks like {delimiter!r}: the header is the one column {names[0]!r}."
    raise DataError(problem, expected="commas or tabs", got=delimiter, remedy=remedy)


class DelimitedFile:
    """A delimited file with a header line.

    DuckDB parses it without detecting anything: the header is read here, every field is text until it is cast, and no
    line is skipped. If that fails, a slow second pass finds the line and the column to report.
    """

    def __init__(self, path: str | os.PathLike[str], delimiter: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self._content = read_bytes(path)
        self.names = self._read_header()

    def can_fetch(self, name: str, kind: str) -> bool:
        """Return whether a column can be fetched as this kind; fields are checked only when they are read."""
        return name in self.names and kind in ("number", "identifier")

    def type_name(self, name: str) -> str:
        """Return the type of a column, which is text until it is read."""
        return "text"

    def fetch(self, kinds: Mapping[str, str]) -> dict[str, Any]:
        """Return number columns as float64 with NaN for an empty field, identifiers as int64 or strings with None."""
        numbers = {name for name, kind in kinds.items() if kind == "number"}
        positions = {name: position for position, name in enumerate(self.names) if name in kinds}
        try:
            arrays = self._query([self._expression(position, name in numbers) for name, position in positions.items()])
        except duckdb.Error as error:
            raise self._fault(numbers) or self._other_fault(error) from error
        self._check_widths(len(next(iter(arrays.values()))), numbers)
        columns = {name: arrays[f"c{position}"] for name, position in positions.items()}
        return {
            name: np.ma.filled(values, np.nan) if name in numbers else _identifiers(values)
            for name, values in columns.items()
        }

    def place(self, row: int) -> str:
        """Return the line on which a row (counted from 0) begins; slow, and used only in error messages."""
        line = next(line for number, (line, _) in enumerate(self._records()) if number == row)
        return f"line {line}"

    def _expression(self, position: int, is_number: bool) -> str:
        field = f"c{position}"
        if not is_number:
            return field
        if b"_" not in self._content:
            return f"CAST({field} AS DOUBLE) AS {field}"
        # DuckDB reads 1_000 as 1000, which must be rejected; files without an underscore skip the check.
        return f"CASE WHEN contains({field}, '_') THEN error('a number') ELSE CAST({field} AS DOUBLE) END AS {field}"

    def _query(self, expressions: Sequence[str]) -> dict[str, Any]:
        """Let DuckDB parse a copy with a plain name; the file itself may be compressed, or named like a pattern."""
        with tempfile.TemporaryDirectory(prefix="glassrank-") as folder, duckdb.connect() as connection:
            copy = Path(folder, "table.csv")
            copy.write_bytes(self._content)
            relation = connection.read_csv(
                str(copy),
                header=True,
                columns={f"c{position}": "VARCHAR" for position in range(len(self.names))},
                delimiter=self.delimiter,
                quotechar='"',
                escapechar='"',
                auto_detect=False,
                strict_mode=True,
                hive_partitioning=False,
            )
            return relation.project(", ".join(expressions)).fetchnumpy()

    def _read_header(self) -> tuple[str, ...]:
        """Return the column names in the first line, or raise an error if they are invalid."""
        if b"\0" in self._content:
            raise DataError(f"{self.path}: contains a zero byte: expected UTF-8 text.", remedy="Save it as UTF-8 text.")
        line, names = next(self._records(skip=0), (0, []))
        if line != 1:
            got = "an empty file" if line == 0 else "a blank line"
            raise DataError(f"{self.path}:1: expected a header line with the column names, got {got}.")
        first: dict[str, int] = {}
        for position, name in enumerate(names, start=1):
            if not name:
                raise DataError(
                    f"{self.path}:1: column {position} has no name.",
                    remedy=("Name it", "remove it", f"write a pandas frame with {_WITHOUT_INDEX}"),
                )
            if has_line_break(name):
                raise DataError(
                    f"{self.path}:1: the name {name!r} of column {position} contains a line break.",
                    remedy="Rename it.",
                )
            if name in first:
                raise DataError(
                    f"{self.path}:1: columns {first[name]} and {position} are both named {name!r}.",
                    remedy="Rename one.",
                )
            first[name] = position
        return tuple(names)

    def _records(self, skip: int = 1) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the first line and the fields of each record, without blank lines and the first ``skip`` records."""
        # Decoded in pieces, because a whole file as text can take four times its size.
        lines = io.TextIOWrapper(io.BytesIO(self._content), encoding="utf-8-sig", newline="")
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        line = 1
        try:
            for fields in reader:
                if fields:
                    if skip == 0:
                        yield line, fields
                    skip = max(skip - 1, 0)
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(
                f"{self.path}:{line}: {error}.",
                remedy="Close each quoted field with a quote, and double the quotes inside it.",
            ) from error
        except UnicodeDecodeError as error:
            raise self._encoding_fault() from error

    def _encoding_fault(self) -> DataError:
        start = 0
        try:
            self._content.decode("utf-8")
        except UnicodeDecodeError as error:
            start = error.start
        line = self._content.count(b"\n", 0, start) + 1
        return DataError(
            f"{self.path}:{line}: expected UTF-8 text, got the byte 0x{self._content[start]:02x}.",
            remedy="Save it as UTF-8.",
        )

    def _check_widths(self, n_rows: int, numbers: Collection[str]) -> None:
        """Raise an error for a row with an extra empty field, which DuckDB accepts.

        Without quotes every delimiter separates fields, so counting them is enough.
        """
        expected = (len(self.names) - 1) * (n_rows + 1)
        if b'"' not in self._content and self._content.count(self.delimiter.encode()) == expected:
            return
        fault = self._fault(numbers)
        if fault is not None:
            raise fault

    def _fault(self, numbers: Collection[str]) -> DataError | None:
        """Return an error for the first invalid line, if any; slow, and used only after a failure."""
        numeric = [(position, name) for position, name in enumerate(self.names) if name in numbers]
        # DuckDB would drop a space between a delimiter and a quote.
        spaced = re.search(rb'[ \t]"', self._content) is not None
        for line, fields in self._records():
            place = f"{self.path}:{line}"
            if len(fields) != len(self.names):
                return DataError(f"{place}: expected {len(self.names)} fields as in the header, got {len(fields)}.")
            if spaced and any(field.lstrip(" \t").startswith('"') and field[0] in " \t" for field in fields):
                return DataError(
                    f"{place}: there is a space before the opening quote of a field.", remedy="Remove the space."
                )
            for position, name in numeric:
                if fields[position] and not _NUMBER.fullmatch(fields[position]):
                    return DataError(
                        f"{place}: column {name!r} must contain numbers: got {fields[position]!r}.",
                        remedy=(
                            "Leave the field empty if the value is missing",
                            f"exclude text columns by listing the features: {FEATURES}",
                        ),
                    )
        return None

    def _other_fault(self, error: duckdb.Error) -> DataError:
        """Return an error for a fault that only DuckDB found."""
        if self._content.count(b"\r\n") not in (0, self._content.count(b"\n")):
            return DataError(
                f"{self.path}: some lines end in \\r\\n and others in \\n: expected the same line ending.",
                remedy="Convert the line endings first.",
            )
        return DataError(f"{self.path}: {str(error).splitlines()[0]}")


def _identifiers(values: Any) -> Any:
    """Return whole numbers if that loses nothing (``007`` and ``7.0`` stay text), and text otherwise."""
    missing = np.ma.getmaskarray(values)
    texts = np.ma.getdata(values).astype(object)
    texts[missing] = None
    if not missing.any() and all(map(_WHOLE_NUMBER.fullmatch, set(texts.tolist()))):
        return texts.astype(np.int64)
    return texts


def has_line_break(name: str) -> bool:
    """Return whether a column name contains a line break, which DuckDB misreads in a header.

    >>> has_line_break("bm25"), has_line_break("bm25\\r")
    (False, True)
    """
    return "\r" in name or "\n" in name
