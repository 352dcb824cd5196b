"""FeatureTransformer: standardise, log- or quantile-transform each feature; categories stay as they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import DataError, FloatArray, as_weights, check_choice
from glassrank.core.column_ranges import column_moments
from glassrank.core.column_transforms import (
    AUTO,
    LOG,
    NONE,
    QUANTILE,
    STANDARD,
    ColumnTransform,
    Identity,
    LogTransform,
    Standardise,
    is_heavy_tailed,
    log_unit,
    mean_and_deviation,
    quantile_transform,
)
from glassrank.core.feature_kinds import FeatureKind, FeatureTable, in_levels_of, kinds_of
from glassrank.core.input_types import ArrayLike
from glassrank.core.numbered_features import numbered_names
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.named_rows import category_names, checked_rows, read_frame

TRANSFORMS = (NONE, STANDARD, LOG, QUANTILE, AUTO)


class _TrainingColumns(NamedTuple):
    """Values of a feature by its index, weights of the rows, and, of rows in memory, means and standard deviations."""

    column: Callable[[int], FloatArray]
    weights: FloatArray
    moments: tuple[FloatArray, FloatArray] | None


class FeatureTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Transform each feature by an increasing function, so that nomograms can show its original values.

    ``standard`` gives mean 0 and standard deviation 1. ``log`` standardises sign(x) · log(1 + |x|/unit); the unit is 1,
    or the median size of the values if it is smaller. ``quantile`` maps values to normal scores by their rank in
    training, with straight lines in between. ``none`` changes nothing. ``auto`` is ``log`` for a feature with heavy
    tails (skewness above 2 to either side and a range above 100 times the interquartile range), and ``standard``
    otherwise.

    Missing values stay missing and are ignored in ``fit``. Categories stay as they are, and yes/no values are
    standardised unless the method is ``none``. Row weights count in all statistics.

    Parameters
    ----------
    method : {"standard", "log", "quantile", "none", "auto"}
        Transform of all features that ``by_feature`` does not name.
    by_feature : mapping or None
        Method by feature name, such as ``{"price": "log"}``.

    Attributes
    ----------
    methods_ : tuple of str
        Method of each feature, with the choice of ``auto``.
    functions_ : tuple of callables
        Function of each feature.

    Examples
    --------
    >>> import glassrank as gr
    >>> scaler = gr.FeatureTransformer().fit([[1.0], [3.0], [float("nan")]])
    >>> scaler.transform([[5.0], [float("nan")]]).tolist()
    [[3.0], [nan]]
    """

    n_features_in_: int

    def __init__(self, method: str = STANDARD, by_feature: Mapping[str, str] | None = None) -> None:
        self.method = method
        self.by_feature = by_feature

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the functions from the rows of positive weight; labels are ignored."""
        check_choice("method", self.method, TRANSFORMS)
        column, weights, moments = self._training_columns(X, sample_weight)
        chosen, methods = self._chosen(), []
        functions: list[ColumnTransform] = []
        for k, (method, kind) in enumerate(zip(chosen, self.feature_kinds_, strict=True)):
            values = column(k)
            methods.append(_method(method, kind, values, weights))
            if moments is not None and methods[-1] == STANDARD and not np.isnan(moments[0][k]):
                functions.append(Standardise(float(moments[0][k]), float(moments[1][k])))
            else:
                functions.append(_function(methods[-1], values, weights))
        self.methods_, self.functions_ = tuple(methods), tuple(functions)
        return self

    def _training_columns(self, X: Any, sample_weight: Any) -> "_TrainingColumns":
        """Check the input and return the values of rows of positive weight."""
        if isinstance(X, PartitionedData):
            if sample_weight is not None:
                raise DataError("sample_weight is part of PartitionedData: got another one.", remedy="Omit it.")
            self.n_features_in_, self.feature_kinds_ = X.n_features, X.kinds
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
            weights = np.ones(len(X.row_queries)) if X.row_weights is None else X.row_weights
            if not len(weights):
                raise DataError(f"{X.folder}: no row has a positive weight: there is nothing to learn from.")
            return _TrainingColumns(X.column, weights, None)
        table, values = self._check(X, reset=True)
        weights = (
            np.ones(len(values)) if sample_weight is None else as_weights("sample_weight", sample_weight, len(values))
        )
        counts = weights > 0
        if not counts.all():
            # Otherwise the rows are not copied: they may be very many.
            values, weights = values[counts], weights[counts]
        if not len(values):
            raise DataError("sample_weight is zero for all rows: nothing to learn from.")
        self.feature_kinds_ = kinds_of(table)
        return _TrainingColumns(lambda k: values[:, k], weights, column_moments(values, weights))

    def transform(self, X: ArrayLike) -> Any:
        """Return the transformed features, as a table with their kinds if not all of them are numbers."""
        check_is_fitted(self)
        if isinstance(X, PartitionedData):
            self._check_names(X.feature_names)
            return X.transformed(self.functions_)
        table, values = self._check(X, reset=False)
        values = in_levels_of(table, self.feature_kinds_, self._names())
        # Large data that nothing else uses are not kept beside their transform.
        scratch = isinstance(table, FeatureTable) and table.scratch and values.flags.writeable
        made = _transformed(values, self.functions_, out=values if scratch else np.empty(values.shape))
        if not isinstance(table, FeatureTable):
            return made
        return FeatureTable(made, self.feature_kinds_, table.names, rows=table.rows)

    def _check(self, X: Any, *, reset: bool) -> tuple[Any, FloatArray]:
        """Return the input as a table, if it is one or is ``RankingData``, and as a matrix."""
        declared = [] if reset else category_names(self.feature_kinds_, self._names())
        table = X.table if isinstance(X, RankingData) else read_frame(X, declared)
        checks: dict[str, Any] = {"dtype": "float64", "ensure_all_finite": "allow-nan"}
        if not isinstance(table, FeatureTable):
            values = validate_data(self, table, reset=True, **checks) if reset else checked_rows(self, table, **checks)
            return values, values
        values = check_array(table.values, estimator=self, **checks)
        if reset:
            self.n_features_in_ = len(table.names)
            self.feature_names_in_ = np.array(table.names, dtype=object)
        else:
            self._check_names(table.names)
        return table, values

    def _check_names(self, names: tuple[str, ...]) -> None:
        if names != self._names():
            raise DataError(
                "X must have the features of the training data, in the same order.", expected=self._names(), got=names
            )

    def _names(self) -> tuple[str, ...]:
        known = getattr(self, "feature_names_in_", None)
        return numbered_names(self.n_features_in_) if known is None else tuple(map(str, known))

    def _chosen(self) -> list[str]:
        """Return the method of each feature before ``auto`` chooses."""
        given, names = dict(self.by_feature or {}), self._names()
        for name, method in given.items():
            check_choice(f"by_feature[{name!r}]", method, TRANSFORMS)
            if name not in names:
                raise DataError(
                    f"by_feature must name features of the data: got {name!r}.", parameter="by_feature", got=name
                )
        for name, kind in zip(names, self.feature_kinds_, strict=True):
            if kind.levels and given.get(name, NONE) not in (NONE, *((STANDARD, AUTO) if not kind.is_category else ())):
                raise DataError(
                    f"by_feature must name numbers: {name!r} is {'a category' if kind.is_category else 'yes or no'}.",
                    parameter="by_feature",
                    got=name,
                )
        return [given.get(name, self.method) for name in names]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def as_scratch(X: Any, estimator: Any) -> Any:
    """Let the transformer with which a Pipeline starts overwrite a table that was made for one fit of it.

    Other estimators may read the table several times, and get it unchanged.
    """
    steps: Any = getattr(estimator, "steps", None)
    if not steps or not isinstance(steps[0][1], FeatureTransformer) or not isinstance(X, FeatureTable):
        return X
    values = X.values.view()
    values.flags.writeable = True  # the table may be a read-only view of rows that were copied for the fit
    return replace(X, values=values, scratch=True)


def _transformed(values: FloatArray, functions: Sequence[ColumnTransform], out: FloatArray) -> FloatArray:
    """Apply the function of each column; those that standardise, usually all, in one pass over the rows."""
    others = {k: one(values[:, k]) for k, one in enumerate(functions) if not isinstance(one, Standardise)}
    lines = [(one.mean, one.deviation) if isinstance(one, Standardise) else (0.0, 1.0) for one in functions]
    means, deviations = np.array(lines).T
    np.subtract(values, means, out=out)
    np.divide(out, deviations, out=out)
    for k, column in others.items():
        out[:, k] = column
    return out


def _method(method: str, kind: FeatureKind, values: FloatArray, weights: FloatArray) -> str:
    if kind.is_category or (np.isnan(values[0]) and np.isnan(values).all()):
        return NONE
    if kind.levels:
        return NONE if method == NONE else STANDARD
    if method != AUTO:
        return method
    known = ~np.isnan(values)
    return LOG if is_heavy_tailed(values[known], weights[known]) else STANDARD


def _function(method: str, values: FloatArray, weights: FloatArray) -> ColumnTransform:
    known = ~np.isnan(values)
    values, weights = values[known], weights[known]
    if method == NONE:
        return Identity()
    if method == STANDARD:
        return Standardise(*mean_and_deviation(values, weights))
    if method == QUANTILE:
        return quantile_transform(values, weights)
    plain = LogTransform(log_unit(values, weights))
    return LogTransform(plain.unit, *mean_and_deviation(plain(values), weights))
