"""Effects of a fitted model: one adapter per kind of additive model."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from glassrank.core.checks import DataError, Matrix, as_matrix, check_finite
from glassrank.core.effects import AdditiveEffects, ObservedValues, linear_effects
from glassrank.ranking.estimator import feature_names

CENTRAL_SHARE = 0.99


def effects(model: Any, X: Matrix | None = None) -> AdditiveEffects:
    """Return the effects of a fitted additive model, one curve per feature.

    Curves span the middle 99 % of the values in ``X``, or all of the training data without it; an effect is 0 at the
    feature's mean in training.

    >>> from glassrank import RankSVM, effects
    >>> model = RankSVM().fit([[0.0, 1.0], [1.0, 3.0]], [0, 1])
    >>> [feature.name for feature in effects(model).features]
    ['feature 1', 'feature 2']
    """
    kind = type(model).__name__
    if kind not in ADAPTERS:
        raise DataError(f"Effects are known for {', '.join(ADAPTERS)}: got {kind}. Its output may not be additive.")
    if not hasattr(model, "coef_"):
        raise DataError(f"This {kind} is not fitted yet. Call fit first.")
    return ADAPTERS[kind](model, model.observed_values_ if X is None else _observed(model, as_matrix(X)))


def _observed(model: Any, X: Matrix) -> ObservedValues:
    """The values that X shows; where an effect is 0 stays what it was in training."""
    if X.shape[1] != model.n_features_in_:
        raise DataError(f"X must have one column per feature: expected {model.n_features_in_}, got {X.shape[1]}.")
    if X.shape[0] == 0:
        raise DataError("X must have rows, to show which values a feature takes: got none.")
    check_finite("X", X)
    return replace(ObservedValues.central(X, CENTRAL_SHARE), mean=model.observed_values_.mean)


def _rank_svm(model: Any, observed: ObservedValues) -> AdditiveEffects:
    if model.kernel != "linear":
        raise DataError(f"Effects are straight lines so far: expected RankSVM(kernel='linear'), got {model.kernel!r}.")
    return linear_effects(feature_names(model), model.coef_, observed, unit="score")


ADAPTERS: dict[str, Callable[[Any, ObservedValues], AdditiveEffects]] = {"RankSVM": _rank_svm}
