"""Checks of the arguments that all simulators share: dials, counts and the random seed."""

import math
import numbers
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.randomness import random_generator

Rng = np.random.Generator
MAX_STRENGTH = 10.0  # Upper end of a dial; 0 means none


def number_between(
    name: str, value: Any, low: float, high: float = math.inf, *, low_means: str = "", high_means: str = ""
) -> float:
    """Return a number, or raise an error if it is outside its range; the message can say what the two ends mean.

    >>> number_between("drift", 11, 0, 10, low_means="none")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: drift must be a number from 0 (none) to 10: got 11.
    >>> number_between("noise", -1, 0)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: noise must be a finite number of at least 0: got -1.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if low <= number <= high and number < math.inf:
        return number
    if high == math.inf:
        raise DataError(parameter=name, expected=f"a finite number of at least {low:g}", got=value)
    ends = [f"{end:g} ({means})" if means else f"{end:g}" for end, means in ((low, low_means), (high, high_means))]
    raise DataError(parameter=name, expected=f"a number from {ends[0]} to {ends[1]}", got=value)


def checked_dials(low_means: str = "", high_means: str = "", **dials: Any) -> dict[str, float]:
    """Return the dials of a simulator, or raise an error if one is outside 0 to 10.

    >>> checked_dials(drift=2, spam=0)
    {'drift': 2.0, 'spam': 0.0}
    """
    return {
        name: number_between(name, value, 0, MAX_STRENGTH, low_means=low_means, high_means=high_means)
        for name, value in dials.items()
    }


def check_counts(minimum: int = 1, **counts: Any) -> None:
    """Raise an error if a count is not a whole number, or is below the minimum.

    >>> check_counts(2, levels=1)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: levels must be a whole number of at least 2: got 1.
    """
    for name, value in counts.items():
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < minimum:
            raise DataError(f"{name} must be a whole number of at least {minimum}: got {value!r}.")


def spawn_streams(random_state: Any, count: int) -> list[Rng]:
    """Return one random stream per part, so that a change in one part does not affect the others.

    >>> first, second = spawn_streams(0, 2)
    >>> first.integers(100, size=3).tolist() == spawn_streams(0, 5)[0].integers(100, size=3).tolist()
    True
    """
    return random_generator(random_state).spawn(count)


def seed_of(random_state: Any) -> int | None:
    """Return the seed that reproduces the data; None if it was not a whole number.

    >>> seed_of(7), seed_of(np.random.default_rng(7))
    (7, None)
    """
    return int(random_state) if isinstance(random_state, int | np.integer) else None
