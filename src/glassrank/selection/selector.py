"""The base of all selectors: check the data, rank features by score, keep the best n."""

import numbers
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix, as_vector
from glassrank.core.feature_kinds import kinds_of, values_of
from glassrank.core.groups import Groups, group_rows
from glassrank.core.input_types import ArrayLike
from glassrank.core.numbered_features import NUMBERED, are_numbered
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.row_weights import row_weights
from glassrank.core.setting import setting
from glassrank.ranking.estimator import counted_rows, no_pair_message
from glassrank.ranking.named_rows import feature_names, keep_names, training_input


class FeatureSelector(SelectorMixin, BaseEstimator):
    """Base class of selectors that score each feature and keep those with the highest scores.

    With ``qid``, labels are judgements and are compared only within queries; without it, they are classes. Features may
    have missing values (NaN) and, in RankingData, be categories; each selector says how it scores them.
    """

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Score the features by labels y: judgements of the documents of each query, or classes if qid is None.

        Rows have weights v_i, and pairs of documents v_i · v_j. Rows of weight 0 are ignored.
        """
        rows, labels, groups, weights = self._check_training_data(X, y, qid, sample_weight)
        n_kept = number_to_select(self.n_features_to_select, rows.shape[1])
        self.scores_ = self._feature_scores(rows, labels, groups, weights)
        self.ranking_ = places_by_score(self.scores_, feature_names(self))
        self.support_ = self.ranking_ <= n_kept
        self.n_features_ = n_kept
        return self

    @abstractmethod
    def _feature_scores(self, X: Matrix, labels: Any, groups: Groups | None, weights: FloatArray | None) -> FloatArray:
        """Score each feature; with ``groups``, ``labels`` are numbers, and otherwise class codes 0, 1, 2 …."""

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_

    def _check_training_data(
        self, X: Any, y: Any, qid: Any, sample_weight: Any
    ) -> tuple[Matrix, Any, Groups | None, FloatArray | None]:
        table, y, qid, sample_weight, names = training_input(X, y, qid, sample_weight)
        checks: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
        X, y = validate_data(self, values_of(table), y, dtype="float64", **checks)
        if sparse.issparse(X) and np.isnan(X.data).any():
            raise DataError("Missing values need a dense matrix: got a sparse one.", remedy="Use X.toarray().")
        keep_names(self, names)
        self.feature_kinds_ = kinds_of(X) if names is None else kinds_of(table)
        weights = row_weights(sample_weight, X.shape[0])
        if qid is None:
            return weights.pick(X), _class_codes(weights.pick(y)), None, weights.values
        y, groups = as_vector("y", y, X.shape[0]), group_rows(qid, X.shape[0])
        if comparable_pairs(y, groups).sum() == 0:
            raise DataError(no_pair_message(y, groups))
        return *counted_rows(weights, X, y, groups), weights.values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags


def places_by_score(scores: FloatArray, names: tuple[str, ...]) -> IntArray:
    """Return the rank of each feature, from 1 for the highest score; ties are broken by name.

    >>> places_by_score(np.array([0.2, 0.9, 0.2]), ("url", "bm25", "age")).tolist()
    [3, 1, 2]
    """
    places = np.empty(len(scores), dtype=np.int64)
    # Numbers in names sort by value: "feature 10" comes after "feature 2".
    alphabet = np.array([int(name.removeprefix(NUMBERED)) for name in names] if are_numbered(names) else names)
    places[np.lexsort((alphabet, -scores))] = np.arange(1, len(scores) + 1)
    return places


def number_to_select(asked: Any, n_features: int) -> int:
    """Return how many features to keep, given a number, a share, or None for half of them.

    >>> number_to_select(3, 10), number_to_select(0.25, 10), number_to_select(None, 10)
    (3, 2, 5)
    """
    if asked is None:
        return max(1, n_features // 2)
    if isinstance(asked, numbers.Integral):
        if not isinstance(asked, bool) and 1 <= int(asked) <= n_features:
            return int(asked)
    elif isinstance(asked, numbers.Real) and 0.0 < float(asked) < 1.0:
        return max(1, int(n_features * float(asked)))
    raise DataError(
        parameter="n_features_to_select",
        expected=f"a whole number from 1 to {n_features}, a share between 0 and 1, or None for half of the features",
        got=asked,
    )


def _class_codes(y: Any) -> IntArray:
    if type_of_target(y).startswith("continuous"):
        raise DataError(
            f"Without qid, labels are classes, and y has {len(np.unique(y))} values that are not whole numbers.",
            remedy=f"Pass {setting('qid')} if labels are judgements of documents, or convert them to classes.",
        )
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"Selection needs at least two classes in y: got one class, {classes[0]}, in {len(codes)} rows."
        )
    return np.asarray(codes, dtype=np.int64)
