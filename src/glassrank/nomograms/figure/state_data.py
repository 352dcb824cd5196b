"""What the specification knows about interactions: the states of their features, and the effect of each two states.

A feature of several interactions has one list of states: the intervals between all thresholds of all of them, and of
its own curve. Interactions map these to the states of their own tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from glassrank.core.additive.curves import StepCurve
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.interactions import Interaction, StateAxis, states_of
from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import UNSEEN
from glassrank.nomograms.figure.lines import Line

DIGITS = 10


@dataclass(frozen=True, eq=False)
class FeatureStates:
    """The states of one feature: intervals that end at ``ends``, or categories and unseen ones; at last missing."""

    line: Line
    ends: FloatArray
    """Last value of each interval but the last one; empty for categories."""

    @property
    def values(self) -> FloatArray:
        """One value in each state."""
        if self.line.feature.categories:
            return np.array([*range(len(self.line.feature.categories)), UNSEEN, np.nan])
        beyond = self.ends[-1] + abs(self.ends[-1]) + 1.0 if len(self.ends) else self.line.last
        return np.array([*self.ends, beyond, np.nan])

    def fields(self, scale: str) -> dict[str, Any]:
        """Return what the specification needs to find the state of a value."""
        return {"t": None if self.line.feature.categories else scale, "last": len(self.values) - 1}

    def scale(self, name: str) -> dict[str, Any]:
        """Return the scale from values to states."""
        starts = [float(value) for value in np.nextafter(self.ends, np.inf)]
        return {"name": name, "type": "threshold", "domain": starts, "range": list(range(len(starts) + 1))}

    def pieces(self) -> dict[str, list[float]]:
        """Return the first and the last value of each interval on the line, and the effects of the curve there."""
        line = self.line
        starts = np.concatenate([[line.first], np.nextafter(self.ends, np.inf)])
        ends = np.concatenate([self.ends, [line.last]])
        low, high = np.maximum(starts, line.first), np.minimum(ends, line.last)
        if line.feature.whole:
            low, high = np.ceil(low), np.floor(high)
        effects = [line.feature(values) - line.lowest for values in (low, high)]
        return {"from": low.tolist(), "to": high.tolist(), "ea": short(effects[0]), "eb": short(effects[1])}


def feature_states(effects: AdditiveEffects, lines: tuple[Line, ...]) -> dict[int, FeatureStates]:
    """Return the states of all features that have interactions, by their number."""
    axes: dict[int, list[StateAxis]] = {}
    for both in _interactions(effects):
        for k, axis in zip(both.features, (both.first_axis, both.second_axis), strict=True):
            axes.setdefault(k, []).append(axis)
    return {k: FeatureStates(lines[k], _all_ends(lines[k], some)) for k, some in axes.items()}


def _all_ends(line: Line, axes: list[StateAxis]) -> FloatArray:
    curve = line.feature.curve
    if line.feature.categories:
        return np.zeros(0)
    own = _ends(curve) if isinstance(curve, StepCurve) else np.zeros(0) if line.feature.linear else line.values
    return np.unique(np.concatenate([own, *(_ends(axis) for axis in axes if isinstance(axis, StepCurve))]))


def _ends(curve: StepCurve) -> FloatArray:
    """Return the last value before each jump."""
    if not curve.single_precision:
        return curve.thresholds
    # Values are rounded to 32 bits first: the last one that becomes the threshold is half-way to the next number.
    short_ = curve.thresholds.astype(np.float32)
    after = np.nextafter(short_, np.float32(np.inf)).astype(np.float64)
    return np.asarray(np.nextafter((curve.thresholds + after) / 2, -np.inf))


def table_rows(effects: AdditiveEffects, lines: tuple[Line, ...], states: Mapping[int, FeatureStates]) -> Any:
    """Return for each interaction: its features, its table, and the table's state for each of the features' states."""
    rows = []
    n = len(effects.features)
    for place, both in enumerate(_interactions(effects)):
        line, (a, b) = lines[n + place], both.features
        first, second = states_of(both.first_axis, states[a].values), states_of(both.second_axis, states[b].values)
        table = short((both.table - line.lowest).ravel())
        row = {"k": n + place, "a": a, "b": b, "table": table, "nb": both.table.shape[1]}
        rows.append({**row, "sa": first.tolist(), "sb": second.tolist()})
    return rows


def _interactions(effects: AdditiveEffects) -> tuple[Interaction, ...]:
    return cast(tuple[Interaction, ...], effects.interactions)


def short(values: FloatArray) -> list[float]:
    """Round numbers to ten digits: shorter files, and far more precise than the drawing."""
    return [float(f"{value:.{DIGITS}g}") for value in values]
