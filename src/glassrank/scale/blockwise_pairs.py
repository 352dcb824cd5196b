"""Objectives over pairs in blocks: the sums over all blocks of what objectives in memory compute for each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from glassrank.core.blocks import for_each
from glassrank.core.checks import BoolArray, FloatArray, IntArray
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.doubled_sums import DoubledTotals, Margins, doubled_totals
from glassrank.core.pairs.objectives import LogisticPairs, RowsObjective, SmoothedHingePairs, SquaredHingePairs
from glassrank.core.pairs.pair_objective import HingeObjective, LossSums, PairObjective
from glassrank.data.partitions.data_block import DataBlock
from glassrank.scale.compared_blocks import ComparedBlocks, PairRule

# With at most this many columns, the Hessian costs less than another pass over the blocks.
MAX_FREE_COLUMNS = 128


class BlockLoss(NamedTuple):
    """The loss of an objective, with which the objective of the rows in memory is made."""

    kind: Callable[..., RowsObjective]
    C: float
    options: dict[str, float]

    def on(self, data: Any) -> RowsObjective:
        return self.kind(data, self.C, **self.options)


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Loss, gradient and slacks of a block and, if it was computed, the Hessian of the loss."""

    loss: float
    gradient: FloatArray
    slacks: FloatArray
    hessian: FloatArray | None

    def __add__(self, other: "BlockSums") -> "BlockSums":
        hessian = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        return BlockSums(self.loss + other.loss, self.gradient + other.gradient, self.slacks + other.slacks, hessian)


class BlockwisePairs(PairObjective):
    """A pair objective on blocks. Each evaluation is one pass; so is a Hessian, unless it comes with the gradient."""

    kind: Callable[..., RowsObjective]
    reads_rows = True

    def __init__(self, data: ComparedBlocks, C: float, nonnegative: BoolArray | None = None) -> None:
        super().__init__(data.sizes, C, nonnegative)
        self.data = data
        self.hessian_is_free = self.n_features <= MAX_FREE_COLUMNS
        self._hessian: FloatArray | None = None

    @property
    def loss(self) -> BlockLoss:
        return BlockLoss(self.kind, self.C, {})

    def loss_sums(self, w: FloatArray) -> LossSums:
        sums = self.data.blocks.add_up(sums_of_block, self.data.rule, self.loss, w, self.hessian_is_free)
        self._hessian = sums.hessian
        return LossSums(sums.loss, sums.gradient, sums.slacks)

    def loss_hessian(self, w: FloatArray) -> FloatArray:
        if self._hessian is None:
            sums = self.data.blocks.add_up(sums_of_block, self.data.rule, self.loss, w, True)
            self._hessian = sums.hessian
        return np.asarray(self._hessian)

    def loss_product(self, w: FloatArray, v: FloatArray) -> FloatArray:
        return self.data.blocks.add_up(product_of_block, self.data.rule, self.loss, w, v)

    def doubled_totals(self, w: FloatArray, margins: Margins) -> DoubledTotals:
        return self.data.blocks.add_up(doubled_totals_of_block, self.data.rule, w, margins)

    def on_queries(self, queries: IntArray) -> RowsObjective:
        sample = self.data.pick_queries(queries)
        C = self.C * self.n_pairs / max(sample.n_pairs, 1)
        return self.kind(sample, C, nonnegative=self.nonnegative, **self.loss.options)


class BlockwiseSquaredHinge(BlockwisePairs):
    """``SquaredHingePairs`` on blocks."""

    kind = SquaredHingePairs


class BlockwiseLogistic(BlockwisePairs):
    """``LogisticPairs`` on blocks."""

    kind = LogisticPairs
    logistic = True


class BlockwiseSmoothedHinge(BlockwisePairs, HingeObjective):
    """``SmoothedHingePairs`` on blocks."""

    kind = SmoothedHingePairs

    def __init__(
        self, data: ComparedBlocks, C: float, width: float = 0.5, nonnegative: BoolArray | None = None
    ) -> None:
        super().__init__(data, C, nonnegative)
        self.width = width

    @property
    def loss(self) -> BlockLoss:
        return BlockLoss(self.kind, self.C, {"width": self.width})

    def narrowed(self, width: float) -> Self:
        return type(self)(self.data, self.C, width, self.nonnegative)


def sums_of_block(block: DataBlock, rule: PairRule, loss: BlockLoss, w: FloatArray, with_hessian: bool) -> BlockSums:
    """Return the sums of one block at ``w``."""

    def of_part(part: DataBlock) -> BlockSums:
        objective = loss.on(rule.compared(part))
        found = objective.loss_sums(w)
        return BlockSums(*found, objective.loss_hessian(w) if with_hessian else None)

    return _over_parts(block, rule, of_part)


def product_of_block(block: DataBlock, rule: PairRule, loss: BlockLoss, w: FloatArray, v: FloatArray) -> FloatArray:
    """Return the Hessian of one block's loss at ``w``, times ``v``."""

    def of_part(part: DataBlock) -> FloatArray:
        objective = loss.on(rule.compared(part))
        objective.loss_sums(w)
        return objective.loss_product(w, v)

    return np.asarray(_over_parts(block, rule, of_part))


def doubled_totals_of_block(block: DataBlock, rule: PairRule, w: FloatArray, margins: Margins) -> DoubledTotals:
    """Return the sums of one block in doubled precision."""
    return _over_parts(block, rule, lambda part: doubled_totals(rule.compared(part), w, margins))


def _over_parts(block: DataBlock, rule: PairRule, of_part: Any) -> Any:
    """Compute the parts of a block in threads, and add the results in a fixed order."""
    with one_blas_thread():
        first, *others = for_each(rule.parts(block), of_part)
    total = first
    for one in others:
        total = total + one
    return total
