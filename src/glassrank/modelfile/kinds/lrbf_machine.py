"""Linear and LRBF kernel machines in a model file."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.additive.curve_sum import CurveSum
from glassrank.core.additive.feature_map import MAX_COLUMNS, FeatureMap
from glassrank.core.additive.gaussian_columns import MAX_NODES, NODES_PER_WIDTH, GaussianColumns
from glassrank.core.additive.odd_gaussian_columns import OddGaussianColumns, OddMap
from glassrank.core.feature_kinds import FeatureKind, are_plain
from glassrank.modelfile.codec.values import FloatVector, IntVector, Strict, check_size, check_that
from glassrank.modelfile.kinds.feature_columns import ColumnsPart, FeaturedPart, FeaturesPart, KindPart


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
    def of(cls, gaussians: Sequence[GaussianColumns | None], *, of_differences: bool) -> Self:
        """Concatenate the Gaussian columns of the features."""
        blocks = [block for block in gaussians if block is not None]
        shapes = [(0, 0) if block is None else block.mixing.shape for block in gaussians]
        return cls(
            of_differences=of_differences,
            gammas=np.array([0.0 if block is None else block.gamma for block in gaussians]),
            n_nodes=np.array([rows for rows, _ in shapes], dtype=np.int64),
            n_columns=np.array([columns for _, columns in shapes], dtype=np.int64),
            nodes=np.concatenate([np.zeros(0), *(block.nodes for block in blocks)]),
            mixing=np.concatenate([np.zeros(0), *(block.mixing.ravel() for block in blocks)]),
        )

    def gaussians(self) -> tuple[GaussianColumns | None, ...]:
        """Rebuild the Gaussian columns of each feature."""
        nodes = np.split(self.nodes, np.cumsum(self.n_nodes)[:-1])
        mixing = np.split(self.mixing, np.cumsum(self.n_nodes * self.n_columns)[:-1])
        columns = zip(self.gammas.tolist(), self.n_nodes.tolist(), self.n_columns.tolist(), nodes, mixing, strict=True)
        make = OddGaussianColumns if self.of_differences else GaussianColumns
        return tuple(
            make(gamma, at, values.reshape(n_nodes, n_columns)) if n_columns else None
            for gamma, n_nodes, n_columns, at, values in columns
        )


def check_columns(is_lrbf: bool, columns: LrbfPart | None, n_features: int) -> None:
    """Raise an error unless the LRBF kernel has columns of these features, and the linear one has none."""
    check_that(is_lrbf == (columns is not None), "columns must be given if the kernel is 'lrbf', and only then")
    if columns is not None:
        check_size("columns.gammas", columns.gammas, n_features, "feature")


def check_coefficients(coefficients: FloatVector, feature_map: FeatureMap | None, n_features: int) -> None:
    """Raise an error unless each column of the map, or each feature without one, has a weight."""
    per, expected = ("feature", n_features) if feature_map is None else ("column", feature_map.n_columns)
    check_size("coefficients", coefficients, expected, per)


class KernelMachinePart(FeaturedPart):
    """Weights of the features, or of the columns of curves, categories and missing values.

    ``columns`` are those of the LRBF kernel, ``features`` all others; None if there are none.
    """

    coefficients: FloatVector
    columns: LrbfPart | None

    @model_validator(mode="after")
    def _columns_fit(self) -> Self:
        is_lrbf = getattr(self.parameters, "kernel", None) == "lrbf"
        check_columns(is_lrbf, self.columns, self.n_features)
        check_coefficients(self.coefficients, self.feature_map, self.n_features)
        return self

    @cached_property
    def feature_map(self) -> FeatureMap | None:
        """Map from a document's values to columns; None if they are the values themselves."""
        if self.columns is None and self.features is None:
            return None
        gaussians = (None,) * self.n_features if self.columns is None else self.columns.gaussians()
        if self.columns is not None and self.columns.of_differences:
            return OddMap(gaussians)
        if self.features is None:
            return FeatureMap(gaussians)
        own = zip(self.features.columns, gaussians, strict=True)
        return FeatureMap(tuple(columns.restore(gaussian) for columns, gaussian in own))

    @cached_property
    def curve_sum(self) -> CurveSum | None:
        """Sum of the features' curves, prepared once; None if they are straight lines of the values."""
        return None if self.feature_map is None else CurveSum.of(self.feature_map.curves(self.coefficients))

    @staticmethod
    def _columns_of(estimator: Any) -> dict[str, Any]:
        """Return the fields ``columns`` and ``features`` of a fitted estimator."""
        found, kinds = estimator.feature_map_, estimator.feature_kinds_
        if found is None:
            return {"columns": None, "features": _without_columns(kinds)}
        if isinstance(found, OddMap):
            return {"columns": LrbfPart.of(found.blocks, of_differences=True), "features": _without_columns(kinds)}
        gaussians = [gaussian for _, gaussian in map(ColumnsPart.of, found.blocks)]
        columns = LrbfPart.of(gaussians, of_differences=False) if estimator.kernel == "lrbf" else None
        return {"columns": columns, "features": FeaturesPart.of(kinds, found.blocks)}


def _without_columns(kinds: Sequence[FeatureKind]) -> FeaturesPart | None:
    """Return the kinds of features whose columns are the values themselves; None if all are numbers."""
    if are_plain(kinds):
        return None
    return FeaturesPart(kinds=[KindPart.of(kind) for kind in kinds], columns=[ColumnsPart(linear=1.0) for _ in kinds])
