"""effects(): a fitted model as one curve per feature, over the values that occur in the data."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, ObservedValues
from glassrank.core.checks import DataError, FloatArray, Matrix, check_finite
from glassrank.core.input_types import ArrayLike, Estimator
from glassrank.core.numbered_features import numbered_names
from glassrank.nomograms.adapters.registry import terms_of
from glassrank.nomograms.adapters.terms import Terms

CENTRAL_SHARE = 0.99


def effects(model: Estimator, X: ArrayLike | None = None) -> AdditiveEffects:
    """Return the effects of a fitted additive model, one curve per feature in the feature's own unit.

    f(x) = intercept + Σ_k effect_k(x_k) equals the model's score, decision value or log-odds. Supported are models of
    glassrank, linear models, naive Bayes and boosted trees of one feature each, also inside calibrators and searches,
    and at the end of a Pipeline of per-column steps. Other models cause an error that says why.

    Curves span the middle 99 % of the values in ``X``. Without ``X`` they span all training values, if the model has
    stored them. An effect is 0 at the feature's mean in training, or in ``X`` if that is unknown. The effect of a
    feature with categories is 0 at the most frequent one.

    >>> from glassrank import RankSVM, effects
    >>> model = RankSVM().fit([[0.0, 1.0], [1.0, 3.0]], [0, 1])
    >>> [feature.name for feature in effects(model).features]
    ['feature 1', 'feature 2']
    """
    terms = terms_of(model)
    return assemble(terms, observed_values(terms, X, type(model).__name__))


def observed_values(terms: Terms, X: Any, kind: str, weights: FloatArray | None = None) -> ObservedValues:
    """Return where each line begins and ends, and where its effect is 0: at the mean of the rows, weighted or not."""
    if X is None:
        if terms.observed is None:
            raise DataError(f"This {kind} has not stored the values of its features: pass X, such as training rows.")
        return terms.observed
    rows = _draft(terms).encode(X)
    if rows.shape[1] != terms.n_features:
        raise DataError(
            f"X must have one column per feature: expected {terms.n_features}, got {rows.shape[1]}.",
            parameter="X",
            expected=terms.n_features,
            got=rows.shape[1],
        )
    if rows.shape[0] == 0:
        raise DataError("X must have rows, which show the values of each feature: got none.", parameter="X")
    observed = _with_gaps(terms, rows) if terms.takes_missing and not sparse.issparse(rows) else _central(rows)
    observed = observed.weighted(rows, weights)
    observed = observed if terms.observed is None else replace(observed, mean=terms.observed.mean)
    return _with_categories(terms, rows, observed, weights) if terms.categories else observed


def assemble(terms: Terms, observed: ObservedValues) -> AdditiveEffects:
    """Return the effects of the terms over the observed values."""
    features = tuple(_features(terms, observed))
    at_centres = sum(float(feature.curve(np.array(feature.centre))) for feature in features)
    return AdditiveEffects(features, terms.constant + at_centres, terms.unit, terms.subject, terms.outcome)


def _features(terms: Terms, observed: ObservedValues) -> list[FeatureEffect]:
    names = terms.names or numbered_names(terms.n_features)
    ends = list(zip(observed.low.tolist(), observed.high.tolist(), observed.mean.tolist(), strict=True))
    if terms.subject == "difference":
        # The difference of two values lies between −(high − low) and high − low.
        ends = [(low - high, high - low, 0.0) for low, high, _ in ends]
    return [
        FeatureEffect(name, curve, *places, categories=terms.categories_of(k))
        for k, (name, curve, places) in enumerate(zip(names, terms.curves, ends, strict=True))
    ]


def _draft(terms: Terms) -> AdditiveEffects:
    """Return effects that have names and categories only, to encode a table with them."""
    nowhere = np.zeros(terms.n_features)
    return AdditiveEffects(tuple(_features(terms, ObservedValues(nowhere, nowhere, nowhere))), 0.0, terms.unit)


def _central(rows: Matrix) -> ObservedValues:
    check_finite("X", rows)
    return ObservedValues.central(rows, CENTRAL_SHARE)


def _with_gaps(terms: Terms, rows: FloatArray) -> ObservedValues:
    """Return the central range of the values that are not missing, for models that accept missing values."""
    check_finite("X", np.where(np.isnan(rows), 0.0, rows))
    empty = np.flatnonzero(np.isnan(rows).all(axis=0))
    if len(empty):
        raise DataError(f"X must contain values of every feature: column {empty[0]} has none.", parameter="X")
    low, high = np.nanquantile(rows, [(1.0 - CENTRAL_SHARE) / 2.0, (1.0 + CENTRAL_SHARE) / 2.0], axis=0)
    return ObservedValues(low, high, np.nanmean(rows, axis=0))


def _with_categories(
    terms: Terms, rows: FloatArray, observed: ObservedValues, weights: FloatArray | None
) -> ObservedValues:
    """Make lines span all categories, with effect 0 at the most frequent one (the first of equally frequent ones)."""
    low, high, mean = observed.low.copy(), observed.high.copy(), observed.mean.copy()
    for k, names in enumerate(terms.categories):
        if names:
            codes = rows[:, k].astype(np.int64)
            low[k], high[k] = 0.0, len(names) - 1.0
            mean[k] = float(np.argmax(np.bincount(codes, weights, minlength=len(names))))
    return ObservedValues(low, high, mean)
