"""PairCalibrator: the probability that one document ranks above another."""

import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import GroupKFold, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d, validate_data

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, as_vector, check_choice, check_positive
from glassrank.core.feature_kinds import FeatureTable
from glassrank.core.groups import group_rows
from glassrank.core.input_types import ArrayLike, Estimator, FoldsLike, RandomState
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.pairs.pair_sample import PairSample, sample_pairs
from glassrank.core.process.freed_memory import release_freed_memory
from glassrank.core.randomness import random_generator
from glassrank.core.row_weights import RowWeights, row_weights
from glassrank.core.setting import setting
from glassrank.core.sigmoid import Sigmoid, fit_sigmoid
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.ranking.absent_method import absent_if
from glassrank.ranking.any_ranker import (
    TrainingLists,
    check_ranker,
    compare_documents,
    compare_rows,
    document_scores,
    fit_ranker,
    is_antisymmetric,
    is_foreign,
    pick_rows,
    scores_documents,
    tolerant,
)
from glassrank.ranking.estimator import CheckedRows, Ranker, counted_rows, no_pair_message, training_groups
from glassrank.ranking.feature_transformer import as_scratch
from glassrank.ranking.named_rows import feature_names, in_codes_of, keep_names, rows_of, training_input
from glassrank.ranking.native_categories import learned_names
from glassrank.ranking.partitioned_rows import check_not_given, refuse_partitions
from glassrank.ranking.query_folds import check_queries_stay_whole, document_folds
from glassrank.ranking.reliability import NoProbabilitiesError, Reliability, measure_reliability
from glassrank.ranking.warm_start import start_from

MANY_PAIRS = 1_000_000  # their arrays take as much memory as a million documents with a few features
PREFIT = "prefit"
# Queries are split into this many parts; the probabilities in a part are measured with a slope from the others.
SLOPE_PARTS = 3


def antisymmetric_sigmoid(outputs: FloatArray, weights: FloatArray) -> Sigmoid:
    """Fit 1/(1 + exp(A f)) to outputs f(better, worse): without an offset, P(a, b) + P(b, a) = 1.

    Only the ratios of the weights matter: the smoothed target depends on the number of pairs.
    """
    return fit_sigmoid(outputs, np.ones(len(outputs), dtype=bool), weights / weights.mean(), fit_offset=False)


def _sigmoid(pairs: "_HeldOutPairs") -> Sigmoid:
    """Fit A and, if the pairs were compared in both orders, B as well."""
    if pairs.reversed is None:
        return antisymmetric_sigmoid(pairs.outputs, pairs.weights)
    outputs = np.concatenate([pairs.outputs, pairs.reversed])
    # Each order counts half, so that a pair counts as much as in an antisymmetric model.
    weights = np.tile(0.5 * pairs.weights / pairs.weights.mean(), 2)
    return fit_sigmoid(outputs, np.arange(len(outputs)) < len(pairs.outputs), weights)


METHODS: dict[str, Callable[["_HeldOutPairs"], Sigmoid]] = {"sigmoid": _sigmoid}


def _why_no_score(model: "PairCalibrator") -> str | None:
    estimator = getattr(model, "estimator_", model.estimator)
    if scores_documents(estimator):
        return None
    name = type(estimator).__name__
    return f"{name} does not score single documents: use decide_pairs(A, B) or predict_pair_proba(A, B)."


