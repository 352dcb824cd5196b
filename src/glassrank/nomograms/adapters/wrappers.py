"""Estimators that wrap another one: searches and calibrators."""

from dataclasses import replace
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.terms import Terms, TermsOf, refuse


def best_of_search(model: Any, terms_of: TermsOf) -> Terms:
    """The best model of a search, refitted to all data."""
    if not hasattr(model, "best_estimator_"):
        raise DataError(
            f"This {type(model).__name__} kept no fitted model.",
            remedy=f"Set {setting('refit', True)} and fit it again.",
        )
    return terms_of(model.best_estimator_)


def frozen(model: Any, terms_of: TermsOf) -> Terms:
    """A fitted model that must not be refitted."""
    return terms_of(model.estimator)


def pair_calibrator(model: Any, terms_of: TermsOf) -> Terms:
    """Log-odds −A (u(a) − u(b)) of "a above b": the ranker's curves, times −A."""
    terms = terms_of(model.estimator_).scaled(-model.slope_, unit="log-odds")
    # The calibrator ranks, also by the scores of a classifier.
    return replace(terms, subject="utility", outcome="") if terms.subject == "class" else terms


def calibrated_classifier(model: Any, terms_of: TermsOf) -> Terms:
    """Log-odds −(A f + B) of one classifier's decision values f."""
    if model.method != "sigmoid":
        raise refuse(
            f"CalibratedClassifierCV with the method {model.method!r}",
            "only a sigmoid keeps the log-odds additive",
            f"Fit it with {setting('method', 'sigmoid')}.",
        )
    fitted = model.calibrated_classifiers_
    if len(fitted) != 1:
        raise refuse(
            f"CalibratedClassifierCV with {setting('ensemble', True)}",
            f"it averages the probabilities of {len(fitted)} classifiers, so that its log-odds are not additive",
            f"Fit it with {setting('ensemble', False)}.",
        )
    classifier = fitted[0].estimator
    if not hasattr(classifier, "decision_function"):
        raise refuse(
            f"CalibratedClassifierCV around {type(classifier).__name__}",
            "a sigmoid of probabilities is not additive",
            f"Use the {type(classifier).__name__} itself, whose log-odds are additive.",
        )
    (sigmoid,) = fitted[0].calibrators
    last = classifier
    while hasattr(last, "steps"):
        last = last.steps[-1][1]
    # The decision value of boosting with the exponential loss is half the log-odds.
    per_decision = 0.5 if getattr(last, "loss", None) == "exponential" else 1.0
    return terms_of(classifier).scaled(-per_decision * float(sigmoid.a_), -float(sigmoid.b_), unit="log-odds")
