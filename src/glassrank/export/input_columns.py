"""The columns that the last step of a Pipeline takes, as functions of the features that the first step takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.curves import FLAT, is_linear
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import FloatArray
from glassrank.nomograms.adapters.pipeline import NO_STEP, step_back
from glassrank.nomograms.adapters.terms import Terms

FARTHEST = 1e75  # largest value of a feature


@dataclass(frozen=True)
class InputColumn:
    """A column that the last step takes: a function of one feature."""

    feature: int
    function: Curve


def last_step(model: Any) -> Any:
    """Return the last step of a Pipeline, and other models themselves."""
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    return model


def steps_before(model: Any) -> list[Any]:
    """Return the steps before the last one, also those of a Pipeline at the end of a Pipeline."""
    found: list[Any] = []
    while hasattr(model, "steps"):
        found += [step for _, step in model.steps[:-1] if step not in NO_STEP]
        model = model.steps[-1][1]
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

    @property
    def linear(self) -> bool:
        return is_linear(self.curve)

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
        # A transform may be flat beyond the training values: the range then ends where the flat parts begin.
        ends = sorted([_inverse(column.function, stored.low[k], last=True), _inverse(column.function, stored.high[k])])
        # Rounding in the inverse must not move the range of values such as counts below 0.
        low[j], high[j] = (0.0 if abs(end) < 1e-12 * (ends[1] - ends[0]) else end for end in ends)
        mean[j], missing[j] = np.clip(_inverse(column.function, stored.mean[k]), low[j], high[j]), stored.missing[k]
    return ObservedValues(low, high, mean, missing)


def _inverse(function: Curve, value: float, *, last: bool = False) -> float:
    """Return x with function(x) = value for an increasing function; where it is flat, the first or the last such x.

    >>> _inverse(lambda x: 2.0 * x, 3.0), _inverse(lambda x: np.maximum(x, 0.0), 0.0, last=True)
    (1.5, 0.0)
    """

    def before(x: float) -> bool:
        reached = float(function(np.array(x)))
        return reached <= value if last else reached < value

    size = 1.0
    while size < FARTHEST and not (before(-size) and not before(size)):
        size *= 2.0
    low, high = -size, size
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if before(middle) else (low, middle)
    return low if last else high
