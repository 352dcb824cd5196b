"""AdditiveSVC in a model file."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import FiniteFloat, model_validator

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.sigmoid import Sigmoid
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.parameters import Gamma, Seed, folds
from glassrank.modelfile.codec.values import (
    Count,
    Number,
    PositiveCount,
    PositiveNumber,
    Strict,
    check_that,
)
from glassrank.modelfile.kinds.class_labels import ClassesPart
from glassrank.modelfile.kinds.lrbf_machine import KernelMachinePart
from glassrank.modelfile.kinds.steps.step_part import as_dense


class AdditiveSVCParameters(Strict):
    """Parameters of ``AdditiveSVC``."""

    C: PositiveNumber
    kernel: Literal["linear", "lrbf"]
    loss: Literal["squared_hinge", "hinge"]
    gamma: Gamma
    linear: Number = 0.0
    min_count: PositiveCount = 10
    missing: Literal["refuse", "mean"] = "refuse"
    cv: Annotated[Any, folds(None)]
    random_state: Seed
    tol: PositiveNumber
    max_iter: PositiveCount


class AdditiveSVCTraining(FittedValues):
    """Results of training an ``AdditiveSVC``."""

    renamed: ClassVar[Mapping[str, str]] = {"n_iterations": "n_iter_"}

    objective: FiniteFloat
    duality_gap: FiniteFloat
    n_iterations: Count


class AdditiveSVCPart(KernelMachinePart):
    """A fitted ``AdditiveSVC``; ``slope`` and ``offset`` are None if it has no probabilities."""

    kind: Literal["AdditiveSVC"] = "AdditiveSVC"
    parameters: AdditiveSVCParameters
    training: AdditiveSVCTraining
    intercept: FiniteFloat
    slope: FiniteFloat | None
    offset: FiniteFloat | None
    classes: ClassesPart

    @model_validator(mode="after")
    def _sigmoid_is_complete(self) -> Self:
        check_that((self.slope is None) == (self.offset is None), "slope and offset must both be given, or neither")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.additive_svc import AdditiveSVC

        return AdditiveSVC

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        (coefficients,), (intercept,) = fitted_value(estimator, "coef_"), fitted_value(estimator, "intercept_")
        return {
            "coefficients": coefficients,
            **cls._columns_of(estimator),
            "intercept": float(intercept),
            "slope": fitted_value(estimator, "slope_"),
            "offset": fitted_value(estimator, "offset_"),
            "classes": ClassesPart.of(fitted_value(estimator, "classes_")),
        }

    def _learned(self) -> dict[str, Any]:
        return {
            "coef_": self.coefficients[None, :],
            "feature_map_": self.feature_map,
            "feature_kinds_": self.kinds,
            "intercept_": np.array([self.intercept]),
            "slope_": self.slope,
            "offset_": self.offset,
            "classes_": self.classes.restore(),
        }

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``AdditiveSVC.decision_function``."""
        rows, feature_map = self.rows(X), self.feature_map
        columns = rows if feature_map is None else feature_map(as_dense(rows))
        outputs = np.asarray(columns @ self.coefficients + self.intercept)
        if self.slope is None or self.offset is None:
            return outputs
        return Sigmoid(self.slope, self.offset).log_odds(outputs)
