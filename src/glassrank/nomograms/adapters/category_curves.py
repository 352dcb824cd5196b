"""Curves of categories, and their sum if several steps read the same feature."""

from collections.abc import Sequence

import numpy as np

from glassrank.core.additive.categories import LISTED, OPEN
from glassrank.core.additive.curves import FLAT, CategoryCurve, MissingCurve, add_curves, coding_of, is_of_codes
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import UNSEEN
from glassrank.core.setting import setting

Part = tuple[Curve, tuple[str, ...]]
"""A curve and the names of its categories, which are () if it is a curve of numbers."""


def category_curve(levels: Sequence[float], unseen: float, missing: float) -> Curve:
    """Return the curve of an encoded feature; NaN stands for what the encoder does not take."""
    # A feature without any known category has no codes; the entry is never read.
    known = np.asarray(levels if len(levels) else [0.0])
    curve = CategoryCurve(known, unseen, coding=LISTED if np.isnan(unseen) else OPEN)
    return curve if np.isnan(missing) else MissingCurve(curve, 0.0, missing)


def value_at(curve: Curve, names: tuple[str, ...], name: str) -> float:
    """Return the effect of a category, or of a number that is written as a name; NaN if it is not known."""
    if names:
        return _at(curve, float(names.index(name))) if name in names else unseen_effect(curve, names)
    if _same_if_known(curve):
        return _at(curve, 0.0)
    return _at(curve, {"False": 0.0, "True": 1.0}.get(name) or float(name))


def unseen_effect(curve: Curve, names: tuple[str, ...]) -> float:
    """Return the effect of all other categories; NaN if the model takes none, or if it depends on which."""
    if _same_if_known(curve):
        return _at(curve, 0.0)
    return _at(curve, UNSEEN) if names and coding_of(curve) == OPEN else np.nan


def missing_effect(curve: Curve) -> float:
    """Return the effect of a missing value; NaN if the model takes none."""
    return _at(curve, np.nan)


def added(step: str, parts: Sequence[Part]) -> Part:
    """Return the sum of curves of the same feature; as numbers and as categories, if all its values are categories."""
    coded = [(curve, names) for curve, names in parts if names and is_of_codes(curve)]
    if len(parts) == 1 or not coded:
        return add_curves([curve for curve, _ in parts]), next((names for _, names in parts if names), ())
    takes_unknown = all(coding_of(curve) == OPEN for curve, _ in coded)
    if takes_unknown and not all(_same_if_known(curve) for curve, names in parts if not names):
        raise DataError(
            f"{step} uses a feature both as numbers and as categories, and takes unknown categories.",
            remedy=("Use the feature in one way", f"set {setting('handle_unknown', 'error')}"),
        )
    listed = dict.fromkeys(name for _, names in coded for name in names)
    effects = {name: sum(value_at(curve, names, name) for curve, names in parts) for name in listed}
    # What one of the steps refuses, the model refuses.
    known = {name: effect for name, effect in effects.items() if not np.isnan(effect)}
    unseen = sum(unseen_effect(curve, names) for curve, names in parts)
    missing = sum(missing_effect(curve) for curve, _ in parts)
    return category_curve(list(known.values()), unseen, missing), tuple(known)


def _same_if_known(curve: Curve) -> bool:
    return curve == FLAT or bool(getattr(getattr(curve, "function", None), "same_if_known", False))


def _at(curve: Curve, value: float) -> float:
    return float(curve(np.array([value]))[0])
