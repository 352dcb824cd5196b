"""The hinge loss on differences, minimised by the dual augmented Lagrangian method with Newton steps.

max(0, t) with t = 1 − margin is the maximum of a · t over 0 ≤ a ≤ 1. With an estimate of the multipliers, the prior,

    max over 0 ≤ a ≤ 1 of a · t − ½ width · (a − prior)²,   reached at a = clip(prior + t/width, 0, 1),

is smooth and curves only for the *free* pairs, those with 0 < a < 1. The multipliers at its minimum become the next
prior. They converge to those of the hinge loss for any width, and faster for smaller widths (Rockafellar 1976). Unlike
a smoothing without a prior, the width need not become tiny.
"""

from typing import Any, cast

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.pairs.difference_objective import DifferenceObjective, DifferencePoint
from glassrank.core.pairs.difference_rows import DifferenceRows
from glassrank.core.pairs.newton import Solution, backtrack, newton_direction

# With the first width all pairs are free at w = 0; below the last, narrowing gains nothing.
FIRST_WIDTH, NARROWING, LAST_WIDTH = 2.0, 0.3, 2e-4
# The prior is updated once the gap at this prior falls below this share of the cost of the prior term.
UPDATE_SHARE = 0.1
ROUNDING = 1e-13


class ProximalHinge:
    """max(0, 1 − m), smoothed around prior multipliers of the pairs."""

    def __init__(self, width: float, prior: FloatArray) -> None:
        self.width, self.prior = width, prior

    def value(self, margins: FloatArray) -> FloatArray:
        found = self.pull(margins, slice(None))
        return np.asarray(found * (1.0 - margins) - 0.5 * self.width * (found - self.prior) ** 2)

    def pull(self, margins: FloatArray, places: slice) -> FloatArray:
        return np.asarray(np.clip(self.prior[places] + (1.0 - margins) / self.width, 0.0, 1.0))

    def curvature(self, margins: FloatArray) -> FloatArray:
        found = self.pull(margins, slice(None))
        return np.where((found > 0.0) & (found < 1.0), 1.0 / self.width, 0.0)


def minimise_hinge_on_differences(rows: DifferenceRows, C: float, tol: float, max_iter: int) -> Solution:
    """Minimise ½‖w‖² + C Σ weight · max(0, 1 − w·φ(δ)) until duality_gap ≤ tol · value."""
    loss = ProximalHinge(FIRST_WIDTH, np.zeros(len(rows)))
    point = DifferenceObjective(rows, C, loss).at(np.zeros(rows.n_columns))
    best_w, primal, dual = point.w, np.inf, -np.inf
    n_iter = 0
    while True:
        value = _hinge_value(rows, C, point)
        dual = max(dual, _dual_value(rows, C, point))
        if value < primal:
            best_w, primal = point.w, value
        if primal - dual <= tol * primal or n_iter == max_iter:
            break
        cost = 0.5 * loss.width * C * float(rows.weights @ (point.pulls - loss.prior) ** 2)
        if point.duality_gap <= max(UPDATE_SHARE * cost, ROUNDING * primal):
            loss = ProximalHinge(max(LAST_WIDTH, NARROWING * loss.width), point.pulls)
            point = DifferenceObjective(rows, C, loss).at(point.w)
        else:
            objective = cast(Any, DifferenceObjective(rows, C, loss))
            moved = backtrack(objective, point, newton_direction(point))
            if moved is None:
                break
            point = cast(DifferencePoint, moved)
        n_iter += 1
    gap = max(0.0, primal - dual)
    return Solution(best_w, primal, gap, n_iter, gap <= tol * primal)


def _hinge_value(rows: DifferenceRows, C: float, point: DifferencePoint) -> float:
    """½‖w‖² + C Σ weight · max(0, 1 − margin)."""
    return 0.5 * float(point.w @ point.w) + C * float(rows.weights @ np.maximum(0.0, 1.0 - point.margins))


def _dual_value(rows: DifferenceRows, C: float, point: DifferencePoint) -> float:
    """Σα − ½‖Σ α φ(δ)‖² at the feasible α = C · weight · pull: a lower bound of the minimum."""
    dual_w = point.w - point.gradient
    return C * float(rows.weights @ point.pulls) - 0.5 * float(dual_w @ dual_w)
