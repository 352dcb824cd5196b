"""Rankers that were trained by themselves: what they share in a model file."""

from abc import abstractmethod
from typing import Any, Self

from pydantic import model_validator

from glassrank.modelfile.codec.model_part import FittedValues, RankerPart
from glassrank.modelfile.kinds.observed_values import ObservedPart


class TrainedPart(RankerPart):
    """A ranker with its parameters, its training and the values it has observed; a kind adds what it has learned."""

    training: FittedValues
    observed: ObservedPart

    @model_validator(mode="after")
    def _observed_fits(self) -> Self:
        self.observed.check_features(self.n_features)
        return self

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take out of a fitted ranker all that makes it predict, explain itself and be fitted again."""
        learned = cls._learned_by(estimator)
        training: Any = cls.model_fields["training"].annotation
        return cls(
            **cls._given_to(estimator),
            training=training.of(estimator),
            observed=ObservedPart.of(estimator),
            **learned,
        )

    def restore(self) -> Any:
        """Make the fitted ranker again."""
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
        """Return the attributes that the kind's own fields stand for."""

    def _given(self) -> dict[str, Any]:
        """Return constructor arguments that are more than values."""
        return {}
