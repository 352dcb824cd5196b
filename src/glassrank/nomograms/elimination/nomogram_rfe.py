"""NomogramRFE: drop features one after the other, starting with the shortest line in the nomogram."""

import numbers
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import delayed
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d, validate_data

from glassrank.core.additive.effects import LENGTHS
from glassrank.core.checks import DataError, FloatArray, IntArray, as_matrix, as_vector, check_choice, check_positive
from glassrank.core.feature_kinds import FeatureTable, values_of
from glassrank.core.groups import group_rows
from glassrank.core.input_types import ArrayLike, Estimator, FoldsLike, RandomState
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.randomness import random_seed
from glassrank.core.row_weights import RowWeights, row_weights
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.elimination.carried_features import find_carried
from glassrank.nomograms.elimination.criterion import PAIR_ACCURACY, Scoring
from glassrank.nomograms.elimination.eliminated import EliminationResult, NestedEstimate, describe
from glassrank.nomograms.elimination.fits import can_be_followed, columns, fit, restricted
from glassrank.nomograms.elimination.missing_input import refuse_missing, takes_missing
from glassrank.nomograms.elimination.path import (
    BEST,
    PAIR,
    QUERY,
    Elimination,
    Plan,
    check_keep,
    eliminate,
    in_parallel,
    nested_score,
)
from glassrank.nomograms.elimination.training_rows import Rows, folds_of, resamples
from glassrank.ranking.absent_method import Reason, absent_if
from glassrank.ranking.any_ranker import check_ranker
from glassrank.ranking.estimator import counted_rows, no_pair_message
from glassrank.ranking.feature_columns import missing_columns
from glassrank.ranking.named_rows import feature_names, keep_names, rows_of, training_input
from glassrank.ranking.query_folds import check_folds

FOLD_UNITS = (QUERY, PAIR)


def _why_no(name: str) -> Reason:
    """Return a function that says why the fitted estimator, or the one to be fitted, lacks a method."""

    def reason(model: "NomogramRFE") -> str | None:
        try:
            getattr(getattr(model, "estimator_", model.estimator), name)
        except AttributeError as error:
            return str(error)
        return None

    return reason


