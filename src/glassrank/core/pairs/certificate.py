"""Certificates that are valid in spite of rounding: the exact value minus the exact minimum is at most the gap.

First, the rounding error of the solver's sums is bounded by the number and size of their terms. At ordinary C, this
bound is far below the tolerance and widens the gap only slightly. At a large C it can dominate, because C times the
rounding error of a score is no longer small compared with the value. Then the sums are computed again in doubled
precision and combined as fractions.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from glassrank.core.checks import BoolArray, FloatArray
from glassrank.core.pairs.pair_objective import HingeObjective, PairObjective, PairPoint
from glassrank.core.pairs.weight_bounds import largest_excess, reduced_gradient, within_bounds

EPS = float(np.finfo(np.float64).eps)
DOUBLED_EPS = 2.0**-98  # generous: the two parts of a doubled number have 106 bits together
A_FEW, FEW = 4.0, 16.0  # number of roundings of a number, and of a term that combines several numbers
NEGLIGIBLE = 0.1  # fraction that rounding may add to a gap above the tolerance


class Certificate(NamedTuple):
    """The objective at one w, and a bound on how far the minimum can lie below it."""

    value: float
    gap: float


class HingePoint(NamedTuple):
    """A smoothed hinge objective at one w, with its hinge value and dual value."""

    objective: HingeObjective
    point: PairPoint

    @property
    def value(self) -> float:
        return self.objective.hinge_value(self.point)

    @property
    def dual_value(self) -> float:
        return self.value - self.point.duality_gap


def certify(objective: PairObjective, point: PairPoint, tol: float) -> Certificate:
    """Certify a smooth loss: the gap is at most ½‖∇f‖², because f has at least the curvature of ½‖w‖²."""
    rounding = _rounding_logistic if objective.logistic else _rounding_squared_hinge
    found = Certificate(point.value, point.duality_gap + rounding(objective, point))
    if _settled(found, point.duality_gap, tol):
        return found
    return (_careful_logistic if objective.logistic else _exact_squared_hinge)(objective, point.w)


def certify_hinge(primal: HingePoint, dual: HingePoint, tol: float) -> Certificate:
    """Certify the hinge loss: the gap is the hinge value at one point minus the dual value at another."""
    gap = max(0.0, primal.value - dual.dual_value)
    found = Certificate(primal.value, gap + _rounding_hinge(primal) + _rounding_dual(dual))
    return found if _settled(found, gap, tol) else _exact_hinge(primal, dual)


def _settled(found: Certificate, gap: float, tol: float) -> bool:
    """Return whether the widened gap is small enough, or is too large for a reason other than rounding."""
    aim = tol * found.value
    return found.gap <= aim or (gap > aim and found.gap - gap <= NEGLIGIBLE * gap)


class _Sizes:
    """Number and size of the terms in the sums."""

    def __init__(self, objective: PairObjective, w: FloatArray) -> None:
        sizes = objective.sizes
        self.n_rows, self.n_queries = sizes.n_rows, sizes.n_queries
        self.n_features, self.longest = objective.n_features, sizes.longest
        self.largest = sizes.largest
        self.score = float(self.largest @ np.abs(w))
        self.pairs = objective.C * sizes.magnitude
        """C times the weight of all pairs."""
        self.per_pair = self.longest + 2.0 * self.n_features + FEW
        """Number of roundings of a pair's slack: those of two scores, and of the sums over a query."""
        # C and the weights are rounded first: they contain sums over a query and over the queries.
        cancelled = sizes.magnitude / sizes.total
        n_summed = self.longest + self.n_queries if sizes.weighted else 0
        self.share = EPS * (n_summed + A_FEW) * cancelled
        """Effect of this on the value, as a fraction of it, regardless of the sizes."""
        n_doubled = self.n_rows + self.n_features**2 + FEW
        self.doubled_error = DOUBLED_EPS * n_doubled * sizes.magnitude * (self.score + 1.0)
        """Error of the sum of slacks over all pairs in doubled precision."""

    @property
    def all_terms(self) -> float:
        """``share`` plus the rounding of ½‖w‖² and of the last sums."""
        return self.share + EPS * (self.n_features + FEW)

    def of_gradient(self, slopes: float, w: FloatArray) -> FloatArray:
        """Return the error of each entry of w + C Xᵀ slope, given the total error of the slopes."""
        return np.asarray(self.largest * slopes + 2.0 * EPS * np.abs(w))


