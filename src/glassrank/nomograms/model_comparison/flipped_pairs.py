"""The pairs of documents that two models order differently."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups

PAIRS_AT_ONCE = 20_000


@dataclass(frozen=True)
class FlipCounts:
    """Number of flipped pairs of a query by what happened to their order."""

    right_to_wrong: int
    wrong_to_right: int
    equal_labels: int

    @property
    def total(self) -> int:
        """Number of all flipped pairs."""
        return self.right_to_wrong + self.wrong_to_right + self.equal_labels


def flipped_pairs(first: FloatArray, second: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the pairs (A, B) of one query with A above B by the first scores and below by the second.

    >>> flipped_pairs(np.array([3.0, 2.0, 1.0]), np.array([1.0, 1.5, 0.5]))
    (array([0]), array([1]))
    """
    before, after = first[:, None] > first, second[:, None] < second
    above, below = np.nonzero(before & after)
    return above, below


def count_flips(labels: FloatArray, above: IntArray, below: IntArray) -> FlipCounts:
    """Count the flipped pairs of one query: ``above`` was above ``below``, and no longer is."""
    order = np.sign(labels[above] - labels[below])
    return FlipCounts(int((order > 0).sum()), int((order < 0).sum()), int((order == 0).sum()))


def mean_changes(
    changes: FloatArray, groups: Groups, first: FloatArray, second: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the means over all flipped pairs of change_k(A) − change_k(B) and of its absolute value, per feature.

    ``changes`` are each document's effects by the second model minus those by the first.
    """
    signed, absolute, count = np.zeros(changes.shape[1]), np.zeros(changes.shape[1]), 0
    for rows in (groups.rows(query) for query in range(groups.n_queries)):
        own = changes[rows]
        for above, below in _blocks(*flipped_pairs(first[rows], second[rows])):
            difference = own[above] - own[below]
            signed += difference.sum(axis=0)
            absolute += np.abs(difference).sum(axis=0)
            count += len(above)
    return signed / max(count, 1), absolute / max(count, 1)


def _blocks(above: IntArray, below: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    for start in range(0, len(above), PAIRS_AT_ONCE):
        yield above[start : start + PAIRS_AT_ONCE], below[start : start + PAIRS_AT_ONCE]
