"""Base class of the steps of a Pipeline in a model file."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator
from scipy import sparse

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.feature_kinds import PLAIN, FeatureKind, numbers_of
from glassrank.modelfile.codec.model_part import Part, fitted_value, inputs_of, parameters_of
from glassrank.modelfile.codec.values import Strict, check_size


class StepPart(Part):
    """A fitted transformer, as a named step of a Pipeline."""

    fitted_attributes: ClassVar[Mapping[str, str]] = {}
    """Field -> the attribute that ``fit`` sets."""
    name: str
    output: Literal["default", "pandas", "polars"] | None
    """The container chosen by ``set_output``."""
    parameters: Strict

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        for field in self.fitted_attributes:
            vector = getattr(self, field)
            if isinstance(vector, np.ndarray):
                check_size(field, vector, self.n_features, "feature")
        return self

    @property
    def n_outputs(self) -> int:
        """Number of columns that the step makes."""
        return self.n_features

    @property
    def passes_missing(self) -> bool:
        """Whether a missing value stays missing in the same column."""
        return True

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract a transformer's parameters and fitted attributes."""
        fitted = {field: fitted_value(estimator, attribute) for field, attribute in cls.fitted_attributes.items()}
        return cls(**cls._common_fields(estimator, name), **fitted)

    @classmethod
    def _common_fields(cls, estimator: Any, name: str, **changed: Any) -> dict[str, Any]:
        """Return the fields of every step; ``changed`` are parameters that are stored in another form."""
        parameters: Any = cls.model_fields["parameters"].annotation
        return {
            **inputs_of(estimator),
            "name": name,
            "output": getattr(estimator, "_sklearn_output_config", {}).get("transform"),
            "parameters": parameters(**{**parameters_of(estimator), **changed}),
        }

    def restore(self) -> Any:
        """Rebuild the fitted transformer."""
        return self._made(**{attribute: getattr(self, field) for field, attribute in self.fitted_attributes.items()})

    def _made(self, given: Mapping[str, Any] | None = None, **fitted: Any) -> Any:
        made = self._make(self.parameters, given, **fitted)
        return made if self.output is None else made.set_output(transform=self.output)

    @classmethod
    def estimator_class(cls) -> type:
        from sklearn import preprocessing

        return getattr(preprocessing, cls.kind_name())

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds of the columns that the step takes, from those that the next step takes."""
        return (PLAIN,) * self.n_features

    def apply(self, X: Any) -> Any:
        """Transform a matrix or a table like the transformer's ``transform``."""
        return self._apply(numbers_of(X, self.kind))

    @abstractmethod
    def _apply(self, X: Matrix) -> Matrix:
        """Transform a matrix; a sparse one becomes dense if zeros do not remain zeros."""


def as_dense(X: Matrix) -> FloatArray:
    """Return the rows as a dense array."""
    return X.toarray() if sparse.issparse(X) else X
