"""Repeated minimisation of a ranking objective while columns are removed, with a few gradients per removal.

After columns are removed, the principal submatrix of the Hessian remains valid as long as the pairs with slack stay
almost the same. So the Hessian is reused: its rows and columns are deleted, the weights move to the minimum of the
remaining quadratic model, and *chord* steps −H⁻¹∇f with the old H complete the minimisation. The curvature observed in
each step corrects H⁻¹ for the next one (the two-loop recursion of L-BFGS, at negligible cost). The Hessian is computed
again only if the Newton decrement ∇fᵀH⁻¹∇f falls so slowly that the remaining steps would cost more. A complete
elimination computes only a few Hessians.
"""

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.hessian_factor import Factor, ReusedHessian, hessian_cost
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.objectives import RowsObjective
from glassrank.core.pairs.pair_objective import PairPoint

# Half the Newton decrement, relative to the value; the accuracy of the weights is about the square root of this.
TOLERANCE = 1e-16
MAX_STEPS = 200
MAX_HALVINGS = 40
SUFFICIENT_DECREASE = 1e-4
ROUNDING = 1e-11  # a predicted decrease below this share of the value is lost in rounding errors
# Removed columns stay in the matrix with weight 0 until the share of remaining columns is below this.
WORTH_COPYING = 0.75


