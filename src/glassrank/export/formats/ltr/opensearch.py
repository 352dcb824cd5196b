"""The learning-to-rank plugins of OpenSearch and Elasticsearch: a feature set, a model, and a search that reranks."""

import json
from collections.abc import Callable
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.export.export_form import ExportModel
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.ltr.column_trees import column_trees
from glassrank.export.formats.ltr.derived_score import SCORE, derived_score
from glassrank.export.formats.ltr.engine_columns import engine_notes
from glassrank.export.formats.ltr.ltr_features import derived, ltr_features, parameters_of
from glassrank.export.formats.ltr.ranklib import tree_text
from glassrank.export.formats.ltr.weighted_columns import WeightedColumn, weighted_columns
from glassrank.export.formats.ltr.xgboost_dump import xgboost_dump
from glassrank.export.formats.rounding import SINGLE
from glassrank.export.formats.single_precision import SECOND_ORDER, shortest, single

EXPRESSION, LINEAR, RANKLIB, XGBOOST = "derived_expression", "linear", "ranklib", "xgboost"
FEATURES_FILE, MODEL_FILE, SEARCH_FILE = "features.json", "model.json", "search.json"
MAX_FEATURES = 10_000
WINDOW = 100
EXPRESSIONS = f"Use expressions: {setting('kind', EXPRESSION)}."

USAGE = """Create the plugin's store once, then the features and the model (a name that exists is refused):
  curl -X PUT "$ENGINE/_ltr"
  curl -X PUT "$ENGINE/_ltr/_featureset/{name}_fs" -H 'Content-Type: application/json' --data-binary @{features}
  curl -X POST "$ENGINE/_ltr/_featureset/{name}_fs/_createmodel" -H 'Content-Type: application/json' \\
    --data-binary @{model}
ENGINE is the address of {title}, such as http://localhost:9200.
Rank the first {window} results of a query again; put your query and its parameters into {search}:
  curl -X POST "$ENGINE/INDEX/_search" -H 'Content-Type: application/json' --data-binary @{search}
Documents beyond window_size get the score 0, so it must be at least from + size.
Delete both:
  curl -X DELETE "$ENGINE/_ltr/_model/{name}"
  curl -X DELETE "$ENGINE/_ltr/_featureset/{name}_fs\""""

Body = dict[str, Any]


def write_opensearch(request: Request) -> Written:
    """Write a model for OpenSearch's plugin."""
    return _write(request, "OpenSearch")


def write_elasticsearch(request: Request) -> Written:
    """Write a model for the same plugin of Elasticsearch, which has the same requests."""
    return _write(request, "Elasticsearch")


def _write(request: Request, title: str) -> Written:
    kind = request.kind or EXPRESSION
    features = ltr_features(request.model, request.definitions, match_all=kind == XGBOOST)
    results = KINDS[kind](request.model, features)
    model = results.pop("model")
    if len(features) > MAX_FEATURES:
        raise DataError(
            f"The feature set would have {len(features):,} features: the plugin takes at most {MAX_FEATURES:,}.",
            remedy="Train a model with fewer features, levels or hidden nodes.",
        )
    bodies = {
        FEATURES_FILE: {"featureset": {"features": features}},
        MODEL_FILE: {"model": {"name": request.name, "model": model}},
        SEARCH_FILE: _search(request.name, parameters_of(features)),
    }
    files = {name: (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode() for name, body in bodies.items()}
    names = {"features": FEATURES_FILE, "model": MODEL_FILE, "search": SEARCH_FILE}
    usage = USAGE.format(name=request.name, title=title, window=WINDOW, **names)
    return Written(files, usage, kind, notes=engine_notes(request.model), **results)


def _search(name: str, parameters: list[str]) -> Body:
    """Return a search whose first hits are ranked by the model alone."""
    rescored = {"sltr": {"model": name, "params": dict.fromkeys(parameters, "…")}}
    weights = {"query_weight": 0, "rescore_query_weight": 1}
    return {
        "size": WINDOW,
        "query": {"match_all": {}},
        "rescore": {"window_size": WINDOW, "query": {"rescore_query": rescored, **weights}},
    }


def _expression(model: ExportModel, features: list[Body]) -> Body:
    """Return expressions that add up to the score, in double precision."""
    score = derived_score(model)
    features += [derived(name, text) for name, text in score.features.items()]
    errors = {model.name_of(term): term.error for term in model.terms}
    return {
        "model": {"type": "model/linear", "definition": {SCORE: 1.0}},
        "table_error": model.error,
        "rounding": score.rounding,
        "costs": {name: rounding + errors.get(name, 0.0) for name, rounding in score.costs.items()},
    }


def _linear(model: ExportModel, features: list[Body]) -> Body:
    """Return weights and normalisers, in single precision; the plugin's linear model has no constant."""
    columns = weighted_columns(model, EXPRESSIONS)
    costs = _linear_costs(model, columns)
    scaled = {one.name: _normaliser(one) for one in columns if (one.mean, one.scale) != (0.0, 1.0)}
    weights = {one.name: shortest(one.weight) for one in columns}
    return {
        "model": {"type": "model/linear", "definition": weights, "feature_normalizers": scaled},
        "rounding": sum(costs.values()),
        "costs": costs,
        "constant_included": False,
    }


def _linear_costs(model: ExportModel, columns: tuple[WeightedColumn, ...]) -> dict[str, float]:
    """Return feature → bound of its rounding errors: value, weight, mean, scale, difference, quotient, product, sum."""
    reach = {model.features[k].name: max(map(abs, model.features[k].valid)) for k in model.used}
    costs = dict.fromkeys((one.source for one in columns), 0.0)
    for place, one in enumerate(columns):
        largest = reach[one.source] if one.name == one.source else 1.0
        size = abs(one.weight) * (largest + abs(one.mean)) / one.scale
        # Seven roundings of its own, and one for each sum that contains it.
        costs[one.source] += (7 + len(columns) - place) * SECOND_ORDER * SINGLE * size
    return costs


def _normaliser(column: WeightedColumn) -> Body:
    if not 0.0 < single(column.scale) < float("inf"):
        raise DataError(
            f"The scale of {column.source!r}, {column.scale:g}, is not a single-precision number above 0.",
            remedy=EXPRESSIONS,
        )
    return {"standard": {"mean": shortest(column.mean), "standard_deviation": shortest(column.scale)}}


def _ranklib(model: ExportModel, features: list[Body]) -> Body:
    """Return trees in RankLib's text, which numbers the features of the set from 1."""
    made = column_trees(model, EXPRESSIONS)
    numbers = {feature["name"]: number for number, feature in enumerate(features, start=1)}
    definition = {"type": "model/ranklib", "definition": tree_text(made.trees, numbers)}
    return {"model": definition, "table_error": made.table_error, "rounding": made.rounding, "costs": made.costs}


def _xgboost(model: ExportModel, features: list[Body]) -> Body:
    """Return trees in XGBoost's dump."""
    made = column_trees(model, EXPRESSIONS)
    definition = {"type": "model/xgboost+json", "definition": xgboost_dump(made.trees)}
    return {"model": definition, "table_error": made.table_error, "rounding": made.rounding, "costs": made.costs}


KINDS: dict[str, Callable[[ExportModel, list[Body]], Body]] = {
    EXPRESSION: _expression,
    LINEAR: _linear,
    RANKLIB: _ranklib,
    XGBOOST: _xgboost,
}
