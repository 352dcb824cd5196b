"""Machines of straight lines or of LRBF curves, in a model file."""

from typing import Any, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.additive.gaussian_columns import MOST_COLUMNS, MOST_NODES, NODES_PER_WIDTH, GaussianColumns
from glassrank.core.additive.lrbf_columns import LrbfMap
from glassrank.core.additive.odd_gaussian_columns import OddGaussianColumns, OddMap
from glassrank.modelfile.codec.values import FloatVector, IntVector, Strict, check_size, check_that
from glassrank.modelfile.kinds.trained_ranker import TrainedPart


class LrbfPart(Strict):
    """The columns of the LRBF kernel: one Gaussian precision per feature, and the features' nodes in one row.

    ``mixing`` has the features' matrices one after the other, each row by row: a row per node, a column per column.
    Columns ``of_differences`` are odd functions of the difference of two documents.
    """

    of_differences: bool
    gammas: FloatVector
    n_nodes: IntVector
    n_columns: IntVector
    nodes: FloatVector
    mixing: FloatVector

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        check_size("n_nodes", self.n_nodes, len(self.gammas), "feature")
        check_size("n_columns", self.n_columns, len(self.gammas), "feature")
        smallest = min(self.n_nodes.min(initial=0), self.n_columns.min(initial=0))
        check_that(smallest >= 0, "n_nodes and n_columns must not be negative")
        check_that(
            bool(((self.n_nodes > 0) == (self.n_columns > 0)).all()),
            "a feature must have both nodes and columns, or neither",
        )
        # Python's whole numbers do not overflow.
        n_nodes, n_columns = self.n_nodes.tolist(), self.n_columns.tolist()
        check_size("nodes", self.nodes, sum(n_nodes), "node")
        n_mixing = sum(rows * columns for rows, columns in zip(n_nodes, n_columns, strict=True))
        check_size("mixing", self.mixing, n_mixing, "node and column")
        self._check_ranges()
        return self

    def _check_ranges(self) -> None:
        """Refuse curves that no fit makes: the work of a curve on differences grows with γ and its outermost node."""
        used = self.n_nodes > 0
        check_that(bool((self.gammas[used] > 0).all()), "gammas must be above 0 where a feature has nodes")
        n_columns = int(self.n_columns.sum())
        check_that(n_columns <= MOST_COLUMNS, f"n_columns must be at most {MOST_COLUMNS} in all: got {n_columns}")
        first = np.cumsum(self.n_nodes)[used] - self.n_nodes[used]
        if not len(first):
            return
        low, high = np.minimum.reduceat(self.nodes, first), np.maximum.reduceat(self.nodes, first)
        if self.of_differences:
            check_that(bool((low > 0).all()), "nodes must be above 0: those of differences stand on one side of it")
            low = -high
        with np.errstate(over="ignore"):
            widths = np.sqrt(self.gammas[used]) * (high - low)
        check_that(bool((widths <= MOST_NODES / NODES_PER_WIDTH).all()), "gammas are too large for the nodes")

    @classmethod
    def of(cls, feature_map: LrbfMap) -> Self:
        """Put the features' blocks into one row."""
        blocks = [block for block in feature_map.blocks if block is not None]
        shapes = [(0, 0) if block is None else block.mixing.shape for block in feature_map.blocks]
        return cls(
            of_differences=isinstance(feature_map, OddMap),
            gammas=np.array([0.0 if block is None else block.gamma for block in feature_map.blocks]),
            n_nodes=np.array([rows for rows, _ in shapes], dtype=np.int64),
            n_columns=np.array([columns for _, columns in shapes], dtype=np.int64),
            nodes=np.concatenate([np.zeros(0), *(block.nodes for block in blocks)]),
            mixing=np.concatenate([np.zeros(0), *(block.mixing.ravel() for block in blocks)]),
        )

    def feature_map(self) -> LrbfMap:
        """Cut the row into the features' blocks."""
        nodes = np.split(self.nodes, np.cumsum(self.n_nodes)[:-1])
        mixing = np.split(self.mixing, np.cumsum(self.n_nodes * self.n_columns)[:-1])
        columns = zip(self.gammas.tolist(), self.n_nodes.tolist(), self.n_columns.tolist(), nodes, mixing, strict=True)
        make_map, make_columns = (OddMap, OddGaussianColumns) if self.of_differences else (LrbfMap, GaussianColumns)
        return make_map(
            tuple(
                make_columns(gamma, at, values.reshape(n_nodes, n_columns)) if n_columns else None
                for gamma, n_nodes, n_columns, at, values in columns
            )
        )


class KernelMachinePart(TrainedPart):
    """A weight for each feature, or for each column of the LRBF kernel; the parameters name the ``kernel``."""

    coefficients: FloatVector
    columns: LrbfPart | None

    @model_validator(mode="after")
    def _columns_fit(self) -> Self:
        is_lrbf = getattr(self.parameters, "kernel", None) == "lrbf"
        check_that(is_lrbf == (self.columns is not None), "columns must be there for the kernel 'lrbf', and only then")
        if self.columns is None:
            check_size("coefficients", self.coefficients, self.n_features, "feature")
        else:
            check_size("columns.gammas", self.columns.gammas, self.n_features, "feature")
            check_size("coefficients", self.coefficients, sum(self.columns.n_columns.tolist()), "column")
        return self

    @property
    def feature_map(self) -> LrbfMap | None:
        """What turns a document's values into columns; straight lines do without."""
        return None if self.columns is None else self.columns.feature_map()

    @staticmethod
    def _columns_of(estimator: Any) -> LrbfPart | None:
        return None if estimator.feature_map_ is None else LrbfPart.of(estimator.feature_map_)
