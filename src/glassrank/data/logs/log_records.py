"""Splits the lines of a log into records and fields, in the dialect of tables; a stray quote affects only its own line.

A field that begins with a quote ends with one, can continue over several lines, and doubles the quotes inside it.
Anywhere else a quote is an ordinary character. Because closing quotes are often missing, two rules keep a quote from
swallowing rows. A record has at most ``MAX_LINES`` lines. If each of several lines is a complete row by itself, they
are separate rows, regardless of quotes.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from glassrank.core.limits import MAX_LINES, MAX_RECORD_BYTES
from glassrank.data.logs.text_lines import TextLine

_INSIDE_QUOTES = re.compile(r'[^"]*+(?:""[^"]*+)*+')


class Fields(NamedTuple):
    """A record: the line where it begins, its fields (None if the quoting is invalid), and its number of lines."""

    line: TextLine
    values: list[str] | None
    n_lines: int = 1


def split_lines(lines: Iterator[TextLine], delimiter: str, *, quoted: bool, width: int) -> Iterator[Fields]:
    """Yield the fields of each record, skipping empty lines; ``width`` is the number of fields in a row.

    >>> lines = iter([TextLine(1, 'a,"b, ""c""'), TextLine(2, 'd"'), TextLine(3, 'e,"f'), TextLine(4, '27" tv,g')])
    >>> [(fields.line.number, fields.values) for fields in split_lines(lines, ",", quoted=True, width=2)]
    [(1, ['a', 'b, "c"\\nd']), (3, None), (4, ['27" tv', 'g'])]
    """
    waiting: list[TextLine] = []
    while line := waiting.pop(0) if waiting else next(lines, None):
        if not line.text:
            continue
        if not quoted or '"' not in line.text:
            yield Fields(line, line.text.split(delimiter))
            continue
        record = _Record(delimiter)
        parts, is_right = [line], record.take(line.text)
        while record.may_go_on(parts) and (more := waiting.pop(0) if waiting else next(lines, None)):
            parts.append(more)
            is_right = record.take(more.text)
        if is_right and not record.is_open and not _are_rows(parts, delimiter, width):
            yield Fields(_joined(parts), record.fields, sum(part.text != "" for part in parts))
        else:
            # The lines that the quote would have swallowed are read again, one by one.
            waiting = [*parts[1:], *waiting]
            yield Fields(line, None)


def _joined(parts: list[TextLine]) -> TextLine:
    text, is_decoded = "\n".join(part.text for part in parts), all(part.is_decoded for part in parts)
    return TextLine(parts[0].number, text, is_decoded, all(part.is_whole for part in parts))


def _are_rows(parts: list[TextLine], delimiter: str, width: int) -> bool:
    """Return whether there are several lines, each of which would be a row if quotes were ordinary characters."""
    return len(parts) > 1 and all(part.text.count(delimiter) == width - 1 for part in parts)


class _Record:
    """The fields of a record, added line by line; each line is scanned once."""

    def __init__(self, delimiter: str) -> None:
        self.fields: list[str] = []
        self.is_open = False
        self._delimiter = delimiter

    def may_go_on(self, parts: list[TextLine]) -> bool:
        """Return whether the next line may belong to the record."""
        return self.is_open and len(parts) < MAX_LINES and sum(len(part.text) for part in parts) <= MAX_RECORD_BYTES

    def take(self, text: str) -> bool:
        """Add a line; return whether the quoting is valid so far."""
        at = 0
        while True:
            if self.is_open or text.startswith('"', at):
                at = self._take_quoted(text, at)
                if self.is_open or at == len(text):
                    return True
                if text[at] != self._delimiter:
                    return False
            else:
                end = text.find(self._delimiter, at)
                self.fields.append(text[at:] if end < 0 else text[at:end])
                if end < 0:
                    return True
                at = end
            at += 1

    def _take_quoted(self, text: str, at: int) -> int:
        """Add a field up to its closing quote, or to the end of the line; return the position after it."""
        start = at if self.is_open else at + 1
        found = _INSIDE_QUOTES.match(text, start)
        end = found.end() if found else start
        piece = text[start:end].replace('""', '"')
        if self.is_open:
            self.fields[-1] += f"\n{piece}"
        else:
            self.fields.append(piece)
        self.is_open = end == len(text)
        return end + 1
