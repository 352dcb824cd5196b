"""Observed feature values in a model file."""

from typing import Any, Self

import numpy as np

from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import FloatArray
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import FloatVector, Strict, check_size, check_that


class ObservedPart(Strict):
    """Minimum, maximum and mean of each feature in the training data; a nomogram's lines span this range."""

    low: FloatVector
    high: FloatVector
    mean: FloatVector
    missing: FloatVector | None = None
    """Share of missing values of each feature; None if there are none."""

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the observed values of a fitted ranker."""
        observed = fitted_value(estimator, "observed_values_")
        missing = observed.missing if observed.missing.any() else None
        return cls(low=observed.low, high=observed.high, mean=observed.mean, missing=missing)

    def restore(self) -> ObservedValues:
        """Rebuild the observed values."""
        # Files of earlier versions have no shares, and their models no missing values.
        return ObservedValues(self.low, self.high, self.mean, self.shares)

    @property
    def shares(self) -> FloatArray:
        """Share of missing values of each feature."""
        return np.zeros(len(self.low)) if self.missing is None else self.missing

    def check_features(self, n_features: int) -> None:
        """Raise an error unless each vector has one entry per feature."""
        for name in ("low", "high", "mean"):
            check_size(f"observed.{name}", getattr(self, name), n_features, "feature")
        check_size("observed.missing", self.shares, n_features, "feature")
        check_that(bool(((self.shares >= 0) & (self.shares <= 1)).all()), "observed.missing must be shares from 0 to 1")
        check_that(bool((self.low <= self.high).all()), "observed.low must not be above observed.high")
