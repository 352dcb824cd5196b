"""Conversion of ``random_state`` to a numpy generator or to one seed."""

from typing import Any

import numpy as np

from glassrank.core.checks import DataError

MAX_SEED = 2**31 - 1  # that scikit-learn and LightGBM accept


def random_generator(random_state: Any) -> np.random.Generator:
    """Return a numpy generator for a seed, a generator (returned unchanged), a RandomState, or ``None``.

    >>> random_generator(3).uniform() == np.random.default_rng(3).uniform()
    True
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(MAX_SEED))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"random_state must be None, a whole number that is at least 0, or a numpy Generator: got {random_state!r}."
        ) from error


def random_seed(random_state: Any) -> int:
    """Return a whole number unchanged, or draw one; for work that uses the same seed several times.

    >>> random_seed(7), random_seed(np.random.default_rng(0)) == random_seed(np.random.default_rng(0))
    (7, True)
    """
    generator = random_generator(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.integers(MAX_SEED))