class PairCalibrator(MetaEstimatorMixin, Ranker):
    """Add to any ranker the probability that document a ranks above document b.

    P(a above b) = 1/(1 + exp(A f(a, b))), *given that the two differ in label*: pairs of equal labels are ignored. f is
    the difference of the ranker's scores, and A is fitted by maximum likelihood to held-out pairs of documents, in
    folds by query; the final ranker is fitted on all queries. There is no offset, so P(a above b) and P(b above a) add
    up to 1. This is equation 12 of Thuy's "Feature selection with ranking support vector machine visualization", with
    B = 0. A ranker for which f(b, a) ≠ −f(a, b), ``PairwiseRanker(mode="difference")``, has the paper's own
    P(a above b) = 1/(1 + exp(A f(a, b) + B)), with A and B fitted to both orders of each pair. The two probabilities of
    such a pair need not add up to 1.

    Parameters
    ----------
    estimator : ranker
        A ranker of glassrank, LightGBM or XGBoost, a regressor, or a Pipeline that ends in one of them; with
        ``cv="prefit"`` also a function from rows to scores.
    method : "sigmoid"
        How outputs are converted to probabilities.
    cv : int, splitter, iterable of splits or "prefit"
        Folds that keep each query whole; with a single query, a number makes folds of its documents. ``"prefit"`` uses
        the estimator without fitting it; the data passed to ``fit`` must not be its training data. If it is a ranker of
        another library that was fitted to codes of categories, the data must have the same codes.
    max_pairs : int or None
        Maximum number of pairs per query, drawn at random; None uses every comparable pair.
    random_state : int, numpy generator or None
        Random seed of that draw, of the folds of a single query and of the intervals of the reliability.

    Attributes
    ----------
    slope_ : float
        A, always negative: if held-out pairs put it at 0 or above, so that P would reverse the order, ``fit`` raises an
        error with their accuracy. The log-odds of a above b are −(A f(a, b) + B).
    offset_ : float
        B; 0 unless the ranker is not antisymmetric.
    calibration_ : Reliability
        Brier score, log-loss, accuracy and reliability of the probabilities on the held-out pairs.
    estimator_ : ranker
        The ranker, fitted on all queries.
    feature_kinds_ : tuple of FeatureKind
        Kinds and levels of the features, only if a ranker of LightGBM, XGBoost or HistGradientBoosting is fitted to
        the codes of these levels. It is told which features are categories.

    Examples
    --------
    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 20, random_state=0).data
    >>> model = gr.PairCalibrator(gr.RankSVM(), random_state=0).fit(data)
    >>> a, b = data.X[:1], data.X[1:2]
    >>> float(model.predict_pair_proba(a, b)[0] + model.predict_pair_proba(b, a)[0])
    1.0
    """

    def __init__(
        self,
        estimator: Estimator,
        method: str = "sigmoid",
        cv: FoldsLike = 3,
        *,
        max_pairs: int | None = 500,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.max_pairs = max_pairs
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query.

        Row weights are passed to every fit of the ranker, which must accept them; in the fit of A a pair has the weight
        v_i · v_j. Rows of weight 0 are ignored. ``calibration_`` is unweighted.
        """
        self._check_parameters()
        rows = self._check_rows(X, y, qid, sample_weight)
        rng = random_generator(self.random_state)
        prefit, before = isinstance(self.cv, str), getattr(self._before, "estimator_", None)
        held_out = self._held_out_pairs(rows, rng, before)
        sigmoid = METHODS[self.method](held_out)
        if sigmoid.slope >= 0 and self._before is None:
            raise NoProbabilitiesError.of(held_out.outputs, sigmoid.slope)
        self.slope_, self.offset_ = sigmoid.slope, sigmoid.offset
        if self._before is None:
            log_odds = _cross_fitted_log_odds(held_out, METHODS[self.method])
            self.calibration_ = _measure(log_odds, held_out, rng)
            del log_odds
        n_pairs = len(held_out.outputs)
        del held_out
        if n_pairs > MANY_PAIRS:
            release_freed_memory()
        # Last, because this fit may overwrite the rows of a resample. The pairs need not be in memory beside it.
        self.estimator_ = self.estimator if prefit else _fit(self.estimator, rows, start=before)
        self.n_queries_ = rows.groups.n_queries
        return self

    _before: "PairCalibrator | None" = None

    def as_replicate_of(self, fitted: "PairCalibrator") -> Self:
        """Let ``fit`` start from the same model, fitted to similar rows, and leave out ``calibration_``.

        This is for resamples, of which only the effects are used. A clone does both again.
        """
        self._before = fitted
        return self

    @absent_if(_why_no_score)
    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents as the ranker does; higher ranks first."""
        check_is_fitted(self)
        return document_scores(self.estimator_, self._rows(X))

    @property
    def antisymmetric(self) -> bool:
        """Whether f(b, a) = −f(a, b), so that P(a above b) and P(b above a) add up to 1."""
        return is_antisymmetric(getattr(self, "estimator_", self.estimator))

    def decide_pairs(self, A: ArrayLike, B: ArrayLike) -> FloatArray:
        """Return f(a, b): score of each row of ``A`` minus that of the same row of ``B``; positive means A above B."""
        check_is_fitted(self)
        return compare_documents(self.estimator_, self._rows(A), self._rows(B))

    def predict_pair_proba(self, A: ArrayLike, B: ArrayLike) -> FloatArray:
        """Return the probability that each row of ``A`` ranks above the same row of ``B``, given different labels."""
        outputs = self.decide_pairs(A, B)
        return Sigmoid(self.slope_, self.offset_)(outputs)

    def reliability(self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> Reliability:
        """Measure the probabilities on new data, to which neither the ranker nor the slope was fitted."""
        check_is_fitted(self)
        if qid is None and self.n_queries_ > 1:
            raise DataError(f"reliability needs qid: the model was fitted on {self.n_queries_} queries.")
        y = as_vector("y", y, _num_samples(X))
        rng = random_generator(self.random_state)
        pairs = sample_pairs(y, group_rows(qid, len(y)), self.max_pairs, rng)
        if len(pairs) == 0:
            raise DataError(f"Reliability needs a query with two different labels: got none in {len(y)} rows.")
        found = _compare(self.estimator_, self._rows(X), pairs, np.ones(len(y)), pairs.query)
        return _measure(found.log_odds(Sigmoid(self.slope_, self.offset_)), found, rng)

    def _rows(self, X: Any) -> Any:
        """Return rows for the ranker; a ranker of another library knows levels only by their codes in training."""
        rows = rows_of(self, X)
        if not hasattr(self, "feature_kinds_") or learned_names(self.estimator_):
            return rows
        return FeatureTable(in_codes_of(self, rows), self.feature_kinds_, feature_names(self))

    def _keep_levels(self, X: Any) -> None:
        """Store the levels whose codes a ranker of another library is fitted to; ours store their own."""
        if isinstance(X, FeatureTable) and is_foreign(self.estimator) and any(kind.is_category for kind in X.kinds):
            self.feature_kinds_ = X.kinds
        elif hasattr(self, "feature_kinds_"):
            del self.feature_kinds_

    def _check_parameters(self) -> None:
        check_choice("method", self.method, METHODS)
        if self.max_pairs is not None:
            check_positive("max_pairs", self.max_pairs, whole=True)
        if isinstance(self.cv, str):
            check_choice("cv", self.cv, [PREFIT])
        elif isinstance(self.cv, numbers.Integral) and int(self.cv) < 2:
            raise DataError(parameter="cv", expected="at least 2 folds", got=self.cv)
        check_ranker(self.estimator, fitted=isinstance(self.cv, str))

    def _check_rows(self, X: Any, y: Any, qid: Any, sample_weight: Any) -> CheckedRows:
        """Check labels, queries and weights; the ranker checks the values of X, which therefore keeps its type."""
        if isinstance(X, PartitionedData):
            return self._check_partitions(X, y, qid, sample_weight)
        X, y, qid, sample_weight, names = training_input(X, y, qid, sample_weight)
        X, y = validate_data(self, X, y, skip_check_array=True)
        keep_names(self, names)
        self._keep_levels(X)
        (X,) = indexable(X)
        y = as_vector("y", column_or_1d(y, warn=True), _num_samples(X))
        groups = training_groups(qid, len(y))
        if comparable_pairs(y, groups).sum() == 0:
            raise DataError(no_pair_message(y, groups))
        weights = row_weights(sample_weight, len(y))
        return CheckedRows(*counted_rows(weights, X, y, groups), weights)

    def _check_partitions(self, data: PartitionedData, *given: Any) -> CheckedRows:
        """Check partitioned data; labels, queries and weights are in memory, features are not."""
        check_not_given(given)
        data.check_judged("Training data")
        self.n_features_in_, self.feature_names_in_ = data.n_features, np.array(data.feature_names, dtype=object)
        rows = TrainingLists.of(data)
        if rows.groups.n_queries == 1:
            refuse_partitions(data, "Folds of the documents of one query", "Load the data into memory.")
        return CheckedRows(data, rows.y, rows.groups, RowWeights(None, rows.weights, len(rows.y)))

    def _held_out_pairs(self, rows: CheckedRows, rng: np.random.Generator, start: Any) -> "_HeldOutPairs":
        """Compare pairs of documents in each fold by a ranker fitted to the other folds."""
        X, y, parts = rows.X, rows.y, []
        row_weight = np.ones(len(y)) if rows.weights.values is None else rows.weights.values
        for train, test in self._folds(rows, rng):
            pairs = sample_pairs(y[test], rows.groups.pick(test), self.max_pairs, rng)
            if len(pairs) > 0:
                ranker = self.estimator if train is None else _fit(self.estimator, rows, train, start=start)
                query = rows.groups.of_row[test][pairs.better]
                parts.append(_compare(ranker, pick_rows(X, test), pairs, row_weight[test], query))
        if not parts:
            raise DataError(
                f"None of the {self.cv} folds has a pair of documents with different labels.", remedy="Use fewer folds."
            )
        return _HeldOutPairs.joined(parts)

    def _folds(self, rows: CheckedRows, rng: np.random.Generator) -> list[tuple[IntArray | None, IntArray]]:
        """Return training and held-out rows; None as training rows of a fitted model."""
        y, groups = rows.y, rows.groups
        if isinstance(self.cv, str):
            return [(None, np.arange(len(y)))]
        if not isinstance(self.cv, numbers.Integral):
            splitter = check_cv(rows.weights.translate(self.cv))
        elif groups.n_queries == 1:
            return document_folds(y, int(self.cv), rng)
        elif groups.n_queries < int(self.cv):
            raise DataError(
                f"{self.cv} folds by query need {self.cv} queries: got {groups.n_queries}.",
                remedy=("Add judged queries", f"lower {setting('cv')}"),
            )
        else:
            splitter = GroupKFold(int(self.cv))
        X = y[:, None] if isinstance(rows.X, PartitionedData) else rows.X
        folds = list(splitter.split(X, y, groups.ids[groups.of_row]))
        check_queries_stay_whole(folds, groups)
        return folds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


@dataclass(frozen=True, eq=False)
class _HeldOutPairs:
    """Outputs f(better, worse) of pairs that the ranker was not trained on."""

    outputs: FloatArray
    weights: FloatArray
    query: IntArray
    n_comparable: int
    reversed: FloatArray | None = None
    """Outputs f(worse, better), if the ranker is not antisymmetric."""

    @classmethod
    def joined(cls, parts: list["_HeldOutPairs"]) -> "_HeldOutPairs":
        """Join the pairs of several folds."""
        reversed_parts = [part.reversed for part in parts if part.reversed is not None]
        return cls(
            np.concatenate([part.outputs for part in parts]),
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.query for part in parts]),
            sum(part.n_comparable for part in parts),
            np.concatenate(reversed_parts) if reversed_parts else None,
        )

    def pick(self, pairs: BoolArray) -> "_HeldOutPairs":
        """Return some of the pairs."""
        other = None if self.reversed is None else self.reversed[pairs]
        return replace(
            self, outputs=self.outputs[pairs], weights=self.weights[pairs], query=self.query[pairs], reversed=other
        )

    def log_odds(self, sigmoid: Sigmoid) -> FloatArray:
        """Return the log-odds of each pair's true order; two columns if the pairs were compared in both orders."""
        found = sigmoid.log_odds(self.outputs)
        return found if self.reversed is None else np.column_stack([found, -sigmoid.log_odds(self.reversed)])


