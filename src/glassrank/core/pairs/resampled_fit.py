"""The minimum of a ranking objective on resamples of its queries, found from the minimum on all queries.

A resample is the full problem with a count for each query: 0 if it was not drawn, 2 if it was drawn twice. Its gradient
at the full minimum w is w + C Σ count · gradient of the query, and the gradients of the queries are computed once. So
the first Newton step, with the Hessian of the full problem, needs no pass over the rows. Each further step needs one,
over the rows of the queries that were drawn, without a copy of them. The observed changes of the gradient correct the
Hessian, as in ``ShrinkingFit``.

The length of a Newton step, √(∇fᵀH⁻¹∇f), estimates how far the minimum is, and the ratio of two of them how much of
that is left after the step. Steps end when this is at most ``TOLERANCE`` of the distance between the minima of the
resample and of all queries, the quantity whose spread a bootstrap estimates. If steps do not become much shorter, the
resample is fitted by ``minimise`` instead.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.hessian_factor import Factor, ReusedHessian
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.newton import minimise
from glassrank.core.pairs.objectives import SquaredHingePairs

TOLERANCE = 0.01
SLOW = 0.7  # largest ratio of two steps for which they continue
MAX_STEPS = 20


class Resampled(NamedTuple):
    """The minimum on a resample."""

    w: FloatArray
    distance: float
    """Distance from the minimum on all queries, measured by the Hessian."""
    rate: float
    """Ratio of the last two steps; 1 if the steps were too slow."""


@dataclass(frozen=True, eq=False)
class ResampledFit:
    """The minimum of an objective, from which those on resamples of its queries are found.

    >>> from glassrank.core.groups import group_rows
    >>> from glassrank.core.pairs.compared_rows import ComparedRows
    >>> X, y = np.array([[0.0], [1.0], [0.0], [2.0], [1.0], [0.0]]), np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    >>> objective = SquaredHingePairs(ComparedRows.of(X, y, group_rows([1, 1, 2, 2, 3, 3], 6)), C=1.0)
    >>> fit = ResampledFit.of(objective, np.zeros(1), tol=1e-9, max_iter=50)
    >>> fit.resample(np.array([2, 1, 0]), C=1.0).w.round(3).tolist()
    [0.8]
    """

    objective: SquaredHingePairs
    w: FloatArray
    """The minimum on all queries."""
    factor: Factor
    """Hessian at this minimum."""
    gradients: FloatArray
    """Gradient of the loss of each query at this minimum."""
    tol: float
    max_iter: int

    @classmethod
    def of(cls, objective: SquaredHingePairs, start: FloatArray, *, tol: float, max_iter: int) -> "ResampledFit":
        """Minimise the objective, whose rows must be dense, from a start that is close to the minimum."""
        w = minimise(objective, start, tol=tol, max_iter=max_iter).w
        factor = Factor(objective.at(w).hessian())
        gradients = objective.query_gradients(w, np.arange(objective.sizes.n_queries))
        return cls(objective, w, factor, gradients, tol, max_iter)

    def apart(self) -> "ResampledFit":
        """Return the same fit with work arrays of its own, for another thread."""
        return replace(self, objective=self.objective.on(self.objective.data, self.objective.C))

    @one_blas_thread()
    def resample(self, counts: IntArray, C: float) -> Resampled:
        """Return the minimum if each query counts this often."""
        return self._follow(counts, C, self.w, self._first_gradient(counts, C), distance=0.0, rate=1.0)

    @one_blas_thread()
    def resample_part(self, whole: Resampled, counts: IntArray, C: float, part: IntArray, part_C: float) -> FloatArray:
        """Return the minimum on a ``part`` of a resample, from that on the ``whole``, and as exact as that."""
        change = self._first_gradient(part, part_C) - self._first_gradient(counts, C)
        start = whole.w - self.factor.solve(change)
        gradient = self._gradient(part, part_C, start)
        return self._follow(part, part_C, start, gradient, distance=whole.distance, rate=whole.rate).w

    def _first_gradient(self, counts: IntArray, C: float) -> FloatArray:
        """Return the gradient of a resample at the minimum on all queries."""
        drawn = np.flatnonzero(counts)
        return np.asarray(self.w + C * (counts[drawn] @ self.gradients[drawn]))

    def _gradient(self, counts: IntArray, C: float, w: FloatArray) -> FloatArray:
        drawn = np.flatnonzero(counts)
        return np.asarray(w + C * (counts[drawn] @ self.objective.query_gradients(w, drawn)))

    def _follow(
        self, counts: IntArray, C: float, w: FloatArray, gradient: FloatArray, distance: float, rate: float
    ) -> Resampled:
        """Take steps from w; the last one is not followed by a pass over the rows."""
        inverse = ReusedHessian(self.factor)
        step, length = _step(inverse, gradient)
        distance = distance or length
        for _ in range(MAX_STEPS):
            if length * rate <= (1.0 - rate) * TOLERANCE * distance:
                return Resampled(w + step, distance, rate)
            moved = self._gradient(counts, C, w + step)
            inverse.learn(step, moved - gradient)
            w, gradient, last = w + step, moved, length
            step, length = _step(inverse, gradient)
            rate = length / last
            if rate > SLOW:
                break
        return Resampled(self._minimised(counts, C, w), distance, 1.0)

    def _minimised(self, counts: IntArray, C: float, start: FloatArray) -> FloatArray:
        rows = self.objective.data.pick_queries(np.repeat(np.arange(len(counts)), counts))
        return minimise(self.objective.on(rows, C), start, tol=self.tol, max_iter=self.max_iter).w


def _step(inverse: ReusedHessian, gradient: FloatArray) -> tuple[FloatArray, float]:
    """Return −H⁻¹∇f and its length, measured by H."""
    step = -inverse.solve(gradient)
    return step, float(np.sqrt(max(0.0, -float(gradient @ step))))
