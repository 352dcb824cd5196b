"""AdditiveSVC: a support vector classifier that is a sum of one curve per feature, with probabilities."""

import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.additive.feature_map import MAX_COLUMNS, FeatureMap
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import (
    BoolArray,
    DataError,
    FloatArray,
    IntArray,
    Matrix,
    check_choice,
    check_feature_size,
    check_positive,
)
from glassrank.core.classes.hinge_classes import minimise_hinge_loss
from glassrank.core.classes.squared_hinge_classes import ClassRows, ClassSolution, minimise_squared_hinge
from glassrank.core.column_ranges import column_ranges
from glassrank.core.feature_kinds import FeatureTable, kinds_of, values_of
from glassrank.core.groups import group_rows
from glassrank.core.input_types import ArrayLike, FoldsLike, RandomState
from glassrank.core.missing_rule import MISSING
from glassrank.core.randomness import random_seed
from glassrank.core.row_weights import row_weights
from glassrank.core.setting import setting
from glassrank.core.sigmoid import Sigmoid, fit_sigmoid
from glassrank.ranking.absent_method import absent_if
from glassrank.ranking.estimator import warn_user
from glassrank.ranking.feature_columns import ColumnOptions, TrainingColumns, as_dense
from glassrank.ranking.named_rows import feature_names, keep_names, known_rows, training_input
from glassrank.ranking.query_folds import check_folds

LOSSES = {"squared_hinge": minimise_squared_hinge, "hinge": minimise_hinge_loss}


def _why_no_probabilities(model: "AdditiveSVC") -> str | None:
    if getattr(model, "slope_", model.cv) is not None:
        return None
    return "predict_proba needs held-out outputs: this AdditiveSVC has cv=None. Set cv=3 and refit."


