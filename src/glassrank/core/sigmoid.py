"""Probabilities from outputs, by a sigmoid fitted by maximum likelihood.

After Lin, Lin & Weng (2007), "A note on Platt's probabilistic outputs for support vector machines": smoothed targets,
so that separable outputs have a finite fit; Newton's method with backtracking; logarithms without overflow or
cancellation.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from glassrank.core.checks import DataError, FloatArray

# If no log-odds change by more than this, the error after the Newton step is of the order of its square.
LAST_MOVE = 1e-7
MAX_STEPS = 100
MAX_HALVINGS = 60
SUFFICIENT_DECREASE = 1e-4
# Losses that differ by less than their rounding error count as equal.
LOSS_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Sigmoid:
    """P(f) = 1/(1 + exp(A f + B)): ``slope`` is A, negative if higher outputs mean yes; ``offset`` is B."""

    slope: float
    offset: float = 0.0

    def log_odds(self, outputs: FloatArray) -> FloatArray:
        """log P/(1 − P) = −(A f + B) of each output."""
        return np.asarray(-(self.slope * outputs + self.offset))

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """Return the probability of each output; with offset 0, P(f) + P(−f) is exactly 1.

        >>> float(Sigmoid(slope=-1.0)(np.array([0.7]))[0] + Sigmoid(slope=-1.0)(np.array([-0.7]))[0])
        1.0
        """
        log_odds = self.log_odds(outputs)
        smaller = expit(-np.abs(log_odds))
        # For q ≤ 1/2, the error of 1 − q is at most half a unit in the last place, and adding q rounds to 1.
        return np.asarray(np.where(log_odds >= 0, 1.0 - smaller, smaller))


def fit_sigmoid(
    outputs: FloatArray, positive: npt.NDArray[np.bool_], weights: FloatArray | None = None, *, fit_offset: bool = True
) -> Sigmoid:
    """Fit A and, if ``fit_offset``, B by maximum likelihood with smoothed targets.

    Minimises −Σ w [t log P + (1 − t) log(1 − P)] over P = 1/(1 + exp(A f + B)), where t = (N₊ + 1)/(N₊ + 2) for
    positives and 1/(N₋ + 2) for negatives; N₊ and N₋ are their numbers (sums of weights). If all outputs are equal,
    A is 0.

    Outputs of pairs with f(a, b) = −f(b, a) need B = 0. Give each pair once, with the better document first, which is
    equivalent to giving both orientations.

    >>> fitted = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 3.0]), np.array([False, False, True, True]))
    >>> fitted(np.array([-2.0, 0.0, 3.0])).round(3).tolist()
    [0.234, 0.472, 0.818]
    """
    weights = np.ones(len(outputs)) if weights is None else weights
    if not weights.sum() > 0:
        raise DataError(f"A sigmoid needs at least one output with a positive weight: got {len(outputs)} outputs.")
    present = weights > 0
    f, positive, weights = outputs[present], positive[present], weights[present]
    targets = _smoothed_targets(positive, weights)
    standard = _Standardised.of(f, weights, centred=fit_offset)
    if standard.scale == 0.0:
        share = float(np.average(targets, weights=weights))
        return Sigmoid(0.0, float(np.log((1.0 - share) / share)) if fit_offset else 0.0)
    if not fit_offset:
        (slope,) = _minimise(standard.values[:, None], targets, weights, np.zeros(1)) / standard.scale
        return Sigmoid(float(slope))
    # Without outputs, the best offset is log((N₋ + 1)/(N₊ + 1)).
    prior = np.log((weights[~positive].sum() + 1.0) / (weights[positive].sum() + 1.0))
    columns = np.column_stack([standard.values, np.ones(len(f))])
    scaled_slope, offset = _minimise(columns, targets, weights, np.array([0.0, prior]))
    slope = scaled_slope / standard.scale
    return Sigmoid(float(slope), float(offset - slope * standard.centre))


@dataclass(frozen=True)
class _Standardised:
    """Outputs scaled to unit size and optionally centred, so that their unit does not affect the conditioning."""

    values: FloatArray
    centre: float
    scale: float
    """0 if the outputs contain no information."""

    @classmethod
    def of(cls, outputs: FloatArray, weights: FloatArray, *, centred: bool) -> "_Standardised":
        largest = float(np.abs(outputs).max())
        if largest == 0.0 or (centred and np.ptp(outputs) == 0.0):
            return cls(outputs, 0.0, 0.0)
        # Divide by the largest first, because squares of raw outputs may overflow.
        shares = outputs / largest
        centre = float(np.average(shares, weights=weights)) if centred else 0.0
        spread = float(np.sqrt(np.average((shares - centre) ** 2, weights=weights)))
        return cls((shares - centre) / spread, centre * largest, spread * largest)


def _smoothed_targets(positive: npt.NDArray[np.bool_], weights: FloatArray) -> FloatArray:
    n_positive, n_negative = float(weights[positive].sum()), float(weights[~positive].sum())
    return np.asarray(np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0)))


def _minimise(columns: FloatArray, targets: FloatArray, weights: FloatArray, start: FloatArray) -> FloatArray:
    """Newton's method with backtracking on the cross-entropy of z = columns · parameters."""
    parameters, at = start, _CrossEntropy(columns, targets, weights, start)
    for _ in range(MAX_STEPS):
        gradient, hessian = at.derivatives()
        step: FloatArray = -np.asarray(np.linalg.solve(hessian, gradient), dtype=np.float64)
        if np.abs(_along(columns, step)).max() <= LAST_MOVE:
            return np.asarray(parameters + step)
        for halvings in range(MAX_HALVINGS):
            share = 0.5**halvings
            candidate = parameters + share * step
            tried = _CrossEntropy(columns, targets, weights, candidate)
            wanted = at.loss + SUFFICIENT_DECREASE * share * float(gradient @ step)
            if tried.loss <= wanted + LOSS_ROUNDING * at.loss:
                break
        parameters, at = candidate, tried
    return parameters


def _along(columns: FloatArray, parameters: FloatArray) -> FloatArray:
    # One or two columns: starting BLAS's threads would take longer than the products.
    return np.asarray(sum(columns[:, k] * parameters[k] for k in range(len(parameters))))


class _CrossEntropy:
    """−Σ w [t log P + (1 − t) log(1 − P)], P = 1/(1 + exp(z)), in a form that is accurate on both sides of 0.

    Everything follows from exp(−|z|), which is computed once.
    """

    def __init__(self, columns: FloatArray, targets: FloatArray, weights: FloatArray, parameters: FloatArray) -> None:
        self._columns, self._targets, self._weights = columns, targets, weights
        z = _along(columns, parameters)
        self._positive, self._small = z >= 0, np.exp(-np.abs(z))
        linear = np.where(self._positive, targets, targets - 1.0) * z
        self.loss = float(np.sum(weights * (linear + np.log1p(self._small))))

    def derivatives(self) -> tuple[FloatArray, FloatArray]:
        """Return the gradient and the Hessian."""
        larger = 1.0 / (1.0 + self._small)
        smaller = self._small * larger
        pull = self._weights * (self._targets - np.where(self._positive, smaller, larger))
        curvature = self._weights * larger * smaller
        own = self._columns.T
        gradient = np.array([np.sum(column * pull) for column in own])
        hessian = np.array([[np.sum(a * b * curvature) for b in own] for a in own])
        return gradient, hessian