def _of_half_square(vector: FloatArray, error: FloatArray) -> float:
    """Return the error of ½‖vector‖², given the error of each entry."""
    return float(np.abs(vector) @ error + 0.5 * (error @ error) + EPS * len(vector) * (vector @ vector))


def _of_excess(objective: PairObjective, w: FloatArray, gradient: FloatArray, error: FloatArray) -> float:
    """Error of the bound on value − minimum, given that of each entry of the gradient.

    The bound's slope in the gradient is the reduced gradient, which changes no faster than the gradient itself.
    """
    if objective.nonnegative is None:
        return _of_half_square(gradient, error)
    reduced = np.abs(reduced_gradient(w, gradient, objective.nonnegative))
    summed = 2.0 * EPS * (len(w) + A_FEW) * largest_excess(w, gradient, objective.nonnegative)
    return float(reduced @ error + 0.5 * (error @ error)) + summed


def _rounding_squared_hinge(objective: PairObjective, point: PairPoint) -> float:
    sizes = _Sizes(objective, point.w)
    slacks = sizes.pairs * EPS * sizes.per_pair * (sizes.score + 1.0)
    squares = 4.0 * sizes.pairs * EPS * sizes.per_pair * (sizes.score + 1.0) ** 2
    slopes = 4.0 * (slacks + EPS * sizes.n_rows * objective.C * float(point.slacks[0]))
    gradient = _of_excess(objective, point.w, point.gradient, sizes.of_gradient(slopes, point.w))
    return squares + gradient + (sizes.all_terms + EPS * (sizes.longest + sizes.n_queries)) * point.value


def _rounding_logistic(objective: PairObjective, point: PairPoint) -> float:
    """A pair's loss log(1 + exp(−m)) exceeds its slope, so every error is bounded by a fraction of the loss."""
    sizes = _Sizes(objective, point.w)
    loss = point.value - 0.5 * float(point.w @ point.w)
    share = EPS * (2.0 * sizes.longest + sizes.n_queries + FEW + 2.0 * (sizes.n_features + A_FEW) * sizes.score)
    slopes = 2.0 * loss * (share + EPS * sizes.n_rows)
    gradient = _of_excess(objective, point.w, point.gradient, sizes.of_gradient(slopes, point.w))
    return share * loss + gradient + sizes.all_terms * point.value


def _rounding_hinge(at: HingePoint) -> float:
    sizes = _Sizes(at.objective, at.point.w)
    slacks = 2.0 * sizes.pairs * EPS * sizes.per_pair * (sizes.score + 1.0)
    return slacks + (sizes.all_terms + EPS * sizes.n_rows) * at.value


def _rounding_dual(at: HingePoint) -> float:
    """Rounding of the dual value, and of the slacks, which may lift a dual variable above its bound."""
    objective, point = at
    sizes, C = _Sizes(objective, point.w), objective.C
    unvisited = C * float(point.slacks[2])
    above = 2.0 * EPS * (sizes.score + 1.0) / objective.width * C * float(point.slacks[0])
    total = EPS * (sizes.per_pair * sizes.pairs + sizes.n_rows * C * float(point.slacks[0])) + unvisited
    dual_w = within_bounds(point.w - point.gradient, objective.nonnegative)
    gradient = _of_half_square(dual_w, sizes.of_gradient(4.0 * total, point.w))
    return above + total + gradient + sizes.all_terms * at.value


def _exact_squared_hinge(objective: PairObjective, w: FloatArray) -> Certificate:
    sizes, totals = _Sizes(objective, w), objective.doubled_totals(w, ((1.0, 1.0),))
    ((_, squares),) = totals.sums
    C, of_w = Fraction(objective.C), [Fraction(value) for value in w.tolist()]
    gradient = [weight + 2 * C * pulled for weight, pulled in zip(of_w, totals.pulled, strict=True)]
    error = 2.0 * objective.C * sizes.doubled_error * sizes.largest
    value = _half_square(of_w) + C * squares
    rounding = 2.0 * objective.C * sizes.doubled_error * (sizes.score + 1.0)
    rounding += _of_excess(objective, w, np.array([float(entry) for entry in gradient]), error)
    return _rounded(value, _exact_excess(of_w, gradient, objective.nonnegative), rounding, sizes.share)


