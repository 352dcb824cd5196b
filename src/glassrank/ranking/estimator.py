"""The base of all rankers: checks of training data, comparison and ranking of documents, and pair accuracy."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, Matrix, as_vector, as_weights
from glassrank.core.column_ranges import column_ranges
from glassrank.core.feature_kinds import FeatureKind, FeatureTable, kinds_of, row_numbers, values_of
from glassrank.core.groups import Groups, group_rows
from glassrank.core.input_types import ArrayLike
from glassrank.core.pairs.concordance import pair_accuracy_per_query
from glassrank.core.pairs.label_levels import has_comparable_pair
from glassrank.core.pairs.pair_decisions import Decide, accuracy_of_decisions, positions, rank_by_wins
from glassrank.core.row_weights import RowWeights, row_weights
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.feature_columns import TrainingColumns
from glassrank.ranking.named_rows import feature_names, keep_names, training_input

MOST_ROWS_WITHOUT_QID = 10_000  # more rows of one list are likely to be those of several queries


class CheckedRows(NamedTuple):
    """Checked training data of a ranker: the rows of positive weight."""

    X: Matrix
    y: FloatArray
    groups: Groups
    weights: RowWeights
    names: tuple[str, ...] = ()
    """Names of the features, also if the model does not keep them."""
    kinds: tuple[FeatureKind, ...] = ()
    largest: FloatArray | None = None
    """Largest absolute value of each feature, if it is known."""

    def columns(self, gaps: BoolArray) -> TrainingColumns:
        """Return the features, from which the columns of a fit are made; ``gaps`` get an effect of missing values."""
        return TrainingColumns(self.X, self.kinds, self.names, self.groups, self.weights.values, gaps)

    def pick(self, rows: IntArray) -> "CheckedRows":
        """Return some of the rows, such as those of a fold."""
        values = None if self.weights.values is None else self.weights.values[rows]
        weights = RowWeights(None, values, len(rows))
        own: dict[str, Any] = {"X": self.X[rows], "y": self.y[rows], "groups": self.groups.pick(rows)}
        return self._replace(**own, weights=weights, largest=None)


class Ranker(BaseEstimator):
    """Base of estimators that rank documents, by scores (higher first) or by comparing pairs."""

    @property
    def antisymmetric(self) -> bool:
        """Whether f(b, a) = −f(a, b), so that it does not matter in which order two documents are compared."""
        return True

    def decide_pairs(self, A: ArrayLike, B: ArrayLike) -> FloatArray:
        """Return the score of each row of ``A`` minus that of the same row of ``B``; positive means A above B."""
        first, second = self.predict(A), self.predict(B)
        if len(first) != len(second):
            raise DataError(f"A and B must have one row per pair: got {len(first)} and {len(second)} rows.")
        return finite_scores(np.subtract, first, second)

    def rank(self, X: ArrayLike, qid: ArrayLike | None = None) -> IntArray:
        """Return the position of each document in its query, 1 for the best; ``qid=None`` means one query.

        Documents are sorted by score; equal scores keep the order of the rows. A model that does not score single
        documents compares all pairs of a query and sorts by wins minus losses (Copeland), then by the sum of
        ``decide_pairs``, then by row. A model that is not antisymmetric compares each pair in both orders.
        """
        check_is_fitted(self)
        X, qid = (X, X.groups) if isinstance(X, RankingData) else (*indexable(X), qid)
        groups = group_rows(qid, _num_rows(X))
        if hasattr(self, "predict"):
            return positions(groups, self.predict(X))
        return rank_by_wins(self._decisions_on(X), groups, antisymmetric=self.antisymmetric)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the pair accuracy: the share of pairs with different labels ordered correctly, mean over queries.

        Ties count half. Queries without a comparable pair are ignored. With row weights, the weight of a pair is
        w_i · w_j. A model that is not antisymmetric compares each pair in both orders, and each counts half.
        """
        check_is_fitted(self)
        _, y, qid, sample_weight, _ = training_input(X, y, qid, sample_weight)
        if qid is None and self.n_queries_ > 1:
            raise DataError(
                f"score needs qid: the model was fitted on {self.n_queries_} queries.",
                remedy=(
                    f"With GridSearchCV: sklearn.set_config({setting('enable_metadata_routing', True)}) and "
                    f"set_score_request({setting('qid', True)})."
                ),
            )
        X = X if isinstance(X, RankingData) else indexable(X)[0]
        y = as_vector("y", y, _num_rows(X))
        groups = group_rows(qid, len(y))
        weights = None if sample_weight is None else as_weights("sample_weight", sample_weight, len(y))
        if hasattr(self, "predict"):
            accuracy = pair_accuracy_per_query(y, self.predict(X), groups, weights)
        else:
            decide = self._decisions_on(X)
            accuracy = accuracy_of_decisions(decide, y, groups, weights, antisymmetric=self.antisymmetric)
        if np.isnan(accuracy).all():
            raise DataError(no_pair_message(y, groups))
        return float(np.nanmean(accuracy))

    def _decisions_on(self, X: Any) -> Decide:
        """Return ``decide_pairs`` as a function of pairs of row numbers of X."""
        if isinstance(X, RankingData):
            return lambda first, second: self.decide_pairs(X.pick_rows(first), X.pick_rows(second))
        return lambda first, second: self.decide_pairs(_safe_indexing(X, first), _safe_indexing(X, second))

    def _check_training_data(self, X: Any, y: Any, qid: Any, sample_weight: Any) -> CheckedRows:
        """Check the data, drop rows of weight 0, and raise an error if no two documents can be compared."""
        # The pass over X that finds the ranges of its columns also finds out whether all values are finite.
        checks: dict[str, Any] = {"accept_sparse": "csr", "y_numeric": True, "ensure_all_finite": False}
        X, y, qid, sample_weight, names = training_input(X, y, qid, sample_weight, read_frames=True)
        table = X if isinstance(X, FeatureTable) else None
        X, y = validate_data(self, values_of(X), y, dtype="float64", order="C", **checks)
        keep_names(self, names)
        kinds = kinds_of(X) if table is None else table.kinds
        self._keep_kinds(kinds)
        ranges = column_ranges(X)
        if sparse.issparse(X) or not ranges.finite:
            if not self._learns_missing(X):
                self._refuse_missing(X, None if table is None else table.rows)
            assert_all_finite(X, allow_nan=True, estimator_name=type(self).__name__, input_name="X")
        y = as_vector("y", y, X.shape[0])
        groups = training_groups(qid, X.shape[0])
        if not has_comparable_pair(y, groups):
            raise DataError(no_pair_message(y, groups))
        weights = row_weights(sample_weight, len(y))
        if weights.rows is not None:
            X, y, groups = counted_rows(weights, X, y, groups)
            ranges = column_ranges(X)
        self.n_queries_ = groups.n_queries
        observed = ObservedValues(*ranges) if ranges.finite else ObservedValues.of(X)
        self.observed_values_ = observed.weighted(X, weights.values)
        names = feature_names(self) if table is None else table.names
        return CheckedRows(X, y, groups, weights, names, kinds, ranges.largest if ranges.finite else None)

    def _learns_missing(self, X: Matrix) -> bool:
        """Whether the model learns an effect of missing values; those of a sparse matrix are an error."""
        return get_tags(self).input_tags.allow_nan and not sparse.issparse(X)

    def _refuse_missing(self, X: Matrix, numbers: IntArray | None) -> None:
        """Raise an error for missing values, with the first feature that has some and the first of its rows."""
        absent = np.isnan(X.toarray() if sparse.issparse(X) else X)
        columns = np.flatnonzero(absent.any(axis=0))
        if not len(columns):
            return
        name, rows = feature_names(self)[columns[0]], np.flatnonzero(absent[:, columns[0]])
        first = row_numbers(numbers, len(absent))[rows[0]]
        needed, instead = "known values", f"{self._for_real_data}, which learns an effect of missing values"
        if get_tags(self).input_tags.allow_nan:
            needed, instead = "a matrix that is not sparse", "pass X.toarray() to learn an effect of missing values"
        raise DataError(
            f"{type(self).__name__} needs {needed} for this: feature {name!r} has "
            f"{counted(len(rows), 'missing value')} (NaN), the first in row {first}.",
            parameter="X",
            remedy=("Fill them", instead),
        )

    def _keep_kinds(self, kinds: tuple[FeatureKind, ...]) -> None:
        """Store the kinds of the features, or raise an error for a category if the model needs numbers."""
        if hasattr(self, "min_count"):
            self.feature_kinds_ = kinds
        k = next((k for k, kind in enumerate(kinds) if kind.is_category), None)
        if k is not None and not self._takes_categories:
            raise DataError(
                f"{type(self).__name__} needs numbers: feature {feature_names(self)[k]!r} is a category.",
                remedy=("Leave it out", self._for_real_data),
            )

    @property
    def _takes_categories(self) -> bool:
        return hasattr(self, "min_count")

    @property
    def _for_real_data(self) -> str:
        """What to use instead for categories and missing values."""
        return "use RankSVM"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = hasattr(self, "missing")
        tags.target_tags.required = True
        return tags


