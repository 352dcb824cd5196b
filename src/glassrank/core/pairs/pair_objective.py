"""What every objective over pairs has: value, gradient, Hessian and a certified gap at a point."""

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, check_feature_size
from glassrank.core.pairs.compared_rows import PairSizes
from glassrank.core.pairs.doubled_sums import DoubledTotals, Margins
from glassrank.core.pairs.weight_bounds import largest_excess, read_bounds, within_bounds
from glassrank.core.setting import setting

MAX_PULL = 1e140


class LossSums(NamedTuple):
    """A loss at one w, its gradient in w, and the sums of slacks that the gap needs."""

    loss: float
    gradient: FloatArray
    slacks: FloatArray


def check_pull(C: float, weight: float, largest: FloatArray) -> None:
    """Raise an error if the square of the gradient, at most C · weight · |x|, would be too large for floats."""
    check_feature_size(largest)
    loss, feature = C * weight, float(largest.max(initial=0.0))
    if not loss * max(1.0, feature) <= MAX_PULL:
        raise DataError(
            f"C times the weight of all pairs is {loss:.0e}, and the largest feature {feature:.0e}: the square of "
            "their product is too large for floats.",
            parameter="C",
            remedy=(f"Lower {setting('C')}", "scale the features"),
        )


class PairObjective(ABC):
    """f(w) = ½‖w‖² + C · loss(X w), a loss over the comparable pairs of each query.

    The minimum is sought among the w with w_j ≥ 0 for each column j of the mask ``nonnegative``. All gaps refer to it,
    so ``w`` must keep these bounds.

    Evaluate with ``at``. A point's Hessian is available until the objective is evaluated elsewhere, because the work
    arrays are shared.
    """

    logistic = False
    """Whether the loss of a pair is log(1 + exp(−margin)), and not made of squared slacks."""
    reads_rows = False
    """Whether every evaluation reads the rows again, so that few evaluations matter more than little arithmetic."""
    hessian_is_free = False
    """Whether an evaluation also computes the Hessian."""

    def __init__(self, sizes: PairSizes, C: float, nonnegative: BoolArray | None = None) -> None:
        check_pull(C, sizes.total, sizes.largest)
        self.sizes, self.C = sizes, C
        self.n_features: int = len(sizes.largest)
        self.nonnegative = read_bounds(nonnegative, self.n_features)
        self._evaluations = 0

    @property
    def n_pairs(self) -> int:
        return self.sizes.n_pairs

    def at(self, w: FloatArray) -> "PairPoint":
        """Evaluate the objective at ``w``."""
        w = np.ascontiguousarray(w, dtype=np.float64)
        loss, gradient, slacks = self.loss_sums(w)
        self._evaluations += 1
        value = 0.5 * float(w @ w) + self.C * loss
        return PairPoint(self, self._evaluations, w, value, w + self.C * gradient, slacks)

    def gap(self, point: "PairPoint") -> float:
        """Return a certified bound on value − minimum: ½‖∇f‖², because f curves at least as much as ½‖w‖².

        For the squared hinge this is also the duality gap: with α = 2C · weight · max(0, 1 − margin),
        Σ α (x_i − x_j) = w − ∇f, and the primal minus the dual value simplifies to ½‖∇f‖². Bounds make it smaller.
        """
        return largest_excess(point.w, point.gradient, self.nonnegative)

    def hessian(self, w: FloatArray, evaluation: int) -> FloatArray:
        """Hessian at ``w``, the last evaluated point: I + C Xᵀ (d²loss/dz²) X."""
        self._check_current(evaluation)
        return np.asarray(np.eye(self.n_features) + self.C * self.loss_hessian(w))

    def hessian_product(self, w: FloatArray, v: FloatArray, evaluation: int) -> FloatArray:
        """Hessian at ``w``, the last evaluated point, times ``v``."""
        self._check_current(evaluation)
        return np.asarray(v + self.C * self.loss_product(w, v))

    @abstractmethod
    def loss_sums(self, w: FloatArray) -> LossSums:
        """Return the loss at ``w`` with its gradient and the sums of slacks."""

    @abstractmethod
    def loss_hessian(self, w: FloatArray) -> FloatArray:
        """Return the Hessian of the loss at ``w``, where ``loss_sums`` was computed last."""

    @abstractmethod
    def loss_product(self, w: FloatArray, v: FloatArray) -> FloatArray:
        """Return the Hessian of the loss at ``w``, where ``loss_sums`` was computed last, times ``v``."""

    @abstractmethod
    def doubled_totals(self, w: FloatArray, margins: Margins) -> DoubledTotals:
        """Return the sums over pairs at ``w`` in doubled precision."""

    @abstractmethod
    def on_queries(self, queries: IntArray) -> "PairObjective":
        """Return the same loss on some of the queries, in memory, with C increased in proportion."""

    def _check_current(self, evaluation: int) -> None:
        if evaluation != self._evaluations:
            raise RuntimeError("Only the Hessian of the last evaluated point is available.")


class HingeObjective(PairObjective):
    """Hinge loss max(0, 1 − margin), smoothed quadratically over ``width``; value and gap are those of the hinge."""

    width: float

    @abstractmethod
    def narrowed(self, width: float) -> Self:
        """Return the objective with another width."""

    def hinge_value(self, point: "PairPoint") -> float:
        """½‖w‖² + C Σ weight · max(0, 1 − margin)."""
        return 0.5 * float(point.w @ point.w) + self.C * float(point.slacks[1])

    def gap(self, point: "PairPoint") -> float:
        """Hinge value minus the dual value Σα − ½‖Σ α (x_i − x_j)‖² at the feasible α = C · weight · φ′.

        The norm does not count negative entries of bounded weights.
        """
        dual_w = within_bounds(point.w - point.gradient, self.nonnegative)
        dual = self.C * float(point.slacks[0]) - 0.5 * float(dual_w @ dual_w)
        # At the minimum both values agree up to rounding, which must not make the gap negative.
        return max(0.0, self.hinge_value(point) - dual) + self.C * float(point.slacks[2])


class PairPoint:
    """A pair objective at one w."""

    def __init__(
        self,
        objective: PairObjective,
        evaluation: int,
        w: FloatArray,
        value: float,
        gradient: FloatArray,
        slacks: FloatArray,
    ) -> None:
        self.w, self.value, self.gradient, self.slacks = w, value, gradient, slacks
        self._objective, self._evaluation = objective, evaluation
        self.duality_gap = objective.gap(self)

    def hessian(self) -> FloatArray:
        return self._objective.hessian(self.w, self._evaluation)

    def hessian_product(self, v: FloatArray) -> FloatArray:
        return self._objective.hessian_product(self.w, v, self._evaluation)
