"""EffectSamples: the uncertainty of a model's effects, from models trained on resampled data."""

from dataclasses import dataclass, replace

import numpy as np

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.setting import setting


@dataclass(frozen=True)
class EffectSamples:
    """Effects of the same model trained on resampled data, whose spread measures the uncertainty of an effect.

    A standard error is the standard deviation over the replicates, with divisor B − 1. Intervals are percentile
    intervals (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, equation 6.6 and chapter 13).

    >>> from glassrank.core.additive.effects import FeatureEffect, LinearCurve
    >>> made = [AdditiveEffects((FeatureEffect("a", LinearCurve(s), 0, 1, 0),), 0, "score") for s in (1.0, 2.0, 3.0)]
    >>> samples = EffectSamples(tuple(made))
    >>> samples.difference_errors(np.array([[5.0]]), np.array([[3.0]])).tolist()
    [[2.0]]
    """

    replicates: tuple[AdditiveEffects, ...]

    def __post_init__(self) -> None:
        if len(self.replicates) < 2:
            raise DataError(f"A spread needs at least two replicates: got {len(self.replicates)}.")
        first = [(feature.name, feature.categories) for feature in self.replicates[0].features]
        for number, replicate in enumerate(self.replicates):
            if [(feature.name, feature.categories) for feature in replicate.features] != first:
                raise DataError(
                    f"Replicates must have the same features and categories: number {number} differs from number 0.",
                    remedy="A resample may lack a rare category: name all categories in the encoder, "
                    f"{setting('categories', [...])}.",
                )

        pairs = [[both.features for both in replicate.interactions] for replicate in self.replicates]
        if any(own != pairs[0] for own in pairs):
            raise DataError(
                "Replicates must have the same interactions: trees of two features combine others in each resample.",
                remedy=f"Train trees of one feature, {setting('max_depth', 1)}, to see how much effects vary.",
            )

    def __len__(self) -> int:
        return len(self.replicates)

    def difference_errors(self, A: Matrix, B: Matrix) -> FloatArray:
        """Return the standard errors of each feature's contribution to f(A) − f(B): pairs × features."""
        return _spread([replicate.differences(A, B) for replicate in self.replicates])

    def total_errors(self, A: Matrix, B: Matrix) -> FloatArray:
        """Return the standard error of f(A) − f(B) of each pair; the contributions are correlated."""
        return _spread(self._total_differences(A, B))

    def curve_errors(self, k: int, values: FloatArray) -> FloatArray:
        """Return the standard error of effect k at the values, relative to the effect at the feature's centre.

        Effects of categories have no common centre: in each replicate, their mean is 0.
        """
        values, first = np.asarray(values, dtype=np.float64), self.replicates[0].features[k]
        effects = [replicate.features[k] for replicate in self.replicates]
        if not first.categories:
            effects = [replace(effect, centre=first.centre) for effect in effects]
        return _spread([effect(values) for effect in effects])

    def interval(self, A: Matrix, B: Matrix | None = None, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return the percentile interval of f(A) − f(B) for each pair; without B, that of f(A)."""
        if not 0.0 < level < 1.0:
            raise DataError(f"level must be between 0 and 1: got {level!r}.", parameter="level", got=level)
        if B is None and self.replicates[0].subject == "utility":
            raise DataError("Only differences of utilities have a meaning: give both A and B.")
        totals = [replicate.total(A) for replicate in self.replicates] if B is None else self._total_differences(A, B)
        low, high = np.quantile(totals, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
        return low, high

    def _total_differences(self, A: Matrix, B: Matrix) -> list[FloatArray]:
        return [replicate.pair_totals(A, B) for replicate in self.replicates]


def _spread(samples: list[FloatArray]) -> FloatArray:
    return np.asarray(np.std(samples, axis=0, ddof=1))
