"""BestSingleFeature in a model file."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, AliasChoices, Field, FiniteFloat, model_validator

from glassrank.core.additive.scoring import single_feature_scores
from glassrank.core.checks import FloatArray, Matrix
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.values import Count, PositiveCount, Strict, check_that, shown
from glassrank.modelfile.kinds.trained_ranker import TrainedPart


def _direction(value: int) -> int:
    check_that(value in (1, -1), f"expected 1 or -1, got {shown(value)}")
    return value


class BestSingleFeatureParameters(Strict):
    """Parameters of ``BestSingleFeature``."""

    # Older files call this parameter "measure".
    scoring: Annotated[str, Field(validation_alias=AliasChoices("scoring", "measure"))]
    convention: str


class BestSingleFeatureTraining(FittedValues):
    """Results of training a ``BestSingleFeature``."""

    renamed: ClassVar[Mapping[str, str]] = {"value": "training_value_"}

    n_queries: PositiveCount
    value: FiniteFloat


class BestSingleFeaturePart(TrainedPart):
    """A fitted ``BestSingleFeature``; ``feature`` counts from 0."""

    kind: Literal["BestSingleFeature"] = "BestSingleFeature"
    parameters: BestSingleFeatureParameters
    training: BestSingleFeatureTraining
    feature: Count
    direction: Annotated[int, AfterValidator(_direction)]

    @model_validator(mode="after")
    def _feature_exists(self) -> Self:
        check_that(self.feature < self.n_features, f"feature must be below {self.n_features}: got {self.feature}")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.single_feature import BestSingleFeature

        return BestSingleFeature

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        return {"feature": fitted_value(estimator, "feature_"), "direction": fitted_value(estimator, "direction_")}

    def _learned(self) -> dict[str, Any]:
        return {"feature_": self.feature, "direction_": self.direction}

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``BestSingleFeature.predict``."""
        return single_feature_scores(X, self.feature, self.direction)
