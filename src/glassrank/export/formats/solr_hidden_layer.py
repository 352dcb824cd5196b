"""The hidden layer of ELMRank as Solr's NeuralNetworkModel."""

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.export.formats.contract import Request
from glassrank.export.formats.single_precision import SECOND_ORDER, UNIT, single
from glassrank.export.formats.solr_features import definition_of
from glassrank.export.formats.solr_model import SolrModel
from glassrank.export.formats.solr_network import layer
from glassrank.export.terms import HiddenLayer

# Name in Solr, and the largest slope.
ACTIVATIONS = {"sigmoid": ("sigmoid", 0.25), "tanh": ("tanh", 1.0), "relu": ("relu", 1.0), "linear": ("identity", 1.0)}
BOUNDED = ("sigmoid", "tanh")


def hidden_layer_model(request: Request, nodes: HiddenLayer) -> SolrModel:
    """Return the nodes, sums of some of them each, and the sum of those, which round less than one long sum."""
    model = request.model
    if nodes.activation not in ACTIVATIONS:
        raise DataError(
            f"Solr's networks have no {nodes.activation} nodes: expected one of {', '.join(ACTIVATIONS)}.",
            remedy=(
                f"Train with {setting('activation', 'sigmoid')}",
                f"train with {setting('nodes', 'additive')}, whose curves are exported as tables",
                f"export to a format that has them, such as {setting('format', 'onnx')}",
            ),
        )
    varying = np.flatnonzero(nodes.scale)
    inputs = []
    for k in varying.tolist():
        feature, average = model.features[k], -nodes.shift[k] / nodes.scale[k]
        default = 0.0 if nodes.fill is None else single(nodes.fill[k])
        made = definition_of(request, feature).input(
            feature.name, default, single(average), single(1 / abs(nodes.scale[k]))
        )
        inputs.append(made)
    constants = np.flatnonzero(nodes.scale == 0.0)
    biases = nodes.biases + nodes.shift[constants] @ nodes.inputs[constants]
    matrix = (np.sign(nodes.scale)[:, None] * nodes.inputs)[varying]
    groups = np.array_split(np.arange(len(nodes.weights)), max(1, round(len(nodes.weights) ** 0.5)))
    sums = np.zeros((len(groups), len(nodes.weights)))
    for number, group in enumerate(groups):
        sums[number, group] = nodes.weights[group]
    layers = [
        layer(matrix.T, biases, ACTIVATIONS[nodes.activation][0]),
        layer(sums, np.zeros(len(groups)), "identity"),
        layer(np.ones((1, len(groups))), np.array([model.constant]), "identity"),
    ]
    parts, rest = _rounding(request, nodes, matrix, biases, varying, groups)
    names = [model.features[k].name for k in varying.tolist()]
    costs = dict(zip(names, parts.tolist(), strict=True))
    return SolrModel("NeuralNetworkModel", tuple(inputs), {"layers": layers}, float(parts.sum() + rest), costs)


def _rounding(
    request: Request,
    nodes: HiddenLayer,
    matrix: FloatArray,
    biases: FloatArray,
    varying: "np.typing.NDArray[np.int64]",
    groups: list["np.typing.NDArray[np.int64]"],
) -> tuple[FloatArray, float]:
    """Return bounds of the rounding errors that each feature causes, and of those of the sums over nodes."""
    ends = np.array([request.model.features[k].valid for k in varying.tolist()]).reshape(-1, 2)
    scale, shift = nodes.scale[varying], nodes.shift[varying]
    values = np.abs(ends).max(axis=1)
    z = np.abs(scale[:, None] * ends + shift[:, None]).max(axis=1)
    if nodes.fill is not None:
        values = np.maximum(values, np.abs(nodes.fill[varying]))
        z = np.maximum(z, np.abs(scale * nodes.fill[varying] + shift))
    weights, inputs = np.abs(nodes.weights), np.abs(matrix)
    # Roundings of value and average, then of deviation, difference and quotient; then of matrix and product.
    in_z = UNIT * (np.abs(scale) * values + np.abs(shift) + 3.0 * z)
    in_node = inputs * (in_z + 2.0 * UNIT * z)[:, None]
    sums = np.abs(biases) + np.cumsum(inputs * z[:, None], axis=0)
    in_node += UNIT * sums
    slope = ACTIVATIONS[nodes.activation][1]
    parts = SECOND_ORDER * slope * (in_node @ weights)
    largest = np.ones(len(weights)) if nodes.activation in BOUNDED else sums[-1]
    outputs = weights * largest
    # Roundings of bias, output, weight and product; then of the sums of a group and of all groups.
    rest = UNIT * (slope * float(weights @ np.abs(biases)) + 3.0 * float(outputs.sum()))
    rest += UNIT * float(sum(np.cumsum(outputs[group]).sum() for group in groups))
    totals = np.cumsum([outputs[group].sum() for group in groups])
    rest += UNIT * float((totals + abs(request.model.constant)).sum() + abs(request.model.constant))
    return parts, SECOND_ORDER * rest
