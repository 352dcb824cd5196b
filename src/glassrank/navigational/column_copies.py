"""Columns that are copies of each other over the training rows: they are one column, and count once."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray

# Rounding of the operators: the mean of equal values may differ from them in the last digits.
DIGITS = 12


def distinct_columns(columns: FloatArray) -> list[IntArray]:
    """Return the groups of identical columns, each with its first column first, in the order of the first ones.

    Columns are identical if they agree to 12 digits of their largest value in every row.

    >>> columns = np.array([[0.1, 3.0, 0.1 + 1e-16, 0.2], [0.5, 4.0, 0.5, 1.0]])
    >>> [group.tolist() for group in distinct_columns(columns)]
    [[0, 2], [1], [3]]
    """
    largest = np.abs(columns).max(axis=0, initial=0.0)
    # Adding 0 makes -0 equal to 0.
    rounded = np.round(columns / np.where(largest > 0, largest, 1.0), DIGITS) + 0.0
    groups: dict[tuple[str, bytes], list[int]] = {}
    for k in range(columns.shape[1]):
        key = (f"{largest[k]:.{DIGITS - 1}e}", rounded[:, k].tobytes())
        groups.setdefault(key, []).append(k)
    return [np.array(group, dtype=np.int64) for group in groups.values()]
