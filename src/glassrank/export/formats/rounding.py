"""Bounds of the rounding errors of a score in double or single precision, and of what rounded values change."""

import numpy as np

from glassrank.export.export_form import CurveTerm, ExportModel, HiddenLayer, LevelTerm, LineTerm, StepTerm, Term

DOUBLE, SINGLE = 2.0**-53, 2.0**-24
JUMP = 2.0**-40  # two knots that are relatively closer than this are a jump
STEEPEST = {"sigmoid": 0.25}  # largest slope of an activation; that of the others is 1


def rounding_bound(model: ExportModel, unit: float = DOUBLE) -> float:
    """Return a bound of the rounding errors of a score, in any order of the sums; values are rounded like the rest.

    Each term is computed with a few operations, whose results are at most as large as the effect over the valid range
    or the value that was subtracted, and each addition rounds a sum that is at most as large as all effects together.
    """
    if model.layer is not None:
        return _layer_rounding(model, model.layer, unit)
    sizes = [max(_largest(model, term, unit), *_others(term)) for term in model.terms]
    total = abs(model.constant) + sum(sizes)
    return float(unit * (len(sizes) + 8) * total)


def steepness(term: Term, valid: tuple[float, float]) -> float:
    """Return the largest |slope · value| of a line or a curve: a relative error of a value times this is that of it.

    Steps and jumps are left out: there, a value next to a threshold may be on the other side of it.

    >>> steepness(CurveTerm(0, None, np.array([1.0, 9.0]), np.array([0.0, 4.0]), left_slope=2.0), (0.0, 1e9))
    4.5
    """
    if isinstance(term, LineTerm):
        return abs(term.weight) * max(map(abs, valid)) / term.scale
    if not isinstance(term, CurveTerm):
        return 0.0
    inside = term.within(valid)
    sizes = np.maximum(np.abs(inside.knots[:-1]), np.abs(inside.knots[1:]))
    is_jump = np.diff(inside.knots) <= JUMP * sizes
    return float((np.abs(inside.slopes[1:-1]) * sizes)[~is_jump].max(initial=0.0))


def _others(term: Term) -> tuple[float, float]:
    """Return the sizes of the effects of missing values and of unseen levels."""
    return abs(term.missing or 0.0), abs(getattr(term, "unseen", None) or 0.0)


def _largest(model: ExportModel, term: Term, unit: float) -> float:
    """Return the largest intermediate result of a term over the valid range."""
    low, high = model.features[term.feature].valid
    reach = max(abs(low), abs(high))
    if isinstance(term, LineTerm):
        return abs(term.weight) * (reach + abs(term.mean)) / term.scale
    if isinstance(term, CurveTerm):
        # In double precision, neither values nor knots are rounded, and a jump is two neighbouring knots.
        rounded = 0.0 if unit == DOUBLE else 2.0 * steepness(term, (low, high))
        values = term.within((low, high)).values
        return float(np.abs(values).max() + np.ptp(values) + rounded)
    table = term.levels if isinstance(term, StepTerm) else term.effects if isinstance(term, LevelTerm) else np.zeros(1)
    return float(np.abs(table).max())


def _layer_rounding(model: ExportModel, layer: HiddenLayer, unit: float) -> float:
    reach = np.array([max(map(abs, feature.valid)) for feature in model.features])
    inputs = np.abs(layer.scale) * reach + np.abs(layer.shift)
    if layer.is_radial:
        # exp(−z) changes by at most its own rounding plus that of z where it is not yet negligible (z < 40).
        # Its slope along the distance is at most √(2 b), and the distance has the rounding of the inputs.
        argument = 40.0 * (len(inputs) + 4.0) + 3.0 * np.sqrt(2.0 * layer.biases) * inputs.sum()
    else:
        argument = (len(inputs) + 3.0) * (inputs @ np.abs(layer.inputs) + np.abs(layer.biases))
    outputs = argument if layer.activation in ("relu", "linear") else np.ones(len(layer.weights))
    weights = np.abs(layer.weights)
    return float(unit * (weights @ argument + (len(weights) + 4.0) * (weights @ np.maximum(outputs, 1.0))))


def value_rounding(model: ExportModel) -> dict[str, float]:
    """Return feature → how much the score changes, at most, when an engine rounds its values to single precision.

    Steps and jumps are left out: there, a value next to a threshold may be on the other side of it.
    """
    ranges = [feature.valid for feature in model.features]
    if model.layer is None:
        return {model.name_of(term): SINGLE * steepness(term, ranges[term.feature]) for term in model.terms}
    layer, reach = model.layer, [max(map(abs, valid)) for valid in ranges]
    slopes = np.full(len(layer.weights), STEEPEST.get(layer.activation, 1.0))
    if layer.is_radial:
        slopes, inputs = np.sqrt(2.0 * np.abs(layer.biases) / np.e), np.ones_like(layer.inputs)
    else:
        inputs = np.abs(layer.inputs)
    costs = SINGLE * np.array(reach) * np.abs(layer.scale) * (inputs @ (np.abs(layer.weights) * slopes))
    return dict(zip((feature.name for feature in model.features), costs.tolist(), strict=True))
