"""Error messages for invalid LETOR text: file, line and column, what was expected, what was found, and a remedy."""

import re
from collections.abc import Callable

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.letor.letor_rules import MAX_FEATURES, LetorRules
from glassrank.data.letor.line_kernel import (
    LABEL,
    LABEL_NOT_FINITE,
    ORDER,
    PAIR,
    QID_ABSENT,
    QID_MALFORMED,
    TOO_LARGE,
    VALUE,
    VALUE_INFINITE,
    VALUE_MISSING,
)

_TOKEN = re.compile(rb"[^ \t\r\n#]*")
_MISPLACED = re.compile(rb"\0|\r(?!\n)")
_SHOWN = 40
_LIGHTGBM = setting("format", "lightgbm", python="load_lightgbm")
_LETOR = setting("format", "letor", python="load_letor")
# A separate key, because commands have another option with this name.
_N_FEATURES = setting("number_of_features", python="n_features")

# Problem and remedy
Reason = tuple[str, str | tuple[str, ...]]


def place(content: bytes, position: int, path: str) -> str:
    """Return a position as path:line:column, both counted from 1, the column in bytes.

    >>> place(b"1 qid:1\\n2 qid:", 10, "train.txt")
    'train.txt:2:3'
    """
    line = content.count(b"\n", 0, position) + 1
    column = position - content.rfind(b"\n", 0, position)
    return f"{path}:{line}:{column}"


def token_at(content: bytes, position: int) -> bytes:
    """Return the bytes from a position to the next blank, comment or line end."""
    match = _TOKEN.match(content, position)
    return match.group() if match else b""


def refusal(code: int, position: int, content: bytes, path: str, rules: LetorRules) -> DataError:
    """Return the error for an error code of the kernel at a position."""
    before = content[content.rfind(b"\n", 0, position) + 1 : position].decode("utf-8", "backslashreplace")
    token = token_at(content, position).decode("utf-8", "backslashreplace")
    problem, remedy = _REASONS[code](token, before, rules)
    return DataError(f"{place(content, position, path)}: {problem}", remedy=remedy)


def misplaced_byte(content: bytes, path: str) -> DataError:
    """Return the error for the first NUL byte or lone carriage return."""
    match = _MISPLACED.search(content)
    position = match.start() if match else 0
    if content[position : position + 1] == b"\0":
        problem = "expected text, got a NUL byte: this is a binary file or UTF-16 text."
        remedy = "Save it as UTF-8 text."
    else:
        problem = "lines must end in a line feed: got a single carriage return."
        remedy = "Convert the line endings to LF or CRLF."
    return DataError(f"{place(content, position, path)}: {problem}", remedy=remedy)


def _shown(token: str) -> str:
    if not token:
        return "nothing"
    return repr(token if len(token) <= _SHOWN else token[:_SHOWN] + "…")


def _label(token: str, before: str, rules: LetorRules) -> Reason:
    form = "<label> qid:<number> <feature>:<value> …" if rules.has_qid else "<label> <feature>:<value> …"
    return f"a line must begin with a numeric label: got {_shown(token)}.", f"Lines look like {form}"


def _label_not_finite(token: str, before: str, rules: LetorRules) -> Reason:
    return f"the label must be finite: got {_shown(token)}.", "Remove the line, or judge its document."


def _qid_absent(token: str, before: str, rules: LetorRules) -> Reason:
    return (
        f"the query must follow the label: expected qid:<whole number>, got {_shown(token)}.",
        (
            "Add it to every line",
            f"read the file as LightGBM text if the group sizes are in a .query file: {_LIGHTGBM}",
        ),
    )


def _qid_malformed(token: str, before: str, rules: LetorRules) -> Reason:
    return f"qid must be a 64-bit whole number: got {_shown(token)}.", "Number the queries."


def _pair(token: str, before: str, rules: LetorRules) -> Reason:
    if token.startswith("qid:") and rules.has_qid:
        problem = f"qid must appear once, right after the label: got {_shown(token)} later in the line."
        return problem, "Move or remove it."
    if token.startswith("qid:"):
        problem = f"expected no qid, because the group sizes are in another file: got {_shown(token)}."
        return problem, f"Read the file as LETOR: {_LETOR}."
    return f"expected <feature number>:<value>, got {_shown(token)}.", "Correct or remove it."


def _too_large(token: str, before: str, rules: LetorRules) -> Reason:
    number = _digits(token)
    number = number if len(number) <= _SHOWN else number[:_SHOWN] + "…"
    if rules.n_features is None:
        return (
            f"feature number {number} is too large: expected at most {MAX_FEATURES:,}.",
            ("Correct it", f"pass {_N_FEATURES}"),
        )
    return (
        f"feature number {number} is too large: expected {rules.lowest} to {rules.highest} for {rules.n_features} "
        "features.",
        ("Correct it", f"pass a larger {_N_FEATURES}"),
    )


def _order(token: str, before: str, rules: LetorRules) -> Reason:
    number = int(_digits(token))
    if number < rules.lowest:
        return (
            f"feature numbers must start at {rules.lowest}: got {number}.",
            (f"Pass {setting('zero_based', True)} if the file counts from 0", "renumber the features"),
        )
    previous = int(_digits(before.split()[-1]))
    if number == previous:
        return f"feature {number} appears twice in a line: expected each feature once.", "Remove one of them."
    return f"feature numbers must increase within a line: got {number} after {previous}.", "Sort the pairs of the line."


def _value(token: str, before: str, rules: LetorRules) -> Reason:
    problem = f"the value of feature {_feature(before)} must be a number: got {_shown(token)}."
    return problem, "Correct or remove the pair."


def _value_missing(token: str, before: str, rules: LetorRules) -> Reason:
    return (
        f"the value of feature {_feature(before)} is missing: got {_shown(token)}.",
        ("Fill it", f"pass {setting('missing', 'keep')} for models that can use it"),
    )


def _value_infinite(token: str, before: str, rules: LetorRules) -> Reason:
    return (
        f"the value of feature {_feature(before)} must be within the range of float64: got {_shown(token)}.",
        "Clip it, or remove the pair.",
    )


def _feature(before: str) -> str:
    """Return the number of the feature whose value follows this part of the line."""
    return _digits(before.split()[-1])


def _digits(token: str) -> str:
    """Return the leading digits of a token."""
    return token[: len(token) - len(token.lstrip("0123456789"))]


_REASONS: dict[int, Callable[[str, str, LetorRules], Reason]] = {
    LABEL: _label,
    LABEL_NOT_FINITE: _label_not_finite,
    QID_ABSENT: _qid_absent,
    QID_MALFORMED: _qid_malformed,
    PAIR: _pair,
    TOO_LARGE: _too_large,
    ORDER: _order,
    VALUE: _value,
    VALUE_MISSING: _value_missing,
    VALUE_INFINITE: _value_infinite,
}
