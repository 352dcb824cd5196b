"""Weights that must not be negative: what a gradient says about the minimum, and Newton's step within the bounds.

A function that curves at least as much as ½‖w‖² lies above f(w) + ∇f·(v − w) + ½‖v − w‖² at every v. The lowest value
of this parabola over all v that keep the bounds certifies the distance to the minimum. It is reached at v = w − p,
where p is the *reduced gradient*: min(∇f, w) for a bounded weight and ∇f for any other. At the minimum, p = 0: the
gradient of a weight at its bound is not negative, and that of every other weight is 0.
"""

import numpy as np

from glassrank.core.checks import BoolArray, FloatArray, check_length
from glassrank.core.hessian_factor import Factor

MAX_ROUNDS = 500  # each factorises the Hessian of the weights that move; a few are enough
SOLVED = 1e-13  # share of the whole decrease below which only rounding is left


def read_bounds(nonnegative: BoolArray | None, n_features: int) -> BoolArray | None:
    """Return the mask of the bounded weights, or ``None`` if no weight is bounded.

    >>> read_bounds(np.array([False, False]), 2) is None
    True
    >>> read_bounds(np.array([True]), 2)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: nonnegative must have one entry per column of X: expected 2, got 1.
    """
    if nonnegative is None:
        return None
    mask = np.asarray(nonnegative, dtype=bool)
    check_length("nonnegative", mask, n_features, per="column of X")
    return mask if mask.any() else None


def within_bounds(vector: FloatArray, nonnegative: BoolArray | None) -> FloatArray:
    """Return the nearest vector that keeps the bounds.

    >>> within_bounds(np.array([-1.0, -2.0]), np.array([True, False])).tolist()
    [0.0, -2.0]
    """
    return vector if nonnegative is None else np.where(nonnegative, np.maximum(vector, 0.0), vector)


def reduced_gradient(w: FloatArray, gradient: FloatArray, nonnegative: BoolArray | None) -> FloatArray:
    """Return p: min(∇f, w) for bounded weights, ∇f for others.

    >>> reduced_gradient(np.array([0.0, 0.0, 1.0]), np.array([5.0, -1.0, 3.0]), np.array([True, True, True])).tolist()
    [0.0, -1.0, 1.0]
    """
    return gradient if nonnegative is None else np.where(nonnegative, np.minimum(gradient, w), gradient)


def largest_excess(w: FloatArray, gradient: FloatArray, nonnegative: BoolArray | None) -> float:
    """Return p·∇f − ½‖p‖² ≥ f(w) − minimum for the reduced gradient p; without bounds, ½‖∇f‖².

    For f = ½‖w‖² + loss this is also the duality gap at the dual variables of the loss's slopes. With u = w − ∇f, the
    conjugate of ½‖w‖² with the bounds is ½‖u‖² without the negative entries of bounded weights.
    """
    if nonnegative is None:
        return 0.5 * float(gradient @ gradient)
    reduced = reduced_gradient(w, gradient, nonnegative)
    return float(reduced @ (gradient - 0.5 * reduced))


def bounded_step(hessian: FloatArray, gradient: FloatArray, w: FloatArray, nonnegative: BoolArray) -> FloatArray:
    """Return the step d that minimises ∇f·d + ½ dᵀHd while w + d keeps the bounds.

    Projected Newton steps minimise this quadratic function without a pass over the data: weights that their bound holds
    back stay there, the others take the step of Newton's method, and the bounds cut off what lies beyond them. Every
    share of d up to 1 keeps the bounds too, also after rounding.

    >>> H, g, w = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-3.0, 3.0]), np.array([0.0, 1.0])
    >>> bounded_step(H, g, w, np.array([True, True])).round(12).tolist()  # without bounds: [3, −3]
    [2.0, -1.0]
    """
    lowest = np.where(nonnegative, -w, -np.inf)
    step, slope, value = np.zeros(len(w)), gradient, 0.0
    for _ in range(MAX_ROUNDS):
        step, cut_off = _along_bounds(hessian, slope, step, _direction(hessian, slope, step == lowest), lowest)
        slope = gradient + hessian @ step
        if cut_off:
            continue
        # The minimum for this set of weights at their bounds; another set may be better.
        last, value = value, 0.5 * float(step @ (gradient + slope))
        if last - value <= SOLVED * -value or (slope[step == lowest] >= 0.0).all():
            break
    return step


def _direction(hessian: FloatArray, slope: FloatArray, at_bound: BoolArray) -> FloatArray:
    """Return Newton's direction for the weights that it does not push below their bounds."""
    direction, free = np.zeros(len(slope)), ~at_bound | (slope < 0.0)
    while free.any():
        direction[free] = -Factor(hessian[np.ix_(free, free)]).solve(slope[free])
        blocked = at_bound & (direction < 0.0)
        if not blocked.any():
            break
        direction[blocked], free = 0.0, free & ~blocked
    return direction


def _along_bounds(
    hessian: FloatArray, slope: FloatArray, step: FloatArray, direction: FloatArray, lowest: FloatArray
) -> tuple[FloatArray, bool]:
    """Go along Newton's direction, bent at the bounds, or straight to the first bound if that is lower.

    Also return whether a bound cut off the way.
    """
    room = np.full(len(step), np.inf)
    np.divide(lowest - step, direction, out=room, where=direction < 0.0)
    first = float(room.min())
    if first >= 1.0:
        return np.maximum(step + direction, lowest), False
    straight = np.where(room == first, lowest, np.maximum(step + first * direction, lowest))
    length, target = 1.0, _change(hessian, slope, straight - step)
    while length > first:
        bent = np.maximum(step + length * direction, lowest)
        if _change(hessian, slope, bent - step) < target:
            return bent, True
        length *= 0.5
    return straight, True


def _change(hessian: FloatArray, slope: FloatArray, moved: FloatArray) -> float:
    """Return the change of the quadratic function."""
    return float(slope @ moved + 0.5 * (moved @ hessian @ moved))
