"""The heat map of an interaction: its states merged into a few cells, with labels; without Vega and pixels."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from glassrank.core.additive.categories import MISSING
from glassrank.core.additive.curves import StepCurve
from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.additive.interactions import Interaction, StateAxis, states_of
from glassrank.core.checks import FloatArray, IntArray
from glassrank.drawing.numbers import notation_for

MAX_CELLS = (8, 6)
"""Cells of the first and of the second feature; finer states are merged."""
MAX_LEVELS = 6
OTHERS = "others"
RANGE = "\u2013"


@dataclass(frozen=True, eq=False)
class MapAxis:
    """The cells of one feature. That of missing values, if there is one, is the last."""

    n_cells: int
    """Without the cell of missing values."""
    missing: bool
    of_state: tuple[int, ...]
    """Cell of each state of the interaction's axis; −1 if it has none."""
    labels: tuple[tuple[float, str], ...]
    """Places in units of cells, and words: of whole numbers and levels in the middle of a cell, else at its edge."""
    edges: tuple[float, ...]
    """Values between which the cells lie, one more than cells; empty for categories."""
    merged: bool
    """Whether a cell contains several states that the model tells apart."""

    @property
    def width(self) -> int:
        """Number of cells, that of missing values included."""
        return self.n_cells + self.missing


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Effects of the cells of two features; a merged cell has the mean effect of its states, weighted by the data."""

    across: MapAxis
    up: MapAxis
    effects: FloatArray
    """Cells of the first feature × cells of the second one."""


def heat_map(both: Interaction, features: tuple[FeatureEffect, ...], observed: FloatArray) -> HeatMap:
    """Merge the states of an interaction into at most 8 × 6 cells, by how often they occur in the observed rows."""
    axes = both.first_axis, both.second_axis
    states = [states_of(axis, observed[:, k]) for axis, k in zip(axes, both.features, strict=True)]
    mass = np.zeros(both.table.shape)
    np.add.at(mass, tuple(states), 1.0)
    drawn = []
    for side, (axis, k) in enumerate(zip(axes, both.features, strict=True)):
        strength = (np.abs(both.table) * mass).sum(axis=1 - side)
        weights = mass.sum(axis=1 - side)
        drawn.append(_axis(axis, features[k], weights, strength, MAX_CELLS[side]))
    return HeatMap(drawn[0], drawn[1], _means(both.table, mass, drawn[0], drawn[1]))


def _axis(axis: StateAxis, feature: FeatureEffect, weights: FloatArray, strength: FloatArray, most: int) -> MapAxis:
    missing = feature.missing_share is not None
    if isinstance(axis, StepCurve):
        return _number_axis(axis, feature, weights[:-1], missing, most)
    return _category_axis(len(axis.levels), feature, strength, missing)


def _number_axis(axis: StepCurve, feature: FeatureEffect, weights: FloatArray, missing: bool, most: int) -> MapAxis:
    cells = merged_by_weight(weights, most)
    of_state = np.repeat(np.arange(len(cells)), [len(cell) for cell in cells])
    inner = [float(axis.thresholds[cell[-1]]) for cell in cells[:-1]]
    low, high = min([feature.low, *inner]), max([feature.high, *inner])
    edges = (low, *inner, high)
    return MapAxis(
        n_cells=len(cells),
        missing=missing,
        of_state=(*of_state.tolist(), len(cells) if missing else -1),
        labels=(*_labels(edges, whole=feature.whole), *_missing_label(len(cells), missing)),
        edges=edges,
        merged=len(cells) < len(weights),
    )


def _labels(edges: tuple[float, ...], *, whole: bool) -> list[tuple[float, str]]:
    """Return the ranges of whole numbers below their cells, or the values at the inner edges."""
    if not whole:
        inner = edges[1:-1]
        step = min((b - a for a, b in pairwise(sorted(edges)) if b > a), default=1.0)
        shown = notation_for(max(map(abs, edges)) or 1.0, step)
        return [(place, shown(value)) for place, value in enumerate(inner, start=1)]
    shown = notation_for(max(map(abs, edges)) or 1.0, 1.0)
    labels = []
    for place, (start, end) in enumerate(pairwise(edges)):
        # A cell ends with the last value that is not above its threshold.
        first, last = np.ceil(start) if place == 0 else np.floor(start) + 1, np.floor(end)
        words = shown(first) if last <= first else f"{shown(first)}{RANGE}{shown(last)}"
        labels.append((place + 0.5, words))
    return labels


def _category_axis(n_levels: int, feature: FeatureEffect, strength: FloatArray, missing: bool) -> MapAxis:
    order = [int(code) for code in np.argsort(-strength[:n_levels], kind="stable")]
    alone = sorted(order if n_levels <= MAX_LEVELS + 1 else order[:MAX_LEVELS])
    others = len(alone) < n_levels
    n_cells = len(alone) + others
    of_state = np.full(n_levels + 2, len(alone) if others else -1)
    of_state[alone] = np.arange(len(alone))
    of_state[-1] = n_cells if missing else -1
    names = [*(feature.categories[code] for code in alone), *([OTHERS] if others else [])]
    labels = [(place + 0.5, name) for place, name in enumerate(names)]
    return MapAxis(n_cells, missing, tuple(of_state.tolist()), (*labels, *_missing_label(n_cells, missing)), (), others)


def _missing_label(n_cells: int, missing: bool) -> list[tuple[float, str]]:
    return [(n_cells + 0.5, MISSING)] if missing else []


def merged_by_weight(weights: FloatArray, most: int) -> list[IntArray]:
    """Merge neighbouring states until there are at most ``most`` cells, the two with the smallest weight first.

    >>> [cell.tolist() for cell in merged_by_weight(np.array([5.0, 1.0, 1.0, 9.0]), 3)]
    [[0], [1, 2], [3]]
    """
    cells = [np.array([state]) for state in range(len(weights))]
    sizes = [float(weight) for weight in weights]
    while len(cells) > most:
        first = min(range(len(cells) - 1), key=lambda place: sizes[place] + sizes[place + 1])
        cells[first : first + 2] = [np.concatenate(cells[first : first + 2])]
        sizes[first : first + 2] = [sizes[first] + sizes[first + 1]]
    return cells


def _means(table: FloatArray, mass: FloatArray, across: MapAxis, up: MapAxis) -> FloatArray:
    """Return the mean effect of each cell; one that no row is in has the plain mean of its states."""
    rows, columns = np.array(across.of_state), np.array(up.of_state)
    means = np.zeros((across.width, up.width))
    for i in range(across.width):
        for j in range(up.width):
            part = np.ix_(rows == i, columns == j)
            weights = mass[part] if mass[part].sum() > 0 else np.ones(mass[part].shape)
            means[i, j] = np.average(table[part], weights=weights)
    return means
