"""The observed values of a model's features, in a model file."""

from typing import Any, Self

from glassrank.core.additive.effects import ObservedValues
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import FloatVector, Strict, check_size, check_that


class ObservedPart(Strict):
    """Smallest and largest value and mean of each feature in training: where a nomogram's lines begin and end."""

    low: FloatVector
    high: FloatVector
    mean: FloatVector

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take the observed values out of a fitted ranker."""
        observed = fitted_value(estimator, "observed_values_")
        return cls(low=observed.low, high=observed.high, mean=observed.mean)

    def restore(self) -> ObservedValues:
        """Make the observed values again."""
        return ObservedValues(self.low, self.high, self.mean)

    def check_features(self, n_features: int) -> None:
        """Refuse vectors that do not have one entry per feature."""
        for name in ("low", "high", "mean"):
            check_size(f"observed.{name}", getattr(self, name), n_features, "feature")
        check_that(bool((self.low <= self.high).all()), "observed.low must not be above observed.high")
