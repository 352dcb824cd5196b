"""Lines and levels as Solr's LinearModel: Σ weight · (x − average)/deviation, in single precision."""

from typing import Any, cast

from glassrank.export.export_form import ExportFeature, LevelTerm, LineTerm
from glassrank.export.formats.contract import Request
from glassrank.export.formats.rounding import SINGLE
from glassrank.export.formats.single_precision import SECOND_ORDER, shortest, single, sum_rounding
from glassrank.export.formats.solr_ltr.solr_features import (
    Definition,
    Input,
    constant_input,
    definition_of,
    level_indicators,
    missing_indicator,
    no_missing_feature,
)
from glassrank.export.formats.solr_ltr.solr_model import SolrModel

LARGEST_DEFAULT = 1e30


def linear_model(request: Request) -> SolrModel:
    """Return the model without its constant, which Solr's linear models do not have.

    A feature that is always 1 carries the effects of documents without any of the levels of a category.
    """
    model, base = request.model, 0.0
    rows: list[tuple[Input, float, float]] = []  # input, weight, largest product
    costs: dict[str, float] = {}
    for term in model.terms:
        feature = model.features[term.feature]
        if isinstance(term, LevelTerm):
            without, indicators = level_indicators(request, feature, term)
            base += without
            found = [(one.input, one.effect, abs(one.effect)) for one in indicators]
            own = 2.0 * SINGLE * max((size for _, _, size in found), default=0.0)
        else:
            found, own = _line(definition_of(request, feature), feature, cast(LineTerm, term))
        rows += found
        costs[feature.name] = SECOND_ORDER * own
    if base or not rows:
        rows.append((constant_input(), base, abs(base)))
    adding = sum_rounding([size for _, _, size in rows[1:]], rows[0][2]) + SINGLE * abs(base)
    params: dict[str, Any] = {"weights": {one.name: shortest(weight) for one, weight, _ in rows}}
    rounding = sum(costs.values()) + SECOND_ORDER * adding
    return SolrModel("LinearModel", tuple(one for one, _, _ in rows), params, rounding, costs, constant_included=False)


def _line(
    definition: Definition, feature: ExportFeature, term: LineTerm
) -> tuple[list[tuple[Input, float, float]], float]:
    """Return inputs with weights and largest products, and the rounding error of the feature."""
    low, high = feature.valid
    reach = max(abs(low), abs(high))
    default, extra = term.mean, []
    if term.missing is None or definition.has_default:
        default = 0.0
    elif abs(term.missing) * term.scale < LARGEST_DEFAULT * abs(term.weight):
        # The value whose effect is that of a missing one.
        default = term.mean + term.scale * term.missing / term.weight
        reach = max(reach, abs(default))
    else:
        indicator = missing_indicator(definition, feature.name, term.missing)
        if indicator is None:
            raise no_missing_feature(feature)
        extra = [(indicator.input, indicator.effect, abs(indicator.effect))]
    slope = abs(term.weight) / term.scale
    largest = slope * max(abs(low - term.mean), abs(high - term.mean), abs(default - term.mean))
    # Roundings of value and average; then of deviation, weight, difference, quotient and product.
    error = SINGLE * (slope * (reach + abs(term.mean)) + 5.0 * largest + sum(2.0 * size for _, _, size in extra))
    made = definition.input(feature.name, single(default), single(term.mean), single(term.scale))
    return [(made, term.weight, largest), *extra], error
