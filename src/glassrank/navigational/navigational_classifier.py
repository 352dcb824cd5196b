"""NavigationalClassifier: a coupling chosen by cross-validation, with calibrated probabilities and a threshold."""

import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.input_types import ArrayLike, RandomState
from glassrank.core.native_threads import one_native_thread
from glassrank.core.randomness import random_seed
from glassrank.core.setting import setting
from glassrank.core.sigmoid import Sigmoid, fit_sigmoid
from glassrank.metrics.classification import precision_recall_f1
from glassrank.navigational.coupling.couplings import (
    Coupling,
    FittedCoupling,
    as_couplings,
    fit_couplings,
    held_out_outputs,
    resolved,
)
from glassrank.navigational.coupling.fold_work import Folds, class_codes, stratified_folds
from glassrank.navigational.decision_explanation import DecisionExplanation
from glassrank.navigational.decisions import ADDITIVE
from glassrank.navigational.explain_decision import (
    described,
    described_groups,
    features_that_move_together,
    replaced_by_medians,
)
from glassrank.navigational.gap_curve import feature_curves
from glassrank.navigational.preparation import prepare
from glassrank.navigational.query_features import QueryFeatures
from glassrank.navigational.row_groups import groups_of
from glassrank.navigational.thresholds import AtPrecision, AtProbability, Rule, Threshold, best_f1
from glassrank.nomograms.adapters.effects_of_model import assemble, observed_values
from glassrank.nomograms.adapters.terms import Terms, names_of, refuse
from glassrank.ranking.estimator import warn_user
from glassrank.ranking.named_rows import feature_names

F1 = "f1"


class PrecisionOutOfReachError(DataError):
    """No coupling reaches the required precision on held-out rows."""


def mean_known(scores: FloatArray) -> float:
    """Return the mean of the known values, NaN if there are none.

    >>> mean_known(np.array([0.5, np.nan, 1.0])), mean_known(np.array([np.nan]))
    (0.75, nan)
    """
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else float("nan")


