"""What a fit must know of all rows before it starts: ranges, means and gaps of the features, and the pairs."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import FloatArray
from glassrank.core.pairs.label_levels import label_levels
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.core.within_query_scaling import SpreadSums, spread_sums
from glassrank.data.partitions.data_block import DataBlock
from glassrank.scale.block_contract import Blocks


@dataclass(frozen=True, eq=False)
class Survey:
    """Counts and sums over the rows of positive weight; those of different queries can be added."""

    n_rows: int
    n_queries: int
    n_pairs: int
    pair_weight: float
    """Sum of the pair weights."""
    labels: tuple[float, float]
    """Smallest and largest label."""
    low: FloatArray
    high: FloatArray
    sums: FloatArray
    """Weighted sums of the known values of each feature."""
    known: FloatArray
    """Weight of the known values of each feature."""
    absent: FloatArray
    """Weight of the missing values of each feature."""
    n_absent: FloatArray
    spread: SpreadSums | None
    weight: float
    """Sum of the row weights."""
    unweighted: bool
    """Whether all row weights are 1."""

    def __add__(self, other: "Survey") -> "Survey":
        spread = None if self.spread is None or other.spread is None else self.spread + other.spread
        return Survey(
            self.n_rows + other.n_rows,
            self.n_queries + other.n_queries,
            self.n_pairs + other.n_pairs,
            self.pair_weight + other.pair_weight,
            (min(self.labels[0], other.labels[0]), max(self.labels[1], other.labels[1])),
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
            self.sums + other.sums,
            self.known + other.known,
            self.absent + other.absent,
            self.n_absent + other.n_absent,
            spread,
            self.weight + other.weight,
            self.unweighted and other.unweighted,
        )

    @property
    def observed(self) -> ObservedValues:
        """Ranges, means and shares of missing values, as of rows in memory."""
        missing = self.absent / (self.known + self.absent)
        mean = self.sums / np.where(self.known > 0, self.known, 1.0)
        low, high = (np.where(np.isnan(ends), 0.0, ends) for ends in (self.low, self.high))
        clipped = np.clip(mean, low, high) if self.unweighted and self.n_absent.any() else mean
        return ObservedValues(low, high, clipped, missing)


def survey_blocks(blocks: Blocks, *, pair_weight: str = "uniform", spread: bool = False) -> Survey:
    """Survey all blocks in one pass; the ``spread`` within queries takes some time."""
    return blocks.add_up(survey_block, pair_weight, spread)


def survey_block(block: DataBlock, pair_weight: str, spread: bool) -> Survey:
    """Return the counts and sums of one block."""
    X, y, groups = block.X, block.labels, block.groups
    weights = np.ones(len(y)) if block.weights is None else block.weights
    labels = label_levels(y, groups)
    total = weigh_pairs(pair_weight, y, groups, _unless_equal(block.weights), labels).total
    absent = np.isnan(X)
    filled = np.where(absent, 0.0, X) if absent.any() else X
    n_absent = absent.sum(axis=0)
    missing = weights @ absent if n_absent.any() else np.zeros(X.shape[1])
    return Survey(
        len(y),
        groups.n_queries,
        int(labels.n_pairs.sum()),
        total,
        (float(y.min()), float(y.max())),
        np.fmin.reduce(X, axis=0),
        np.fmax.reduce(X, axis=0),
        weights @ filled,
        weights @ ~absent if n_absent.any() else np.full(X.shape[1], weights.sum()),
        missing,
        n_absent,
        spread_sums(X, groups, block.weights) if spread else None,
        float(weights.sum()),
        block.weights is None or bool((block.weights == 1.0).all()),
    )


def _unless_equal(weights: FloatArray | None) -> FloatArray | None:
    """Return None for weights that are all 1, for which sums over pairs are much faster."""
    return None if weights is None or (weights == 1.0).all() else weights
