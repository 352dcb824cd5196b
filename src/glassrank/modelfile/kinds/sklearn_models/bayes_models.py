"""scikit-learn's naive Bayes classifiers in a model file: counts, moments and log-probabilities of two classes."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import PlainValidator, model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.feature_kinds import numbers_of
from glassrank.modelfile.codec.model_part import RankerPart, fitted_value
from glassrank.modelfile.codec.parameters import as_listed
from glassrank.modelfile.codec.values import (
    FloatVector,
    Number,
    Strict,
    as_number,
    check_size,
    check_that,
)
from glassrank.modelfile.kinds.class_labels import ClassesPart
from glassrank.modelfile.kinds.steps.step_part import as_dense


def _numbers(value: Any) -> Any:
    return value if value is None else as_listed(value, as_number)


def _number_or_several(value: Any) -> Any:
    return as_number(value) if isinstance(value, int | float) else as_listed(value, as_number)


Priors = Annotated[Any, PlainValidator(_numbers)]
Smoothing = Annotated[Any, PlainValidator(_number_or_several)]


class NaiveBayesPart(RankerPart):
    """A fitted naive Bayes classifier of two classes; its score is the log-odds of the second one."""

    by_class: ClassVar[Mapping[str, str]]
    """Field of one number per class -> the attribute that ``fit`` sets."""
    by_feature: ClassVar[Mapping[str, str]]
    """Field of one number per class and feature -> the attribute that ``fit`` sets."""

    classes: ClassesPart

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        for field in self.by_class:
            check_size(field, getattr(self, field), 2, "class")
        for field in self.by_feature:
            check_size(field, getattr(self, field), 2 * self.n_features, "class and feature")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from sklearn import naive_bayes

        return getattr(naive_bayes, cls.kind_name())

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract what the classifier has counted."""
        classes = fitted_value(estimator, "classes_")
        if len(classes) != 2:
            raise DataError(
                f"This {cls.kind_name()} cannot be saved: expected two classes, got {len(classes)}.",
                remedy="Fit one model for each class (y == label).",
            )
        vectors = {**cls.by_class, **cls.by_feature}
        found: dict[str, Any] = {
            field: np.ravel(fitted_value(estimator, attribute)) for field, attribute in vectors.items()
        }
        return cls(**cls._common_fields(estimator), classes=ClassesPart.of(classes), **found, **cls._others(estimator))

    @classmethod
    def _others(cls, estimator: Any) -> dict[str, Any]:
        return {}

    def restore(self) -> Any:
        """Rebuild the fitted classifier."""
        fitted = {attribute: getattr(self, field) for field, attribute in self.by_class.items()}
        tables: dict[str, Any] = {attribute: self._table(field) for field, attribute in self.by_feature.items()}
        return self._make(self.parameters, classes_=self.classes.restore(), **fitted, **tables, **self._fitted())

    def _fitted(self) -> dict[str, Any]:
        return {}

    def _table(self, field: str) -> FloatArray:
        vector: FloatArray = getattr(self, field)
        return vector.reshape(2, self.n_features)

    def score(self, X: Matrix) -> FloatArray:
        """Return the log-odds of the second class, as from ``predict_joint_log_proba``."""
        joint = self._joint(numbers_of(X, self.kind))
        return np.asarray(joint[:, 1] - joint[:, 0])

    @abstractmethod
    def _joint(self, X: Matrix) -> FloatArray:
        """Return log P(class, x) in scikit-learn's order of operations, so that results are bitwise equal."""


class GaussianNBParameters(Strict):
    """Parameters of ``GaussianNB``."""

    priors: Priors
    var_smoothing: Number


class GaussianNBPart(NaiveBayesPart):
    """Normal distributions."""

    by_class: ClassVar[Mapping[str, str]] = {"shares": "class_prior_", "counts": "class_count_"}
    by_feature: ClassVar[Mapping[str, str]] = {"means": "theta_", "variances": "var_"}

    kind: Literal["GaussianNB"] = "GaussianNB"
    parameters: GaussianNBParameters
    shares: FloatVector
    counts: FloatVector
    means: FloatVector
    variances: FloatVector
    smallest: Number
    """What was added to each variance."""

    @model_validator(mode="after")
    def _is_a_distribution(self) -> Self:
        check_that(bool((self.shares > 0).all()), "shares must be above 0")
        check_that(bool((self.variances > 0).all()), "variances must be above 0")
        return self

    @classmethod
    def _others(cls, estimator: Any) -> dict[str, Any]:
        return {"smallest": float(estimator.epsilon_)}

    def _fitted(self) -> dict[str, Any]:
        return {"epsilon_": self.smallest}

    def _joint(self, X: Matrix) -> FloatArray:
        rows, columns = as_dense(X), []
        for share, means, variances in zip(self.shares, self._table("means"), self._table("variances"), strict=True):
            own = -0.5 * np.sum(np.log(2.0 * np.pi * variances))
            own = own - 0.5 * np.sum(((rows - means) ** 2) / variances, axis=1)
            columns.append(np.log(share) + own)
        return np.stack(columns).T


