"""Round tick values from the definition, on exact fractions."""

import math
from fractions import Fraction


def exact(value):
    """Return the shortest decimal number that parses to this float, as a fraction."""
    return Fraction(repr(float(value)))


def is_round_step(step):
    """Whether a step is 1, 2 or 5 times a power of ten."""
    step = Fraction(step)
    if step <= 0:
        return False
    while step >= 10:
        step /= 10
    while step < 1:
        step *= 10
    return step in (1, 2, 5)


def multiples(low, high, step):
    """Every multiple of a step from low to high."""
    return [count * step for count in range(math.ceil(low / step), math.floor(high / step) + 1)]


def finest_ticks(low, high, most):
    """Return the multiples of the smallest round step that has at most ``most`` multiples in the range."""
    low, high = exact(low), exact(high)
    steps = steps_from((high - low) / (2 * most + 2))
    return next(found for step in steps if len(found := multiples(low, high, step)) <= most)


def steps_from(smallest):
    """Yield round steps in ascending order, from a power of ten that is not above a positive number."""
    power = Fraction(1)
    while power > smallest:
        power /= 10
    while power * 10 <= smallest:
        power *= 10
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10
