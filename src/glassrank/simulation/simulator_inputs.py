"""What all simulators are given: dials, and the seed of their random streams; checked in one wording."""

import math
import numbers
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.randomness import random_generator

Rng = np.random.Generator
STRONGEST = 10.0  # where a dial ends that turns something up from 0, none


def number_between(
    name: str, value: Any, low: float, high: float = math.inf, *, low_means: str = "", high_means: str = ""
) -> float:
    """Return a number, refused outside its range; words may say what the two ends mean.

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
    """Return the dials of a simulator, each refused outside 0 to 10.

    >>> checked_dials(drift=2, spam=0)
    {'drift': 2.0, 'spam': 0.0}
    """
    return {
        name: number_between(name, value, 0, STRONGEST, low_means=low_means, high_means=high_means)
        for name, value in dials.items()
    }


def check_counts(least: int = 1, **counts: Any) -> None:
    """Refuse what is no whole number, or less than the least one.

    >>> check_counts(2, levels=1)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: levels must be a whole number of at least 2: got 1.
    """
    for name, value in counts.items():
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
            raise DataError(f"{name} must be a whole number of at least {least}: got {value!r}.")


def spawn_streams(random_state: Any, count: int) -> list[Rng]:
    """Return one random stream per part, so that a change in one part leaves the others as they were.

    >>> first, second = spawn_streams(0, 2)
    >>> first.integers(100, size=3).tolist() == spawn_streams(0, 5)[0].integers(100, size=3).tolist()
    True
    """
    return random_generator(random_state).spawn(count)


def seed_of(random_state: Any) -> int | None:
    """Return the seed that makes the same again; None where it was not a whole number.

    >>> seed_of(7), seed_of(np.random.default_rng(7))
    (7, None)
    """
    return int(random_state) if isinstance(random_state, int | np.integer) else None
