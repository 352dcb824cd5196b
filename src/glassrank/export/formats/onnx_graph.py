"""ONNX: a graph of plain operators, in double or single precision."""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from glassrank import __version__
from glassrank.core.checks import DataError
from glassrank.core.wording import listed
from glassrank.export.export_form import CurveTerm, ExportModel, HiddenLayer, LevelTerm, LineTerm, StepTerm, Term
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.rounding import DOUBLE, SINGLE, rounding_bound
from glassrank.export.formats.single_precision import not_above
from glassrank.export.formats.term_tables import range_lines
from glassrank.export.formats.unaccepted_values import unaccepted_notes

FILE = "model.onnx"
OPSET, IR_VERSION = 17, 8
INPUT, OUTPUT = "features", "score"
PRECISIONS = {"double": (np.float64, DOUBLE), "single": (np.float32, SINGLE)}


@dataclass
class _Graph:
    """Nodes and constants of a graph under construction; each operation returns the name of its result."""

    dtype: Any
    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, values: Any, dtype: Any = None) -> str:
        name = f"c{len(self.constants)}"
        array = np.asarray(values, dtype=self.dtype if dtype is None else dtype)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def known(self, column: str, missing: float | None, effect: str) -> str:
        """Return the effect, or that of a missing value; without one, the score of a missing value is NaN."""
        absent = self.constant(np.nan if missing is None else missing)
        return self.add("Where", self.add("IsNaN", column), absent, effect)


def write(request: Request) -> Written:
    """Write the graph."""
    onnx = _onnx()
    kind = request.kind or "double"
    dtype, unit = PRECISIONS[kind]
    model = request.model
    graph = _Graph(dtype, onnx)
    total = graph.constant([model.constant])
    for term in model.terms:
        total = graph.add("Add", total, _term(graph, model, term))
    if model.layer is not None:
        total = graph.add("Add", total, _layer(graph, model.layer))
    total = graph.add("Identity", total)
    content = _packed(graph, request, total)
    shown = "float64" if kind == "double" else "float32"
    usage = (
        "Use it:\n"
        f'  session = onnxruntime.InferenceSession("{FILE}")\n'
        f'  session.run(["{OUTPUT}"], {{"{INPUT}": X}})    # X: {shown}, the features of glassrank.json, NaN if '
        "missing"
    )
    notes = _notes(model)
    return Written({FILE: content}, usage, kind, model.error, rounding_bound(model, unit), notes=notes)


def _onnx() -> Any:
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise DataError(
            "The format 'onnx' needs the package onnx.", remedy="Install it: pip install 'glassrank[onnx]'."
        ) from error
    return onnx


def _notes(model: ExportModel) -> tuple[str, ...]:
    categories = [model.name_of(term) for term in model.terms if isinstance(term, LevelTerm)]
    codes = (
        f"Categories are passed as the numbers of their levels in glassrank.json, −1 if unknown: {listed(categories)}"
    )
    refused = unaccepted_notes(
        model, missing="The score is NaN if one is NaN.", level="The score is NaN for a level of −1."
    )
    return (*((codes,) if categories else ()), *refused)


def _packed(graph: _Graph, request: Request, total: str) -> bytes:
    helper = graph.onnx.helper
    element = helper.np_dtype_to_tensor_dtype(np.dtype(graph.dtype))
    width = len(request.model.used)
    taken = helper.make_tensor_value_info(INPUT, element, ["documents", width])
    graph.nodes[-1].output[0] = OUTPUT
    given = helper.make_tensor_value_info(OUTPUT, element, ["documents"])
    made = helper.make_graph(graph.nodes, request.name, [taken], [given], graph.constants)
    opsets = [helper.make_opsetid("", OPSET)]
    packed = helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="glassrank")
    packed.producer_version = __version__
    names = [request.model.features[k].name for k in request.model.used]
    about = {"features": ",".join(names), "slope": repr(request.model.slope)}
    helper.set_model_props(packed, {**about, "ranges": "\n".join(range_lines(request.model))})
    graph.onnx.checker.check_model(packed, full_check=True)
    content: bytes = packed.SerializeToString(deterministic=True)
    return content


