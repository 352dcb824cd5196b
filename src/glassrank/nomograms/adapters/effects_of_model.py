"""effects(): a fitted model as one curve per feature, over the values that occur in the data."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.categories import MAX_CODES, NUMBERED
from glassrank.core.additive.curves import MissingCurve, add_curves, coding_of, is_centred, is_of_codes, tree_categories
from glassrank.core.additive.effects import AdditiveEffects, Curve, FeatureEffect
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import BoolArray, DataError, FloatArray, Matrix, check_finite
from glassrank.core.input_types import ArrayLike, Estimator
from glassrank.core.numbered_features import numbered_names
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.registry import terms_of
from glassrank.nomograms.adapters.terms import Terms

CENTRAL_SHARE = 0.99
DIRECTION_SAMPLES = 65


def effects(model: Estimator, X: ArrayLike | None = None) -> AdditiveEffects:
    """Return the effects of a fitted additive model, one curve per feature in the feature's own unit.

    f(x) = intercept + Σ_k effect_k(x_k) equals the model's score, decision value or log-odds. Supported are models of
    glassrank, linear models, naive Bayes and boosted trees of one or two features each (scikit-learn, LightGBM,
    XGBoost), also inside calibrators and searches, and at the end of a Pipeline of per-column steps. Other models cause
    an error that says why. What two features of a tree add together is in ``interactions``; what one of them adds
    alone, given how often its values occur in ``X``, is part of its own curve.

    Curves span the middle 99 % of the values in ``X``. Without ``X`` they span all training values, if the model has
    stored them. An effect is 0 at the feature's mean in training, or in ``X`` if that is unknown. The effect of a
    feature with categories is 0 at the most frequent one.

    >>> from glassrank import RankSVM, effects
    >>> model = RankSVM().fit([[0.0, 1.0], [1.0, 3.0]], [0, 1])
    >>> [feature.name for feature in effects(model).features]
    ['feature 1', 'feature 2']
    """
    rows = X.table if isinstance(X, RankingData) else X
    terms = _purified(_with_observed_codes(terms_of(model), rows), rows)
    return assemble(terms, observed_values(terms, rows, type(model).__name__))


def unknown_if_missing(model: Estimator) -> BoolArray:
    """Return which features of a fitted model, or of its effects, have no effect of missing values."""
    if isinstance(model, AdditiveEffects):
        return np.array([_lacks_missing(feature.curve) for feature in model.features], dtype=bool)
    terms = terms_of(model)
    return np.array([not terms.missing_effects and _lacks_missing(curve) for curve in terms.curves], dtype=bool)


def _lacks_missing(curve: Curve) -> bool:
    return bool(np.isnan(curve(np.array(np.nan))))


def observed_values(terms: Terms, X: Any, kind: str, weights: FloatArray | None = None) -> ObservedValues:
    """Return where each line begins and ends, and where its effect is 0: at the mean of the rows, weighted or not."""
    if X is None:
        if terms.observed is None:
            raise DataError(f"This {kind} has not stored the values of its features: pass X, such as training rows.")
        return terms.observed
    rows = draft_effects(terms).encode(X)
    if rows.shape[1] != terms.n_features:
        raise DataError(
            f"X must have one column per feature: expected {terms.n_features}, got {rows.shape[1]}.",
            parameter="X",
            expected=terms.n_features,
            got=rows.shape[1],
        )
    if rows.shape[0] == 0:
        raise DataError("X must have rows, which show the values of each feature: got none.", parameter="X")
    observed = _central(terms, rows).weighted(rows, weights)
    if terms.observed is not None:
        observed = replace(
            observed, mean=terms.observed.mean, missing=np.fmax(observed.missing, terms.observed.missing)
        )
    return _with_categories(terms, rows, observed, weights) if terms.categories else observed


def assemble(terms: Terms, observed: ObservedValues) -> AdditiveEffects:
    """Return the effects of the terms over the observed values."""
    features = tuple(_features(terms, observed))
    constant = terms.constant + sum(feature.base for feature in features)
    described = (terms.unit, terms.subject, terms.outcome, terms.interactions, terms.antisymmetric)
    return AdditiveEffects(features, constant, *described)


def _features(terms: Terms, observed: ObservedValues) -> list[FeatureEffect]:
    names = terms.names or numbered_names(terms.n_features)
    ends = list(zip(observed.low.tolist(), observed.high.tolist(), observed.mean.tolist(), strict=True))
    if terms.subject == "difference":
        # The difference of two values lies between −(high − low) and high − low.
        ends = [(low - high, high - low, 0.0) for low, high, _ in ends]
    return [
        FeatureEffect(
            name,
            curve := _with_missing(terms, k, observed),
            low,
            high,
            None if is_centred(curve) else centre,
            categories=terms.categories_of(k),
            missing_share=float(observed.missing[k]) or None,
            coding=coding_of(curve),
            direction=_direction(terms, k, curve, low, high),
        )
        for k, (name, (low, high, centre)) in enumerate(zip(names, ends, strict=True))
    ]


def _direction(terms: Terms, k: int, curve: Curve, low: float, high: float) -> int:
    """Return the direction to which a feature's effect is held, if its curve over the original values obeys it."""
    direction = terms.directions[k] if terms.directions else 0
    if not direction or terms.categories_of(k):
        return 0
    rises = direction * np.diff(curve(np.linspace(low, high, DIRECTION_SAMPLES)))
    return direction if (rises >= -1e-12 * np.abs(rises).max(initial=0.0)).all() else 0


