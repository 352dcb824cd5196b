"""Lines of a log become records of fields, in the dialect of tables; a wrong quote costs its own line and no other.

A field that begins with a quote ends with one, may go on over lines and doubles the quotes inside it; anywhere else a
quote is an ordinary character. People forget quotes, so that two rules keep one from swallowing rows: a record has at
most ``MOST_LINES`` lines, and lines that are each a whole row are rows, whatever their quotes say.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from glassrank.core.limits import LONGEST_RECORD, MOST_LINES
from glassrank.data.logs.text_lines import TextLine

_INSIDE_QUOTES = re.compile(r'[^"]*+(?:""[^"]*+)*+')


class Fields(NamedTuple):
    """The fields of a record, None if its quotes are wrong; the line it begins at; and how many lines it fills."""

    line: TextLine
    values: list[str] | None
    n_lines: int = 1


def split_lines(lines: Iterator[TextLine], delimiter: str, *, quoted: bool, width: int) -> Iterator[Fields]:
    """Yield the fields of each record, empty lines left out; ``width`` is the number of fields of a row.

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
            # The lines that the quote would have swallowed are read again, each for itself.
            waiting = [*parts[1:], *waiting]
            yield Fields(line, None)


def _joined(parts: list[TextLine]) -> TextLine:
    text, is_decoded = "\n".join(part.text for part in parts), all(part.is_decoded for part in parts)
    return TextLine(parts[0].number, text, is_decoded, all(part.is_whole for part in parts))


def _are_rows(parts: list[TextLine], delimiter: str, width: int) -> bool:
    """Whether several lines would each be a row if quotes meant nothing."""
    return len(parts) > 1 and all(part.text.count(delimiter) == width - 1 for part in parts)


class _Record:
    """The fields of a record, taken line by line; each line is looked at once."""

    def __init__(self, delimiter: str) -> None:
        self.fields: list[str] = []
        self.is_open = False
        self._delimiter = delimiter

    def may_go_on(self, parts: list[TextLine]) -> bool:
        """Whether the next line may belong to the record."""
        return self.is_open and len(parts) < MOST_LINES and sum(len(part.text) for part in parts) <= LONGEST_RECORD

    def take(self, text: str) -> bool:
        """Add a line; say whether its quotes are right so far."""
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
        """Take a field up to its closing quote or, if there is none, up to the end of the line; return what follows."""
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
