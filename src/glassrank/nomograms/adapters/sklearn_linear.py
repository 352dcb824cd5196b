"""scikit-learn's linear regressors and classifiers as straight lines."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.terms import Terms, linear_terms, outcome_of, refuse

REGRESSORS = (
    *("ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV", "Lasso"),
    *("LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression", "LinearSVR"),
    *("OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "QuantileRegressor", "Ridge", "RidgeCV"),
    *("SGDRegressor", "TheilSenRegressor"),
)
# The decision values of these are log-odds: P = 1/(1 + exp(−decision)).
LOGISTIC = ("LinearDiscriminantAnalysis", "LogisticRegression", "LogisticRegressionCV")
MARGINS = ("LinearSVC", "PassiveAggressiveClassifier", "Perceptron", "RidgeClassifier", "RidgeClassifierCV")


def linear_regressor(model: Any) -> Terms:
    """predict(x) = w·x + b, taken as the score of a document."""
    coef = np.asarray(model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_)
    if coef.ndim == 2 and coef.shape[0] != 1:
        raise DataError(
            f"{type(model).__name__} predicts {coef.shape[0]} outputs, but a nomogram shows one: fit one model for "
            "each column of y."
        )
    return linear_terms(model, coef.ravel(), np.asarray(model.intercept_).item())


def logistic(model: Any) -> Terms:
    """Log-odds of the second class: w·x + b."""
    return _binary(model, "log-odds")


def margin(model: Any) -> Terms:
    """decision_function(x) = w·x + b, which does not give a probability."""
    return _binary(model, "score")


def sgd_classifier(model: Any) -> Terms:
    """Log-odds with loss="log_loss", otherwise a decision value without probability."""
    return _binary(model, "log-odds" if model.loss == "log_loss" else "score")


def svc(model: Any) -> Terms:
    """The decision value of an SVM with the linear kernel."""
    if model.kernel != "linear":
        raise refuse(
            f"{type(model).__name__} with the kernel {model.kernel!r}",
            "its kernel mixes all features",
            f"Fit AdditiveSVC with {setting('kernel', 'lrbf')}, which has one Gaussian kernel per feature, or use "
            f"{setting('kernel', 'linear')}.",
        )
    return _binary(model, "score")


def _binary(model: Any, unit: str) -> Terms:
    outcome = outcome_of(model)
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
    return linear_terms(
        model, np.atleast_2d(coef)[0], np.ravel(model.intercept_)[0], unit=unit, subject="class", outcome=outcome
    )
