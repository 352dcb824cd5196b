"""PairwiseRanker in a model file."""

from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Discriminator, FiniteFloat, Tag, model_validator

from glassrank.core.additive.feature_map import FeatureMap, LinearColumn, StackedColumns
from glassrank.core.additive.scoring import linear_scores
from glassrank.core.checks import FloatArray, Matrix
from glassrank.modelfile.codec.model_part import FittedValues, construct, fitted_value, parameters_of
from glassrank.modelfile.codec.values import UNNAMED, FloatVector, PositiveCount, Strict, check_that
from glassrank.modelfile.kinds.additive_svc import AdditiveSVCParameters, AdditiveSVCPart
from glassrank.modelfile.kinds.feature_columns import ColumnsPart
from glassrank.modelfile.kinds.lrbf_machine import LrbfPart, check_coefficients, check_columns
from glassrank.modelfile.kinds.sklearn_models.linear_models import LinearModelPart
from glassrank.modelfile.kinds.trained_ranker import TrainedPart

ADDITIVE = "AdditiveSVC"


class PairwiseRankerParameters(Strict):
    """Parameters of ``PairwiseRanker`` besides its estimator."""

    mode: Literal["utility", "difference"] = "utility"


class PairwiseRankerTraining(FittedValues):
    """Results of training a ``PairwiseRanker``."""

    n_queries: PositiveCount
    n_pairs: PositiveCount


class AdditiveMachinePart(Strict):
    """An unfitted ``AdditiveSVC``."""

    kind: Literal["AdditiveSVC"] = "AdditiveSVC"
    parameters: AdditiveSVCParameters

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the parameters."""
        return cls(parameters=AdditiveSVCParameters(**parameters_of(estimator)))

    def restore(self) -> Any:
        """Rebuild the unfitted estimator."""
        return construct(AdditiveSVCPart.estimator_class(), dict(self.parameters), {})


def _machine(value: Any) -> str:
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return ADDITIVE if kind == ADDITIVE else UNNAMED


MachinePart = Annotated[
    Annotated[AdditiveMachinePart, Tag(ADDITIVE)] | Annotated[LinearModelPart, Tag(UNNAMED)], Discriminator(_machine)
]
"""The unfitted estimator; a fault is reported for the kind that the file names, not for both."""


class PairwiseRankerPart(TrainedPart):
    """A fitted ``PairwiseRanker``: weights, in difference mode the intercept, and the estimator to fit it again.

    The fitted estimator, ``estimator_``, is not stored: decisions need only its weights and its intercept. ``columns``
    are those of the LRBF kernel; None if the columns are the differences themselves.
    """

    kind: Literal["PairwiseRanker"] = "PairwiseRanker"
    parameters: PairwiseRankerParameters
    training: PairwiseRankerTraining
    estimator: MachinePart
    coefficients: FloatVector
    intercept: FiniteFloat | None = None
    columns: LrbfPart | None = None

    @model_validator(mode="after")
    def _weights_fit(self) -> Self:
        on_differences = self.parameters.mode == "difference"
        check_that(
            (self.intercept is not None) == on_differences, "intercept must be given in difference mode, and only then"
        )
        is_lrbf = isinstance(self.estimator, AdditiveMachinePart) and self.estimator.parameters.kernel == "lrbf"
        check_columns(is_lrbf, self.columns, self.n_features)
        if self.columns is not None:
            check_that(on_differences, "the kernel 'lrbf' needs the mode 'difference'")
            check_that(not self.columns.of_differences, "columns must not have of_differences: they are not odd")
        check_coefficients(self.coefficients, self.feature_map, self.n_features)
        return self

    @cached_property
    def feature_map(self) -> FeatureMap | None:
        """Map from differences to columns; None if they are the differences themselves."""
        if self.columns is None or not isinstance(self.estimator, AdditiveMachinePart):
            return None
        scale = float(np.sqrt(self.estimator.parameters.linear))
        gaussians = self.columns.gaussians()
        if not scale:
            return FeatureMap(gaussians)
        return FeatureMap(
            tuple(None if one is None else StackedColumns((one, LinearColumn(scale))) for one in gaussians)
        )

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.pairwise import PairwiseRanker

        return PairwiseRanker

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        inner, feature_map = estimator.estimator, getattr(estimator, "feature_map_", None)
        gaussians = () if feature_map is None else [own for _, own in map(ColumnsPart.of, feature_map.blocks)]
        part = AdditiveMachinePart if type(inner) is AdditiveSVCPart.estimator_class() else LinearModelPart
        return {
            "coefficients": fitted_value(estimator, "coef_"),
            "estimator": part.of(inner),
            "intercept": getattr(estimator, "intercept_", None),
            "columns": None if feature_map is None else LrbfPart.of(gaussians, of_differences=False),
        }

    def _learned(self) -> dict[str, Any]:
        if self.intercept is None:
            return {"coef_": self.coefficients}
        return {"coef_": self.coefficients, "intercept_": self.intercept, "feature_map_": self.feature_map}

    def _given(self) -> dict[str, Any]:
        return {"estimator": self.estimator.restore()}

    @property
    def scores_documents(self) -> bool:
        """Whether the ranker can score single documents; in difference mode it compares them."""
        return self.parameters.mode == "utility"

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``PairwiseRanker.predict``."""
        return linear_scores(X, self.coefficients)
