"""Base classes and helpers for the kinds of estimators in a model file."""

import inspect
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.feature_kinds import PLAIN, FeatureKind
from glassrank.core.missing_rule import REFUSE
from glassrank.core.setting import setting
from glassrank.modelfile.codec.values import Names, PositiveCount, Strict, check_names


class Part(Strict):
    """A fitted estimator as plain values.

    Each kind is a subclass with a field ``kind``, the name of the estimator's class. ``estimator_class`` imports that
    class, ``of`` extracts the values of a fitted estimator, and ``restore`` rebuilds the estimator. A ranker's
    ``score`` works without the estimator. Importing the subclass must not import scikit-learn.
    """

    group_name: ClassVar[str] = ""
    """What messages call the kinds of a class that stores several."""

    kind: str
    n_features: PositiveCount
    feature_names: Names
    """Feature names that the estimator saw in ``fit``; None if it was fitted to arrays."""

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        check_names(self.feature_names, self.n_features)
        return self

    @classmethod
    def kind_name(cls) -> str:
        """Return the name of the kind: the value of ``kind`` in the file."""
        return str(cls.model_fields["kind"].default)

    @classmethod
    def kind_names(cls) -> tuple[str, ...]:
        """Return the names of all kinds that this class stores."""
        return (cls.kind_name(),)

    @classmethod
    def stores(cls, estimator: Any) -> bool:
        """Return whether an estimator is of this kind; a subclass of it may predict differently."""
        return type(estimator) is cls.estimator_class()

    @classmethod
    @abstractmethod
    def estimator_class(cls) -> type:
        """Return the class of estimators that this kind stores."""

    @classmethod
    @abstractmethod
    def of(cls, estimator: Any) -> Self:
        """Extract everything that a fitted estimator needs to predict, to be explained and to be fitted again."""

    @abstractmethod
    def restore(self) -> Any:
        """Rebuild the fitted estimator."""

    def _make(self, parameters: Strict, given: Mapping[str, Any] | None = None, **fitted: Any) -> Any:
        """Build an estimator from its parameters, those ``given`` in another form, and fitted attributes."""
        fields = type(parameters).model_fields
        values = {field.alias or name: getattr(parameters, name) for name, field in fields.items()}
        defaults = {field.alias or name: field.default for name, field in fields.items()}
        estimator = construct(self.estimator_class(), {**values, **(given or {})}, defaults)
        estimator.n_features_in_ = self.n_features
        if self.feature_names is not None:
            estimator.feature_names_in_ = np.array(self.feature_names, dtype=object)
        for name, value in fitted.items():
            setattr(estimator, name, value)
        return estimator


class RankerPart(Part):
    """A fitted ranker, which can score documents without the estimator."""

    parameters: Strict

    @classmethod
    def _common_fields(cls, estimator: Any) -> dict[str, Any]:
        """Return the fields that every ranker has: its parameters and the features of its input."""
        parameters: Any = cls.model_fields["parameters"].annotation
        # A nested estimator is stored in a field of its own.
        values = {name: value for name, value in parameters_of(estimator).items() if name != "estimator"}
        return {**inputs_of(estimator), "parameters": parameters(**values)}

    @property
    def scores_documents(self) -> bool:
        """Whether the ranker can score single documents, not only pairs."""
        return True

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature."""
        return True

    @property
    def log_odds_per_score(self) -> float | None:
        """Log-odds of "A above B" per unit of the difference of their scores; None if the model is not calibrated."""
        return None

    @property
    def takes_missing(self) -> bool:
        """Whether the ranker has a rule for missing values."""
        return False

    @property
    def missing_policy(self) -> str:
        """What the ranker does with a missing value of a feature that had none in training."""
        return REFUSE

    @property
    def missing_shares(self) -> FloatArray:
        """Share of missing values of each feature in training."""
        return np.zeros(self.n_features)

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature."""
        return (PLAIN,) * self.n_features

    @abstractmethod
    def score(self, X: Matrix) -> FloatArray:
        """Score each row of a matrix or table like ``predict`` of a ranker, ``decision_function`` of a classifier."""


