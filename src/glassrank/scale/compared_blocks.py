"""The data of a pair loss in blocks, of which one at a time is compared."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import IntArray
from glassrank.core.pairs.compared_rows import ComparedRows, PairSizes, join_compared
from glassrank.core.pairs.newton import choose_sample
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.data.partitions.data_block import DataBlock
from glassrank.scale.block_contract import Blocks

PART_ROWS, PART_BYTES = 10_000, 100_000_000  # rows that a thread compares at a time, and the size of their columns


class PairRule(NamedTuple):
    """How rows become the data of a pair loss: their columns, and the weights of their pairs."""

    feature_map: FeatureMap | None
    pair_weight: str
    weighted: bool
    """Whether some row has a weight other than 1; otherwise sums over pairs are much faster."""
    n_columns: int

    def parts(self, block: DataBlock) -> list[DataBlock]:
        """Return parts of a block, one for each thread at a time."""
        fitting = PART_BYTES // (8 * max(1, self.n_columns))
        return block.parts(max(1, min(PART_ROWS, fitting)))

    def compared(self, part: DataBlock) -> ComparedRows:
        """Return the rows of a part as the data of a pair loss."""
        weights = weigh_pairs(self.pair_weight, part.labels, part.groups, part.weights if self.weighted else None)
        X = part.X if self.feature_map is None else self.feature_map.for_pairs(part.X)
        return ComparedRows.of(X, part.labels, part.groups, weights)


@dataclass(frozen=True, eq=False)
class _Gathering:
    """Sizes of all pairs, and the data of sampled queries."""

    sizes: PairSizes
    sample: list[ComparedRows]

    def __add__(self, other: "_Gathering") -> "_Gathering":
        return _Gathering(self.sizes + other.sizes, self.sample + other.sample)


@dataclass(frozen=True, eq=False)
class ComparedBlocks:
    """Blocks with the rule that makes them the data of a pair loss, and the numbers of their queries."""

    blocks: Blocks
    rule: PairRule
    n_rows: int
    queries: IntArray
    """Numbers of all queries, in the order of the blocks."""

    @property
    def sizes(self) -> PairSizes:
        """Number and size of the rows and pairs."""
        return self._gathered.sizes

    def pick_queries(self, queries: IntArray) -> ComparedRows:
        """Return the data of some queries, given by their places among all, in memory."""
        if self._sampled is not None and np.array_equal(queries, self._sampled):
            return join_compared(self._gathered.sample)
        return join_compared(self._gather(queries).sample)

    @cached_property
    def _sampled(self) -> IntArray | None:
        """The queries that the solver will ask for first, so that one pass gives their rows and all sizes."""
        return choose_sample(self.n_rows, len(self.queries), self.rule.n_columns)

    @cached_property
    def _gathered(self) -> _Gathering:
        return self._gather(self._sampled)

    def _gather(self, queries: IntArray | None) -> _Gathering:
        return self.blocks.add_up(gather, self.rule, None if queries is None else self.queries[queries])


def gather(block: DataBlock, rule: PairRule, queries: IntArray | None) -> _Gathering:
    """Return the sizes of a block's pairs, and the data of those of its queries that are among ``queries``."""
    found: list[_Gathering] = []
    for part in rule.parts(block):
        compared = rule.compared(part)
        chosen = np.zeros(0, dtype=np.int64) if queries is None else np.flatnonzero(np.isin(part.queries, queries))
        found.append(_Gathering(compared.sizes, [compared.pick_queries(chosen)] if len(chosen) else []))
    total = found[0]
    for one in found[1:]:
        total += one
    return total
