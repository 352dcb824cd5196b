"""QuantileTransformer, PowerTransformer and SplineTransformer in a model file."""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.parameters import Seed
from glassrank.modelfile.codec.values import Count, FloatVector, PositiveCount, Strict, check_size, check_that
from glassrank.modelfile.kinds.steps.scalers import ScalerParameters, StandardScalerPart
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense

MAX_SPLINES = 1000
# scikit-learn's margin at both ends of the quantiles, for normal scores
BOUND = 1e-7


class QuantileTransformerParameters(ScalerParameters):
    """Parameters of ``QuantileTransformer``."""

    n_quantiles: PositiveCount
    output_distribution: Literal["uniform", "normal"]
    ignore_implicit_zeros: bool
    subsample: PositiveCount | None
    random_state: Seed


class QuantileTransformerPart(StepPart):
    """The share of training rows below x, by straight lines between quantiles, or its normal score."""

    kind: Literal["QuantileTransformer"] = "QuantileTransformer"
    parameters: QuantileTransformerParameters
    references: FloatVector
    """The shares, from 0 to 1."""
    quantiles: FloatVector
    """For each share, the quantile of each feature."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        shares = self.references
        check_that(len(shares) > 0 and bool((np.diff(shares) > 0).all()), "references must rise")
        check_that(bool(shares[0] >= 0) and bool(shares[-1] <= 1), "references must be shares from 0 to 1")
        check_size("quantiles", self.quantiles, len(shares) * self.n_features, "reference and feature")
        check_that(bool((np.diff(self._table(), axis=0) >= 0).all()), "quantiles must not fall")
        return self

    def _table(self) -> FloatArray:
        return self.quantiles.reshape(len(self.references), self.n_features)

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the quantiles."""
        quantiles, references = (fitted_value(estimator, key) for key in ("quantiles_", "references_"))
        return cls(**cls._common_fields(estimator, name), quantiles=quantiles.ravel(), references=references)

    def restore(self) -> Any:
        """Rebuild the fitted transformer."""
        return self._made(
            quantiles_=self._table().copy(), references_=self.references, n_quantiles_=len(self.references)
        )

    def _apply(self, X: Matrix) -> Matrix:
        rows = as_dense(X)
        return np.column_stack([self._column(rows[:, k].copy(), own) for k, own in enumerate(self._table().T)])

    def _column(self, values: FloatArray, quantiles: FloatArray) -> FloatArray:
        """Interpolate in scikit-learn's order of operations, so that results are bitwise equal."""
        normal = self.parameters.output_distribution == "normal"
        with np.errstate(invalid="ignore"):
            below = values - BOUND < quantiles[0] if normal else values == quantiles[0]
            above = values + BOUND > quantiles[-1] if normal else values == quantiles[-1]
        known = ~np.isnan(values)
        some, shares = values[known], self.references
        values[known] = 0.5 * (np.interp(some, quantiles, shares) - np.interp(-some, -quantiles[::-1], -shares[::-1]))
        values[above], values[below] = 1, 0
        if not normal:
            return values
        from scipy.stats import norm

        ends = norm.ppf([BOUND - np.spacing(1), 1 - (BOUND - np.spacing(1))])
        return np.asarray(np.clip(norm.ppf(values), *ends))


class PowerTransformerParameters(ScalerParameters):
    """Parameters of ``PowerTransformer``."""

    method: Literal["yeo-johnson", "box-cox"]
    standardize: bool


