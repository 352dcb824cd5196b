"""The types of values in a model file, and their validation: finite numbers, vectors, names."""

import sys
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from glassrank.core.checks import DataError
from glassrank.core.wording import shortened

MAX_COUNT = 2**53
MAX_FLOAT = sys.float_info.max
MAX_SHOWN_LENGTH = 60
MAX_LISTED_LENGTH = 300


class Strict(BaseModel):
    """Base class of everything in a model file: no conversions, no unknown fields, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)


def _vector(value: Any, dtypes: tuple[type, ...], numbers: tuple[type, ...], what: str) -> Any:
    """Return a vector from a list of JSON numbers or from an array of one of the allowed types."""
    if isinstance(value, list):
        wrong = [item for item in value if type(item) not in numbers]
        if wrong:
            raise DataError(f"expected a list of {what}, got one that contains {shown(wrong[0])}")
        try:
            value = np.array(value, dtype=dtypes[0])
        except OverflowError:
            raise DataError(f"expected a list of {what} that fit into 64 bits, got a larger one") from None
    if not isinstance(value, np.ndarray) or value.dtype not in dtypes or value.ndim != 1:
        raise DataError(f"expected a list of {what}, got {shown(value)}")
    if not np.isfinite(value).all():
        position = int(np.argmin(np.isfinite(value)))
        raise DataError(f"expected finite numbers, got {value[position]} at position {position}")
    return value


def as_floats(value: Any) -> Any:
    """Validate a vector of float64 or float32 from a file; lists become float64."""
    return _vector(value, (np.float64, np.float32), (int, float), "numbers")


def _whole_numbers(value: Any) -> Any:
    return _vector(value, (np.int64,), (int,), "whole numbers")


def _texts(value: Any) -> list[str]:
    """Validate a list of strings; stop at the first fault, because lists may be long."""
    if not (isinstance(value, list) and all(type(name) is str for name in value)):
        raise DataError(f"expected a list of names, got {shown(value)}")
    return value


def _names(value: Any) -> list[str] | None:
    return None if value is None else _texts(value)


def as_number(value: Any) -> Any:
    """Validate a finite number and return it unchanged: 1 does not become 1.0."""
    if type(value) not in (int, float) or not -MAX_FLOAT <= value <= MAX_FLOAT:
        raise DataError(f"expected a finite number, got {shown(value)}")
    return value


def as_positive(value: Any) -> Any:
    """Validate a finite number above 0 and return it unchanged."""
    if as_number(value) <= 0:
        raise DataError(f"expected a number above 0, got {shown(value)}")
    return value


FloatVector = Annotated[np.ndarray, BeforeValidator(as_floats)]
IntVector = Annotated[np.ndarray, BeforeValidator(_whole_numbers)]
Texts = Annotated[Any, PlainValidator(_texts)]
Names = Annotated[Any, PlainValidator(_names)]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
PositiveCount = Annotated[int, Field(ge=1, le=MAX_COUNT)]
Number = Annotated[Any, PlainValidator(as_number)]
PositiveNumber = Annotated[Any, PlainValidator(as_positive)]
# JSON has lists where scikit-learn has tuples.
Range = Annotated[tuple[Number, Number], BeforeValidator(lambda pair: tuple(pair) if isinstance(pair, list) else pair)]


def check_size(name: str, vector: Any, expected: int, per: str) -> None:
    """Raise an error if a vector has the wrong length; for validators."""
    if len(vector) != expected:
        raise DataError(f"{name} must have one entry per {per}: expected {expected}, got {len(vector)}")


def check_names(names: list[str] | None, n_features: int) -> None:
    """Raise an error unless there is one distinct name per feature; None means no names."""
    if names is not None:
        check_size("feature_names", names, n_features, "feature")
        check_that(len(set(names)) == n_features, "feature_names must be unique")


def check_that(condition: bool, message: str) -> None:
    """Raise an error with this message unless a condition is true; for validators."""
    if not condition:
        raise DataError(message)


UNNAMED = ""
"""Tag of an alternative that is not named in the position of a fault."""


def faults(error: ValidationError) -> str:
    """Describe the first fault of a validation in one line, and count the others.

    >>> class Point(Strict):
    ...     x: int
    >>> try:
    ...     Point.model_validate({"x": "1", "z": 2})
    ... except ValidationError as error:
    ...     print(faults(error))
    x: Input should be a valid integer, got '1' (and 1 more fault)
    """
    first, *others = error.errors(include_url=False)
    place = ".".join(str(part) for part in first["loc"] if part != UNNAMED)
    if first["type"] == "union_tag_invalid":
        known = first["ctx"]["expected_tags"]
        listed = known if len(known) <= MAX_LISTED_LENGTH else f"{known[:MAX_LISTED_LENGTH].rpartition(',')[0]}, …"
        fault = f"unknown kind {shown(first['ctx']['tag'])}: expected {listed}"
    elif first["type"] in _WORDS:
        fault = _WORDS[first["type"]]
    elif first["type"] == "value_error":
        fault = getattr(first["ctx"]["error"], "problem", str(first["ctx"]["error"]))
    else:
        fault = f"{first['msg']}, got {shown(first['input'])}"
    more = f" (and {len(others)} more fault{'s' if len(others) > 1 else ''})" if others else ""
    return f"{place}: {fault}{more}" if place else f"{fault}{more}"


def remedy_of_first(error: ValidationError) -> str:
    """Return the remedy for the first fault, or an empty string if its check gives none."""
    return getattr(error.errors(include_url=False)[0].get("ctx", {}).get("error"), "remedy", "")


def shown(value: Any) -> str:
    """Describe a value of any size in a few words.

    >>> shown(list(range(100_000))), shown("x" * 100)[-3:]
    ('a list of 100000', 'xx…')
    """
    if isinstance(value, (list, tuple, dict)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    if isinstance(value, int) and abs(value) > MAX_COUNT:
        return "a whole number of more than 53 bits"
    return shortened(repr(value), MAX_SHOWN_LENGTH)


_WORDS = {"extra_forbidden": "unknown field", "missing": "missing", "union_tag_not_found": "kind is missing"}
