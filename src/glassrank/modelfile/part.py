"""What the kinds of estimators in a model file have in common."""

import inspect
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.modelfile.values import Names, PositiveCount, Strict, check_names


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

    def _make(self, parameters: Strict, **fitted: Any) -> Any:
        """Make an estimator from its parameters and from what ``fit`` had set."""
        estimator = _construct(self.estimator_class(), parameters)
        estimator.n_features_in_ = self.n_features
        if self.feature_names is not None:
            estimator.feature_names_in_ = np.array(self.feature_names, dtype=object)
        for name, value in fitted.items():
            setattr(estimator, name, value)
        return estimator


class RankerPart(Part):
    """A fitted ranker, which can score documents by itself."""

    @abstractmethod
    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X as the ranker's ``predict`` does."""


def fitted_value(estimator: Any, attribute: str) -> Any:
    """Return what ``fit`` has set, or say that the estimator is not fitted."""
    if not hasattr(estimator, attribute):
        kind = type(estimator).__name__
        raise DataError(f"This {kind} is not fitted yet: it has no {attribute}. Call fit before saving it.")
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


def _construct(estimator_class: type, parameters: Strict) -> Any:
    """Call the constructor; a parameter that it does not have yet may be left out if it changes nothing."""
    known = inspect.signature(estimator_class).parameters
    values = {field.alias or name: getattr(parameters, name) for name, field in type(parameters).model_fields.items()}
    defaults = {field.alias or name: field.default for name, field in type(parameters).model_fields.items()}
    for name in [name for name in values if name not in known]:
        if values.pop(name) != defaults[name]:
            raise DataError(
                f"{estimator_class.__name__} has no parameter {name!r} in the version that is installed here. "
                f"Upgrade {estimator_class.__module__.partition('.')[0]}."
            )
    return estimator_class(**values)
