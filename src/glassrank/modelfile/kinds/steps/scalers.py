"""scikit-learn's column-wise scalers in a model file."""

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, PlainValidator, model_validator
from scipy import sparse

from glassrank.core.checks import FloatArray, Matrix
from glassrank.modelfile.codec.values import (
    FloatVector,
    PositiveCount,
    Range,
    Strict,
    as_floats,
    as_positive,
    check_that,
    shown,
)
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense


def _number_seen(value: Any) -> Any:
    """Validate the number of training rows (or sum of weights); one per feature if values were missing."""
    if isinstance(value, (list, np.ndarray)):
        return as_floats(value)
    return as_positive(value)


NumberSeen = Annotated[Any, PlainValidator(_number_seen)]


class ScalerParameters(Strict):
    """The parameter of all scalers; the alias is needed because pydantic defines ``copy`` itself."""

    copy_input: bool = Field(alias="copy")


class StandardScalerParameters(ScalerParameters):
    """Parameters of ``StandardScaler``."""

    with_mean: bool
    with_std: bool


class StandardScalerPart(StepPart):
    """(x − mean) / scale."""

    fitted_attributes: ClassVar = {
        "mean": "mean_",
        "variance": "var_",
        "scale": "scale_",
        "n_samples_seen": "n_samples_seen_",
    }

    kind: Literal["StandardScaler"] = "StandardScaler"
    parameters: StandardScalerParameters
    mean: FloatVector | None
    variance: FloatVector | None
    scale: FloatVector | None
    n_samples_seen: NumberSeen

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        check_that(not self.parameters.with_mean or self.mean is not None, "with_mean needs mean")
        check_that(not self.parameters.with_std or self.scale is not None, "with_std needs scale")
        return _check_divisor(self)

    def restore(self) -> Any:
        """Rebuild the fitted scaler."""
        scaler = super().restore()
        # partial_fit requires a NumPy number.
        scaler.n_samples_seen_ = np.asarray(self.n_samples_seen)[()]
        return scaler

    def _apply(self, X: Matrix) -> Matrix:
        """Centre and divide like ``StandardScaler.transform``."""
        mean = self.mean if self.parameters.with_mean else None
        return _centre_and_divide(X, mean, self.scale if self.parameters.with_std else None)


class RobustScalerParameters(ScalerParameters):
    """Parameters of ``RobustScaler``."""

    with_centering: bool
    with_scaling: bool
    quantile_range: Range
    unit_variance: bool


class RobustScalerPart(StepPart):
    """(x − centre) / scale."""

    fitted_attributes: ClassVar = {"centre": "center_", "scale": "scale_"}

    kind: Literal["RobustScaler"] = "RobustScaler"
    parameters: RobustScalerParameters
    centre: FloatVector | None
    scale: FloatVector | None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        check_that(not self.parameters.with_centering or self.centre is not None, "with_centering needs centre")
        check_that(not self.parameters.with_scaling or self.scale is not None, "with_scaling needs scale")
        return _check_divisor(self)

    def _apply(self, X: Matrix) -> Matrix:
        """Centre and divide like ``RobustScaler.transform``."""
        centre = self.centre if self.parameters.with_centering else None
        return _centre_and_divide(X, centre, self.scale if self.parameters.with_scaling else None)


class MaxAbsScalerParameters(ScalerParameters):
    """Parameters of ``MaxAbsScaler``."""

    clip: bool = False


class MaxAbsScalerPart(StepPart):
    """x / scale, optionally clipped to [−1, 1]."""

    fitted_attributes: ClassVar = {"max_abs": "max_abs_", "scale": "scale_", "n_samples_seen": "n_samples_seen_"}

    kind: Literal["MaxAbsScaler"] = "MaxAbsScaler"
    parameters: MaxAbsScalerParameters
    max_abs: FloatVector
    scale: FloatVector
    n_samples_seen: PositiveCount

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        return _check_divisor(self)

    def _apply(self, X: Matrix) -> Matrix:
        """Divide and clip like ``MaxAbsScaler.transform``."""
        scaled = _centre_and_divide(X, None, self.scale)
        if self.parameters.clip:
            values = scaled.data if sparse.issparse(scaled) else scaled
            np.clip(values, -1.0, 1.0, out=values)
        return scaled


class MinMaxScalerParameters(ScalerParameters):
    """Parameters of ``MinMaxScaler``."""

    feature_range: Range
    clip: bool


class MinMaxScalerPart(StepPart):
    """x · scale + shift, optionally clipped to the range."""

    fitted_attributes: ClassVar = {
        "shift": "min_",
        "scale": "scale_",
        "data_min": "data_min_",
        "data_max": "data_max_",
        "data_range": "data_range_",
        "n_samples_seen": "n_samples_seen_",
    }

    kind: Literal["MinMaxScaler"] = "MinMaxScaler"
    parameters: MinMaxScalerParameters
    shift: FloatVector
    scale: FloatVector
    data_min: FloatVector
    data_max: FloatVector
    data_range: FloatVector
    n_samples_seen: PositiveCount

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        low, high = self.parameters.feature_range
        check_that(low < high, f"feature_range must increase: got {shown(low)} to {shown(high)}")
        check_that(bool((self.scale > 0).all()), "scale must be above 0")
        return self

    def _apply(self, X: Matrix) -> Matrix:
        """Multiply, add and clip like ``MinMaxScaler.transform``."""
        scaled = as_dense(X) * self.scale
        scaled += self.shift
        if self.parameters.clip:
            np.clip(scaled, *self.parameters.feature_range, out=scaled)
        return scaled


def _check_divisor(part: Any) -> Any:
    check_that(part.scale is None or bool((part.scale > 0).all()), "scale must be above 0: values are divided by it")
    return part


def _centre_and_divide(X: Matrix, centre: FloatArray | None, scale: FloatArray | None) -> Matrix:
    """(X − centre) / scale in scikit-learn's order of operations, so that results are bitwise equal."""
    if sparse.issparse(X) and centre is None:
        scaled = X.copy()
        if scale is not None:
            scaled.data *= (1.0 / scale).take(scaled.indices)
        return scaled
    dense = as_dense(X)
    scaled = dense.copy() if centre is None else dense - centre
    if scale is not None:
        scaled /= scale
    return scaled