def _compare(ranker: Any, X: Any, pairs: PairSample, row_weight: FloatArray, query: IntArray) -> _HeldOutPairs:
    """Compare the drawn pairs of held-out rows."""
    return _HeldOutPairs(
        compare_rows(ranker, X, pairs.better, pairs.worse),
        row_weight[pairs.better] * row_weight[pairs.worse],
        query,
        int(pairs.n_comparable.sum()),
        None if is_antisymmetric(ranker) else compare_rows(ranker, X, pairs.worse, pairs.better),
    )


def _measure(log_odds: FloatArray, pairs: _HeldOutPairs, rng: np.random.Generator) -> Reliability:
    """Measure the probabilities; both orders of a pair count, if it was compared in both."""
    n_orders = 1 if pairs.reversed is None else 2
    return measure_reliability(log_odds.ravel(), np.repeat(pairs.query, n_orders), pairs.n_comparable * n_orders, rng)


def _fit(estimator: Any, rows: CheckedRows, train: IntArray | None = None, *, start: Any = None) -> Any:
    """Fit a clone of the ranker to all rows, or to the training rows; ``start`` is the same one, fitted to others."""
    X, y, groups, weights = rows.X, rows.y, rows.groups, rows.weights.values
    if train is not None:
        X, y, groups = as_scratch(pick_rows(X, train), estimator), y[train], groups.pick(train)
        weights = None if weights is None else weights[train]
    ranker = start_from(clone(estimator), start)
    return fit_ranker(ranker if train is None else tolerant(ranker), X, y, groups, weights)


def _cross_fitted_log_odds(pairs: _HeldOutPairs, fit: Callable[[_HeldOutPairs], Sigmoid]) -> FloatArray:
    """Return the log-odds of each pair's true order, by a slope from other queries (from all, if there is one part)."""
    part = pairs.query % SLOPE_PARTS
    log_odds = np.empty(len(part) if pairs.reversed is None else (len(part), 2))
    for number in np.unique(part):
        inside = part == number
        others = inside if inside.all() else ~inside
        # Other queries that would reverse the order are too few: all queries then give the slope.
        sigmoid = fit(pairs.pick(others))
        log_odds[inside] = pairs.pick(inside).log_odds(sigmoid if sigmoid.slope < 0 else fit(pairs))
    return log_odds