class NavigationalClassifier(ClassifierMixin, BaseEstimator):
    """Classify queries as navigational or not, with feature selection, calibrated probabilities and a threshold.

    The rows are split into folds. Each candidate coupling selects, scales and learns inside each fold, and outputs f
    for the held-out rows. P = 1/(1 + exp(A f + B)) is fitted to these by maximum likelihood, the threshold is chosen
    on them, and the best coupling is fitted to all rows. Missing values (NaN) are filled with the training median and
    marked by indicators. After Lu, Peng, Li and Ahmed (2006). ``nested=True`` repeats all of this without each outer
    fold, to measure without the optimism of the choice.

    Parameters
    ----------
    coupling : None, "every", (selector, classifier, number of features), or a list of these
        Candidates, by the names of ``CouplingStudy``. None is a small grid, and "every" all 30 couplings that a study
        ranks. A selector that would keep all columns is dropped.
    cv : int
        Number of folds, stratified by class.
    threshold : "f1" or float
        Queries with a higher probability are predicted navigational. "f1" chooses the threshold with the highest F1 on
        held-out rows.
    precision : float or None
        Choose the threshold with the highest recall among those that reach this precision on held-out rows.
    tune : bool
        Choose C of maximum entropy and of both SVMs, and γ, by cross-validation on the training rows of each fold.
        Otherwise, C is 1 and γ = 1/(number of columns).
    nested : bool
        Repeat the choice without each of ``cv`` outer folds, and measure F1 on these: ``nested_score_``.
    n_jobs : int or None
        Number of folds that run in parallel, with joblib. The result does not depend on it.
    random_state : int, numpy generator or None
        Random seed for folds and boosting.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels. The second is the positive class.
    coupling_ : Coupling
        The chosen coupling.
    threshold_ : float
        Queries with a higher P are predicted navigational.
    selected_features_ : tuple of str
        The columns that the model uses; "…|missing" is an indicator of missing values.
    cv_results_ : dict
        ``coupling``, ``value`` (F1, or the recall at the required precision; NaN if it is out of reach) and
        ``threshold`` of each candidate. The highest value was chosen, so it is optimistic.
    tuned_ : dict
        With ``tune=True``: C and γ of the fitted model; empty if its classifier has neither.
    nested_score_, nested_scores_ : float, ndarray
        With ``nested=True``: mean F1 over outer folds, and F1 of each. NaN if no threshold reaches the required
        precision without that fold; the mean ignores such folds.
    feature_groups_ : tuple of FeatureGroup
        Used features that move together in the training rows; explanations show them as one.
    training_log_ : LogExtent
        Size and period of the log that the features were computed from; set by ``glassrank intent train``.
    feature_settings_ : FeatureSettings
        Language, trusted hosts and form of ``urlmr``, if ``glassrank intent train`` fitted the model.
    slope_, offset_ : float
        A and B of the probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from glassrank.navigational.navigational_classifier import NavigationalClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(120, 6)), rng.integers(0, 2, 120)
    >>> X[:, 2] += 3 * y
    >>> queries = [f"query {k}" for k in range(120)]
    >>> model = NavigationalClassifier(("SVM weights", "maximum entropy", 1), cv=3).fit(X, y, groups=queries)
    >>> model.selected_features_, model.predict([[0, 0, 4, 0, 0, 0]]).tolist()
    (('feature 3',), [1])
    """

    def __init__(
        self,
        coupling: str | Sequence[str | int | None] | Sequence[Sequence[str | int | None]] | None = None,
        *,
        cv: int = 5,
        threshold: str | float = F1,
        precision: float | None = None,
        tune: bool = False,
        nested: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.coupling = coupling
        self.cv = cv
        self.threshold = threshold
        self.precision = precision
        self.tune = tune
        self.nested = nested
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn from features of queries (``QueryFeatures``, a table or an array) and labels of two classes.

        Rows of the same group, such as equal query texts, stay in one fold: otherwise labels would leak between folds,
        and the result would look better than it is. ``QueryFeatures`` define their own groups; other rows without
        ``groups`` are reported with a warning.
        """
        asked, rule = as_couplings(self.coupling), self._rule()
        groups = groups_of(X, groups)
        names, X = (X.names, X.X) if isinstance(X, QueryFeatures) else (None, X)
        X, y = validate_data(self, X, y, dtype="float64", ensure_all_finite="allow-nan", ensure_min_samples=2)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        positive = self._find_classes(y)
        groups = None if groups is None else np.asarray(groups)
        couplings = resolved(asked, prepare(X).n_columns)
        seed = random_seed(self.random_state)
        folds = stratified_folds(self.cv, positive, seed, groups)
        if self.nested:
            self._check_nested(positive, folds)
        outputs = self._held_out(X, positive, groups, couplings, folds, seed)
        sigmoids = [fit_sigmoid(own, positive == 1) for own in outputs]
        self._choose(couplings, sigmoids, outputs, positive, rule)
        with one_native_thread():
            (fitted,) = fit_couplings(X, positive, feature_names(self), [self.coupling_], seed, self.tune, groups)
        self._keep(fitted, X)
        if self.nested:
            self.nested_scores_ = self._nested(X, y, folds, groups, seed)
            self.nested_score_ = mean_known(self.nested_scores_)
        if self.slope_ >= 0:
            warn_user(
                "Held-out rows are classified no better than by chance: higher outputs do not make the second class "
                "more likely. Check features and labels.",
                UserWarning,
            )
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the log-odds of the second class minus those of the threshold: positive predicts the second class."""
        return self._log_odds(self._check(X)) - float(logit(self.threshold_))

    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row: the second if P is above the threshold."""
        decisions = self.decision_function(X)
        return np.asarray(self.classes_[(decisions > 0).astype(np.int64)])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``."""
        log_odds = self._log_odds(self._check(X))
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def explain(self, x: ArrayLike, names: Sequence[str] | None = None) -> DecisionExplanation:
        """Explain the prediction for one row; ``names`` replace the feature names of the fit.

        The contribution of a feature is the log-odds minus those with the feature at its training median and all others
        unchanged. If the model is a sum of curves (naive Bayes, maximum entropy, linear SVM), that is exactly what the
        feature adds; otherwise features interact, and contributions do not add up. Features that move together in the
        training rows (|r| ≥ 0.8) are shown as one: a model can divide their effect among them in many ways.
        """
        is_table = hasattr(x, "columns") or isinstance(x, QueryFeatures)
        row = self._check(x if is_table else np.atleast_2d(np.asarray(x, dtype=np.float64)))
        if len(row) != 1:
            raise DataError(f"explain takes one row: got {len(row)}.", remedy="Explain them one by one.")
        used = np.unique(self.preparation_.sources)
        groups = getattr(self, "feature_groups_", ())
        (log_odds, usual), single, joint = replaced_by_medians(row, self.medians_, used, groups, self._log_odds)
        names = feature_names(self) if names is None else names
        return DecisionExplanation(
            called=str(self.classes_[int(log_odds > logit(self.threshold_))]),
            outcome=str(self.classes_[1]),
            probability=float(expit(log_odds)),
            threshold=self.threshold_,
            usual_log_odds=float(usual),
            contributions=described(row[0], self.medians_, used, names, single),
            exact=isinstance(self.decision_, ADDITIVE),
            groups=described_groups(groups, names, joint),
        )

    def additive_terms(self) -> Terms:
        """Return the log-odds as a sum of curves, if they are one, for ``glassrank.effects``."""
        check_is_fitted(self)
        if not isinstance(self.decision_, ADDITIVE):
            raise refuse(
                f"NavigationalClassifier with {self.coupling_.classifier}",
                "features interact in it",
                f"Fit it with {setting('coupling', ('SVM weights', 'maximum entropy', 50))}; explain shows the "
                "contributions for one row.",
            )
        curves, constant = feature_curves(
            self.decision_, self.preparation_, Sigmoid(self.slope_, self.offset_), self.n_features_in_
        )
        return Terms(
            curves,
            constant,
            names_of(self),
            self.observed_values_,
            unit="log-odds",
            subject="class",
            outcome=str(self.classes_[1]),
        )

    def effects(self, X: ArrayLike | None = None) -> AdditiveEffects:
        """Return one curve per feature in log-odds, if the model is a sum, for ``glassrank.nomogram``."""
        terms = self.additive_terms()
        return assemble(terms, observed_values(terms, X, type(self).__name__))

    def _rule(self) -> Rule:
        if self.precision is not None:
            if not _is_share(self.precision) or self.threshold != F1:
                raise DataError(
                    "precision must be a number above 0 and below 1, with threshold 'f1': got "
                    f"{self.precision!r} and {self.threshold!r}.",
                    parameter="precision",
                )
            return AtPrecision(float(self.precision))
        if self.threshold == F1:
            return best_f1
        if not _is_share(self.threshold):
            raise DataError(parameter="threshold", expected="'f1' or a number above 0 and below 1", got=self.threshold)
        return AtProbability(float(self.threshold))

    def _find_classes(self, y: npt.NDArray[Any]) -> IntArray:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            found = f"{len(self.classes_)} classes" if len(self.classes_) > 1 else "one class"
            raise DataError(f"Only binary classification is supported. y must have two classes: got {found}.")
        return class_codes(y, self.classes_)

    def _held_out(
        self, X: FloatArray, positive: IntArray, groups: Any, couplings: list[Coupling], folds: Folds, seed: int
    ) -> list[FloatArray]:
        """Held-out outputs of each coupling for every row."""
        shared = (X, positive, feature_names(self), couplings, seed, self.tune, groups)
        found = Parallel(n_jobs=self.n_jobs)(delayed(held_out_outputs)(*shared, *fold) for fold in folds)
        outputs = [np.empty(len(X)) for _ in couplings]
        for (_, held_out), of_fold in zip(folds, found, strict=True):
            for own, piece in zip(outputs, of_fold, strict=True):
                own[held_out] = piece
        return outputs

    def _choose(
        self,
        couplings: list[Coupling],
        sigmoids: list[Sigmoid],
        outputs: list[FloatArray],
        positive: IntArray,
        rule: Rule,
    ) -> None:
        """Choose the coupling whose threshold is best on held-out rows, the first if tied."""
        pairs = list(zip(sigmoids, outputs, strict=True))
        thresholds = [rule(sigmoid.log_odds(own), positive == 1) for sigmoid, own in pairs]
        nothing = Threshold(np.nan, np.nan)
        values = np.array([(one or nothing).value for one in thresholds])
        if np.isnan(values).all():
            raise PrecisionOutOfReachError(
                f"No threshold reaches a precision of {self.precision} on held-out rows, for any of "
                f"{len(couplings)} couplings.",
                remedy="Lower the precision, or add more informative features.",
            )
        best = int(np.nanargmax(values))
        chosen = thresholds[best] or nothing
        self.coupling_ = couplings[best]
        self.slope_, self.offset_ = sigmoids[best].slope, sigmoids[best].offset
        self.threshold_ = float(expit(chosen.cut))
        cuts = np.array([(one or nothing).cut for one in thresholds])
        self.cv_results_ = {"coupling": couplings, "value": values, "threshold": expit(cuts)}

    def _keep(self, fitted: FittedCoupling, X: FloatArray) -> None:
        self.preparation_, self.decision_ = fitted.preparation, fitted.decision
        self.selected_features_ = self.preparation_.names(feature_names(self))
        used = np.unique(self.preparation_.sources)
        self.feature_groups_ = features_that_move_together(X, used, feature_names(self))
        if self.tune:
            self.tuned_ = dict(fitted.tuned)
        empty = np.isnan(X).all(axis=0)
        known = np.where(empty, 0.0, X)
        self.medians_ = np.nanmedian(known, axis=0)
        low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
        self.observed_values_ = ObservedValues(low, high, np.nanmean(known, axis=0))

    def _check_nested(self, positive: IntArray, folds: Folds) -> None:
        """Refuse folds that cannot be split again before anything is fitted."""
        rarer = min(int(np.bincount(positive[train], minlength=2).min()) for train, _ in folds)
        if rarer < self.cv:
            raise DataError(
                f"{setting('nested', True)} splits the rows of all folds but one into {self.cv} folds again, which "
                f"need {self.cv} rows of each class: without one of the folds, the rarer class has {rarer}.",
                remedy=f"Lower {setting('cv')}, or leave {setting('nested')} out.",
            )

    def _nested(self, X: FloatArray, y: Any, folds: Folds, groups: Any, seed: int) -> FloatArray:
        """F1 on each outer fold of the whole choice repeated on the other rows; NaN if nothing can be chosen."""
        scores = []
        for train, held_out in folds:
            # Without groups, every row is its own, which needs no second warning.
            inner = np.arange(len(train)) if groups is None else groups[train]
            try:
                model = clone(self).set_params(nested=False, random_state=seed).fit(X[train], y[train], groups=inner)
            except PrecisionOutOfReachError:
                scores.append(np.nan)
                continue
            called = class_codes(model.predict(X[held_out]), self.classes_)
            scores.append(precision_recall_f1(class_codes(y[held_out], self.classes_), called).f1 or 0.0)
        return np.array(scores)

    def _check(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        if isinstance(X, QueryFeatures):
            if hasattr(self, "feature_names_in_"):
                return X.pick(self.feature_names_in_).X
            X = X.X
        return np.asarray(validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan", reset=False))

    def _log_odds(self, X: FloatArray) -> FloatArray:
        sigmoid = Sigmoid(self.slope_, self.offset_)
        return finite_scores(lambda: sigmoid.log_odds(self.decision_(self.preparation_(X))))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and 0.0 < float(value) < 1.0
