"""Categories of a feature: their names, and their codes 0, 1, 2 …"""

import numbers
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_matrix
from glassrank.core.feature_kinds import UNSEEN
from glassrank.core.wording import listed, shortened

MISSING = "missing"
NOT_SEEN = "not seen in training"
MAX_SHOWN = 10
MAX_NAME = 40
NAMED, LISTED, OPEN, NUMBERED = "named", "listed", "open", "numbered"
"""How a model takes categories: by names that it must know, where numbers in a matrix are codes; the same, where they
are the categories themselves; by names or numbers, also unknown and missing ones; by codes."""
UNUSED = "unused"
"""What a model does with a feature that it drops, whatever its values are."""
MAX_CODES = 65_536
"""Largest number of codes of a model that takes categories by code."""


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or another missing value, rather than the name of a category.

    >>> [is_missing(value) for value in (None, float("nan"), "missing", 0)]
    [True, True, False, False]
    """
    return not isinstance(value, str) and category_name(value) == MISSING


def category_name(value: Any) -> str:
    """Return the name of a category; whole numbers have no decimal point, so that 1 and 1.0 are the same category.

    >>> [category_name(value) for value in ("shop", 3.0, 2.5, None)]
    ['shop', '3', '2.5', 'missing']
    """
    # pandas.NA has no truth value.
    if value is None or type(value).__name__ == "NAType" or value != value:
        return MISSING
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)) and float(value).is_integer():
        return str(int(float(value)))
    return str(value)


def level_name(categories: tuple[str, ...], code: float) -> str:
    """Return the name of a code; −1 is a level that the model has not seen.

    >>> level_name(("news", "shop"), 1.0), level_name(("news", "shop"), -1.0)
    ('shop', 'not seen in training')
    """
    return NOT_SEEN if code == UNSEEN else categories[int(code)]


def short_name(level: str) -> str:
    """Return the name of a level for a line of text: without line breaks, and not longer than 40 characters.

    >>> short_name("trail\\tshoes"), len(short_name("x" * 5000))
    ('trail shoes', 40)
    """
    return shortened(" ".join(level.split()), MAX_NAME)


def category_codes(name: str, values: Any, categories: tuple[str, ...], coding: str = NAMED) -> FloatArray:
    """Return the position of each value among the categories of a feature.

    A value that is not among them causes an error. If the categories are ``"open"`` or ``"numbered"``, its code is −1.
    The code of a missing value is NaN, unless they are ``"named"``. The values of ``"numbered"`` categories are the
    codes themselves.

    >>> category_codes("kind", ["shop", "news"], ("news", "shop")).tolist()
    [1.0, 0.0]
    >>> category_codes("kind", ["shop", "cars", None], ("news", "shop"), "open").tolist()
    [1.0, -1.0, nan]
    """
    if coding == NUMBERED:
        return _codes_within(name, values, len(categories))
    codes: dict[str | None, float] = {category: float(code) for code, category in enumerate(categories)}
    cells = np.asarray(values, dtype=object)
    named: list[str | None] = [category_name(value) for value in cells]
    if coding != NAMED:
        # A category may have the name "missing" too.
        named = [None if is_missing(value) else name for value, name in zip(cells, named, strict=True)]
        codes[None] = np.nan
    unseen = sorted(name for name in set(named) - set(codes) if name is not None)
    if unseen and (coding != OPEN or _are_numbers_for_text(cells, set(named), categories)):
        raise DataError(
            f"{name} has {len(unseen)} value(s) that are not among its categories, such as {unseen[0]!r}: expected "
            f"{listed(map(repr, categories), MAX_SHOWN)}.",
            remedy="Fit the model on rows that contain every category.",
        )
    return np.array([codes.get(category, UNSEEN) for category in named])


def _codes_within(name: str, values: Any, n_codes: int) -> FloatArray:
    codes = as_matrix(np.asarray(values).reshape(-1, 1), f"column {name!r}").ravel()
    beyond = (codes <= UNSEEN) | (codes >= n_codes)
    return np.where(beyond, UNSEEN, codes) if beyond.any() else codes


def _are_numbers_for_text(cells: Any, named: set[str | None], categories: tuple[str, ...]) -> bool:
    """Whether all values are unknown numbers although no category is one: codes in place of names, most likely."""
    only_numbers = all(value is None or isinstance(value, numbers.Real) for value in cells)
    return only_numbers and not named & set(categories) and not any(_is_number(category) for category in categories)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
