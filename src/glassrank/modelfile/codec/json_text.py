"""Strict reading and writing of JSON text, with size limits and a checksum of the content."""

import hashlib
import json
import math
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting

MAX_DEPTH = 16
MAX_NAMES = 64
MAX_NESTED = 100_000
CHECKSUM = "checksum"


def write_text(content: dict[str, Any]) -> str:
    """Write a JSON object and its checksum as text, with each list of numbers on one line.

    >>> print(write_text({"kind": "RankSVM", "coefficients": [0.5, -1.0]}))
    {
     "kind": "RankSVM",
     "coefficients": [0.5, -1.0],
     "checksum": "..."
    }
    """
    if _depth(content) > MAX_DEPTH:
        raise DataError(
            f"The model is nested deeper than the {MAX_DEPTH} levels that a file may have.",
            remedy="Put fewer Pipelines and ColumnTransformers inside each other.",
        )
    return _format({**content, CHECKSUM: checksum(content)}, "")


def read_text(raw: bytes, place: str) -> dict[str, Any]:
    """Read a JSON object without verifying its checksum; messages start with ``place``."""
    remedy = _DAMAGED if raw.lstrip().startswith(b"{") else NOT_OURS
    _check_nesting(raw, place, remedy)
    try:
        content = json.loads(
            raw.decode("utf-8"),
            parse_float=_finite,
            parse_constant=_finite,
            object_pairs_hook=_object,
        )
    except ValueError as error:
        raise DataError(f"{place}: expected the JSON text of a model: {error}.", remedy=remedy) from error
    if not isinstance(content, dict):
        raise DataError(f"{place}: expected a JSON object, got a {type(content).__name__}.", remedy=remedy)
    return content


def checksum(content: dict[str, Any]) -> str:
    """Return the SHA-256 of a JSON object, independent of its layout and without its checksum field."""
    hashed = {name: value for name, value in content.items() if name != CHECKSUM}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


# A byte of JSON text -> how it changes the nesting level.
_BRACKETS = np.zeros(256, dtype=np.int8)
_BRACKETS[list(b"[{")], _BRACKETS[list(b"]}")] = 1, -1
_OTHERS = f"open models of LightGBM, XGBoost and RankLib with {setting('load_ranker')}"
NOT_OURS = "Give the path of a saved model (glassrank does not load pickles)", _OTHERS
_DAMAGED = "Copy or save the model again, because the file is damaged", _OTHERS


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0
    return 1 + max((_depth(item) for item in value if isinstance(item, (dict, list))), default=0)


def _format(value: Any, indent: str) -> str:
    inner = f"{indent} "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_compact(name)}: {_format(item, inner)}" for name, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        lines = [f"{inner}{_format(item, inner)}" for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is not a finite number")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_NAMES:
        raise ValueError(f"an object has {len(pairs)} names, but a model's objects have at most {MAX_NAMES}")
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the name {name[:40]!r} appears twice in an object")
        content[name] = value
    return content


def _check_nesting(raw: bytes, place: str, remedy: tuple[str, ...]) -> None:
    """Reject text that is nested deeper, or has more lists and objects, than any model, before it is parsed."""
    text = np.frombuffer(raw.replace(rb"\\", b"").replace(rb"\"", b""), dtype=np.uint8)
    # Only whether the number of quotes so far is odd matters, so eight bits are enough.
    in_quotes = np.cumsum(text == ord('"'), dtype=np.uint8) % 2 == 1
    steps = _BRACKETS[text]
    steps = steps[(steps != 0) & ~in_quotes]
    if np.count_nonzero(steps == 1) > MAX_NESTED:
        raise DataError(
            f"{place}: the JSON text has more lists and objects than the {MAX_NESTED:,} that a model may have.",
            remedy=remedy,
        )
    if np.cumsum(steps, dtype=np.int64).max(initial=0) > MAX_DEPTH:
        raise DataError(
            f"{place}: the JSON text is nested deeper than the {MAX_DEPTH} levels that a model may have.",
            remedy=remedy,
        )