def training_groups(qid: Any, n_rows: int) -> Groups:
    """Group the rows of a fit by query, and warn if so many rows have no queries that this is likely to be an error."""
    if qid is None and n_rows > MOST_ROWS_WITHOUT_QID:
        warnings.warn(
            f"All {n_rows:,} rows form one list, because there is no qid: every row is compared with every other one. "
            "Pass the query of each row as qid or, if this is what you want, the same value for all rows.",
            UserWarning,
            stacklevel=4,
        )
    return group_rows(qid, n_rows)


def counted_rows(weights: RowWeights, X: Any, y: FloatArray, groups: Groups) -> tuple[Any, FloatArray, Groups]:
    """Return the rows of positive weight; raise an error if they have no comparable pair."""
    if weights.rows is None:
        return X, y, groups
    y, groups = y[weights.rows], groups.pick(weights.rows)
    if not has_comparable_pair(y, groups):
        raise DataError("sample_weight is zero for a document of every comparable pair: nothing to learn from.")
    return _safe_indexing(X, weights.rows), y, groups


def _num_rows(X: Any) -> int:
    return X.n_rows if isinstance(X, RankingData) else _num_samples(X)


def no_pair_message(y: FloatArray, groups: Groups) -> str:
    """Return a message that says why no two documents can be compared, with counts."""
    return nothing_to_compare(len(y), groups.n_queries, float(y.min()), float(y.max()))


def nothing_to_compare(n_rows: int, n_queries: int, lowest: float, highest: float) -> str:
    """Return why no two of so many rows can be compared, given their lowest and highest label.

    >>> nothing_to_compare(1200, 1, 0.0, 0.0)
    'Ranking needs at least two different labels in y: all 1,200 rows of 1 query have the label 0.'
    """
    rows, queries = counted(n_rows, "row"), counted(n_queries, "query", "queries")
    if n_rows == 1:
        return "Ranking needs at least two documents to compare: got 1 sample."
    if lowest == highest:
        return f"Ranking needs at least two different labels in y: all {rows} of {queries} have the label {lowest:g}."
    return (
        f"Ranking needs a query with two different labels: {rows} in {queries} have labels from {lowest:g} to "
        f"{highest:g}, but none of the queries has more than one. Is qid correct?"
    )


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line that called the estimator's method."""
    warnings.warn(message, category, stacklevel=3)
