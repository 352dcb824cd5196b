"""What was observed of each feature: the ends of its line, its mean, and the share of missing values."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, Matrix


@dataclass(frozen=True, eq=False)
class ObservedValues:
    """Start and end of each feature's line, the value with the effect 0, and the share of missing values."""

    low: FloatArray
    high: FloatArray
    mean: FloatArray
    missing: FloatArray = None  # type: ignore[assignment]  # set below

    def __post_init__(self) -> None:
        if self.missing is None:
            object.__setattr__(self, "missing", np.zeros(len(self.low)))

    @classmethod
    def of(cls, X: Matrix) -> "ObservedValues":
        """Return the minimum, maximum and mean of the known values of each column."""
        if sparse.issparse(X):
            low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
            return cls(low, high, np.asarray(X.mean(axis=0)).ravel())
        if not np.isnan(X).any():
            return cls(X.min(axis=0), X.max(axis=0), X.mean(axis=0))
        return cls._of_known(X)

    @classmethod
    def _of_known(cls, X: FloatArray) -> "ObservedValues":
        known = ~np.isnan(X)
        counts = known.sum(axis=0)
        low, high = (np.where(counts, ends(X, axis=0), 0.0) for ends in (np.fmin.reduce, np.fmax.reduce))
        mean = np.where(known, X, 0.0).sum(axis=0) / np.maximum(counts, 1)
        return cls(low, high, np.clip(mean, low, high), 1.0 - counts / len(X))

    def weighted(self, X: Matrix, weights: FloatArray | None) -> "ObservedValues":
        """Return the same lines with weighted means and shares of the rows, if there are weights."""
        if weights is None:
            return self
        if sparse.issparse(X):
            return replace(self, mean=np.asarray(weights @ X) / weights.sum())
        known = ~np.isnan(X)
        total = weights @ known
        mean = np.asarray(weights @ np.where(known, X, 0.0)) / np.where(total > 0, total, 1.0)
        # Not 1 − the share of the known values, which is 0 if the missing ones have very small weights.
        return replace(self, mean=mean, missing=np.asarray(weights @ ~known) / weights.sum())

    @classmethod
    def central(cls, X: Matrix, share: float) -> "ObservedValues":
        """Return lines over the central ``share`` of the values, so that a few extreme values do not stretch them."""
        tails = [(1.0 - share) / 2.0, (1.0 + share) / 2.0]
        columns = X.tocsc() if sparse.issparse(X) else X
        ends = [np.quantile(column_values(columns, k), tails) for k in range(X.shape[1])]
        low, high = np.array(ends).reshape(-1, 2).T
        return cls(low, high, np.asarray(X.mean(axis=0)).ravel())


def column_values(X: Matrix, k: int) -> FloatArray:
    """Return a column of a dense or sparse matrix."""
    return np.asarray(X[:, [k]].toarray().ravel() if sparse.issparse(X) else X[:, k])