class CountsParameters(Strict):
    """Parameters of the classifiers that count."""

    alpha: Smoothing
    force_alpha: bool = True
    fit_prior: bool
    class_prior: Priors


class CountsPart(NaiveBayesPart):
    """A classifier by counts of features in each class."""

    by_class: ClassVar[Mapping[str, str]] = {"log_shares": "class_log_prior_", "counts": "class_count_"}
    by_feature: ClassVar[Mapping[str, str]] = {"log_probabilities": "feature_log_prob_", "totals": "feature_count_"}

    log_shares: FloatVector
    counts: FloatVector
    log_probabilities: FloatVector
    totals: FloatVector

    @model_validator(mode="after")
    def _are_logarithms(self) -> Self:
        check_that(bool((self.log_probabilities <= 0).all()), "log_probabilities must not be above 0")
        return self


class MultinomialNBPart(CountsPart):
    """Shares of a total."""

    kind: Literal["MultinomialNB"] = "MultinomialNB"
    parameters: CountsParameters

    def _joint(self, X: Matrix) -> FloatArray:
        return np.asarray(X @ self._table("log_probabilities").T + self.log_shares)


class BernoulliNBParameters(CountsParameters):
    """Parameters of ``BernoulliNB``."""

    binarize: Number | None


class BernoulliNBPart(CountsPart):
    """Presence or absence."""

    kind: Literal["BernoulliNB"] = "BernoulliNB"
    parameters: BernoulliNBParameters

    @model_validator(mode="after")
    def _are_below_one(self) -> Self:
        check_that(bool((np.exp(self.log_probabilities) < 1).all()), "log_probabilities must be below 0")
        return self

    def _joint(self, X: Matrix) -> FloatArray:
        rows, threshold = as_dense(X), self.parameters.binarize
        rows = rows if threshold is None else np.where(rows > threshold, 1.0, 0.0)
        present = self._table("log_probabilities")
        absent = np.log(1 - np.exp(present))
        joint = rows @ (present - absent).T
        joint += self.log_shares + absent.sum(axis=1)
        return np.asarray(joint)


class CategoricalNBParameters(CountsParameters):
    """Parameters of ``CategoricalNB``."""

    min_categories: Annotated[Any, PlainValidator(lambda value: value if value is None else _number_or_several(value))]


class CategoricalNBPart(NaiveBayesPart):
    """Shares of the codes 0, 1, 2 … of each feature."""

    by_class: ClassVar[Mapping[str, str]] = {"log_shares": "class_log_prior_", "counts": "class_count_"}
    by_feature: ClassVar[Mapping[str, str]] = {}

    kind: Literal["CategoricalNB"] = "CategoricalNB"
    parameters: CategoricalNBParameters
    log_shares: FloatVector
    counts: FloatVector
    log_probabilities: list[FloatVector]
    """For each feature, those of the codes in the first class, then in the second one."""
    totals: list[FloatVector]

    @model_validator(mode="after")
    def _codes_agree(self) -> Self:
        for field in ("log_probabilities", "totals"):
            check_size(field, getattr(self, field), self.n_features, "feature")
        for own, totals in zip(self.log_probabilities, self.totals, strict=True):
            check_that(len(own) % 2 == 0 and len(own) == len(totals) > 0, "every feature must have two classes")
            check_that(bool((own <= 0).all()), "log_probabilities must not be above 0")
        return self

    @classmethod
    def _others(cls, estimator: Any) -> dict[str, Any]:
        return {
            "log_probabilities": [np.ravel(own) for own in estimator.feature_log_prob_],
            "totals": [np.ravel(own) for own in estimator.category_count_],
        }

    def _fitted(self) -> dict[str, Any]:
        return {
            "feature_log_prob_": [own.reshape(2, -1) for own in self.log_probabilities],
            "category_count_": [own.reshape(2, -1) for own in self.totals],
            "n_categories_": np.array([len(own) // 2 for own in self.totals], dtype=np.int64),
        }

    def _joint(self, X: Matrix) -> FloatArray:
        codes = as_dense(X).astype(np.int64)
        joint = np.zeros((len(codes), 2))
        for k, own in enumerate(self.log_probabilities):
            table = own.reshape(2, -1)
            if codes[:, k].min(initial=0) < 0 or codes[:, k].max(initial=0) >= table.shape[1]:
                raise DataError(
                    f"CategoricalNB knows the codes 0 to {table.shape[1] - 1} of feature {k}: got others.",
                    remedy="Fit the model on rows that contain every code, or set min_categories.",
                )
            joint += table[:, codes[:, k]].T
        return np.asarray(joint + self.log_shares)
