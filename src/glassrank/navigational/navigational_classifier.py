"""NavigationalClassifier: couplings chosen by cross-validation, with calibrated probabilities and thresholds."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.input_types import ArrayLike, Identifier, RandomState
from glassrank.core.randomness import random_seed
from glassrank.core.setting import setting
from glassrank.metrics.class_confusion import class_confusion
from glassrank.metrics.classification import precision_recall_f1
from glassrank.navigational.coupling.class_model import (
    ClassModel,
    ClassTrainer,
    PrecisionOutOfReachError,
    mean_known,
    of_only_model,
)
from glassrank.navigational.coupling.couplings import as_couplings, resolved
from glassrank.navigational.coupling.fold_work import Folds, stratified_folds
from glassrank.navigational.decision_explanation import DecisionExplanation
from glassrank.navigational.explain_decision import described, described_groups, replaced_by_medians
from glassrank.navigational.gap_curve import feature_curves
from glassrank.navigational.preparation import prepare
from glassrank.navigational.query_features import QueryFeatures
from glassrank.navigational.row_groups import groups_of
from glassrank.navigational.thresholds import F1, threshold_rule
from glassrank.nomograms.adapters.effects_of_model import assemble, observed_values
from glassrank.nomograms.adapters.terms import Terms, names_of, refuse
from glassrank.ranking.estimator import warn_user
from glassrank.ranking.named_rows import feature_names

CHANCE = "Held-out rows are classified no better than by chance"


class NavigationalClassifier(ClassifierMixin, BaseEstimator):
    """Classify queries as navigational or not, with feature selection, calibrated probabilities and a threshold.

    The rows are split into folds. Each candidate coupling selects, scales and learns inside each fold, and outputs f
    for the held-out rows. P = 1/(1 + exp(A f + B)) is fitted to these by maximum likelihood, the threshold is chosen
    on them, and the best coupling is fitted to all rows. Missing values (NaN) are filled with the training median and
    marked by indicators. After Lu, Peng, Li and Ahmed (2006). ``nested=True`` repeats all of this without each outer
    fold, to measure without the optimism of the choice.

    With more than two classes, all of this is done for each class against the others, on the same folds: each class
    has its own selection, classifier, calibration and threshold. The probabilities of a row are divided by their sum,
    as in scikit-learn's ``OneVsRestClassifier`` and ``CalibratedClassifierCV``. The predicted class is the one whose
    log-odds are highest above its threshold.

    Parameters
    ----------
    coupling : None, "every", (selector, classifier, number of features), or a list of these
        Candidates, by the names of ``CouplingStudy``. None is a small grid, and "every" all 30 couplings that a study
        ranks. A selector that would keep all columns is dropped.
    cv : int
        Number of folds, stratified by class.
    threshold : "f1" or float
        Queries with a higher probability are predicted navigational. "f1" chooses the threshold with the highest F1 on
        held-out rows. With more than two classes, "f1" chooses one for each class against the others, and a number
        predicts the most probable class.
    precision : float or None
        Choose the threshold with the highest recall among those that reach this precision on held-out rows. For two
        classes only.
    tune : bool
        Choose C of maximum entropy and of both SVMs, and γ, by cross-validation on the training rows of each fold.
        Otherwise, C is 1 and γ = 1/(number of columns).
    nested : bool
        Repeat the choice without each of ``cv`` outer folds, and measure F1 on these (macro-F1 with more than two
        classes): ``nested_score_``.
    n_jobs : int or None
        Number of folds that run in parallel, with joblib. The result does not depend on it.
    random_state : int, numpy generator or None
        Random seed for folds and boosting.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in ascending order. Of two, the second is the positive class.
    class_models_ : tuple of ClassModel
        One model per class, in the order of ``classes_``, with the attributes below up to ``offset_``, without the
        underscore. With two classes, only the model of the second.
    coupling_ : Coupling
        The chosen coupling. This attribute and those up to ``offset_`` are for two classes.
    threshold_ : float
        Queries with a higher P are predicted navigational.
    selected_features_ : tuple of str
        The columns that the model uses; "…|missing" is an indicator of missing values.
    cv_results_ : dict
        ``coupling``, ``value`` (F1, or the recall at the required precision; NaN if it is out of reach) and
        ``threshold`` of each candidate. The highest value was chosen, so it is optimistic.
    tuned_ : dict
        With ``tune=True``: C and γ of the fitted model; empty if its classifier has neither.
    feature_groups_ : tuple of FeatureGroup
        Used features that move together in the training rows; explanations show them as one.
    slope_, offset_ : float
        A and B of the probabilities.
    nested_score_, nested_scores_ : float, ndarray
        With ``nested=True``: mean F1 over outer folds, and F1 of each. NaN if no threshold reaches the required
        precision without that fold; the mean ignores such folds.
    training_log_ : LogExtent
        Size and period of the log that the features were computed from; set by ``glassrank intent train``.
    feature_settings_ : FeatureSettings
        Language, trusted hosts and form of ``urlmr``, if ``glassrank intent train`` fitted the model.

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

    With three classes, the third is recognised by another feature:

    >>> intents = np.where(y == 1, "navigational", np.where(X[:, 5] > 0.5, "transactional", "informational"))
    >>> model = NavigationalClassifier(("SVM weights", "maximum entropy", 1), cv=3).fit(X, intents, groups=queries)
    >>> model.classes_.tolist()
    ['informational', 'navigational', 'transactional']
    >>> model.class_models_[2].selected_features, model.predict([[0, 0, 0, 0, 0, 2]]).tolist()
    (('feature 6',), ['transactional'])
    """

    coupling_ = of_only_model("coupling")
    threshold_ = of_only_model("threshold")
    selected_features_ = of_only_model("selected_features")
    cv_results_ = of_only_model("cv_results")
    tuned_ = of_only_model("tuned")
    feature_groups_ = of_only_model("feature_groups")
    slope_ = of_only_model("slope")
    offset_ = of_only_model("offset")
    preparation_ = of_only_model("preparation")
    decision_ = of_only_model("decision")

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
        """Learn from features of queries (``QueryFeatures``, a table or an array) and labels of two or more classes.

        Rows of the same group, such as equal query texts, stay in one fold: otherwise labels would leak between folds,
        and the result would look better than it is. ``QueryFeatures`` define their own groups; other rows without
        ``groups`` are reported with a warning.
        """
        asked, rule = as_couplings(self.coupling), threshold_rule(self.threshold, self.precision)
        groups = groups_of(X, groups)
        names, X = (X.names, X.X) if isinstance(X, QueryFeatures) else (None, X)
        X, y = validate_data(self, X, y, dtype="float64", ensure_all_finite="allow-nan", ensure_min_samples=2)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        codes = self._find_classes(y)
        groups = None if groups is None else np.asarray(groups)
        couplings = resolved(asked, prepare(X).n_columns)
        seed = random_seed(self.random_state)
        folds = stratified_folds(self.cv, codes, seed, groups, self.classes_.tolist())
        if self.nested:
            self._check_nested(codes, folds)
        names = feature_names(self)
        trainer = ClassTrainer(X, names, couplings, folds, groups, rule, seed, self.tune, self.n_jobs)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        self.class_models_ = tuple(trainer.fit((codes == code).astype(np.int64)) for code in positive)
        self._keep_ranges(X)
        if self.nested:
            self.nested_scores_ = self._nested(X, codes, folds, groups, seed)
            self.nested_score_ = mean_known(self.nested_scores_)
        if poor := self._no_better_than_chance():
            warn_user(
                f"{CHANCE}: higher outputs do not make {poor} more likely. Check features and labels.", UserWarning
            )
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the log-odds of the second class minus those of the threshold: positive predicts the second class.

        With more than two classes, one column per class: its log-odds against the others, minus those of its
        threshold. The highest predicts the class.
        """
        return self._decisions(self._check(X))

    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row: the second if P is above the threshold; of more, the farthest above its own."""
        called = self._called(self._check(X))
        return np.asarray(self.classes_[called])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``."""
        return self._shares(self._check(X))

    def explain(
        self, x: ArrayLike, names: Sequence[str] | None = None, outcome: Identifier | None = None
    ) -> DecisionExplanation:
        """Explain the prediction for one row; ``names`` replace the feature names of the fit.

        The contribution of a feature is the log-odds minus those with the feature at its training median and all others
        unchanged. If the model is a sum of curves (naive Bayes, maximum entropy, linear SVM), that is exactly what the
        feature adds; otherwise features interact, and contributions do not add up. Features that move together in the
        training rows (|r| ≥ 0.8) are shown as one: a model can divide their effect among them in many ways.

        The log-odds are those of ``outcome``, a class, against the others: by default the second of two classes, and
        the predicted one of more.
        """
        is_table = hasattr(x, "columns") or isinstance(x, QueryFeatures)
        row = self._check(x if is_table else np.atleast_2d(np.asarray(x, dtype=np.float64)))
        if len(row) != 1:
            raise DataError(f"explain takes one row: got {len(row)}.", remedy="Explain them one by one.")
        called = int(self._called(row)[0])
        code = self._code(outcome, default=called)
        model = self._model_of(code)
        (log_odds, usual), single, joint = replaced_by_medians(
            row, self.medians_, model.used, model.feature_groups, model.log_odds
        )
        names = feature_names(self) if names is None else names
        several = len(self.classes_) > 2
        return DecisionExplanation(
            called=str(self.classes_[called]),
            outcome=str(self.classes_[code]),
            probability=float(self._shares(row)[0, code] if several else expit(log_odds)),
            threshold=model.threshold,
            above=bool(log_odds > model.cut) if several else called == code,
            usual_log_odds=float(usual),
            contributions=described(row[0], self.medians_, model.used, names, single),
            exact=model.is_additive,
            groups=described_groups(model.feature_groups, names, joint),
            against_others=float(expit(log_odds)) if several else None,
        )

    def additive_terms(self, outcome: Identifier | None = None) -> Terms:
        """Return the log-odds of a class as a sum of curves, if they are one, for ``glassrank.effects``."""
        check_is_fitted(self)
        if outcome is None and len(self.classes_) > 2:
            raise refuse(
                f"NavigationalClassifier of {len(self.classes_)} classes",
                "each class has curves of its own",
                f"Choose a class, as in model.effects({setting('outcome', self.classes_[0].item())}).",
            )
        code = self._code(outcome, default=1)
        model = self._model_of(code)
        if not model.is_additive:
            raise refuse(
                f"NavigationalClassifier with {model.coupling.classifier}",
                "features interact in it",
                f"Fit it with {setting('coupling', ('SVM weights', 'maximum entropy', 50))}; explain shows the "
                "contributions for one row.",
            )
        curves, constant = feature_curves(model.decision, model.preparation, model.sigmoid, self.n_features_in_)
        return Terms(
            curves,
            constant,
            names_of(self),
            self.observed_values_,
            unit="log-odds",
            subject="class",
            outcome=str(self.classes_[code]),
        )

    def effects(self, X: ArrayLike | None = None, outcome: Identifier | None = None) -> AdditiveEffects:
        """Return one curve per feature in log-odds, if the model is a sum, for ``glassrank.nomogram``.

        The log-odds are those of ``outcome``, by default the second of two classes; of more, you must choose one.
        """
        terms = self.additive_terms(outcome)
        return assemble(terms, observed_values(terms, X, type(self).__name__))

    def _find_classes(self, y: npt.NDArray[Any]) -> IntArray:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError("y must have two or more classes: got one class.", parameter="y")
        if self.precision is not None and len(self.classes_) > 2:
            raise DataError(
                f"{setting('precision')} is for two classes: got {len(self.classes_)}.",
                parameter="precision",
                remedy=f"Merge the classes into two, or leave {setting('precision')} out.",
            )
        return np.asarray(codes, dtype=np.int64)

    def _keep_ranges(self, X: FloatArray) -> None:
        empty = np.isnan(X).all(axis=0)
        known = np.where(empty, 0.0, X)
        self.medians_ = np.nanmedian(known, axis=0)
        low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
        self.observed_values_ = ObservedValues(low, high, np.nanmean(known, axis=0))

    def _check_nested(self, codes: IntArray, folds: Folds) -> None:
        """Refuse folds that cannot be split again before anything is fitted."""
        n_classes = len(self.classes_)
        rarest = min(int(np.bincount(codes[train], minlength=n_classes).min()) for train, _ in folds)
        if rarest < self.cv:
            raise DataError(
                f"{setting('nested', True)} splits the rows of all folds but one into {self.cv} folds again, which "
                f"need {self.cv} rows of each class: without one of the folds, the "
                f"{'rarer' if n_classes == 2 else 'rarest'} class has {rarest}.",
                remedy=f"Lower {setting('cv')}, or leave {setting('nested')} out.",
            )

    def _nested(self, X: FloatArray, codes: IntArray, folds: Folds, groups: Any, seed: int) -> FloatArray:
        """F1 on each outer fold of the whole choice repeated on the other rows; NaN if nothing can be chosen."""
        scores = []
        for train, held_out in folds:
            # Without groups, every row is its own, which needs no second warning.
            inner = np.arange(len(train)) if groups is None else groups[train]
            try:
                again = clone(self).set_params(nested=False, random_state=seed)
                called = again.fit(X[train], codes[train], groups=inner).predict(X[held_out])
            except PrecisionOutOfReachError:
                scores.append(np.nan)
                continue
            if len(self.classes_) == 2:
                scores.append(precision_recall_f1(codes[held_out], called).f1 or 0.0)
            else:
                scores.append(class_confusion(codes[held_out], called).macro_f1)
        return np.array(scores)

    def _no_better_than_chance(self) -> str | None:
        """The first class for which higher outputs do not mean a higher probability, in words."""
        poor = [code for code, model in enumerate(self.class_models_) if model.slope >= 0]
        if not poor:
            return None
        return repr(self.classes_[poor[0]].item()) if len(self.classes_) > 2 else "the second class"

    def _check(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        if isinstance(X, QueryFeatures):
            if hasattr(self, "feature_names_in_"):
                return X.pick(self.feature_names_in_).X
            X = X.X
        return np.asarray(validate_data(self, X, dtype="float64", ensure_all_finite="allow-nan", reset=False))

    def _decisions(self, X: FloatArray) -> FloatArray:
        """Log-odds of each class model minus those of its threshold; one-dimensional for two classes."""
        found = [model.log_odds(X) - model.cut for model in self.class_models_]
        return found[0] if len(found) == 1 else np.column_stack(found)

    def _called(self, X: FloatArray) -> IntArray:
        decisions = self._decisions(X)
        return (decisions > 0).astype(np.int64) if decisions.ndim == 1 else np.argmax(decisions, axis=1)

    def _shares(self, X: FloatArray) -> FloatArray:
        log_odds = [model.log_odds(X) for model in self.class_models_]
        if len(log_odds) == 1:
            return np.column_stack([expit(-log_odds[0]), expit(log_odds[0])])
        # P divided by the sum, by way of ln P, so that the sum of tiny probabilities is not 0.
        return np.asarray(softmax(log_expit(np.column_stack(log_odds)), axis=1))

    def _code(self, outcome: Any, default: int) -> int:
        """The place of a class; by default the second of two, and the given one of more."""
        if outcome is None:
            return 1 if len(self.classes_) == 2 else default
        known = [str(label) for label in self.classes_.tolist()]
        if str(outcome) not in known:
            raise DataError(parameter="outcome", expected=f"one of the classes {', '.join(known)}", got=outcome)
        return known.index(str(outcome))

    def _model_of(self, code: int) -> ClassModel:
        if len(self.classes_) > 2:
            return self.class_models_[code]
        (model,) = self.class_models_
        return model if code == 1 else model.of_the_others()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
