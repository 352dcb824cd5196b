"""The models of single classes of a NavigationalClassifier in a model file."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, FiniteFloat, PlainValidator, model_validator
from scipy.special import logit

from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.sigmoid import Sigmoid
from glassrank.modelfile.codec.model_part import plain
from glassrank.modelfile.codec.values import (
    Count,
    FloatVector,
    IntVector,
    Strict,
    Texts,
    check_size,
    check_that,
    shown,
)
from glassrank.modelfile.kinds.navigational_decisions import AnyDecision, describe_decision
from glassrank.navigational.preparation import Preparation

Share = Annotated[float, Field(gt=0.0, lt=1.0)]
# Old names of selectors, in files written before the renaming.
RENAMED_SELECTORS = {"boosting": "boosting influence", "nomogram length": "nomogram"}


def as_coupling(value: Any) -> tuple[Any, ...]:
    """Validate a coupling: selector, classifier and number of features."""
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

    couplings: list[Annotated[Any, PlainValidator(as_coupling)]]
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
            values=without_nan(results["value"]),
            thresholds=without_nan(results["threshold"]),
        )

    def restore(self) -> dict[str, Any]:
        """Rebuild the table of couplings."""
        from glassrank.navigational.coupling.couplings import Coupling

        return {
            "coupling": [Coupling(*one) for one in self.couplings],
            "value": np.array(self.values, dtype=np.float64),
            "threshold": np.array(self.thresholds, dtype=np.float64),
        }


def without_nan(values: Any) -> list[float | None]:
    """Return numbers with None instead of NaN, which JSON does not have."""
    return [None if np.isnan(value) else float(value) for value in values]


class FeatureGroupPart(Strict):
    """Features that explanations show as one."""

    name: str
    members: IntVector


class ClassModelPart(Strict):
    """A class against the others: columns, decision, probabilities and threshold."""

    slope: FiniteFloat
    offset: FiniteFloat
    cut: FiniteFloat | None = None
    """Log-odds of the threshold."""
    threshold: Share | None = None
    """The threshold itself, in files of older versions, which have no ``cut``."""
    coupling: Annotated[Any, PlainValidator(as_coupling)]
    tried: TriedPart
    tuned: dict[str, FiniteFloat] | None = None
    """C and γ; None if they were not tuned, and in files of older versions."""
    selected_features: Texts
    preparation: PreparationPart
    decision: AnyDecision
    feature_groups: list[FeatureGroupPart] = Field(default_factory=list)
    """Files of older versions have none."""

    @model_validator(mode="after")
    def _has_one_cut(self) -> Self:
        check_that((self.cut is None) != (self.threshold is None), "expected either cut or threshold")
        return self

    @property
    def log_odds_cut(self) -> float:
        """Log-odds above which the class is predicted."""
        return float(logit(self.threshold)) if self.cut is None else self.cut

    def check_features(self, n_features: int) -> None:
        """Raise an error unless columns, decision and groups fit together and use features that exist."""
        sources, n_columns = self.preparation.sources, len(self.preparation.sources)
        inside = (sources >= 0) & (sources < n_features)
        check_that(bool(inside.all()), f"preparation.sources must be features from 0 to {n_features - 1}")
        named = [k if k >= 0 else -1 - k for own in self.preparation.copies for k in own]
        check_that(max(named, default=0) < n_features, "preparation.copies must be features of the model")
        check_size("selected_features", self.selected_features, n_columns, "column")
        self.decision.check_columns(n_columns)
        for group in self.feature_groups:
            known = len(group.members) > 1 and bool(np.isin(group.members, sources).all())
            check_that(known, "feature_groups must contain features that the model uses, at least two each")

    @classmethod
    def of(cls, model: Any) -> Self:
        """Extract the values of a ``ClassModel``."""
        return cls(
            slope=plain(model.slope),
            offset=plain(model.offset),
            cut=plain(model.cut),
            coupling=tuple(model.coupling),
            tried=TriedPart.of(model.cv_results),
            tuned=None if model.tuned is None else dict(model.tuned),
            selected_features=list(model.selected_features),
            preparation=PreparationPart.of(model.preparation),
            decision=describe_decision(model.decision),
            feature_groups=[
                FeatureGroupPart(name=one.name, members=np.array(one.members, dtype=np.int64))
                for one in model.feature_groups
            ],
        )

    def restore(self) -> Any:
        """Rebuild the ``ClassModel``."""
        from glassrank.navigational.coupling.class_model import ClassModel
        from glassrank.navigational.coupling.couplings import Coupling

        return ClassModel(
            Coupling(*self.coupling),
            self.preparation.restore(),
            self.decision.restore(),
            self.slope,
            self.offset,
            self.log_odds_cut,
            tuple(self.selected_features),
            tuple(FeatureGroup(one.name, tuple(one.members.tolist())) for one in self.feature_groups),
            self.tried.restore(),
            None if self.tuned is None else dict(self.tuned),
        )

    def log_odds(self, rows: FloatArray) -> FloatArray:
        """Return the log-odds of the class for each row, like ``ClassModel.log_odds``, without scikit-learn."""
        outputs = self.decision.restore()(self.preparation.restore()(rows))
        return Sigmoid(self.slope, self.offset).log_odds(outputs)