class AdditiveSVC(ClassifierMixin, BaseEstimator):
    """Binary support vector classifier, linear or with the additive Gaussian kernel LRBF, with probabilities.

    Minimises ½‖w‖² + C Σ weight · loss(s · f(x)) over w and b, s = ±1 by class and f(x) = w·φ(x) + b. The kernel is a
    sum over features, so f is too, and a nomogram shows it (equations 1 to 3 of Thuy's "Feature selection with ranking
    support vector machine visualization"). ``objective_`` exceeds the minimum by at most ``duality_gap_``.

    P(second class) = 1/(1 + exp(A f(x) + B)), equation 4, with A and B fitted by maximum likelihood to outputs for
    held-out rows, after Lin, Lin & Weng (2007). The final classifier is trained on all rows. ``decision_function``
    returns the log-odds −(A f(x) + B), so that it, ``predict`` and ``predict_proba`` always agree.

    Parameters
    ----------
    C : float
        Weight of each row's loss against the size of w, as in LIBSVM and LIBLINEAR.
    kernel : {"linear", "lrbf"}
        ``lrbf`` is K(x, z) = Σ_k exp(−γ_k (x_k − z_k)²), equation 17: one smooth curve per feature.
    loss : {"squared_hinge", "hinge"}
        max(0, 1 − m)² or max(0, 1 − m) of the margin m. The hinge loss supports up to 4,096 columns.
    gamma : "scale" or float
        Precision of the Gaussians. ``"scale"`` means γ_k = 1/(2 s_k²) with s_k the feature's standard deviation,
        ``"scale*4"`` four times that; a number is one γ for all features.
    linear, min_count, missing
        As in ``RankSVM``: linear part of the LRBF kernel, rare levels of categories, unexpected missing values.
    cv : int, splitter, iterable of splits or None
        Folds that hold out rows for the probabilities; a number makes stratified, shuffled folds. None trains once,
        without probabilities; ``decision_function`` then returns f itself.
    random_state : int, numpy generator or None
        Random seed of the shuffling if ``cv`` is a number.
    tol : float
        Stop when ``duality_gap_ ≤ tol · objective_``.
    max_iter : int
        Maximum number of Newton or interior-point steps.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels; a positive decision means the second.
    coef_, intercept_ : ndarray of shapes (1, n_columns) and (1,)
        w and b of f; the columns are the features, or those of ``feature_map_``.
    slope_, offset_ : float
        A, which is negative if higher f means the second class, and B; None without probabilities.

    Examples
    --------
    >>> from glassrank import AdditiveSVC
    >>> X, y = [[0.0], [0.2], [0.4], [0.5], [0.6], [0.8], [0.9]], ["in", "in", "out", "out", "out", "in", "in"]
    >>> model = AdditiveSVC(C=100.0, kernel="lrbf").fit(X, y)
    >>> model.predict([[0.1], [0.5], [1.0]]).tolist(), bool(model.predict_proba([[0.5]])[0, 1] > 0.5)
    (['in', 'out', 'in'], True)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "linear",
        loss: str = "squared_hinge",
        gamma: str | float = "scale",
        linear: float = 0.0,
        min_count: int = 10,
        missing: str = "refuse",
        cv: FoldsLike = 3,
        random_state: RandomState = None,
        tol: float = 1e-6,
        max_iter: int = 200,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.gamma = gamma
        self.linear = linear
        self.min_count = min_count
        self.missing = missing
        self.cv = cv
        self.random_state = random_state
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from features and labels of two classes; row weights multiply C, and rows of weight 0 are ignored."""
        self._check_parameters()
        X, y, _, sample_weight, names = training_input(X, y, None, sample_weight, read_frames=True)
        kinds = X.kinds if isinstance(X, FeatureTable) else None
        finite: Any = True if sparse.issparse(X) else "allow-nan"
        X, y = validate_data(
            self, values_of(X), y, dtype="float64", order="C", accept_sparse="csr", ensure_all_finite=finite
        )
        keep_names(self, names)
        self.feature_kinds_ = kinds or kinds_of(X)
        if self.kernel == "linear":
            check_feature_size(column_ranges(X).largest)
        positive = self._find_classes(y)
        counted = row_weights(sample_weight, len(y))
        X, positive = counted.pick(X), counted.pick(positive)
        weights = np.ones(len(positive)) if counted.values is None else counted.values
        self.observed_values_ = ObservedValues.of(X).weighted(X, counted.values)
        final = self._train(X, positive, weights)
        classifiers = [final]
        self.slope_: float | None = None
        self.offset_: float | None = None
        if self.cv is not None:
            classifiers += self._fit_probabilities(X, positive, weights, counted.translate(self.cv))
        for message, category in self._warnings(classifiers):
            warn_user(message, category)
        self.feature_map_ = final.feature_map
        self.coef_, self.intercept_ = final.solution.w[None, :], np.array([final.solution.intercept])
        self.objective_ = final.solution.value
        self.duality_gap_ = final.solution.duality_gap
        self.n_iter_ = final.solution.n_iter
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the log-odds of the second class for each row; with ``cv=None``, f(x) = w·φ(x) + b itself."""
        check_is_fitted(self)
        return finite_scores(self._log_odds, known_rows(self, X))

    def _log_odds(self, X: Matrix) -> FloatArray:
        columns = X if self.feature_map_ is None else self.feature_map_(as_dense(X))
        outputs = np.asarray(columns @ self.coef_[0] + self.intercept_[0])
        if self.slope_ is None or self.offset_ is None:
            return outputs
        return Sigmoid(self.slope_, self.offset_).log_odds(outputs)

    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row: the second if the decision is positive."""
        decisions = self.decision_function(X)
        return np.asarray(self.classes_[(decisions > 0).astype(np.int64)])

    @absent_if(_why_no_probabilities)
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def _find_classes(self, y: npt.NDArray[Any]) -> BoolArray:
        """Set the two classes, and return which rows belong to the second."""
        check_classification_targets(y)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            shown = ", ".join(repr(label) for label in self.classes_[:3].tolist())
            found = f"{len(self.classes_)} classes: {shown}" if len(self.classes_) > 1 else f"the one class {shown}"
            raise DataError(
                f"Only binary classification is supported. y must contain two classes, got {len(y)} rows of {found}"
                f"{', …' if len(self.classes_) > 3 else ''}."
            )
        return np.asarray(index == 1)

    def _train(self, X: Matrix, positive: BoolArray, weights: FloatArray) -> "_TrainedClassifier":
        """Train one classifier."""
        per_class = np.bincount(positive, minlength=2)
        if per_class.min() == 0:
            label = self.classes_[np.argmin(per_class)]
            raise DataError(
                f"Both classes need training rows: none of {len(weights)} rows is of class {str(label)!r}, or their "
                "sample_weight is zero. The training rows of each cv fold need both classes, too."
            )
        gaps = self.observed_values_.missing > 0
        rows = TrainingColumns(X, self.feature_kinds_, feature_names(self), group_rows(None, X.shape[0]), weights, gaps)
        options = ColumnOptions.of(self)
        feature_map, warning = options.feature_map(rows), options.scales_message(rows)
        X = X if feature_map is None else feature_map(as_dense(X))
        if self.loss == "hinge" and X.shape[1] > MAX_COLUMNS:
            raise DataError(
                f"{setting('loss', 'hinge')} takes at most {MAX_COLUMNS:,} columns: got {X.shape[1]:,}.",
                remedy=f"Use {setting('loss', 'squared_hinge')}.",
            )
        classes = ClassRows.of(X, np.where(positive, 1.0, -1.0), float(self.C) * weights)
        return _TrainedClassifier(
            feature_map, LOSSES[self.loss](classes, tol=self.tol, max_iter=self.max_iter), warning
        )

    def _fit_probabilities(
        self, X: Matrix, positive: BoolArray, weights: FloatArray, cv: Any
    ) -> list["_TrainedClassifier"]:
        """Fit the sigmoid to the outputs for held-out rows; return the classifiers of the folds."""
        classifiers, outputs, classes, counts = [], [], [], []
        for train, test in self._folds(X, positive, cv):
            classifiers.append(self._train(X[train], positive[train], weights[train]))
            outputs.append(classifiers[-1].decide(X[test]))
            classes.append(positive[test])
            counts.append(weights[test])
        sigmoid = fit_sigmoid(np.concatenate(outputs), np.concatenate(classes), np.concatenate(counts))
        self.slope_, self.offset_ = sigmoid.slope, sigmoid.offset
        return classifiers

    def _folds(self, X: Matrix, positive: BoolArray, cv: Any) -> Iterator[tuple[IntArray, IntArray]]:
        if not isinstance(cv, numbers.Integral):
            return check_cv(cv).split(X, positive)
        counts = np.bincount(positive, minlength=2)
        if int(cv) > counts.min():
            label = self.classes_[np.argmin(counts)]
            raise DataError(
                f"{cv} folds need {cv} rows of each class: {str(label)!r} has {counts.min()}.",
                remedy=(f"Lower {setting('cv')}", f"set {setting('cv', None)} to do without probabilities"),
            )
        seed = random_seed(self.random_state)
        return StratifiedKFold(int(cv), shuffle=True, random_state=seed).split(X, positive)

    def _warnings(self, classifiers: list["_TrainedClassifier"]) -> Iterator[tuple[str, type[Warning]]]:
        """Yield warnings about the fits: the final one, then those of the folds."""
        stopped = [one.solution for one in classifiers if not one.solution.converged]
        if stopped:
            worst = max(solution.duality_gap / solution.value for solution in stopped)
            yield (
                f"{len(stopped)} of {len(classifiers)} fits stopped at a certified gap of up to {worst:.1e} of the "
                f"objective, tol is {self.tol:.1e}: scale the features (StandardScaler), or raise tol or max_iter.",
                ConvergenceWarning,
            )
        if classifiers[0].scales_message:
            yield classifiers[0].scales_message, UserWarning
        if self.slope_ is not None and self.slope_ >= 0:
            yield (
                "Held-out rows are not classified better than by chance: higher outputs do not make the second class "
                "more likely. Check features and labels.",
                UserWarning,
            )

    def _check_parameters(self) -> None:
        check_positive("C", self.C)
        ColumnOptions.of(self)
        check_choice("missing", self.missing, MISSING)
        check_choice("loss", self.loss, LOSSES)
        if self.cv is not None:
            check_folds(self.cv)
        check_positive("tol", self.tol)
        check_positive("max_iter", self.max_iter, whole=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


@dataclass(frozen=True, eq=False)
class _TrainedClassifier:
    """One trained classifier: the final one, or that of a fold."""

    feature_map: FeatureMap | None
    solution: ClassSolution
    scales_message: str | None

    def decide(self, X: Matrix) -> FloatArray:
        columns = X if self.feature_map is None else self.feature_map(as_dense(X))
        return np.asarray(columns @ self.solution.w + self.solution.intercept)
