"""scikit-learn's selectors of features by a statistic, in a model file."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import AfterValidator, model_validator

from glassrank.core.checks import BoolArray, DataError, Matrix
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from glassrank.modelfile.codec.cells import CellsPart
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import Count, Number, Strict, check_size, check_that, shown
from glassrank.modelfile.kinds.steps.step_part import StepPart

SCORES = ("f_classif", "f_regression", "r_regression", "chi2", "mutual_info_classif", "mutual_info_regression")


def _known(name: str) -> str:
    check_that(name in SCORES, f"unknown function {shown(name)}: expected {', '.join(SCORES)}")
    return name


class SelectorPart(StepPart):
    """Some columns, unchanged: those whose statistic is large enough."""

    statistics: ClassVar[tuple[str, ...]] = ("scores_", "pvalues_")

    kept: list[bool]
    values: dict[str, CellsPart | None]
    """The statistics of all features, by attribute."""

    @model_validator(mode="after")
    def _one_per_feature(self) -> Self:
        check_size("kept", self.kept, self.n_features, "feature")
        check_that(any(self.kept), "kept must have at least one feature")
        check_that(set(self.values) == set(self.statistics), f"values must be {', '.join(self.statistics)}")
        for name, cells in self.values.items():
            if cells is not None:
                check_size(name, cells, self.n_features, "feature")
                check_that(cells.dtype in ("float64", "float32"), f"{name} must be numbers")
        return self

    @property
    def n_outputs(self) -> int:
        """Number of columns that are kept."""
        return sum(self.kept)

    @classmethod
    def estimator_class(cls) -> type:
        from sklearn import feature_selection

        return getattr(feature_selection, cls.kind_name())

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the statistics and the columns that are kept."""
        changed = {"score_func": _name(estimator.score_func)} if hasattr(estimator, "score_func") else {}
        found = {one: fitted_value(estimator, one) for one in cls.statistics}
        return cls(
            **cls._common_fields(estimator, name, **changed),
            kept=estimator.get_support().tolist(),
            values={one: None if some is None else CellsPart.of(some) for one, some in found.items()},
        )

    def restore(self) -> Any:
        """Rebuild the fitted selector."""
        from sklearn import feature_selection

        score = getattr(self.parameters, "score_func", None)
        given = {} if score is None else {"score_func": getattr(feature_selection, score)}
        made = self._made(given, **{name: None if own is None else own.restore() for name, own in self.values.items()})
        check_that(self._kept_by(made) == self.kept, f"kept must be the features that {self.kind} keeps")
        return made

    def _kept_by(self, made: Any) -> Any:
        try:
            return made.get_support().tolist()
        except (TypeError, ValueError, IndexError):
            return None

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds of the columns that are kept; others are numbers."""
        kinds = iter(after)
        return tuple(next(kinds) if kept else PLAIN for kept in self.kept)

    def apply(self, X: Any) -> Any:
        """Keep some columns of a table or matrix."""
        return X[:, self._mask] if isinstance(X, FeatureTable) else self._apply(X)

    def _apply(self, X: Matrix) -> Matrix:
        return X[:, self._mask]

    @property
    def _mask(self) -> BoolArray:
        return np.array(self.kept)


class VarianceThresholdParameters(Strict):
    """Parameters of ``VarianceThreshold``."""

    threshold: Number


class VarianceThresholdPart(SelectorPart):
    """The columns that vary."""

    statistics: ClassVar[tuple[str, ...]] = ("variances_",)

    kind: Literal["VarianceThreshold"] = "VarianceThreshold"
    parameters: VarianceThresholdParameters


class ScoreParameters(Strict):
    """The function that scores each feature."""

    score_func: Annotated[str, AfterValidator(_known)]


class SelectKBestParameters(ScoreParameters):
    """Parameters of ``SelectKBest``."""

    k: Count | Literal["all"]


class SelectKBestPart(SelectorPart):
    """The k columns with the highest scores."""

    kind: Literal["SelectKBest"] = "SelectKBest"
    parameters: SelectKBestParameters


class SelectPercentileParameters(ScoreParameters):
    """Parameters of ``SelectPercentile``."""

    percentile: Number


class SelectPercentilePart(SelectorPart):
    """The share of the columns with the highest scores."""

    kind: Literal["SelectPercentile"] = "SelectPercentile"
    parameters: SelectPercentileParameters


def _name(function: Any) -> str:
    from sklearn import feature_selection

    name = getattr(function, "__name__", "")
    if name not in SCORES or getattr(feature_selection, name) is not function:
        raise DataError(
            f"A selector by {name or function!r} cannot be stored in a model file, which contains no code: expected "
            f"scikit-learn's {', '.join(SCORES)}.",
            remedy="Use one of these, or a ColumnTransformer that passes the selected columns through.",
        )
    return name
