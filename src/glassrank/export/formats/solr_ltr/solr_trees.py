"""Steps and levels as Solr's MultipleAdditiveTreesModel: one balanced tree per feature.

Solr adds 1e-6 to every threshold, in single precision. Values and thresholds are therefore multiplied by a power of 2,
which is exact, so that no threshold but 0 is smaller than 64: there, the addition changes nothing.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.export.export_form import ExportFeature, LevelTerm, StepTerm
from glassrank.export.formats.contract import Request
from glassrank.export.formats.rounding import SINGLE, value_rounding
from glassrank.export.formats.single_precision import SECOND_ORDER, shortest_text, single_steps, sum_rounding
from glassrank.export.formats.solr_ltr.solr_features import Indicator, Input, definition_of, level_indicators
from glassrank.export.formats.solr_ltr.solr_model import SolrModel
from glassrank.export.step_tables import stepped

SAFE_THRESHOLD = 64.0
ZERO_THRESHOLD = -1e-6  # Solr makes 0 of it
BELOW_ZERO = float(np.nextafter(np.float32(-1e-6), np.float32(-1)))  # Solr makes -1e-13 of it
NEXT_TO_ZERO = 1.1e-35  # LightGBM separates zeros from other values at ±1e-35
LARGEST = 2.0**126  # of values and thresholds after multiplication
NO_VALUE = float(np.finfo(np.float32).min)  # default of a feature whose missing values have an effect

Node = dict[str, Any]


def tree_model(request: Request) -> SolrModel:
    """Return the model; the constant is a tree without a split, and the last, so that smaller sums are rounded."""
    steps = stepped(request.model)
    constant, inputs, roots, costs = steps.constant, [], [], {}
    sizes, values = [], value_rounding(request.model)
    for term in steps.terms:
        feature = steps.features[term.feature]
        if isinstance(term, LevelTerm):
            base, indicators = level_indicators(request, feature, term)
            constant += base
            inputs += [one.input for one in indicators]
            roots += [_indicator_tree(one) for one in indicators]
            largest = max((abs(one.effect) for one in indicators), default=0.0)
            sizes += [abs(one.effect) for one in indicators]
        else:
            term = cast(StepTerm, term)
            made, root = _step_tree(request, feature, term)
            inputs.append(made)
            roots.append(root)
            largest = float(np.abs(np.append(term.levels, term.missing or 0.0)).max())
            sizes.append(largest)
        costs[feature.name] = term.error + SECOND_ORDER * (SINGLE * largest + values[feature.name])
    trees = [{"weight": "1.0", "root": root} for root in [*roots, _leaf(constant)]]
    adding = sum_rounding([*sizes, abs(constant)]) + SINGLE * abs(constant)
    rounding = sum(costs.values()) - steps.error + SECOND_ORDER * adding
    return SolrModel(
        "MultipleAdditiveTreesModel", tuple(inputs), {"trees": trees}, rounding, costs, table_error=steps.error
    )


def _step_tree(request: Request, feature: ExportFeature, term: StepTerm) -> tuple[Input, Node]:
    at_zero = (term.thresholds > 0.0) & (term.thresholds <= NEXT_TO_ZERO)
    thresholds, levels = single_steps(replace(term, thresholds=np.where(at_zero, 0.0, term.thresholds)))
    factor = _factor(feature, thresholds)
    root = _balanced(feature.name, factor * thresholds, levels)
    definition, default = definition_of(request, feature), 0.0
    if term.missing is not None and not definition.has_default:
        default = NO_VALUE
        threshold = shortest_text(np.nextafter(np.float32(NO_VALUE), np.float32(0)))
        root = _split(feature.name, threshold, _leaf(term.missing), root)
    return definition.input(feature.name, default, *((0.0, 1.0 / factor) if factor != 1.0 else ())), root


def _factor(feature: ExportFeature, thresholds: FloatArray) -> float:
    """Return the power of 2 that makes all thresholds large, except those at 0 or next to it."""
    sizes = np.abs(thresholds[np.abs(thresholds) > NEXT_TO_ZERO])
    if not len(sizes):
        return 1.0
    factor = float(max(2.0 ** np.ceil(np.log2(SAFE_THRESHOLD / sizes.min())), 1.0))
    if factor * max(sizes.max(), *map(abs, feature.valid)) > LARGEST:
        raise DataError(
            f"The thresholds of {feature.name!r} range from {sizes.min():.2g} to {sizes.max():.2g}, and its values to "
            f"{max(map(abs, feature.valid)):.2g}: trees in Solr cannot tell all of them apart.",
            remedy="Train on a transformed feature, such as its logarithm.",
        )
    return factor


def _balanced(name: str, thresholds: FloatArray, levels: FloatArray) -> Node:
    if not len(thresholds):
        return _leaf(float(levels[0]))
    middle = len(thresholds) // 2
    threshold = float(thresholds[middle])
    left = _balanced(name, thresholds[:middle], levels[: middle + 1])
    right = _balanced(name, thresholds[middle + 1 :], levels[middle + 1 :])
    if abs(threshold) < SAFE_THRESHOLD:
        threshold = BELOW_ZERO if threshold < 0.0 else ZERO_THRESHOLD
    return _split(name, shortest_text(threshold), left, right)


def _split(name: str, threshold: str, left: Node, right: Node) -> Node:
    return {"feature": name, "threshold": threshold, "left": left, "right": right}


def _leaf(value: float) -> Node:
    return {"value": shortest_text(value)}


def _indicator_tree(indicator: Indicator) -> Node:
    return _split(indicator.input.name, "0.5", _leaf(0.0), _leaf(indicator.effect))
