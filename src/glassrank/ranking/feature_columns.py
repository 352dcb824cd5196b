"""How a model turns features into the columns of a linear machine: kernel, γ, levels, missing values."""

import numbers
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.feature_map import (
    ColumnBlock,
    FeatureMap,
    LinearColumn,
    MissingColumns,
    StackedColumns,
    category_columns,
    check_columns,
)
from glassrank.core.additive.gaussian_columns import gaussian_columns
from glassrank.core.additive.monotone_columns import DIRECTIONS, monotone_columns
from glassrank.core.additive.odd_gaussian_columns import OddMap, odd_map
from glassrank.core.checks import (
    BoolArray,
    DataError,
    FloatArray,
    IntArray,
    Matrix,
    check_choice,
    check_positive,
    within,
)
from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.groups import Groups
from glassrank.core.setting import setting
from glassrank.core.within_query_scaling import spread_within_queries

SCALE = "scale"
_FACTOR = re.compile(r"scale(?:([*/])(\d+(?:\.\d+)?))?")
MAX_SCALE_RATIO = 100.0
KERNELS = ("linear", "lrbf")


class SeenColumns(ABC):
    """The features of training rows as the columns of a fit are made from them, one feature at a time."""

    kinds: tuple[FeatureKind, ...]
    names: tuple[str, ...]
    gaps: BoolArray

    @property
    def numbers(self) -> BoolArray:
        """Features that are numbers or yes/no values."""
        return np.array([not kind.is_category for kind in self.kinds])

    @property
    def need_a_map(self) -> bool:
        """Whether even a linear kernel needs columns other than the features themselves."""
        return not self.numbers.all() or bool(self.gaps.any())

    @property
    def n_rows_in_memory(self) -> int:
        """Number of rows whose columns must fit into memory together."""
        return 0

    @abstractmethod
    def known(self, k: int) -> tuple[FloatArray, FloatArray | None]:
        """Return the known values of a feature, and the weights of their rows."""

    @abstractmethod
    def spread(self) -> FloatArray:
        """Return the standard deviation of each feature within queries."""


@dataclass(frozen=True, eq=False)
class TrainingColumns(SeenColumns):
    """Training rows in memory: features with their kinds, queries and weights of the rows."""

    X: Matrix
    kinds: tuple[FeatureKind, ...]
    names: tuple[str, ...]
    groups: Groups
    weights: FloatArray | None
    gaps: BoolArray
    """Features that get an effect of missing values; in a fold also those with missing values elsewhere only, whose
    effect is then 0, that of the mean."""

    @cached_property
    def dense(self) -> FloatArray:
        return as_dense(self.X)

    @property
    def n_rows_in_memory(self) -> int:
        return int(self.X.shape[0])

    def known(self, k: int) -> tuple[FloatArray, FloatArray | None]:
        found = ~np.isnan(self.dense[:, k])
        return self.dense[found, k], None if self.weights is None else self.weights[found]

    def spread(self) -> FloatArray:
        return spread_within_queries(self.dense, self.groups, self.weights)


