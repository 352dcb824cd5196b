"""Lines of text files, compressed or not; undecodable bytes are replaced, and overlong lines are cut."""

import codecs
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_RECORD_BYTES
from glassrank.core.setting import setting
from glassrank.files.input_files import open_input

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNREADABLE = re.compile("[\ud800-\udfff]")
# Number of bytes to keep of a line beyond the limit
_SHOWN = 80


class TextLine(NamedTuple):
    """A line of a file, counted from 1."""

    number: int
    text: str
    is_decoded: bool = True
    is_whole: bool = True
    """Whether the line is within the limit; only the beginning of a longer line is kept."""


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
    """Yield every line; bytes that cannot be decoded become �, and a line beyond the limit is cut.

    >>> from pathlib import Path
    >>> _ = Path("two.txt").write_bytes(b"caf\\xc3\\xa9\\n\\ncaf\\xe9\\r\\n")
    >>> [line[:3] for line in read_lines("two.txt")]
    [(1, 'café', True), (2, '', True), (3, 'caf�', False)]
    """
    with open_input(path) as file:
        if file.peek(2)[:2] in _WIDE_MARKS:
            raise DataError(
                f"{path}: expected text whose line breaks are one byte, got UTF-16.", remedy="Save it as UTF-8."
            )
        number = 0
        while raw := file.readline(MAX_RECORD_BYTES + 1):
            number += 1
            is_whole = len(raw) <= MAX_RECORD_BYTES or raw.endswith(b"\n")
            if not is_whole:
                raw = raw[:_SHOWN]
                while (rest := file.readline(MAX_RECORD_BYTES)) and not rest.endswith(b"\n"):
                    pass
            text = _decode(raw, encoding, path)
            text = text.removeprefix("\ufeff") if number == 1 else text
            readable = text if text.isascii() else _UNREADABLE.sub("�", text)
            yield TextLine(number, readable, readable == text or not is_whole, is_whole)


def filled_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[TextLine]:
    """Yield the lines that are not blank."""
    return (line for line in read_lines(path, encoding) if line.text.strip(" \t\r"))


def _decode(raw: bytes, encoding: str, path: str | os.PathLike[str]) -> str:
    try:
        return raw.removesuffix(b"\n").removesuffix(b"\r").decode(encoding, "surrogateescape")
    except UnicodeError as error:
        raise DataError(
            f"{path}: cannot be decoded as {encoding}: {error}.",
            remedy=("Save it as UTF-8", f"set another {setting('encoding')}"),
        ) from error
