"""AdditiveEffects: a model as one curve per feature, the one thing a nomogram is drawn from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.groups import Groups


class Curve(Protocol):
    """Effect of one feature as a function of its value."""

    def __call__(self, values: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class LinearCurve:
    """effect(x) = slope · x."""

    slope: float

    def __call__(self, values: FloatArray) -> FloatArray:
        return self.slope * values


@dataclass(frozen=True)
class FeatureEffect:
    """The curve of one feature over its observed values, shifted to have the effect 0 at ``centre``."""

    name: str
    curve: Curve
    low: float
    high: float
    centre: float
    unit: str = ""
    """Unit of the feature's values, such as "days"."""

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.curve(values) - self.curve(np.array(self.centre)))


@dataclass(frozen=True)
class AdditiveEffects:
    """f(x) = intercept + Σ_k effect_k(x_k), in the named unit (``"score"`` for a ranker without probabilities).

    >>> effects = AdditiveEffects((FeatureEffect("bm25", LinearCurve(2.0), 0.0, 5.0, 1.0),), 3.0, "score")
    >>> effects.contributions(np.array([[4.0]])).tolist(), effects.total(np.array([[4.0]])).tolist()
    ([[6.0]], [9.0])
    """

    features: tuple[FeatureEffect, ...]
    intercept: float
    unit: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    def contributions(self, X: Matrix) -> FloatArray:
        """Effect of each value of X: rows are documents, columns are features."""
        return self._by_column(X, lambda feature, values: feature(values))

    def differences(self, A: Matrix, B: Matrix) -> FloatArray:
        """Effect of each value of A less that of B; where an effect is 0 plays no part, not even in the rounding."""
        uncentred = [self._by_column(rows, lambda feature, values: feature.curve(values)) for rows in (A, B)]
        return np.asarray(uncentred[0] - uncentred[1])

    def _by_column(self, X: Matrix, effect: Callable[[FeatureEffect, FloatArray], FloatArray]) -> FloatArray:
        if X.shape[1] != len(self.features):
            raise DataError(f"X must have one column per effect: expected {len(self.features)}, got {X.shape[1]}.")
        dense = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        columns = [effect(feature, dense[:, k]) for k, feature in enumerate(self.features)]
        return np.stack(columns, axis=1) if columns else np.zeros(dense.shape)

    def total(self, X: Matrix) -> FloatArray:
        """The model's output for each row: intercept + Σ of its contributions."""
        return np.asarray(self.intercept + self.contributions(X).sum(axis=1))

    def lengths(self, X: Matrix, groups: Groups) -> FloatArray:
        """Length of each feature's line: the median over queries of its largest minus its smallest effect there."""
        contributions = self.contributions(X)[groups.order]
        starts = groups.starts[:-1]
        spread = np.maximum.reduceat(contributions, starts) - np.minimum.reduceat(contributions, starts)
        return np.asarray(np.median(spread, axis=0))


@dataclass(frozen=True, eq=False)
class ObservedValues:
    """Where each feature's line begins, ends and has the effect 0."""

    low: FloatArray
    high: FloatArray
    mean: FloatArray

    @classmethod
    def of(cls, X: Matrix) -> "ObservedValues":
        """Smallest and largest values, and the mean."""
        if sparse.issparse(X):
            low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
            return cls(low, high, np.asarray(X.mean(axis=0)).ravel())
        return cls(X.min(axis=0), X.max(axis=0), X.mean(axis=0))

    @classmethod
    def central(cls, X: Matrix, share: float) -> "ObservedValues":
        """The middle ``share`` of the values, so that a few extreme ones do not stretch a line."""
        tails = [(1.0 - share) / 2.0, (1.0 + share) / 2.0]
        columns = X.tocsc() if sparse.issparse(X) else X
        ends = [np.quantile(_column(columns, k), tails) for k in range(X.shape[1])]
        low, high = np.array(ends).reshape(-1, 2).T
        return cls(low, high, np.asarray(X.mean(axis=0)).ravel())


def linear_effects(names: tuple[str, ...], slopes: FloatArray, observed: ObservedValues, unit: str) -> AdditiveEffects:
    """Effects of f(x) = slopes · x, each centred at the feature's mean."""
    columns = zip(names, slopes, observed.low, observed.high, observed.mean, strict=True)
    features = tuple(
        FeatureEffect(name, LinearCurve(float(slope)), float(low), float(high), float(mean))
        for name, slope, low, high, mean in columns
    )
    return AdditiveEffects(features, float(slopes @ observed.mean), unit)


def _column(X: Matrix, k: int) -> FloatArray:
    return np.asarray(X[:, [k]].toarray().ravel() if sparse.issparse(X) else X[:, k])
