"""Curves of additive models, and their sums, multiples and compositions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from glassrank.core.additive.categories import NAMED, OPEN, UNUSED
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import check_level_codes

FLAT = LinearCurve(0.0)
CHUNK_CELLS = 2**20  # (value, node) cells computed at a time, which limits memory


@dataclass(frozen=True)
class DroppedCurve(LinearCurve):
    """effect(x) = 0 for a feature that the model drops, which may be text."""

    slope: float = 0.0
    coding: str = UNUSED


@dataclass(frozen=True, eq=False)
class GaussianCurve:
    """effect(x) = Σ_j weights_j exp(−γ (x − nodes_j)²).

    >>> GaussianCurve(1.0, np.array([0.0, 1.0]), np.array([2.0, 1.0]))(np.array([0.0, 1.0])).round(4).tolist()
    [2.3679, 1.7358]
    """

    gamma: float
    nodes: FloatArray
    weights: FloatArray

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        flat, effects = values.ravel(), np.empty(values.size)
        step = max(1, CHUNK_CELLS // max(1, len(self.nodes)))
        for first in range(0, len(flat), step):
            piece = slice(first, first + step)
            cells = flat[piece, None] - self.nodes
            cells *= cells
            cells *= -self.gamma
            effects[piece] = np.exp(cells, out=cells) @ self.weights
        return effects.reshape(values.shape)


@dataclass(frozen=True, eq=False)
class StepCurve:
    """effect(x) = levels_j for thresholds_{j−1} < x ≤ thresholds_j: the sum of trees on one feature.

    >>> StepCurve(np.array([0.5, 2.0]), np.array([-1.0, 0.0, 3.0]))(np.array([0.5, 0.6, 9.0])).tolist()
    [-1.0, 0.0, 3.0]
    """

    thresholds: FloatArray
    levels: FloatArray
    missing: float = np.nan
    """Effect of a missing value (NaN); NaN if the model does not accept missing values."""
    single_precision: bool = False
    """Whether the model rounds values to 32 bits before it compares them."""

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        compared = to_single_precision(values) if self.single_precision else values
        levels = self.levels[np.searchsorted(self.thresholds, compared, side="left")]
        return np.asarray(np.where(np.isnan(values), self.missing, levels))


@dataclass(frozen=True, eq=False)
class PiecewiseLinearCurve:
    """effect(x) = the straight line through (knots_j, levels_j) around x; constant beyond the first and last knot.

    >>> curve = PiecewiseLinearCurve(knots=np.array([0.0, 1.0, 3.0]), levels=np.array([0.0, 2.0, 3.0]))
    >>> curve(np.array([-1.0, 0.5, 2.0, 9.0])).tolist()
    [0.0, 1.0, 2.5, 3.0]
    """

    knots: FloatArray
    levels: FloatArray

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.interp(values, self.knots, self.levels))


@dataclass(frozen=True, eq=False)
class CategoryCurve:
    """effect(code) = levels_code, for the codes 0, 1, 2 … of categories; NaN if the value is missing."""

    levels: FloatArray
    unseen: float = np.nan
    """Effect of the code −1, a level that the model has not seen; NaN if the model does not accept one."""
    centred: bool = False
    """Whether the mean of the effects in training is 0, so that no level is the reference."""
    coding: str = NAMED
    """How the model takes categories, as in ``FeatureEffect``."""
    rare: tuple[int, ...] = ()
    """Codes of the levels that were too rare in training for an effect of their own."""

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        check_level_codes(values, len(self.levels), unseen=not np.isnan(self.unseen))
        known = values >= 0
        others = np.where(np.isnan(values), np.nan, self.unseen)
        return np.asarray(np.where(known, self.levels[np.where(known, values, 0.0).astype(np.int64)], others))


@dataclass(frozen=True, eq=False)
class TreeCategoryCurve:
    """effect(code) = levels_code: the sum of trees on one categorical feature, defined for all codes.

    >>> TreeCategoryCurve(np.array([1.0, 2.0]), 0.5, missing=-1.0)(np.array([1.0, 1.9, 7.0, -3.0, np.nan])).tolist()
    [2.0, 2.0, 0.5, 0.5, -1.0]
    """

    levels: FloatArray
    unseen: float
    """Effect of all other codes."""
    missing: float
    coding: str = OPEN
    """How the model takes categories, as in ``FeatureEffect``."""
    whole: Callable[[FloatArray], FloatArray] = np.trunc
    """How the model rounds a value to a code."""
    complete: bool = True
    """Whether the model knows which codes occurred in training; if not, ``levels`` ends at the last one it uses."""

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        codes = self.whole(values)
        known = (codes >= 0) & (codes < len(self.levels)) & (codes == np.floor(codes))
        effects = np.where(known, self.levels[np.where(known, codes, 0.0).astype(np.int64)], self.unseen)
        return np.asarray(np.where(np.isnan(values), self.missing, effects))


@dataclass(frozen=True, eq=False)
class MissingCurve:
    """effect(x) = curve(x) − shift, or ``missing`` if x is missing (NaN).

    >>> MissingCurve(LinearCurve(2.0), shift=1.0, missing=-3.0)(np.array([1.0, np.nan])).tolist()
    [1.0, -3.0]
    """

    curve: Curve
    shift: float
    missing: float

    @property
    def linear(self) -> bool:
        return is_linear(self.curve)

    @property
    def centred(self) -> bool:
        return is_centred(self.curve)

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        known = ~np.isnan(values)
        effects = np.full(values.shape, self.missing)
        effects[known] = self.curve(values[known]) - self.shift
        return effects


@dataclass(frozen=True)
class NormalRatioCurve:
    """effect(x) = log N(x; mean₁, variance₁) − log N(x; mean₀, variance₀): the log-odds of naive Bayes, a parabola."""

    means: tuple[float, float]
    variances: tuple[float, float]

    @property
    def linear(self) -> bool:
        return self.variances[0] == self.variances[1]

    def __call__(self, values: FloatArray) -> FloatArray:
        ratio = -0.5 * np.log(self.variances[1] / self.variances[0])
        squares = [(values - mean) ** 2 / variance for mean, variance in zip(self.means, self.variances, strict=True)]
        return np.asarray(ratio - 0.5 * (squares[1] - squares[0]))


class ColumnFunction(Protocol):
    """A function that transforms the values of one column."""

    def __call__(self, values: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class Affine:
    """x ↦ scale · x + shift."""

    scale: float
    shift: float = 0.0

    def __call__(self, values: FloatArray) -> FloatArray:
        return self.scale * values + self.shift


@dataclass(frozen=True)
class ComposedCurve:
    """effect(x) = curve(function(x)): a curve of transformed values, as a function of the original ones."""

    function: ColumnFunction
    curve: Curve

    @property
    def linear(self) -> bool:
        return isinstance(self.function, Affine) and is_linear(self.curve)

    def __call__(self, values: FloatArray) -> FloatArray:
        return self.curve(self.function(values))


@dataclass(frozen=True)
class ScaledCurve:
    """effect(x) = factor · curve(x)."""

    factor: float
    curve: Curve

    @property
    def linear(self) -> bool:
        return is_linear(self.curve)

    @property
    def centred(self) -> bool:
        return is_centred(self.curve)

    def __call__(self, values: FloatArray) -> FloatArray:
        return self.factor * self.curve(values)


@dataclass(frozen=True)
class SumCurve:
    """effect(x) = Σ curve_i(x)."""

    curves: tuple[Curve, ...]

    @property
    def linear(self) -> bool:
        return all(is_linear(curve) for curve in self.curves)

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(sum((curve(values) for curve in self.curves), start=np.zeros(np.shape(values))))


def is_linear(curve: Curve) -> bool:
    """Whether a curve is known to be a straight line."""
    return bool(getattr(curve, "linear", False))


def is_centred(curve: Curve) -> bool:
    """Whether the mean of a curve's effects in training is 0, so that nothing needs to be subtracted."""
    return bool(getattr(curve, "centred", False))


