"""Interactions: what two features of a model add together, beyond the effect of each."""

from dataclasses import dataclass, replace

import numpy as np

from glassrank.core.additive.curves import StepCurve, TreeCategoryCurve, add_curves
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect
from glassrank.core.checks import FloatArray, IntArray

StateAxis = StepCurve | TreeCategoryCurve
"""Numbers the states of a feature: intervals or categories from 0, then (categories only) unseen, at last missing."""


def step_axis(thresholds: FloatArray, single_precision: bool = False) -> StepCurve:
    """Return the axis of a number: its intervals between the thresholds, and missing.

    >>> step_axis(np.array([0.5, 2.0]))(np.array([0.5, 0.6, np.nan])).tolist()
    [0.0, 1.0, 3.0]
    """
    n = len(thresholds)
    return StepCurve(thresholds, np.arange(n + 1.0), n + 1.0, single_precision)


def n_states(axis: StateAxis) -> int:
    """Return the number of states of an axis."""
    return int(axis.missing) + 1


def states_of(axis: StateAxis, values: FloatArray) -> IntArray:
    """Return the number of the state of each value."""
    return np.asarray(axis(values).astype(np.int64))


def with_levels(axis: StateAxis, levels: FloatArray) -> StateAxis:
    """Return the curve that has one level for each state of an axis.

    >>> with_levels(step_axis(np.array([0.5])), np.array([1.0, 2.0, 9.0]))(np.array([0.0, 1.0, np.nan])).tolist()
    [1.0, 2.0, 9.0]
    """
    levels = np.asarray(levels, dtype=np.float64)
    if isinstance(axis, StepCurve):
        return replace(axis, levels=levels[:-1], missing=float(levels[-1]))
    return replace(axis, levels=levels[:-2], unseen=float(levels[-2]), missing=float(levels[-1]))


@dataclass(frozen=True, eq=False)
class Interaction:
    """effect(x, y) = table[state of x, state of y], for the features with the numbers ``first`` and ``second``.

    >>> axis = step_axis(np.array([0.5]))
    >>> both = Interaction(0, 1, axis, axis, np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> both(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, np.nan]])).tolist()
    [1.0, -1.0, 0.0]
    """

    first: int
    second: int
    first_axis: StateAxis
    second_axis: StateAxis
    table: FloatArray

    @property
    def features(self) -> tuple[int, int]:
        return self.first, self.second

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the effect of each row of all features."""
        return np.asarray(self.table[self._states(X)])

    def scaled(self, factor: float) -> "Interaction":
        """Return factor · effect."""
        return replace(self, table=factor * self.table)

    def along(self, k: int, values: FloatArray) -> StateAxis:
        """Return the effect as a curve of feature k, if the other feature keeps its value in a row of all features."""
        if k == self.first:
            return with_levels(self.first_axis, self.table[:, states_of(self.second_axis, values[[self.second]])[0]])
        return with_levels(self.second_axis, self.table[states_of(self.first_axis, values[[self.first]])[0]])

    def purified(self, X: FloatArray) -> "tuple[Interaction, StateAxis, StateAxis]":
        """Move what belongs to one feature alone into two curves, by the frequency of the states in the rows of X."""
        mass = np.zeros(self.table.shape)
        np.add.at(mass, self._states(X), 1.0)
        pure, of_first, of_second = purify(self.table, mass)
        curves = with_levels(self.first_axis, of_first), with_levels(self.second_axis, of_second)
        return replace(self, table=pure), *curves

    def _states(self, X: FloatArray) -> tuple[IntArray, IntArray]:
        return states_of(self.first_axis, X[:, self.first]), states_of(self.second_axis, X[:, self.second])


def effect_along(effects: AdditiveEffects, k: int, values: FloatArray) -> FeatureEffect:
    """Return the effect of feature k on a document with these values of all features, interactions included."""
    effect = effects.features[k]
    curves = [both.along(k, values) for both in effects.interactions if k in both.features]
    return replace(effect, curve=add_curves([effect.curve, *curves])) if curves else effect


def purify(table: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Split a table into a pure interaction, an effect of the rows and an effect of the columns, which add up to it.

    The pure interaction T has Σ_b mass_ab T_ab = 0 for each row a and Σ_a mass_ab T_ab = 0 for each column b: the
    functional analysis of variance of Hooker (2007), weighted by the data. A row or column without mass is weighted by
    the total mass of the columns or rows.

    >>> pure, rows, columns = purify(np.array([[1.0, 2.0], [3.0, 8.0]]), np.ones((2, 2)))
    >>> pure.round(9).tolist(), bool(np.allclose(pure + rows[:, None] + columns, [[1, 2], [3, 8]]))
    ([[1.0, -1.0], [-1.0, 1.0]], True)
    """
    if mass.sum() == 0:
        mass = np.ones_like(mass)
    seen = np.ix_(mass.sum(axis=1) > 0, mass.sum(axis=0) > 0)
    of_rows, of_columns = np.zeros(table.shape[0]), np.zeros(table.shape[1])
    of_rows[seen[0].ravel()], of_columns[seen[1].ravel()] = _least_squares(table[seen], mass[seen])
    rows, columns = np.ones(table.shape[0], bool), np.ones(table.shape[1], bool)
    rows[seen[0].ravel()], columns[seen[1].ravel()] = False, False
    of_rows[rows] = (table - of_columns)[rows] @ mass.sum(axis=0) / mass.sum()
    of_columns[columns] = mass.sum(axis=1) @ (table - of_rows[:, None])[:, columns] / mass.sum()
    return table - of_rows[:, None] - of_columns, of_rows, of_columns


def _least_squares(table: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the additive table that is nearest to a table: its normal equations, solved with the smallest norm."""
    n = len(table)
    normal = np.zeros((sum(table.shape), sum(table.shape)))
    normal[:n, :n], normal[n:, n:] = np.diag(mass.sum(axis=1)), np.diag(mass.sum(axis=0))
    normal[:n, n:], normal[n:, :n] = mass, mass.T
    weighted = mass * table
    solved = np.linalg.lstsq(normal, np.concatenate([weighted.sum(axis=1), weighted.sum(axis=0)]), rcond=None)[0]
    return solved[:n], solved[n:]
