"""A ranking machine solved again and again while columns are taken out of it, at a few gradients a time.

Deleting columns leaves the principal submatrix of the Hessian valid as long as the pairs with slack stay almost the
same. So the Hessian is kept: rows and columns are deleted, the weights move along it to where the quadratic model has
its minimum without the deleted ones, and *chord* steps −H⁻¹∇f with the old H finish the work; what each step shows of
the curvature corrects H⁻¹ for the next (the two-loop recursion of L-BFGS, which costs next to nothing). Only when the
Newton decrement ∇fᵀH⁻¹∇f contracts so slowly that the steps left cost more than a Hessian is it made anew. A whole
elimination needs a handful of them.
"""

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray, Matrix
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.newton import Factor
from glassrank.core.pairs.objectives import PairObjective, PairPoint

# Half the Newton decrement, as a share of the value: weights are then right to about the square root of this.
TOLERANCE = 1e-16
# What a Hessian costs in gradients: so many, and one more for each so many columns.
GRADIENTS_PER_HESSIAN, COLUMNS_PER_GRADIENT = 3.0, 15.0
MOST_STEPS = 200
MOST_LEARNT = 10
MOST_HALVINGS = 40
ENOUGH_DECREASE = 1e-4
ROUNDING = 1e-11  # a promised decrease below this share of the value drowns in rounding
# Deleted columns stay in the matrix, with weight 0, until so few are left that a copy without them pays.
WORTH_COPYING = 0.75


class ShrinkingFit:
    """The minimum of a pair objective, followed while columns are taken out.

    ``w`` are the weights of the columns ``kept``, which number the columns of the objective it began with. The loss
    must be smooth enough for Newton's method: squared hinge or logistic.

    >>> from glassrank.core.pairs.compared_rows import ComparedRows
    >>> from glassrank.core.groups import group_rows
    >>> from glassrank.core.pairs.objectives import SquaredHingePairs
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), np.array([0.0, 1.0, 2.0])
    >>> fit = ShrinkingFit(SquaredHingePairs(ComparedRows.of(X, y, group_rows(None, 3)), C=1.0))
    >>> fit.drop(np.array([1]))
    >>> fit.kept.tolist(), fit.w.round(4).tolist()
    ([0], [0.8])
    """

    def __init__(self, objective: PairObjective) -> None:
        self.kept: IntArray = np.arange(objective.n_features)
        self.w: FloatArray = np.zeros(objective.n_features)
        self.n_hessians = 0
        self.n_evaluations = 0
        self.converged = True
        self._objective = objective
        # Where the kept columns stand in the objective's matrix.
        self._places = self.kept
        self._factor: Factor | None = None
        self._hessian: FloatArray | None = None
        # Steps and the changes of the gradient along them, since the Hessian was made or columns left.
        self._learnt: list[tuple[FloatArray, FloatArray]] = []
        self._solve()

    @property
    def rows(self) -> Matrix:
        """The matrix that is worked on, rows query by query; columns that have left may still stand in it."""
        return self._objective.data.X

    @property
    def places(self) -> IntArray:
        """Where the kept columns stand in ``rows``."""
        return self._places

    def drop(self, columns: IntArray) -> None:
        """Take these of the first objective's columns out, and move to the minimum over the others."""
        leave = np.isin(self.kept, columns)
        stay = ~leave
        w = self.w[stay]
        if self._hessian is not None:
            # At the minimum the gradient is 0: without the deleted weights it is −H[stay, leave] w[leave], to the order
            # of the quadratic model, and the first step needs no look at the data.
            pull = self._hessian[np.ix_(stay, leave)] @ self.w[leave]
            self._hessian = self._hessian[np.ix_(stay, stay)]
            self._factor, self._learnt = Factor(self._hessian), []
            w = w + self._factor.solve(pull)
        self.kept, self.w, self._places = self.kept[stay], w, self._places[stay]
        self._shrink()
        self._solve()

    def _shrink(self) -> None:
        """Copy the kept columns to a matrix of their own, when enough others have left."""
        data = self._objective.data
        if len(self._places) > WORTH_COPYING * data.X.shape[1]:
            return
        rows = data.X[:, self._places] if sparse.issparse(data.X) else np.take(data.X, self._places, axis=1)
        self._objective = self._objective.on(data.with_rows(rows), self._objective.C)
        self._places = np.arange(len(self._places))

    @one_blas_thread()
    def _solve(self) -> None:
        """Chord steps to the minimum, with a new Hessian wherever they get slow."""
        if len(self.kept) == 0:
            return
        point = self._at(self.w)
        fresh = self._factor is None
        if fresh:
            self._renew(point)
        decrement = self._decrement(point)
        for _ in range(MOST_STEPS):
            if decrement <= 2.0 * TOLERANCE * point.value:
                break
            moved = self._step(point, decrement, halvings=MOST_HALVINGS if fresh else 0)
            if moved is None:
                if fresh:
                    # Not even Newton's own step helps: what is left is rounding.
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
        """Whether the chord steps left, at the last step's contraction, cost more than a Hessian and a step or two."""
        if decrement <= target:
            return False
        if decrement >= last:
            return True
        steps_left = np.log(decrement / target) / np.log(last / decrement)
        return bool(steps_left > GRADIENTS_PER_HESSIAN + len(self.kept) / COLUMNS_PER_GRADIENT)

    def _at(self, w: FloatArray) -> PairPoint:
        everywhere = np.zeros(self._objective.n_features)
        everywhere[self._places] = w
        self.n_evaluations += 1
        return self._objective.at(everywhere)

    def _renew(self, point: PairPoint) -> None:
        self._hessian = point.hessian()[np.ix_(self._places, self._places)]
        self._factor, self._learnt = Factor(self._hessian), []
        self.n_hessians += 1

    def _learn(self, before: PairPoint, after: PairPoint) -> None:
        step, change = ((b - a)[self._places] for a, b in ((before.w, after.w), (before.gradient, after.gradient)))
        # The function is convex; what is not positive is rounding.
        if step @ change > 0.0:
            self._learnt = [*self._learnt, (step, change)][-MOST_LEARNT:]

    def _direction(self, point: PairPoint) -> FloatArray:
        """−H⁻¹∇f, with H⁻¹ corrected so that it explains the changes of the gradient seen so far."""
        search, shares = -point.gradient[self._places], []
        for step, change in reversed(self._learnt):
            shares.append(float(step @ search) / float(step @ change))
            search = search - shares[-1] * change
        search = search if self._factor is None else self._factor.solve(search)
        for (step, change), share in zip(self._learnt, reversed(shares), strict=True):
            search = search + (share - float(change @ search) / float(step @ change)) * step
        return np.asarray(search)

    def _decrement(self, point: PairPoint) -> float:
        """∇fᵀH⁻¹∇f over the kept columns: twice the decrease that the quadratic model promises."""
        return -float(point.gradient[self._places] @ self._direction(point))

    def _step(self, point: PairPoint, decrement: float, halvings: int) -> PairPoint | None:
        """A step along −H⁻¹∇f that helps, halved as often as allowed; ``None`` when there is none."""
        w, direction, length = point.w[self._places], self._direction(point), 1.0
        for _ in range(halvings + 1):
            trial = self._at(w + length * direction)
            # Near the minimum the value cannot show progress any more, but the gradient still can.
            by_gradient = decrement < ROUNDING * point.value
            if by_gradient and self._decrement(trial) < 0.5 * decrement:
                return trial
            if not by_gradient and trial.value <= point.value - ENOUGH_DECREASE * length * decrement:
                return trial
            length *= 0.5
        return None