def is_of_codes(curve: Curve) -> bool:
    """Whether a curve is defined for the codes of categories only."""
    inner = getattr(curve, "curve", None)
    return isinstance(curve, (CategoryCurve, TreeCategoryCurve)) or (inner is not None and is_of_codes(inner))


def tree_categories(curve: Curve | None) -> TreeCategoryCurve | None:
    """Return the curve of trees on a categorical feature inside a curve; None if there is none."""
    while curve is not None and not isinstance(curve, TreeCategoryCurve):
        curve = getattr(curve, "curve", None)
    return curve


def taken_by_name(curve: Any) -> Any:
    """Return a curve of trees on the codes of categories as one that takes the categories by name."""
    if isinstance(curve, TreeCategoryCurve):
        return replace(curve, coding=OPEN)
    return replace(curve, curve=taken_by_name(curve.curve))


def coding_of(curve: Curve) -> str:
    """Return how a curve takes categories, as in ``FeatureEffect``."""
    found: Curve | None = curve
    while found is not None and not isinstance(found, (CategoryCurve, TreeCategoryCurve, DroppedCurve)):
        found = getattr(found, "curve", None)
    return NAMED if found is None else found.coding


def to_single_precision(values: FloatArray) -> FloatArray:
    """Return values rounded to 32 bits; those beyond their range are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float64).astype(np.float32).astype(np.float64)


def whole_codes_of_singles(values: FloatArray) -> FloatArray:
    """Return codes as XGBoost reads them: in 32 bits, without fractions, and with no code for negative values."""
    return np.asarray(np.floor(to_single_precision(values)))


def scale_curve(curve: Curve, factor: float) -> Curve:
    """Return factor · curve in the simplest form.

    >>> scale_curve(LinearCurve(2.0), -3.0)
    LinearCurve(slope=-6.0)
    """
    if isinstance(curve, LinearCurve):
        return LinearCurve(factor * curve.slope)
    if isinstance(curve, StepCurve):
        return replace(curve, levels=factor * curve.levels, missing=factor * curve.missing)
    if isinstance(curve, TreeCategoryCurve):
        scaled = {name: factor * getattr(curve, name) for name in ("levels", "unseen", "missing")}
        return replace(curve, **scaled)
    return ScaledCurve(factor, curve)


def add_curves(curves: Iterable[Curve]) -> Curve:
    """Return the sum of curves in the simplest form: those of one kind are merged, and flat ones dropped.

    >>> add_curves([LinearCurve(2.0), LinearCurve(0.0), LinearCurve(1.0)])
    LinearCurve(slope=3.0)
    """
    curves = list(curves)
    lines = [curve.slope for curve in curves if isinstance(curve, LinearCurve)]
    others = _merged([curve for curve in curves if not isinstance(curve, LinearCurve)])
    slope = float(sum(lines))
    parts = [*others, LinearCurve(slope)] if slope != 0.0 or not others else others
    return parts[0] if len(parts) == 1 else SumCurve(tuple(parts))


def _merged(curves: list[Curve]) -> list[Curve]:
    """Replace step curves by their sum, and curves of categories in trees by theirs."""
    steps = [curve for curve in curves if isinstance(curve, StepCurve)]
    if len(steps) > 1 and len({curve.single_precision for curve in steps}) == 1:
        thresholds = np.unique(np.concatenate([curve.thresholds for curve in steps]))
        # Each threshold is the last value before a jump; infinity lies beyond them all. Thresholds are not rounded.
        ends = np.append(thresholds, np.inf)
        exact = [replace(curve, single_precision=False) for curve in steps]
        levels = sum((curve(ends) for curve in exact), start=np.zeros(len(ends)))
        missing = sum(curve.missing for curve in steps)
        curves = [StepCurve(thresholds, levels, missing, steps[0].single_precision), *_without(curves, StepCurve)]
    trees = [curve for curve in curves if isinstance(curve, TreeCategoryCurve)]
    if len(trees) > 1 and len({len(curve.levels) for curve in trees}) == 1:
        levels = sum((curve.levels for curve in trees), start=np.zeros(len(trees[0].levels)))
        unseen, missing = (sum(getattr(curve, name) for curve in trees) for name in ("unseen", "missing"))
        merged = replace(trees[0], levels=levels, unseen=unseen, missing=missing)
        curves = [merged, *_without(curves, TreeCategoryCurve)]
    return curves


def _without(curves: list[Curve], kind: type) -> list[Curve]:
    return [curve for curve in curves if not isinstance(curve, kind)]
