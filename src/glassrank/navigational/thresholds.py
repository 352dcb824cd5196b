"""Choose a threshold: for the best F1, or for the highest recall at a required precision."""

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from glassrank.core.checks import DataError, FloatArray

F1 = "f1"
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Threshold:
    """Rows with log-odds above ``cut`` are predicted positive; ``value`` is the quantity that the rule maximises."""

    cut: float
    value: float


Rule = Callable[[FloatArray, Flags], Threshold | None]
"""Finds a threshold from log-odds and classes of held-out rows, or None."""


def best_f1(log_odds: FloatArray, positive: Flags) -> Threshold:
    """Return the threshold with the highest F1, the highest threshold if tied.

    >>> best_f1(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False]))
    Threshold(cut=1.5, value=1.0)
    """
    cuts, called, hits = _by_cut(log_odds, positive)
    values = 2.0 * hits / (called + positive.sum())
    best = int(np.argmax(values))
    return Threshold(float(cuts[best]), float(values[best]))


@dataclass(frozen=True)
class AtPrecision:
    """The threshold with the highest recall among those that reach a precision, if any; ``value`` is the recall.

    >>> AtPrecision(0.75)(np.array([4.0, 3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, True, False]))
    Threshold(cut=0.5, value=1.0)
    """

    precision: float

    def __call__(self, log_odds: FloatArray, positive: Flags) -> Threshold | None:
        cuts, called, hits = _by_cut(log_odds, positive)
        reached = np.flatnonzero(hits >= self.precision * called)
        if not len(reached):
            return None
        # Of thresholds with equal recall take the highest: more positive predictions would gain nothing.
        best = reached[np.argmax(hits[reached])]
        return Threshold(float(cuts[best]), float(hits[best] / positive.sum()))


@dataclass(frozen=True)
class AtProbability:
    """A fixed probability; ``value`` is the F1 there."""

    probability: float

    def __call__(self, log_odds: FloatArray, positive: Flags) -> Threshold:
        cut = float(logit(self.probability))
        called = log_odds > cut
        value = 2.0 * (called & positive).sum() / max(1, called.sum() + positive.sum())
        return Threshold(cut, float(value))


def _by_cut(log_odds: FloatArray, positive: Flags) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cuts midway between neighbouring values in descending order, and below all; rows and positives above each."""
    order = np.argsort(-log_odds, kind="stable")
    falling, hits = log_odds[order], np.cumsum(positive[order])
    last = np.flatnonzero(np.append(falling[1:] < falling[:-1], True))
    below = np.append(falling[1:], falling[-1] - 2.0)[last]
    called = np.asarray(last + 1, dtype=np.float64)
    return np.asarray(falling[last] / 2.0 + below / 2.0), called, np.asarray(hits[last], dtype=np.float64)


def threshold_rule(threshold: Any, precision: Any) -> Rule:
    """Return the rule for a threshold, "f1" or a probability, or for a required precision.

    >>> threshold_rule("f1", None) is best_f1, threshold_rule("f1", 0.9), threshold_rule(0.5, None)
    (True, AtPrecision(precision=0.9), AtProbability(probability=0.5))
    """
    if precision is not None:
        if not _is_share(precision) or threshold != F1:
            raise DataError(
                "precision must be a number above 0 and below 1, with threshold 'f1': got "
                f"{precision!r} and {threshold!r}.",
                parameter="precision",
            )
        return AtPrecision(float(precision))
    if threshold == F1:
        return best_f1
    if not _is_share(threshold):
        raise DataError(parameter="threshold", expected="'f1' or a number above 0 and below 1", got=threshold)
    return AtProbability(float(threshold))


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and 0.0 < float(value) < 1.0
