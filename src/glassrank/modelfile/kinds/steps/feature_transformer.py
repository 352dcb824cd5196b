"""FeatureTransformer in a model file."""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from glassrank.core.checks import FloatArray
from glassrank.core.column_transforms import ColumnTransform, Identity, LogTransform, QuantileTransform, Standardise
from glassrank.core.feature_kinds import FeatureKind, FeatureTable, in_levels_of
from glassrank.core.numbered_features import numbered_names
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import FloatVector, PositiveNumber, Strict, check_size, check_that
from glassrank.modelfile.kinds.feature_columns import KindPart
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense

Method = Literal["none", "standard", "log", "quantile", "auto"]


class FeatureTransformerParameters(Strict):
    """Parameters of ``FeatureTransformer``."""

    method: Method
    by_feature: dict[str, Method] | None


class NoTransform(Strict):
    """x ↦ x."""

    method: Literal["none"] = "none"

    def restore(self) -> ColumnTransform:
        return Identity()


class StandardTransform(Strict):
    """x ↦ (x − mean)/deviation."""

    method: Literal["standard"] = "standard"
    mean: FiniteFloat
    deviation: PositiveNumber

    def restore(self) -> ColumnTransform:
        return Standardise(self.mean, float(self.deviation))


class LogPart(Strict):
    """x ↦ (sign(x) · log(1 + |x|/unit) − shift)/scale."""

    method: Literal["log"] = "log"
    unit: PositiveNumber
    shift: FiniteFloat
    scale: PositiveNumber

    def restore(self) -> ColumnTransform:
        return LogTransform(float(self.unit), self.shift, float(self.scale))


class QuantilePart(Strict):
    """Straight lines between knots and normal scores."""

    method: Literal["quantile"] = "quantile"
    knots: FloatVector
    scores: FloatVector

    @model_validator(mode="after")
    def _rises(self) -> Self:
        check_size("scores", self.scores, len(self.knots), "knot")
        check_that(len(self.knots) > 0 and bool((np.diff(self.knots) > 0).all()), "knots must rise")
        check_that(bool((np.diff(self.scores) >= 0).all()), "scores must not fall")
        return self

    def restore(self) -> ColumnTransform:
        return QuantileTransform(self.knots, self.scores)


Transform = Annotated[NoTransform | StandardTransform | LogPart | QuantilePart, Field(discriminator="method")]


def _part(function: ColumnTransform) -> NoTransform | StandardTransform | LogPart | QuantilePart:
    if isinstance(function, Standardise):
        return StandardTransform(mean=function.mean, deviation=function.deviation)
    if isinstance(function, LogTransform):
        return LogPart(unit=function.unit, shift=function.shift, scale=function.scale)
    if isinstance(function, QuantileTransform):
        return QuantilePart(knots=function.knots, scores=function.scores)
    return NoTransform()


class FeatureTransformerPart(StepPart):
    """A fitted ``FeatureTransformer``: the function and the kind of each feature."""

    fitted_attributes: ClassVar = {}

    kind: Literal["FeatureTransformer"] = "FeatureTransformer"
    parameters: FeatureTransformerParameters
    functions: list[Transform]
    kinds: list[KindPart]

    @model_validator(mode="after")
    def _one_per_feature(self) -> Self:
        check_size("functions", self.functions, self.n_features, "feature")
        check_size("kinds", self.kinds, self.n_features, "feature")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.feature_transformer import FeatureTransformer

        return FeatureTransformer

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the functions and kinds of a fitted transformer."""
        given = estimator.by_feature
        return cls(
            **cls._common_fields(estimator, name, by_feature=None if given is None else dict(given)),
            functions=[_part(function) for function in fitted_value(estimator, "functions_")],
            kinds=[KindPart.of(kind) for kind in fitted_value(estimator, "feature_kinds_")],
        )

    def restore(self) -> Any:
        """Rebuild the fitted transformer."""
        return self._made(
            functions_=self._restored,
            methods_=tuple(function.method for function in self.functions),
            feature_kinds_=self._feature_kinds,
        )

    @cached_property
    def _feature_kinds(self) -> tuple[FeatureKind, ...]:
        return tuple(kind.restore() for kind in self.kinds)

    @cached_property
    def _restored(self) -> tuple[ColumnTransform, ...]:
        return tuple(function.restore() for function in self.functions)

    @cached_property
    def _lines(self) -> tuple[FloatArray, FloatArray]:
        """Mean and deviation of each feature that is standardised, 0 and 1 of the others."""
        given = (one if isinstance(one, Standardise) else Standardise(0.0, 1.0) for one in self._restored)
        means, deviations = np.array([(one.mean, one.deviation) for one in given]).T
        return means, deviations

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds of the features in training."""
        return self._feature_kinds

    def apply(self, X: Any) -> Any:
        """Transform a table or a matrix like ``FeatureTransformer.transform``."""
        return self._apply(X)

    def _apply(self, X: Any) -> Any:
        names = numbered_names(self.n_features) if self.feature_names is None else self.feature_names
        values = as_dense(in_levels_of(X, self._feature_kinds, names))
        means, deviations = self._lines
        made = (values - means) / deviations
        for k, function in enumerate(self._restored):
            if not isinstance(function, (Identity, Standardise)):
                made[:, k] = function(values[:, k])
        return FeatureTable(made, self._feature_kinds, X.names) if isinstance(X, FeatureTable) else made
