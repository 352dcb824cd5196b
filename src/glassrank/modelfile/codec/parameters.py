"""Parameters that may have several types: the values that a model file can store."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import PlainValidator

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.modelfile.codec.model_part import plain
from glassrank.modelfile.codec.values import as_positive, shown

_SCALE = re.compile(r"scale(?:[*/]\d{1,9}(?:\.\d{1,9})?)?", re.ASCII)
_CHANGE = "Change it before saving, which does not affect the fitted model:"


def _is_whole(value: Any, smallest: int) -> bool:
    return type(value) is int and value >= smallest


def as_gamma(value: Any) -> Any:
    """Check γ of a kernel, a finite number above 0, "scale" or a multiple of it, and return it unchanged."""
    return value if isinstance(value, str) and _SCALE.fullmatch(value) else as_positive(value)


def _seed(value: Any) -> Any:
    if value is not None and not _is_whole(value, 0):
        raise DataError(
            f"expected None or a whole number, got {shown(value)}",
            remedy=f"{_CHANGE} set_params({setting('random_state', None)}).",
        )
    return value


def _folds(words: tuple[str | None, ...], value: Any) -> Any:
    if _is_whole(value, 2) or (isinstance(value, str | None) and value in words):
        return value
    expected = " or ".join(["a whole number of folds", *map(repr, words)])
    raise DataError(
        f"expected {expected}, got {shown(value)}",
        remedy=f"{_CHANGE} set_params({setting('cv', 3)}).",
    )


def folds(*words: str | None) -> PlainValidator:
    """Return a validator that allows a number of folds or one of ``words``."""
    return PlainValidator(partial(_folds, words))


def as_listed(value: Any, as_item: Callable[[Any], Any]) -> Any:
    """Check each of several values and return them as a list; JSON has neither tuples nor arrays."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise DataError(f"expected a list, got {shown(value)}")
    if not len(value):
        raise DataError("expected at least one value, got none")
    return [as_item(plain(item)) for item in value]


def _grid(value: Any) -> Any:
    return value if _is_whole(value, 1) else as_listed(value, as_positive)


def _alphas(value: Any) -> Any:
    return None if value is None else as_listed(value, as_positive)


def _gammas(value: Any) -> Any:
    return as_gamma(value) if isinstance(value, (str, int, float)) else as_listed(value, as_gamma)


def _monotone(value: Any) -> Any:
    """Check the directions of features; JSON has only names as keys, so numbers become texts of them."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise DataError(f"expected None or a direction for each feature, got {shown(value)}")
    wrong = [name for name, way in value.items() if not isinstance(name, str) or way not in (1, -1)]
    if wrong:
        raise DataError(f"expected the directions 1 or -1 by feature name, got {shown(wrong[0])}")
    return dict(value)


Gamma = Annotated[Any, PlainValidator(as_gamma)]
Seed = Annotated[Any, PlainValidator(_seed)]
Monotone = Annotated[Any, PlainValidator(_monotone)]
# Candidates of a search: the number of values of C or the values themselves; values of λ; one γ or several.
Grid = Annotated[Any, PlainValidator(_grid)]
Alphas = Annotated[Any, PlainValidator(_alphas)]
Gammas = Annotated[Any, PlainValidator(_gammas)]
