"""Curves as steps: the stated error holds everywhere, also right after a threshold."""

import numpy as np
import pytest

from glassrank.export.curve_tables import tabulate_steps


@pytest.mark.parametrize(
    ("curve", "low", "high"),
    [(np.sin, 0.0, 1.5), (lambda x: 3.0 * x, 0.0, 10.0), (lambda x: np.exp(-x * x), -3.0, 3.0)],
)
def test_the_stated_error_of_steps_holds_right_after_each_threshold(curve, low, high):
    thresholds, levels, error = tabulate_steps(curve, low, high, 0.05, "x")
    x = np.concatenate([thresholds, np.nextafter(thresholds, np.inf), np.linspace(low, high, 5001)])
    steps = np.array([levels[(thresholds < value).sum()] for value in x])
    assert np.abs(steps - curve(x)).max() <= error <= 0.05