class NomogramRFE(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Nomogram-based recursive feature elimination for any additive ranker or classifier.

    Fit to all features s, and drop the feature with the shortest line in the nomogram from s. Repeat until s is empty;
    of equally long lines, the one with the lowest index is dropped first. Each fold does the same with its training
    rows and scores every number of features on its held-out rows. The number with the best mean over folds is kept, in
    the order of all rows. ``keep="literal"`` is Table 1 of Thuy's "Feature selection with ranking support vector
    machine visualization": the folds score the subsets of the order of all rows, which has seen the held-out ones.

    ``RankSVM`` with squared hinge or logistic loss, alone or after column-by-column scalers in a Pipeline, is not
    refitted: its minimum is followed from subset to subset, to the same coefficients. Other estimators are refitted
    each time. If they have a tolerance, set it to 1e-7 or less; otherwise the order of weak features is arbitrary.

    Parameters
    ----------
    estimator : ranker or binary classifier
        Any model that ``glassrank.effects`` supports.
    step : int or float
        Number of features to drop in each round; below 1, a share of all features, at least one.
    min_features_to_select : int
        Number of features at which the elimination stops.
    cv : int, splitter or iterable of splits
        Folds of whole queries; of documents if there is only one query; for a classifier, of rows stratified by class.
    scoring : str
        Measure of ``glassrank.evaluate``; for a classifier also "accuracy", "f1" and "auc" ("pair_accuracy" is the
        same as "auc" there). The second class is the positive one.
    n_jobs : int or None
        Number of folds, outer folds or bootstraps to process in parallel, in threads.
    length : {"query", "global", "central", "pair-difference"} or None
        How the length of a line is measured, as in ``AdditiveEffects.lengths``. None means "query" for rankers and
        "global" for classifiers.
    keep : {"best", "one-se", "literal"} or int
        Number of features to keep: that with the best mean, of equal ones the fewest; the fewest that lose at most one
        standard error of the difference, paired over queries, and at most 0.002; by Table 1 as printed, which takes a
        smaller subset only if it is better, and may keep features without any effect; or this many.
    fold_unit : {"query", "pair"}
        "pair" splits single pairs, as the source does. Training and held-out pairs then share documents, and the scores
        are far too optimistic: use it only to reproduce the source.
    nested : bool
        Repeat the whole elimination without each outer fold, and score its selection on that fold: ``nested_score_``.
    n_bootstraps : int
        Number of resamples on which to repeat the elimination and count how often each feature is kept: ``stability_``.
    convention : str
        Convention of a ranking measure.
    random_state : int, numpy generator or None
        Random seed of the folds of a classifier or of pairs, and of the bootstraps.

    Attributes
    ----------
    support_ : ndarray of bool
        Which features are kept.
    ranking_ : ndarray of int
        1 for kept features, 2 for those dropped last, and so on; the features dropped first have the largest rank.
    elimination_order_ : ndarray of int
        Features in the order in which they are dropped, all but the last ``min_features_to_select``.
    cv_results_ : dict of arrays
        ``n_features``, ``mean_test_score``, ``std_test_score`` and ``split<i>_test_score``, by increasing number of
        features.
    selection_score_ : float
        Mean over folds for the kept features. They were chosen by it, so it is optimistic and not an estimate.
    nested_score_, nested_scores_, nested_std_ : float, ndarray, float
        The estimate with ``nested=True``: mean over the outer folds, score of each, and their standard deviation.
    stability_ : ndarray of float
        With ``n_bootstraps``: share of the bootstraps in which each feature is kept.
    n_features_ : int
        Number of kept features.
    estimator_ : estimator
        The estimator, fitted to the kept features of all rows.
    result_ : EliminationResult
        All of this as text, as a table (``to_frame``) and as a picture (``chart``).

    Examples
    --------
    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 20, random_state=0).data
    >>> rfe = gr.NomogramRFE(gr.RankSVM()).fit(data)
    >>> data.pick_features(rfe.get_feature_names_out()).n_features == rfe.n_features_
    True
    """

    def __init__(
        self,
        estimator: Estimator,
        step: int | float = 1,
        min_features_to_select: int = 1,
        cv: FoldsLike = 3,
        scoring: str = PAIR_ACCURACY,
        n_jobs: int | None = None,
        *,
        length: str | None = None,
        keep: str | int = BEST,
        fold_unit: str = QUERY,
        nested: bool = False,
        n_bootstraps: int = 0,
        convention: str = "standard",
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.step = step
        self.min_features_to_select = min_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.length = length
        self.keep = keep
        self.fold_unit = fold_unit
        self.nested = nested
        self.n_bootstraps = n_bootstraps
        self.convention = convention
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Eliminate features, select a subset, and fit the estimator to it.

        ``qid=None`` means one query; a classifier takes no ``qid``. Row weights are passed to every fit of the
        estimator, which must accept them, and are kept in resamples. Rows of weight 0 are ignored. Scores and lengths
        of lines are unweighted.
        """
        scoring = self._check_parameters()
        X, y, qid, sample_weight, names = training_input(X, y, qid, sample_weight)
        refuse_missing(self.estimator, X, names)
        weights = row_weights(sample_weight, _num_samples(X))
        original = self._check_rows(X, y, qid, weights)
        keep_names(self, names)
        rows = original
        if can_be_followed(self.estimator, original.X.shape[1]):
            X = original.X if isinstance(original.X, FeatureTable) else as_matrix(original.X)
            rows = replace(original, X=X, all_gaps=missing_columns(values_of(X)))
        plan = self._plan(scoring, rows.X.shape[1], weights.translate(self.cv))
        # The linear systems are small: with several BLAS threads, waiting would take longer than computing.
        with one_blas_thread():
            found = eliminate(plan, rows, self.n_jobs)
            self._keep(found, rows.X.shape[1])
            nested = self._estimate(plan, rows) if self.nested else None
            if self.n_bootstraps:
                self.stability_ = self._count_kept(plan, rows)
        kept = columns(original.X, np.flatnonzero(self.support_))
        self.estimator_ = fit(restricted(clone(self.estimator), kept), kept, original)
        names, unit = feature_names(self), self._unit_of_folds(rows)
        carried, stability = find_carried(rows, names, found.support), getattr(self, "stability_", None)
        self.result_: EliminationResult = describe(found, plan, names, nested, stability, unit, carried)
        return self

    @absent_if(_why_no("predict"))
    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return ``predict`` of ``estimator_`` for the kept features of X."""
        kept = self._kept_columns(X)
        return np.asarray(self.estimator_.predict(kept))

    @absent_if(_why_no("decision_function"))
    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return ``decision_function`` of ``estimator_`` for the kept features of X."""
        kept = self._kept_columns(X)
        return np.asarray(self.estimator_.decision_function(kept))

    @absent_if(_why_no("predict_proba"))
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return ``predict_proba`` of ``estimator_`` for the kept features of X."""
        kept = self._kept_columns(X)
        return np.asarray(self.estimator_.predict_proba(kept))

    @absent_if(_why_no("score"))
    def score(self, X: ArrayLike, y: ArrayLike, **parameters: Any) -> float:
        """Return ``score`` of ``estimator_`` for the kept features of X; a ranker takes ``qid``."""
        kept = self._kept_columns(X)
        return float(self.estimator_.score(kept, y, **parameters))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Classes of the fitted classifier."""
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.classes_)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _kept_columns(self, X: Any) -> Any:
        check_is_fitted(self)
        if isinstance(X, RankingData):
            X = rows_of(self, X)
        elif isinstance(X, FeatureTable):
            self._as_array(X.values, reset=False)
        elif hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = self._as_array(X, reset=False)
        return columns(X, np.flatnonzero(self.support_))

    def _as_array(self, X: Any, y: Any = "no_validation", **how: Any) -> Any:
        finite: Any = "allow-nan" if takes_missing(self.estimator) else True
        # Other estimators may accept other types, such as a Pipeline that encodes categories.
        dtype = "float64" if can_be_followed(self.estimator, 0) else None
        return validate_data(self, X, y, dtype=dtype, accept_sparse="csr", ensure_all_finite=finite, **how)

    def _check_parameters(self) -> Scoring:
        check_folds(self.cv)
        check_positive("min_features_to_select", self.min_features_to_select, whole=True)
        check_positive("step", self.step, whole=not (isinstance(self.step, numbers.Real) and 0 < float(self.step) < 1))
        check_keep(self.keep)
        check_choice("fold_unit", self.fold_unit, FOLD_UNITS)
        if self.length is not None:
            check_choice("length", self.length, LENGTHS)
        if self.n_bootstraps != 0:
            check_positive("n_bootstraps", self.n_bootstraps, whole=True)
        classifier = is_classifier(self.estimator)
        if not classifier:
            check_ranker(self.estimator, fitted=False)
        if self.fold_unit == PAIR and (classifier or str(self.scoring).lower() != PAIR_ACCURACY or self.nested):
            raise DataError(
                f"{setting('fold_unit', 'pair')} only reproduces a published procedure: it needs a ranker, "
                f"{setting('scoring', 'pair_accuracy')} and {setting('nested', False)}, because folds that share "
                "documents give no valid estimate."
            )
        repeated = self.nested or self.n_bootstraps
        if repeated and not isinstance(self.cv, numbers.Integral) and not hasattr(self.cv, "split"):
            raise DataError(
                "nested and n_bootstraps split parts of the rows into folds: cv must be a number or a splitter, got "
                "splits of all rows."
            )
        return Scoring.of(self.scoring, classifier=classifier, convention=self.convention)

    def _check_rows(self, X: Any, y: Any, qid: Any, weights: RowWeights) -> Rows:
        """Check labels and queries; a data frame stays a data frame, because a Pipeline may need its columns."""
        if hasattr(X, "columns"):
            X, y = validate_data(self, X, y, skip_check_array=True)
            (X,) = indexable(X)
        elif isinstance(X, FeatureTable):
            _, y = self._as_array(X.values, y, ensure_min_samples=2)
        else:
            X, y = self._as_array(X, y, ensure_min_samples=2)
        y = column_or_1d(y, warn=True)
        if is_classifier(self.estimator):
            if qid is not None:
                raise DataError(
                    f"qid is for rankers: {type(self.estimator).__name__} is a classifier.",
                    parameter="qid",
                    remedy="Leave it out.",
                )
            check_classification_targets(y)
            X, y = X if weights.rows is None else _safe_indexing(X, weights.rows), weights.pick(y)
            n_classes = len(np.unique(y))
            if n_classes != 2:
                raise DataError(
                    f"Only binary classification is supported: expected 2 classes in y, got {n_classes} "
                    f"{'class' if n_classes == 1 else 'classes'}."
                )
            return Rows(X, y, None, weights.values)
        y = as_vector("y", y, _num_samples(X))
        groups = group_rows(qid, len(y))
        if comparable_pairs(y, groups).sum() == 0:
            raise DataError(no_pair_message(y, groups))
        X, y, groups = counted_rows(weights, X, y, groups)
        self.n_queries_ = groups.n_queries
        return Rows(X, y, groups.of_row, weights.values)

    def _plan(self, scoring: Scoring, n_features: int, cv: Any) -> Plan:
        min_features = int(self.min_features_to_select)
        if min_features > n_features:
            raise DataError(
                parameter="min_features_to_select", expected=f"at most the {n_features} features of X", got=min_features
            )
        step = int(self.step) if self.step >= 1 else max(1, int(self.step * n_features))
        check_keep(self.keep, [*range(n_features, min_features, -step), min_features])
        return Plan(
            self.estimator,
            scoring,
            self.length,
            step,
            min_features,
            cv,
            self.fold_unit,
            self.keep if isinstance(self.keep, str) else int(self.keep),
            random_seed(self.random_state),
        )

    def _keep(self, found: Elimination, n_features: int) -> None:
        """Set the attributes that follow from the elimination."""
        order, defined = found.order, found.defined
        self.support_ = np.isin(np.arange(n_features), found.support)
        self.n_features_ = len(found.support)
        self.elimination_order_: IntArray = np.concatenate([np.zeros(0, dtype=np.int64), *order.dropped])
        self.ranking_ = np.ones(n_features, dtype=np.int64)
        for number, dropped in enumerate(order.dropped[: found.selected]):
            self.ranking_[dropped] = found.selected - number + 1
        increasing = slice(None, None, -1)
        self.cv_results_: dict[str, Any] = {
            "n_features": np.array([len(kept) for kept in order.subsets])[increasing],
            "mean_test_score": defined.mean(axis=1)[increasing],
            "std_test_score": defined.std(axis=1)[increasing],
        } | {f"split{fold}_test_score": column[increasing] for fold, column in enumerate(found.scores.T)}
        self.selection_score_ = float(defined.mean(axis=1)[found.selected])

    def _estimate(self, plan: Plan, rows: Rows) -> NestedEstimate:
        """Repeat the elimination without each outer fold, score its selection there, and set the nested scores."""
        folds = folds_of(rows, self.cv, plan.random_state)
        jobs = [delayed(nested_score)(plan, rows.pick(train), rows.pick(held_out)) for train, held_out in folds]
        scores, numbers_kept = zip(*in_parallel(self.n_jobs, jobs), strict=True)
        self.nested_scores_ = np.array(scores)
        measured = self.nested_scores_[~np.isnan(self.nested_scores_)]
        if len(measured) == 0:
            raise DataError(
                f"{self.scoring} is undefined in every outer fold.", remedy=("Add data", f"lower {setting('cv')}")
            )
        self.nested_score_, self.nested_std_ = float(measured.mean()), float(measured.std())
        return NestedEstimate(self.nested_score_, self.nested_std_, tuple(scores), tuple(numbers_kept))

    def _count_kept(self, plan: Plan, rows: Rows) -> FloatArray:
        jobs = [delayed(eliminate)(plan, drawn) for drawn in resamples(rows, self.n_bootstraps, plan.random_state)]
        supports = [found.support for found in in_parallel(self.n_jobs, jobs)]
        return np.bincount(np.concatenate(supports), minlength=rows.X.shape[1]) / self.n_bootstraps

    def _unit_of_folds(self, rows: Rows) -> str:
        if rows.query is None:
            return "row"
        return PAIR if self.fold_unit == PAIR else "document" if rows.groups.n_queries == 1 else QUERY

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
            tags.regressor_tags, tags.input_tags = inner.regressor_tags, inner.input_tags
            if tags.classifier_tags is not None:
                tags.classifier_tags.multi_class = False
        return tags
