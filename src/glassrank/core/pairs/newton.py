"""Newton's method over any objective, with a certified gap as the stopping rule."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from glassrank.core.checks import FloatArray
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.certificate import Certificate, HingePoint, certify, certify_hinge
from glassrank.core.pairs.objectives import PairObjective, PairPoint, SmoothedHingePairs

MOST_FEATURES_EXACT = 2_048  # beyond, the Hessian is never formed: conjugate gradients on Hessian products
ENOUGH_DECREASE = 1e-4
MOST_HALVINGS = 40
ROUNDING = 1e-11  # a promised decrease below this share of the value drowns in rounding
COARSE_TOLERANCE = 1e-3  # of the solution on a sample of the queries, where the full data start
FAST = 0.01  # share of the gap that may be left after a step with the Hessian of a sample
FORCING = 0.05  # conjugate gradients stop when the residual has fallen to this share
# Of the smoothed hinge. At the first width all pairs curve at w = 0; below the last, only rounding would be solved for.
FIRST_WIDTH, NARROWING, NARROWEST = 2.0, 0.5, 1e-10
SOLVED = 1.2  # gap over the smoothing's own error at which a width has been solved well enough


class Point(Protocol):
    """An objective at one w: all that a step needs to know."""

    @property
    def w(self) -> FloatArray: ...

    @property
    def value(self) -> float: ...

    @property
    def gradient(self) -> FloatArray: ...

    @property
    def duality_gap(self) -> float: ...

    def hessian(self) -> FloatArray: ...

    def hessian_product(self, v: FloatArray) -> FloatArray: ...


SomePoint = TypeVar("SomePoint", bound=Point, covariant=True)


class Objective(Protocol[SomePoint]):
    """A function that can be evaluated."""

    def at(self, w: FloatArray) -> SomePoint: ...


AnyPoint = TypeVar("AnyPoint", bound=Point)
Direction = Callable[[Point], FloatArray]


@dataclass(frozen=True, eq=False)
class Solution:
    """A minimiser with its certificate: value − minimum ≤ duality_gap."""

    w: FloatArray
    value: float
    duality_gap: float
    n_iter: int
    converged: bool


@one_blas_thread()
def minimise(objective: PairObjective, start: FloatArray, *, tol: float, max_iter: int) -> Solution:
    """Minimise until duality_gap ≤ tol · value.

    With the exact Hessian the number of steps hardly depends on the scales of the features. Much data is first
    solved on a sample of its queries, whose Hessian then preconditions conjugate gradients on all of it.
    """
    sample = sample_queries(objective) if objective.n_features <= MOST_FEATURES_EXACT else None
    direction: Direction = newton_direction
    if sample is not None:
        start = newton_steps(sample, start, newton_direction, COARSE_TOLERANCE, max_iter).w
        direction = SampledDirection(Factor(sample.at(start).hessian()))
    point, n_iter = _step_down(objective, start, direction, tol, max_iter)
    return _certified(point.w, certify(objective, point, tol), n_iter, tol)


@one_blas_thread()
def minimise_hinge(objective: SmoothedHingePairs, start: FloatArray, *, tol: float, max_iter: int) -> Solution:
    """Minimise the hinge loss itself: smooth it, and narrow the smoothing as fast as Newton's method follows."""
    smooth = objective.narrowed(FIRST_WIDTH)
    primal = dual = at = HingePoint(smooth, smooth.at(start))
    n_iter = 0
    while n_iter < max_iter:
        primal = at if at.value < primal.value else primal
        dual = at if at.dual_value > dual.dual_value else dual
        if primal.value - dual.dual_value <= tol * primal.value:
            break
        smooth, point = at
        # At the smoothed minimum the gap is the smoothing's error, value − point.value, at most: time to narrow it.
        if point.duality_gap <= SOLVED * (at.value - point.value):
            if smooth.width < NARROWEST:
                break
            smooth = smooth.narrowed(NARROWING * smooth.width)
            moved: PairPoint | None = smooth.at(point.w)
        else:
            moved = backtrack(smooth, point, newton_direction(point))
        if moved is None:
            break
        at = HingePoint(smooth, moved)
        n_iter += 1
    return _certified(primal.point.w, certify_hinge(primal, dual, tol), n_iter, tol)


def _certified(w: FloatArray, certificate: Certificate, n_iter: int, tol: float) -> Solution:
    value, gap = certificate
    return Solution(w, value, gap, n_iter, gap <= tol * value)


def newton_steps(
    objective: Objective[Point], start: FloatArray, direction: Direction, tol: float, max_iter: int
) -> Solution:
    """Step until duality_gap ≤ tol · value, or until no step helps any more."""
    point, n_iter = _step_down(objective, start, direction, tol, max_iter)
    return Solution(point.w, point.value, point.duality_gap, n_iter, point.duality_gap <= tol * point.value)


