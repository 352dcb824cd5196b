"""Gains of grades, against exact arithmetic and the series of 2^y − 1."""

import math

import numpy as np
import pytest

from glassrank.core.gains import exponential_gains


def test_whole_grades_have_whole_gains():
    assert exponential_gains(np.arange(0.0, 53.0)).tolist() == [2**grade - 1 for grade in range(53)]


@pytest.mark.parametrize("label", [1e-300, 1e-20, -1e-9, 0.3, -0.4, 0.49999999, 0.5, 0.7])
def test_gains_have_all_their_digits_however_small(label):
    """Σ (y ln 2)^k / k! for k ≥ 1, smallest terms first."""
    power = label * math.log(2)
    expected = math.fsum(power**k / math.factorial(k) for k in range(1, 30))
    assert exponential_gains(np.array([label]))[0] == pytest.approx(expected, rel=1e-15)
