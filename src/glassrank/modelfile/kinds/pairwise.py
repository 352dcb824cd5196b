"""PairwiseRanker in a model file."""

from typing import Any, Literal, Self

from pydantic import model_validator

from glassrank.core.additive.scoring import linear_scores
from glassrank.core.checks import FloatArray, Matrix
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.values import FloatVector, PositiveCount, Strict, check_size
from glassrank.modelfile.kinds.sklearn_models.linear_models import LinearModelPart
from glassrank.modelfile.kinds.trained_ranker import TrainedPart


class NoParameters(Strict):
    """``PairwiseRanker`` has no parameters besides its estimator."""


class PairwiseRankerTraining(FittedValues):
    """Results of training a ``PairwiseRanker``."""

    n_queries: PositiveCount
    n_pairs: PositiveCount


class PairwiseRankerPart(TrainedPart):
    """A fitted ``PairwiseRanker``: the weights of the features, and the estimator needed to fit it again.

    The fitted linear estimator, ``estimator_``, is not stored: scores need only its weights.
    """

    kind: Literal["PairwiseRanker"] = "PairwiseRanker"
    parameters: NoParameters
    training: PairwiseRankerTraining
    estimator: LinearModelPart
    coefficients: FloatVector

    @model_validator(mode="after")
    def _weights_fit(self) -> Self:
        check_size("coefficients", self.coefficients, self.n_features, "feature")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.pairwise import PairwiseRanker

        return PairwiseRanker

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        return {"estimator": LinearModelPart.of(estimator.estimator), "coefficients": fitted_value(estimator, "coef_")}

    def _learned(self) -> dict[str, Any]:
        return {"coef_": self.coefficients}

    def _given(self) -> dict[str, Any]:
        return {"estimator": self.estimator.restore()}

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``PairwiseRanker.predict``."""
        return linear_scores(X, self.coefficients)