def _step_down(
    objective: Objective[AnyPoint], start: FloatArray, direction: Direction, tol: float, max_iter: int
) -> tuple[AnyPoint, int]:
    """The last point of the steps, and their number."""
    point = objective.at(start)
    n_iter = 0
    while point.duality_gap > tol * point.value and n_iter < max_iter:
        moved = backtrack(objective, point, direction(point))
        if moved is None:
            break
        point = moved
        n_iter += 1
    return point, n_iter


class Factor:
    """A factorised Hessian. Features of very different scale: solved with unit diagonal, where Cholesky is stable."""

    def __init__(self, hessian: FloatArray) -> None:
        # I plus what curves: less than 1 is the rounding of large terms that cancel, at a huge C or a narrow smoothing.
        self._scale = 1.0 / np.sqrt(np.maximum(1.0, np.diag(hessian)))
        self._scaled = hessian * self._scale * self._scale[:, None]
        try:
            self._cholesky = cho_factor(self._scaled)
        except LinAlgError:
            self._cholesky = None

    def solve(self, right: FloatArray) -> FloatArray:
        """H⁻¹ right; the least-norm solution when columns are equal up to rounding and Cholesky breaks down."""
        if self._cholesky is not None:
            return np.asarray(self._scale * cho_solve(self._cholesky, self._scale * right))
        eigenvalues, vectors = eigh(self._scaled)
        kept = eigenvalues > len(right) * np.finfo(float).eps * eigenvalues[-1]
        inner = (vectors[:, kept].T @ (self._scale * right)) / eigenvalues[kept]
        return np.asarray(self._scale * (vectors[:, kept] @ inner))


class SampledDirection:
    """Newton direction with the Hessian of a sample, as long as that brings the gap down fast; else by its help."""

    def __init__(self, factor: Factor) -> None:
        self._factor = factor
        self._last_gap = np.inf
        self._fast = True

    def __call__(self, point: Point) -> FloatArray:
        self._fast = self._fast and point.duality_gap <= FAST * self._last_gap
        self._last_gap = point.duality_gap
        if self._fast:
            return -self._factor.solve(point.gradient)
        return conjugate_gradients(point, self._factor.solve)


def newton_direction(point: Point) -> FloatArray:
    """Newton direction −H⁻¹∇f, exact unless there are very many features."""
    if len(point.w) > MOST_FEATURES_EXACT:
        return conjugate_gradients(point, lambda residual: residual)
    return -Factor(point.hessian()).solve(point.gradient)


def conjugate_gradients(point: Point, precondition: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Newton direction by conjugate gradients on Hessian products, to a residual FORCING times the first."""
    step = np.zeros(len(point.w))
    residual = -point.gradient
    search = preconditioned = precondition(residual)
    size = first_size = float(residual @ preconditioned)
    for _ in range(10 * len(point.w)):
        curved = point.hessian_product(search)
        length = size / float(search @ curved)
        step = step + length * search
        residual = residual - length * curved
        preconditioned = precondition(residual)
        last_size, size = size, float(residual @ preconditioned)
        if size <= FORCING**2 * first_size:
            break
        search = preconditioned + (size / last_size) * search
    return step


def backtrack(objective: Objective[AnyPoint], point: AnyPoint, direction: FloatArray) -> AnyPoint | None:
    """Shorten the step until the value falls enough; ``None`` when no step helps any more."""
    slope = float(point.gradient @ direction)
    # Near the minimum the value cannot show progress any more, but the gradient still can.
    by_gradient = -slope < ROUNDING * point.value
    step = 1.0
    for _ in range(MOST_HALVINGS):
        trial = objective.at(point.w + step * direction)
        if by_gradient and trial.gradient @ trial.gradient < point.gradient @ point.gradient:
            return trial
        if not by_gradient and trial.value <= point.value + ENOUGH_DECREASE * step * slope:
            return trial
        step *= 0.5 if by_gradient else _shorter(slope * step, trial.value - point.value)
    return None


def _shorter(promised: float, change: float) -> float:
    """Share of a step at which the parabola through both ends, falling as promised at first, is lowest."""
    return min(0.5, max(0.1, -0.5 * promised / (change - promised)))


ROWS_WORTH_SAMPLING = 100_000
LEAST_ROWS, ROWS_PER_FEATURE, SHARE = 20_000, 40, 0.04
FEWEST_QUERIES = 100


def sample_queries(objective: PairObjective, seed: int = 0) -> PairObjective | None:
    """The same objective on a few per cent of the queries, with C raised in proportion; ``None`` for little data."""
    data = objective.data
    n_rows, n_queries = len(data.level), len(data.n_levels)
    share = max(SHARE, LEAST_ROWS / n_rows, ROWS_PER_FEATURE * objective.n_features / n_rows)
    n_sampled = int(share * n_queries)
    if n_rows < ROWS_WORTH_SAMPLING or share > 0.5 or n_sampled < FEWEST_QUERIES:
        return None
    chosen = np.sort(np.random.default_rng(seed).choice(n_queries, n_sampled, replace=False))
    sample = data.pick_queries(chosen)
    return objective.on(sample, objective.C * data.n_pairs / max(sample.n_pairs, 1))
