"""The largest absolute values that terms and hidden nodes take, from which bounds of rounding errors follow."""

import numpy as np

from glassrank.export.terms import CurveTerm, ExportModel, LevelTerm, StepTerm, Term


def largest_effect(model: ExportModel, term: Term) -> float:
    """Return the largest absolute effect of a term over the valid range of its feature.

    >>> from glassrank.export.terms import ExportFeature, LineTerm
    >>> model = ExportModel((ExportFeature("bm25", low=0.0, high=2.0),), (), 0.0)
    >>> largest_effect(model, LineTerm(0, None, weight=3.0))
    66.0
    """
    ends = np.array(model.features[term.feature].valid)
    special = [term.missing, term.unseen if isinstance(term, LevelTerm) else None]
    found = [abs(effect) for effect in special if effect is not None]
    if isinstance(term, LevelTerm):
        tabled = term.effects
    elif isinstance(term, StepTerm):
        tabled = term.levels
    else:
        tabled = term.of_known(ends)
        tabled = np.append(tabled, term.values) if isinstance(term, CurveTerm) else tabled
    return float(max([np.abs(tabled).max(), *found]))


def largest_nodes(model: ExportModel) -> list[float]:
    """Return the largest absolute outputs of the hidden nodes over the valid ranges of the features."""
    layer = model.layer
    if layer is None:
        return []
    if layer.activation not in ("relu", "linear"):
        return [1.0] * len(layer.weights)
    inputs, biases = layer.folded()
    reach = np.array([max(map(abs, feature.valid)) for feature in model.features])
    return (reach @ np.abs(inputs) + np.abs(biases)).tolist()
