"""How well probabilities agree with what happens: Brier score and reliability, and precision against recall."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_vector, check_length
from glassrank.core.input_types import ArrayLike


@dataclass(frozen=True)
class ProbabilityBin:
    """Rows whose predicted probability lies between ``low`` and ``high``."""

    low: float
    high: float
    n: int
    predicted: float
    """Mean predicted probability."""
    observed: float
    """Share of positive rows."""


def brier_score(y_true: ArrayLike, probability: ArrayLike) -> float:
    """Return the mean of (p − y)², 0 for perfect probabilities.

    >>> brier_score([1, 0], [0.9, 0.2])
    0.025
    """
    y, p = _checked(y_true, probability)
    return float(np.mean((p - y) ** 2))


def reliability(y_true: ArrayLike, probability: ArrayLike, n_bins: int = 10) -> tuple[ProbabilityBin, ...]:
    """Compare predicted and observed shares in bins of equal width; empty bins are left out.

    >>> [(one.n, one.predicted, one.observed) for one in reliability([0, 1, 1], [0.1, 0.3, 0.9], n_bins=2)]
    [(2, 0.2, 0.5), (1, 0.9, 1.0)]
    """
    y, p = _checked(y_true, probability)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    # A probability on an edge belongs to the lower bin, as in scikit-learn.
    place = np.searchsorted(edges[1:-1], p)
    found = [(int(k), place == k) for k in np.unique(place)]
    return tuple(
        ProbabilityBin(float(edges[k]), float(edges[k + 1]), int(own.sum()), float(p[own].mean()), float(y[own].mean()))
        for k, own in found
    )


def precision_recall_points(y_true: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision of each threshold between distinct scores, from the highest.

    >>> recall, precision = precision_recall_points([1, 0, 1], [0.9, 0.8, 0.1])
    >>> recall.tolist(), precision.round(2).tolist()
    ([0.5, 0.5, 1.0], [1.0, 0.5, 0.67])
    """
    y, s = as_vector("y_true", y_true), as_vector("scores", scores)
    check_length("scores", s, len(y), per="entry of y_true")
    order = np.argsort(-s, kind="stable")
    last = np.append(np.flatnonzero(np.diff(s[order])), len(s) - 1)
    found = np.cumsum(y[order])[last]
    return found / max(float(y.sum()), 1.0), found / (last + 1)


def _checked(y_true: Any, probability: Any) -> tuple[FloatArray, FloatArray]:
    y, p = as_vector("y_true", y_true), as_vector("probability", probability)
    check_length("probability", p, len(y), per="entry of y_true")
    if not ((p >= 0) & (p <= 1)).all():
        raise DataError("probability must be between 0 and 1.", parameter="probability")
    return y, p
