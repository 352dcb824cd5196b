"""The terms of a model as plain values, for formats that contain them as data."""

from typing import Any, cast

from glassrank.export.export_form import CurveTerm, ExportModel, HiddenLayer, LevelTerm, LineTerm, StepTerm, Term


def term_tables(model: ExportModel) -> dict[str, Any]:
    """Return constant, terms by feature and hidden layer as numbers, texts, lists and dictionaries.

    >>> from glassrank.export.export_form import ExportFeature
    >>> line = LineTerm(0, None, weight=2.0, mean=1.0)
    >>> term_tables(ExportModel((ExportFeature("bm25"),), (line,), 0.5))["terms"]
    {'bm25': {'kind': 'line', 'missing': None, 'weight': 2.0, 'mean': 1.0, 'scale': 1.0}}
    """
    return {
        "constant": model.constant,
        "terms": {model.name_of(term): _table(model, term) for term in model.terms},
        "layer": None if model.layer is None else _layer(model, model.layer),
    }


def range_lines(model: ExportModel) -> list[str]:
    """Return lines of text with the range of each number in training, and the one over which the error is stated.

    >>> from glassrank.export.export_form import ExportFeature
    >>> feature = ExportFeature("bm25", low=0.5, high=8.0)
    >>> print(*range_lines(ExportModel((feature,), (LineTerm(0, None, weight=2.0),), 0.5)), sep="\\n")
    Ranges of the features in training, and the ranges over which the error in glassrank.json is stated:
      bm25: 0.5 to 8, 0 to 83
    """
    numbers = [
        (one.name, one.low, one.high, *one.valid) for k in model.used if not (one := model.features[k]).kind.levels
    ]
    head = "Ranges of the features in training, and the ranges over which the error in glassrank.json is stated:"
    return [head, *("  {}: {:.6g} to {:.6g}, {:.6g} to {:.6g}".format(*one) for one in numbers)] if numbers else []


def _table(model: ExportModel, term: Term) -> dict[str, Any]:
    if isinstance(term, LineTerm):
        return {"kind": "line", "missing": term.missing, "weight": term.weight, "mean": term.mean, "scale": term.scale}
    if isinstance(term, CurveTerm):
        table = {"knots": term.knots.tolist(), "values": term.values.tolist(), "slopes": term.slopes.tolist()}
        return {"kind": "curve", "missing": term.missing, **table}
    if isinstance(term, StepTerm):
        steps = {"thresholds": term.thresholds.tolist(), "levels": term.levels.tolist()}
        return {"kind": "steps", "missing": term.missing, **steps}
    levels = cast(LevelTerm, term)
    names = model.features[term.feature].kind.levels
    effects = dict(zip(names, levels.effects.tolist(), strict=True))
    return {"kind": "levels", "missing": term.missing, "effects": effects, "unseen": levels.unseen}


def _layer(model: ExportModel, layer: HiddenLayer) -> dict[str, Any]:
    return {
        "activation": layer.activation,
        "features": [feature.name for feature in model.features],
        "inputs": layer.inputs.T.tolist(),
        "biases": layer.biases.tolist(),
        "weights": layer.weights.tolist(),
        "scale": layer.scale.tolist(),
        "shift": layer.shift.tolist(),
        "fill": None if layer.fill is None else layer.fill.tolist(),
    }