class ShrinkingFit:
    """The minimum of a pair objective, updated while columns are removed.

    ``w`` are the weights of the columns ``kept``, given by their indices in the original objective. The loss must be
    smooth enough for Newton's method: squared hinge or logistic, without bounds on the weights.

    >>> from glassrank.core.pairs.compared_rows import ComparedRows
    >>> from glassrank.core.groups import group_rows
    >>> from glassrank.core.pairs.objectives import SquaredHingePairs
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), np.array([0.0, 1.0, 2.0])
    >>> fit = ShrinkingFit(SquaredHingePairs(ComparedRows.of(X, y, group_rows(None, 3)), C=1.0))
    >>> fit.drop(np.array([1]))
    >>> fit.kept.tolist(), fit.w.round(4).tolist()
    ([0], [0.8])
    """

    def __init__(self, objective: RowsObjective) -> None:
        if objective.nonnegative is not None:
            raise DataError(
                f"Repeated fits with fewer columns do not support bounds on weights: got {objective.nonnegative.sum()} "
                "bounded columns.",
                remedy="Fit each set of columns separately.",
            )
        self.kept: IntArray = np.arange(objective.n_features)
        self.w: FloatArray = np.zeros(objective.n_features)
        self.n_hessians = 0
        self.n_evaluations = 0
        self.converged = True
        self._objective = objective
        self._searched: tuple[PairPoint, FloatArray] | None = None
        # Positions of the kept columns in the objective's matrix.
        self._places = self.kept
        self._hessian: FloatArray | None = None
        self._inverse: ReusedHessian | None = None
        self._solve()

    @property
    def rows(self) -> Matrix:
        """The matrix in use, with rows sorted by query; it may still contain removed columns."""
        return self._objective.data.X

    @property
    def places(self) -> IntArray:
        """Positions of the kept columns in ``rows``."""
        return self._places

    def drop(self, columns: IntArray) -> None:
        """Remove columns, given by their indices in the original objective, and minimise over the others."""
        leave = np.isin(self.kept, columns)
        stay = ~leave
        w = self.w[stay]
        if self._hessian is not None:
            # At the minimum the gradient is 0. Without the removed weights it is −H[stay, leave] w[leave] in the
            # quadratic model, so the first step needs no pass over the data.
            pull = self._hessian[np.ix_(stay, leave)] @ self.w[leave]
            self._hessian = self._hessian[np.ix_(stay, stay)]
            self._inverse, self._searched = ReusedHessian(Factor(self._hessian)), None
            w = w + self._inverse.solve(pull)
        self.kept, self.w, self._places = self.kept[stay], w, self._places[stay]
        self._shrink()
        self._solve()

    def _shrink(self) -> None:
        """Copy the kept columns to a new matrix if enough others have been removed."""
        data = self._objective.data
        if len(self._places) > WORTH_COPYING * data.X.shape[1]:
            return
        rows = data.X[:, self._places] if sparse.issparse(data.X) else np.take(data.X, self._places, axis=1)
        self._objective = self._objective.on(data.with_rows(rows), self._objective.C)
        self._places = np.arange(len(self._places))

    @one_blas_thread()
    def _solve(self) -> None:
        """Minimise by chord steps, with a new Hessian whenever they become slow."""
        if len(self.kept) == 0:
            return
        point = self._at(self.w)
        fresh = self._inverse is None
        if fresh:
            self._renew(point)
        decrement = self._decrement(point)
        for _ in range(MAX_STEPS):
            if decrement <= 2.0 * TOLERANCE * point.value:
                break
            moved = self._step(point, decrement, halvings=MAX_HALVINGS if fresh else 0)
            if moved is None:
                if fresh:
                    # Even a Newton step makes no progress: only rounding errors are left.
                    break
                point = self._at(point.w[self._places])
                self._renew(point)
                decrement, fresh = self._decrement(point), True
                continue
            self._learn(point, moved)
            last, decrement, point = decrement, self._decrement(moved), moved
            fresh = self._is_slow(last, decrement, 2.0 * TOLERANCE * point.value)
            if fresh:
                self._renew(point)
                decrement = self._decrement(point)
        self.w = point.w[self._places]
        self.converged = decrement <= ROUNDING * point.value

    def _is_slow(self, last: float, decrement: float, target: float) -> bool:
        """Whether the remaining chord steps, at the current rate, would cost more than a new Hessian."""
        if decrement <= target:
            return False
        if decrement >= last:
            return True
        steps_left = np.log(decrement / target) / np.log(last / decrement)
        return bool(steps_left > hessian_cost(len(self.kept)))

    def _at(self, w: FloatArray) -> PairPoint:
        everywhere = np.zeros(self._objective.n_features)
        everywhere[self._places] = w
        self.n_evaluations += 1
        return self._objective.at(everywhere)

    def _renew(self, point: PairPoint) -> None:
        self._hessian = point.hessian()[np.ix_(self._places, self._places)]
        self._inverse, self._searched = ReusedHessian(Factor(self._hessian)), None
        self.n_hessians += 1

    def _learn(self, before: PairPoint, after: PairPoint) -> None:
        if self._inverse is not None:
            step, change = ((b - a)[self._places] for a, b in ((before.w, after.w), (before.gradient, after.gradient)))
            self._inverse.learn(step, change)
            self._searched = None

    def _direction(self, point: PairPoint) -> FloatArray:
        """−H⁻¹∇f, with H⁻¹ corrected by the observed changes of the gradient."""
        if self._searched is None or self._searched[0] is not point:
            search = -point.gradient[self._places]
            self._searched = point, search if self._inverse is None else self._inverse.solve(search)
        return self._searched[1]

    def _decrement(self, point: PairPoint) -> float:
        """∇fᵀH⁻¹∇f over the kept columns: twice the decrease that the quadratic model predicts."""
        return -float(point.gradient[self._places] @ self._direction(point))

    def _step(self, point: PairPoint, decrement: float, halvings: int) -> PairPoint | None:
        """Return a step along −H⁻¹∇f that makes progress, after up to ``halvings`` halvings, or ``None``."""
        w, direction, length = point.w[self._places], self._direction(point), 1.0
        for _ in range(halvings + 1):
            trial = self._at(w + length * direction)
            # Near the minimum, rounding hides progress in the value but not in the gradient.
            by_gradient = decrement < ROUNDING * point.value
            if by_gradient and self._decrement(trial) < 0.5 * decrement:
                return trial
            if not by_gradient and trial.value <= point.value - SUFFICIENT_DECREASE * length * decrement:
                return trial
            length *= 0.5
        return None
