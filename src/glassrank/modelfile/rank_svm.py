"""RankSVM in a model file."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import FiniteFloat, PlainValidator, model_validator

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.feature_map import LrbfMap
from glassrank.core.gaussian import GaussianColumns
from glassrank.core.scoring import linear_scores, lrbf_scores
from glassrank.modelfile.observed import ObservedPart
from glassrank.modelfile.part import RankerPart, fitted_value, inputs_of, parameters_of
from glassrank.modelfile.values import (
    Count,
    FloatVector,
    IntVector,
    PositiveCount,
    PositiveNumber,
    Strict,
    as_number,
    check_size,
    check_that,
)


def _gamma(value: Any) -> Any:
    return value if value == "scale" else as_number(value)


class RankSVMParameters(Strict):
    """Parameters of ``RankSVM``. The choices are written out: importing the estimator would import scikit-learn."""

    C: PositiveNumber
    kernel: Literal["linear", "lrbf"]
    loss: Literal["squared_hinge", "hinge", "logistic"]
    gamma: Annotated[Any, PlainValidator(_gamma)]
    pair_weight: Literal["uniform", "query", "label-gap", "ndcg"]
    C_unit: Literal["pair", "mean"]
    tol: PositiveNumber
    max_iter: PositiveCount


class RankSVMTraining(Strict):
    """What is known of the training of a ``RankSVM``."""

    n_queries: PositiveCount
    n_pairs: Count
    objective: FiniteFloat
    duality_gap: FiniteFloat
    n_iterations: Count


class LrbfPart(Strict):
    """The columns of the LRBF kernel: one Gaussian precision per feature, and the features' nodes in one row.

    ``mixing`` has the features' matrices one after the other, each row by row: a row per node, a column per column.
    """

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
        return self

    @classmethod
    def of(cls, feature_map: LrbfMap) -> Self:
        """Put the features' blocks into one row."""
        blocks = [block for block in feature_map.blocks if block is not None]
        shapes = [(0, 0) if block is None else block.mixing.shape for block in feature_map.blocks]
        return cls(
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
        return LrbfMap(
            tuple(
                GaussianColumns(gamma, at, values.reshape(n_nodes, n_columns)) if n_columns else None
                for gamma, n_nodes, n_columns, at, values in columns
            )
        )


class RankSVMPart(RankerPart):
    """A fitted ``RankSVM``."""

    kind: Literal["RankSVM"] = "RankSVM"
    parameters: RankSVMParameters
    training: RankSVMTraining
    observed: ObservedPart
    coefficients: FloatVector
    columns: LrbfPart | None

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        self.observed.check_features(self.n_features)
        is_lrbf = self.parameters.kernel == "lrbf"
        check_that(is_lrbf == (self.columns is not None), "columns must be there for the kernel 'lrbf', and only then")
        if self.columns is None:
            check_size("coefficients", self.coefficients, self.n_features, "feature")
        else:
            check_size("columns.gammas", self.columns.gammas, self.n_features, "feature")
            check_size("coefficients", self.coefficients, sum(self.columns.n_columns.tolist()), "column")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.rank_svm import RankSVM

        return RankSVM

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take out of a fitted ``RankSVM`` all that makes it predict, explain itself and be fitted again."""
        coefficients = fitted_value(estimator, "coef_")
        return cls(
            **inputs_of(estimator),
            parameters=RankSVMParameters(**parameters_of(estimator)),
            training=RankSVMTraining(
                n_queries=fitted_value(estimator, "n_queries_"),
                n_pairs=fitted_value(estimator, "n_pairs_"),
                objective=fitted_value(estimator, "objective_"),
                duality_gap=fitted_value(estimator, "duality_gap_"),
                n_iterations=fitted_value(estimator, "n_iter_"),
            ),
            observed=ObservedPart.of(estimator),
            coefficients=coefficients,
            columns=None if estimator.feature_map_ is None else LrbfPart.of(estimator.feature_map_),
        )

    def restore(self) -> Any:
        """Make the fitted ``RankSVM`` again."""
        return self._make(
            self.parameters,
            n_queries_=self.training.n_queries,
            n_pairs_=self.training.n_pairs,
            objective_=self.training.objective,
            duality_gap_=self.training.duality_gap,
            n_iter_=self.training.n_iterations,
            observed_values_=self.observed.restore(),
            coef_=self.coefficients,
            feature_map_=None if self.columns is None else self.columns.feature_map(),
        )

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X as ``RankSVM.predict`` does."""
        if self.columns is None:
            return linear_scores(X, self.coefficients)
        return lrbf_scores(X, self.columns.feature_map(), self.coefficients)
