"""Checked training rows with the weights of their pairs, in memory or in blocks, for fits of a pair loss."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import BoolArray, FloatArray
from glassrank.core.groups import Groups, group_codes
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.label_levels import LabelLevels, label_levels
from glassrank.core.pairs.newton import KeptHessian, Solution, minimise, minimise_hinge
from glassrank.core.pairs.objectives import LogisticPairs, SmoothedHingePairs, SquaredHingePairs
from glassrank.core.pairs.pair_weights import PairWeights, weigh_pairs
from glassrank.ranking.estimator import CheckedRows
from glassrank.ranking.feature_columns import SeenColumns, TrainingColumns, as_dense
from glassrank.ranking.partitioned_rows import CheckedBlocks
from glassrank.scale.blockwise_pairs import BlockwiseLogistic, BlockwiseSmoothedHinge, BlockwiseSquaredHinge
from glassrank.scale.blockwise_scores import score_blocks
from glassrank.scale.compared_blocks import ComparedBlocks, PairRule


class ScoredLists(NamedTuple):
    """Labels, queries and scores of rows, for measures."""

    y: FloatArray
    groups: Groups
    scores: FloatArray
    """One column for each model."""


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """Rows in memory."""

    rows: CheckedRows
    gaps: BoolArray
    """Features that get an effect of missing values."""
    pair_weight: str

    @cached_property
    def labels(self) -> LabelLevels:
        return label_levels(self.rows.y, self.rows.groups)

    @cached_property
    def weights(self) -> PairWeights:
        rows = self.rows
        return weigh_pairs(self.pair_weight, rows.y, rows.groups, rows.weights.values, self.labels)

    @property
    def total(self) -> float:
        return self.weights.total

    @cached_property
    def columns(self) -> TrainingColumns:
        return self.rows.columns(self.gaps)

    def compared(self, feature_map: FeatureMap | None) -> ComparedRows:
        rows = self.rows
        columns, largest = rows.X, rows.largest
        if feature_map is not None:
            columns, largest = feature_map.for_pairs(as_dense(rows.X)), None
        return ComparedRows.of(columns, rows.y, rows.groups, self.weights, self.labels, largest)

    def scored_lists(self, feature_map: FeatureMap | None, coefs: FloatArray) -> ScoredLists:
        """Return labels, queries and, for each column of ``coefs``, the scores of the rows, up to a constant."""
        columns = self.rows.X if feature_map is None else feature_map.for_pairs(as_dense(self.rows.X))
        return ScoredLists(self.rows.y, self.rows.groups, columns @ coefs)


@dataclass(frozen=True, eq=False)
class RowsInBlocks:
    """Rows in blocks."""

    rows: CheckedBlocks
    gaps: BoolArray
    pair_weight: str

    @property
    def total(self) -> float:
        return self.rows.survey.pair_weight

    @property
    def columns(self) -> SeenColumns:
        return self.rows.columns(self.gaps)

    def compared(self, feature_map: FeatureMap | None) -> ComparedBlocks:
        rows = self.rows
        n_columns = rows.data.n_features if feature_map is None else feature_map.n_columns
        rule = PairRule(feature_map, self.pair_weight, not rows.survey.unweighted, n_columns)
        return ComparedBlocks(rows.blocks, rule, rows.survey.n_rows, rows.queries)

    def scored_lists(self, feature_map: FeatureMap | None, coefs: FloatArray) -> ScoredLists:
        """Return labels, queries and, for each column of ``coefs``, the scores of the rows, up to a constant."""
        data, scores = self.rows.data, score_blocks(self.rows.blocks, feature_map, coefs)
        return ScoredLists(data.labels, group_codes(data.row_queries), scores)


class Loss(NamedTuple):
    """A loss: its objectives on rows in memory and in blocks, and their minimiser."""

    in_memory: Callable[..., Any]
    in_blocks: Callable[..., Any]
    minimise: Callable[..., Solution]


LOSSES = {
    "squared_hinge": Loss(SquaredHingePairs, BlockwiseSquaredHinge, minimise),
    "hinge": Loss(SmoothedHingePairs, BlockwiseSmoothedHinge, minimise_hinge),
    "logistic": Loss(LogisticPairs, BlockwiseLogistic, minimise),
}


def minimise_loss(
    loss: str,
    data: ComparedRows | ComparedBlocks,
    C: float,
    *,
    start: FloatArray | None = None,
    nonnegative: BoolArray | None,
    tol: float,
    max_iter: int,
    kept: KeptHessian | None = None,
) -> Solution:
    """Minimise ½‖w‖² + C · loss, by default from w = 0; weights of the columns ``nonnegative`` are at least 0.

    Fits with several C share ``kept``; the hinge, whose Hessian changes with its smoothing, has no use for it.
    """
    kinds = LOSSES[loss]
    make = kinds.in_blocks if isinstance(data, ComparedBlocks) else kinds.in_memory
    objective = make(data, C, nonnegative=nonnegative)
    start = np.zeros(objective.n_features) if start is None else start
    more: Any = {} if kinds.minimise is minimise_hinge else {"kept": kept}
    return kinds.minimise(objective, start, tol=tol, max_iter=max_iter, **more)