def _careful_logistic(objective: PairObjective, w: FloatArray) -> Certificate:
    """Sum the contributions of the pairs exactly; each is itself rounded, because the exponential function is."""
    sizes, totals, C = _Sizes(objective, w), objective.doubled_totals(w, ()), Fraction(objective.C)
    ((loss, sensitive),) = totals.sums
    of_w = [Fraction(value) for value in w.tolist()]
    gradient = [weight + C * pulled for weight, pulled in zip(of_w, totals.pulled, strict=True)]
    slopes = objective.C * EPS * FEW * float(sensitive)
    rounding = slopes + objective.C * EPS * FEW * float(loss)
    error = 2.0 * slopes * sizes.largest
    rounding += _of_excess(objective, w, np.array([float(entry) for entry in gradient]), error)
    excess = _exact_excess(of_w, gradient, objective.nonnegative)
    return _rounded(_half_square(of_w) + C * loss, excess, rounding, sizes.share)


def _exact_hinge(primal: HingePoint, dual: HingePoint) -> Certificate:
    objective, w = primal.objective, primal.point.w
    sizes, C = _Sizes(objective, w), Fraction(objective.C)
    ((slacks, _),) = objective.doubled_totals(w, ((1.0, 1.0),)).sums
    value = _half_square([Fraction(weight) for weight in w.tolist()]) + C * slacks
    lower, rounding = _exact_dual(dual)
    rounding += objective.C * sizes.doubled_error
    return _rounded(value, value - lower, rounding, sizes.share)


def _exact_dual(at: HingePoint) -> tuple[Fraction, float]:
    """Return the dual value at α = C · weight · (max(0, t) − max(0, t − δ))/δ, t = 1 − margin, and its error.

    α is between 0 and C · weight for any scores. It is scaled down if this increases the dual value.
    """
    objective, C = at.objective, Fraction(at.objective.C)
    inner = 1.0 - objective.width
    sizes, totals = _Sizes(objective, at.point.w), objective.doubled_totals(at.point.w, ((1.0, 1.0), (inner, -1.0)))
    width = Fraction(1) - Fraction(inner)
    total = C * (totals.sums[0][0] - totals.sums[1][0]) / width
    dual_w = [-C * pulled / width for pulled in totals.pulled]
    if objective.nonnegative is not None:
        dual_w = [max(u, Fraction(0)) if low else u for u, low in zip(dual_w, objective.nonnegative, strict=True)]
    square = 2 * _half_square(dual_w)
    length = min(Fraction(1), total / square) if square > 0 else Fraction(1)
    error = 2.0 * objective.C * sizes.doubled_error / objective.width
    rounding = error + _of_half_square(np.array([float(entry) for entry in dual_w]), error * sizes.largest)
    return length * total - length * length * square / 2, rounding


def _half_square(vector: list[Fraction]) -> Fraction:
    return sum((entry * entry for entry in vector), Fraction(0)) / 2


def _exact_excess(w: list[Fraction], gradient: list[Fraction], nonnegative: BoolArray | None) -> Fraction:
    """p·∇f − ½‖p‖² for the reduced gradient p, which is ∇f without bounds."""
    if nonnegative is None:
        return _half_square(gradient)
    reduced = [min(g, v) if low else g for v, g, low in zip(w, gradient, nonnegative, strict=True)]
    return sum((p * (g - p / 2) for p, g in zip(reduced, gradient, strict=True)), Fraction(0))


def _rounded(value: Fraction, gap: Fraction, rounding: float, share: float) -> Certificate:
    """Return both as floats; the gap also covers the rounding of the value itself. The minimum is at least 0."""
    nearest = float(value)
    widened = min(max(0.0, float(gap)) + rounding, nearest) + (share + A_FEW * EPS) * nearest
    return Certificate(nearest, widened)
