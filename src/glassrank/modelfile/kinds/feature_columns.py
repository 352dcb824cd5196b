"""Kinds of features, and the columns of categories, straight lines and missing values, in a model file."""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from glassrank.core.additive.feature_map import (
    CategoryColumns,
    ColumnBlock,
    LinearColumn,
    MissingColumns,
    StackedColumns,
)
from glassrank.core.additive.gaussian_columns import GaussianColumns
from glassrank.core.additive.monotone_columns import MonotoneColumns
from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable, are_plain, in_levels_of
from glassrank.core.missing_rule import REFUSE, MissingRule
from glassrank.core.numbered_features import numbered_names
from glassrank.modelfile.codec.values import FloatVector, IntVector, PositiveNumber, Strict, Texts, check_that
from glassrank.modelfile.kinds.trained_ranker import TrainedPart

MAX_LEVELS = 1_000_000


class KindPart(Strict):
    """The kind of a feature; the levels of a category in the order of their codes."""

    kind: Literal["number", "boolean", "category"]
    levels: Texts = Field(default_factory=list)

    @model_validator(mode="after")
    def _levels_fit(self) -> Self:
        check_that(self.kind == "category" or not self.levels, "only a category has levels")
        check_that(len(self.levels) <= MAX_LEVELS, f"a category must have at most {MAX_LEVELS} levels")
        check_that(len(set(self.levels)) == len(self.levels), "the levels of a category must be different")
        return self

    @classmethod
    def of(cls, kind: FeatureKind) -> Self:
        """Extract a kind."""
        fields: dict[str, Any] = {"kind": kind.name, "levels": list(kind.levels) if kind.is_category else []}
        return cls(**fields)

    def restore(self) -> FeatureKind:
        """Rebuild the kind."""
        return FeatureKind(self.kind, tuple(self.levels))


class CategoryPart(Strict):
    """The column of each level, the share of the training rows of each column, and the column of other levels."""

    column_of_level: IntVector
    shares: FloatVector
    other: Annotated[int, Field(ge=-1)]

    @model_validator(mode="after")
    def _columns_exist(self) -> Self:
        width = len(self.shares)
        check_that(self.other < width, "other must be a column or -1")
        inside = (self.column_of_level >= -1) & (self.column_of_level < width)
        check_that(bool(inside.all()), "column_of_level must contain columns or -1")
        return self


class MonotonePart(Strict):
    """Ramps between knots, whose weights must not be negative."""

    knots: FloatVector
    direction: Literal[1, -1]
    spread: PositiveNumber

    @model_validator(mode="after")
    def _rises(self) -> Self:
        check_that(len(self.knots) > 1 and bool((np.diff(self.knots) > 0).all()), "knots must rise")
        return self

    @classmethod
    def of(cls, columns: MonotoneColumns) -> Self:
        """Extract the columns."""
        fields: dict[str, Any] = {"knots": columns.knots, "direction": columns.direction, "spread": columns.spread}
        return cls(**fields)

    def restore(self) -> MonotoneColumns:
        """Rebuild the columns."""
        return MonotoneColumns(self.knots, self.direction, float(self.spread))


