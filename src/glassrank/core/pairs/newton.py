"""Newton's method for any objective, with a certified gap as the stopping rule."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray
from glassrank.core.hessian_factor import Factor, ReusedHessian, hessian_cost
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.certificate import Certificate, HingePoint, certify, certify_hinge
from glassrank.core.pairs.pair_objective import HingeObjective, PairObjective, PairPoint
from glassrank.core.pairs.weight_bounds import bounded_step, largest_excess, within_bounds

MAX_FEATURES_EXACT = 2_048  # with more, conjugate gradients on Hessian products replace the Hessian
SUFFICIENT_DECREASE = 1e-4
MAX_HALVINGS = 40
ROUNDING = 1e-11  # a predicted decrease below this share of the value is lost in rounding errors
COARSE_TOLERANCE = 1e-3  # of the solution on a sample of the queries, from which the full fit starts
BEFORE_ROUNDING = 0.5  # share of the tolerance that the gap may take; the certificate adds the rounding errors
FAST = 0.2  # largest reduction factor of the gap for which steps with a reused Hessian continue
FORCING = 0.05  # conjugate gradients stop when the residual has fallen to this share
# Widths of the smoothed hinge. At the first one all pairs curve at w = 0; below the last, only rounding errors remain.
FIRST_WIDTH, MIN_WIDTH = 2.0, 1e-10
SOLVED = 0.3  # the width is narrowed when at most this share of the gap is left to Newton's method
NARROWING = (0.02, 0.5)  # least and greatest factor of the width
AIM = 0.5  # share of the tolerance that the next width aims at


class Point(Protocol):
    """An objective at one w, with everything that a step needs."""

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


class KeptHessian:
    """The last Hessian of a loss, with which the minimisation for another C begins: I + C · (Hessian of the loss)."""

    def __init__(self) -> None:
        self._of_loss: FloatArray | None = None

    def keep(self, hessian: FloatArray, C: float) -> None:
        """Store the Hessian of an objective with this C."""
        self._of_loss = (hessian - np.eye(len(hessian))) / C

    def factor(self, C: float) -> Factor | None:
        """Return the Hessian for this C; None if none was stored."""
        return None if self._of_loss is None else Factor(np.eye(len(self._of_loss)) + C * self._of_loss)


@one_blas_thread()
def minimise(
    objective: PairObjective, start: FloatArray, *, tol: float, max_iter: int, kept: KeptHessian | None = None
) -> Solution:
    """Minimise until duality_gap ≤ tol · value.

    With the exact Hessian, the number of steps hardly depends on the scales of the features. It is computed once and
    then corrected, as long as this is cheaper (``ReusedDirection``). A large problem is first solved on a sample of its
    queries, whose Hessian is the one to start with. Otherwise this is the one in ``kept``, if the same loss was
    minimised before with another C.

    If the objective bounds weights, each step minimises the quadratic model within the bounds, so that w keeps them
    exactly. The projection of ``start`` is where it begins.

    >>> from glassrank.core.groups import group_rows
    >>> from glassrank.core.pairs.compared_rows import ComparedRows
    >>> from glassrank.core.pairs.objectives import SquaredHingePairs
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.5]]), np.array([0.0, 1.0, 2.0])
    >>> data = ComparedRows.of(X, y, group_rows(None, 3))
    >>> minimise(SquaredHingePairs(data, C=1.0), np.zeros(2), tol=1e-9, max_iter=50).w.round(4).tolist()
    [0.7879, -0.0606]
    >>> bounded = SquaredHingePairs(data, C=1.0, nonnegative=np.array([False, True]))
    >>> minimise(bounded, np.zeros(2), tol=1e-9, max_iter=50).w.round(4).tolist()
    [0.8, 0.0]
    """
    bounds = objective.nonnegative
    start, direction = within_bounds(start, bounds), _directions_of(objective, kept)
    sample = sample_queries(objective) if objective.n_features <= MAX_FEATURES_EXACT else None
    if sample is not None:
        start = _step_down(sample, start, direction, COARSE_TOLERANCE, max_iter, bounds)[0].w
        if bounds is None and not objective.hessian_is_free:
            direction = ReusedDirection(_max_products(objective), Factor(sample.at(start).hessian()))
    point, n_iter = _step_down(objective, start, direction, BEFORE_ROUNDING * tol, max_iter, bounds)
    return _certified(point.w, certify(objective, point, tol), n_iter, tol)


@one_blas_thread()
def minimise_hinge(objective: HingeObjective, start: FloatArray, *, tol: float, max_iter: int) -> Solution:
    """Minimise the hinge loss by smoothing it, and narrow the smoothing whenever its own minimum is nearly reached."""
    bounds = objective.nonnegative
    direction = newton_direction if bounds is None else _bounded_directions(bounds)
    smooth = objective.narrowed(FIRST_WIDTH)
    primal = dual = at = HingePoint(smooth, smooth.at(within_bounds(start, bounds)))
    n_iter = 0
    while True:
        primal = at if at.value < primal.value else primal
        dual = at if at.dual_value > dual.dual_value else dual
        if primal.value - dual.dual_value <= tol * primal.value or n_iter == max_iter:
            break
        smooth, point = at
        if largest_excess(point.w, point.gradient, bounds) <= SOLVED * point.duality_gap:
            if smooth.width < MIN_WIDTH:
                break
            smooth = smooth.narrowed(smooth.width * _narrowing(point.duality_gap, AIM * tol * at.value))
            moved: PairPoint | None = smooth.at(point.w)
        else:
            moved = backtrack(smooth, point, direction(point), bounds)
        if moved is None:
            break
        at = HingePoint(smooth, moved)
        n_iter += 1
    return _certified(primal.point.w, certify_hinge(primal, dual, tol), n_iter, tol)


def _narrowing(gap: float, aim: float) -> float:
    """Return the factor of the width that brings the gap of a smoothed minimum to ``aim``.

    Only pairs within the width of the margin contribute, each in proportion to the width, so the gap grows with its
    square.
    """
    return float(np.clip(np.sqrt(aim / gap), *NARROWING))


def _certified(w: FloatArray, certificate: Certificate, n_iter: int, tol: float) -> Solution:
    value, gap = certificate
    return Solution(w, value, gap, n_iter, gap <= tol * value)


def newton_steps(objective: Objective[Point], start: FloatArray, tol: float, max_iter: int) -> Solution:
    """Take steps until duality_gap ≤ tol · value, or until no step makes progress."""
    n_features = len(start)
    direction = ReusedDirection(int(hessian_cost(n_features))) if n_features <= MAX_FEATURES_EXACT else newton_direction
    point, n_iter = _step_down(objective, start, direction, tol, max_iter)
    return Solution(point.w, point.value, point.duality_gap, n_iter, point.duality_gap <= tol * point.value)


def _step_down(
    objective: Objective[AnyPoint],
    start: FloatArray,
    direction: Direction,
    tol: float,
    max_iter: int,
    nonnegative: BoolArray | None = None,
) -> tuple[AnyPoint, int]:
    """Return the last point and the number of steps."""
    point = objective.at(start)
    n_iter = 0
    while point.duality_gap > tol * point.value and n_iter < max_iter:
        moved = backtrack(objective, point, direction(point), nonnegative)
        if moved is None and isinstance(direction, ReusedDirection) and not direction.exact:
            # Evaluated again, because the Hessian is that of the last evaluation.
            point = objective.at(point.w)
            moved = backtrack(objective, point, direction.renewed(point))
        if moved is None:
            break
        point = moved
        n_iter += 1
    return point, n_iter


class ReusedDirection:
    """Newton direction at the least cost: with a reused Hessian, by conjugate gradients, or with a new Hessian.

    While the gap falls fast, each step costs one gradient. Then the reused Hessian preconditions conjugate gradients,
    and if these need more than ``max_products``, for which a Hessian can be computed, it is replaced.
    """

    def __init__(
        self, max_products: int, factor: Factor | None = None, keep: Callable[[FloatArray], None] | None = None
    ) -> None:
        self._max_products, self._keep = max_products, keep
        self._inverse = None if factor is None else ReusedHessian(factor)
        self._last: Point | None = None
        self.exact = False
        """Whether the last direction was computed with the Hessian at its own point."""

    def __call__(self, point: Point) -> FloatArray:
        if self._inverse is None:
            return self.renewed(point)
        last, self._last, self.exact = self._last, point, False
        if last is not None:
            self._inverse.learn(point.w - last.w, point.gradient - last.gradient)
        if last is None or point.duality_gap <= FAST * last.duality_gap:
            return -self._inverse.solve(point.gradient)
        direction, reached = conjugate_gradients(point, self._inverse.solve, self._max_products)
        return direction if reached else self.renewed(point)

    def renewed(self, point: Point) -> FloatArray:
        """Return the direction with the Hessian at this point, and keep the Hessian."""
        hessian = point.hessian()
        if self._keep is not None:
            self._keep(hessian)
        self._inverse, self._last, self.exact = ReusedHessian(Factor(hessian)), point, True
        return -self._inverse.solve(point.gradient)


def newton_direction(point: Point) -> FloatArray:
    """Return the Newton direction −H⁻¹∇f, exact unless there are very many features."""
    if len(point.w) > MAX_FEATURES_EXACT:
        return conjugate_gradients(point, lambda residual: residual, 10 * len(point.w))[0]
    return -Factor(point.hessian()).solve(point.gradient)


def _directions_of(objective: PairObjective, kept: KeptHessian | None) -> Direction:
    """Return what gives the directions of one minimisation of a smooth pair objective."""
    if objective.nonnegative is not None:
        return _bounded_directions(objective.nonnegative)
    if objective.hessian_is_free or objective.n_features > MAX_FEATURES_EXACT:
        return newton_direction
    if kept is None:
        return ReusedDirection(_max_products(objective))
    return ReusedDirection(
        _max_products(objective), kept.factor(objective.C), lambda hessian: kept.keep(hessian, objective.C)
    )


def _max_products(objective: PairObjective) -> int:
    """Return how many Hessian products may replace a Hessian: none if each of them reads all rows again."""
    return 0 if objective.reads_rows else int(hessian_cost(objective.n_features))


def _bounded_directions(nonnegative: BoolArray) -> Direction:
    """Return what gives the steps to the minimum of the quadratic model within the bounds on the weights."""
    if len(nonnegative) > MAX_FEATURES_EXACT:
        raise DataError(
            f"Bounds on weights need the whole Hessian, which is formed for at most {MAX_FEATURES_EXACT} columns: got "
            f"{len(nonnegative)}.",
            parameter="nonnegative",
            expected=f"for at most {MAX_FEATURES_EXACT} columns",
            got=len(nonnegative),
            remedy=("Select features first", "use fewer columns for each feature", "train without bounds"),
        )
    return lambda point: bounded_step(point.hessian(), point.gradient, point.w, nonnegative)


def conjugate_gradients(
    point: Point, precondition: Callable[[FloatArray], FloatArray], max_products: int
) -> tuple[FloatArray, bool]:
    """Return the Newton direction, and whether its residual fell to FORCING times the first."""
    step = np.zeros(len(point.w))
    residual = -point.gradient
    search = preconditioned = precondition(residual)
    size = first_size = float(residual @ preconditioned)
    for _ in range(max_products):
        curved = point.hessian_product(search)
        length = size / float(search @ curved)
        step = step + length * search
        residual = residual - length * curved
        preconditioned = precondition(residual)
        last_size, size = size, float(residual @ preconditioned)
        if size <= FORCING**2 * first_size:
            return step, True
        search = preconditioned + (size / last_size) * search
    return step, False


def backtrack(
    objective: Objective[AnyPoint], point: AnyPoint, direction: FloatArray, nonnegative: BoolArray | None = None
) -> AnyPoint | None:
    """Shorten the step until the value falls enough; return ``None`` if no step makes progress."""
    slope = float(point.gradient @ direction)
    # Near the minimum, rounding hides progress in the value but not in the gradient.
    by_gradient = -slope < ROUNDING * point.value
    excess = largest_excess(point.w, point.gradient, nonnegative)
    step = 1.0
    for _ in range(MAX_HALVINGS):
        trial = objective.at(point.w + step * direction)
        if by_gradient and largest_excess(trial.w, trial.gradient, nonnegative) < excess:
            return trial
        if not by_gradient and trial.value <= point.value + SUFFICIENT_DECREASE * step * slope:
            return trial
        step *= 0.5 if by_gradient else _shorter(slope * step, trial.value - point.value)
    return None


def _shorter(promised: float, change: float) -> float:
    """Return the share of a step that minimises the parabola through both ends with the initial slope."""
    return min(0.5, max(0.1, -0.5 * promised / (change - promised)))


MIN_SAMPLED_ROWS, ROWS_PER_FEATURE, MIN_SHARE, MAX_SHARE = 2_000, 40, 0.04, 0.1
MIN_SAMPLED_QUERIES = 10
MAX_SAMPLED_BYTES = 500_000_000


def choose_sample(n_rows: int, n_queries: int, n_features: int, seed: int = 0) -> IntArray | None:
    """Return the numbers of a few per cent of the queries, sorted; ``None`` for few rows."""
    share = max(MIN_SHARE, MIN_SAMPLED_ROWS / n_rows, ROWS_PER_FEATURE * n_features / n_rows)
    share = min(share, max(MIN_SAMPLED_ROWS, MAX_SAMPLED_BYTES / (8 * max(1, n_features))) / n_rows)
    n_sampled = int(share * n_queries)
    if share > MAX_SHARE or n_sampled < MIN_SAMPLED_QUERIES:
        return None
    return np.sort(np.random.default_rng(seed).choice(n_queries, n_sampled, replace=False))


def sample_queries(objective: PairObjective, seed: int = 0) -> PairObjective | None:
    """Return the objective on a few per cent of the queries, with C increased in proportion; ``None`` for few rows."""
    chosen = choose_sample(objective.sizes.n_rows, objective.sizes.n_queries, objective.n_features, seed)
    return None if chosen is None else objective.on_queries(chosen)
