"""glassrank's own estimators as sums of curves."""

from typing import Any

import numpy as np

from glassrank.core.additive.curves import FLAT
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.odd_gaussian_columns import OddMap
from glassrank.core.feature_kinds import UNSEEN
from glassrank.core.nodes.hidden_nodes import OneFeatureNodes
from glassrank.core.setting import setting
from glassrank.core.sigmoid import Sigmoid
from glassrank.nomograms.adapters.terms import Terms, linear_terms, names_of, outcome_of, refuse


def rank_svm(model: Any) -> Terms:
    """u(x) = w·φ(x): straight lines, or sums of Gaussians at the nodes of the LRBF kernel.

    In difference mode f(a, b) = Σ_k g_k(a_k − b_k) with odd curves g_k.
    """
    subject = "difference" if model.mode == "difference" else "utility"
    curves = _curves(model, model.coef_)
    return Terms(
        curves,
        names=names_of(model),
        observed=model.observed_values_,
        categories=_categories(model),
        subject=subject,
        missing_effects=_missing_effects(model, curves),
        directions=_directions(model),
    )


def elm_rank(model: Any) -> Terms:
    """f(x) = Σ β_k φ_k(x), where each node φ_k uses one feature."""
    nodes = model.hidden_nodes_
    if not isinstance(nodes, OneFeatureNodes):
        raise refuse(
            f"{type(model).__name__} with {setting('nodes', 'full')}",
            "each of its nodes mixes all features",
            (f"Fit it with {setting('nodes', 'additive')}", f"fit a RankSVM with {setting('kernel', 'lrbf')}"),
        )
    curves: tuple[Curve, ...] = (
        tuple(nodes.curve(k, model.coef_) for k in range(model.n_features_in_))
        if model.feature_map_ is None
        else model.feature_map_.curves(model.coef_)
    )
    return Terms(
        curves,
        names=names_of(model),
        observed=model.observed_values_,
        categories=_categories(model),
        missing_effects=_missing_effects(model, curves),
    )


def pairwise_ranker(model: Any) -> Terms:
    """u(x) = w·x; in difference mode f(a, b) = Σ_k w_k(a_k − b_k) + b (equations 9 and 10)."""
    if model.antisymmetric:
        return linear_terms(model, model.coef_, observed=model.observed_values_)
    described: dict[str, Any] = {"subject": "difference", "antisymmetric": False}
    return Terms(_curves(model, model.coef_), model.intercept_, names_of(model), model.observed_values_, **described)


def best_single_feature(model: Any) -> Terms:
    """u(x) = ±x_k for one k; the lines of all other features are points."""
    curves: list[Curve] = [FLAT] * model.n_features_in_
    curves[model.feature_] = LinearCurve(float(model.direction_))
    return Terms(tuple(curves), names=names_of(model), observed=model.observed_values_)


def additive_svc(model: Any) -> Terms:
    """Log-odds −(A f(x) + B) with f(x) = w·φ(x) + b; without probabilities, f(x) itself."""
    curves = _curves(model, model.coef_[0])
    terms = Terms(
        curves,
        float(model.intercept_[0]),
        names_of(model),
        model.observed_values_,
        _categories(model),
        subject="class",
        outcome=outcome_of(model),
        missing_effects=_missing_effects(model, curves),
    )
    if model.slope_ is None:
        return terms
    sigmoid = Sigmoid(model.slope_, model.offset_)
    return terms.scaled(-sigmoid.slope, -sigmoid.offset, unit="log-odds")


def own_terms(model: Any) -> Terms:
    """A model that returns its own terms, because this module cannot know it."""
    terms: Terms = model.additive_terms()
    return terms


def _curves(model: Any, coef: Any) -> tuple[Curve, ...]:
    if model.feature_map_ is None:
        return tuple(LinearCurve(float(slope)) for slope in np.asarray(coef))
    if isinstance(model.feature_map_, OddMap):
        return tuple(curve if len(curve.nodes) else FLAT for curve in model.feature_map_.curves(coef))
    curves: tuple[Curve, ...] = model.feature_map_.curves(coef)
    return curves


def _categories(model: Any) -> tuple[tuple[str, ...], ...]:
    """Return the levels of each feature; () if all features are numbers."""
    levels = tuple(kind.levels for kind in model.feature_kinds_)
    return levels if any(levels) else ()


def _directions(model: Any) -> tuple[int, ...]:
    """Return the directions to which the effects of features were held in training; () if none was."""
    if not model.monotone:
        return ()
    names = names_of(model) or ()
    held = {
        names.index(feature) if isinstance(feature, str) else feature: way for feature, way in model.monotone.items()
    }
    return tuple(held.get(k, 0) for k in range(model.n_features_in_))


def _missing_effects(model: Any, curves: tuple[Curve, ...]) -> tuple[float, ...]:
    """Return the effects of the means, if the model treats unexpected missing values as the mean."""
    if model.missing != "mean":
        return ()
    kinds = zip(curves, model.feature_kinds_, model.observed_values_.mean, strict=True)
    return tuple(float(curve(np.array(UNSEEN if kind.is_category else mean))) for curve, kind, mean in kinds)
