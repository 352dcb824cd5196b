"""The support vector classifier with hinge loss, solved by a primal-dual interior-point method.

It minimises ½‖w‖² + Σ weight · max(0, 1 − sign · (w·x + b)). At the minimum there are multipliers 0 ≤ α ≤ weight with
Σ α · sign = 0 and w = Σ α · sign · x, and for each row, with sign · (w·x + b) − 1 = surplus − slack,

    α · surplus = 0   and   (weight − α) · slack = 0,   surplus, slack ≥ 0.

The method keeps all four factors positive and reduces the products at the same rate (Mehrotra 1992). Each step is a
weighted ridge regression of the margin residuals. One or two dozen steps reach any tolerance.
"""

from dataclasses import dataclass, replace

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.classes.squared_hinge_classes import ROUNDING, ClassRows, ClassSolution
from glassrank.core.hessian_factor import Factor

FRACTION_TO_BOUNDARY = 0.995  # share of the longest step that keeps every factor positive
MIN_STEP = 1e-8  # a shorter step makes no progress


@dataclass(frozen=True, eq=False)
class _Step:
    w: FloatArray
    alpha: FloatArray
    surplus: FloatArray
    slack: FloatArray
    bias: float


@dataclass(frozen=True, eq=False)
class _Iterate:
    """The four factors of the complementary products, w and the bias."""

    w: FloatArray
    """Stored separately from Σ α · sign · x, where large terms cancel; the steps make the two converge."""
    alpha: FloatArray
    room: FloatArray
    """weight − α, stored separately because the difference would lose precision near 0."""
    surplus: FloatArray
    slack: FloatArray
    bias: float

    @classmethod
    def first(cls, rows: ClassRows) -> "_Iterate":
        """Start with half of the smaller class's weight on each class, and surplus and slack as large as residuals."""
        positive = rows.signs > 0
        of_class = np.where(positive, rows.weights[positive].sum(), rows.weights[~positive].sum())
        alpha = 0.5 * rows.weights * of_class.min() / of_class
        w = np.asarray(rows.X.T @ (rows.signs * alpha))
        scores = rows.scores(w)
        bias = hinge_bias(rows, scores)
        excess = rows.signs * (scores + bias) - 1.0
        usual = float(np.average(np.abs(excess), weights=rows.weights))
        slack = np.maximum(-excess, 0.0) + usual
        return cls(w, alpha, rows.weights - alpha, np.maximum(excess, 0.0) + usual, slack, bias)

    def moved(self, step: _Step, length: float) -> "_Iterate":
        return _Iterate(
            self.w + length * step.w,
            self.alpha + length * step.alpha,
            self.room - length * step.alpha,
            self.surplus + length * step.surplus,
            self.slack + length * step.slack,
            self.bias + length * step.bias,
        )

    def balanced(self, signs: FloatArray) -> "_Iterate":
        """Scale down the α of the heavier class so that Σ α · sign = 0 and α is dual feasible."""
        totals = np.where(signs > 0, self.alpha[signs > 0].sum(), self.alpha[signs < 0].sum())
        alpha = self.alpha * (totals.min() / totals)
        return replace(self, alpha=alpha, room=self.room + (self.alpha - alpha))

    def longest(self, step: _Step) -> float:
        """Return the length of the step at which the first factor reaches 0, at most 1."""
        values = np.concatenate([self.alpha, self.room, self.surplus, self.slack])
        changes = np.concatenate([step.alpha, -step.alpha, step.surplus, step.slack])
        falling = changes < 0
        return min(1.0, float((values[falling] / -changes[falling]).min(initial=np.inf)))

    @property
    def level(self) -> float:
        """Mean of the complementary products per unit of weight, so that a weight of 2 equals two rows."""
        return float(self.alpha @ self.surplus + self.room @ self.slack) / (2.0 * float((self.alpha + self.room).sum()))


