"""Slow twins of ranking machines with weights that must not be negative: listed pairs, and general-purpose solvers."""

from itertools import product

import numpy as np
from scipy.optimize import minimize

OPTIONS = {"maxiter": 50_000, "maxfun": 500_000, "maxls": 60, "ftol": 0.0, "gtol": 1e-13}


def bounded_minimum(objective, nonnegative):
    """Weights that minimise a listed objective with slopes subject to w_k ≥ 0 for k in the mask."""
    start = np.zeros(objective.differences.shape[1])
    limits = [(0.0 if bound else None, None) for bound in nonnegative]
    return minimize(objective.value, start, jac=objective.gradient, bounds=limits, method="L-BFGS-B", options=OPTIONS).x


def bounded_hinge_minimum(objective, nonnegative):
    """Weights of the hinge loss within bounds, and a lower bound of the minimum, from the listed dual.

    Σα − ½‖u‖², u = Σ α δ without negative entries of bounded weights, is maximised over 0 ≤ α ≤ C · weight; w = u.
    """
    highest = objective.C * objective.weights

    def dual(shares):
        pulled = objective.differences.T @ (shares * highest)
        u = np.where(nonnegative, np.maximum(pulled, 0.0), pulled)
        slope = highest * (objective.differences @ u - 1.0)
        return 0.5 * np.dot(u, u) - np.sum(shares * highest), slope, u

    found = minimize(
        lambda shares: dual(shares)[:2],
        np.zeros(len(highest)),
        jac=True,
        bounds=[(0.0, 1.0)] * len(highest),
        method="L-BFGS-B",
        options=OPTIONS,
    )
    value, _, u = dual(found.x)
    return u, -value


def enumerated_step(hessian, gradient, w, nonnegative):
    """Minimiser of ∇f·d + ½dᵀHd within w + d ≥ 0 on the mask: every set of weights at their bound is tried."""
    choices = [(False, True) if bound else (False,) for bound in nonnegative]
    best, lowest = None, np.inf
    for held in map(np.array, product(*choices)):
        step = np.where(held, -w, 0.0)
        free = ~held
        pulled = gradient + hessian @ step
        step[free] = -np.linalg.solve(hessian[np.ix_(free, free)], pulled[free])
        value = gradient @ step + 0.5 * step @ hessian @ step
        if value < lowest and np.all((w + step)[nonnegative & free] >= 0.0):
            best, lowest = step, value
    return best


def largest_excess(w, gradient, nonnegative):
    """f(w) minus the lowest value of f(w) + ∇f·(v − w) + ½‖v − w‖² over all v that keep the bounds, one by one."""
    excess = 0.0
    for weight, slope, bound in zip(w, gradient, nonnegative, strict=True):
        moved = weight - slope
        moved = max(moved, 0.0) if bound else moved
        excess -= slope * (moved - weight) + 0.5 * (moved - weight) ** 2
    return excess
