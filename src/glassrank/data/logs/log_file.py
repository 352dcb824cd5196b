"""One file of a log: its format, its columns, and the values of its records as text."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb

from glassrank.core.checks import DataError
from glassrank.core.wording import shortened
from glassrank.data.frame_columns import quote_name
from glassrank.data.logs.log_reading import LogTally, check_balance
from glassrank.data.logs.log_records import split_lines
from glassrank.data.logs.record_values import as_list, as_text, is_shallow, leaf_names, look_up, replace_surrogates
from glassrank.data.logs.schemas import ORCAS, UBI, SchemaPart, is_orcas_line
from glassrank.data.logs.text_lines import TextLine, filled_lines, read_lines
from glassrank.data.parquet_schema import open_parquet
from glassrank.files.input_files import check_unpacked_size, open_input

_PARQUET = b"PAR1"
_INSPECTED_LINES = 100
_FETCHED_ROWS = 4096
_MAX_NAME = 40
_BULK_ACTIONS = ("index", "create")
# The part to which a record belongs, its line, and its values.
Record = tuple[SchemaPart, int, list[str | None]]


@dataclass(frozen=True)
class LogFile:
    """A file whose format and columns are known."""

    path: str
    format: str
    names: tuple[str, ...]
    encoding: str
    delimiter: str = ""
    has_header: bool = True

    def place(self, line: int) -> str:
        """Return the location of a record for messages: lines of text count from 1, rows of a table from 0."""
        return f"{self.path}, row {line - 1}" if self.format == "parquet" else f"{self.path}:{line}"

    def parts(self, part: SchemaPart) -> tuple[SchemaPart, ...]:
        """Return the parts whose records a file of this part may contain: JSON may mix queries and events of UBI."""
        return UBI if self.format == "json" and part in UBI else (part,)

    def records(self, part: SchemaPart, names: Mapping[str, str | None], tally: LogTally) -> Iterator[Record]:
        """Yield each record with its values in the order of the columns of its part; None for absent values."""
        parts = self.parts(part)
        named = [each.names_in(names) for each in parts]
        wanted = [
            [self._theirs(theirs[column]) if column in theirs else None for column in each.columns]
            for each, theirs in zip(parts, named, strict=True)
        ]
        if self.format == "json":
            signs = [
                [theirs[column] for column in each.signs if column in theirs]
                for each, theirs in zip(parts, named, strict=True)
            ]
            found = self._json(wanted, signs, tally)
        elif self.format == "delimited":
            found = self._delimited(part, wanted[0], tally)
        else:
            found = self._parquet(wanted[0])
        lists = [[place for place, column in enumerate(each.columns) if column in each.lists] for each in parts]
        for kind, line, values in found:
            for place in lists[kind]:
                values[place] = self._list(line, values[place], tally)
            nested = next((value for value in values if isinstance(value, list | tuple | Mapping)), None)
            if nested is None:
                yield parts[kind], line, [as_text(value) for value in values]
            else:
                tally.add("list or object instead of text", 1, [(self.place(line), as_text(nested))])

    def _theirs(self, name: str) -> str | None:
        """Return the name as the file spells it; None for a column that the file does not have."""
        if self.format == "json" or name in self.names:
            return name
        return next((theirs for theirs in self.names if theirs.casefold() == name.casefold()), None)

    def _delimited(
        self, part: SchemaPart, wanted: Sequence[str | None], tally: LogTally
    ) -> Iterator[tuple[int, int, list[Any]]]:
        columns = part.headerless if not self.has_header else self.names
        places = [None if name is None or name not in columns else columns.index(name) for name in wanted]
        lines = _Counted(read_lines(self.path, self.encoding))
        if self.has_header:
            next(line for line in lines if line.text.strip(" \t\r"))
        n_lines = lines.filled
        for line, values, taken in split_lines(lines, self.delimiter, quoted=part.quoted, width=len(columns)):
            n_lines += taken
            self._note_encoding(line, tally)
            if not line.is_whole:
                tally.add("line too long", 1, [(self.place(line.number), line.text)])
            elif values is None:
                tally.add("invalid quoting", 1, [(self.place(line.number), line.text)])
            elif len(values) != len(columns):
                tally.add("wrong number of fields", 1, [(self.place(line.number), line.text)])
            else:
                if taken > 1:
                    tally.add("row of several lines", 1, [(self.place(line.number), line.text)])
                yield 0, line.number, [None if place is None else values[place] for place in places]
        check_balance(self.path, "lines", lines.filled, n_lines)

    def _json(
        self, wanted: Sequence[Sequence[str | None]], signs: Sequence[Sequence[str]], tally: LogTally
    ) -> Iterator[tuple[int, int, list[Any]]]:
        action: TextLine | None = None
        for line in filled_lines(self.path, self.encoding):
            self._note_encoding(line, tally)
            record = parse_object(line.text) if line.is_whole else None
            is_action = is_bulk_action(record)
            if is_action and action is not None:
                self._note_lost(action, tally)
            action = line if is_action else None
            if not line.is_whole:
                tally.add("line too long", 1, [(self.place(line.number), line.text)])
            elif record is None:
                tally.add("not a JSON object", 1, [(self.place(line.number), line.text)])
            elif not is_action:
                # Only such an escape can produce a lone surrogate.
                cleaned = replace_surrogates(record) if "\\u" in line.text else record
                if cleaned != record and line.is_decoded:
                    tally.add("encoding error", 1, [(self.place(line.number), line.text)])
                signed = (
                    kind
                    for kind, names in enumerate(signs)
                    if any(look_up(cleaned, name) is not None for name in names)
                )
                kind = next(signed, len(signs) - 1)
                yield kind, line.number, [None if name is None else look_up(cleaned, name) for name in wanted[kind]]
        if action is not None:
            self._note_lost(action, tally)

    def _parquet(self, wanted: Sequence[str | None]) -> Iterator[tuple[int, int, list[Any]]]:
        with _open_parquet(self.path) as relation:
            types = dict(zip(relation.columns, relation.types, strict=True))
            # A dotted name is either a column itself or a path into a column of structs.
            tops = list(dict.fromkeys(_top(name, types) for name in wanted if name is not None))
            chosen = relation.project(", ".join(_readable(top, types[top]) for top in tops))
            line = 0
            while rows := chosen.fetchmany(_FETCHED_ROWS):
                for row in rows:
                    line += 1
                    record = dict(zip(tops, row, strict=True))
                    yield 0, line, [None if name is None else look_up(record, name) for name in wanted]

    def _list(self, line: int, value: Any, tally: LogTally) -> str | None:
        found = as_list(value)
        if found is None and value not in (None, ""):
            tally.add("unreadable hit list", 1, [(self.place(line), as_text(value))])
        return None if found is None else json.dumps(found)

    def _note_lost(self, action: TextLine, tally: LogTally) -> None:
        tally.add("bulk action without a document", 1, [(self.place(action.number), action.text)])

    def _note_encoding(self, line: TextLine, tally: LogTally) -> None:
        if not line.is_decoded:
            tally.add("encoding error", 1, [(self.place(line.number), line.text)])


class _Counted:
    """An iterator over lines that counts the lines that are not empty."""

    def __init__(self, lines: Iterator[TextLine]) -> None:
        self._lines = lines
        self.filled = 0

    def __iter__(self) -> Iterator[TextLine]:
        return self

    def __next__(self) -> TextLine:
        line = next(self._lines)
        self.filled += line.text != ""
        return line


def inspect_file(path: str | os.PathLike[str], encoding: str, schema: str | None = None) -> LogFile:
    """Detect the format of a file from its first bytes, and its columns from its first record.

    ORCAS files have no header line. A file is one if its first line is an ORCAS row, or if ``schema`` is ``"orcas"``.

    >>> from pathlib import Path
    >>> _ = Path("log.csv").write_text("query,action,url\\nzen,click,http://zen.org/\\n")
    >>> inspect_file("log.csv", "utf-8").names
    ('query', 'action', 'url')
    """
    place = os.fspath(path)
    check_unpacked_size(path)
    with open_input(path) as file:
        start = file.read(len(_PARQUET))
    if start == _PARQUET:
        with _open_parquet(place) as relation:
            return LogFile(place, "parquet", leaf_names(relation), encoding)
    first = next(filled_lines(path, encoding), None)
    if first is None:
        raise DataError(f"{path}: the file is empty: expected a table of rows.", remedy="Give a file with rows.")
    if first.text.lstrip().startswith("["):
        raise DataError(
            f"{path}: expected one JSON object per line, got a list.", remedy="Save it as JSON lines (NDJSON)."
        )
    if first.text.lstrip().startswith("{"):
        return LogFile(place, "json", _json_names(place, encoding), encoding)
    return _inspect_delimited(place, first, encoding, schema)


def _inspect_delimited(path: str, first: TextLine, encoding: str, schema: str | None) -> LogFile:
    delimiter = "\t" if "\t" in first.text else ","
    fields = first.text.split(delimiter)
    if is_orcas_line(fields) or (schema == ORCAS.schema and ORCAS.required[0] not in _folded(fields)):
        return LogFile(path, "delimited", ORCAS.headerless, encoding, delimiter, has_header=False)
    _, values, _ = next(split_lines(iter([first]), delimiter, quoted=True, width=len(fields)))
    names = tuple(name.strip() for name in (fields if values is None else values))
    times = Counter(name.casefold() for name in names)
    duplicate = next((name for name in reversed(names) if times[name.casefold()] > 1), None)
    if duplicate is not None:
        raise DataError(
            f"{path}:{first.number}: two columns are called {shortened(duplicate, _MAX_NAME)!r} (case is ignored).",
            remedy="Rename one.",
        )
    return LogFile(path, "delimited", names, encoding, delimiter)


def _folded(names: Sequence[str]) -> set[str]:
    return {name.casefold() for name in names}


def _json_names(path: str, encoding: str) -> tuple[str, ...]:
    """Return all names in the first objects, because an object may omit missing values."""
    names: dict[str, None] = {}
    for line, _ in zip(filled_lines(path, encoding), range(_INSPECTED_LINES), strict=False):
        record = parse_object(line.text)
        names |= dict.fromkeys(leaf_names(record) if record and not is_bulk_action(record) else ())
    if not names:
        raise DataError(
            f"{path}: none of the first {_INSPECTED_LINES} lines is a JSON object.",
            remedy="Write one object per line.",
        )
    return tuple(names)


def parse_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object on a line, without the wrapper of an OpenSearch export; None if there is none.

    >>> parse_object('{"_index": "ubi_queries", "_source": {"query_id": "1"}}'), parse_object("{")
    ({'query_id': '1'}, None)
    """
    try:
        found = json.loads(text)
    # A number with too many digits is a ValueError too; endless brackets exhaust the stack.
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and isinstance(found.get("_source"), dict):
        found = found["_source"]
    return found if isinstance(found, dict) and is_shallow(found) else None


