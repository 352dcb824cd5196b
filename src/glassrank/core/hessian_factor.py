"""Linear systems with a Hessian: its factors, and its reuse at later points."""

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf, dpotrs

from glassrank.core.checks import FloatArray

MAX_CORRECTIONS = 10
# Cost of a Hessian in gradients: this many, plus one for each COLUMNS_PER_GRADIENT columns.
GRADIENTS_PER_HESSIAN, COLUMNS_PER_GRADIENT = 3.0, 15.0


class Factor:
    """A factorised Hessian, scaled to unit diagonal, so that Cholesky is stable for features of different scales.

    Features may also be copies of each other.
    """

    def __init__(self, hessian: FloatArray) -> None:
        # I plus what curves: less than 1 is the rounding of large terms that cancel, at a huge C or a narrow smoothing.
        self._scale = 1.0 / np.sqrt(np.maximum(1.0, np.diag(hessian)))
        self._scaled = hessian * self._scale * self._scale[:, None]
        # Directly from LAPACK: around systems this small, SciPy's checks would take longer than the work.
        cholesky, failed = dpotrf(self._scaled)
        self._cholesky = None if failed else cholesky

    def solve(self, right: FloatArray) -> FloatArray:
        """Return H⁻¹ right, or the least-norm solution if columns are equal up to rounding and Cholesky fails."""
        if not len(right):
            return right
        if self._cholesky is not None:
            return np.asarray(self._scale * dpotrs(self._cholesky, self._scale * right)[0])
        eigenvalues, vectors = eigh(self._scaled)
        kept = eigenvalues > len(right) * np.finfo(float).eps * eigenvalues[-1]
        inner = (vectors[:, kept].T @ (self._scale * right)) / eigenvalues[kept]
        return np.asarray(self._scale * (vectors[:, kept] @ inner))


def hessian_cost(n_columns: int) -> float:
    """Return roughly how many gradients cost as much as a Hessian."""
    return GRADIENTS_PER_HESSIAN + n_columns / COLUMNS_PER_GRADIENT


class ReusedHessian:
    """H⁻¹, corrected so that it turns each observed change of the gradient into the step that caused it.

    These are the corrections of L-BFGS, with H instead of a multiple of the identity as the start.

    >>> reused = ReusedHessian(Factor(np.diag([2.0, 4.0])))
    >>> reused.solve(np.array([6.0, 4.0])).round(4).tolist()
    [3.0, 1.0]
    >>> reused.learn(step=np.array([1.0, 0.0]), change=np.array([3.0, 0.0]))
    >>> reused.solve(np.array([6.0, 4.0])).round(4).tolist()
    [2.0, 1.0]
    """

    def __init__(self, factor: Factor) -> None:
        self._factor = factor
        self._learnt: list[tuple[FloatArray, FloatArray, float]] = []

    def learn(self, step: FloatArray, change: FloatArray) -> None:
        """Record a step and the change of the gradient."""
        # The function is convex, so a product that is not positive is a rounding error.
        product = float(step @ change)
        if product > 0.0:
            self._learnt = [*self._learnt, (step, change, product)][-MAX_CORRECTIONS:]

    def solve(self, right: FloatArray) -> FloatArray:
        """Return H⁻¹ right."""
        shares = []
        for step, change, product in reversed(self._learnt):
            shares.append(float(step @ right) / product)
            right = right - shares[-1] * change
        solution = self._factor.solve(right)
        for (step, change, product), share in zip(self._learnt, reversed(shares), strict=True):
            solution = solution + (share - float(change @ solution) / product) * step
        return np.asarray(solution)