def _with_missing(terms: Terms, k: int, observed: ObservedValues) -> Curve:
    """Return the curve of a feature; if values are missing, it must have an effect of missing values."""
    curve = terms.curves[k]
    if observed.missing[k] == 0 or not _lacks_missing(curve):
        return curve
    if not terms.missing_effects:
        name = (terms.names or numbered_names(terms.n_features))[k]
        raise DataError(
            f"Feature {name!r} has missing values ({observed.missing[k]:.1%} of the rows), but had none in training.",
            remedy=("Fill them", f"train with {setting('missing', 'mean')}, which gives them the effect of the mean"),
        )
    return MissingCurve(curve, 0.0, terms.missing_effects[k])


def _with_observed_codes(terms: Terms, X: Any) -> Terms:
    """Name the codes that occur in X, for models that do not store which codes occurred in training."""
    found = [tree_categories(curve) for curve in terms.curves]
    unknown = [k for k, own in enumerate(found) if own is not None and own.coding == NUMBERED and not own.complete]
    if X is None or not unknown:
        return terms
    categories = list(terms.categories)
    plain = replace(terms, categories=tuple(() if k in unknown else names for k, names in enumerate(categories)))
    rows = draft_effects(plain).encode(X)
    for k in unknown if rows.shape[1] == terms.n_features else ():
        codes = rows[:, [k]].toarray() if sparse.issparse(rows) else rows[:, k]
        largest = int(np.max(codes, initial=-1.0, where=(codes >= 0) & (codes < MAX_CODES)))
        categories[k] = tuple(map(str, range(max(len(categories[k]), largest + 1))))
    return replace(terms, categories=tuple(categories))


def _purified(terms: Terms, X: Any) -> Terms:
    """Move what one feature of an interaction adds alone into the curve of the feature, as frequent as X shows it."""
    if X is None or not terms.interactions:
        return terms
    rows = draft_effects(terms).encode(X)
    dense = rows.toarray() if sparse.issparse(rows) else rows
    parts, pure = [[curve] for curve in terms.curves], []
    for both in terms.interactions if dense.shape[1] == terms.n_features else ():
        rest, *alone = both.purified(dense)
        pure.append(rest)
        for k, curve in zip(both.features, alone, strict=True):
            parts[k].append(curve)
    return replace(terms, curves=tuple(map(add_curves, parts)), interactions=tuple(pure))


def draft_effects(terms: Terms) -> AdditiveEffects:
    """Return effects that have names and categories only, to encode a table with them."""
    nowhere = np.zeros(terms.n_features)
    return AdditiveEffects(tuple(_features(terms, ObservedValues(nowhere, nowhere, nowhere))), 0.0, terms.unit)


def _central(terms: Terms, rows: Matrix) -> ObservedValues:
    """Return the central range of the known values of each feature, and the share of missing ones."""
    if sparse.issparse(rows) or not np.isnan(rows).any():
        check_finite("X", rows)
        return ObservedValues.central(rows, CENTRAL_SHARE)
    check_finite("X", np.where(np.isnan(rows), 0.0, rows))
    known = ~np.isnan(rows)
    tails = [(1.0 - CENTRAL_SHARE) / 2.0, (1.0 + CENTRAL_SHARE) / 2.0]
    ends = [
        np.quantile(column[own], tails) if own.any() else (0.0, 0.0)
        for column, own in zip(rows.T, known.T, strict=True)
    ]
    low, high = np.array(ends).reshape(-1, 2).T
    mean = np.where(known, rows, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return ObservedValues(low, high, mean, 1.0 - known.mean(axis=0))


def _with_categories(
    terms: Terms, rows: FloatArray, observed: ObservedValues, weights: FloatArray | None
) -> ObservedValues:
    """Make lines span all categories, with effect 0 at the most frequent one (the first of equally frequent ones)."""
    low, high, mean = observed.low.copy(), observed.high.copy(), observed.mean.copy()
    for k, names in enumerate(terms.categories):
        if not names:
            continue
        low[k], high[k] = 0.0, len(names) - 1.0
        codes = rows[:, k]
        known = (codes >= 0) & (codes < len(names))
        if is_of_codes(terms.curves[k]) and known.any():
            counted = None if weights is None else weights[known]
            counts = np.bincount(codes[known].astype(np.int64), counted, minlength=len(names))
            mean[k] = float(np.argmax(counts))
    return replace(observed, low=low, high=high, mean=mean)
