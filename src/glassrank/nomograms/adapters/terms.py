"""Terms: the curves that an adapter reads from a fitted model, before the range of the values is known."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.additive.curves import scale_curve
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.interactions import Interaction
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError, FloatArray

TermsOf = Callable[[Any], "Terms"]


@dataclass(frozen=True, eq=False)
class Terms:
    """f(x) = constant + Σ_k curve_k(x_k) + Σ_jk interaction_jk(x_j, x_k).

    Unit, subject, outcome and antisymmetric are those of ``AdditiveEffects``.
    """

    curves: tuple[Curve, ...]
    constant: float = 0.0
    names: tuple[str, ...] | None = None
    """Names of the features in training; None if the model was fitted without names."""
    observed: ObservedValues | None = None
    """Range and mean of each feature in training, if the model has stored them."""
    categories: tuple[tuple[str, ...], ...] = ()
    """For each feature the names of its categories, empty for numbers; () if all features are numbers."""
    unit: str = "score"
    subject: str = "utility"
    outcome: str = ""
    interactions: tuple[Interaction, ...] = ()
    """What two features add together."""
    missing_effects: tuple[float, ...] = ()
    """Effect of a missing value of a feature whose curve has none, if the model treats it as the mean; () if not."""
    directions: tuple[int, ...] = ()
    """1 or −1 for each feature whose effect must only rise or only fall, 0 for all others; () if there are none."""
    antisymmetric: bool = True

    @property
    def n_features(self) -> int:
        return len(self.curves)

    def categories_of(self, k: int) -> tuple[str, ...]:
        return self.categories[k] if self.categories else ()

    def scaled(self, factor: float, shift: float = 0.0, unit: str | None = None) -> "Terms":
        """Return the terms of factor · f + shift."""
        return replace(
            self,
            curves=tuple(scale_curve(curve, factor) for curve in self.curves),
            constant=factor * self.constant + shift,
            interactions=tuple(both.scaled(factor) for both in self.interactions),
            missing_effects=tuple(factor * effect for effect in self.missing_effects),
            directions=tuple(int(np.sign(factor)) * direction for direction in self.directions),
            unit=unit or self.unit,
        )


def linear_terms(model: Any, slopes: FloatArray, constant: float = 0.0, **described: Any) -> Terms:
    """Return the terms of f(x) = slopes · x + constant."""
    curves = tuple(LinearCurve(float(slope)) for slope in slopes)
    return Terms(curves, float(constant), names=names_of(model), **described)


def names_of(model: Any) -> tuple[str, ...] | None:
    """Return the feature names of the training data; None if the model was fitted without names."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def outcome_of(model: Any) -> str:
    """Return the name of the second of two classes, which positive outputs favour; more classes cause an error."""
    classes = np.asarray(model.classes_)
    if len(classes) != 2:
        raise DataError(
            f"A class nomogram shows one class against another: {type(model).__name__} has {len(classes)} classes.",
            remedy="Fit one model for each class (y == label).",
        )
    return str(classes[1])


class NotAdditiveError(DataError):
    """A model's output is not a sum of one curve per feature."""


def refuse(what: str, why: str, remedy: str | tuple[str, ...]) -> NotAdditiveError:
    """Return the error for a model whose output is not a sum of one curve per feature."""
    return NotAdditiveError(f"{what} has no per-feature effects: {why}.", remedy=remedy)
