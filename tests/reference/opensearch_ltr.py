"""The learning-to-rank plugin of OpenSearch and Elasticsearch, from its documentation.

A feature set is a list of features, each a query or a derived expression; a model scores the vector of their values.
Features fill a float32 vector in the order of the set. A document that a query does not match leaves 0. A derived
expression is evaluated in double from the vector as filled so far, and rounded once. Normalisers run afterwards.
"""

import json

import numpy as np

from tests.reference import lucene_expression, ranklib_model

TREE_KEYS = {"nodeid", "depth", "split", "split_condition", "yes", "no", "missing", "children", "leaf"}
RAW_OBJECTIVES = {"rank:pairwise", "reg:linear", "binary:logitraw"}


def rescore(feature_set, created, documents, parameters=None, expression=lucene_expression.evaluate):
    """Return the float32 scores of documents, given the bodies that create a feature set and a model.

    ``expression`` evaluates a text for named columns.
    """
    features = feature_set["featureset"]["features"]
    vectors = feature_vectors(features, documents, parameters or {}, expression)
    return score_vectors([feature["name"] for feature in features], created["model"]["model"], vectors)


def feature_vectors(features, documents, parameters, expression=lucene_expression.evaluate):
    """Return one row of float32 values per document, in the order of the set."""
    vectors = np.zeros((len(documents), len(features)), dtype=np.float32)
    names = [feature["name"] for feature in features]
    if len(set(names)) < len(names):
        raise ValueError("two features have the same name")
    for column, feature in enumerate(features):
        if feature["template_language"] == "derived_expression":
            known = {name: vectors[:, place].astype(float) for place, name in enumerate(names)}
            vectors[:, column] = expression(feature["template"], known)
        else:
            query = filled_template(feature, parameters)
            scores = [query_score(query, document) for document in documents]
            vectors[:, column] = [0.0 if score is None else score for score in scores]
    return vectors


def filled_template(feature, parameters):
    """Return the query of a mustache template, its parameters replaced by their values."""
    template = feature["template"]
    text = template if isinstance(template, str) else json.dumps(template)
    for name in feature["params"]:
        text = text.replace("{{" + name + "}}", json.dumps(str(parameters[name]))[1:-1])
    return json.loads(text)


def query_score(query, document):
    """Return the score of a document for a query, or None if it does not match."""
    ((kind, body),) = query.items()
    return QUERIES[kind](body, document)


def _exists(body, document):
    return 1.0 if body["field"] in document else None


def _term(body, document):
    ((field, asked),) = body.items()
    return _terms({field: [asked["value"]]}, document)


def _terms(body, document):
    ((field, asked),) = body.items()
    return 1.0 if document.get(field) in asked else None


def _range(body, document):
    ((field, limits),) = body.items()
    tests = {"lt": np.less, "lte": np.less_equal, "gt": np.greater, "gte": np.greater_equal}
    found = field in document and all(tests[name](document[field], limit) for name, limit in limits.items())
    return 1.0 if found else None


def _bool(body, document):
    """Return the sum of the scores of ``must`` and ``should``; ``filter`` and ``must_not`` only decide."""

    def scores(clause):
        queries = body.get(clause, [])
        return [query_score(query, document) for query in (queries if isinstance(queries, list) else [queries])]

    must, should = scores("must"), [score for score in scores("should") if score is not None]
    if None in [*must, *scores("filter")] or any(score is not None for score in scores("must_not")):
        return None
    if "should" in body and not should and not {"must", "filter"} & set(body):
        return None
    return float(sum(must) + sum(should))


def _constant_score(body, document):
    return None if query_score(body["filter"], document) is None else body.get("boost", 1.0)


def _match(body, document):
    """Return the number of the text's words that the field contains: some score that depends on the query."""
    ((field, text),) = body.items()
    found = set(text.split()) & set(str(document.get(field, "")).split())
    return float(len(found)) or None


def _function_score(body, document):
    if query_score(body.get("query", {"match_all": {}}), document) is None:
        return None
    if body["boost_mode"] != "replace":
        raise ValueError("only boost_mode replace")
    factor = body["field_value_factor"]
    value = document.get(factor["field"], factor.get("missing"))
    if value is None:
        raise ValueError(f"missing value for field {factor['field']}")
    result = value * factor.get("factor", 1.0)
    if result < 0:
        raise ValueError("field value function must not produce negative scores")
    return np.float32(result)


QUERIES = {
    "match_all": lambda body, document: body.get("boost", 1.0),
    "match": _match,
    "exists": _exists,
    "term": _term,
    "terms": _terms,
    "range": _range,
    "bool": _bool,
    "constant_score": _constant_score,
    "function_score": _function_score,
}


def score_vectors(names, model, vectors):
    """Return the float32 scores of feature vectors."""
    vectors = vectors.copy()
    for name, normalizer in model.get("feature_normalizers", {}).items():
        column = vectors[:, names.index(name)]
        vectors[:, names.index(name)] = normalised(normalizer, column)
    definition = model["definition"]
    return MODELS[model["type"]](definition, names, vectors)


def normalised(normalizer, column):
    """Return (x − mean) / deviation or (x − minimum) / (maximum − minimum), in float32."""
    ((kind, given),) = normalizer.items()
    if kind == "standard":
        if given["standard_deviation"] <= 0:
            raise ValueError("a standard deviation must be above 0")
        return (column - np.float32(given["mean"])) / np.float32(given["standard_deviation"])
    low, high = np.float32(given["minimum"]), np.float32(given["maximum"])
    return (column - low) / (high - low)


def linear(definition, names, vectors):
    """Return the float32 sum of weight times value over all features, in the order of the set."""
    weights = json.loads(definition) if isinstance(definition, str) else definition
    unknown = set(weights) - set(names)
    if unknown:
        raise ValueError(f"unknown features: {unknown}")
    total = np.zeros(len(vectors), dtype=np.float32)
    for column, name in enumerate(names):
        total = total + np.float32(weights.get(name, 0.0)) * vectors[:, column]
    return total


def ranklib(definition, names, vectors):
    return ranklib_model.evaluate(definition, vectors).astype(np.float32)


def xgboost(definition, names, vectors):
    """Return the float32 sum of the leaves: ``x < split_condition`` goes to ``yes``."""
    parsed = json.loads(definition) if isinstance(definition, str) else definition
    if isinstance(parsed, dict):
        if parsed["objective"] not in RAW_OBJECTIVES:
            raise ValueError(f"objective {parsed['objective']}")
        parsed = parsed["splits"]
    total = np.zeros(len(vectors), dtype=np.float32)
    for tree in parsed:
        total = total + _leaves(tree, names, vectors)
    return total


def _leaves(node, names, rows):
    if "leaf" in node:
        return np.full(len(rows), node["leaf"], dtype=np.float32)
    if set(node) - TREE_KEYS:
        raise ValueError(f"unknown keys: {set(node) - TREE_KEYS}")
    yes, no = node["children"]
    if (yes["nodeid"], no["nodeid"]) != (node["yes"], node["no"]):
        raise ValueError("children are listed in the order yes, no")
    below = rows[:, names.index(node["split"])] < np.float32(node["split_condition"])
    leaves = np.empty(len(rows), dtype=np.float32)
    leaves[below] = _leaves(yes, names, rows[below])
    leaves[~below] = _leaves(no, names, rows[~below])
    return leaves


MODELS = {"model/linear": linear, "model/ranklib": ranklib, "model/xgboost+json": xgboost}
