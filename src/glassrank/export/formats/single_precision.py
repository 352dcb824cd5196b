"""Numbers in single precision, as most search engines keep them, and how they are written."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.export.export_form import StepTerm
from glassrank.export.formats.rounding import SINGLE

SECOND_ORDER = 1.001  # bounds below are of first order; products of two roundings are far smaller than this


def single(value: Any) -> Any:
    """Return a number or an array rounded to single precision, in double precision; infinite if too large.

    >>> single(0.1)
    0.10000000149011612
    """
    with np.errstate(over="ignore"):
        rounded = np.asarray(value, dtype=np.float64).astype(np.float32).astype(np.float64)
    return rounded if rounded.ndim else float(rounded)


def not_above(limits: FloatArray, dtype: Any = np.float32) -> FloatArray:
    """Return the largest number of a precision that is not above each limit: x ≤ limit stays the same for such x.

    >>> not_above(np.array([0.1, 0.5])).tolist()
    [0.09999999403953552, 0.5]
    """
    with np.errstate(over="ignore"):
        rounded = limits.astype(dtype)
    lower = np.nextafter(rounded, dtype(-np.inf))
    return np.where(rounded.astype(np.float64) > limits, lower, rounded).astype(np.float64)


def single_steps(term: StepTerm) -> tuple[FloatArray, FloatArray]:
    """Return the thresholds and levels that single-precision values see; steps between two of these are left out."""
    thresholds = not_above(term.thresholds)
    with np.errstate(invalid="ignore"):  # thresholds below all single-precision numbers
        kept = np.diff(thresholds, prepend=-np.inf) > 0
    return thresholds[kept], np.append(term.levels[:-1][kept], term.levels[-1])


def shortest(value: float) -> float:
    """Return the double with the fewest digits that is read back as the same single-precision number.

    >>> shortest(single(0.1))
    0.1
    """
    return float(str(np.float32(value)))


def shortest_text(value: float) -> str:
    """Return the shortest text of a single-precision number.

    >>> shortest_text(1e-6), shortest_text(2)
    ('1e-06', '2.0')
    """
    return str(np.float32(value))


def sum_rounding(sizes: Any, start: float = 0.0) -> float:
    """Return a bound of the rounding errors of start + Σ, added one after the other; each term has at most its size."""
    return SINGLE * float(np.sum(abs(start) + np.cumsum(sizes)))
