"""scikit-learn's selectors of features by a statistic, in a model file."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import AfterValidator, model_validator

from glassrank.core.checks import BoolArray, DataError, FloatArray, Matrix
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

    values: dict[str, CellsPart | None]
    """The statistics of all features, by attribute."""

    @model_validator(mode="after")
    def _one_per_feature(self) -> Self:
        check_that(set(self.values) == set(self.statistics), f"values must be {', '.join(self.statistics)}")
        for name, cells in self.values.items():
            if cells is not None:
                check_size(name, cells, self.n_features, "feature")
                check_that(cells.dtype in ("float64", "float32"), f"{name} must be numbers")
        check_that(self.values[self.statistics[0]] is not None, f"{self.statistics[0]} must be given")
        check_that(self.n_outputs > 0, "at least one feature must be selected")
        return self

    @abstractmethod
    def _kept(self, values: FloatArray) -> BoolArray:
        """Return which features are kept, by their variances or scores, as scikit-learn does."""

    @property
    def _mask(self) -> BoolArray:
        cells: Any = self.values[self.statistics[0]]
        return self._kept(cells.restore())

    @property
    def n_outputs(self) -> int:
        """Number of columns that are kept."""
        return int(self._mask.sum())

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
            values={one: None if some is None else CellsPart.of(some) for one, some in found.items()},
        )

    def restore(self) -> Any:
        """Rebuild the fitted selector."""
        from sklearn import feature_selection

        score = getattr(self.parameters, "score_func", None)
        given = {} if score is None else {"score_func": getattr(feature_selection, score)}
        return self._made(given, **{name: None if own is None else own.restore() for name, own in self.values.items()})

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds of the columns that are kept; others are numbers."""
        kinds = iter(after)
        return tuple(next(kinds) if kept else PLAIN for kept in self._mask)

    def apply(self, X: Any) -> Any:
        """Keep some columns of a table or matrix."""
        return X[:, self._mask] if isinstance(X, FeatureTable) else self._apply(X)

    def _apply(self, X: Matrix) -> Matrix:
        return X[:, self._mask]


class VarianceThresholdParameters(Strict):
    """Parameters of ``VarianceThreshold``."""

    threshold: Number


class VarianceThresholdPart(SelectorPart):
    """The columns that vary."""

    statistics: ClassVar[tuple[str, ...]] = ("variances_",)

    kind: Literal["VarianceThreshold"] = "VarianceThreshold"
    parameters: VarianceThresholdParameters

    def _kept(self, values: FloatArray) -> BoolArray:
        return values > self.parameters.threshold


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

    def _kept(self, values: FloatArray) -> BoolArray:
        k = self.parameters.k
        kept = np.full(len(values), k == "all")
        if isinstance(k, int) and k > 0:
            kept[np.argsort(_known_scores(values), kind="mergesort")[-k:]] = True
        return kept


class SelectPercentileParameters(ScoreParameters):
    """Parameters of ``SelectPercentile``."""

    percentile: Number


class SelectPercentilePart(SelectorPart):
    """The share of the columns with the highest scores."""

    kind: Literal["SelectPercentile"] = "SelectPercentile"
    parameters: SelectPercentileParameters

    @model_validator(mode="after")
    def _is_a_share(self) -> Self:
        check_that(0 <= self.parameters.percentile <= 100, "percentile must be from 0 to 100")
        return self

    def _kept(self, values: FloatArray) -> BoolArray:
        share = self.parameters.percentile
        if share in (0, 100):
            return np.full(len(values), share == 100)
        scores = _known_scores(values)
        threshold = np.percentile(scores, 100 - share)
        kept = scores > threshold
        ties = np.flatnonzero(scores == threshold)
        kept[ties[: max(0, int(len(scores) * share / 100) - int(kept.sum()))]] = True
        return kept


def _known_scores(scores: FloatArray) -> FloatArray:
    return np.where(np.isnan(scores), np.finfo(np.float64).min, scores)


def _name(function: Any) -> str:
    from sklearn import feature_selection

    name = getattr(function, "__name__", "")
    if name not in SCORES or getattr(feature_selection, name) is not function:
        raise DataError(
            f"A selector by {name or repr(function)} cannot be stored in a model file, which contains no code: "
            f"expected scikit-learn's {', '.join(SCORES)}.",
            remedy="Use one of these, or a ColumnTransformer that passes the selected columns through.",
        )
    return name
