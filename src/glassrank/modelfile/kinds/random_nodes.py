"""Random hidden nodes in a model file, shared by ELMRank and ELMRankCV."""

from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator

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
from glassrank.modelfile.kinds.trained_ranker import TrainedPart

ActivationName = Literal["sigmoid", "gaussian", "tanh", "relu", "linear"]
DtypeName = Literal["float64", "float32"]


class NodeParameters(Strict):
    """Parameters that ``ELMRank`` and ``ELMRankCV`` have in common."""

    n_nodes: PositiveCount
    activation: ActivationName
    nodes: Literal["full", "additive"]
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
        check_that(n_nodes > 0, "biases must have an entry for each node: got none")
        check_that(self.inputs.dtype == self.biases.dtype, "inputs and biases must have the same precision")
        if self.feature is None:
            check_size("inputs", self.inputs, n_features * n_nodes, "feature and node")
            return
        check_size("inputs", self.inputs, n_nodes, "node")
        check_size("feature", self.feature, n_nodes, "node")
        known = bool(((self.feature >= 0) & (self.feature < n_features)).all())
        check_that(known, f"feature must contain numbers from 0 to {n_features - 1}")


class NodeRankerPart(TrainedPart):
    """A ranker with one weight per hidden node."""

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
        self.nodes.check_features(self.n_features)
        check_size("coefficients", self.coefficients, len(self.nodes.biases), "node")
        return self

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        return {
            "coefficients": fitted_value(estimator, "coef_"),
            "nodes": NodesPart.of(fitted_value(estimator, "hidden_nodes_")),
        }

    def _learned(self) -> dict[str, Any]:
        return {"coef_": self.coefficients, "hidden_nodes_": self.nodes.restore()}

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like the ranker's ``predict``: the hidden layer times the weights."""
        return np.asarray(scores(self.nodes.restore(), X, self.coefficients[None, :])[:, 0])
