"""Names with blanks in TREC files: percent-encoded, and marked in the second column, which other tools ignore.

TREC files separate their columns by white space, have no quotes and no comments. A name that contains white space or
control characters is therefore written with these, and with its percent signs, percent-encoded. The second column of
the line, otherwise ``Q0`` or ``0``, says which names are encoded: ``%query``, ``%document``, ``%tag``, or several of
them. All other names are written and read as they are, so a ``%20`` in a file of another tool stays what it is.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote_to_bytes

from glassrank.core.checks import DataError

PLACE_OF_MARK = 1
_UNWRITABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")


def is_escaped(name: str) -> bool:
    """Return whether a name is written percent-encoded.

    >>> is_escaped("new york"), is_escaped("a%20b"), is_escaped("münchen")
    (True, False, False)
    """
    return _UNWRITABLE.search(name) is not None


def escape(name: str) -> str:
    """Return a name as it is written: unchanged, or percent-encoded if it contains white space or control characters.

    >>> escape("new york: 5%"), escape("a%20b")
    ('new%20york:%205%25', 'a%20b')
    """
    if not is_escaped(name):
        return name
    return _UNWRITABLE.sub(lambda found: quote(found[0]), name.replace("%", "%25"))


def mark(usual: str, **names: str) -> str:
    """Return the second column of a line: the usual one, or which of the names are percent-encoded.

    >>> mark("Q0", query="7", document="d1"), mark("Q0", query="new york", document="d1")
    ('Q0', '%query')
    """
    return "".join(f"%{field}" for field, name in names.items() if is_escaped(name)) or usual


def restored(fields: Sequence[str], row: list[str], place: str) -> list[str]:
    """Return the columns of a line with the names that its second column marks decoded."""
    marked = row[PLACE_OF_MARK]
    if not marked.startswith("%"):
        return row
    escaped = marked[1:].split("%")
    if not set(escaped) <= set(fields):
        return row  # the mark of another tool
    return [_restored(text, place) if field in escaped else text for field, text in zip(fields, row, strict=True)]


def _restored(text: str, place: str) -> str:
    name = unquote_to_bytes(text).decode(errors="replace")
    if escape(name) != text or name == text:
        raise DataError(
            f"{place}: {text[:60]!r} is marked as percent-encoded, but is not encoded as glassrank does it.",
            remedy="Write the file again, or put Q0 or 0 into the second column if the name is meant literally.",
        )
    return name
