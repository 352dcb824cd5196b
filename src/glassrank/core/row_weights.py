"""Row weights of a fit: rows of weight 0 are ignored, and weights that are all 1 are dropped."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, as_weights


@dataclass(frozen=True, eq=False)
class RowWeights:
    """The rows that a fit uses, and their weights."""

    rows: IntArray | None
    """Rows of positive weight; None if these are all rows."""
    values: FloatArray | None
    """Weight of each of these rows; None if all are 1."""
    n_rows: int
    """Number of all rows, including those of weight 0."""

    def pick(self, values: Any) -> Any:
        """Return the entries or matrix rows of the rows that count; None stays None."""
        return values if self.rows is None or values is None else values[self.rows]

    def translate(self, cv: Any) -> Any:
        """Convert splits of all rows to splits of the rows that count; numbers and splitters are returned unchanged.

        >>> weights = row_weights([1.0, 0.0, 1.0, 1.0], 4)
        >>> [(train.tolist(), test.tolist()) for train, test in weights.translate([([0, 1], [2, 3])])]
        [([0], [1, 2])]
        """
        if self.rows is None or not hasattr(cv, "__iter__") or isinstance(cv, str) or hasattr(cv, "split"):
            return cv
        place = np.full(self.n_rows, -1)
        place[self.rows] = np.arange(len(self.rows))
        splits = [tuple(place[np.asarray(part)] for part in split) for split in cv]
        kept = [tuple(part[part >= 0] for part in split) for split in splits]
        return [(train, test) for train, test in kept if len(test)]


def row_weights(sample_weight: Any, n_rows: int) -> RowWeights:
    """Validate row weights, which must be non-negative and not all 0; None means that all weights are 1.

    >>> found = row_weights([2.0, 0.0, 1.0], 3)
    >>> found.rows.tolist(), found.values.tolist()
    ([0, 2], [2.0, 1.0])
    """
    if sample_weight is None:
        return RowWeights(None, None, n_rows)
    weights = as_weights("sample_weight", sample_weight, n_rows)
    rows = np.flatnonzero(weights)
    if len(rows) == 0:
        raise DataError(f"sample_weight is zero for all {n_rows} rows: nothing to learn from.")
    weights = weights[rows]
    return RowWeights(None if len(rows) == n_rows else rows, None if (weights == 1.0).all() else weights, n_rows)
