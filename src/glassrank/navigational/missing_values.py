"""MissingValueFiller: fill missing values with the training median, and add indicator columns."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.input_types import ArrayLike
from glassrank.navigational.preparation import fill


class MissingValueFiller(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill missing values with the median of the training rows, add indicators, and drop columns that do not vary.

    A column with missing values in training gets an indicator, ``name|missing``, after all the filled columns: 1 if its
    value is missing. Columns that are missing in exactly the same rows share the indicator of the first. Columns with
    at most one value in training are dropped, and ``n_constant_`` counts them; if that value is sometimes missing, the
    indicator stays. A column that was complete in training has no indicator; later missing values are only filled.
    ``CouplingStudy`` and ``NavigationalClassifier`` prepare their features in this way, and merge identical columns.

    >>> filler = MissingValueFiller().fit([[1.0, 7.0], [np.nan, 7.0], [3.0, 7.0]])
    >>> filler.transform([[np.nan, 8.0]]).tolist(), filler.n_constant_
    ([[2.0, 1.0]], 1)
    >>> filler.get_feature_names_out(["clk_CR|mean", "q_len|max"]).tolist()
    ['clk_CR|mean', 'clk_CR|mean|missing']

    Attributes
    ----------
    preparation_ : the source of each output column, and the medians.
    n_constant_ : number of columns with at most one value in training.
    """

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the medians, the columns that vary and those with missing values; y is ignored."""
        X = validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan")
        self.preparation_ = fill(X)
        self.n_constant_ = self.preparation_.n_constant
        return self

    def transform(self, X: ArrayLike) -> ArrayLike:
        """Return the filled columns that vary, followed by the indicators."""
        check_is_fitted(self)
        return self.preparation_(validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan", reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns that vary, followed by those of the indicators."""
        check_is_fitted(self)
        names = tuple(super().get_feature_names_out(input_features))
        return np.array(self.preparation_.names(names), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
