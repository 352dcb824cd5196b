"""Every ``random_state`` becomes a numpy generator or one whole number here."""

from typing import Any

import numpy as np

from glassrank.core.checks import DataError

LARGEST_SEED = 2**31 - 1  # that scikit-learn and LightGBM take


def random_generator(random_state: Any) -> np.random.Generator:
    """Return numpy's generator for a seed, a generator (used as it is), a RandomState, or ``None`` for a new seed.

    >>> random_generator(3).uniform() == np.random.default_rng(3).uniform()
    True
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(LARGEST_SEED))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"random_state must be None, a whole number of at least 0 or a numpy Generator: got {random_state!r}."
        ) from error


def random_seed(random_state: Any) -> int:
    """Return a whole number as it is, and draw one from anything else: for work that is seeded several times.

    >>> random_seed(7), random_seed(np.random.default_rng(0)) == random_seed(np.random.default_rng(0))
    (7, True)
    """
    generator = random_generator(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.integers(LARGEST_SEED))
