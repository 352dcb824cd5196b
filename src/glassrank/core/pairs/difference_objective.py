"""The objective of a machine on differences: f(w) = ½‖w‖² + C Σ weight · loss(w·φ(δ)) over given pairs, without bias.

The columns φ are odd, so one orientation of each pair, better minus worse, is enough: the other has the same margin,
and both together with C/2 give the same function.
"""

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from scipy.special import expit

from glassrank.core.checks import FloatArray
from glassrank.core.pairs.difference_rows import DifferenceRows
from glassrank.core.pairs.newton import Solution, newton_steps
from glassrank.core.pairs.pair_objective import check_pull


class DifferenceLoss(Protocol):
    """An elementwise loss of the margin m = w·φ(δ)."""

    def value(self, margins: FloatArray) -> FloatArray: ...

    def pull(self, margins: FloatArray, places: slice) -> FloatArray:
        """Return minus the slope of the loss for the pairs at ``places``."""
        ...

    def curvature(self, margins: FloatArray) -> FloatArray: ...


class SquaredHinge:
    """max(0, 1 − m)²."""

    def value(self, margins: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(0.0, 1.0 - margins) ** 2)

    def pull(self, margins: FloatArray, places: slice) -> FloatArray:
        return np.asarray(2.0 * np.maximum(0.0, 1.0 - margins))

    def curvature(self, margins: FloatArray) -> FloatArray:
        return np.where(margins < 1.0, 2.0, 0.0)


class Logistic:
    """log(1 + exp(−m))."""

    def value(self, margins: FloatArray) -> FloatArray:
        return np.asarray(np.logaddexp(0.0, -margins))

    def pull(self, margins: FloatArray, places: slice) -> FloatArray:
        return np.asarray(expit(-margins))

    def curvature(self, margins: FloatArray) -> FloatArray:
        return np.asarray(expit(margins) * expit(-margins))


class DifferenceObjective:
    """f(w) = ½‖w‖² + C Σ weight · loss(w·φ(δ)); evaluate with ``at``."""

    def __init__(self, rows: DifferenceRows, C: float, loss: DifferenceLoss) -> None:
        check_pull(C, float(rows.weights.sum()), np.ones(1))
        self.rows, self.C, self.loss = rows, C, loss
        self.n_features = rows.n_columns

    def at(self, w: FloatArray) -> "DifferencePoint":
        """Evaluate the objective at ``w``, in one pass over the pairs."""
        margins, pulls, pulled = np.empty(len(self.rows)), np.empty(len(self.rows)), np.zeros(self.n_features)
        for places, columns in self.rows.blocks():
            margins[places] = columns @ w
            pulls[places] = self.loss.pull(margins[places], places)
            pulled += columns.T @ (self.C * self.rows.weights[places] * pulls[places])
        value = 0.5 * float(w @ w) + self.C * float(self.rows.weights @ self.loss.value(margins))
        return DifferencePoint(self, w, margins, pulls, value, w - pulled)


class DifferencePoint:
    """The objective at one w."""

    def __init__(
        self,
        objective: DifferenceObjective,
        w: FloatArray,
        margins: FloatArray,
        pulls: FloatArray,
        value: float,
        gradient: FloatArray,
    ) -> None:
        self.w, self.margins, self.pulls, self.value, self.gradient = w, margins, pulls, value, gradient
        # This bounds value − minimum, because f curves at least as much as ½‖w‖².
        self.duality_gap = 0.5 * float(gradient @ gradient)
        self._rows = objective.rows
        self._curvature = objective.C * objective.rows.weights * objective.loss.curvature(margins)

    def hessian(self) -> FloatArray:
        """I + C Σ weight · loss″ · φφᵀ; pairs with loss″ = 0 are skipped."""
        hessian = np.eye(len(self.w))
        for places, columns in self._rows.blocks_of(np.flatnonzero(self._curvature)):
            scaled = columns * np.sqrt(self._curvature[places])[:, None]
            hessian += scaled.T @ scaled
        return hessian

    def hessian_product(self, v: FloatArray) -> FloatArray:
        """Hessian times ``v``, in one pass over the pairs with loss″ ≠ 0."""
        product = v.copy()
        for places, columns in self._rows.blocks_of(np.flatnonzero(self._curvature)):
            product += columns.T @ (self._curvature[places] * (columns @ v))
        return product


def _smooth(loss: DifferenceLoss) -> Callable[[DifferenceRows, float, float, int], Solution]:
    def solve(rows: DifferenceRows, C: float, tol: float, max_iter: int) -> Solution:
        objective = cast(Any, DifferenceObjective(rows, C, loss))
        return newton_steps(objective, np.zeros(rows.n_columns), tol, max_iter)

    return solve


# loss -> solver of ½‖w‖² + C Σ weight · loss(w·φ(δ)), until duality_gap ≤ tol · value
SMOOTH_LOSSES: dict[str, Callable[[DifferenceRows, float, float, int], Solution]] = {
    "squared_hinge": _smooth(SquaredHinge()),
    "logistic": _smooth(Logistic()),
}
