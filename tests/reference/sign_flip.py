"""The paired sign-flip test by its definition, in exact arithmetic: every sign pattern, at every shift that matters."""

from fractions import Fraction
from itertools import product


def p_value(differences, shift=0):
    """Share of all sign patterns with |Σ ± (d − shift)| ≥ |Σ (d − shift)|."""
    shifted = [Fraction(d) - Fraction(shift) for d in differences]
    sums = [abs(sum(sign * d for sign, d in zip(signs, shifted, strict=True))) for signs in _signs(shifted)]
    return Fraction(sum(one >= abs(sum(shifted)) for one in sums), len(sums))


def interval(differences, level):
    """Smallest and largest shift with p ≥ level; None if a shift beyond all others is not rejected either.

    |Σ ± (d − δ)| = |Σ (d − δ)| at the δ that is the mean of d over the flipped or over the other queries: p changes at
    these shifts alone, so they contain the ends.
    """
    exact = [Fraction(d) for d in differences]
    subsets = [[d for sign, d in zip(signs, exact, strict=True) if sign < 0] for signs in _signs(exact)]
    shifts = sorted({sum(own) / len(own) for own in subsets if own})
    if p_value(exact, shifts[-1] + 1) >= level:
        return None
    kept = [shift for shift in shifts if p_value(exact, shift) >= level]
    return kept[0], kept[-1]


def _signs(values):
    return product((1, -1), repeat=len(values))
