"""Distinct pairs, so that values of a query and a text are computed once for all rows that share them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """The distinct pairs among rows of two numbers.

    >>> pairs = Pairs.of([0, 1, 0], [2, 2, 2])
    >>> pairs.one.tolist(), pairs.other.tolist(), pairs.rows(np.array([5.0, 7.0])).tolist()
    ([0, 1], [2, 2], [5.0, 7.0, 5.0])
    """

    one: IntArray
    other: IntArray
    of_row: IntArray
    """Number of each row's pair."""

    @classmethod
    def of(cls, one: Any, other: Any) -> "Pairs":
        """Find the distinct pairs, sorted by the first number, then by the second."""
        width = np.int64(np.max(other, initial=0) + 1)
        keys, of_row = np.unique(np.asarray(one, dtype=np.int64) * width + other, return_inverse=True)
        first, second = np.divmod(keys, width)
        return cls(first, second, of_row)

    def __len__(self) -> int:
        return len(self.one)

    def rows(self, values: Any) -> Any:
        """Return the value of each row's pair."""
        return values[self.of_row]

    def each(self, function: Callable[[Any, Any], float], ones: Sequence[Any], others: Sequence[Any]) -> FloatArray:
        """Evaluate a function for each pair, and return the value of each row's pair."""
        values = [function(ones[i], others[j]) for i, j in zip(self.one.tolist(), self.other.tolist(), strict=True)]
        return np.array(values, dtype=np.float64)[self.of_row]
