"""NaiveBayes: a multinomial model on scaled features, or a categorical model on discretised features."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import CategoricalNB, MultinomialNB
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import FloatArray, IntArray, check_choice, check_positive
from glassrank.core.input_types import ArrayLike
from glassrank.navigational.decisions import RampDecision, StepDecision
from glassrank.nomograms.adapters.terms import Terms, names_of, outcome_of
from glassrank.selection.entropy import cut_points

MODELS = ("multinomial", "categorical")
PRIORS = ("map", "uniform")


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes classifier: features are independent of each other given the class.

    y* = argmax_y P(y) Π_j P(v_j | y), with a uniform prior P(y) if asked for; equations 3 to 6 of Lu, Peng, Li and
    Ahmed, "Coupling feature selection and machine learning methods for navigational query identification" (2006).

    ``"multinomial"``, equation 6: a feature, scaled to [0, 1] over the training rows, is a count, and with N_yj its sum
    over the rows of class y and K features, P(v_j | y) = (N_yj + a)/(Σ_j N_yj + K a), to the power of the row's
    scaled value. ``"categorical"``: a feature is cut into intervals after Fayyad and Irani, and
    P(v_j | y) = (rows of y in the interval + a)/(rows of y + a · intervals). Both are scikit-learn's, on these columns.

    Parameters
    ----------
    model : {"multinomial", "categorical"}
        Whether the value of a feature is a count, or one of several intervals.
    prior : {"map", "uniform"}
        P(y) is the share of the class (equation 4), or the same for all classes (equation 5).
    smoothing : float
        a, added to each count; 1 is the paper's add-one smoothing.

    Attributes
    ----------
    classes_ : ndarray
        Labels in ascending order.
    model_ : fitted MultinomialNB or CategoricalNB.
    scaler_ : fitted MinMaxScaler of the multinomial model; values outside its range are clipped.
    cut_points_ : list of ndarray
        Cut points of each feature in the categorical model.

    Examples
    --------
    >>> from glassrank.navigational.naive_bayes import NaiveBayes
    >>> X, y = [[0.0, 9.0], [1.0, 8.0], [9.0, 1.0], [8.0, 0.0]], [0, 0, 1, 1]
    >>> NaiveBayes().fit(X, y).predict([[7.0, 2.0]]).tolist()
    [1]
    """

    def __init__(self, model: str = "multinomial", *, prior: str = "map", smoothing: float = 1.0) -> None:
        self.model = model
        self.prior = prior
        self.smoothing = smoothing

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Count features by class."""
        check_choice("model", self.model, MODELS)
        check_choice("prior", self.prior, PRIORS)
        check_positive("smoothing", self.smoothing)
        X, y = validate_data(self, X, y, dtype="float64")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counted: dict[str, Any] = {"alpha": float(self.smoothing), "fit_prior": self.prior == "map"}
        if self.model == "multinomial":
            self.scaler_ = MinMaxScaler(clip=True).fit(X)
            self.model_ = MultinomialNB(**counted)
        else:
            self.cut_points_ = [cut_points(column, codes) for column in X.T]
            counted["min_categories"] = [len(cuts) + 1 for cuts in self.cut_points_]
            self.model_ = CategoricalNB(**counted)
        self.model_.fit(self._columns(X), codes)
        return self

    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return the most probable class of each row, the first if tied."""
        log_probabilities = self.predict_log_proba(X)
        return np.asarray(self.classes_[np.argmax(log_probabilities, axis=1)])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return P(y | x) of each class, in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of ``predict_proba``."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", reset=False)
        return np.asarray(self.model_.predict_log_proba(self._columns(X)))

    def additive_terms(self) -> Terms:
        """Return the log-odds of the second of two classes as a sum of curves, for ``glassrank.effects``."""
        check_is_fitted(self)
        outcome = outcome_of(self)
        decision = read_naive_bayes(self)
        described: dict[str, Any] = {"unit": "log-odds", "subject": "class", "outcome": outcome}
        return Terms(decision.curves(), decision.constant, names_of(self), **described)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Add-one smoothing is strong for values that are scaled to [0, 1].
        tags.classifier_tags.poor_score = self.model == "multinomial"
        return tags

    def _columns(self, X: FloatArray) -> FloatArray | IntArray:
        """Scaled values, or numbers of intervals."""
        if self.model == "multinomial":
            return np.asarray(self.scaler_.transform(X))
        return np.column_stack(
            [np.searchsorted(cuts, column, side="left") for cuts, column in zip(self.cut_points_, X.T, strict=True)]
        )


def read_naive_bayes(model: NaiveBayes) -> RampDecision | StepDecision:
    """Read the decision log P₁/P₀ + Σ_j (contribution of feature j)."""
    fitted = model.model_
    prior = float(fitted.class_log_prior_[1] - fitted.class_log_prior_[0])
    if model.model == "multinomial":
        rises = fitted.feature_log_prob_[1] - fitted.feature_log_prob_[0]
        return RampDecision(model.scaler_.data_min_, 1.0 / model.scaler_.scale_, rises, prior)
    levels = [of_classes[1] - of_classes[0] for of_classes in fitted.feature_log_prob_]
    n_cuts = np.array([len(cuts) for cuts in model.cut_points_])
    return StepDecision(n_cuts, np.concatenate(model.cut_points_), np.concatenate(levels), prior)
