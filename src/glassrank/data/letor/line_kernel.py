"""Parses lines of LETOR text into arrays in one pass over the bytes, without a Python object per value."""

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.letor.decimal_kernel import (
    DECIDED,
    EXACT_POWERS,
    INFINITE,
    MALFORMED,
    MAX_DIGITS,
    MAX_EXACT_DIGITS,
    NAN,
    UNDECIDED,
    Bytes,
    read_number,
    round_decimal,
)
from glassrank.kernels import njit

FeatureNumbers = npt.NDArray[np.int32]

# Error codes; the position of the error is returned with them.
FINE = 0
LABEL, LABEL_NOT_FINITE = 1, 2
QID_ABSENT, QID_MALFORMED = 3, 4
PAIR, TOO_LARGE, ORDER = 5, 6, 7
VALUE, VALUE_MISSING, VALUE_INFINITE = 8, 9, 10

_LINE_FEED, _TAB, _RETURN, _SPACE, _HASH, _COLON, _EQUALS = 10, 9, 13, 32, 35, 58, 61
_MAX_FEATURE_DIGITS = 10
_MAX_QID_DIGITS = 19
_MAX_QID = np.uint64(2**63 - 1)


@njit(cache=True, nogil=True)
def count_marks(text: Bytes) -> tuple[int, int, int]:
    """Count line feeds and colons, which bound the numbers of rows and pairs, and bytes that are not allowed."""
    n_lines, n_colons, n_misplaced = 0, 0, 0
    for i in range(len(text) - 1):
        n_lines += text[i] == _LINE_FEED
        n_colons += text[i] == _COLON
        n_misplaced += (text[i] == 0) | ((text[i] == _RETURN) & (text[i + 1] != _LINE_FEED))
    return n_lines + 1, n_colons, n_misplaced


@njit(cache=True, nogil=True)
def parse_lines(
    text: Bytes,
    options: IntArray,
    labels: FloatArray,
    qids: IntArray,
    row_starts: IntArray,
    columns: FeatureNumbers,
    values: FloatArray,
    id_spans: IntArray,
    undecided: IntArray,
) -> tuple[int, int, int, int, int]:
    """Parse text that ends in a line feed and has a carriage return only before a line feed.

    ``options``: lowest and highest allowed feature number, whether lines have a qid, whether nan is allowed.
    ``undecided`` receives the place and position of each number that ``float`` has to round; the place of a label is
    −1 − row. Returns the code and position at which parsing ended, and the numbers of rows, pairs and undecided
    numbers.
    """
    n_rows, n_pairs, n_undecided = 0, 0, 0
    row_starts[0] = 0
    i = 0
    while i < len(text):
        i = _skip_blanks(text, i)
        if text[i] == _LINE_FEED or text[i] == _HASH:
            i = _line_end(text, i) + 1
            continue
        kind, labels[n_rows], end, n_undecided = _read_number(text, i, -1 - n_rows, undecided, n_undecided)
        if kind != DECIDED and kind != UNDECIDED:
            return LABEL if kind == MALFORMED else LABEL_NOT_FINITE, i, n_rows, n_pairs, n_undecided
        i = _skip_blanks(text, end)
        if options[2]:
            code, qids[n_rows], i = _read_qid(text, i)
            if code != FINE:
                return code, i, n_rows, n_pairs, n_undecided
        code, i, n_pairs, n_undecided = _read_pairs(text, i, options, columns, values, n_pairs, undecided, n_undecided)
        if code != FINE:
            return code, i, n_rows, n_pairs, n_undecided
        i = _read_comment(text, i, id_spans[n_rows])
        n_rows += 1
        row_starts[n_rows] = n_pairs
    return FINE, i, n_rows, n_pairs, n_undecided


@njit(cache=True, nogil=True)
def _read_pairs(
    text: Bytes,
    i: int,
    options: IntArray,
    columns: FeatureNumbers,
    values: FloatArray,
    n_pairs: int,
    undecided: IntArray,
    n_undecided: int,
) -> tuple[int, int, int, int]:
    """Read feature:value pairs up to the comment or the end of the line; return code, position and counts.

    This is the hot loop: ordinary numbers are read inline, because passing an array to another function costs two
    atomic operations on its reference count.
    """
    previous, highest = options[0] - 1, options[1]
    while True:
        c = text[i]
        while c in (_SPACE, _TAB, _RETURN):
            i += 1
            c = text[i]
        if c in (_LINE_FEED, _HASH):
            return FINE, i, n_pairs, n_undecided
        start = i
        feature = 0
        while 48 <= c <= 57:
            feature = feature * 10 + (c - 48)
            i += 1
            c = text[i]
        if i == start or c != _COLON:
            return PAIR, start, n_pairs, n_undecided
        if i - start > _MAX_FEATURE_DIGITS or feature > highest:
            return TOO_LARGE, start, n_pairs, n_undecided
        if feature <= previous:
            return ORDER, start, n_pairs, n_undecided
        columns[n_pairs] = feature
        previous = feature
        i += 1
        start = i
        c = text[i]
        negative = c == 45  # -
        if negative:
            i += 1
            c = text[i]
        first = i
        mantissa = 0
        while 48 <= c <= 57:
            mantissa = mantissa * 10 + (c - 48)
            i += 1
            c = text[i]
        n_digits = i - first
        n_decimals = 0
        if c == 46:  # .
            i += 1
            first = i
            c = text[i]
            while 48 <= c <= 57:
                mantissa = mantissa * 10 + (c - 48)
                i += 1
                c = text[i]
            n_decimals = i - first
            n_digits += n_decimals
        decided = False
        if 0 < n_digits <= MAX_DIGITS and c in (_SPACE, _LINE_FEED, _TAB, _RETURN):
            if n_digits <= MAX_EXACT_DIGITS:
                decided, value = True, mantissa / EXACT_POWERS[n_decimals]
            else:
                decided, value = round_decimal(np.uint64(mantissa), -n_decimals)
            values[n_pairs] = -value if negative else value
        if not decided:
            kind, values[n_pairs], i, n_undecided = _read_number(text, start, n_pairs, undecided, n_undecided)
            code = _judge(kind, options[3])
            if code != FINE:
                return code, start, n_pairs, n_undecided
        n_pairs += 1


