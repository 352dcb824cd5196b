"""QueryScaler: per-query scaling as a scikit-learn transformer."""

from typing import Any, Self

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import check_choice
from glassrank.core.groups import group_rows
from glassrank.core.input_types import ArrayLike
from glassrank.core.within_query_scaling import METHODS, scale_within_queries


class QueryScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale each feature within each query: ``"minmax"`` to [0, 1], or ``"zscore"``.

    Each query is scaled by its own values, so the scaler learns nothing from the training rows and ``transform`` needs
    ``qid`` too (``None`` means one query). To scale all rows together, use scikit-learn's ``StandardScaler`` or
    ``MinMaxScaler``.

    >>> QueryScaler("minmax").fit_transform([[1.0], [3.0], [7.0], [8.0]], qid=[1, 1, 2, 2]).ravel().tolist()
    [0.0, 1.0, 0.0, 1.0]
    """

    def __init__(self, method: str = "minmax") -> None:
        self.method = method

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, qid: ArrayLike | None = None) -> Self:
        """Check the input; there is nothing to learn."""
        check_choice("method", self.method, METHODS)
        X = validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan")
        group_rows(qid, X.shape[0])
        return self

    def transform(self, X: ArrayLike, qid: ArrayLike | None = None) -> ArrayLike:
        """Scale each query of ``X`` by its own values."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan", reset=False)
        return scale_within_queries(X, group_rows(qid, X.shape[0]), self.method)

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None, qid: ArrayLike | None = None) -> ArrayLike:
        """Scale each query of ``X`` by its own values."""
        return self.fit(X, y, qid).transform(X, qid)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
