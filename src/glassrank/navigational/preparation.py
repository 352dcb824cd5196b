"""Prepare query features for a classifier: fill and mark missing values, drop constant columns, merge copies."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.navigational.column_copies import distinct_columns

MARK = "|missing"


@dataclass(frozen=True, eq=False)
class Preparation:
    """Columns derived from features: filled values, or indicators of missing values (1 if missing).

    >>> made = prepare(np.array([[1.0, 7.0, 3.0], [2.0, 7.0, np.nan], [4.0, 7.0, 5.0]]))
    >>> made.names(("a", "b", "c"))
    ('a', 'c', 'c|missing')
    >>> made(np.array([[9.0, 7.0, np.nan]])).tolist()
    [[9.0, 4.0, 1.0]]
    """

    sources: IntArray
    """The feature of each column."""
    marks: npt.NDArray[np.bool_]
    """Whether the column is an indicator of missing values."""
    fills: FloatArray
    """The value that replaces missing ones: the median of the training rows; 0 for indicators."""
    n_constant: int = 0
    """Number of features that were left out because they are constant."""
    copies: tuple[tuple[int, ...], ...] = ()
    """Features whose columns equal each column in the training rows; −1 − feature for an indicator. Empty if none."""

    @property
    def n_columns(self) -> int:
        return len(self.sources)

    def __call__(self, X: FloatArray) -> FloatArray:
        columns = X[:, self.sources]
        missing = np.isnan(columns)
        return np.where(self.marks, missing, np.where(missing, self.fills, columns))

    def pick(self, columns: Any) -> "Preparation":
        """Return some of the columns, in the given order."""
        chosen = np.arange(self.n_columns)[columns]
        copies = tuple(self.copies[k] for k in chosen.tolist()) if self.copies else ()
        copies = copies if any(copies) else ()
        return Preparation(self.sources[chosen], self.marks[chosen], self.fills[chosen], self.n_constant, copies)

    @property
    def n_copies(self) -> int:
        """Number of columns that were merged with another one."""
        return sum(map(len, self.copies))

    def names(self, feature_names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the columns; indicators end in ``|missing``."""
        made = zip(self.sources.tolist(), self.marks.tolist(), strict=True)
        return tuple(f"{feature_names[source]}{MARK if marks else ''}" for source, marks in made)

    def copied_names(self, feature_names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Return column → the names of its copies, for columns that have any."""
        named = zip(self.names(feature_names), self.copies, strict=True) if self.copies else ()
        return {
            name: tuple(feature_names[k] if k >= 0 else f"{feature_names[-1 - k]}{MARK}" for k in copies)
            for name, copies in named
            if copies
        }


def prepare(X: FloatArray) -> Preparation:
    """Learn the preparation from training rows: medians, indicators, constant columns, and copies of columns.

    Of columns that are identical in the training rows, only the first is kept: the mean, the maximum and the value at
    rank 1 of a list of one result are one column, not three.
    """
    made = fill(X)
    groups = distinct_columns(made(X))
    first = np.array([group[0] for group in groups], dtype=np.int64)
    copies = tuple(
        tuple(int(made.sources[k]) if not made.marks[k] else -1 - int(made.sources[k]) for k in group[1:])
        for group in groups
    )
    copies = copies if any(copies) else ()
    return Preparation(made.sources[first], made.marks[first], made.fills[first], made.n_constant, copies)


def fill(X: FloatArray) -> Preparation:
    """Learn medians, indicators of missing values, and constant columns from training rows.

    Indicators come after the features. Features that are missing in exactly the same rows (such as all those of a rank
    beyond the end of short lists) share one indicator, that of the first.
    """
    missing = np.isnan(X)
    medians = np.zeros(X.shape[1])
    present = ~missing.all(axis=0)
    whole = ~missing.any(axis=0)
    medians[whole] = np.median(X[:, whole], axis=0)
    for k in np.flatnonzero(present & ~whole):
        medians[k] = np.median(X[~missing[:, k], k])
    filled = np.where(missing, medians, X)
    values = np.flatnonzero(present & (filled.min(axis=0) < filled.max(axis=0)))
    marked = _distinct_indicators(missing)
    if len(values) + len(marked) == 0:
        raise DataError(
            f"No feature of X varies: all {X.shape[1]} are constant or missing over {len(X)} "
            f"sample{'s' if len(X) > 1 else ''}.",
            remedy="Pass features that vary.",
        )
    return Preparation(
        np.concatenate([values, marked]),
        np.arange(len(values) + len(marked)) >= len(values),
        np.concatenate([medians[values], np.zeros(len(marked))]),
        X.shape[1] - len(values),
    )


def _distinct_indicators(missing: npt.NDArray[np.bool_]) -> IntArray:
    """Features with missing values, only the first of those that are missing in the same rows."""
    some = np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0))
    patterns = np.packbits(missing[:, some], axis=0)
    first = {patterns[:, place].tobytes(): int(k) for place, k in reversed(list(enumerate(some)))}
    return np.array(sorted(first.values()), dtype=np.int64)
