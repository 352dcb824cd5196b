"""The gain 2^y − 1 of a grade y, to full precision even for tiny grades."""

import numpy as np

from glassrank.core.checks import FloatArray

SMALL = 0.5  # below, 2^y is so close to 1 that the difference would lose digits


def exponential_gains(labels: FloatArray) -> FloatArray:
    """Gain 2^y − 1 of each label; whole for whole labels.

    >>> exponential_gains(np.array([0.0, 1.0, 3.0])).tolist(), float(exponential_gains(np.array([1e-300]))[0])
    ([0.0, 1.0, 7.0], 6.931471805599453e-301)
    """
    if (labels == np.rint(labels)).all():
        return np.exp2(labels) - 1.0
    small = np.abs(labels) < SMALL
    return np.where(small, np.expm1(np.log(2.0) * np.where(small, labels, 0.0)), np.exp2(labels) - 1.0)