@dataclass(frozen=True)
class ColumnOptions:
    """The parameters of an estimator that decide which columns a feature gets."""

    kernel: str
    gamma: str | float
    linear: float
    min_count: int
    monotone: tuple[tuple[str | int, int], ...] = ()
    """Features, by name or number, whose effect must only rise (1) or only fall (−1)."""

    @classmethod
    def of(cls, estimator: Any) -> "ColumnOptions":
        """Return the options of an estimator, checked."""
        check_choice("kernel", estimator.kernel, KERNELS)
        check_gamma(estimator.gamma)
        if estimator.linear != 0:
            check_positive("linear", estimator.linear)
        check_positive("min_count", estimator.min_count, whole=True)
        given = getattr(estimator, "monotone", None) or {}
        if not isinstance(given, Mapping):
            raise DataError(parameter="monotone", expected="a mapping such as {'price': -1}, or None", got=given)
        monotone = tuple(given.items())
        for feature, direction in monotone:
            check_choice(f"monotone[{feature!r}]", direction, DIRECTIONS)
        return cls(estimator.kernel, estimator.gamma, float(estimator.linear), int(estimator.min_count), monotone)

    def feature_map(self, rows: SeenColumns) -> FeatureMap | None:
        """Return the columns for training rows; None if they are the features themselves."""
        directions = self._directions(rows)
        if self.kernel == "linear" and not rows.need_a_map and not directions.any():
            return None
        gammas = np.zeros(len(rows.names))
        if self.kernel == "lrbf":
            gammas = np.where(rows.numbers, gammas_of(self.gamma, self.spread(rows), rows.names), 0.0)

        def of_numbers(k: int, values: FloatArray, weights: FloatArray | None) -> ColumnBlock | None:
            return self._columns(values, float(gammas[k]), weights, int(directions[k]))

        made = FeatureMap(feature_blocks(rows, self.min_count, of_numbers))
        check_columns("The model", np.diff(made.ends, prepend=0).tolist(), rows.names, rows.n_rows_in_memory)
        return made

    def odd_map(self, rows: TrainingColumns) -> OddMap:
        """Return odd columns for differences within queries, up to the largest; γ is as for single documents."""
        _refuse_differences(rows)
        if self.monotone:
            raise DataError(
                f"{setting('monotone')} is not supported with {setting('mode', 'difference')}.",
                remedy=f"Use {setting('mode', 'utility')}.",
            )
        ordered, starts = rows.dense[rows.groups.order], rows.groups.starts[:-1]
        reach = (np.maximum.reduceat(ordered, starts) - np.minimum.reduceat(ordered, starts)).max(axis=0)
        return odd_map(gammas_of(self.gamma, self.spread(rows), rows.names), reach, rows.names)

    def _directions(self, rows: SeenColumns) -> IntArray:
        """Return 1 for a feature whose effect must only rise, −1 for one that must only fall, 0 for all others."""
        place: dict[Any, int] = {name: k for k, name in enumerate(rows.names)}
        directions = np.zeros(len(rows.names), dtype=np.int64)
        for feature, direction in self.monotone:
            k = feature if isinstance(feature, numbers.Integral) else place.get(feature, -1)
            if not 0 <= k < len(rows.names):
                raise DataError(
                    f"monotone must name features of the data: got {feature!r}.", parameter="monotone", got=feature
                )
            if rows.kinds[k].is_category:
                raise DataError(
                    f"monotone must name features with an order: {rows.names[k]!r} is a category.", parameter="monotone"
                )
            directions[k] = direction
        return directions

    def spread(self, rows: SeenColumns) -> FloatArray:
        """Return the standard deviation of each feature within queries; 0 for categories."""
        return np.where([kind.is_category for kind in rows.kinds], 0.0, rows.spread())

    def scales_message(self, rows: SeenColumns) -> str | None:
        """Return a warning if one γ is used for features of very different scales."""
        if self.kernel != "lrbf" or isinstance(self.gamma, str):
            return None
        spread = self.spread(rows)
        varying = spread[spread > 0]
        if len(varying) == 0 or varying.max() <= MAX_SCALE_RATIO * varying.min():
            return None
        times = f"{varying.max() / varying.min():.0f} times"
        return f"One gamma for features whose spreads differ by {times}: scale them first, or use gamma='scale'."

    def _columns(
        self, values: FloatArray, gamma: float, weights: FloatArray | None, direction: int
    ) -> ColumnBlock | None:
        """Return the columns of a feature's known numbers; None if there are none, or if they do not differ."""
        if not len(values):
            return None
        if direction and self.kernel == "linear":
            return LinearColumn(float(direction), bounded=True)
        if direction:
            # Curves of Gaussians cannot be held to one direction: straight lines between knots can.
            return monotone_columns(values, weights, direction) if values.min() < values.max() else None
        return self._curve_columns(gamma, float(values.min()), float(values.max()))

    def _curve_columns(self, gamma: float, low: float, high: float) -> ColumnBlock | None:
        if self.kernel == "linear":
            return LinearColumn()
        if gamma == 0.0 or low == high:
            return None
        curve = gaussian_columns(gamma, low, high)
        # K(x, z) = exp(−γ(x − z)²) + κ x z: trends reach the ends of the data instead of bending back to the mean.
        return StackedColumns((curve, LinearColumn(float(np.sqrt(self.linear))))) if self.linear else curve


