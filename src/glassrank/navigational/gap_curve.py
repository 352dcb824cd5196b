"""A decision over prepared columns as a sum of one curve per feature, including missing values."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.curves import FLAT, scale_curve
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import FloatArray
from glassrank.core.sigmoid import Sigmoid
from glassrank.navigational.preparation import Preparation


@dataclass(frozen=True)
class GapCurve:
    """effect(x) = curve(x), or curve(fill) + gap if x is missing.

    >>> from glassrank.core.additive.effects import LinearCurve
    >>> GapCurve(LinearCurve(2.0), fill=3.0, gap=-1.0)(np.array([1.0, np.nan])).tolist()
    [2.0, 5.0]
    """

    curve: Curve
    fill: float
    gap: float = 0.0

    @property
    def linear(self) -> bool:
        return bool(getattr(self.curve, "linear", False))

    def __call__(self, values: FloatArray) -> FloatArray:
        missing = np.isnan(values)
        return np.asarray(self.curve(np.where(missing, self.fill, values)) + np.where(missing, self.gap, 0.0))


def feature_curves(
    decision: Any, preparation: Preparation, sigmoid: Sigmoid, n_features: int
) -> tuple[tuple[Curve, ...], float]:
    """Return the curves of all features in log-odds, and the constant; features without a column have no effect."""
    values: list[Curve] = [FLAT] * n_features
    fills, gaps = np.zeros(n_features), np.zeros(n_features)
    constant = -sigmoid.slope * decision.constant - sigmoid.offset
    columns = zip(decision.curves(), preparation.sources.tolist(), preparation.marks.tolist(), strict=True)
    for place, (curve, source, marks) in enumerate(columns):
        scaled = scale_curve(curve, -sigmoid.slope)
        if marks:
            absent, present = (float(scaled(np.array(mark))) for mark in (1.0, 0.0))
            constant += present
            gaps[source] = absent - present
        else:
            values[source], fills[source] = scaled, preparation.fills[place]
    used = set(preparation.sources.tolist())
    return tuple(
        GapCurve(values[k], float(fills[k]), float(gaps[k])) if k in used else FLAT for k in range(n_features)
    ), float(constant)
