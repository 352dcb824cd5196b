"""The values that a model file may hold: finite numbers, vectors, and nothing that was not asked for."""

import sys
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError

from glassrank.core.checks import DataError

LARGEST_COUNT = 2**53
LARGEST_FLOAT = sys.float_info.max
LONGEST_SHOWN = 60


class Strict(BaseModel):
    """Base of everything in a model file: no conversions, no unknown names, no changes afterwards."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)


def _vector(value: Any, dtypes: tuple[type, ...], numbers: tuple[type, ...], what: str) -> Any:
    """Return a vector from a list of JSON numbers, or from an array of one of the types allowed."""
    if isinstance(value, list):
        wrong = [item for item in value if type(item) not in numbers]
        if wrong:
            raise DataError(f"expected a list of {what}, got {shown(wrong[0])} in it")
        try:
            value = np.array(value, dtype=dtypes[0])
        except OverflowError:
            raise DataError(f"expected a list of {what} of 64 bits, got a larger one") from None
    if not isinstance(value, np.ndarray) or value.dtype not in dtypes or value.ndim != 1:
        raise DataError(f"expected a list of {what}, got {shown(value)}")
    if not np.isfinite(value).all():
        position = int(np.argmin(np.isfinite(value)))
        raise DataError(f"expected finite numbers, got {value[position]} at position {position}")
    return value


def as_floats(value: Any) -> Any:
    """Return a vector of float64, or of float32 if it is one, from what a file holds; or refuse it."""
    return _vector(value, (np.float64, np.float32), (int, float), "numbers")


def _whole_numbers(value: Any) -> Any:
    return _vector(value, (np.int64,), (int,), "whole numbers")


def _texts(value: Any) -> list[str]:
    """Return a list of texts; one fault is enough to refuse a long list."""
    if not (isinstance(value, list) and all(type(name) is str for name in value)):
        raise DataError(f"expected a list of names, got {shown(value)}")
    return value


def _names(value: Any) -> list[str] | None:
    return None if value is None else _texts(value)


def as_number(value: Any) -> Any:
    """Return a finite number as it is, whole or not: 1 is not turned into 1.0."""
    if type(value) not in (int, float) or not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
        raise DataError(f"expected a finite number, got {shown(value)}")
    return value


def as_positive(value: Any) -> Any:
    """Return a finite number above 0 as it is."""
    if as_number(value) <= 0:
        raise DataError(f"expected a number above 0, got {shown(value)}")
    return value


FloatVector = Annotated[np.ndarray, BeforeValidator(as_floats)]
IntVector = Annotated[np.ndarray, BeforeValidator(_whole_numbers)]
Texts = Annotated[Any, PlainValidator(_texts)]
Names = Annotated[Any, PlainValidator(_names)]
Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
PositiveCount = Annotated[int, Field(ge=1, le=LARGEST_COUNT)]
Number = Annotated[Any, PlainValidator(as_number)]
PositiveNumber = Annotated[Any, PlainValidator(as_positive)]
# JSON has lists where scikit-learn has tuples.
Range = Annotated[tuple[Number, Number], BeforeValidator(lambda pair: tuple(pair) if isinstance(pair, list) else pair)]


def check_size(name: str, vector: Any, expected: int, per: str) -> None:
    """Refuse a vector of the wrong length; for the validators of what a file holds."""
    if len(vector) != expected:
        raise DataError(f"{name} must have one entry per {per}: expected {expected}, got {len(vector)}")


def check_names(names: list[str] | None, n_features: int) -> None:
    """Refuse names of features that are too many, too few or not all different; None stands for no names."""
    if names is not None:
        check_size("feature_names", names, n_features, "feature")
        check_that(len(set(names)) == n_features, "feature_names must differ from each other")


def check_that(holds: bool, message: str) -> None:
    """Refuse values that contradict each other; for the validators of what a file holds."""
    if not holds:
        raise DataError(message)


def faults(error: ValidationError) -> str:
    """Say in a line what is wrong, and where: the first fault, and how many more there are.

    >>> class Point(Strict):
    ...     x: int
    >>> try:
    ...     Point.model_validate({"x": "1", "z": 2})
    ... except ValidationError as error:
    ...     print(faults(error))
    x: Input should be a valid integer, got '1' (and 1 more fault)
    """
    first, *others = error.errors(include_url=False)
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "union_tag_invalid":
        said = f"unknown kind {shown(first['ctx']['tag'])}: expected {first['ctx']['expected_tags']}"
    elif first["type"] in _WORDS:
        said = _WORDS[first["type"]]
    elif first["type"] == "value_error":
        said = getattr(first["ctx"]["error"], "problem", str(first["ctx"]["error"]))
    else:
        said = f"{first['msg']}, got {shown(first['input'])}"
    more = f" (and {len(others)} more fault{'s' if len(others) > 1 else ''})" if others else ""
    return f"{place}: {said}{more}" if place else f"{said}{more}"


def remedy_of_first(error: ValidationError) -> str:
    """What helps against the first fault, if its check says so."""
    return getattr(error.errors(include_url=False)[0].get("ctx", {}).get("error"), "remedy", "")


def shown(value: Any) -> str:
    """A value in few words, whatever its size.

    >>> shown(list(range(100_000))), shown("x" * 100)[-3:]
    ('a list of 100000', 'xx…')
    """
    if isinstance(value, (list, tuple, dict)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return "a whole number of more than 53 bits"
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


_WORDS = {"extra_forbidden": "unknown here", "missing": "missing", "union_tag_not_found": "kind is missing"}
