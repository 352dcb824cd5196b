"""Which scores are equal: what rounding alone tells apart must not order pages."""

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray

DIGITS = 9  # scores that agree to so many digits of the largest are tied; beyond is rounding


def score_steps(scores: FloatArray) -> FloatArray:
    """Scores as shares of the largest in steps of 10⁻⁹: those that rounding alone tells apart are equal.

    >>> score_steps(np.array([0.3, 0.1 + 0.2, 0.6])).tolist()
    [0.5, 0.5, 1.0]
    """
    largest = float(scores.max(initial=0.0)) or 1.0
    return np.round(scores / largest, DIGITS)


def above_rounding(scores: FloatArray) -> npt.NDArray[np.bool_]:
    """Which pages have a score at all; what is within rounding of 0 is none.

    >>> above_rounding(np.array([0.5, 1e-17, 0.0])).tolist()
    [True, False, False]
    """
    return score_steps(scores) > 0.0
