"""The CSV and TSV dialect of the package. Every delimited file is checked against it, and nothing is guessed.

A file is UTF-8 text whose first record names the columns. All records have as many fields as the header and end in the
same way, in LF, CRLF or CR; blank lines are skipped. A field that begins with a quote ends with one and may contain
delimiters, line breaks and doubled quotes; anywhere else a quote is an ordinary character. There are no comments and no
escapes except the doubled quote. An empty field is a missing value; there are no special words for it.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_COLUMNS, MAX_RECORD_BYTES
from glassrank.core.setting import setting

DELIMITERS = {"csv": ",", "tsv": "\t"}
"""Format of a table → separator of the fields."""
_CHUNK = 1 << 20
# For shorter stretches without quotes, arrays do not pay off.
_WORTH_COUNTING = 1 << 13
_LINE_END = rb"\r\n|\n|\r"
_BLANK_LINES = re.compile(rb"(?:\r\n|\n|\r)+")
# DuckDB drops blanks between a delimiter and a quote, so such a field is rejected rather than changed.
_FIELDS = {
    ",": rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?![ \t]*+")[^,\r\n]*+)',
    "\t": rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?! *+")[^\t\r\n]*+)',
}
_WITHOUT_INDEX = setting("index", False, python="to_csv(index=False)")


class _Stream(Protocol):
    """A binary stream that returns the available bytes, even if they are fewer than requested."""

    def read1(self, size: int, /) -> bytes: ...


class CsvText:
    """Text in the dialect, read once from start to end. Any violation raises a DataError that gives the line.

    >>> import io
    >>> text = CsvText(io.BytesIO(b'query,url\\n27" tv,"http://a/?x=1,2"\\n'), ",", "log.csv")
    >>> text.names, list(text.records())
    (('query', 'url'), [(2, ['27" tv', 'http://a/?x=1,2'])])
    """

    def __init__(self, stream: _Stream, delimiter: str, place: Any) -> None:
        self._stream = stream
        self._delimiter = delimiter.encode()
        self._place = place
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._line = b"", 0, 1
        self._ended = False
        self.line_end = b""
        self._uneven_until = 0
        self.has_quoted_line_breaks = False
        self._field = re.compile(_FIELDS[delimiter])
        self._record = self._pattern(b"*+")
        self.names = self._read_header()
        self._record = self._pattern(b"{%d}+" % (len(self.names) - 1))

    def _pattern(self, times: bytes) -> re.Pattern[bytes]:
        """Return a pattern for a record, with one field and this many others, and its line end."""
        field = self._field.pattern
        return re.compile(b"(%b(?:%b%b)%b)(%b|\\Z)" % (field, self._delimiter, field, times, _LINE_END))

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line at which each record begins, and its fields."""
        while found := self._next():
            line, record = found
            yield line, self._split(record)

    def count(self) -> int:
        """Check the rest of the text, and return the number of its records."""
        count = 0
        while True:
            count += self._pass_even_lines()
            if self._next() is None:
                return count
            count += 1

    def _next(self) -> tuple[int, bytes] | None:
        """Return the line and the text of the next record; None at the end."""
        self._skip_blank_lines()
        if self._at == len(self._text):
            return None
        found = self._match()
        record, line_end = found.groups()
        line = self._line
        self._note_line_end(line_end)
        if b'"' in record and (breaks := _count_breaks(record)):
            self.has_quoted_line_breaks = True
            self._line += breaks
        self._line += 1
        self._at = found.end()
        return line, record

    def _match(self) -> re.Match[bytes]:
        while True:
            found = self._record.match(self._text, self._at)
            # A record that reaches the end of the buffer may continue after it, unless a line feed ends it.
            if found and (self._ended or found.end() < len(self._text) or found[2].endswith(b"\n")):
                return found
            if self._ended or len(self._text) - self._at > MAX_RECORD_BYTES:
                raise self._fault()
            self._fill()

    def _skip_blank_lines(self) -> None:
        while True:
            found = _BLANK_LINES.match(self._text, self._at)
            if found:
                self._line += _count_breaks(found.group())
                self._at = found.end()
            if self._at < len(self._text) or self._ended:
                return
            self._fill()

    def _fill(self) -> None:
        """Append another piece of the file to the rest of the last one."""
        # Only what is available, so that a program that writes to a pipe line by line gets an answer for each line.
        piece = self._stream.read1(_CHUNK)
        start = len(self._text) - self._at
        self._text, self._at, self._uneven_until = self._text[self._at :] + piece, 0, 0
        self._ended = not piece
        if b"\0" in piece:
            raise DataError(
                f"{self._place}: contains a zero byte: expected UTF-8 text.", remedy="Save it as UTF-8 text."
            )
        waiting = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as error:
            position = start - waiting + error.start
            line = self._line + _count_breaks(self._text[:position])
            raise DataError(
                f"{self._place}:{line}: expected UTF-8 text, got the byte 0x{self._text[position]:02x}.",
                remedy="Save it as UTF-8.",
            ) from error

    def _pass_even_lines(self) -> int:
        """Skip lines without quotes if all have as many fields as the header; return the number of lines skipped."""
        quote = self._text.find(b'"', self._at)
        end = self._text.rfind(b"\n", self._at, quote if quote >= 0 else len(self._text)) + 1
        if end <= self._uneven_until or end - self._at < _WORTH_COUNTING:
            return 0
        # If some lines differ, all are read one by one, and this check is not repeated for them.
        self._uneven_until = end
        lines = np.frombuffer(self._text, dtype=np.uint8)[self._at : end]
        breaks, delimiters = np.flatnonzero(lines == 10), np.flatnonzero(lines == self._delimiter[0])
        per_line = np.diff(np.searchsorted(delimiters, breaks), prepend=0)
        if len(self.names) == 1 or (per_line != len(self.names) - 1).any() or not self._ends_alike(len(breaks), end):
            return 0
        self._at, self._line = end, self._line + len(breaks)
        return len(breaks)

    def _ends_alike(self, n_lines: int, end: int) -> bool:
        """Return whether all lines up to a position end as the header does and contain no other carriage return."""
        n_returns = n_lines if self.line_end == b"\r\n" else 0
        return self._text.count(b"\r", self._at, end) == self._text.count(b"\r\n", self._at, end) == n_returns

    def _note_line_end(self, line_end: bytes) -> None:
        if line_end and self.line_end and line_end != self.line_end:
            kinds = sorted((repr(kind)[2:-1] for kind in (line_end, self.line_end)), key=len, reverse=True)
            raise DataError(
                f"{self._place}: some lines end in {' and others in '.join(kinds)}: expected the same line ending.",
                remedy="Convert the line endings first.",
            )
        self.line_end = self.line_end or line_end

    def _split(self, record: bytes) -> list[str]:
        fields, at = [], 0
        while found := self._field.match(record, at):
            field = found.group()
            text = field[1:-1].replace(b'""', b'"') if field.startswith(b'"') else field
            fields.append(text.decode())
            at = found.end() + 1
            if found.end() == len(record):
                break
        return fields

    def _read_header(self) -> tuple[str, ...]:
        """Return the column names in the first line, and raise an error if they are invalid."""
        self._fill()
        self._text = self._text.removeprefix(codecs.BOM_UTF8)
        if not self._text or _BLANK_LINES.match(self._text):
            got = "a blank line" if self._text else "an empty file"
            raise DataError(f"{self._place}:1: expected a header line with the column names, got {got}.")
        found = self._next()
        names = self._split(found[1]) if found else []
        check_width(f"{self._place}:1", len(names))
        first: dict[str, int] = {}
        for position, name in enumerate(names, start=1):
            self._check_name(position, name, first)
            first[name] = position
        return tuple(names)

    def _check_name(self, position: int, name: str, first: dict[str, int]) -> None:
        if not name:
            raise DataError(
                f"{self._place}:1: column {position} has no name.",
                remedy=("Name it", "remove it", f"write a pandas frame with {_WITHOUT_INDEX}"),
            )
        if has_line_break(name):
            raise DataError(
                f"{self._place}:1: the name {name!r} of column {position} contains a line break.", remedy="Rename it."
            )
        if name in first:
            raise DataError(
                f"{self._place}:1: columns {first[name]} and {position} are both named {name!r}.", remedy="Rename one."
            )

    def _fault(self) -> DataError:
        """Return an error that says what is wrong with the record that does not match."""
        at, n_fields, place = self._at, 0, f"{self._place}:{self._line}"
        while True:
            found = self._field.match(self._text, at)
            if not found:
                if self._text[at : at + 1] in (b" ", b"\t"):
                    return DataError(
                        f"{place}: there is a space before the opening quote of a field.", remedy="Remove the space."
                    )
                return self._endless(place) or DataError(f"{place}: a quoted field is not closed.", remedy=_QUOTING)
            n_fields, at = n_fields + 1, found.end()
            if self._text[at : at + 1] != self._delimiter:
                break
            at += 1
        if at == len(self._text) and not self._ended:
            return self._endless(place) or DataError(f"{place}: the record cannot be read.")
        if self._text[at : at + 1] not in (b"", b"\r", b"\n"):
            sign = self._delimiter.decode()
            return DataError(f"{place}: {sign!r} expected after '\"'.", remedy=_QUOTING)
        return DataError(f"{place}: expected {len(self.names)} fields as in the header, got {n_fields}.")

    def _endless(self, place: str) -> DataError | None:
        if self._ended:
            return None
        return DataError(
            f"{place}: the record is longer than {MAX_RECORD_BYTES:,} bytes.",
            remedy=("Check for a quote that is not closed", "save long texts as Parquet"),
        )


def check_width(place: Any, n_columns: int) -> None:
    """Raise an error for a file with so many columns that DuckDB would need minutes to plan the query.

    >>> check_width("genes.parquet", 16_000)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: genes.parquet: the table has 16,000 columns: expected at most 10,000. Save that \
many features as LETOR text, or read the table with pandas or Polars: RankingData.from_frame(frame).
    """
    if n_columns > MAX_COLUMNS:
        frame = setting("from_frame", python="RankingData.from_frame(frame)")
        raise DataError(
            f"{place}: the table has {n_columns:,} columns: expected at most {MAX_COLUMNS:,}.",
            remedy=("Save that many features as LETOR text", f"read the table with pandas or Polars: {frame}"),
        )


_QUOTING = "Close each quoted field with a quote, and double the quotes inside it."


def _count_breaks(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def has_line_break(name: str) -> bool:
    """Return whether a column name contains a line break, which DuckDB misreads in a header.

    >>> has_line_break("bm25"), has_line_break("bm25\\r")
    (False, True)
    """
    return "\r" in name or "\n" in name
