"""Arithmetic over many queries at once, sums by group and division with NaN, and exact numbers as text."""

from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray, IntArray


def sum_by(group: IntArray, values: npt.NDArray[Any], n_groups: int) -> FloatArray:
    """Sum the values of each group; groups without values get 0.

    >>> sum_by(np.array([0, 2, 2]), np.array([1.5, 1.0, 4.0]), 3).tolist()
    [1.5, 0.0, 5.0]
    """
    return np.asarray(np.bincount(group, weights=values, minlength=n_groups), dtype=np.float64)


def ratio(numerator: FloatArray, denominator: npt.NDArray[Any]) -> FloatArray:
    """Divide elementwise; the result is NaN if the denominator is not positive.

    >>> ratio(np.array([1.0, 0.0]), np.array([4, 0])).tolist()
    [0.25, nan]
    """
    result = np.full(len(denominator), np.nan)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result


def shortest(value: float) -> str:
    """Return the shortest text that is this number.

    >>> shortest(3.0), shortest(0.1)
    ('3', '0.1')
    """
    return repr(float(value)).removesuffix(".0")
