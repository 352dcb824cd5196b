"""A document of a response with its logged features, the same for every engine."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from glassrank.core.checks import DataError
from glassrank.data.read_features import NUMBER

# Java's texts of float values that are not numbers
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class LoggedDocument(NamedTuple):
    """The identifier of a document, the names of its features, and their values; None if the log has none."""

    document: str
    names: tuple[str, ...]
    values: tuple[float | None, ...]


def logged_document(document: str, pairs: Iterable[tuple[str, float | None]], place: str) -> LoggedDocument:
    """Return a document with its features, whose names must be different and not empty."""
    features = dict(listed := list(pairs))
    if "" in features:
        raise DataError(f"{place}, document {document!r}: a feature has no name.")
    if len(features) < len(listed):
        names = [name for name, _ in listed]
        again = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{place}, document {document!r}: feature {again!r} appears twice.", remedy="Rename one.")
    return LoggedDocument(document, tuple(features), tuple(features.values()))


def as_value(value: Any, feature: str, document: str, place: str) -> float:
    """Return a logged value, given as a number or as Java's text of a float; NaN is a missing value.

    >>> as_value("1.0E-4", "price", "d1", "log.json"), as_value("NaN", "price", "d1", "log.json")
    (0.0001, nan)
    """
    number = math.inf
    if isinstance(value, str):
        number = _WORDS[value] if value in _WORDS else float(value) if NUMBER.fullmatch(value) else math.inf
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) < 2**1023 or value != value else math.inf
    if math.isinf(number):
        raise DataError(
            f"{place}, document {document!r}: feature {feature!r} must be a finite number: got {str(value)[:40]!r}.",
            remedy="Correct the definition of the feature, or the document, in the search engine.",
        )
    return number
