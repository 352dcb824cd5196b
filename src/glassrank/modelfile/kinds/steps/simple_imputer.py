"""SimpleImputer and MissingIndicator in a model file."""

import numbers
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, PlainValidator, model_validator

from glassrank.core.additive.categories import category_name, is_missing
from glassrank.core.checks import BoolArray, DataError, Matrix
from glassrank.core.feature_kinds import CATEGORY, PLAIN, FeatureKind, FeatureTable, kinds_of, values_of
from glassrank.modelfile.codec.cells import CellsPart, SingleCell, as_type_name
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import IntVector, Strict, check_size, check_that
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense


def _as_cell_type(value: Any) -> str:
    return "object" if value == "object" else as_type_name(value)


CellType = Annotated[Any, PlainValidator(_as_cell_type)]


class SimpleImputerParameters(Strict):
    """Parameters of ``SimpleImputer``; the alias is needed because pydantic defines ``copy`` itself."""

    missing_values: SingleCell
    strategy: Literal["mean", "median", "most_frequent", "constant"]
    fill_value: SingleCell | None
    copy_input: bool = Field(alias="copy")
    add_indicator: bool
    keep_empty_features: bool


class MissingIndicatorParameters(Strict):
    """Parameters of ``MissingIndicator``."""

    missing_values: SingleCell
    features: Literal["missing-only", "all"]
    sparse: Literal["auto"] | bool
    error_on_new: bool


class GapsPart(StepPart):
    """A step that looks for missing values: NaN, None or another value."""

    @classmethod
    def estimator_class(cls) -> type:
        from sklearn import impute

        return getattr(impute, cls.kind_name())

    @property
    def passes_missing(self) -> bool:
        """Whether a missing value stays missing: no."""
        return False

    def _gaps(self, X: Any) -> BoolArray:
        """Return which values of a table or matrix are missing."""
        mark = self._mark()
        values, kinds = as_dense(values_of(X)), kinds_of(X)
        if is_missing(mark):
            return np.isnan(values)
        codes = [
            kind.levels.index(category_name(mark))
            if category_name(mark) in kind.levels
            else -2
            if kind.is_category
            else np.nan
            if isinstance(mark, str)
            else float(mark)
            for kind in kinds
        ]
        return np.asarray(values == np.array(codes, dtype=np.float64))

    def _mark(self) -> Any:
        parameters: Any = self.parameters
        return parameters.missing_values.restore_one()


class MissingIndicatorPart(GapsPart):
    """One column of zeros and ones for each of some features."""

    kind: Literal["MissingIndicator"] = "MissingIndicator"
    parameters: MissingIndicatorParameters
    features: IntVector

    @model_validator(mode="after")
    def _features_exist(self) -> Self:
        return check_features(self, self.features)

    @property
    def n_outputs(self) -> int:
        """Number of features that are indicated."""
        return len(self.features)

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the features that are indicated."""
        mark = CellsPart.of(estimator.missing_values)
        return cls(
            **cls._common_fields(estimator, name, missing_values=mark), features=fitted_value(estimator, "features_")
        )

    def restore(self) -> Any:
        """Rebuild the fitted indicator."""
        return self._made(
            {"missing_values": self._mark()}, features_=self.features, _n_features=self.n_features, _precomputed=False
        )

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return numbers: categories are taken too, but need not be known."""
        return (PLAIN,) * self.n_features

    def apply(self, X: Any) -> Any:
        """Indicate the missing values of a table or matrix."""
        gaps = self._gaps(X)
        others = np.delete(np.arange(self.n_features), self.features)
        if self.parameters.features == "missing-only" and self.parameters.error_on_new and gaps[:, others].any():
            raise DataError("MissingIndicator found missing values in features that had none in training.")
        return gaps[:, self.features].astype(np.float64)

    def _apply(self, X: Matrix) -> Matrix:
        return self.apply(X)


