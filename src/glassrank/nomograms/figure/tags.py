"""The words beside a line: its scale, the direction to which it is held, and what its values are."""

from typing import Any

from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.column_transforms import LogTransform, QuantileTransform

SCALES = {LogTransform: "log", QuantileTransform: "quantiles"}
DIRECTIONS = {1: "only rises", -1: "only falls"}


def facts_of(feature: FeatureEffect, *, constant: bool, all_named: bool) -> list[str]:
    """Return what is said beside a feature's line, the most important fact first.

    >>> from glassrank.core.additive.effects import LinearCurve
    >>> made = FeatureEffect("price", LinearCurve(-1.0), 1.0, 9.0, 5.0, direction=-1, whole=True)
    >>> facts_of(made, constant=False, all_named=True)
    ['only falls', 'whole numbers']
    """
    if feature.categories:
        return [] if all_named else [f"{len(feature.categories):,} levels"]
    held = "held at 0" if constant and feature.direction else DIRECTIONS.get(feature.direction, "")
    whole = "whole numbers" if feature.whole and not constant else ""
    return [fact for fact in (_scale(feature.curve), held, whole) if fact]


def _scale(curve: Any) -> str:
    """Return the transform of the values before the model sees them, if it changes the scale of the line."""
    while curve is not None:
        found = SCALES.get(type(getattr(curve, "function", None)))
        if found:
            return found
        curve = getattr(curve, "curve", None)
    return ""
