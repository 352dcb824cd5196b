"""NavigationalClassifier in a model file."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, FiniteFloat, PlainValidator, model_validator
from scipy.special import logit

from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.sigmoid import Sigmoid
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.parameters import Seed, folds
from glassrank.modelfile.codec.values import (
    Count,
    FloatVector,
    IntVector,
    Names,
    Strict,
    Texts,
    check_size,
    check_that,
    shown,
)
from glassrank.modelfile.kinds.class_labels import ClassesPart
from glassrank.modelfile.kinds.navigational_decisions import AnyDecision, describe_decision
from glassrank.modelfile.kinds.steps.step_part import as_dense
from glassrank.modelfile.kinds.trained_ranker import TrainedPart
from glassrank.navigational.feature_settings import FeatureSettings
from glassrank.navigational.features.log_extent import LogExtent
from glassrank.navigational.preparation import Preparation

Share = Annotated[float, Field(gt=0.0, lt=1.0)]
# Old names of selectors, in files written before the renaming.
RENAMED_SELECTORS = {"boosting": "boosting influence", "nomogram length": "nomogram"}


def _offered(value: Any) -> Any:
    """Validate the parameter ``coupling``: a named grid, one coupling or several; JSON turns tuples into lists."""
    if value is None or value == "every":
        return value
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
        return [_coupling(one) for one in value]
    return _coupling(value)


def _coupling(value: Any) -> tuple[Any, ...]:
    usable = (
        isinstance(value, (list, tuple))
        and len(value) in (2, 3)
        and (value[0] is None or type(value[0]) is str)
        and type(value[1]) is str
        and (len(value) == 2 or value[2] is None or (type(value[2]) is int and value[2] >= 1))
    )
    if not usable:
        raise DataError(f"expected a coupling (selector, classifier, number of features), got {shown(value)}")
    return (RENAMED_SELECTORS.get(value[0], value[0]), *value[1:])


def _threshold(value: Any) -> Any:
    if value == "f1" or (type(value) is float and 0.0 < value < 1.0):
        return value
    raise DataError(f"expected 'f1' or a number above 0 and below 1, got {shown(value)}")


def _workers(value: Any) -> Any:
    if value is not None and type(value) is not int:
        raise DataError(f"expected None or a whole number, got {shown(value)}")
    return value


class NavigationalParameters(Strict):
    """Parameters of ``NavigationalClassifier``."""

    coupling: Annotated[Any, PlainValidator(_offered)]
    cv: Annotated[Any, folds()]
    threshold: Annotated[Any, PlainValidator(_threshold)]
    precision: Share | None
    tune: bool = False
    """Files of older versions have none."""
    nested: bool
    n_jobs: Annotated[Any, PlainValidator(_workers)]
    random_state: Seed


class PreparationPart(Strict):
    """How features become columns; ``marks`` is 1 for columns that indicate missing values."""

    sources: IntVector
    marks: IntVector
    fills: FloatVector
    n_constant: Count
    copies: list[list[int]] = Field(default_factory=list)
    """Features whose columns equal each column in the training rows, −1 − feature for an indicator; empty if none."""

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        for name in ("marks", "fills"):
            check_size(f"preparation.{name}", getattr(self, name), len(self.sources), "column")
        check_that(bool(np.isin(self.marks, (0, 1)).all()), "preparation.marks must be 0 or 1")
        if self.copies:
            check_size("preparation.copies", self.copies, len(self.sources), "column")
        return self

    @classmethod
    def of(cls, preparation: Preparation) -> Self:
        """Extract the arrays."""
        marks = preparation.marks.astype(np.int64)
        return cls(
            sources=preparation.sources,
            marks=marks,
            fills=preparation.fills,
            n_constant=preparation.n_constant,
            copies=[list(own) for own in preparation.copies],
        )

    def restore(self) -> Preparation:
        """Rebuild the preparation."""
        return Preparation(self.sources, self.marks == 1, self.fills, self.n_constant, tuple(map(tuple, self.copies)))


class TriedPart(Strict):
    """The couplings that were tried; value and threshold are None if no threshold reached the wanted precision."""

    couplings: list[Annotated[Any, PlainValidator(_coupling)]]
    values: list[FiniteFloat | None]
    thresholds: list[FiniteFloat | None]

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        for name in ("values", "thresholds"):
            check_size(f"tried.{name}", getattr(self, name), len(self.couplings), "coupling")
        return self

    @classmethod
    def of(cls, results: Mapping[str, Any]) -> Self:
        """Extract the table of couplings."""
        return cls(
            couplings=[tuple(one) for one in results["coupling"]],
            values=_without_nan(results["value"]),
            thresholds=_without_nan(results["threshold"]),
        )

    def restore(self) -> dict[str, Any]:
        """Rebuild the table of couplings."""
        from glassrank.navigational.coupling.couplings import Coupling

        return {
            "coupling": [Coupling(*one) for one in self.couplings],
            "value": np.array(self.values, dtype=np.float64),
            "threshold": np.array(self.thresholds, dtype=np.float64),
        }


def _without_nan(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


class NavigationalTraining(FittedValues):
    """Values that a ``NavigationalClassifier`` fits to held-out rows."""

    renamed: ClassVar[Mapping[str, str]] = {}

    slope: FiniteFloat
    offset: FiniteFloat
    threshold: Share


class FeatureSettingsPart(Strict):
    """Language, trusted hosts and form of ``urlmr`` with which the training features were computed."""

    language: str | None
    trusted_hosts: Names
    urlmr: Literal["bare", "literal"] = "bare"
    """Files of older versions have none."""

    @classmethod
    def of(cls, settings: FeatureSettings) -> Self:
        """Extract the settings."""
        hosts = None if settings.trusted_hosts is None else list(settings.trusted_hosts)
        return cls.model_validate({"language": settings.language, "trusted_hosts": hosts, "urlmr": settings.urlmr})

    def restore(self) -> FeatureSettings:
        """Rebuild the settings."""
        hosts = None if self.trusted_hosts is None else tuple(self.trusted_hosts)
        return FeatureSettings(self.language, hosts, self.urlmr)


class TrainingLogPart(Strict):
    """Size and period of the log with which the training features were computed."""

    n_events: Count
    n_queries: Count
    first_time: FiniteFloat | None
    last_time: FiniteFloat | None


class FeatureGroupPart(Strict):
    """Features that explanations show as one."""

    name: str
    members: IntVector


class NavigationalPart(TrainedPart):
    """A fitted ``NavigationalClassifier``: columns, decision, probabilities and threshold."""

    kind: Literal["NavigationalClassifier"] = "NavigationalClassifier"
    parameters: NavigationalParameters
    training: NavigationalTraining
    classes: ClassesPart
    coupling: Annotated[Any, PlainValidator(_coupling)]
    tried: TriedPart
    nested_scores: list[FiniteFloat | None] | None
    """None for a fold in which no coupling could be chosen."""
    tuned: dict[str, FiniteFloat] | None = None
    """C and γ; None if they were not tuned, and in files of older versions."""
    medians: FloatVector
    selected_features: Texts
    preparation: PreparationPart
    decision: AnyDecision
    feature_groups: list[FeatureGroupPart] = Field(default_factory=list)
    """Files of older versions have none."""
    feature_settings: FeatureSettingsPart | None = None
    """None in files of older versions, and if the features were not computed by glassrank."""
    training_log: TrainingLogPart | None = None
    """None in files of older versions, and without a log."""

    @model_validator(mode="after")
    def _columns_fit(self) -> Self:
        sources, n_columns = self.preparation.sources, len(self.preparation.sources)
        inside = (sources >= 0) & (sources < self.n_features)
        check_that(bool(inside.all()), f"preparation.sources must be features from 0 to {self.n_features - 1}")
        named = [k if k >= 0 else -1 - k for own in self.preparation.copies for k in own]
        check_that(max(named, default=0) < self.n_features, "preparation.copies must be features of the model")
        check_size("medians", self.medians, self.n_features, "feature")
        check_size("selected_features", self.selected_features, n_columns, "column")
        self.decision.check_columns(n_columns)
        for group in self.feature_groups:
            known = len(group.members) > 1 and bool(np.isin(group.members, sources).all())
            check_that(known, "feature_groups must contain features that the model uses, at least two each")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.navigational.navigational_classifier import NavigationalClassifier

        return NavigationalClassifier

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        decision = describe_decision(fitted_value(estimator, "decision_"))
        nested = getattr(estimator, "nested_scores_", None)
        settings = getattr(estimator, "feature_settings_", None)
        log = getattr(estimator, "training_log_", None)
        return {
            "classes": ClassesPart.of(estimator.classes_),
            "coupling": tuple(estimator.coupling_),
            "tried": TriedPart.of(estimator.cv_results_),
            "nested_scores": None if nested is None else _without_nan(nested),
            "tuned": getattr(estimator, "tuned_", None),
            "medians": estimator.medians_,
            "selected_features": list(estimator.selected_features_),
            "preparation": PreparationPart.of(estimator.preparation_),
            "decision": decision,
            "feature_groups": [
                FeatureGroupPart(name=one.name, members=np.array(one.members, dtype=np.int64))
                for one in getattr(estimator, "feature_groups_", ())
            ],
            "feature_settings": None if settings is None else FeatureSettingsPart.of(settings),
            "training_log": None if log is None else TrainingLogPart(**asdict(log)),
        }

    def _learned(self) -> dict[str, Any]:
        from glassrank.navigational.coupling.couplings import Coupling
        from glassrank.navigational.navigational_classifier import mean_known

        settings = self.feature_settings
        optional: dict[str, Any] = {} if settings is None else {"feature_settings_": settings.restore()}
        if self.training_log is not None:
            optional |= {"training_log_": LogExtent(**self.training_log.model_dump())}
        if self.tuned is not None:
            optional |= {"tuned_": dict(self.tuned)}
        if self.nested_scores is not None:
            scores = np.array(self.nested_scores, dtype=np.float64)
            optional |= {"nested_scores_": scores, "nested_score_": mean_known(scores)}
        return {
            "classes_": self.classes.restore(),
            "coupling_": Coupling(*self.coupling),
            "cv_results_": self.tried.restore(),
            "medians_": self.medians,
            "selected_features_": tuple(self.selected_features),
            "preparation_": self.preparation.restore(),
            "decision_": self.decision.restore(),
            "feature_groups_": tuple(
                FeatureGroup(one.name, tuple(one.members.tolist())) for one in self.feature_groups
            ),
            **optional,
        }

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature: no, a query is no document."""
        return False

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``NavigationalClassifier.decision_function``."""
        outputs = self.decision.restore()(self.preparation.restore()(as_dense(X)))
        log_odds = Sigmoid(self.training.slope, self.training.offset).log_odds(outputs)
        return log_odds - float(logit(self.training.threshold))
