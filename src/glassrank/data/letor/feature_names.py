"""Feature names in comment lines before the first row: ``# feature 3 = bm25``."""

import re
from collections.abc import Iterator

from glassrank.core.checks import DataError
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.line_errors import place, refusal
from glassrank.data.letor.line_kernel import ORDER, TOO_LARGE

_BLANKS = b" \t\r"
_NAME_LINE = re.compile(rb"[ \t]*#[ \t]*feature[ \t]+([0-9]+)[ \t]*=[ \t]*([^ \t\r\n].*?)[ \t\r]*")
_MAX_DIGITS = 10


def name_line(number: int, name: str) -> bytes:
    """Return the comment line that names a feature, or raise an error if it would not read back unchanged.

    >>> name_line(3, "bm25 of title")
    b'# feature 3 = bm25 of title\\n'
    """
    try:
        line = f"# feature {number} = {name}".encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"The feature name {name!r} cannot be written as UTF-8.", remedy="Rename the feature."
        ) from error
    match = _NAME_LINE.fullmatch(line)
    if match is None or match[2] != name.encode() or b"\r" in line or b"\0" in line:
        raise DataError(
            f"The feature name {name!r} cannot be written: expected non-empty text without line breaks or NUL, and "
            "without leading or trailing blanks.",
            remedy="Rename the feature.",
        )
    return line + b"\n"


def read_names(content: bytes, path: str, rules: LetorRules) -> dict[int, str]:
    """Return feature number → name from the comment lines before the first row."""
    names: dict[int, str] = {}
    for start, line in _opening_comments(content):
        match = _NAME_LINE.fullmatch(line)
        if match is None:
            continue
        position = start + match.start(1)
        if len(match[1]) > _MAX_DIGITS or int(match[1]) > rules.highest:
            raise refusal(TOO_LARGE, position, content, path, rules)
        number = int(match[1])
        if number < rules.lowest:
            raise refusal(ORDER, position, content, path, rules)
        if number in names:
            raise DataError(
                f"{place(content, position, path)}: feature {number} is named twice: expected one name.",
                remedy="Remove one.",
            )
        names[number] = _decode(match[2], start + match.start(2), content, path)
    return names


def _opening_comments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the positions and texts of the lines before the first row."""
    start = 0
    while start < len(content):
        end = content.index(b"\n", start)
        line = content[start:end]
        first = line.lstrip(_BLANKS)[:1]
        if first not in (b"", b"#"):
            return
        yield start, line
        start = end + 1


def _decode(name: bytes, position: int, content: bytes, path: str) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{place(content, position, path)}: a feature name must be UTF-8 text: got {name!r}.",
            remedy="Save the file as UTF-8.",
        ) from error
