"""Weights that must not be negative: what a gradient says about the minimum, and Newton's step within the bounds.

A function that curves at least as much as ½‖w‖² lies above f(w) + ∇f·(v − w) + ½‖v − w‖² at every v. The lowest value
of this parabola over all v that keep the bounds certifies the distance to the minimum. It is reached at v = w − p,
where p is the *reduced gradient*: min(∇f, w) for a bounded weight and ∇f for any other. At the minimum, p = 0: the
gradient of a weight at its bound is not negative, and that of every other weight is 0.
"""

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray, check_length
from glassrank.core.hessian_factor import Factor

BoolArray = npt.NDArray[np.bool_]

MAX_ROUNDS = 100  # each factorises the Hessian of the weights that move; a few are enough
MAX_HALVINGS = 40
SUFFICIENT_DECREASE = 1e-4
SOLVED = 1e-13  # share of the first reduced gradient, or of the whole decrease, below which only rounding is left
NEAR = 1e-10  # a weight this much smaller than the largest is as good as at its bound


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

    Projected Newton steps (Bertsekas 1982) minimise this quadratic function without a pass over the data: weights that
    their bound holds back take the step of the gradient, the others that of Newton's method, and the bounds cut off
    what lies beyond them. Every share of d up to 1 keeps the bounds too, also after rounding.

    >>> H, g, w = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-3.0, 3.0]), np.array([0.0, 1.0])
    >>> bounded_step(H, g, w, np.array([True, True])).round(12).tolist()  # without bounds: [3, −3]
    [2.0, -1.0]
    """
    # In units in which every weight has a curvature of about 1; powers of two scale without rounding.
    unit = np.exp2(-np.round(0.5 * np.log2(np.maximum(1.0, np.diag(hessian)))))
    hessian, gradient, w = hessian * unit * unit[:, None], gradient * unit, w / unit
    target = SOLVED * float(np.linalg.norm(reduced_gradient(w, gradient, nonnegative)))
    step, slope, value = np.zeros(len(w)), gradient, 0.0
    for _ in range(MAX_ROUNDS):
        reached = w + step
        if np.linalg.norm(reduced_gradient(reached, slope, nonnegative)) <= target:
            break
        held = nonnegative & (slope > 0.0) & (reached <= NEAR * np.abs(reached).max())
        direction = -slope
        direction[~held] = -Factor(hessian[np.ix_(~held, ~held)]).solve(slope[~held])
        moved = _along_bounds(hessian, slope, step, direction, np.where(nonnegative, -w, -np.inf))
        if moved is None:
            break
        step, slope = moved, gradient + hessian @ moved
        last, value = value, 0.5 * float(step @ (gradient + slope))
        if last - value <= SOLVED * -value:
            break
    return unit * step


def _along_bounds(
    hessian: FloatArray, slope: FloatArray, step: FloatArray, direction: FloatArray, lowest: FloatArray
) -> FloatArray | None:
    """Shorten the way along a direction, bent at the bounds, until the quadratic function falls enough."""
    length = 1.0
    for _ in range(MAX_HALVINGS):
        moved = np.maximum(step + length * direction, lowest)
        change = moved - step
        promised = float(slope @ change)
        if promised < 0.0 and promised + 0.5 * float(change @ hessian @ change) <= SUFFICIENT_DECREASE * promised:
            return moved
        length *= 0.5
    return None
