"""scikit-learn's naive Bayes classifiers: features are independent within a class, so their log-odds add up."""

from typing import Any

import numpy as np

from glassrank.core.additive.curves import CategoryCurve, NormalRatioCurve, StepCurve
from glassrank.nomograms.adapters.terms import Terms, linear_terms, names_of, outcome_of


def gaussian_nb(model: Any) -> Terms:
    """log P₁/P₀ + Σ_k log N(x_k; θ₁k, σ²₁k)/N(x_k; θ₀k, σ²₀k): one parabola per feature."""
    outcome = outcome_of(model)
    curves = tuple(
        NormalRatioCurve((float(means[0]), float(means[1])), (float(variances[0]), float(variances[1])))
        for means, variances in zip(model.theta_.T, model.var_.T, strict=True)
    )
    prior = float(np.log(model.class_prior_[1]) - np.log(model.class_prior_[0]))
    return Terms(curves, prior, names_of(model), unit="log-odds", subject="class", outcome=outcome)


def categorical_nb(model: Any) -> Terms:
    """log P₁/P₀ + Σ_k log P(x_k | 1)/P(x_k | 0): one level per category, named by its code 0, 1, 2 …"""
    outcome = outcome_of(model)
    levels = [log_probability[1] - log_probability[0] for log_probability in model.feature_log_prob_]
    return Terms(
        tuple(CategoryCurve(own) for own in levels),
        _prior(model),
        names_of(model),
        categories=tuple(tuple(map(str, range(len(own)))) for own in levels),
        unit="log-odds",
        subject="class",
        outcome=outcome,
    )


def multinomial_nb(model: Any) -> Terms:
    """log P₁/P₀ + Σ_k x_k log p₁k/p₀k: straight lines over counts."""
    outcome = outcome_of(model)
    slopes = model.feature_log_prob_[1] - model.feature_log_prob_[0]
    return linear_terms(model, slopes, _prior(model), unit="log-odds", subject="class", outcome=outcome)


def bernoulli_nb(model: Any) -> Terms:
    """log P₁/P₀ + Σ_k log of p₁k/p₀k if x_k > ``binarize``, otherwise of (1 − p₁k)/(1 − p₀k): one step per feature."""
    outcome = outcome_of(model)
    present = model.feature_log_prob_[1] - model.feature_log_prob_[0]
    absences = np.log1p(-np.exp(model.feature_log_prob_))
    absent = absences[1] - absences[0]
    described: dict[str, Any] = {"unit": "log-odds", "subject": "class", "outcome": outcome}
    if model.binarize is None:
        # The classifier expects zeros and ones, and multiplies with them.
        return linear_terms(model, present - absent, _prior(model) + absent.sum(), **described)
    threshold = np.array([model.binarize])
    curves = tuple(StepCurve(threshold, np.array(levels)) for levels in zip(absent, present, strict=True))
    return Terms(curves, _prior(model), names_of(model), **described)


def _prior(model: Any) -> float:
    return float(model.class_log_prior_[1] - model.class_log_prior_[0])
