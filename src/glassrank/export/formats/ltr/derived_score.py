"""The score of a model as derived features of an LTR plugin: expressions of other features, evaluated in double."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.export.export_form import CurveTerm, ExportModel, HiddenLayer, LevelTerm, LineTerm, StepTerm, Term
from glassrank.export.formats.ltr.effect_ranges import Range, effect_range, largest, node_ranges, times
from glassrank.export.formats.ltr.engine_columns import level_effects, missing_effect
from glassrank.export.formats.ltr.lucene_expression import (
    MAX_BYTES,
    RETURN,
    ZERO,
    Expression,
    call,
    choice,
    curve,
    number,
    steps,
    total,
    variable,
)
from glassrank.export.formats.rounding import SINGLE, rounding_bound, value_rounding
from glassrank.export.formats.single_precision import SECOND_ORDER
from glassrank.export.names import missing_column

SCORE, PARTIAL_SUM = "gr_score", "gr_sum_"
HALF, ONE = number(0.5), number(1.0)
MAX_COLUMNS = 500  # of a category in one expression: each takes at most 13 bytes


@dataclass(frozen=True)
class ScorePart:
    """A summand of the score, weight · expression, and the range of the expression."""

    name: str
    source: str
    expression: Expression
    values: Range
    weight: float = 1.0

    def times(self, value: Expression) -> Expression:
        """Return weight · value."""
        return value if self.weight == 1.0 else number(self.weight) * value


@dataclass(frozen=True)
class DerivedScore:
    """Derived features in the order in which they must be defined; the last one is the score."""

    features: dict[str, str]
    rounding: float
    """Largest error of the score that comes from rounding."""
    costs: dict[str, float]
    """Feature → its part of the rounding."""


def derived_score(model: ExportModel) -> DerivedScore:
    """Return the score as one expression if it is small enough, and otherwise as the sum of one feature per part.

    A part is the effect of a feature, or a hidden node. A single expression is rounded to 32 bits once.
    """
    parts = list(_term_parts(model) if model.layer is None else _node_parts(model, model.layer))
    constant = [number(model.constant)] if model.constant or not parts else []
    whole = total([*(part.times(part.expression) for part in parts), *constant])
    if whole.size + RETURN <= MAX_BYTES:
        features = {SCORE: whole.text}
    else:
        for part in parts:
            _check_size(part)
        features = {part.name: part.expression.text for part in parts}
        features |= _summed([*(part.times(variable(part.name)) for part in parts), *constant])
    ranges = {part.source: times(part.weight, part.values) for part in parts}
    rounded = {source: SINGLE * largest(values) for source, values in ranges.items()} if len(features) > 1 else {}
    n_sums = sum(name == SCORE or name.startswith(PARTIAL_SUM) for name in features)
    sums = n_sums * SINGLE * largest(_sum_range([*ranges.values(), (model.constant, model.constant)]))
    values = value_rounding(model)
    rounding = SECOND_ORDER * (sums + sum(rounded.values()) + sum(values.values())) + rounding_bound(model)
    costs = {name: cost + SINGLE * largest(ranges.get(name, (0.0, 0.0))) for name, cost in values.items()}
    return DerivedScore(features, rounding, costs)


def _sum_range(ranges: Sequence[Range]) -> Range:
    """Return a range that contains the sum and every part of it."""
    return sum(min(low, 0.0) for low, _ in ranges), sum(max(high, 0.0) for _, high in ranges)


def _summed(values: list[Expression]) -> dict[str, str]:
    """Return the sum of expressions as a feature, by way of partial sums if it is too large."""
    features: dict[str, str] = {}
    while total(values).size + RETURN > MAX_BYTES:
        sizes = np.cumsum([value.size + 1 for value in values])
        fit = int(np.searchsorted(sizes, MAX_BYTES - RETURN, side="right"))
        name = f"{PARTIAL_SUM}{len(features) + 1}"
        features[name] = total(values[:fit]).text
        values = [*values[fit:], variable(name)]
    return {**features, SCORE: total(values).text}


def _term_parts(model: ExportModel) -> Iterator[ScorePart]:
    for term in model.terms:
        name = model.name_of(term)
        expressions = _effect(term, name)
        for place, expression in enumerate(expressions, start=1):
            # No feature's name starts with a digit, so these names are different from those of all other effects.
            label = f"{place}_{name}" if len(expressions) > 1 else name
            yield ScorePart(f"gr_effect_{label}", name, expression, effect_range(model, term))


def _effect(term: Term, name: str) -> list[Expression]:
    """Return expressions that add up to the effect; all but one are 0."""
    if isinstance(term, LevelTerm):
        effects = [number(effect) * variable(column) for column, effect in level_effects(term, name).items()]
        return [total(effects[start : start + MAX_COLUMNS]) for start in range(0, len(effects), MAX_COLUMNS)]
    known, effect = _of_known(term, variable(name)), missing_effect(term)
    if effect is None:
        return known
    others = [number(effect), *[ZERO] * (len(known) - 1)]
    flag = variable(missing_column(name))
    return [choice(flag, "<", HALF, one, other) for one, other in zip(known, others, strict=True)]


def _of_known(term: Term, x: Expression) -> list[Expression]:
    if isinstance(term, CurveTerm):
        return curve(term, x)
    if isinstance(term, StepTerm):
        return steps(term, x)
    if not isinstance(term, LineTerm):
        raise TypeError(f"no expression for {type(term).__name__}")
    return [number(term.weight) * ((x - number(term.mean)) / number(term.scale))]


def _node_parts(model: ExportModel, layer: HiddenLayer) -> Iterator[ScorePart]:
    names = [feature.name for feature in model.features]
    node = _gaussian_node if layer.is_radial else _node
    for j, (weight, values) in enumerate(zip(layer.weights.tolist(), node_ranges(model), strict=True)):
        yield ScorePart(f"gr_node_{j + 1}", f"hidden node {j + 1}", node(layer, j, names), values, weight)


ACTIVATIONS: dict[str, Callable[[Expression], Expression]] = {
    "sigmoid": lambda z: ONE / (ONE + call("exp", ZERO - z)),
    "tanh": lambda z: call("tanh", z),
    "relu": lambda z: call("max", ZERO, z),
    "linear": lambda z: z,
}


def _node(layer: HiddenLayer, j: int, names: Sequence[str]) -> Expression:
    """Return φ(Σ_k a_k x_k + b)."""
    inputs, biases = layer.folded()
    products = []
    for k, (name, weight) in enumerate(zip(names, inputs[:, j].tolist(), strict=True)):
        if weight == 0.0:
            continue
        products.append(number(weight) * variable(name))
        if layer.fill is not None and layer.fill[k]:
            products.append(number(weight * float(layer.fill[k])) * variable(missing_column(name)))
    return ACTIVATIONS[layer.activation](total([*products, number(float(biases[j]))]))


def _gaussian_node(layer: HiddenLayer, j: int, names: Sequence[str]) -> Expression:
    """Return exp(−b Σ_k (scale_k x_k + shift_k − a_k)²)."""
    squares = []
    for k, name in enumerate(names):
        x = variable(name)
        if layer.fill is not None and layer.fill[k]:
            x = choice(variable(missing_column(name)), "<", HALF, x, number(float(layer.fill[k])))
        z = number(float(layer.scale[k])) * x + number(float(layer.shift[k] - layer.inputs[k, j]))
        squares.append(call("pow", z, number(2.0)))
    return call("exp", number(-float(layer.biases[j])) * total(squares))


def _check_size(part: ScorePart) -> None:
    size = part.expression.size + RETURN
    if size > MAX_BYTES:
        raise DataError(
            f"The expression for {part.source!r} takes {size:,} bytes of compiled code: Java compiles at most "
            f"{MAX_BYTES:,}.",
            remedy=(
                "Train it with fewer features",
                f"with {setting('nodes', 'additive')}, which has one curve per feature",
            ),
        )