def is_bulk_action(record: Mapping[str, Any] | None) -> bool:
    """Return whether an object is the line of a bulk request that announces the document on the next line.

    >>> is_bulk_action({"index": {"_index": "ubi_events"}}), is_bulk_action({"query": "zen"})
    (True, False)
    """
    return (
        record is not None and len(record) == 1 and any(isinstance(record.get(name), Mapping) for name in _BULK_ACTIONS)
    )


@contextmanager
def _open_parquet(path: str) -> Iterator[duckdb.DuckDBPyRelation]:
    try:
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false")
            # Escaped, because DuckDB would treat these characters of a name as a pattern.
            escaped = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in path)
            yield open_parquet(connection, escaped, path, hive_partitioning=False)
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        raise DataError(f"{path}: expected a Parquet file that DuckDB can read. DuckDB reports: {first}") from error


def _top(name: str, types: Mapping[str, Any]) -> str:
    return name if name in types else name.split(".")[0]


def _readable(name: str, kind: Any) -> str:
    """Return SQL that reads times as text in UTC, because Python's times would need a time zone database."""
    quoted = quote_name(name)
    is_time = str(kind).startswith(("TIMESTAMP", "DATE"))
    return f"CAST(make_timestamp(epoch_us({quoted})) AS VARCHAR) AS {quoted}" if is_time else quoted
