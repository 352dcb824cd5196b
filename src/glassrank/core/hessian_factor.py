"""Linear systems with a Hessian, solved also if features have very different scales or are copies of each other."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from glassrank.core.checks import FloatArray


class Factor:
    """A factorised Hessian, scaled to unit diagonal, so that Cholesky is stable for features of different scales."""

    def __init__(self, hessian: FloatArray) -> None:
        # I plus what curves: less than 1 is the rounding of large terms that cancel, at a huge C or a narrow smoothing.
        self._scale = 1.0 / np.sqrt(np.maximum(1.0, np.diag(hessian)))
        self._scaled = hessian * self._scale * self._scale[:, None]
        try:
            self._cholesky = cho_factor(self._scaled)
        except LinAlgError:
            self._cholesky = None

    def solve(self, right: FloatArray) -> FloatArray:
        """Return H⁻¹ right, or the least-norm solution if columns are equal up to rounding and Cholesky fails."""
        if self._cholesky is not None:
            return np.asarray(self._scale * cho_solve(self._cholesky, self._scale * right))
        eigenvalues, vectors = eigh(self._scaled)
        kept = eigenvalues > len(right) * np.finfo(float).eps * eigenvalues[-1]
        inner = (vectors[:, kept].T @ (self._scale * right)) / eigenvalues[kept]
        return np.asarray(self._scale * (vectors[:, kept] @ inner))
