"""Ranges of effects and of hidden nodes, from which bounds of rounding errors follow."""

import numpy as np

from glassrank.export.export_form import CurveTerm, ExportModel, LevelTerm, StepTerm, Term

Range = tuple[float, float]


def effect_range(model: ExportModel, term: Term) -> Range:
    """Return the least and the largest effect of a term over the valid range of its feature.

    >>> from glassrank.export.export_form import ExportFeature, LineTerm
    >>> model = ExportModel((ExportFeature("bm25", low=0.0, high=2.0),), (), 0.0)
    >>> effect_range(model, LineTerm(0, None, weight=3.0))
    (0.0, 66.0)
    """
    if isinstance(term, LevelTerm):
        effects = [*term.effects.tolist(), term.unseen or 0.0]
    elif isinstance(term, StepTerm):
        effects = term.levels.tolist()
    else:
        ends = model.features[term.feature].valid
        effects = term.of_known(term.within(ends).knots if isinstance(term, CurveTerm) else np.array(ends)).tolist()
    effects += [] if term.missing is None else [term.missing]
    return min(effects), max(effects)


def node_ranges(model: ExportModel) -> list[Range]:
    """Return the least and the largest output of each hidden node over the valid ranges of the features."""
    layer = model.layer
    if layer is None:
        return []
    if layer.activation not in ("relu", "linear"):
        return [(-1.0 if layer.activation == "tanh" else 0.0, 1.0)] * len(layer.weights)
    inputs, biases = layer.folded()
    low, high = np.array([feature.valid for feature in model.features]).T
    up, down = np.maximum(inputs, 0.0), np.minimum(inputs, 0.0)
    least, largest = low @ up + high @ down + biases, high @ up + low @ down + biases
    if layer.activation == "relu":
        least, largest = np.maximum(least, 0.0), np.maximum(largest, 0.0)
    return list(zip(least.tolist(), largest.tolist(), strict=True))


def times(weight: float, values: Range) -> Range:
    """Return the range of a multiple."""
    low, high = sorted(weight * value for value in values)
    return low, high


def largest(values: Range) -> float:
    """Return the largest absolute value in a range."""
    return max(map(abs, values))
