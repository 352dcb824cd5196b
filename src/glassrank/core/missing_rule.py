"""What a model does with missing values of features that had none in training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, Matrix
from glassrank.core.feature_kinds import UNSEEN, FeatureKind, row_numbers
from glassrank.core.setting import setting
from glassrank.core.wording import counted

REFUSE, MEAN = "refuse", "mean"
MISSING = (REFUSE, MEAN)


@dataclass(frozen=True, eq=False)
class MissingRule:
    """The features with a learned effect of missing values, and what to do with missing values of the others."""

    missing: str
    learned: FloatArray
    """Share of missing values of each feature in training; 0 if the model has no effect for them."""
    means: FloatArray
    kinds: Sequence[FeatureKind]
    names: Sequence[str]

    def apply(self, rows: Matrix, numbers: IntArray | None = None) -> Matrix:
        """Return the rows with unexpected missing values replaced by the mean, or raise an error for them."""
        absent = np.isnan(rows.data if sparse.issparse(rows) else rows)
        if not absent.any():
            return rows
        if sparse.issparse(rows):
            raise DataError("Missing values need a dense matrix: got a sparse one.", remedy="Use X.toarray().")
        unexpected = np.flatnonzero((absent & (self.learned == 0)).any(axis=0)).tolist()
        if unexpected and self.missing == REFUSE:
            raise missing_in_data(self.names[unexpected[0]], absent[:, unexpected[0]], numbers)
        filled = rows.copy() if unexpected else rows
        for k in unexpected:
            # An unseen level has the effect of rare levels, or 0, which is that of the mean.
            filled[absent[:, k], k] = UNSEEN if self.kinds[k].is_category else self.means[k]
        return filled


def missing_in_data(name: str, absent: BoolArray, numbers: IntArray | None = None) -> DataError:
    """Return the error of missing values of a feature that had none in training, with the first of its rows."""
    found, first = counted(int(absent.sum()), "missing value"), row_numbers(numbers, len(absent))[np.argmax(absent)]
    return DataError(
        f"Feature {name!r} has {found}, the first in row {first}, but had none in training.",
        remedy=("Fill them", f"train with {setting('missing', 'mean')}, which gives them the effect of the mean"),
    )


def missing_by_feature(X: Matrix, names: Sequence[str]) -> dict[str, int]:
    """Return the features with missing values, and how many they have."""
    if sparse.issparse(X):
        counts = np.bincount(X.indices[np.isnan(X.data)], minlength=X.shape[1])
    else:
        counts = np.isnan(X).sum(axis=0)
    return {names[k]: int(counts[k]) for k in np.flatnonzero(counts).tolist()}