class SimpleImputerPart(GapsPart):
    """x ↦ x, or the statistic if x is missing; then the indicators."""

    kind: Literal["SimpleImputer"] = "SimpleImputer"
    parameters: SimpleImputerParameters
    statistics: CellsPart
    fitted_type: CellType
    filled_type: CellType
    indicated: IntVector | None
    """The features that have an indicator."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        check_size("statistics", self.statistics, self.n_features, "feature")
        texts = any(isinstance(cell, str) for cell in self.statistics.values)
        check_that(not texts or self.filled_type == "object", "texts can only fill columns of the type object")
        # Scikit-learn compares numbers with numbers only.
        marked = self.fitted_type == "object" or isinstance(self._mark(), numbers.Real)
        check_that(marked, f"missing_values must be a number for columns of the type {self.fitted_type}")
        check_that(
            (self.indicated is not None) == self.parameters.add_indicator,
            "indicated must be given if add_indicator is set, and only then",
        )
        gaps = any(cell is None for cell in self.statistics.values)
        check_that(not (gaps and self.parameters.keep_empty_features), "statistics must not have missing values")
        check_that(len(self._kept) > 0, "statistics must have at least one known value")
        return self if self.indicated is None else check_features(self, self.indicated)

    @property
    def _kept(self) -> list[int]:
        return [k for k, cell in enumerate(self.statistics.values) if cell is not None]

    @property
    def n_outputs(self) -> int:
        """Number of columns that had known values in training, and of indicators."""
        return len(self._kept) + (0 if self.indicated is None else len(self.indicated))

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the statistics and the indicated features."""
        statistics = fitted_value(estimator, "statistics_")
        if callable(estimator.strategy):
            raise DataError(
                "SimpleImputer cannot be stored in a model file if its strategy is a function.",
                remedy="Use the strategy 'mean', 'median', 'most_frequent' or 'constant'.",
            )
        given = None if estimator.fill_value is None else CellsPart.of(estimator.fill_value)
        marks = {"missing_values": CellsPart.of(estimator.missing_values), "fill_value": given}
        indicator = estimator.indicator_
        return cls(
            **cls._common_fields(estimator, name, **marks),
            statistics=CellsPart.of(statistics),
            fitted_type=estimator._fit_dtype.name,
            filled_type=getattr(estimator, "_fill_dtype", estimator._fit_dtype).name,
            indicated=None if indicator is None else indicator.features_,
        )

    def restore(self) -> Any:
        """Rebuild the fitted imputer."""
        given = self.parameters.fill_value
        return self._made(
            {"missing_values": self._mark(), "fill_value": None if given is None else given.restore_one()},
            statistics_=self.statistics.restore(),
            _fit_dtype=np.dtype(self.fitted_type),
            _fill_dtype=np.dtype(self.filled_type),
            indicator_=None if self.indicated is None else self._indicator(self.indicated),
        )

    def _indicator(self, indicated: Any) -> Any:
        from sklearn.impute import MissingIndicator

        made = MissingIndicator(missing_values=self._mark(), error_on_new=False)
        made.features_, made._precomputed = indicated, True
        made.n_features_in_ = made._n_features = self.n_features
        return made

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds of the next step, whose categories may be marked as missing by a text."""
        kinds = [PLAIN] * self.n_features
        for k, kind in zip(self._kept, after, strict=False):
            kinds[k] = kind
            if kind.is_category and isinstance(self._mark(), str) and self._mark() not in kind.levels:
                kinds[k] = FeatureKind(CATEGORY, (*kind.levels, self._mark()))
        return tuple(kinds)

    def apply(self, X: Any) -> Any:
        """Fill the missing values of a table or matrix, and indicate them."""
        gaps, kinds, rows = self._gaps(X), kinds_of(X), as_dense(values_of(X))
        filled = [self._filled(rows[:, k], gaps[:, k], kinds[k], k) for k in self._kept]
        indicated = [] if self.indicated is None else self.indicated.tolist()
        values = np.column_stack([*(column for column, _ in filled), *(gaps[:, k] for k in indicated)])
        made = [*(kind for _, kind in filled), *[PLAIN] * len(indicated)]
        if not any(kind.is_category for kind in made):
            return values
        return FeatureTable(values, tuple(made), tuple(X.names[k] for k in [*self._kept, *indicated]))

    def _apply(self, X: Matrix) -> Matrix:
        return self.apply(X)

    def _filled(self, column: Any, gaps: BoolArray, kind: FeatureKind, k: int) -> tuple[Any, FeatureKind]:
        statistic = self.statistics.values[k]
        if not kind.is_category:
            if isinstance(statistic, str):
                raise DataError(f"SimpleImputer fills in the text {statistic!r}, but feature {k} consists of numbers.")
            return np.where(gaps, float(statistic), column), kind
        level = category_name(statistic)
        levels = kind.levels if level in kind.levels else (*kind.levels, level)
        return np.where(gaps, float(levels.index(level)), column), FeatureKind(CATEGORY, levels)


def check_features(part: Any, features: Any) -> Any:
    """Raise an error unless numbers of features ascend within those of a step; for validators."""
    inside = bool(((features >= 0) & (features < part.n_features)).all() and (np.diff(features) > 0).all())
    check_that(inside, f"numbers of features must ascend from 0 to {part.n_features - 1}")
    return part
