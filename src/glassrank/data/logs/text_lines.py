"""Lines of text files, compressed or not, and the fields of delimited records; undecodable bytes are replaced."""

import codecs
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from glassrank.core.checks import DataError
from glassrank.core.setting import setting

_PACKED: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open}
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNREADABLE = re.compile("[\ud800-\udfff]")
_FIELD = r'(?:"([^"]*(?:""[^"]*)*)"|([^"{0}]*))({0}|\Z)'
# A quoted field may contain line breaks, but a missing closing quote must not swallow the rest of the file.
MAX_RECORD_LINES = 100


class TextLine(NamedTuple):
    """A line of a file, counted from 1."""

    number: int
    text: str
    is_decoded: bool


class Fields(NamedTuple):
    """The fields of a record and the line it begins on; the fields are None if the quoting is invalid."""

    line: TextLine
    values: list[str] | None


@contextmanager
def open_file(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a file for reading, decompressing gzip or xz by its first bytes; failures raise a DataError."""
    try:
        with open(path, "rb") as file:
            start = file.read(6)
        unpack = next((open_ for magic, open_ in _PACKED.items() if start.startswith(magic)), open)
        with unpack(path, "rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: there is no such file.",
            remedy=f"Check the path; relative paths start at {os.getcwd()}.",
        ) from error
    except IsADirectoryError as error:
        raise DataError(f"{path}: expected a file, got a folder.", remedy="Give the files inside it.") from error
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        raise DataError(f"{path}: cannot be read: {error}.", remedy="Copy or download the file again.") from error


def check_encoding(encoding: str) -> None:
    """Raise an error for an encoding that is unknown, or in which a line break is not one byte.

    >>> check_encoding("utf-16")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: encoding must write tabs and line breaks as one byte: got 'utf-16'. Save the \
file as UTF-8.
    """
    try:
        plain = "{\t\r\n".encode(encoding) == b"{\t\r\n"
    except LookupError as error:
        raise DataError(
            f"encoding must name a text encoding such as 'utf-8' or 'cp1252': got {encoding!r}.",
            parameter="encoding",
            got=encoding,
        ) from error
    if not plain:
        raise DataError(
            f"encoding must write tabs and line breaks as one byte: got {encoding!r}.",
            parameter="encoding",
            got=encoding,
            remedy="Save the file as UTF-8.",
        )


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[TextLine]:
    """Yield the lines that are not blank; bytes that cannot be decoded become �.

    >>> from pathlib import Path
    >>> _ = Path("two.txt").write_bytes(b"caf\\xc3\\xa9\\n\\ncaf\\xe9\\r\\n")
    >>> [tuple(line) for line in read_lines("two.txt")]
    [(1, 'café', True), (3, 'caf�', False)]
    """
    with open_file(path) as file:
        if file.peek(2)[:2] in _WIDE_MARKS:
            raise DataError(
                f"{path}: expected text whose line breaks are one byte, got UTF-16.", remedy="Save it as UTF-8."
            )
        text = io.TextIOWrapper(file, encoding=encoding, errors="surrogateescape", newline="\n")
        try:
            for number, raw in enumerate(text, start=1):
                line = raw.removesuffix("\n").removesuffix("\r")
                line = line.removeprefix("\ufeff") if number == 1 else line
                if line.strip(" \t\r"):
                    readable = _UNREADABLE.sub("�", line) if not line.isascii() else line
                    yield TextLine(number, readable, readable == line)
        except UnicodeError as error:
            raise DataError(
                f"{path}: cannot be decoded as {encoding}: {error}.",
                remedy=("Save it as UTF-8", f"set another {setting('encoding')}"),
            ) from error


def split_lines(lines: Iterator[TextLine], delimiter: str, *, quoted: bool) -> Iterator[Fields]:
    """Yield the fields of each record; with ``quoted``, quotes may enclose delimiters and line breaks.

    >>> lines = iter([TextLine(1, 'a,"b, ""c""', True), TextLine(2, 'd"', True), TextLine(3, 'e,"f', True)])
    >>> [(fields.line.number, fields.values) for fields in split_lines(lines, ",", quoted=True)]
    [(1, ['a', 'b, "c"\\nd']), (3, None)]
    """
    pattern = re.compile(_FIELD.format(re.escape(delimiter)))
    waiting: list[TextLine] = []
    while line := waiting.pop(0) if waiting else next(lines, None):
        if not quoted or '"' not in line.text:
            yield Fields(line, line.text.split(delimiter))
            continue
        parts, is_open = [line], _has_open_quote(line)
        while is_open and len(parts) < MAX_RECORD_LINES and (more := waiting.pop(0) if waiting else next(lines, None)):
            parts.append(more)
            is_open ^= _has_open_quote(more)
        if is_open:
            # The lines after the unclosed quote are read again as separate records.
            waiting = [*parts[1:], *waiting]
            yield Fields(line, None)
        else:
            text, is_decoded = "\n".join(part.text for part in parts), all(part.is_decoded for part in parts)
            yield Fields(TextLine(line.number, text, is_decoded), _split_quoted(text, pattern))


def _has_open_quote(line: TextLine) -> bool:
    return line.text.count('"') % 2 == 1


def _split_quoted(text: str, pattern: re.Pattern[str]) -> list[str] | None:
    """Return the fields of a record with quotes; None if a quote appears inside an unquoted field."""
    fields, start = [], 0
    while found := pattern.match(text, start):
        quoted, plain, end = found.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        if not end:
            return fields
        start = found.end()
    return None