def _term(graph: _Graph, model: ExportModel, term: Term) -> str:
    place = graph.constant(model.used.index(term.feature), np.int64)
    column = graph.add("Gather", INPUT, place, axis=1)
    return graph.known(column, term.missing, _effect(graph, term, column))


def _effect(graph: _Graph, term: Term, column: str) -> str:
    if isinstance(term, LineTerm):
        shifted = graph.add("Sub", column, graph.constant(term.mean))
        return graph.add("Mul", graph.add("Div", shifted, graph.constant(term.scale)), graph.constant(term.weight))
    if isinstance(term, CurveTerm):
        segment = _count(graph, "GreaterOrEqual", column, term.knots)
        starts = np.maximum(np.arange(len(term.knots) + 1) - 1, 0)
        value, knot, slope = (
            graph.add("Gather", graph.constant(table), segment)
            for table in (term.values[starts], term.knots[starts], term.slopes)
        )
        return graph.add("Add", value, graph.add("Mul", slope, graph.add("Sub", column, knot)))
    if isinstance(term, StepTerm):
        limits = not_above(term.thresholds, graph.dtype)
        return graph.add("Gather", graph.constant(term.levels), _count(graph, "Greater", column, limits))
    # Missing values become level 0 here and are replaced afterwards; −1 is the last entry of the table. Other numbers
    # that are no codes have no score: without limits, −2 would be the last entry but one.
    code = graph.add("Where", graph.add("IsNaN", column), graph.constant(0.0), column)
    levels = cast(LevelTerm, term)
    table = np.append(levels.effects, [np.nan, np.nan, np.nan if levels.unseen is None else levels.unseen])
    code = graph.add("Clip", code, graph.constant(-2.0), graph.constant(float(len(levels.effects))))
    return graph.add("Gather", graph.constant(table), graph.add("Cast", code, to=graph.onnx.TensorProto.INT64))


def _count(graph: _Graph, comparison: str, column: str, limits: Any) -> str:
    """Return how many of the limits the values exceed or reach."""
    values = graph.add("Unsqueeze", column, graph.constant([1], np.int64))
    reached = graph.add(comparison, values, graph.constant(limits))
    counted = graph.add("Cast", reached, to=graph.onnx.TensorProto.INT64)
    return graph.add("ReduceSum", counted, graph.constant([1], np.int64), keepdims=0)


def _layer(graph: _Graph, layer: HiddenLayer) -> str:
    values = INPUT
    if layer.fill is not None:
        values = graph.add("Where", graph.add("IsNaN", INPUT), graph.constant(layer.fill), INPUT)
    scaled = graph.add("Add", graph.add("Mul", values, graph.constant(layer.scale)), graph.constant(layer.shift))
    outputs = _radial(graph, layer, scaled) if layer.is_radial else _activated(graph, layer, scaled)
    return graph.add("MatMul", outputs, graph.constant(layer.weights))


def _activated(graph: _Graph, layer: HiddenLayer, scaled: str) -> str:
    argument = graph.add("Add", graph.add("MatMul", scaled, graph.constant(layer.inputs)), graph.constant(layer.biases))
    operator = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}.get(layer.activation)
    return argument if operator is None else graph.add(operator, argument)


def _radial(graph: _Graph, layer: HiddenLayer, scaled: str) -> str:
    """Return exp(−b_j ‖z − a_j‖²) from the differences themselves: ‖z‖² − 2 z·a + ‖a‖² would cancel."""
    rows = graph.add("Unsqueeze", scaled, graph.constant([2], np.int64))
    differences = graph.add("Sub", rows, graph.constant(layer.inputs))
    squares = graph.add("Mul", differences, differences)
    distances = graph.add("ReduceSum", squares, graph.constant([1], np.int64), keepdims=0)
    return graph.add("Exp", graph.add("Mul", distances, graph.constant(-layer.biases)))