class _Equations:
    """The linear equations of a step: a ridge regression with intercept, factorised once for several targets."""

    def __init__(self, rows: ClassRows, at: _Iterate, scores: FloatArray, dual_w: FloatArray) -> None:
        self._rows, self._at, self._drift = rows, at, dual_w - at.w
        self._residual = 1.0 + at.surplus - at.slack - rows.signs * (scores + at.bias)
        self._weights = 1.0 / (at.surplus / at.alpha + at.slack / at.room)
        self._mean, scatter = rows.scatter(self._weights)
        self._factor = Factor(np.eye(rows.n_features) + scatter)

    def solve(self, lower: FloatArray, upper: FloatArray) -> _Step:
        """Return the step that changes α · surplus by ``lower`` and room · slack by ``upper``, to first order."""
        at, rows, weights = self._at, self._rows, self._weights
        target = rows.signs * (self._residual + lower / at.alpha - upper / at.room)
        centre = float(weights @ target / weights.sum())
        change = self._factor.solve(np.asarray(rows.X.T @ (weights * (target - centre))) + self._drift)
        bias = centre - float(self._mean @ change)
        alpha = rows.signs * weights * (target - rows.scores(change) - bias)
        return _Step(change, alpha, (lower - at.surplus * alpha) / at.alpha, (upper + at.slack * alpha) / at.room, bias)


def minimise_hinge_loss(rows: ClassRows, *, tol: float, max_iter: int) -> ClassSolution:
    """Minimise ½‖w‖² + Σ weight · max(0, 1 − sign · (w·x + b)) until duality_gap ≤ tol · value."""
    at = _Iterate.first(rows)
    best_w, bias, primal, dual = np.zeros(rows.n_features), 0.0, np.inf, -np.inf
    n_iter = 0
    while True:
        scores, dual_w = rows.scores(at.w), np.asarray(rows.X.T @ (rows.signs * at.alpha))
        here = hinge_bias(rows, scores)
        value = hinge_value(rows, at.w, scores + here)
        if value < primal:
            best_w, bias, primal = at.w, here, value
        dual = max(dual, float(at.alpha.sum()) - 0.5 * float(dual_w @ dual_w))
        if primal - dual <= tol * primal or n_iter == max_iter:
            break
        equations = _Equations(rows, at, scores, dual_w)
        step = _predicted_and_corrected(at, equations)
        length = FRACTION_TO_BOUNDARY * at.longest(step)
        if not length > MIN_STEP:
            break
        at = at.moved(step, length).balanced(rows.signs)
        n_iter += 1
    gap = max(0.0, primal - dual)
    return ClassSolution(best_w, bias - float(best_w @ rows.centre), primal, gap, n_iter, gap <= tol * primal)


def _predicted_and_corrected(at: _Iterate, equations: _Equations) -> _Step:
    """Predict a step to products of 0, then solve for the reachable level with the second-order error corrected."""
    lower, upper = at.alpha * at.surplus, at.room * at.slack
    predicted = equations.solve(-lower, -upper)
    reached = at.moved(predicted, at.longest(predicted)).level
    aim = at.level * (reached / at.level) ** 3 * (at.alpha + at.room)
    return equations.solve(
        aim - lower - predicted.alpha * predicted.surplus, aim - upper + predicted.alpha * predicted.slack
    )


def hinge_value(rows: ClassRows, w: FloatArray, decisions: FloatArray) -> float:
    """½‖w‖² + Σ weight · max(0, 1 − sign · decision)."""
    return 0.5 * float(w @ w) + float(rows.weights @ np.maximum(0.0, 1.0 - rows.signs * decisions))


def hinge_bias(rows: ClassRows, scores: FloatArray) -> float:
    """Return the bias of least hinge loss: a weighted median of sign − score, or the middle of an interval of them.

    >>> rows = ClassRows.of(np.zeros((2, 1)), signs=np.array([1.0, -1.0]), weights=np.ones(2))
    >>> hinge_bias(rows, np.array([3.0, 1.0]))
    -2.0
    """
    turning_points = rows.signs - scores
    order = np.argsort(turning_points, kind="stable")
    # Below all turning points the slope in b is −(weight of the positives). Each turning point increases it by its
    # row's weight, because a positive row loses its slack there or a negative row gains some.
    passed = np.cumsum(rows.weights[order])
    needed, rounding = float(rows.weights[rows.signs > 0].sum()), ROUNDING * len(order) * float(passed[-1])
    first, last = np.searchsorted(passed, [needed - rounding, needed + rounding])
    return 0.5 * float(turning_points[order[first]] + turning_points[order[min(last, len(order) - 1)]])
