"""Identifiers of queries and documents: whole numbers or text, stored exactly or rejected."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_ID_LENGTH, MAX_PADDED, MAX_PADDED_RATIO

_LEAST, _LARGEST = -(2**63), 2**63 - 1
_TO_TEXT = "Convert the identifiers to text first."


def as_identifiers(name: str, values: Any) -> npt.NDArray[Any]:
    """Return identifiers as a one-dimensional array of int64 or of strings.

    Whole numbers, also as floats, become int64 if all of them fit. Otherwise all become text, with all their digits.
    Values that an array cannot store exactly raise an error: fractions, floats that may have lost digits, missing
    values, times, strings with NUL or an unpaired surrogate, and strings beyond the limit.

    >>> as_identifiers("qid", [3.0, 3.0, 7.0]).dtype
    dtype('int64')
    >>> as_identifiers("qid", [7, 2**63]).tolist()
    ['7', '9223372036854775808']
    """
    # NumPy's strings are as wide as the longest one and lose NULs at the end, so text is checked before conversion.
    objects = [] if isinstance(values, np.ndarray | str) or not isinstance(values, Iterable) else list(values)
    if any(isinstance(value, str) for value in objects):
        return _from_objects(name, objects)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{name} must contain one identifier per row: {error}.", parameter=name) from error
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional: got shape {array.shape}.", parameter=name, got=array.shape)
    kind = array.dtype.kind
    if kind in "ib" or (kind == "u" and array.max(initial=0) <= _LARGEST):
        return array.astype(np.int64)
    # NumPy converts whole numbers that do not fit to floats, so use the originals, which are exact.
    if kind in "Ou" or (kind in "Sf" and isinstance(values, list | tuple)):
        return _from_objects(name, objects or array.tolist())
    if kind == "f":
        return _whole_numbers(name, array)
    if kind == "U":
        return _checked_strings(name, array.astype(np.str_))
    raise DataError(
        f"{name} must contain whole numbers or strings: got {array.dtype}.",
        parameter=name,
        got=str(array.dtype),
        remedy=_TO_TEXT,
    )


def text_array(name: str, texts: Sequence[str]) -> npt.NDArray[np.str_]:
    """Return strings as an array that stores them exactly; strings beyond the length limits raise an error.

    >>> text_array("qid", ["a", "a\\0"])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: qid must contain strings without NUL: got 'a\\x00' at position 1.
    """
    for text in set(texts):
        if "\0" in text:
            raise _with_nul(name, text, texts.index(text))
        if not text.isascii() and not _is_encodable(text):
            raise _broken(name, text, texts.index(text))
    _check_lengths(name, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    return np.array(texts, dtype=np.str_)


def _from_objects(name: str, values: list[Any]) -> npt.NDArray[Any]:
    """Convert Python objects one by one; only strings and whole numbers are exact."""
    if set(map(type, values)) == {str}:
        return text_array(name, values)
    missing = [position for position, value in enumerate(values) if _is_missing(value)]
    if missing:
        raise DataError(f"{name} is missing at {len(missing)} positions, the first at {missing[0]}.", parameter=name)
    exact = [_exact(name, value, position) for position, value in enumerate(values)]
    if all(not isinstance(value, str) and _LEAST <= value <= _LARGEST for value in exact):
        return np.array(exact, dtype=np.int64)
    return text_array(name, [str(value) for value in exact])


def _exact(name: str, value: Any, position: int) -> str | int:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer | np.bool_):
        return int(value)
    if isinstance(value, float | np.floating):
        return int(_whole_numbers(name, np.array([value]), position)[0])
    raise DataError(
        f"{name} must contain whole numbers or strings: got {type(value).__name__} at position {position}.",
        parameter=name,
        got=type(value).__name__,
        remedy=_TO_TEXT,
    )


def _whole_numbers(name: str, array: npt.NDArray[Any], first: int = 0) -> npt.NDArray[np.int64]:
    """Return floats as whole numbers; from 2⁵³ (2²⁴ in float32), several whole numbers share one float."""
    limit = 2.0 ** min(np.finfo(array.dtype).nmant + 1, 53)
    whole = np.isfinite(array) & (array == np.trunc(array)) & (np.abs(array) < limit)
    if not whole.all():
        position = int(np.argmin(whole))
        raise DataError(
            f"{name} must contain whole numbers or strings: got {array[position]} at position {first + position}.",
            parameter=name,
            expected=f"whole numbers below {limit:.0f}" if np.isfinite(array[position]) else "whole numbers",
            got=float(array[position]),
            remedy=_TO_TEXT,
        )
    return array.astype(np.int64)


def _checked_strings(name: str, array: npt.NDArray[np.str_]) -> npt.NDArray[np.str_]:
    """Check the strings of an existing NumPy array; characters that NumPy has already dropped cannot be detected."""
    codes, lengths = np.ascontiguousarray(array).view(np.uint32), np.strings.str_len(array)
    _check_lengths(name, lengths)
    # NumPy pads shorter strings with NULs at the end, so only NULs before the end are part of a string.
    if np.count_nonzero(codes) != lengths.sum():
        position = next(position for position, text in enumerate(array.tolist()) if "\0" in text)
        raise _with_nul(name, str(array[position]), position)
    if codes.max(initial=0) >= 0xD800 and ((codes >= 0xD800) & (codes <= 0xDFFF)).any():
        position = next(position for position, text in enumerate(array.tolist()) if not _is_encodable(text))
        raise _broken(name, str(array[position]), position)
    return array


def _check_lengths(name: str, lengths: npt.NDArray[np.int64]) -> None:
    longest, total = int(lengths.max(initial=0)), int(lengths.sum())
    position = int(np.argmax(lengths)) if len(lengths) else 0
    if longest > MAX_ID_LENGTH:
        raise DataError(
            f"{name} must contain strings of at most {MAX_ID_LENGTH:,} characters: got {longest:,} at position "
            f"{position}.",
            parameter=name,
            expected=MAX_ID_LENGTH,
            got=longest,
            remedy="Number the identifiers, or shorten them.",
        )
    if longest * len(lengths) > max(MAX_PADDED, MAX_PADDED_RATIO * total):
        raise DataError(
            f"{name} must contain strings of similar length, because an array is as wide as its longest string: the "
            f"mean length of {len(lengths):,} strings is {total / len(lengths):.1f}, and the string at position "
            f"{position} has {longest:,} characters.",
            parameter=name,
            expected=max(MAX_PADDED, MAX_PADDED_RATIO * total) // len(lengths),
            got=longest,
            remedy="Number the identifiers, or shorten the long ones.",
        )


def _with_nul(name: str, text: str, position: int) -> DataError:
    return DataError(
        f"{name} must contain strings without NUL: got {text[:40]!r} at position {position}.", parameter=name
    )


def _broken(name: str, text: str, position: int) -> DataError:
    return DataError(
        f"{name} must contain strings that can be written as UTF-8: got {text[:40]!r} at position {position}.",
        parameter=name,
    )


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA, which raises an error when compared with itself."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
