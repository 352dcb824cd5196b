"""scikit-learn's linear models in a model file: coefficients, intercept and classes."""

import inspect
from importlib import import_module
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

import numpy as np
from pydantic import AfterValidator, FiniteFloat, PlainValidator, model_validator
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.modelfile.codec.model_part import (
    RankerPart,
    construct,
    described,
    fitted_value,
    inputs_of,
    parameters_of,
)
from glassrank.modelfile.codec.parameters import as_listed
from glassrank.modelfile.codec.values import FloatVector, Strict, as_number, check_size, check_that, shown
from glassrank.modelfile.kinds.class_labels import ClassesPart

Regressor = Literal[
    "ARDRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "HuberRegressor",
    "Lars",
    "LarsCV",
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "LinearRegression",
    "LinearSVR",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "SGDRegressor",
    "TheilSenRegressor",
]
LinearClassifier = Literal[
    "LinearDiscriminantAnalysis",
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
]
# Models that are not in scikit-learn's module linear_model.
OTHER_HOMES = {
    "LinearSVC": "svm",
    "LinearSVR": "svm",
    "SVC": "svm",
    "LinearDiscriminantAnalysis": "discriminant_analysis",
}
LINEAR = (*get_args(LinearClassifier), "SVC", *get_args(Regressor))


def _class(name: str) -> Any:
    return getattr(import_module(f"sklearn.{OTHER_HOMES.get(name, 'linear_model')}"), name)


def _linear_kind(name: str) -> str:
    check_that(name in LINEAR, f"unknown estimator {shown(name)}: expected {', '.join(LINEAR)}")
    return name


def _parameter(value: Any) -> Any:
    if value is None or type(value) in (bool, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return as_listed(value, as_number)
    if type(value) not in (int, float):
        raise DataError(f"expected a number, a string, a Boolean, None or a list of numbers, got {shown(value)}")
    return as_number(value)


Changed = dict[str, Annotated[Any, PlainValidator(_parameter)]]
"""Parameters that differ from their defaults."""


def changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that differ from their defaults."""
    signature = inspect.signature(type(estimator)).parameters
    given = estimator.get_params(deep=False)
    plain = parameters_of(estimator)
    return {name: plain[name] for name, value in given.items() if value is not signature[name].default}


class LinearModelPart(Strict):
    """An unfitted estimator of scikit-learn, with the parameters that differ from their defaults."""

    kind: Annotated[str, AfterValidator(_linear_kind)]
    parameters: Changed

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the class and the parameters of an estimator."""
        name = type(estimator).__name__
        if name not in LINEAR or type(estimator) is not _class(name):
            raise DataError(
                "The estimator of PairwiseRanker cannot be stored in a model file: expected scikit-learn's "
                f"{', '.join(LINEAR)}, got {described(estimator)}.",
                remedy="Fit one of these.",
            )
        return cls(kind=name, parameters=changed_parameters(estimator))

    def restore(self) -> Any:
        """Rebuild the unfitted estimator."""
        return construct(_class(self.kind), self.parameters, {})


class ChangedParameters(Strict):
    """Parameters of a model of scikit-learn that differ from their defaults."""

    changed: Changed


class FittedLinearPart(RankerPart):
    """A fitted linear model: w·x + b. Information about its training is not stored."""

    group_name: ClassVar[str] = "scikit-learn's linear models"

    kind: Regressor | LinearClassifier
    parameters: ChangedParameters
    coefficients: FloatVector
    is_row: bool
    """Whether the coefficients are a matrix of one row, as in most classifiers."""
    intercept: FiniteFloat | FloatVector
    """A number, or a vector of one number."""
    classes: ClassesPart | None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        check_size("coefficients", self.coefficients, self.n_features, "feature")
        check_that(np.size(self.intercept) == 1, "intercept must be one number")
        classifies = self.kind in get_args(LinearClassifier)
        check_that((self.classes is not None) == classifies, "a classifier needs classes, and only then")
        check_that(classifies or not self.is_row, "the coefficients of a regressor are not a row")
        return self

    @classmethod
    def kind_names(cls) -> tuple[str, ...]:
        """Return the names of all linear models."""
        return (*get_args(Regressor), *get_args(LinearClassifier))

    @classmethod
    def stores(cls, estimator: Any) -> bool:
        """Return whether an estimator is exactly one of these models."""
        return type(estimator) is _class(type(estimator).__name__)

    @classmethod
    def estimator_class(cls) -> type:
        """Return the common class of scikit-learn's linear models."""
        from sklearn.base import BaseEstimator

        return BaseEstimator

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the coefficients, the intercept and the classes."""
        kind = type(estimator).__name__
        coef, intercept = fitted_value(estimator, "coef_"), fitted_value(estimator, "intercept_")
        if sparse.issparse(coef):
            raise DataError(f"This {kind} has sparse coefficients.", remedy="Call its densify before saving it.")
        classifies = kind in get_args(LinearClassifier)
        if np.size(intercept) != 1 or (np.ndim(coef) == 2 and not (classifies and len(coef) == 1)):
            wanted = "two classes" if classifies else "one output, with y of one dimension"
            raise DataError(f"This {kind} cannot be saved: expected {wanted}.", remedy="Fit one model for each.")
        return cls(
            **inputs_of(estimator),
            kind=kind,  # type: ignore[arg-type]  # a name of the list
            parameters=ChangedParameters(changed=changed_parameters(estimator)),
            coefficients=np.ravel(coef),
            is_row=np.ndim(coef) == 2,
            intercept=float(intercept) if np.ndim(intercept) == 0 else np.asarray(intercept),
            classes=ClassesPart.of(np.asarray(estimator.classes_)) if classifies else None,
        )

    def restore(self) -> Any:
        """Rebuild a model that predicts like the fitted one."""
        made = construct(_class(self.kind), self.parameters.changed, {})
        made.coef_, made.intercept_ = self._coef(), self.intercept
        made.n_features_in_ = self.n_features
        if self.feature_names is not None:
            made.feature_names_in_ = np.array(self.feature_names, dtype=object)
        if self.classes is not None:
            self._set_classes(made, self.classes.restore())
        return made

    def _set_classes(self, made: Any, classes: Any) -> None:
        if self.kind.startswith("RidgeClassifier"):
            from sklearn.preprocessing import LabelBinarizer

            made._label_binarizer = LabelBinarizer(pos_label=1, neg_label=-1).fit(classes)
        # In some versions, the classes of a RidgeClassifier are those of its binarizer.
        if not isinstance(getattr(type(made), "classes_", None), property):
            made.classes_ = classes

    def _coef(self) -> FloatArray:
        return self.coefficients[None, :] if self.is_row else self.coefficients

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``predict`` of a regressor, ``decision_function`` of a classifier."""
        return np.ravel(np.asarray(X @ self._coef().T + self.intercept))
