"""BestSingleFeature in a model file."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, FiniteFloat, model_validator

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.scoring import single_feature_scores
from glassrank.modelfile.observed import ObservedPart
from glassrank.modelfile.part import RankerPart, fitted_value, inputs_of, parameters_of
from glassrank.modelfile.values import Count, PositiveCount, Strict, check_that, shown


def _direction(value: int) -> int:
    check_that(value in (1, -1), f"expected 1 or -1, got {shown(value)}")
    return value


class BestSingleFeatureParameters(Strict):
    """Parameters of ``BestSingleFeature``."""

    measure: str
    convention: str


class BestSingleFeatureTraining(Strict):
    """What is known of the training of a ``BestSingleFeature``."""

    n_queries: PositiveCount
    value: FiniteFloat


class BestSingleFeaturePart(RankerPart):
    """A fitted ``BestSingleFeature``; ``feature`` counts from 0."""

    kind: Literal["BestSingleFeature"] = "BestSingleFeature"
    parameters: BestSingleFeatureParameters
    training: BestSingleFeatureTraining
    observed: ObservedPart
    feature: Count
    direction: Annotated[int, AfterValidator(_direction)]

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        self.observed.check_features(self.n_features)
        check_that(self.feature < self.n_features, f"feature must be below {self.n_features}: got {self.feature}")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.single_feature import BestSingleFeature

        return BestSingleFeature

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take out of a fitted ``BestSingleFeature`` all that makes it predict, explain itself and be fitted again."""
        return cls(
            **inputs_of(estimator),
            parameters=BestSingleFeatureParameters(**parameters_of(estimator)),
            training=BestSingleFeatureTraining(
                n_queries=fitted_value(estimator, "n_queries_"), value=fitted_value(estimator, "training_value_")
            ),
            observed=ObservedPart.of(estimator),
            feature=fitted_value(estimator, "feature_"),
            direction=fitted_value(estimator, "direction_"),
        )

    def restore(self) -> Any:
        """Make the fitted ``BestSingleFeature`` again."""
        return self._make(
            self.parameters,
            n_queries_=self.training.n_queries,
            training_value_=self.training.value,
            observed_values_=self.observed.restore(),
            feature_=self.feature,
            direction_=self.direction,
        )

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X as ``BestSingleFeature.predict`` does."""
        return single_feature_scores(X, self.feature, self.direction)
