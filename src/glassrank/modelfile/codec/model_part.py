"""What the kinds of estimators in a model file have in common."""

import inspect
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.modelfile.codec.values import Names, PositiveCount, Strict, check_names


class Part(Strict):
    """A fitted estimator in plain values.

    Each kind is a subclass with a field ``kind``, the name of the estimator's class. ``estimator_class`` imports that
    class, ``of`` takes the values out of a fitted estimator, and ``restore`` makes the estimator again; a ranker's
    ``score`` does without it. Importing the subclass must not import scikit-learn.
    """

    kind: str
    n_features: PositiveCount
    feature_names: Names
    """Names that the estimator itself has seen; arrays have none."""

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        check_names(self.feature_names, self.n_features)
        return self

    @classmethod
    def kind_name(cls) -> str:
        """Name of the kind: what stands under ``kind`` in the file."""
        return str(cls.model_fields["kind"].default)

    @classmethod
    @abstractmethod
    def estimator_class(cls) -> type:
        """Class of the estimators that this kind holds."""

    @classmethod
    @abstractmethod
    def of(cls, estimator: Any) -> Self:
        """Take out of a fitted estimator all that makes it predict, explain itself and be fitted again."""

    @abstractmethod
    def restore(self) -> Any:
        """Make the fitted estimator again."""

    def _make(self, parameters: Strict, given: Mapping[str, Any] | None = None, **fitted: Any) -> Any:
        """Make an estimator from its parameters, others ``given``, and from what ``fit`` had set."""
        fields = type(parameters).model_fields
        values = {field.alias or name: getattr(parameters, name) for name, field in fields.items()}
        defaults = {field.alias or name: field.default for name, field in fields.items()}
        estimator = construct(self.estimator_class(), {**(given or {}), **values}, defaults)
        estimator.n_features_in_ = self.n_features
        if self.feature_names is not None:
            estimator.feature_names_in_ = np.array(self.feature_names, dtype=object)
        for name, value in fitted.items():
            setattr(estimator, name, value)
        return estimator


class RankerPart(Part):
    """A fitted ranker, which can score documents by itself."""

    parameters: Strict

    @classmethod
    def _given_to(cls, estimator: Any) -> dict[str, Any]:
        """What every ranker's file holds of the estimator and its input."""
        parameters: Any = cls.model_fields["parameters"].annotation
        # An estimator inside has a place of its own.
        values = {name: value for name, value in parameters_of(estimator).items() if name != "estimator"}
        return {**inputs_of(estimator), "parameters": parameters(**values)}

    @property
    def scores_documents(self) -> bool:
        """Whether there is a score of a single document, and not only of a pair."""
        return True

    @abstractmethod
    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X as the ranker's ``predict`` does, and a classifier's ``decision_function``."""


class FittedValues(Strict):
    """Plain values that ``fit`` sets: a field ``n_queries`` holds ``n_queries_`` unless it is ``renamed``."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """Field -> attribute."""

    @classmethod
    def _attributes(cls) -> dict[str, str]:
        return {field: cls.renamed.get(field, f"{field}_") for field in cls.model_fields}

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take the values out of a fitted estimator."""
        return cls(**{field: fitted_value(estimator, attribute) for field, attribute in cls._attributes().items()})

    def by_attribute(self) -> dict[str, Any]:
        """Return the values by the names that they have in the estimator."""
        return {attribute: getattr(self, field) for field, attribute in self._attributes().items()}


def fitted_value(estimator: Any, attribute: str) -> Any:
    """Return what ``fit`` has set, or say that the estimator is not fitted."""
    if not hasattr(estimator, attribute):
        kind = type(estimator).__name__
        raise DataError(f"This {kind} is not fitted yet: it has no {attribute}.", remedy="Call fit before saving it.")
    return plain(getattr(estimator, attribute))


def inputs_of(estimator: Any) -> dict[str, Any]:
    """Fields of ``Part`` for a fitted estimator."""
    return {"n_features": fitted_value(estimator, "n_features_in_"), "feature_names": names_of(estimator)}


def names_of(estimator: Any) -> list[str] | None:
    """Names of the features that a fitted estimator has seen, if it has seen any."""
    return [str(name) for name in estimator.feature_names_in_] if hasattr(estimator, "feature_names_in_") else None


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Parameters of an estimator, numbers of NumPy turned into Python's."""
    return {name: plain(value) for name, value in estimator.get_params(deep=False).items()}


def plain(value: Any) -> Any:
    """Python's own number for a number of NumPy; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def part_class(estimator: Any, kinds: Mapping[str, Any], what: str) -> Any:
    """Find the kind of an estimator; one that a file cannot hold is refused, with the kinds there are."""
    found = kinds.get(type(estimator).__name__)
    # A class of the same name from elsewhere may predict otherwise.
    if found is None or type(estimator) is not found.estimator_class():
        raise DataError(
            f"{what} cannot stand in a model file: expected {', '.join(kinds)}, got {described(estimator)}.",
            remedy=_remedy(estimator),
        )
    return found


def described(estimator: Any) -> str:
    """Say in a few words what was found in an estimator's place."""
    if isinstance(estimator, (str, type)) or estimator is None:
        return repr(estimator)
    return f"{type(estimator).__module__}.{type(estimator).__qualname__}"


def _remedy(estimator: Any) -> str:
    if hasattr(estimator, "best_estimator_"):
        return "Save its best_estimator_."
    if hasattr(estimator, "transform"):
        return "Transform the data before fitting, and before ranking."
    return ""


def construct(estimator_class: Any, values: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
    """Call the constructor; a parameter that it does not have yet may be left out if it changes nothing."""
    known = inspect.signature(estimator_class).parameters
    missing = object()
    for name, value in values.items():
        if name not in known and value != defaults.get(name, missing):
            raise DataError(
                f"{estimator_class.__name__} has no parameter {name!r} in the version that is installed here.",
                remedy=f"Upgrade {estimator_class.__module__.partition('.')[0]}.",
            )
    return estimator_class(**{name: value for name, value in values.items() if name in known})
