"""Observed feature values in a model file."""

from typing import Any, Self

from glassrank.core.additive.effects import ObservedValues
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import FloatVector, Strict, check_size, check_that


class ObservedPart(Strict):
    """Minimum, maximum and mean of each feature in the training data; a nomogram's lines span this range."""

    low: FloatVector
    high: FloatVector
    mean: FloatVector

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the observed values of a fitted ranker."""
        observed = fitted_value(estimator, "observed_values_")
        return cls(low=observed.low, high=observed.high, mean=observed.mean)

    def restore(self) -> ObservedValues:
        """Rebuild the observed values."""
        return ObservedValues(self.low, self.high, self.mean)

    def check_features(self, n_features: int) -> None:
        """Raise an error unless each vector has one entry per feature."""
        for name in ("low", "high", "mean"):
            check_size(f"observed.{name}", getattr(self, name), n_features, "feature")
        check_that(bool((self.low <= self.high).all()), "observed.low must not be above observed.high")
