"""MissingValueFiller: what is missing gets the training rows' median and a column that says so."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import DataError

MARK = "|missing"


class MissingValueFiller(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill missing values by the median of the training rows, mark them, and drop columns that do not vary.

    A column with missing values in training has an indicator, ``name|missing``, after all the filled columns: 1 where
    its value is missing. Columns with one value in training, or none, are dropped, and ``n_constant_`` counts them;
    where the one value is sometimes missing, the indicator stays. A column that was complete in training has no
    indicator: a missing value that it meets later is filled by the median alone.

    >>> filler = MissingValueFiller().fit([[1.0, 7.0], [np.nan, 7.0], [3.0, 7.0]])
    >>> filler.transform([[np.nan, 8.0]]).tolist(), filler.n_constant_
    ([[2.0, 1.0]], 1)
    >>> filler.get_feature_names_out(["clk_CR|mean", "q_len|max"]).tolist()
    ['clk_CR|mean', 'clk_CR|mean|missing']

    Attributes
    ----------
    medians_ : array of shape (n_features_in_,)
        Median of the known values of each column; NaN where none is known.
    kept_ : array of int
        Columns that vary.
    indicated_ : array of int
        Columns with an indicator.
    n_constant_ : int
        Number of columns with one value in training, or none.
    """

    def fit(self, X: Any, y: Any = None) -> "MissingValueFiller":
        """Learn medians, and which columns vary and which have missing values; y is not used."""
        X = validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan")
        missing = np.isnan(X)
        n_missing = missing.sum(axis=0)
        some = np.flatnonzero(n_missing < len(X))
        medians = np.full(X.shape[1], np.nan)
        medians[some] = np.nanmedian(X[:, some], axis=0)
        kept = np.flatnonzero(np.fmin.reduce(X, axis=0) < np.fmax.reduce(X, axis=0))
        indicated = np.flatnonzero((n_missing > 0) & (n_missing < len(X)))
        if len(kept) + len(indicated) == 0:
            raise DataError(
                f"X must have a column that varies: got {X.shape[1]} columns that are constant over "
                f"{len(X)} sample{'s' if len(X) > 1 else ''}. Give more samples or other columns."
            )
        self.medians_, self.kept_, self.indicated_ = medians, kept, indicated
        self.n_constant_ = X.shape[1] - len(kept)
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns that vary, filled, and after them the indicators."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan", reset=False)
        filled = X[:, self.kept_]
        rows, columns = np.nonzero(np.isnan(filled))
        filled[rows, columns] = self.medians_[self.kept_][columns]
        return np.hstack([filled, np.isnan(X[:, self.indicated_]).astype(np.float64)])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns that vary, and after them those of the indicators."""
        check_is_fitted(self)
        names = super().get_feature_names_out(input_features)
        marked = [f"{name}{MARK}" for name in names[self.indicated_]]
        return np.array([*names[self.kept_], *marked], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
