"""Lines, curves and levels as Solr's NeuralNetworkModel: a layer of hinges, a unit per feature, and their sum.

A curve of straight lines is start + Σ_j weight_j · max(0, ±(x − centre) − offset_j): hinges to the right and the left
of a centre. Only hinges between the centre and the value are active, so that few numbers cancel. Each feature has its
own sum, because the rounding of a sum grows with everything that it contains.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.export.export_form import CurveTerm, ExportFeature, LevelTerm, LineTerm, Term
from glassrank.export.formats.contract import Request
from glassrank.export.formats.rounding import SINGLE
from glassrank.export.formats.single_precision import SECOND_ORDER, shortest, single, sum_rounding
from glassrank.export.formats.solr_ltr.solr_features import (
    Indicator,
    Input,
    definition_of,
    level_indicators,
    missing_indicator,
    no_missing_feature,
)
from glassrank.export.formats.solr_ltr.solr_model import SolrModel

POINTS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Hinges:
    """start + Σ weight · max(0, sign · (x − centre) − offset); all numbers are in single precision."""

    centre: float
    start: float
    signs: FloatArray
    offsets: FloatArray
    weights: FloatArray

    def heights(self, x: FloatArray) -> FloatArray:
        """Return the active part of each hinge, a row per value; negative if it is not active."""
        return np.asarray(self.signs * (x[:, None] - self.centre) - self.offsets)


@dataclass(frozen=True)
class FeatureUnit:
    """The unit of one feature: its inputs, their hinges, and the largest value and rounding error of its sum."""

    inputs: tuple[Input, ...]
    owner: tuple[int, ...]
    """Which of the inputs each hinge reads."""
    hinges: Hinges
    size: float
    rounding: float


def network_model(request: Request) -> SolrModel:
    """Return the model."""
    model = request.model
    blocks = [_block(request, model.features[term.feature], term) for term in model.terms]
    # The constant is the last block, so that smaller sums are rounded.
    constant = _level_block(model.constant, ())
    sizes = [block.size for block in blocks]
    names = [model.name_of(term) for term in model.terms]
    adding = sum_rounding([*sizes, abs(model.constant)]) + SINGLE * abs(model.constant)
    return SolrModel(
        "NeuralNetworkModel",
        tuple(one for block in blocks for one in block.inputs),
        {"layers": _layers([*blocks, constant])},
        sum(block.rounding for block in blocks) + SECOND_ORDER * adding,
        {name: block.rounding + term.error for name, block, term in zip(names, blocks, model.terms, strict=True)},
        table_error=model.error,
    )


def _block(request: Request, feature: ExportFeature, term: Term) -> FeatureUnit:
    if isinstance(term, LevelTerm):
        base, indicators = level_indicators(request, feature, term)
        return _level_block(base, indicators)
    term = cast(LineTerm | CurveTerm, term)
    hinges = curve_hinges(feature, term)
    size, rounding = _sum_rounding_of(hinges, feature, term)
    definition = definition_of(request, feature)
    default = 0.0 if term.missing is None or definition.has_default else hinges.centre
    inputs = [definition.input(feature.name, default, hinges.centre)]
    owner = [0] * len(hinges.weights)
    if term.missing is not None and not definition.has_default:
        # Without a value, all hinges are 0 and the sum is its start.
        indicator = missing_indicator(definition, feature.name, term.missing - hinges.start)
        if indicator is None:
            raise no_missing_feature(feature)
        inputs.append(indicator.input)
        owner.append(1)
        hinges = _with_indicator(hinges, indicator.effect)
        size = max(size, abs(term.missing))
        rounding = max(rounding, SECOND_ORDER * SINGLE * (2.0 * abs(indicator.effect) + abs(term.missing)))
    return FeatureUnit(tuple(inputs), tuple(owner), hinges, size, rounding)


def _level_block(base: float, indicators: tuple[Indicator, ...]) -> FeatureUnit:
    none = np.zeros(0)
    hinges = Hinges(0.0, single(base), none, none, none)
    for one in indicators:
        hinges = _with_indicator(hinges, one.effect)
    largest = max((abs(one.effect) for one in indicators), default=0.0)
    # Roundings of start, weight, product and sum.
    rounding = SECOND_ORDER * SINGLE * (2.0 * abs(base) + 3.0 * largest)
    inputs = tuple(one.input for one in indicators)
    return FeatureUnit(inputs, tuple(range(len(inputs))), hinges, abs(base) + largest, rounding)


def _with_indicator(hinges: Hinges, effect: float) -> Hinges:
    """Add max(0, x) of a feature that is 1 or 0."""
    return Hinges(
        hinges.centre,
        hinges.start,
        np.append(hinges.signs, 1.0),
        np.append(hinges.offsets, 0.0),
        np.append(hinges.weights, single(effect)),
    )


def curve_hinges(feature: ExportFeature, term: LineTerm | CurveTerm) -> Hinges:
    """Return hinges in single precision that follow the term as closely as their weights can."""
    if isinstance(term, LineTerm):
        knots, ends = np.array([term.mean]), (term.weight / term.scale, term.weight / term.scale)
    else:
        knots, ends = term.knots, (term.left_slope, term.right_slope)
    middle = int(np.abs(knots - 0.5 * (feature.low + feature.high)).argmin())
    centre = single(knots[middle])
    right = np.unique(single(np.append(0.0, knots[middle + 1 :] - centre)))
    left = np.unique(single(np.append(0.0, centre - knots[:middle])))
    right, left = right[right >= 0.0], left[left >= 0.0]
    rising = _weights(right, term.of_known(centre + right), ends[1])
    falling = _weights(left, term.of_known(centre - left), -ends[0])
    signs = np.repeat([1.0, -1.0], [len(right), len(left)])
    start = single(term.of_known(np.array([centre]))[0])
    return Hinges(centre, start, signs, np.append(right, left), np.append(rising, falling))


def _weights(offsets: FloatArray, values: FloatArray, end_slope: float) -> FloatArray:
    """Return weights such that the hinges meet the values; each one also corrects the rounding of those before it."""
    weights, slope, value = [], 0.0, float(values[0])
    gaps = np.diff(offsets).tolist()
    for gap, wanted in zip(gaps, values[1:].tolist(), strict=True):
        weights.append(single((wanted - value) / gap - slope))
        slope += weights[-1]
        value += slope * gap
    return np.array([*weights, single(end_slope - slope)])


def _sum_rounding_of(hinges: Hinges, feature: ExportFeature, term: LineTerm | CurveTerm) -> tuple[float, float]:
    """Return the largest sum of the hinges and its largest error over the valid range.

    Between two neighbouring knots, everything added up here is convex, so the largest value is at a knot or an end.
    """
    low, high = feature.valid
    knots = np.zeros(0) if isinstance(term, LineTerm) else term.knots
    points = np.concatenate([knots, hinges.centre + hinges.signs * hinges.offsets, [low, high]])
    points = np.unique(points[(points >= low) & (points <= high)])
    pieces = np.array_split(points, max(1, len(points) // POINTS_AT_ONCE))
    found = [_errors_at(hinges, term, piece) for piece in pieces]
    size, error = (float(max(np.max(one) for one in column)) for column in zip(*found, strict=True))
    return size, SECOND_ORDER * error


def _errors_at(hinges: Hinges, term: LineTerm | CurveTerm, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    heights = hinges.heights(x)
    active = heights >= 0.0
    products = hinges.weights * np.where(active, heights, 0.0)
    sums = hinges.start + np.cumsum(products, axis=1)
    slopes = np.cumsum(np.where(active, hinges.weights, 0.0), axis=1)[:, -1]
    # At a knot, the slope on its inner side counts, too.
    inner = np.cumsum(np.where(heights > 0.0, hinges.weights, 0.0), axis=1)[:, -1]
    steepest = np.maximum(np.abs(slopes), np.abs(inner))
    shape = np.abs(sums[:, -1] - term.of_known(x))
    rounding = steepest * (np.abs(x) + np.abs(x - hinges.centre))
    rounding += 2.0 * np.abs(products).sum(axis=1) + np.where(active, np.abs(sums), 0.0).sum(axis=1)
    return np.abs(sums[:, -1]), shape + SINGLE * rounding


def _layers(blocks: list[FeatureUnit]) -> list[dict[str, Any]]:
    n_inputs, n_units = (sum(len(getattr(block, part)) for block in blocks) for part in ("inputs", "owner"))
    hidden, sums = np.zeros((n_units, n_inputs)), np.zeros((len(blocks), n_units))
    first_input = first_unit = 0
    for number, block in enumerate(blocks):
        units = first_unit + np.arange(len(block.owner))
        hidden[units, first_input + np.array(block.owner, dtype=np.int64)] = block.hinges.signs
        sums[number, units] = block.hinges.weights
        first_input, first_unit = first_input + len(block.inputs), first_unit + len(block.owner)
    offsets = np.concatenate([np.zeros(0), *(block.hinges.offsets for block in blocks)])
    starts = np.array([block.hinges.start for block in blocks])
    return [
        layer(hidden, -offsets, "relu"),
        layer(sums, starts, "identity"),
        layer(np.ones((1, len(blocks))), np.zeros(1), "identity"),
    ]


def layer(matrix: FloatArray, biases: FloatArray, activation: str) -> dict[str, Any]:
    """Return a layer as Solr reads it: all numbers with a decimal point or an exponent."""
    return {
        # Nearly all entries are 0.
        "matrix": [[shortest(one) if one else 0.0 for one in row] for row in matrix.tolist()],
        "bias": [shortest(one) for one in biases.tolist()],
        "activation": activation,
    }
