"""Where a curve is known to bend, jump or peak, so that a table of it misses nothing."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from glassrank.core.additive.curves import ComposedCurve
from glassrank.core.checks import FloatArray

# Attributes that contain such places: of curves, and of fitted transformers of scikit-learn.
OF_CURVE, OF_TRANSFORMER = ("knots", "thresholds"), ("quantiles_", "data_min_", "data_max_")
N_HALVINGS = 60


def kinks(curve: Any, low: float, high: float) -> FloatArray:
    """Return the knots, thresholds and nodes inside a curve that lie between two values.

    >>> from glassrank.core.additive.curves import Affine, ComposedCurve, GaussianCurve
    >>> bump = ComposedCurve(Affine(2.0), GaussianCurve(1e6, np.array([1.0, 9.0]), np.ones(2)))
    >>> kinks(bump, 0.0, 2.0).tolist()
    [0.5]
    """
    # Transforms may be undefined at the ends of the range; they are refused later.
    with np.errstate(all="ignore"):
        found = np.unique(np.concatenate([np.zeros(0), *_kinks(curve, low, high)]))
    return found[(found >= low) & (found <= high)]


def _kinks(curve: Any, low: float, high: float) -> Iterable[FloatArray]:
    transformer = getattr(curve, "transformer", None)
    places = [getattr(curve, name, None) for name in OF_CURVE] + [
        getattr(transformer, name, None) for name in OF_TRANSFORMER
    ]
    yield from (np.ravel(np.asarray(place, dtype=np.float64)) for place in places if place is not None)
    yield _centres(getattr(curve, "nodes", None))
    if isinstance(curve, ComposedCurve):
        # Places of the inner curve are in transformed units; the function's own are in those of the feature.
        yield from _kinks(curve.function, low, high)
        ends = np.sort(np.asarray(curve.function(np.array([low, high])), dtype=np.float64))
        yield _carried_back(curve.function, kinks(curve.curve, *ends.tolist()), low, high)
        return
    inner = [curve.curve] if hasattr(curve, "curve") else getattr(curve, "curves", ())
    for one in inner:
        yield from _kinks(one, low, high)


def _centres(nodes: Any) -> FloatArray:
    """Return the peaks of Gaussian nodes, or where the arguments of other nodes are 0."""
    if nodes is None or isinstance(nodes, np.ndarray):
        return np.zeros(0) if nodes is None else nodes
    if nodes.activation == "gaussian":
        return np.asarray(nodes.inputs, dtype=np.float64)
    used = nodes.inputs != 0
    return np.asarray(-nodes.biases[used] / nodes.inputs[used], dtype=np.float64)


def _carried_back(function: Any, places: FloatArray, low: float, high: float) -> FloatArray:
    """Return where a monotone function has these values, from low to high."""
    start, end = np.full(len(places), low), np.full(len(places), high)
    first, last = np.asarray(function(np.array([low, high]))).tolist()
    for _ in range(N_HALVINGS if len(places) else 0):
        middle = 0.5 * (start + end)
        before = (function(middle) < places) == (first < last)
        start, end = np.where(before, middle, start), np.where(before, end, middle)
    return end
