"""Steps of a Pipeline that work column by column: scalers, transforms, selectors."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.curves import Affine, ColumnFunction
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.column_transforms import Identity, Standardise
from glassrank.nomograms.adapters.column_curves import CurveColumn, carry_back
from glassrank.nomograms.adapters.terms import Terms, refuse

Step = Callable[[Any, Terms], Terms]
PROBE_ROWS = 8
# Attributes of fitted transformers whose last axis has one entry per column.
PER_COLUMN = (
    *("data_max_", "data_min_", "data_range_", "lambdas_", "max_abs_", "mean_", "min_", "quantiles_", "scale_", "var_"),
)


def standard_scaler(step: Any, terms: Terms) -> Terms:
    """(x − mean)/scale."""
    return _affine(step, terms, step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None)


def robust_scaler(step: Any, terms: Terms) -> Terms:
    """(x − centre)/scale."""
    centre = step.center_ if step.with_centering else None
    return _affine(step, terms, centre, step.scale_ if step.with_scaling else None)


def max_abs_scaler(step: Any, terms: Terms) -> Terms:
    """x/scale."""
    if getattr(step, "clip", False):
        return _sliced(step, terms)
    return _affine(step, terms, None, step.scale_)


def min_max_scaler(step: Any, terms: Terms) -> Terms:
    """x · scale + shift, clipped to the range if ``clip`` is set."""
    if step.clip:
        return _sliced(step, terms)
    made = [
        CurveColumn(k, Affine(float(a), float(b))) for k, (a, b) in enumerate(zip(step.scale_, step.min_, strict=True))
    ]
    return carry_back("MinMaxScaler", terms, len(made), made)


def nonlinear_transformer(step: Any, terms: Terms) -> Terms:
    """PowerTransformer, QuantileTransformer: one function per column."""
    return _sliced(step, terms)


def feature_transformer(step: Any, terms: Terms) -> Terms:
    """glassrank's own transforms; standardised features keep straight lines."""
    made = [CurveColumn(k, _as_affine(function)) for k, function in enumerate(step.functions_)]
    return carry_back("FeatureTransformer", terms, len(made), made)


def _as_affine(function: ColumnFunction) -> ColumnFunction:
    if isinstance(function, Identity):
        return Affine(1.0)
    if isinstance(function, Standardise):
        return Affine(1.0 / function.deviation, -function.mean / function.deviation)
    return function


def spline_transformer(step: Any, terms: Terms) -> Terms:
    """Several B-splines per column, whose weighted sum is one curve."""
    n_inputs = int(step.n_features_in_)
    n_splines = int(step.n_features_out_) // n_inputs
    made = [
        CurveColumn(k, OneColumn(_one_column(step, k, n_features_out_=n_splines), j))
        for k in range(n_inputs)
        for j in range(n_splines)
    ]
    return carry_back("SplineTransformer", terms, n_inputs, made)


def function_transformer(step: Any, terms: Terms) -> Terms:
    """An elementwise function, such as np.log1p."""
    n_inputs = terms.n_features
    if step.func is None:
        return carry_back("FunctionTransformer", terms, n_inputs, [CurveColumn(k) for k in range(n_inputs)])
    function = ElementFunction(step.func, tuple((step.kw_args or {}).items()))
    if not isinstance(step.func, np.ufunc):
        _refuse_mixing(function, n_inputs)
    return carry_back("FunctionTransformer", terms, n_inputs, [CurveColumn(k, function) for k in range(n_inputs)])


def selector(step: Any, terms: Terms) -> Terms:
    """Some columns, unchanged; the lines of the others become points."""
    support = np.asarray(step.get_support())
    kept = [CurveColumn(int(k)) for k in np.flatnonzero(support)]
    return carry_back(type(step).__name__, terms, len(support), kept)


@dataclass(frozen=True)
class OneColumn:
    """One output of a fitted transformer that was reduced to one input column."""

    transformer: Any
    output: int = 0

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        # A transformer that refuses missing values has no effect of them.
        refused = np.isnan(values) & (getattr(self.transformer, "handle_missing", None) == "error")
        made = self.transformer.transform(np.where(refused, 0.0, values).reshape(-1, 1))
        dense = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        return np.where(refused, np.nan, np.asarray(dense[:, self.output], dtype=np.float64).reshape(values.shape))


@dataclass(frozen=True)
class ElementFunction:
    """A user's function, applied as scikit-learn does, to a matrix of one column."""

    function: Callable[..., Any]
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        made = self.function(values.reshape(-1, 1), **dict(self.options))
        return np.asarray(made, dtype=np.float64).reshape(values.shape)


def _affine(step: Any, terms: Terms, centre: FloatArray | None, scale: FloatArray | None) -> Terms:
    width = int(step.n_features_in_)
    scales = np.ones(width) if scale is None else 1.0 / np.asarray(scale, dtype=np.float64)
    shifts = np.zeros(width) if centre is None else -np.asarray(centre) * scales
    made = [CurveColumn(k, Affine(float(scales[k]), float(shifts[k]))) for k in range(width)]
    return carry_back(type(step).__name__, terms, width, made)


def _sliced(step: Any, terms: Terms) -> Terms:
    width = int(step.n_features_in_)
    made: list[CurveColumn] = [CurveColumn(k, _sliced_function(step, k)) for k in range(width)]
    return carry_back(type(step).__name__, terms, width, made)


def _sliced_function(step: Any, k: int) -> ColumnFunction:
    return OneColumn(_one_column(step, k))


def _one_column(step: Any, k: int, **changed: Any) -> Any:
    """Return a copy of a fitted transformer that has column k only, and computes the same for it."""
    width = step.n_features_in_
    single = copy.copy(step)
    for name, value in vars(step).items():
        if name == "_scaler":
            setattr(single, name, _one_column(value, k))
        elif name.endswith("_") and isinstance(value, list) and len(value) == width:
            setattr(single, name, [value[k]])
        elif name in PER_COLUMN:
            setattr(single, name, None if value is None else np.asarray(value)[..., [k]])
    if hasattr(single, "feature_names_in_"):
        del single.feature_names_in_
    single.n_features_in_ = 1
    for name, value in changed.items():
        setattr(single, name, value)
    # The caller's choice of output, such as a data frame, does not apply here.
    return single.set_output(transform="default") if hasattr(single, "set_output") else single


def _refuse_mixing(function: ElementFunction, width: int) -> None:
    """Raise an error if a function gives other results on several columns than on each alone, for random numbers."""
    probe = np.random.default_rng(0).uniform(0.1, 0.9, size=(PROBE_ROWS, width))
    try:
        together = np.asarray(function.function(probe.copy(), **dict(function.options)), dtype=np.float64)
        apart = np.stack([function(column) for column in probe.T], axis=1)
        alike = together.shape == apart.shape and np.allclose(together, apart, rtol=1e-12, atol=0.0, equal_nan=True)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise _mixing(function, f"it fails on a matrix of {width} columns or of one: {error}") from error
    if not alike:
        raise _mixing(function, "its result for a column depends on the other columns, or on which column it is")


def _mixing(function: ElementFunction, why: str) -> DataError:
    name = getattr(function.function, "__name__", repr(function.function))
    return refuse(
        f"FunctionTransformer({name})",
        why,
        "Use an elementwise function, such as np.log1p; to transform some columns only, use a ColumnTransformer.",
    )
