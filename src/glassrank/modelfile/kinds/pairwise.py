"""PairwiseRanker in a model file."""

import inspect
from importlib import import_module
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, PlainValidator, model_validator

from glassrank.core.additive.scoring import linear_scores
from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.modelfile.codec.model_part import FittedValues, construct, described, fitted_value, parameters_of
from glassrank.modelfile.codec.values import (
    FloatVector,
    PositiveCount,
    Strict,
    as_number,
    check_size,
    check_that,
    shown,
)
from glassrank.modelfile.kinds.trained_ranker import TrainedPart

# Linear estimator -> its module in scikit-learn
LINEAR = {
    "LinearSVC": "svm",
    "SVC": "svm",
    "LinearSVR": "svm",
    "LogisticRegression": "linear_model",
    "SGDClassifier": "linear_model",
    "Perceptron": "linear_model",
    "RidgeClassifier": "linear_model",
    "Ridge": "linear_model",
    "LinearRegression": "linear_model",
    "Lasso": "linear_model",
    "ElasticNet": "linear_model",
}


def _linear_kind(name: str) -> str:
    check_that(name in LINEAR, f"unknown estimator {shown(name)}: expected {', '.join(LINEAR)}")
    return name


def _parameter(value: Any) -> Any:
    if value is None or type(value) in (bool, str):
        return value
    if type(value) not in (int, float):
        raise DataError(f"expected a number, a string, a Boolean or None, got {shown(value)}")
    return as_number(value)


class LinearModelPart(Strict):
    """An unfitted estimator of scikit-learn, with the parameters that differ from their defaults."""

    kind: Annotated[str, AfterValidator(_linear_kind)]
    parameters: dict[str, Annotated[Any, PlainValidator(_parameter)]]

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the class and the parameters of an estimator."""
        name = type(estimator).__name__
        if name not in LINEAR or type(estimator) is not _estimator_class(name):
            raise DataError(
                "The estimator of PairwiseRanker cannot be stored in a model file: expected scikit-learn's "
                f"{', '.join(LINEAR)}, got {described(estimator)}.",
                remedy="Fit one of these.",
            )
        signature = inspect.signature(type(estimator)).parameters
        changed = {key: value for key, value in parameters_of(estimator).items() if value is not signature[key].default}
        return cls(kind=name, parameters=changed)

    def restore(self) -> Any:
        """Rebuild the unfitted estimator."""
        return construct(_estimator_class(self.kind), self.parameters, {})


def _estimator_class(name: str) -> Any:
    return getattr(import_module(f"sklearn.{LINEAR[name]}"), name)


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
