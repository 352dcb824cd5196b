"""The hidden layer of ELMRank as Solr's NeuralNetworkModel."""

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.export.export_form import HiddenLayer
from glassrank.export.formats.contract import Request
from glassrank.export.formats.rounding import SINGLE
from glassrank.export.formats.single_precision import SECOND_ORDER, single, sum_rounding
from glassrank.export.formats.solr_ltr.solr_features import Input, definition_of
from glassrank.export.formats.solr_ltr.solr_model import SolrModel
from glassrank.export.formats.solr_ltr.solr_network import layer

# Name in Solr, and the largest slope.
ACTIVATIONS = {"sigmoid": ("sigmoid", 0.25), "tanh": ("tanh", 1.0), "relu": ("relu", 1.0), "linear": ("identity", 1.0)}
BOUNDED = ("sigmoid", "tanh")


def hidden_layer_model(request: Request, nodes: HiddenLayer) -> SolrModel:
    """Return the nodes, sums of some of them each, and the sum of those, which round less than one long sum."""
    model = request.model
    _check_activation(nodes.activation)
    varying = np.flatnonzero(nodes.scale)
    if not len(varying):
        raise DataError("All features were constant in training, so there is nothing to export.")
    inputs = tuple(_input(request, nodes, k) for k in varying.tolist())
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
    return SolrModel("NeuralNetworkModel", inputs, {"layers": layers}, float(parts.sum() + rest), costs)


def _check_activation(activation: str) -> None:
    if activation not in ACTIVATIONS:
        raise DataError(
            f"Solr's networks have no {activation} nodes: expected one of {', '.join(ACTIVATIONS)}.",
            remedy=(
                f"Train with {setting('activation', 'sigmoid')}",
                f"train with {setting('nodes', 'additive')}, whose curves are exported as tables",
                f"export to a format that has them, such as {setting('format', 'onnx')}",
            ),
        )


def _input(request: Request, nodes: HiddenLayer, k: int) -> Input:
    """Return the feature, which Solr standardises before the nodes."""
    feature, average = request.model.features[k], -nodes.shift[k] / nodes.scale[k]
    default = 0.0 if nodes.fill is None else single(nodes.fill[k])
    return definition_of(request, feature).input(
        feature.name, default, single(average), single(1 / abs(nodes.scale[k]))
    )


def _rounding(
    request: Request,
    nodes: HiddenLayer,
    matrix: FloatArray,
    biases: FloatArray,
    varying: "np.typing.NDArray[np.int64]",
    groups: list["np.typing.NDArray[np.int64]"],
) -> tuple[FloatArray, float]:
    """Return bounds of the rounding errors that each feature causes, and of those of the sums over nodes."""
    x = np.array([request.model.features[k].valid for k in varying.tolist()]).reshape(-1, 2)
    if nodes.fill is not None:
        fill = nodes.fill[varying]
        x = np.column_stack([np.minimum(x[:, 0], fill), np.maximum(x[:, 1], fill)])
    scale, shift = np.abs(nodes.scale[varying]), np.abs(nodes.shift[varying])
    ends = np.sort(scale[:, None] * x + (np.sign(nodes.scale) * nodes.shift)[varying, None], axis=1)
    z = np.abs(ends).max(axis=1)
    sums = _largest_sums(matrix, biases, ends)
    weights, slope = np.abs(nodes.weights), ACTIVATIONS[nodes.activation][1]
    # Roundings of value and average, then of deviation, difference and quotient; then of matrix and product.
    in_z = SINGLE * (scale * np.abs(x).max(axis=1) + shift + 5.0 * z)
    parts = slope * ((np.abs(matrix) * in_z[:, None] + SINGLE * sums) @ weights)
    outputs = weights * (1.0 if nodes.activation in BOUNDED else sums[-1])
    constant = abs(request.model.constant)
    # Roundings of bias, output, weight and product; then of the sums of a group and of all groups.
    rest = SINGLE * (slope * float(weights @ np.abs(biases)) + 3.0 * float(outputs.sum()) + constant)
    rest += sum(sum_rounding(outputs[group]) for group in groups)
    rest += sum_rounding([outputs[group].sum() for group in groups], constant)
    return SECOND_ORDER * parts, SECOND_ORDER * rest


def _largest_sums(matrix: FloatArray, biases: FloatArray, ends: FloatArray) -> FloatArray:
    """Return the largest size of bias + the products up to each feature, a column per node."""
    products = matrix[:, :, None] * ends[:, None, :]
    lowest = biases + np.cumsum(products.min(axis=2), axis=0)
    highest = biases + np.cumsum(products.max(axis=2), axis=0)
    return np.maximum(np.abs(lowest), np.abs(highest))