ColumnsOfNumbers = Callable[[int, FloatArray, FloatArray | None], ColumnBlock | None]
"""Returns the columns of a feature, given by its number, from its known values and the weights of their rows."""


def feature_blocks(rows: SeenColumns, min_count: int, of_numbers: ColumnsOfNumbers) -> tuple[ColumnBlock | None, ...]:
    """Return the columns of each feature: those of numbers, those of levels, and indicators of missing values."""
    blocks = []
    for k, (kind, name) in enumerate(zip(rows.kinds, rows.names, strict=True)):
        present, counted = rows.known(k)
        with within(f"Feature {name!r}"):
            columns = (
                category_columns(present, len(kind.levels), counted, min_count)
                if kind.is_category
                else of_numbers(k, present, counted)
            )
            blocks.append(_with_indicator(columns, present, kind, counted) if rows.gaps[k] else columns)
    return tuple(blocks)


def _with_indicator(
    columns: ColumnBlock | None, known: FloatArray, kind: FeatureKind, weights: FloatArray | None
) -> ColumnBlock:
    """Return the columns with an indicator of missing values, centred at the mean of the known ones."""
    if kind.is_category or not len(known):
        return MissingColumns(columns, None)
    return MissingColumns(columns, float(np.average(known, weights=weights)))


def check_gamma(gamma: Any) -> None:
    """Raise an error unless gamma is ``"scale"``, a multiple of it such as ``"scale*4"``, or a positive number."""
    if not isinstance(gamma, str):
        check_positive("gamma", gamma)
    elif not (found := _FACTOR.fullmatch(gamma)) or (found[2] is not None and float(found[2]) == 0):
        raise DataError(
            parameter="gamma", expected="a positive number, 'scale', or a multiple such as 'scale*4'", got=gamma
        )


def gammas_of(gamma: str | float, spread: FloatArray, names: tuple[str, ...]) -> FloatArray:
    """Return γ of each feature: factor/(2 spread²), or one for all; 0 for a feature that distinguishes no documents.

    >>> gammas_of("scale*4", np.array([0.5, 0.0]), ("age", "constant")).tolist()
    [8.0, 0.0]
    """
    beyond = np.flatnonzero(np.isnan(spread))
    if len(beyond):
        raise DataError(
            f"The values of {names[beyond[0]]!r} are too large or too small for floats: so is their variance.",
            remedy=(
                "Replace the value if it stands for a missing one",
                f"standardise the features ({setting('transform', 'standard', python='FeatureTransformer()')})",
            ),
        )
    varies = spread > 0
    if not isinstance(gamma, str):
        return np.where(varies, float(gamma), 0.0)
    return np.where(varies, _factor(gamma) * (0.5 / np.where(varies, spread, 1.0) ** 2), 0.0)


def _factor(gamma: str) -> float:
    found = _FACTOR.fullmatch(gamma)
    if found is None or found[1] is None:
        return 1.0
    return float(found[2]) if found[1] == "*" else 1.0 / float(found[2])


def _refuse_differences(rows: SeenColumns) -> None:
    """Raise an error if differences of values have no meaning: of categories, and of missing values."""
    if not rows.need_a_map:
        return
    k = next(k for k, kind in enumerate(rows.kinds) if kind.is_category or rows.gaps[k])
    what = "is a category" if rows.kinds[k].is_category else "has missing values"
    raise DataError(
        f"{setting('mode', 'difference')} compares documents by x_A − x_B, which needs numbers: feature "
        f"{rows.names[k]!r} {what}.",
        remedy=(f"Use {setting('mode', 'utility')}", "leave out the feature"),
    )


def missing_columns(X: Matrix) -> BoolArray:
    """Return which columns of a matrix have missing values."""
    if sparse.issparse(X):
        return np.zeros(X.shape[1], dtype=bool)
    return np.asarray(np.isnan(X).any(axis=0))


def as_dense(X: Matrix) -> FloatArray:
    """Return rows as a dense array, because the Gaussians of a sparse matrix are not sparse."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X)
