"""ELMRank with full nodes, whose hidden layer uses all features at once, as an ExportModel."""

from typing import Any, cast

import numpy as np

from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.nodes.hidden_nodes import FullNodes
from glassrank.core.setting import setting
from glassrank.export.export_form import ExportFeature, ExportModel, HiddenLayer
from glassrank.export.input_columns import input_columns, last_step, observed_inputs
from glassrank.export.tolerance import allowed_error

N_DRAWN = 256  # documents with independent values, which show the spread of the scores


def is_layered(model: Any) -> bool:
    """Whether a model ends in a hidden layer that mixes features."""
    return isinstance(getattr(last_step(model), "hidden_nodes_", None), FullNodes)


def hidden_layer(model: Any, max_error: float | None, slope: float | None) -> ExportModel:
    """Return the hidden layer as a function of the features; steps before it must be straight lines."""
    ranker = last_step(model)
    columns = input_columns(model) or []
    lines = [one.line for one in columns if one.line is not None]
    n_features = int(getattr(model, "n_features_in_", ranker.n_features_in_))
    if len(lines) < ranker.n_features_in_:
        raise DataError(
            f"The steps before this {type(ranker).__name__} are not straight lines of one feature each, and no engine "
            "evaluates them before its hidden layer.",
            remedy=(
                f"Train it on standardised features ({setting('transform', 'standard')})",
                f"with {setting('nodes', 'additive')}, whose curves are exported as tables",
            ),
        )
    # An ELMRank has stored its ranges, and straight lines can be inverted.
    observed = cast("ObservedValues", observed_inputs(model, n_features))
    nodes = ranker.hidden_nodes_
    scale, shift, inputs = np.zeros(n_features), np.zeros(n_features), np.zeros((n_features, nodes.n_columns))
    for k, (column, line) in enumerate(zip(columns, lines, strict=True)):
        scale[column.feature], shift[column.feature] = line
        inputs[column.feature] = nodes.inputs[k]
    fill = observed.mean if ranker.missing == "mean" else None
    layer = HiddenLayer(nodes.activation, inputs, _double(nodes.biases), _double(ranker.coef_), scale, shift, fill)
    ends = zip(observed.low.tolist(), observed.high.tolist(), strict=True)
    # Nodes mix the features, so errors of values beyond the training ranges would have no useful bound.
    features = tuple(ExportFeature("", low=low, high=high, reach=0.0) for low, high in ends)
    rows = np.random.default_rng(0).uniform(observed.low, observed.high, (N_DRAWN, n_features))
    allowed = allowed_error(max_error, slope, float(layer(rows).std()) or 1.0)
    return ExportModel(features, (), 0.0, layer=layer, tolerance=allowed)


def _double(values: Any) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
