"""A slow reader of LETOR text, line by line and token by token, as strict as the fast one.

A text is either rejected, with the line and column of the first fault, or read into plain lists.
"""

import math
import re
from dataclasses import dataclass

_BLANKS = b" \t\r"
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAN = re.compile(rb"[+-]?nan", re.IGNORECASE)
_WHOLE = re.compile(rb"-?[0-9]{1,19}")


class RefusedError(Exception):
    """The text breaks a rule, at this line and column (both from 1), or as a whole."""

    def __init__(self, line: int | None = None, column: int | None = None) -> None:
        super().__init__(line, column)
        self.place = None if line is None else (line, column)


@dataclass
class Rules:
    """What the text may contain."""

    n_features: int | None = None
    zero_based: bool | str = "auto"
    keep_missing: bool = False
    has_qid: bool = True

    @property
    def lowest(self) -> int:
        return 1 if self.zero_based is False else 0

    @property
    def highest(self) -> int:
        return (self.n_features or 1_000_000) - (self.zero_based is True)


@dataclass
class Table:
    """Rows as dictionaries from feature number to value, and the numbers of the first and the last feature."""

    labels: list[float]
    qids: list[int]
    rows: list[dict[int, float]]
    doc_ids: list[str] | None
    names: list[str]
    first: int
    last: int


def parse(content: bytes, rules: Rules) -> Table:
    """Read a whole text."""
    if content[:3] == b"\xef\xbb\xbf":
        content = content[3:]
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    _check_bytes(lines)
    names = _names(lines, rules)
    labels, qids, rows, comments = [], [], [], []
    for number, line in enumerate(lines, start=1):
        body, mark, comment = line.partition(b"#")
        tokens = [(match.start() + 1, match.group()) for match in re.finditer(rb"[^ \t\r]+", body)]
        if not tokens:
            continue
        labels.append(_label(number, *tokens.pop(0)))
        qids.append(_qid(number, tokens, body, mark, line) if rules.has_qid else 0)
        rows.append(_pairs(number, tokens, rules))
        comments.append((number, len(body) + 2, comment) if mark else None)
    if not labels:
        raise RefusedError
    doc_ids = _document_ids(comments)
    first, last = _numbering(rows, names, rules, lines)
    all_names = [names.get(number, f"feature {number}") for number in range(first, last + 1)]
    if len(set(all_names)) < len(all_names):
        raise RefusedError
    return Table(labels, qids, rows, doc_ids, all_names, first, last)


def _check_bytes(lines: list[bytes]) -> None:
    for number, line in enumerate(lines, start=1):
        for column, byte in enumerate(line, start=1):
            # A carriage return may be the last byte of a line.
            if byte == 0 or (byte == 13 and column < len(line)):
                raise RefusedError(number, column)


def _label(line: int, column: int, token: bytes) -> float:
    if not _NUMBER.fullmatch(token):
        raise RefusedError(line, column)
    value = float(token)
    if not math.isfinite(value):
        raise RefusedError(line, column)
    return value


def _qid(line: int, tokens: list[tuple[int, bytes]], body: bytes, mark: bytes, whole: bytes) -> int:
    if not tokens:
        raise RefusedError(line, len(body if mark else whole) + 1)
    column, token = tokens.pop(0)
    key, number = token[:4], token[4:]
    if key != b"qid:" or not _WHOLE.fullmatch(number) or not -(2**63) <= int(number) < 2**63:
        raise RefusedError(line, column)
    return int(number)


def _pairs(line: int, tokens: list[tuple[int, bytes]], rules: Rules) -> dict[int, float]:
    row: dict[int, float] = {}
    previous = rules.lowest - 1
    for column, token in tokens:
        number, colon, value = token.partition(b":")
        if not colon or not re.fullmatch(rb"[0-9]+", number):
            raise RefusedError(line, column)
        if len(number) > 10 or int(number) > rules.highest or int(number) <= previous:
            raise RefusedError(line, column)
        previous = int(number)
        row[previous] = _value(line, column + len(number) + 1, value, rules)
    return row


def _value(line: int, column: int, text: bytes, rules: Rules) -> float:
    if _NAN.fullmatch(text) and rules.keep_missing:
        return math.nan
    if not _NUMBER.fullmatch(text) or math.isinf(float(text)):
        raise RefusedError(line, column)
    return float(text)


def _document_ids(comments: list[tuple[int, int, bytes] | None]) -> list[str] | None:
    """Check the longest identifier first, then the encoding of each, and return them."""
    found = [None if comment is None else _identifier(*comment) for comment in comments]
    if all(identifier is None for identifier in found):
        return None
    longest = max((identifier for identifier in found if identifier), key=lambda identifier: len(identifier[2]))
    if len(longest[2]) > 1000:
        raise RefusedError(*longest[:2])
    texts = []
    for identifier in found:
        try:
            texts.append("" if identifier is None else identifier[2].decode("utf-8"))
        except UnicodeDecodeError:
            raise RefusedError(*identifier[:2]) from None
    return texts


def _identifier(line: int, column: int, comment: bytes) -> tuple[int, int, bytes]:
    """Line, column and bytes of the identifier in a comment whose text begins at ``column``."""
    text = comment.strip(_BLANKS)
    column += len(comment) - len(comment.lstrip(_BLANKS))
    named = re.match(rb"docid[ \t]*=[ \t]*", text)
    if named:
        return line, column + named.end(), re.split(rb"[ \t]", text[named.end() :])[0]
    return line, column, text


def _names(lines: list[bytes], rules: Rules) -> dict[int, str]:
    """Names in comment lines before the first row, ``# feature 3 = bm25``."""
    names: dict[int, str] = {}
    for line_number, line in enumerate(lines, start=1):
        text = line.strip(_BLANKS)
        if text and text[:1] != b"#":
            break
        head, equals, name = text[1:].partition(b"=")
        words = re.split(rb"[ \t]+", head.strip(b" \t"))
        name = name.lstrip(b" \t")
        if not equals or not name or len(words) != 2 or words[0] != b"feature" or not words[1].isdigit():
            continue
        column = line.index(words[1], line.index(b"feature")) + 1
        if len(words[1]) > 10 or not rules.lowest <= int(words[1]) <= rules.highest or int(words[1]) in names:
            raise RefusedError(line_number, column)
        try:
            names[int(words[1])] = name.decode("utf-8")
        except UnicodeDecodeError:
            raise RefusedError(line_number, line.index(b"=") + 1 + _offset(line)) from None
    return names


def _offset(line: bytes) -> int:
    """Distance from the equals sign to the first byte of the name."""
    after = line[line.index(b"=") + 1 :]
    return len(after) - len(after.lstrip(b" \t")) + 1


def _numbering(
    rows: list[dict[int, float]], names: dict[int, str], rules: Rules, lines: list[bytes]
) -> tuple[int, int]:
    """Numbers of the first and the last feature."""
    mentioned = {*names, *(number for row in rows for number in row)}
    from_zero = 0 in mentioned if rules.zero_based == "auto" else rules.zero_based
    first = 0 if from_zero else 1
    if rules.n_features is None:
        if not mentioned:
            raise RefusedError
        return first, max(mentioned)
    if first == 0 and rules.n_features in mentioned:
        # Reading the same text with numbers from 0 finds where the number is too large.
        parse(b"\n".join(lines) + b"\n", Rules(rules.n_features, True, rules.keep_missing, rules.has_qid))
    return first, first + rules.n_features - 1
