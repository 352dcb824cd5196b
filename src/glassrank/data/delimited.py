"""CSV and TSV files: every field as it is written, and the line of whatever is wrong."""

import io
import os
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.csv_dialect import CsvText
from glassrank.files.atomic_files import read_bytes
from glassrank.files.work_folder import work_folder

_NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)\s*", re.IGNORECASE | re.ASCII)
# The way out of a column that is no feature
FEATURES = setting("feature", python="features=[...]")
_FORMATS = {",": "csv", "\t": "tsv"}
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)


def refuse_delimiter(path: Any, names: Sequence[str]) -> None:
    """Refuse a header of one column that another delimiter would take apart; called where a column is missing.

    >>> refuse_delimiter("train.csv", ["qid;label;bm25"])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: train.csv:1: the delimiter looks like ';': the header is the one column \
'qid;label;bm25'. Save the table with commas or tabs between its columns.
    """
    sign = next((sign for sign in ";|\t," if len(names) == 1 and sign in names[0]), None)
    if sign is None:
        return
    remedy: str | tuple[str, ...] = "Save the table with commas or tabs between its columns."
    if sign in _FORMATS:
        remedy = ("Rename the file", f"read it with {setting('format', _FORMATS[sign])}")
    problem = f"{path}:1: the delimiter looks like {sign!r}: the header is the one column {names[0]!r}."
    raise DataError(problem, expected="commas or tabs", got=sign, remedy=remedy)


class DelimitedFile:
    """A file of separated values with a header line.

    The file is checked against the one dialect first. DuckDB then parses it with nothing left to detection: every
    field is text until it is cast, and no line is skipped.
    """

    def __init__(self, path: str | os.PathLike[str], delimiter: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self._content = read_bytes(path)
        text = self._text()
        self.names = text.names
        self._known = frozenset(text.names)
        self._n_records = text.count()

    def holds(self, name: str, kind: str) -> bool:
        """Whether a column can be fetched as this kind: whether its fields are numbers shows when they are read."""
        return name in self._known and kind in ("number", "identifier")

    def type_name(self, name: str) -> str:
        """What a column holds: text, until it is read."""
        return "text"

    def fetch(self, kinds: Mapping[str, str]) -> dict[str, Any]:
        """Return number columns as float64 with NaN for an empty field, identifiers as int64 or strings with None."""
        numbers = {name for name, kind in kinds.items() if kind == "number"}
        positions = {name: position for position, name in enumerate(self.names) if name in kinds}
        try:
            arrays = self._query([self._expression(position, name in numbers) for name, position in positions.items()])
        except duckdb.Error as error:
            problem = f"{self.path}: {str(error).splitlines()[0]}"
            raise self._wrong_number(numbers) or DataError(problem) from error
        self._check_count(len(next(iter(arrays.values()))))
        columns = {name: arrays[f"c{position}"] for name, position in positions.items()}
        return {
            name: np.ma.filled(values, np.nan) if name in numbers else _identifiers(values)
            for name, values in columns.items()
        }

    def place(self, row: int) -> str:
        """Say at which line a row (counted from 0) begins; slow, and needed only when something is wrong."""
        line, _ = next(islice(self._text().records(), row, None))
        return f"line {line}"

    def _expression(self, position: int, is_number: bool) -> str:
        field = f"c{position}"
        if not is_number:
            return field
        if b"_" not in self._content:
            return f"CAST({field} AS DOUBLE) AS {field}"
        # DuckDB reads 1_000 as 1000: refuse it, but look for it only in files that hold the sign at all.
        return f"CASE WHEN contains({field}, '_') THEN error('a number') ELSE CAST({field} AS DOUBLE) END AS {field}"

    def _query(self, expressions: Sequence[str]) -> dict[str, Any]:
        """Let DuckDB parse a copy under a plain name; the file itself may be packed, or named like a pattern."""
        with work_folder() as folder, duckdb.connect() as connection:
            copy = Path(folder, "table.csv")
            copy.write_bytes(self._content)
            relation = connection.read_csv(str(copy), **duckdb_options(self.names, self.delimiter))
            return relation.project(", ".join(expressions)).fetchnumpy()

    def _text(self) -> CsvText:
        return CsvText(io.BytesIO(self._content), self.delimiter, self.path)

    def _check_count(self, n_rows: int) -> None:
        if n_rows != self._n_records:
            raise DataError(
                f"{self.path}: the file has {counted(self._n_records, 'row')}, and DuckDB reads {n_rows:,}.",
                remedy="Save the table as Parquet.",
            )

    def _wrong_number(self, numbers: Collection[str]) -> DataError | None:
        """Find the first field that should be a number and is none; slow, and needed only when something is wrong."""
        numeric = [(position, name) for position, name in enumerate(self.names) if name in numbers]
        for line, fields in self._text().records():
            for position, name in numeric:
                if fields[position] and not _NUMBER.fullmatch(fields[position]):
                    return DataError(
                        f"{self.path}:{line}: column {name!r} must hold numbers: got {fields[position]!r}.",
                        remedy=(
                            "Leave the field empty where a value is missing",
                            f"leave out a column of text by naming the features: {FEATURES}",
                        ),
                    )
        return None


def duckdb_options(names: Sequence[str], delimiter: str) -> dict[str, Any]:
    """How DuckDB reads the dialect, the columns as text called c0, c1, …: nothing is detected, nothing is skipped.

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
        "strict_mode": True,
        "hive_partitioning": False,
    }


def _identifiers(values: Any) -> Any:
    """Whole numbers if nothing is lost by it (``007`` and ``7.0`` stay as they are written), else text."""
    missing = np.ma.getmaskarray(values)
    texts = np.ma.getdata(values).astype(object)
    texts[missing] = None
    if not missing.any() and all(map(_WHOLE_NUMBER.fullmatch, set(texts.tolist()))):
        return texts.astype(np.int64)
    return texts
