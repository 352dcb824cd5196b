"""What stands between query features and a classifier: missing values filled and marked, constant columns dropped."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray

MARK = "|missing"


@dataclass(frozen=True, eq=False)
class Preparation:
    """Columns made of features: a feature with its missing values filled, or whether it is missing (1) or not (0).

    >>> made = prepare(np.array([[1.0, 7.0, 3.0], [2.0, 7.0, np.nan], [4.0, 7.0, 5.0]]))
    >>> made.names(("a", "b", "c"))
    ('a', 'c', 'c|missing')
    >>> made(np.array([[9.0, 7.0, np.nan]])).tolist()
    [[9.0, 4.0, 1.0]]
    """

    sources: IntArray
    """The feature that each column is made of."""
    marks: npt.NDArray[np.bool_]
    """Whether the column says that the feature is missing."""
    fills: FloatArray
    """What a missing value becomes: the median of the rows that were prepared for; 0 for marks."""
    n_constant: int = 0
    """Features that were left out because they do not change."""

    @property
    def n_columns(self) -> int:
        return len(self.sources)

    def __call__(self, X: FloatArray) -> FloatArray:
        columns = X[:, self.sources]
        missing = np.isnan(columns)
        return np.where(self.marks, missing, np.where(missing, self.fills, columns))

    def pick(self, columns: Any) -> "Preparation":
        """Some of the columns, in the order given."""
        return Preparation(self.sources[columns], self.marks[columns], self.fills[columns], self.n_constant)

    def names(self, feature_names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the columns; one that marks missing values says so."""
        made = zip(self.sources.tolist(), self.marks.tolist(), strict=True)
        return tuple(f"{feature_names[source]}{MARK if marks else ''}" for source, marks in made)


def prepare(X: FloatArray) -> Preparation:
    """Learn from training rows how columns are made: medians, marks of missing values, and which columns are constant.

    Marks come after the features. Features that are missing in the very same rows (all those of a rank that a short
    list does not reach) share one mark, that of the first.
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
    marked = _different_marks(missing)
    if len(values) + len(marked) == 0:
        raise DataError(
            f"No feature of X changes from row to row: all {X.shape[1]} are constant or missing over {len(X)} "
            f"sample{'s' if len(X) > 1 else ''}.",
            remedy="Pass features that tell rows apart.",
        )
    return Preparation(
        np.concatenate([values, marked]),
        np.arange(len(values) + len(marked)) >= len(values),
        np.concatenate([medians[values], np.zeros(len(marked))]),
        X.shape[1] - len(values),
    )


def _different_marks(missing: npt.NDArray[np.bool_]) -> IntArray:
    """Features missing in some rows, the first of those that are missing in the same ones."""
    some = np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0))
    patterns = np.packbits(missing[:, some], axis=0)
    first = {patterns[:, place].tobytes(): int(k) for place, k in reversed(list(enumerate(some)))}
    return np.array(sorted(first.values()), dtype=np.int64)
