"""Features of an LTR plugin: how OpenSearch or Elasticsearch computes each column that a model takes."""

import json
import re
from collections.abc import Mapping
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.export.export_form import ExportFeature, ExportModel
from glassrank.export.formats.ltr.engine_columns import Content, EngineColumn, engine_columns

ABOVE, BELOW = "gr_above_0_", "gr_below_0_"
PARAMETER = re.compile(r"\{\{[{&#^]?\s*([\w.]+)\s*\}?\}\}")


def ltr_features(
    model: ExportModel, definitions: Mapping[str, Any], *, match_all: bool = False
) -> list[dict[str, Any]]:
    """Return the definitions of all columns, in the order of the model's features.

    ``match_all`` gives documents without a value the value 0 instead of none, on which versions of the plugins differ
    for trees.
    """
    found = [
        feature
        for column in engine_columns(model)
        for feature in _features(column, model.features[column.feature], definitions, match_all)
    ]
    _check_parameters(found)
    return found


def derived(name: str, expression: str) -> dict[str, Any]:
    """Return a feature that is an expression of other features."""
    return {"name": name, "params": [], "template_language": "derived_expression", "template": expression}


def parameters_of(features: list[dict[str, Any]]) -> list[str]:
    """Return the parameters that a search must supply, each once."""
    return list(dict.fromkeys(name for feature in features for name in feature["params"]))


def _features(
    column: EngineColumn, feature: ExportFeature, definitions: Mapping[str, Any], match_all: bool
) -> list[dict[str, Any]]:
    definition = definitions.get(feature.name, feature.name)
    field = _field(feature.name, definition)
    if field is None:
        return [_of_query(column, feature, definition, match_all)]
    if column.content is not Content.VALUE:
        return [_mustache(column.name, _constant(_condition(column, feature, field)), match_all)]
    if feature.low >= 0.0 or feature.kind.levels:
        return [_mustache(column.name, _field_value({"exists": {"field": field}}, field), match_all)]
    # A query's score is never negative: values below 0 are a feature of their own, with the opposite sign.
    below = {"range": {field: {"lt": 0}}}
    above = {"bool": {"filter": [{"exists": {"field": field}}], "must_not": [below]}}
    return [
        _mustache(f"{ABOVE}{column.name}", _field_value(above, field), match_all),
        _mustache(f"{BELOW}{column.name}", _field_value(below, field, factor=-1), match_all),
        derived(column.name, f"{ABOVE}{column.name}-{BELOW}{column.name}"),
    ]


def _condition(column: EngineColumn, feature: ExportFeature, field: str) -> dict[str, Any]:
    """Return the query that a document matches if the column is 1."""
    has_value = {"exists": {"field": field}}
    if column.content is Content.MISSING:
        return {"bool": {"must_not": [has_value]}}
    if column.content is Content.LEVEL:
        return {"term": {field: {"value": _literal(feature, feature.kind.level(column.level))}}}
    levels = [_literal(feature, level) for level in feature.kind.levels]
    return {"bool": {"filter": [has_value], "must_not": [{"terms": {field: levels}}]}}


def _field(name: str, definition: Any) -> str | None:
    """Return the field of a definition, or None if it is a query."""
    if isinstance(definition, Mapping) and definition and "field" not in definition:
        return None
    field = definition.get("field") if isinstance(definition, Mapping) else definition
    extra = set(definition) - {"field"} if isinstance(definition, Mapping) else set()
    if not isinstance(field, str) or not field or extra or "{{" in field:
        raise DataError(
            f"The definition of {name!r} must be a field, or a query such as "
            '{"match": {"title": "{{keywords}}"}}, or that query as "template" with its "params".',
            parameter="definitions",
            got=json.dumps(definition, default=repr),
        )
    return field


def _of_query(column: EngineColumn, feature: ExportFeature, definition: Any, match_all: bool) -> dict[str, Any]:
    if feature.kind.is_category or feature.low < 0.0:
        reason = "is a category" if feature.kind.is_category else f"has values below 0 (from {feature.low:g})"
        raise DataError(
            f"{feature.name!r} {reason}, which the score of a query cannot have.",
            parameter="definitions",
            remedy="Define it by the field that contains it.",
        )
    template = definition.get("template", definition)
    if column.content is Content.MISSING:
        template = _inside('{"constant_score":{"filter":{"bool":{"must_not":[', template, "]}}}}")
    made = _mustache(column.name, template, match_all)
    return {**made, "params": list(definition.get("params", made["params"]))}


def _mustache(name: str, template: Any, match_all: bool) -> dict[str, Any]:
    if match_all:
        template = _inside('{"bool":{"must":{"match_all":{"boost":0}},"should":[', template, "]}}")
    text = template if isinstance(template, str) else json.dumps(template)
    parameters = list(dict.fromkeys(PARAMETER.findall(text)))
    return {"name": name, "params": parameters, "template_language": "mustache", "template": template}


def _inside(before: str, template: Any, after: str) -> Any:
    """Return a query that contains another one; a template may be a text that is JSON only when it is filled in."""
    if isinstance(template, str):
        return f"{before}{template}{after}"
    return json.loads(f"{before}{json.dumps(template)}{after}")


def _constant(query: dict[str, Any]) -> dict[str, Any]:
    return {"constant_score": {"filter": query}}


def _field_value(query: dict[str, Any], field: str, **options: Any) -> dict[str, Any]:
    factor = {"field": field, **options}
    return {"function_score": {"query": query, "field_value_factor": factor, "boost_mode": "replace"}}


def _literal(feature: ExportFeature, level: str) -> str:
    if "{{" in level:
        raise DataError(
            f"The level {level!r} of {feature.name!r} contains '{{{{', which starts a parameter of a query.",
            remedy="Rename the level in the training data and in the index.",
        )
    return level


def _check_parameters(features: list[dict[str, Any]]) -> None:
    """Raise an error if a parameter has the name of a feature: expressions would use the parameter."""
    clash = sorted({feature["name"] for feature in features} & set(parameters_of(features)))
    if clash:
        raise DataError(
            f"The parameter {clash[0]!r} of a query has the name of a feature: expressions would use the parameter.",
            parameter="definitions",
            remedy=("Choose another name for the parameter", f"rename the feature: {setting('rename', ...)}"),
        )