class FittedValues(Strict):
    """Plain values that ``fit`` sets: the field ``n_queries`` stores ``n_queries_``, unless it is ``renamed``."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """Field -> attribute."""
    optional: ClassVar[frozenset[str]] = frozenset()
    """Fields that are None if the estimator has no such attribute."""

    @classmethod
    def _attributes(cls) -> dict[str, str]:
        return {field: cls.renamed.get(field, f"{field}_") for field in cls.model_fields}

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the values of a fitted estimator."""
        present = (
            (field, attribute)
            for field, attribute in cls._attributes().items()
            if field not in cls.optional or hasattr(estimator, attribute)
        )
        return cls(**{field: fitted_value(estimator, attribute) for field, attribute in present})

    def by_attribute(self) -> dict[str, Any]:
        """Return the values under the estimator's attribute names."""
        values = {field: getattr(self, field) for field in self._attributes()}
        absent = {field for field in self.optional if values[field] is None}
        return {name: values[field] for field, name in self._attributes().items() if field not in absent}


def fitted_value(estimator: Any, attribute: str) -> Any:
    """Return an attribute that ``fit`` sets, or raise an error if the estimator is not fitted."""
    if not hasattr(estimator, attribute):
        kind = type(estimator).__name__
        raise DataError(f"This {kind} is not fitted yet: it has no {attribute}.", remedy="Call fit before saving it.")
    return plain(getattr(estimator, attribute))


def inputs_of(estimator: Any) -> dict[str, Any]:
    """Return the fields of ``Part`` for a fitted estimator."""
    return {"n_features": fitted_value(estimator, "n_features_in_"), "feature_names": names_of(estimator)}


def names_of(estimator: Any) -> list[str] | None:
    """Return the feature names that an estimator saw in ``fit``, or None."""
    return [str(name) for name in estimator.feature_names_in_] if hasattr(estimator, "feature_names_in_") else None


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, with NumPy numbers converted to Python numbers."""
    return {name: plain(value) for name, value in estimator.get_params(deep=False).items()}


def plain(value: Any) -> Any:
    """Convert a NumPy number to a Python number; return anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def part_class(estimator: Any, kinds: Mapping[str, Any], what: str) -> Any:
    """Return the kind of an estimator, or raise an error that lists the kinds that a file can store."""
    found = kinds.get(type(estimator).__name__)
    # A class of the same name from another module may predict differently.
    if found is None or not found.stores(estimator):
        raise DataError(
            f"{what} cannot be stored in a model file: expected {_listed(kinds)}, got {described(estimator)}.",
            remedy=_remedy(estimator),
        )
    return found


def _listed(kinds: Mapping[str, Any]) -> str:
    """Return the names of kinds; those that one class stores are named as a group."""
    names = (getattr(part, "group_name", "") or name for name, part in kinds.items())
    return ", ".join(dict.fromkeys(names))


def described(estimator: Any) -> str:
    """Describe, for a message, the object that was given as an estimator."""
    if isinstance(estimator, (str, type)) or estimator is None:
        return repr(estimator)
    return f"{type(estimator).__module__}.{type(estimator).__qualname__}"


_TREES = f"Fit a model of curves, such as RankSVM or AdditiveSVC with {setting('kernel', 'lrbf')}."
_LINES = "Fit LinearSVC or AdditiveSVC, which can be saved."
# What to save instead of other models of scikit-learn that have effects.
_REMEDIES = {
    "CalibratedClassifierCV": "Fit AdditiveSVC or LogisticRegression, which have probabilities and can be saved.",
    "FrozenEstimator": "Save the estimator inside it.",
    "GradientBoostingClassifier": _TREES,
    "GradientBoostingRegressor": _TREES,
    "HistGradientBoostingClassifier": _TREES,
    "HistGradientBoostingRegressor": _TREES,
    "NuSVC": _LINES,
    "SVC": _LINES,
}


def _remedy(estimator: Any) -> str:
    if hasattr(estimator, "best_estimator_"):
        return "Save its best_estimator_."
    if type(estimator).__module__.partition(".")[0] in ("lightgbm", "xgboost"):
        return "Save it in its own format, with save_model of its booster."
    if type(estimator).__name__ in _REMEDIES:
        return _REMEDIES[type(estimator).__name__]
    if hasattr(estimator, "get_support"):
        return "Use ColumnTransformer([('kept', 'passthrough', selector.get_support())]) in its place."
    if hasattr(estimator, "transform"):
        return "Transform the data yourself before fitting and before ranking."
    return ""


def construct(estimator_class: Any, values: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
    """Call the constructor; drop parameters that this version does not have if they are at their default."""
    known = inspect.signature(estimator_class).parameters
    missing = object()
    for name, value in values.items():
        if name not in known and value != defaults.get(name, missing):
            raise DataError(
                f"{estimator_class.__name__} has no parameter {name!r} in the installed version.",
                remedy=f"Upgrade {estimator_class.__module__.partition('.')[0]}.",
            )
    return estimator_class(**{name: value for name, value in values.items() if name in known})
