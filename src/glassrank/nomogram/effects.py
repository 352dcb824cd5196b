"""Effects of a fitted model: one adapter per kind of additive model."""

from collections.abc import Callable
from typing import Any

from glassrank.core.checks import DataError, Matrix, as_matrix, check_length
from glassrank.core.effects import AdditiveEffects, ObservedValues, linear_effects
from glassrank.ranking.estimator import feature_names

CENTRAL_SHARE = 0.99


def effects(model: Any, X: Matrix | None = None) -> AdditiveEffects:
    """Return the effects of a fitted additive model, one curve per feature.

    Curves span the middle 99 % of the values in ``X``, or all of the training data's without ``X``.

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
    observed = model.observed_values_ if X is None else ObservedValues.central(as_matrix(X), CENTRAL_SHARE)
    check_length("X", observed.mean, model.n_features_in_, per="feature of the model")
    return ADAPTERS[kind](model, observed)


def _rank_svm(model: Any, observed: ObservedValues) -> AdditiveEffects:
    if model.kernel != "linear":
        raise DataError(
            f"Effects are straight lines so far: expected RankSVM(kernel='linear'), got {model.kernel!r}."
        )
    return linear_effects(feature_names(model), model.coef_, observed, unit="score")


ADAPTERS: dict[str, Callable[[Any, ObservedValues], AdditiveEffects]] = {"RankSVM": _rank_svm}
