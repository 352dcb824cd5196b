"""JSON text in and out: strict, limited, and with a checksum over what it says."""

import hashlib
import json
import math
from typing import Any

import numpy as np

from glassrank.core.checks import DataError

DEEPEST = 16
MOST_NAMES = 64
MOST_NESTED = 100_000
CHECKSUM = "checksum"


def write_text(content: dict[str, Any]) -> str:
    """Write a JSON object with its checksum; lists of numbers stand on one line.

    >>> print(write_text({"kind": "RankSVM", "coefficients": [0.5, -1.0]}))
    {
     "kind": "RankSVM",
     "coefficients": [0.5, -1.0],
     "checksum": "..."
    }
    """
    return _laid_out({**content, CHECKSUM: checksum(content)}, "")


def read_text(raw: bytes, place: str) -> dict[str, Any]:
    """Read a JSON object, without a look at its checksum; ``place`` is named in messages."""
    _check_nesting(raw, place)
    try:
        content = json.loads(
            raw.decode("utf-8"),
            parse_float=_finite,
            parse_constant=_finite,
            object_pairs_hook=_object,
        )
    except ValueError as error:
        raise DataError(f"{place}: expected the JSON text of a model: {error}.", remedy=_REMEDY) from error
    if not isinstance(content, dict):
        raise DataError(f"{place}: expected a JSON object, got a {type(content).__name__}.", remedy=_REMEDY)
    return content


def checksum(content: dict[str, Any]) -> str:
    """SHA-256 of what a JSON object says, however it is laid out; its own checksum left out."""
    told = {name: value for name, value in content.items() if name != CHECKSUM}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


# A byte of JSON text -> how it changes the level of nesting.
_BRACKETS = np.zeros(256, dtype=np.int8)
_BRACKETS[list(b"[{")], _BRACKETS[list(b"]}")] = 1, -1
_REMEDY = "The file is damaged, or it is no saved model; glassrank loads no pickles."


def _laid_out(value: Any, indent: str) -> str:
    inner = f"{indent} "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_compact(name)}: {_laid_out(item, inner)}" for name, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        lines = [f"{inner}{_laid_out(item, inner)}" for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no finite number")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_NAMES:
        raise ValueError(f"an object has {len(pairs)} names, and none of a model has more than {MOST_NAMES}")
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the name {name[:40]!r} stands twice in an object")
        content[name] = value
    return content


def _check_nesting(raw: bytes, place: str) -> None:
    """Refuse what is nested deeper, or in more lists and objects, than any model, before anything is made of it."""
    text = np.frombuffer(raw.replace(rb"\\", b"").replace(rb"\"", b""), dtype=np.uint8)
    # Only whether the number of quotes so far is odd matters, and eight bits tell that.
    in_quotes = np.cumsum(text == ord('"'), dtype=np.uint8) % 2 == 1
    steps = _BRACKETS[text]
    steps = steps[(steps != 0) & ~in_quotes]
    if np.count_nonzero(steps == 1) > MOST_NESTED:
        raise DataError(
            f"{place}: the JSON text has more than {MOST_NESTED:,} lists and objects, and no model has.", remedy=_REMEDY
        )
    if np.cumsum(steps, dtype=np.int64).max(initial=0) > DEEPEST:
        raise DataError(
            f"{place}: the JSON text is nested more than {DEEPEST} levels deep, and no model is.", remedy=_REMEDY
        )
