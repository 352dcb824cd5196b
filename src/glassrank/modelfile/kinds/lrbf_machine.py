"""Linear and LRBF kernel machines in a model file."""

from typing import Any, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.additive.gaussian_columns import MAX_COLUMNS, MAX_NODES, NODES_PER_WIDTH, GaussianColumns
from glassrank.core.additive.lrbf_columns import LrbfMap
from glassrank.core.additive.odd_gaussian_columns import OddGaussianColumns, OddMap
from glassrank.modelfile.codec.values import FloatVector, IntVector, Strict, check_size, check_that
from glassrank.modelfile.kinds.trained_ranker import TrainedPart


class LrbfPart(Strict):
    """The columns of the LRBF kernel: the Gaussian precision of each feature, and the nodes of all features.

    ``mixing`` concatenates the features' matrices (nodes × columns) row by row. If ``of_differences``, the columns are
    odd functions of the difference between two documents.
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
        # Python integers do not overflow.
        n_nodes, n_columns = self.n_nodes.tolist(), self.n_columns.tolist()
        check_size("nodes", self.nodes, sum(n_nodes), "node")
        n_mixing = sum(rows * columns for rows, columns in zip(n_nodes, n_columns, strict=True))
        check_size("mixing", self.mixing, n_mixing, "node and column")
        self._check_ranges()
        return self

    def _check_ranges(self) -> None:
        """Raise an error for curves that no fit produces: their cost grows with γ and the outermost node."""
        used = self.n_nodes > 0
        check_that(bool((self.gammas[used] > 0).all()), "gammas must be above 0 for features with nodes")
        n_columns = int(self.n_columns.sum())
        check_that(n_columns <= MAX_COLUMNS, f"n_columns must add up to at most {MAX_COLUMNS}: got {n_columns}")
        first = np.cumsum(self.n_nodes)[used] - self.n_nodes[used]
        if not len(first):
            return
        low, high = np.minimum.reduceat(self.nodes, first), np.maximum.reduceat(self.nodes, first)
        if self.of_differences:
            check_that(bool((low > 0).all()), "nodes of differences must be above 0")
            low = -high
        with np.errstate(over="ignore"):
            widths = np.sqrt(self.gammas[used]) * (high - low)
        check_that(bool((widths <= MAX_NODES / NODES_PER_WIDTH).all()), "gammas are too large for the nodes")

    @classmethod
    def of(cls, feature_map: LrbfMap) -> Self:
        """Concatenate the blocks of the features."""
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
        """Rebuild the map from the blocks of the features."""
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
    """Weights of the features or of the columns of the LRBF kernel, depending on the parameter ``kernel``."""

    coefficients: FloatVector
    columns: LrbfPart | None

    @model_validator(mode="after")
    def _columns_fit(self) -> Self:
        is_lrbf = getattr(self.parameters, "kernel", None) == "lrbf"
        check_that(
            is_lrbf == (self.columns is not None), "columns must be given if the kernel is 'lrbf', and only then"
        )
        if self.columns is None:
            check_size("coefficients", self.coefficients, self.n_features, "feature")
        else:
            check_size("columns.gammas", self.columns.gammas, self.n_features, "feature")
            check_size("coefficients", self.coefficients, sum(self.columns.n_columns.tolist()), "column")
        return self

    @property
    def feature_map(self) -> LrbfMap | None:
        """Map from a document's values to columns; None for the linear kernel."""
        return None if self.columns is None else self.columns.feature_map()

    @staticmethod
    def _columns_of(estimator: Any) -> LrbfPart | None:
        return None if estimator.feature_map_ is None else LrbfPart.of(estimator.feature_map_)
