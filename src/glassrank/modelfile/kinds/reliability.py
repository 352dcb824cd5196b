"""The reliability of a PairCalibrator's probabilities in a model file."""

from dataclasses import asdict
from typing import Any, Self

from pydantic import FiniteFloat, model_validator

from glassrank.modelfile.codec.values import Count, PositiveCount, Range, Strict, check_that


class BinPart(Strict):
    """Pairs whose predicted probability lies between ``low`` and ``high``."""

    low: FiniteFloat
    high: FiniteFloat
    n_pairs: PositiveCount
    predicted: FiniteFloat
    observed: FiniteFloat
    interval: Range | None

    @model_validator(mode="after")
    def _are_probabilities(self) -> Self:
        check_that(0 <= self.low <= self.high <= 1, "the bounds of a bin must increase and be within 0 and 1")
        check_that(0 <= self.predicted <= 1 and 0 <= self.observed <= 1, "a bin's probabilities must be from 0 to 1")
        return self


class ReliabilityPart(Strict):
    """A ``Reliability`` as plain values."""

    n_pairs: PositiveCount
    n_comparable: Count
    n_queries: PositiveCount
    brier: FiniteFloat
    log_loss: FiniteFloat
    accuracy: FiniteFloat
    calibration_gap: FiniteFloat
    bins: list[BinPart]

    @classmethod
    def of(cls, reliability: Any) -> Self:
        """Extract the values of a ``Reliability``."""
        values = asdict(reliability)
        return cls(**{**values, "bins": [BinPart(**one) for one in values["bins"]]})

    def restore(self) -> Any:
        """Rebuild the ``Reliability``."""
        from glassrank.ranking.reliability import Reliability, ReliabilityBin

        values = self.model_dump()
        return Reliability(**{**values, "bins": tuple(ReliabilityBin(**one) for one in values["bins"])})
