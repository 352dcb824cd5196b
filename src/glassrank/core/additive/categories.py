"""Categories of a feature: their names, and their codes 0, 1, 2 …"""

import numbers
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import UNSEEN

MISSING = "missing"
NOT_SEEN = "not seen in training"
MAX_SHOWN = 10


def category_name(value: Any) -> str:
    """Return the name of a category; whole numbers have no decimal point, so that 1 and 1.0 are the same category.

    >>> [category_name(value) for value in ("shop", 3.0, 2.5, None)]
    ['shop', '3', '2.5', 'missing']
    """
    if value is None or value != value:
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


def category_codes(name: str, values: Any, categories: tuple[str, ...]) -> FloatArray:
    """Return the position of each value among the categories of a feature.

    >>> category_codes("kind", ["shop", "news"], ("news", "shop")).tolist()
    [1.0, 0.0]
    """
    codes = {category: float(code) for code, category in enumerate(categories)}
    named = [category_name(value) for value in np.asarray(values, dtype=object)]
    unseen = sorted(set(named) - set(codes))
    if unseen:
        known = ", ".join(map(repr, categories[:MAX_SHOWN])) + (", …" if len(categories) > MAX_SHOWN else "")
        raise DataError(
            f"{name} has {len(unseen)} value(s) that are not among its categories, such as {unseen[0]!r}: expected "
            f"{known}.",
            remedy="Fit the model on rows that contain every category.",
        )
    return np.array([codes[category] for category in named])
