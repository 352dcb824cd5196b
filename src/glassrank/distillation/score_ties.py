"""Which scores count as equal, so that rounding errors do not order pages."""

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray

DIGITS = 9  # scores that agree to this many digits of the largest are tied; further digits are rounding errors


def score_steps(scores: FloatArray) -> FloatArray:
    """Return scores as shares of the largest, rounded to 9 digits, so that rounding errors do not matter.

    >>> score_steps(np.array([0.3, 0.1 + 0.2, 0.6])).tolist()
    [0.5, 0.5, 1.0]
    """
    largest = float(scores.max(initial=0.0)) or 1.0
    return np.round(scores / largest, DIGITS)


def above_rounding(scores: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which pages have a score above 0, apart from rounding errors.

    >>> above_rounding(np.array([0.5, 1e-17, 0.0])).tolist()
    [True, False, False]
    """
    return score_steps(scores) > 0.0
