"""A Hessian of an earlier point, used again: corrected by what the steps since then have shown."""

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.hessian_factor import Factor

MAX_CORRECTIONS = 10
# Cost of a Hessian in gradients: this many, plus one for each COLUMNS_PER_GRADIENT columns.
GRADIENTS_PER_HESSIAN, COLUMNS_PER_GRADIENT = 3.0, 15.0


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
        self._learnt: list[tuple[FloatArray, FloatArray]] = []

    def learn(self, step: FloatArray, change: FloatArray) -> None:
        """Record a step and the change of the gradient."""
        # The function is convex, so a product that is not positive is a rounding error.
        if step @ change > 0.0:
            self._learnt = [*self._learnt, (step, change)][-MAX_CORRECTIONS:]

    def solve(self, right: FloatArray) -> FloatArray:
        """Return H⁻¹ right."""
        shares = []
        for step, change in reversed(self._learnt):
            shares.append(float(step @ right) / float(step @ change))
            right = right - shares[-1] * change
        solution = self._factor.solve(right)
        for (step, change), share in zip(self._learnt, reversed(shares), strict=True):
            solution = solution + (share - float(change @ solution) / float(step @ change)) * step
        return np.asarray(solution)
