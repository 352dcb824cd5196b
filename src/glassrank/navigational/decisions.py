"""Fitted classifiers as plain arrays, so that predictions do not need scikit-learn.

A decision scores each row, positive for the second class. Decisions that are a sum of one curve per column have
``curves`` and ``constant``, from which a nomogram is drawn.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.spatial.distance import cdist

from glassrank.core.additive.curves import FLAT, StepCurve
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import FloatArray, IntArray

ROWS_AT_A_TIME = 2048
LEAF = -1


class Decision(Protocol):
    """A fitted binary classifier."""

    def __call__(self, columns: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class LinearDecision:
    """f(x) = Σ_j slopes_j x_j + constant: linear SVMs and logistic regression, including the scaling.

    >>> LinearDecision(np.array([2.0, -1.0]), 0.5)(np.array([[1.0, 3.0]])).tolist()
    [-0.5]
    """

    slopes: FloatArray
    constant: float

    def __call__(self, columns: FloatArray) -> FloatArray:
        return np.asarray(columns @ self.slopes + self.constant)

    def curves(self) -> tuple[Curve, ...]:
        """A straight line per column."""
        return tuple(LinearCurve(float(slope)) for slope in self.slopes)


@dataclass(frozen=True)
class RampCurve:
    """effect(x) = rise · clip((x − low)/width, 0, 1)."""

    low: float
    width: float
    rise: float

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.rise * np.clip((values - self.low) / self.width, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class RampDecision:
    """f(x) = Σ_j rises_j · clip((x_j − low_j)/width_j, 0, 1) + constant: multinomial naive Bayes on scaled features.

    >>> RampDecision(np.array([0.0]), np.array([4.0]), np.array([2.0]), -1.0)(np.array([[1.0], [9.0]])).tolist()
    [-0.5, 1.0]
    """

    lows: FloatArray
    widths: FloatArray
    rises: FloatArray
    constant: float

    def __call__(self, columns: FloatArray) -> FloatArray:
        scaled = np.clip((columns - self.lows) / self.widths, 0.0, 1.0)
        return np.asarray(scaled @ self.rises + self.constant)

    def curves(self) -> tuple[Curve, ...]:
        """A ramp per column."""
        ramps = zip(self.lows.tolist(), self.widths.tolist(), self.rises.tolist(), strict=True)
        return tuple(RampCurve(*ramp) for ramp in ramps)


@dataclass(frozen=True, eq=False)
class StepDecision:
    """f(x) = Σ_j level of the interval of x_j + constant: naive Bayes on intervals.

    ``cuts`` and ``levels`` concatenate those of all columns; a column has one more level than cuts.

    >>> decide = StepDecision(np.array([1, 0]), np.array([5.0]), np.array([-1.0, 2.0, 0.0]), 0.5)
    >>> decide(np.array([[5.0, 7.0], [6.0, 7.0]])).tolist()
    [-0.5, 2.5]
    """

    n_cuts: IntArray
    cuts: FloatArray
    levels: FloatArray
    constant: float

    def __call__(self, columns: FloatArray) -> FloatArray:
        scores = np.full(len(columns), self.constant)
        for k, (cuts, levels) in enumerate(self._by_column()):
            scores += levels[np.searchsorted(cuts, columns[:, k], side="left")]
        return scores

    def curves(self) -> tuple[Curve, ...]:
        """A step function per column; zero if a column has no cut and no level."""
        return tuple(
            StepCurve(cuts, levels) if len(cuts) or levels[0] != 0.0 else FLAT for cuts, levels in self._by_column()
        )

    def _by_column(self) -> list[tuple[FloatArray, FloatArray]]:
        cuts = np.split(self.cuts, np.cumsum(self.n_cuts)[:-1])
        levels = np.split(self.levels, np.cumsum(self.n_cuts + 1)[:-1])
        return list(zip(cuts, levels, strict=True))


@dataclass(frozen=True, eq=False)
class RbfDecision:
    """f(x) = Σ_i duals_i exp(−γ ‖z − support_i‖²) + constant, z = (x − centre)/scale.

    >>> decide = RbfDecision(np.zeros(1), np.ones(1), np.array([[0.0]]), np.array([2.0]), 1.0, -1.0)
    >>> decide(np.array([[0.0]])).tolist()
    [1.0]
    """

    centre: FloatArray
    scale: FloatArray
    support: FloatArray
    """One row per support vector, scaled."""
    duals: FloatArray
    gamma: float
    constant: float

    def __call__(self, columns: FloatArray) -> FloatArray:
        scores = np.empty(len(columns))
        for first in range(0, len(columns), ROWS_AT_A_TIME):
            piece = slice(first, first + ROWS_AT_A_TIME)
            scaled = (columns[piece] - self.centre) / self.scale
            # Row by row, so that a row's score does not depend on the other rows of the batch.
            near = np.exp(-self.gamma * cdist(scaled, self.support, "sqeuclidean"))
            scores[piece] = (near * self.duals).sum(axis=1) + self.constant
        return scores


@dataclass(frozen=True, eq=False)
class TreesDecision:
    """f(x) = constant + Σ over trees of the value of the leaf that x falls into, including the learning rate.

    The arrays concatenate the nodes of all trees, the root of each tree first. ``left`` and ``right`` are indices of
    nodes, −1 for a leaf. A row goes left if its value is ≤ the threshold; scikit-learn first rounds the value to 32
    bits.

    >>> decide = TreesDecision(
    ...     np.array([0]), np.array([0, 0, 0]), np.array([0.5, 0.0, 0.0]), np.array([1, -1, -1]), np.array([2, -1, -1]),
    ...     np.array([0.0, -1.0, 1.0]), 0.25)
    >>> decide(np.array([[0.5], [0.6]])).tolist()
    [-0.75, 1.25]
    """

    roots: IntArray
    features: IntArray
    thresholds: FloatArray
    left: IntArray
    right: IntArray
    values: FloatArray
    constant: float
    single_precision: bool = True

    def __call__(self, columns: FloatArray) -> FloatArray:
        compared = columns.astype(np.float32) if self.single_precision else columns
        scores = np.full(len(columns), self.constant)
        rows = np.arange(len(columns))
        for root in self.roots.tolist():
            node = np.full(len(columns), root)
            inner = self.left[node] != LEAF
            while inner.any():
                goes_left = compared[rows, self.features[node]] <= self.thresholds[node]
                node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)
                inner = self.left[node] != LEAF
            scores += self.values[node]
        return scores


@dataclass(frozen=True, eq=False)
class EstimatorDecision:
    """The decision of any other binary classifier: its ``decision_function``, or the log-odds of its probabilities."""

    estimator: Any

    def __call__(self, columns: FloatArray) -> FloatArray:
        if hasattr(self.estimator, "decision_function"):
            return np.asarray(self.estimator.decision_function(columns), dtype=np.float64)
        smallest = np.finfo(np.float64).tiny
        shares = np.maximum(self.estimator.predict_proba(columns), smallest)
        return np.asarray(np.log(shares[:, 1]) - np.log(shares[:, 0]))


ADDITIVE = (LinearDecision, RampDecision, StepDecision)
