"""Grades of documents: finite numbers from 0 up."""

import math
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.wording import shortened
from glassrank.data.judgements.judgements import negative_grade
from glassrank.data.read_features import NUMBER

MAX_SHOWN = 40


def as_grade(value: Any, place: str) -> float | None:
    """Return a grade given as text or number; None if there is none.

    >>> as_grade("0.75", "ratings.csv:2"), as_grade("", "ratings.csv:3")
    (0.75, None)
    >>> as_grade("good", "ratings.csv:4")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: ratings.csv:4: a grade must be a finite number: got 'good'.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number or (isinstance(value, str) and NUMBER.fullmatch(value))) or not math.isfinite(_float(value)):
        raise DataError(f"{place}: a grade must be a finite number: got {shortened(repr(value), MAX_SHOWN)}.")
    grade = float(value)
    if grade < 0:
        raise negative_grade(grade, place)
    return grade


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
