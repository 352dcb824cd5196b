"""Estimators that wrap another one: searches and calibrators."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from glassrank.core.additive.categories import NUMBERED
from glassrank.core.additive.curves import coding_of, taken_by_name
from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind
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
    """Log-odds −(A f(a, b) + B) of "a above b": the ranker's curves, times −A (equations 13 and 14)."""
    terms = terms_of(model.estimator_)
    if terms.unit == "log-odds" and terms.subject != "class":
        raise refuse(
            f"PairCalibrator around {type(model.estimator_).__name__}",
            "it is calibrated already, and its log-odds are not the scores that this one calibrates",
            "Calibrate the ranker itself, once.",
        )
    terms = with_levels(
        terms.scaled(-model.slope_, -model.offset_, unit="log-odds"), getattr(model, "feature_kinds_", ())
    )
    # The calibrator ranks, also by the scores of a classifier.
    return replace(terms, subject="utility", outcome="") if terms.subject == "class" else terms


def with_levels(terms: Terms, kinds: Sequence[FeatureKind]) -> Terms:
    """Name the categories of a ranker that knows codes only after the levels of the data it was calibrated with."""
    curves, categories = list(terms.curves), [terms.categories_of(k) for k in range(terms.n_features)]
    for k, kind in enumerate(kinds):
        numbered = coding_of(curves[k]) == NUMBERED and kind.is_category
        # More codes than levels are those of other data, which is an error as soon as they are used.
        if numbered and len(categories[k]) <= len(kind.levels):
            curves[k], categories[k] = taken_by_name(curves[k]), kind.levels
    return replace(terms, curves=tuple(curves), categories=tuple(categories) if any(categories) else ())


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
