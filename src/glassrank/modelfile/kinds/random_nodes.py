"""Random hidden nodes in a model file, shared by ELMRank and ELMRankCV."""

from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.additive.curve_sum import CurveSum
from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.nodes.hidden_nodes import FullNodes, HiddenNodes, OneFeatureNodes
from glassrank.core.nodes.least_squares import scores
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.parameters import Seed
from glassrank.modelfile.codec.values import (
    FloatVector,
    IntVector,
    PositiveCount,
    PositiveNumber,
    Strict,
    check_size,
    check_that,
)
from glassrank.modelfile.kinds.feature_columns import FeaturedPart, FeaturesPart

ActivationName = Literal["sigmoid", "gaussian", "tanh", "relu", "linear"]
DtypeName = Literal["float64", "float32"]


class NodeParameters(Strict):
    """Parameters that ``ELMRank`` and ``ELMRankCV`` have in common."""

    n_nodes: PositiveCount
    activation: ActivationName
    nodes: Literal["full", "additive"]
    min_count: PositiveCount = 10
    missing: Literal["refuse", "mean"] = "refuse"
    weighting: Literal["pairs", "query", "different-labels"]
    input_range: PositiveNumber | None
    bias_range: PositiveNumber | None
    dtype: DtypeName
    random_state: Seed


class NodesPart(Strict):
    """The random nodes: the input weights and bias of each, and the feature of each additive node.

    The ``inputs`` of full nodes are stored feature by feature: first the weights of all nodes for the first feature.
    """

    activation: ActivationName
    inputs: FloatVector
    biases: FloatVector
    feature: IntVector | None

    @classmethod
    def of(cls, nodes: HiddenNodes) -> Self:
        """Extract the nodes, with their inputs as one vector."""
        return cls.model_validate(
            {
                "activation": nodes.activation,
                "inputs": nodes.inputs.ravel(),
                "biases": nodes.biases,
                "feature": nodes.feature if isinstance(nodes, OneFeatureNodes) else None,
            }
        )

    def restore(self) -> HiddenNodes:
        """Rebuild the nodes."""
        if self.feature is not None:
            return OneFeatureNodes(self.activation, self.inputs, self.biases, self.feature)
        return FullNodes(self.activation, self.inputs.reshape(-1, len(self.biases)), self.biases)

    def check_features(self, n_features: int) -> None:
        """Raise an error if the sizes of the vectors contradict each other or the number of features."""
        n_nodes = len(self.biases)
        check_that(self.inputs.dtype == self.biases.dtype, "inputs and biases must have the same precision")
        if self.feature is None:
            check_size("inputs", self.inputs, n_features * n_nodes, "feature and node")
            return
        check_size("inputs", self.inputs, n_nodes, "node")
        check_size("feature", self.feature, n_nodes, "node")
        known = bool(((self.feature >= 0) & (self.feature < n_features)).all())
        check_that(known, f"feature must contain numbers from 0 to {n_features - 1}")


class NodeRankerPart(FeaturedPart):
    """A ranker with one weight per hidden node, or per column of nodes, levels and missing values."""

    parameters: NodeParameters
    coefficients: FloatVector
    nodes: NodesPart

    @model_validator(mode="after")
    def _nodes_fit(self) -> Self:
        is_additive = self.parameters.nodes == "additive"
        check_that(
            is_additive == (self.nodes.feature is not None),
            "nodes.feature must be given if the nodes are 'additive', and only then",
        )
        needs_a_map = self.features is not None and self.features.need_a_map
        check_that(is_additive or not needs_a_map, "only additive nodes have columns of levels and missing values")
        check_that(needs_a_map or len(self.nodes.biases) > 0, "biases must have an entry for each node: got none")
        self.nodes.check_features(self.n_features)
        if self.nodes.feature is not None:
            kinds = [self.kinds[k] for k in np.unique(self.nodes.feature).tolist()]
            check_that(not any(kind.is_category for kind in kinds), "nodes.feature must not contain categories")
        found = self.feature_map
        per, expected = ("node", len(self.nodes.biases)) if found is None else ("column", found.n_columns)
        check_size("coefficients", self.coefficients, expected, per)
        return self

    @cached_property
    def hidden_nodes(self) -> HiddenNodes:
        """The nodes, rebuilt once."""
        return self.nodes.restore()

    @cached_property
    def curve_sum(self) -> CurveSum | None:
        """Sum of the features' curves, prepared once; None if the model has hidden nodes alone."""
        return None if self.feature_map is None else CurveSum.of(self.feature_map.curves(self.coefficients))

    @cached_property
    def feature_map(self) -> FeatureMap | None:
        """Map from a document's values to columns; None if they are the nodes alone."""
        nodes = self.hidden_nodes
        if self.features is None or not self.features.need_a_map or not isinstance(nodes, OneFeatureNodes):
            return None
        own = enumerate(zip(self.features.columns, self.kinds, strict=True))
        blocks = (part.restore(None if kind.is_category else nodes.columns(k)) for k, (part, kind) in own)
        return FeatureMap(tuple(blocks), nodes.dtype)

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        kinds, made = fitted_value(estimator, "feature_kinds_"), estimator.feature_map_
        return {
            "coefficients": fitted_value(estimator, "coef_"),
            "nodes": NodesPart.of(fitted_value(estimator, "hidden_nodes_")),
            "features": FeaturesPart.of(kinds, [None] * len(kinds) if made is None else made.blocks),
        }

    def _learned(self) -> dict[str, Any]:
        return {
            "coef_": self.coefficients,
            "hidden_nodes_": self.hidden_nodes,
            "feature_map_": self.feature_map,
            "feature_kinds_": self.kinds,
        }

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature: only if each node uses one."""
        return self.parameters.nodes == "additive"

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like the ranker's ``predict``: the hidden layer times the weights."""
        rows = self.rows(X)
        if self.curve_sum is not None:
            return self.curve_sum(rows)
        return np.asarray(scores(self.hidden_nodes, rows, self.coefficients[None, :])[:, 0])
