"""The columns that the last step of a Pipeline takes, as functions of the features that the first step takes."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.curves import FLAT
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import BoolArray, FloatArray
from glassrank.nomograms.adapters.pipeline import NO_STEP, step_back
from glassrank.nomograms.adapters.terms import Terms

# Of values of a feature, up to about 1e75.
SIZES: tuple[FloatArray, ...] = (np.exp2(np.arange(40.0)), np.exp2(np.arange(40.0, 250.0)))
N_POINTS = 34


@dataclass(frozen=True)
class InputColumn:
    """A column that the last step takes: a function of one feature."""

    feature: int
    function: Curve

    @property
    def line(self) -> tuple[float, float] | None:
        """Slope of a straight line, and its value at 0; None for other functions."""
        curve, start = (self.function, 0.0)
        if isinstance(self.function, _Shifted):
            curve, start = self.function.curve, self.function.constant
        return (curve.slope, start) if isinstance(curve, LinearCurve) else None


def last_step(model: Any) -> Any:
    """Return the last step of a Pipeline, the best model of a search there, and other models themselves."""
    while (inner := _inner(model)) is not None:
        model = inner
    return model


def _inner(model: Any) -> Any:
    """Return the last step of a Pipeline or the best model of a search; None for other models."""
    return model.steps[-1][1] if hasattr(model, "steps") else getattr(model, "best_estimator_", None)


def with_last_step(model: Any, last: Any) -> Any:
    """Return a fitted Pipeline with another last step."""
    if hasattr(model, "best_estimator_"):
        return with_last_step(model.best_estimator_, last)
    if not hasattr(model, "steps"):
        return last
    changed = copy.copy(model)
    name, own = model.steps[-1]
    changed.steps = [*model.steps[:-1], (name, with_last_step(own, last))]
    return changed


def steps_before(model: Any) -> list[Any]:
    """Return the steps before the last one, also those of a Pipeline at the end of a Pipeline."""
    found: list[Any] = []
    while (inner := _inner(model)) is not None:
        found += [step for _, step in getattr(model, "steps", ())[:-1] if step not in NO_STEP]
        model = inner
    return found


def input_columns(model: Any) -> list[InputColumn] | None:
    """Return the columns of the last step; None if one of them depends on several features, or a feature makes several.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import glassrank as gr
    >>> model = make_pipeline(StandardScaler(), gr.RankSVM()).fit([[1.0], [5.0]], [0, 1])
    >>> column = input_columns(model)[0]
    >>> column.feature, column.function(np.array([3.0, 5.0])).tolist()
    (0, [0.0, 1.0])
    """
    steps, n_columns = steps_before(model), int(last_step(model).n_features_in_)
    found = [_column(steps, n_columns, k) for k in range(n_columns)]
    sources = [one.feature for one in found if one is not None]
    return [one for one in found if one is not None] if len(set(sources)) == n_columns else None


def _column(steps: list[Any], n_columns: int, k: int) -> InputColumn | None:
    """Carry the identity of one column back through the steps."""
    curves: list[Curve] = [FLAT] * n_columns
    curves[k] = LinearCurve(1.0)
    terms = Terms(tuple(curves))
    for step in reversed(steps):
        terms = step_back(step, terms)
    used = [j for j, curve in enumerate(terms.curves) if not _is_flat(curve)]
    if len(used) != 1:
        return None
    constant, curve = terms.constant, terms.curves[used[0]]
    return InputColumn(used[0], curve if constant == 0.0 else _Shifted(curve, constant))


def _is_flat(curve: Any) -> bool:
    while hasattr(curve, "curve"):
        curve = curve.curve
    return isinstance(curve, LinearCurve) and curve.slope == 0.0


@dataclass(frozen=True)
class _Shifted:
    curve: Curve
    constant: float

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.curve(values) + self.constant)


def observed_inputs(model: Any, n_features: int) -> ObservedValues | None:
    """Return the training ranges of the features from those that the last step has stored; None if it has none.

    Features that the last step does not take have the range 0 to 0.
    """
    stored: ObservedValues | None = getattr(last_step(model), "observed_values_", None)
    columns = input_columns(model) if stored is not None else None
    if stored is None or columns is None:
        return None
    low, high, mean, missing = (np.zeros(n_features) for _ in range(4))
    for k, column in enumerate(columns):
        j = column.feature
        found = _inverses(column.function, float(stored.low[k]), float(stored.mean[k]), float(stored.high[k]))
        if found is None:
            return None
        # Rounding in the inverse must not move the range of values such as counts below 0.
        near_0 = 1e-12 * (found[2] - found[0])
        low[j], mean[j], high[j] = (0.0 if abs(value) < near_0 else value for value in found)
        missing[j] = stored.missing[k]
    return ObservedValues(low, high, mean, missing)


def _inverses(function: Curve, low: float, mean: float, high: float) -> tuple[float, float, float] | None:
    """Return where a monotone function has these values, in increasing order; None if it is not monotone.

    A function that is flat beyond the training values has its ends where the flat parts begin.

    >>> _inverses(lambda x: -2.0 * x, 0.0, 1.0, 4.0)
    (-2.0, -0.5, 0.0)
    """
    with np.errstate(all="ignore"):
        if low == high and _is_constant(function):
            return 0.0, 0.0, 0.0
        for sign, (start, end) in ((1.0, (low, high)), (-1.0, (high, low))):
            first, middle = _inverse(function, start, sign, last=True), _inverse(function, mean, sign)
            last = _inverse(function, end, sign)
            if first is not None and middle is not None and last is not None:
                first, last = min(first, last), max(first, last)
                return first, min(max(middle, first), last), last
    return None


def _is_constant(function: Curve) -> bool:
    return float(np.ptp(function(np.array([-1e9, -1.0, 0.0, 1.0, 1e9])))) == 0.0


def _inverse(function: Curve, value: float, sign: float = 1.0, *, last: bool = False) -> float | None:
    """Return x with function(x) = value, where it is flat the first or the last one; None if there is none.

    The function rises if the sign is 1, and falls if it is −1. Logarithms and roots are undefined below some x.

    >>> _inverse(lambda x: 2.0 * x, 3.0), _inverse(lambda x: np.maximum(x, 0.0), 0.0, last=True)
    (1.5, 0.0)
    """

    def before(x: FloatArray) -> BoolArray:
        ahead = sign * (value - function(x))
        return np.asarray((ahead > 0) | ((ahead == 0) & last) | (np.isnan(ahead) & (x <= 0)))

    for sizes in SIZES:
        around = before(-sizes) & ~before(sizes)
        if around.any():
            low, high = -sizes[around][0], sizes[around][0]
            break
    else:
        return None
    while True:
        points = np.linspace(low, high, N_POINTS)
        place = max(int(np.argmin(np.append(before(points[:-1]), False))) - 1, 0)
        if (low, high) == (points[place], points[place + 1]):
            return float(low if last else high)
        low, high = points[place], points[place + 1]