class ColumnsPart(Strict):
    """The columns of one feature besides its Gaussians."""

    linear: FiniteFloat | None = None
    """Factor of the value itself as a column; None if there is no such column."""
    bounded: bool = False
    """Whether the weight of that column must not be negative."""
    monotone: MonotonePart | None = None
    category: CategoryPart | None = None
    indicates_missing: bool = False
    """Whether the last column indicates missing values."""
    centre: FiniteFloat | None = None
    """Value at which the columns of a feature with missing values are 0."""

    @classmethod
    def of(cls, columns: ColumnBlock | None) -> tuple[Self, GaussianColumns | None]:
        """Extract the columns of a feature; Gaussians and nodes are stored elsewhere."""
        missing, centre = isinstance(columns, MissingColumns), getattr(columns, "centre", None)
        known = columns.known if isinstance(columns, MissingColumns) else columns
        parts = known.parts if isinstance(known, StackedColumns) else (known,)
        found: dict[str, Any] = {"indicates_missing": missing, "centre": centre}
        gaussians = None
        for part in parts:
            if isinstance(part, LinearColumn):
                found["linear"], found["bounded"] = part.scale, part.bounded
            elif isinstance(part, MonotoneColumns):
                found["monotone"] = MonotonePart.of(part)
            elif isinstance(part, CategoryColumns):
                found["category"] = CategoryPart(
                    column_of_level=part.column_of_level, shares=part.shares, other=part.other
                )
            elif isinstance(part, GaussianColumns):
                gaussians = part
        return cls(**found), gaussians

    def restore(self, curves: ColumnBlock | None) -> ColumnBlock | None:
        """Rebuild the columns of the feature, with its Gaussians or nodes."""
        parts: list[ColumnBlock] = [] if curves is None else [curves]
        if self.linear is not None:
            parts.append(LinearColumn(self.linear, self.bounded))
        if self.monotone is not None:
            parts.append(self.monotone.restore())
        if self.category is not None:
            part = self.category
            parts.append(CategoryColumns(np.asarray(part.column_of_level), part.shares, part.other))
        known = None if not parts else parts[0] if len(parts) == 1 else StackedColumns(tuple(parts))
        return MissingColumns(known, self.centre) if self.indicates_missing else known


class FeaturesPart(Strict):
    """The kind and the columns of each feature."""

    kinds: list[KindPart]
    columns: list[ColumnsPart]

    @classmethod
    def of(cls, kinds: Sequence[FeatureKind], blocks: Sequence[ColumnBlock | None]) -> Self | None:
        """Extract the kinds and columns; None if all features are numbers without columns of their own here."""
        columns = [own for own, _ in map(ColumnsPart.of, blocks)]
        if are_plain(kinds) and all(own == ColumnsPart() for own in columns):
            return None
        return cls(kinds=[KindPart.of(kind) for kind in kinds], columns=columns)

    @property
    def need_a_map(self) -> bool:
        """Whether there are columns of levels or missing values."""
        return any(one.kind == "category" for one in self.kinds) or any(one.indicates_missing for one in self.columns)

    def check(self, n_features: int) -> None:
        """Raise an error unless there is one entry per feature, and categories have a column for each level."""
        for name in ("kinds", "columns"):
            got = len(getattr(self, name))
            check_that(got == n_features, f"features.{name} must have one entry per feature: got {got}")
        for kind, columns in zip(self.kinds, self.columns, strict=True):
            levels = 0 if columns.category is None else len(columns.category.column_of_level)
            check_that(columns.category is None or levels == len(kind.levels), "every level must have a column")


class FeaturedPart(TrainedPart):
    """A ranker that takes numbers, yes/no values and categories, some of them missing."""

    features: FeaturesPart | None = None
    """None if all features are numbers, known in training, with the columns of the kind of ranker alone."""

    @model_validator(mode="after")
    def _features_fit(self) -> Self:
        if self.features is not None:
            self.features.check(self.n_features)
        return self

    @property
    def takes_missing(self) -> bool:
        return True

    @property
    def missing_policy(self) -> str:
        return str(getattr(self.parameters, "missing", REFUSE))

    @property
    def missing_shares(self) -> FloatArray:
        """Share of missing values of each feature in training."""
        return self.observed.shares

    @cached_property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature."""
        if self.features is None:
            return (PLAIN,) * self.n_features
        return tuple(kind.restore() for kind in self.features.kinds)

    @cached_property
    def _names(self) -> Sequence[str]:
        return self.feature_names or numbered_names(self.n_features)

    def rows(self, X: Any) -> Matrix:
        """Return a table or a matrix in the codes of the model's levels, with unexpected missing values settled."""
        names = X.names if isinstance(X, FeatureTable) else self._names
        rule = MissingRule(self.missing_policy, self.observed.shares, self.observed.mean, self.kinds, names)
        return rule.apply(in_levels_of(X, self.kinds, names))
