"""Parses one LETOR text into rows, pairs, document identifiers and feature names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray, within
from glassrank.core.identifiers import text_array
from glassrank.core.limits import MAX_ID_LENGTH
from glassrank.data.letor.feature_names import read_names
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.line_errors import misplaced_byte, place, refusal, token_at
from glassrank.data.letor.line_kernel import FINE, LABEL_NOT_FINITE, VALUE_INFINITE, count_marks, parse_lines

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class LetorText:
    """Rows of one text: pairs ``row_starts[r]`` to ``row_starts[r + 1]`` are the features of row r.

    ``columns`` contains the feature numbers as written in the text.
    """

    path: str
    labels: FloatArray
    qids: IntArray
    row_starts: IntArray
    columns: npt.NDArray[np.int32]
    values: FloatArray
    doc_ids: npt.NDArray[Any] | None
    names: Mapping[int, str]

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @cached_property
    def number_range(self) -> tuple[int, int] | None:
        """Lowest and highest feature number in a row or a name line; None if there is none."""
        filled = np.flatnonzero(np.diff(self.row_starts))
        mentioned = [*self.names]
        if len(filled):
            # The numbers of a line increase, so its first and last are enough.
            mentioned.append(int(self.columns[self.row_starts[filled]].min()))
            mentioned.append(int(self.columns[self.row_starts[filled + 1] - 1].max()))
        return (min(mentioned), max(mentioned)) if mentioned else None


def parse_text(content: bytes, path: str, rules: LetorRules) -> LetorText:
    """Parse a text, or raise an error with line and column; ``path`` is only used in messages."""
    content = content.removeprefix(_BYTE_ORDER_MARK)
    if not content.endswith(b"\n"):
        content += b"\n"
    raw = np.frombuffer(content, dtype=np.uint8)
    n_lines, n_colons, n_misplaced = count_marks(raw)
    if n_misplaced:
        raise misplaced_byte(content, path)
    names = read_names(content, path, rules)
    labels, values = np.empty(n_lines), np.empty(n_colons)
    qids, row_starts = np.empty(n_lines, dtype=np.int64), np.empty(n_lines + 1, dtype=np.int64)
    columns = np.empty(n_colons, dtype=np.int32)
    spans, undecided = np.empty((n_lines, 2), dtype=np.int64), np.empty((n_lines + n_colons, 2), dtype=np.int64)
    options = np.array([rules.lowest, rules.highest, rules.has_qid, rules.missing == "keep"], dtype=np.int64)
    code, position, n_rows, n_pairs, n_undecided = parse_lines(
        raw, options, labels, qids, row_starts, columns, values, spans, undecided
    )
    # Undecided numbers come before the position where the kernel stopped, so the first fault is the one reported.
    _round(undecided[:n_undecided], labels, values, content, path, rules)
    if code != FINE:
        raise refusal(code, position, content, path, rules)
    if n_rows == 0:
        raise DataError(f"{path}: expected lines with a label, got none.", remedy="Check that this is the right file.")
    text = LetorText(
        path,
        labels[:n_rows],
        qids[:n_rows],
        row_starts[: n_rows + 1],
        columns[:n_pairs],
        values[:n_pairs],
        _document_ids(spans[:n_rows], content, path),
        names,
    )
    _check_one_base(text, content, rules)
    return text


def _round(
    undecided: IntArray, labels: FloatArray, values: FloatArray, content: bytes, path: str, rules: LetorRules
) -> None:
    """Use ``float`` to round the numbers that the kernel could not."""
    for where, position in undecided.tolist():
        number = float(token_at(content, position))
        if np.isinf(number):
            raise refusal(VALUE_INFINITE if where >= 0 else LABEL_NOT_FINITE, position, content, path, rules)
        if where >= 0:
            values[where] = number
        else:
            labels[-1 - where] = number


def _document_ids(spans: IntArray, content: bytes, path: str) -> npt.NDArray[Any] | None:
    """Return the identifiers in the comments, '' for lines without one; None if no line has a comment."""
    if (spans[:, 0] < 0).all():
        return None
    longest = int(np.argmax(spans[:, 1] - spans[:, 0]))
    start, stop = spans[longest].tolist()
    # A character takes up to 4 bytes in UTF-8, so shorter identifiers are decoded before they are measured.
    if stop - start > 4 * MAX_ID_LENGTH or len(_decode(start, stop, content, path)) > MAX_ID_LENGTH:
        raise DataError(
            f"{place(content, start, path)}: a document identifier must have at most {MAX_ID_LENGTH:,} characters: got "
            f"{stop - start:,} bytes.",
            remedy="Shorten the comment, or check for a missing line break.",
        )
    texts = [_decode(start, stop, content, path) if start >= 0 else "" for start, stop in spans.tolist()]
    with within(path):
        return text_array("The document identifiers", texts)


def _decode(start: int, stop: int, content: bytes, path: str) -> str:
    try:
        return content[start:stop].decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{place(content, start, path)}: a document identifier must be UTF-8 text: got {content[start:stop]!r}.",
            remedy="Save the file as UTF-8.",
        ) from error


def _check_one_base(text: LetorText, content: bytes, rules: LetorRules) -> None:
    """If there is a feature 0, the highest number is one less: parse again with that rule to report where it fails."""
    if rules.zero_based != "auto" or rules.n_features is None or text.number_range is None:
        return
    lowest, highest = text.number_range
    if lowest == 0 and highest == rules.n_features:
        parse_text(content, text.path, replace(rules, zero_based=True))
