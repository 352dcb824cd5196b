"""The leading eigenvector of a non-negative operator, found in the space that power iteration runs through.

Power iteration from x walks through x, Ax, A²x, … A Krylov method takes the best vector of the *span* of these. It can
therefore converge to nothing but what power iteration converges to: where the leading eigenvalue has several
eigenvectors, to the projection of x on them. It only needs far fewer products with A.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray

SIZE = 24  # vectors of the basis: few enough for memory, and most graphs need no more
KEPT = 10  # eigenvectors that a full basis of a symmetric operator is boiled down to
CANCELLED = 0.25  # share of squared length below which a difference is made orthogonal once more

Operator = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Leading:
    """An approximate eigenvector of length 1, its eigenvalue, and the products with the operator that it took."""

    vector: FloatArray
    value: float
    n_products: int


def leading_vector(apply: Operator, start: FloatArray, aim: float, max_products: int, *, symmetric: bool) -> Leading:
    """Iterate until ‖Ax − λx‖ ≤ aim · λ, by the method of Lanczos or, if A is not symmetric, of Arnoldi.

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
    """Orthonormal vectors that span the Krylov space, and the operator as it acts among them."""

    def __init__(self, start: FloatArray, symmetric: bool) -> None:
        self.symmetric = symmetric
        # Rows that are never reached are never touched, and cost no memory.
        self.vectors = np.empty((SIZE, len(start)))
        self.vectors[0] = start / np.sqrt(start @ start)
        self.operator = np.zeros((SIZE, SIZE))
        self.size = 1
        self.boiled_down = False
        self.value, self.mix = 0.0, np.ones(1)

    @property
    def newest(self) -> FloatArray:
        return np.asarray(self.vectors[self.size - 1])

    def take_in(self, product: FloatArray) -> FloatArray:
        """Note what the operator made of the newest vector; return the part of it that is outside the basis."""
        # In exact arithmetic a symmetric operator leads back to the last two vectors only.
        first = max(self.size - 2, 0) if self.symmetric and not self.boiled_down else 0
        known = self.vectors[first : self.size]
        shares = self.operator[first : self.size, self.size - 1]
        shares[:] = known @ product
        before = product @ product
        product -= shares @ known
        if product @ product < CANCELLED * before:
            # What is left of a long vector holds the rounding of the whole: once more is enough.
            again = known @ product
            shares += again
            product -= again @ known
        self._solve()
        return product

    def _solve(self) -> None:
        """Find the eigenvectors within the basis; the leading one mixes its vectors by ``mix``."""
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
        """Add the part outside the basis as its newest vector; make room first where there is none."""
        if self.size == SIZE and not self.symmetric:
            self._start_again()
            return
        length = np.sqrt(rest @ rest)
        if self.size == SIZE:
            self._boil_down()
        self.operator[self.size, self.size - 1] = length
        self.vectors[self.size] = rest / length
        self.size += 1

    def _boil_down(self) -> None:
        """Keep the leading eigenvectors only: with the next vector they still span a Krylov space."""
        self.vectors[:KEPT] = self.mixes[:, -KEPT:].T @ self.vectors
        self.operator[:] = 0.0
        self.operator[range(KEPT), range(KEPT)] = self.values[-KEPT:]
        self.size, self.boiled_down = KEPT, True

    def _start_again(self) -> None:
        """From the best vector; without symmetry several eigenvectors are not orthogonal to one another."""
        best = self.best()
        self.vectors[0] = best / np.sqrt(best @ best)
        self.operator[:] = 0.0
        self.size = 1

    def best(self) -> FloatArray:
        """The leading eigenvector within the basis, turned so that its sum is not negative."""
        vector = self.mix @ self.vectors[: self.size]
        return vector if vector.sum() >= 0 else -vector
