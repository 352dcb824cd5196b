"""The support vector classifier with squared hinge loss: its objective and minimisation.

f(w) = ½‖w‖² + min_b Σ weight · max(0, 1 − sign · (w·x + b))². The bias b is not penalised, so the minimum over b is
computed exactly at every w. The remaining function of w curves at least as much as ½‖w‖², so its gradient bounds the
distance to the minimum.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.pairs.newton import newton_steps

BLOCK_BYTES = 4_000_000  # size of the blocks in which rows are made dense and centred
MAX_BIAS_STEPS = 200
ROUNDING = 4.0 * np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows of two classes: ``signs`` are +1 and −1, and ``weights`` are C times the positive weight of each row."""

    X: Matrix
    """The rows minus ``centre``."""
    centre: FloatArray
    signs: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, X: Matrix, signs: FloatArray, weights: FloatArray) -> "ClassRows":
        """Centre dense rows, because a large common offset costs precision; the bias compensates for it."""
        if sparse.issparse(X):
            return cls(X, np.zeros(X.shape[1]), signs, weights)
        centre = X.mean(axis=0)
        return cls(X - centre, centre, signs, weights)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def scores(self, w: FloatArray) -> FloatArray:
        """w·(x − centre) of each row."""
        return np.asarray(self.X @ w)

    def scatter(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weighted mean of the rows and Σ weight · (x − mean)(x − mean)ᵀ; rows of weight 0 are skipped."""
        total = float(weights.sum())
        scatter = np.zeros((self.n_features, self.n_features))
        if total == 0.0:
            return np.zeros(self.n_features), scatter
        mean = np.asarray(self.X.T @ weights) / total
        counted = np.flatnonzero(weights)
        max_rows = max(1, BLOCK_BYTES // (8 * max(1, self.n_features)))
        for first in range(0, len(counted), max_rows):
            block = counted[first : first + max_rows]
            dense = self.X[block].toarray() if sparse.issparse(self.X) else self.X[block]
            scaled = (dense - mean) * np.sqrt(weights[block])[:, None]
            scatter += scaled.T @ scaled
        return mean, scatter


@dataclass(frozen=True, eq=False)
class ClassSolution:
    """A minimiser with its certificate: value − minimum ≤ duality_gap. The decision is w·x + intercept."""

    w: FloatArray
    intercept: float
    value: float
    duality_gap: float
    n_iter: int
    converged: bool


class SquaredHingeClasses:
    """f(w) = ½‖w‖² + min_b Σ weight · max(0, 1 − sign · (w·x + b))²; evaluate with ``at``."""

    def __init__(self, rows: ClassRows) -> None:
        self.rows = rows
        self.n_features = rows.n_features

    def at(self, w: FloatArray) -> "ClassPoint":
        """Evaluate the objective at ``w`` with the best bias."""
        scores = self.rows.scores(w)
        return ClassPoint(self.rows, w, scores, best_bias(self.rows, scores))


class ClassPoint:
    """The objective at one w."""

    def __init__(self, rows: ClassRows, w: FloatArray, scores: FloatArray, bias: float) -> None:
        slack = np.maximum(0.0, 1.0 - rows.signs * (scores + bias))
        self.w, self.bias = w, bias
        self.value = 0.5 * float(w @ w) + float(rows.weights @ slack**2)
        self.gradient: FloatArray = np.asarray(w - rows.X.T @ (2.0 * rows.weights * rows.signs * slack))
        # The duality gap at α = 2 · weight · slack, which is feasible because Σ α · sign = 0 at the best bias.
        self.duality_gap = 0.5 * float(self.gradient @ self.gradient)
        self._rows, self._curvature = rows, np.where(slack > 0.0, 2.0 * rows.weights, 0.0)

    def hessian(self) -> FloatArray:
        """I + 2 Σ weight · (x − mean)(x − mean)ᵀ over the rows with slack; the bias removes their mean."""
        return np.eye(len(self.w)) + self._rows.scatter(self._curvature)[1]

    def hessian_product(self, v: FloatArray) -> FloatArray:
        """Hessian times ``v``, in two passes over X."""
        scores, total = self._rows.scores(v), float(self._curvature.sum())
        centred = scores - float(self._curvature @ scores) / total if total > 0 else scores
        return np.asarray(v + self._rows.X.T @ (self._curvature * centred))


def best_bias(rows: ClassRows, scores: FloatArray) -> float:
    """Return the bias of least squared hinge loss, by Newton's method within a shrinking bracket.

    A row with sign · (turning point − b) > 0 has that slack. The slope of the loss in b is piecewise linear and
    non-decreasing, so a step from the right piece reaches the root: the weighted mean of the turning points with slack.

    >>> rows = ClassRows.of(np.zeros((3, 1)), signs=np.array([1.0, 1.0, -1.0]), weights=np.ones(3))
    >>> round(best_bias(rows, np.zeros(3)), 12)
    0.333333333333
    """
    signs, weights = rows.signs, rows.weights
    turning_points = signs - scores
    low, high = float(turning_points.min()), float(turning_points.max())
    resolution = ROUNDING * max(abs(low), abs(high))
    bias = float(np.average(turning_points, weights=weights))
    for _ in range(MAX_BIAS_STEPS):
        distance = turning_points - bias
        active = np.where(signs * distance > 0.0, weights, 0.0)
        pull, total = float(active @ distance), float(active.sum())
        if abs(pull) <= resolution * total:
            break
        low, high = (bias, high) if pull > 0 else (low, bias)
        stepped = bias + pull / total
        bias = stepped if low < stepped < high else 0.5 * (low + high)
    return bias


def minimise_squared_hinge(rows: ClassRows, *, tol: float, max_iter: int) -> ClassSolution:
    """Minimise ½‖w‖² + Σ weight · max(0, 1 − sign · (w·x + b))² until duality_gap ≤ tol · value."""
    objective = SquaredHingeClasses(rows)
    found = newton_steps(objective, np.zeros(rows.n_features), tol, max_iter)
    intercept = best_bias(rows, rows.scores(found.w)) - float(found.w @ rows.centre)
    return ClassSolution(found.w, intercept, found.value, found.duality_gap, found.n_iter, found.converged)