class PowerTransformerPart(StepPart):
    """A power of x, with one exponent for each feature, which is then standardised."""

    fitted_attributes: ClassVar = {"exponents": "lambdas_"}

    kind: Literal["PowerTransformer"] = "PowerTransformer"
    parameters: PowerTransformerParameters
    exponents: FloatVector
    scaler: StandardScalerPart | None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        found = self.scaler
        check_that((found is not None) == self.parameters.standardize, "standardize needs scaler, and only then")
        check_that(found is None or found.n_features == self.n_features, "scaler must have the same features")
        return self

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the exponents and the scaler."""
        exponents = fitted_value(estimator, "lambdas_")
        scaler = StandardScalerPart.of(estimator._scaler) if estimator.standardize else None
        return cls(**cls._common_fields(estimator, name), exponents=exponents, scaler=scaler)

    def restore(self) -> Any:
        """Rebuild the fitted transformer."""
        scaler = {} if self.scaler is None else {"_scaler": self.scaler.restore()}
        return self._made(lambdas_=self.exponents, **scaler)

    def _apply(self, X: Matrix) -> Matrix:
        from scipy.special import boxcox
        from scipy.stats import yeojohnson

        rows = as_dense(X).copy()
        if self.parameters.method == "box-cox" and np.nanmin(rows, initial=1.0) <= 0:
            raise DataError("PowerTransformer with the method 'box-cox' needs numbers above 0.", remedy="Shift them.")
        function = boxcox if self.parameters.method == "box-cox" else yeojohnson
        with np.errstate(all="ignore"):
            for k, exponent in enumerate(self.exponents):
                rows[:, k] = function(rows[:, k], exponent)
        return rows if self.scaler is None else self.scaler.apply(rows)


class SplineTransformerParameters(Strict):
    """Parameters of ``SplineTransformer``; ``"given"`` knots are those of the splines."""

    n_knots: PositiveCount
    degree: Count
    knots: Literal["uniform", "quantile", "given"]
    extrapolation: Literal["error", "constant", "linear", "continue", "periodic"]
    include_bias: bool
    order: Literal["C", "F"]
    sparse_output: bool = False
    handle_missing: Literal["error", "zeros"] = "error"


class SplineTransformerPart(StepPart):
    """B-splines of each feature, over knots that include those beyond both ends; scored by scikit-learn."""

    kind: Literal["SplineTransformer"] = "SplineTransformer"
    parameters: SplineTransformerParameters
    knots: list[FloatVector] = Field(min_length=1)

    @model_validator(mode="after")
    def _rise(self) -> Self:
        check_size("knots", self.knots, self.n_features, "feature")
        check_that(len({len(own) for own in self.knots}) == 1, "all features must have the same number of knots")
        lowest = 2 * self.parameters.degree + 2
        check_that(len(self.knots[0]) >= lowest, f"splines of this degree need at least {lowest} knots")
        check_that(len(self.knots[0]) <= MAX_SPLINES, f"a feature must have at most {MAX_SPLINES} knots")
        check_that(all(bool((np.diff(own) >= 0).all()) for own in self.knots), "knots must not fall")
        return self

    @property
    def _n_splines(self) -> int:
        degree = self.parameters.degree
        return len(self.knots[0]) - degree - 1 - (degree if self.parameters.extrapolation == "periodic" else 0)

    @property
    def n_outputs(self) -> int:
        """Number of splines of all features."""
        return self.n_features * (self._n_splines - (0 if self.parameters.include_bias else 1))

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the knots of the splines."""
        splines = fitted_value(estimator, "bsplines_")
        given = estimator.knots if isinstance(estimator.knots, str) else "given"
        return cls(**cls._common_fields(estimator, name, knots=given), knots=[spline.t for spline in splines])

    def restore(self) -> Any:
        """Rebuild the fitted splines."""
        from scipy.interpolate import BSpline

        parameters, degree = self.parameters, self.parameters.degree
        weights = np.eye(self._n_splines)
        if parameters.extrapolation == "periodic":
            weights = np.concatenate((weights, weights[:degree]))
        beyond = parameters.extrapolation in ("periodic", "continue")
        base = np.column_stack([own[degree : len(own) - degree] for own in self.knots])
        return self._made(
            {"knots": base if parameters.knots == "given" else parameters.knots},
            bsplines_=[BSpline.construct_fast(own, weights, degree, extrapolate=beyond) for own in self.knots],
            n_features_out_=self.n_outputs,
        )

    def _apply(self, X: Matrix) -> Matrix:
        made = self.restore().set_output(transform="default")
        # The caller has matched the features to the model by name.
        vars(made).pop("feature_names_in_", None)
        try:
            return made.transform(as_dense(X))
        except ValueError as error:
            raise DataError(f"SplineTransformer cannot transform these values: {error}") from error
