"""Base class of rankers in a model file that were trained directly, not around another model."""

from abc import abstractmethod
from typing import Any, Self

from pydantic import model_validator

from glassrank.modelfile.codec.model_part import FittedValues, RankerPart
from glassrank.modelfile.kinds.observed_values import ObservedPart


class TrainedPart(RankerPart):
    """A ranker with its parameters, training results and observed values; subclasses add what was learned."""

    training: FittedValues
    observed: ObservedPart

    @model_validator(mode="after")
    def _observed_fits(self) -> Self:
        self.observed.check_features(self.n_features)
        return self

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract everything that a fitted ranker needs to predict, to be explained and to be fitted again."""
        learned = cls._learned_by(estimator)
        training: Any = cls.model_fields["training"].annotation
        return cls(
            **cls._common_fields(estimator),
            training=training.of(estimator),
            observed=ObservedPart.of(estimator),
            **learned,
        )

    def restore(self) -> Any:
        """Rebuild the fitted ranker."""
        return self._make(
            self.parameters,
            self._given(),
            **self.training.by_attribute(),
            observed_values_=self.observed.restore(),
            **self._learned(),
        )

    @classmethod
    @abstractmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        """Return the kind's own fields for a fitted ranker."""

    @abstractmethod
    def _learned(self) -> dict[str, Any]:
        """Return the fitted attributes that the kind's own fields represent."""

    def _given(self) -> dict[str, Any]:
        """Return constructor arguments that are not plain values."""
        return {}
