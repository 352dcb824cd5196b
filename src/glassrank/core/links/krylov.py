"""The leading eigenvector of a non-negative operator, by a Krylov method.

Power iteration from x computes x, Ax, A²x, … A Krylov method takes the best vector of the *span* of these. It therefore
converges to the same limit as power iteration (if the leading eigenvalue has several eigenvectors, the projection of x
on them), but with far fewer products with A.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray

SIZE = 24  # vectors of the basis: limits memory, and most graphs need no more
KEPT = 10  # eigenvectors that are kept when a full basis of a symmetric operator is restarted
CANCELLED = 0.25  # share of squared length below which a difference is orthogonalised a second time

Operator = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Leading:
    """An approximate eigenvector of length 1, its eigenvalue, and the number of products with the operator."""

    vector: FloatArray
    value: float
    n_products: int


def leading_vector(apply: Operator, start: FloatArray, aim: float, max_products: int, *, symmetric: bool) -> Leading:
    """Iterate until ‖Ax − λx‖ ≤ aim · λ, by the Lanczos method or, if A is not symmetric, the Arnoldi method.

    >>> found = leading_vector(lambda x: np.array([3.0, 2.0, 1.0]) * x, np.ones(3), 1e-12, 100, symmetric=True)
    >>> round(found.value, 12), abs(found.vector).round(12).tolist(), found.n_products
    (3.0, [1.0, 0.0, 0.0], 3)
    """
    basis = _Basis(start, symmetric)
    n_products, rest = 0, None
    while n_products < max_products:
        if rest is not None:
            basis.extend(rest)
        rest = basis.take_in(apply(basis.newest))
        n_products += 1
        residual = float(np.sqrt(rest @ rest)) * abs(basis.mix[-1])
        if residual <= aim * basis.value:
            break
    return Leading(basis.best(), basis.value, n_products)


class _Basis:
    """Orthonormal basis of the Krylov space, and the operator in this basis."""

    def __init__(self, start: FloatArray, symmetric: bool) -> None:
        self.symmetric = symmetric
        # Unused rows are never written and take no memory.
        self.vectors = np.empty((SIZE, len(start)))
        self.vectors[0] = start / np.sqrt(start @ start)
        self.operator = np.zeros((SIZE, SIZE))
        self.size = 1
        self.restarted = False
        self.value, self.mix = 0.0, np.ones(1)

    @property
    def newest(self) -> FloatArray:
        return np.asarray(self.vectors[self.size - 1])

    def take_in(self, product: FloatArray) -> FloatArray:
        """Record the product of the operator with the newest vector; return its component outside the basis."""
        # In exact arithmetic, the product of a symmetric operator overlaps with the last two vectors only.
        first = max(self.size - 2, 0) if self.symmetric and not self.restarted else 0
        known = self.vectors[first : self.size]
        shares = self.operator[first : self.size, self.size - 1]
        shares[:] = known @ product
        before = product @ product
        product -= shares @ known
        if product @ product < CANCELLED * before:
            # A small remainder contains the rounding error of the whole vector; a second pass is enough.
            again = known @ product
            shares += again
            product -= again @ known
        self._solve()
        return product

    def _solve(self) -> None:
        """Find the eigenvectors within the basis; ``mix`` are the coefficients of the leading one."""
        small = self.operator[: self.size, : self.size]
        if self.symmetric:
            self.values, self.mixes = np.linalg.eigh(small, UPLO="U")
        else:
            # The leading eigenvalue of a non-negative operator is real; others may be complex.
            values, mixes = np.linalg.eig(small)
            order = np.argsort(values.real)
            self.values, self.mixes = values.real[order], mixes.real[:, order]
        self.value, self.mix = float(self.values[-1]), self.mixes[:, -1]

    def extend(self, rest: FloatArray) -> None:
        """Add the component outside the basis as its newest vector, after a restart if the basis is full."""
        if self.size == SIZE and not self.symmetric:
            self._restart()
            return
        length = np.sqrt(rest @ rest)
        if self.size == SIZE:
            self._restart_symmetric()
        self.operator[self.size, self.size - 1] = length
        self.vectors[self.size] = rest / length
        self.size += 1

    def _restart_symmetric(self) -> None:
        """Keep only the leading eigenvectors, which together with the next vector still span a Krylov space."""
        self.vectors[:KEPT] = self.mixes[:, -KEPT:].T @ self.vectors
        self.operator[:] = 0.0
        self.operator[range(KEPT), range(KEPT)] = self.values[-KEPT:]
        self.size, self.restarted = KEPT, True

    def _restart(self) -> None:
        """Restart from the best vector, because without symmetry several eigenvectors are not orthogonal."""
        best = self.best()
        self.vectors[0] = best / np.sqrt(best @ best)
        self.operator[:] = 0.0
        self.size = 1

    def best(self) -> FloatArray:
        """Return the leading eigenvector within the basis, with the sign that makes its sum non-negative."""
        vector = self.mix @ self.vectors[: self.size]
        return vector if vector.sum() >= 0 else -vector