@njit(cache=True, nogil=True)
def _read_number(
    text: Bytes, start: int, place: int, undecided: IntArray, n_undecided: int
) -> tuple[int, float, int, int]:
    """Read a number of any form, which must fill its token, and record it if it is undecided."""
    kind, value, i = read_number(text, start)
    if not _is_blank(text[i]) and text[i] != _LINE_FEED and text[i] != _HASH:
        kind = MALFORMED
    if kind == UNDECIDED:
        undecided[n_undecided, 0], undecided[n_undecided, 1] = place, start
        n_undecided += 1
    return kind, value, i, n_undecided


@njit(cache=True, nogil=True)
def _judge(kind: int, keep_missing: bool) -> int:
    """Return the error code for a value of this kind, or FINE."""
    if kind == MALFORMED:
        return VALUE
    if kind == INFINITE:
        return VALUE_INFINITE
    if kind == NAN and not keep_missing:
        return VALUE_MISSING
    return FINE


@njit(cache=True, nogil=True)
def _read_qid(text: Bytes, i: int) -> tuple[int, int | np.int64, int]:
    """Read ``qid:`` and a 64-bit whole number."""
    if text[i] != 113 or text[i + 1] != 105 or text[i + 2] != 100 or text[i + 3] != _COLON:
        return QID_ABSENT, 0, i
    start = i
    i += 4
    negative = text[i] == 45  # -
    if negative:
        i += 1
    first = i
    number = np.uint64(0)
    while 48 <= text[i] <= 57:
        number = number * np.uint64(10) + np.uint64(text[i] - 48)
        i += 1
    ends = _is_blank(text[i]) or text[i] == _LINE_FEED or text[i] == _HASH
    if not ends or not 0 < i - first <= _MAX_QID_DIGITS or number > _MAX_QID + np.uint64(negative):
        return QID_MALFORMED, 0, start
    return FINE, -np.int64(number) if negative else np.int64(number), i


@njit(cache=True, nogil=True)
def _read_comment(text: Bytes, i: int, span: IntArray) -> int:
    """Record the span of the document identifier (-1 without comment) and return the start of the next line."""
    end = _line_end(text, i)
    span[0], span[1] = -1, -1
    if text[i] == _HASH:
        start = _skip_blanks(text, i + 1)
        stop = end
        while stop > start and _is_blank(text[stop - 1]):
            stop -= 1
        named = _after_docid(text, start)
        if named >= 0:
            start, stop = named, named
            while not _is_blank(text[stop]) and text[stop] != _LINE_FEED:
                stop += 1
        span[0], span[1] = start, stop
    return end + 1


@njit(cache=True, nogil=True)
def _after_docid(text: Bytes, i: int) -> int:
    """Return the position after ``docid =`` and blanks, or -1 if the comment begins otherwise."""
    for letter in b"docid":
        if text[i] != letter:
            return -1
        i += 1
    i = _skip_blanks(text, i)
    return _skip_blanks(text, i + 1) if text[i] == _EQUALS else -1


@njit(cache=True, nogil=True)
def _is_blank(c: int) -> bool:
    return c in (_SPACE, _TAB, _RETURN)


@njit(cache=True, nogil=True)
def _skip_blanks(text: Bytes, i: int) -> int:
    while _is_blank(text[i]):
        i += 1
    return i


@njit(cache=True, nogil=True)
def _line_end(text: Bytes, i: int) -> int:
    while text[i] != _LINE_FEED:
        i += 1
    return i


@njit(cache=True, nogil=True)
def fill_dense(X: FloatArray, columns: FeatureNumbers, values: FloatArray, row_starts: IntArray, base: int) -> None:
    """Write the stored values into rows of zeros; the feature with number ``base`` is column 0."""
    for row in range(len(row_starts) - 1):
        for k in range(row_starts[row], row_starts[row + 1]):
            X[row, columns[k] - base] = values[k]
