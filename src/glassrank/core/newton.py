"""Newton's method for convex, piecewise quadratic objectives, with a certified gap as the stopping rule."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, cg

from glassrank.core.checks import FloatArray
from glassrank.core.objectives import Point, SquaredHingePairs

MOST_FEATURES_EXACT = 2_048  # beyond, the Hessian is never formed: conjugate gradients on Hessian products
ENOUGH_DECREASE = 1e-4
MOST_HALVINGS = 40
ROUNDING = 1e-11  # a promised decrease below this share of the value drowns in rounding


@dataclass(frozen=True, eq=False)
class Solution:
    """A minimiser with its certificate: value − minimum ≤ duality_gap."""

    w: FloatArray
    value: float
    duality_gap: float
    n_iter: int
    converged: bool


def minimise(objective: SquaredHingePairs, start: FloatArray, *, tol: float, max_iter: int) -> Solution:
    """Minimise until duality_gap ≤ tol · value.

    Each step solves with the exact Hessian, so the number of steps hardly depends on the scales of the features.
    """
    point = objective.at(start)
    n_iter = 0
    while point.duality_gap > tol * point.value and n_iter < max_iter:
        moved = _backtrack(objective, point, _direction(point))
        if moved is None:
            break
        point = moved
        n_iter += 1
    return Solution(point.w, point.value, point.duality_gap, n_iter, point.duality_gap <= tol * point.value)


def _direction(point: Point) -> FloatArray:
    """Newton direction −H⁻¹∇f."""
    if len(point.w) > MOST_FEATURES_EXACT:
        return _conjugate_gradients(point)
    hessian = point.hessian()
    # Features of very different scale: solve with unit diagonal, which is what Cholesky is stable on.
    scale = 1.0 / np.sqrt(np.diag(hessian))
    scaled = hessian * scale * scale[:, None]
    try:
        solved = cho_solve(cho_factor(scaled), scale * point.gradient)
    except LinAlgError:
        solved = _solve_singular(scaled, scale * point.gradient)
    return np.asarray(-scale * solved)


def _solve_singular(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Least-norm solution when columns are equal up to rounding and Cholesky breaks down."""
    eigenvalues, vectors = eigh(matrix)
    kept = eigenvalues > len(right) * np.finfo(float).eps * eigenvalues[-1]
    return np.asarray(vectors[:, kept] @ ((vectors[:, kept].T @ right) / eigenvalues[kept]))


def _conjugate_gradients(point: Point) -> FloatArray:
    size = len(point.w)
    operator = LinearOperator((size, size), matvec=point.hessian_product, dtype=np.float64)
    direction, _ = cg(operator, -point.gradient, rtol=1e-3, maxiter=10 * size)
    return np.asarray(direction)


def _backtrack(objective: SquaredHingePairs, point: Point, direction: FloatArray) -> Point | None:
    """Halve the step until the value falls enough; ``None`` when no step helps any more."""
    slope = float(point.gradient @ direction)
    # Near the minimum the value cannot show progress any more, but the gradient still can.
    by_gap = -slope < ROUNDING * point.value
    step = 1.0
    for _ in range(MOST_HALVINGS):
        trial = objective.at(point.w + step * direction)
        if by_gap and trial.duality_gap < point.duality_gap:
            return trial
        if not by_gap and trial.value <= point.value + ENOUGH_DECREASE * step * slope:
            return trial
        step *= 0.5
    return None
