"""A random_state can be None, a whole number, a Generator or a RandomState."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.core.randomness import random_generator, random_seed
from glassrank.distillation.options import Options


def test_a_whole_number_seeds_numpys_generator():
    assert random_generator(5).random() == np.random.default_rng(5).random()


def test_a_generator_is_returned_unchanged():
    generator = np.random.default_rng(5)
    assert random_generator(generator) is generator


def test_equal_random_states_give_equal_seeds():
    assert random_seed(np.random.RandomState(3)) == random_seed(np.random.RandomState(3))
    assert random_seed(np.random.default_rng(3)) == random_seed(np.random.default_rng(3))
    assert random_seed(np.int64(11)) == 11


def test_none_draws_a_new_seed_each_time():
    assert len({random_seed(None) for _ in range(5)}) > 1


@pytest.mark.parametrize("state", [-1, "zero", 1.5])
def test_other_random_states_are_rejected(state):
    with pytest.raises(DataError, match="random_state must be None, a whole number"):
        random_seed(state)


def test_a_distillation_keeps_the_seed_that_was_drawn():
    drawn = Options(random_state=np.random.default_rng(3)).random_state
    assert drawn == random_seed(np.random.default_rng(3))
    assert Options(random_state=drawn).random_state == drawn
