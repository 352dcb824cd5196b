"""What Solr 8.11 computes for the files of an export, in NumPy: the same float32 operations in the same order.

Each step is rounded to float32 as the engine rounds it. Only exp and tanh are computed in double, as there.
"""

import re

import numpy as np

F = np.float32
FEATURE = "org.apache.solr.ltr.feature."
MODEL = "org.apache.solr.ltr.model."
# Added to every threshold of a tree when it is read.
SLACK = F(1e-6)


def solr_scores(features, model, documents, external=None):
    """Return the float32 score of each document, a mapping of fields, from the JSON of a feature store and a model."""
    definitions = {definition["name"]: definition for definition in features}
    columns = [column(definitions[used["name"]], documents, external or {}) for used in model["features"]]
    values = np.array(columns, F).reshape(len(columns), len(documents))
    return score_matrix(model, values)


def score_matrix(model, values):
    """Return the scores from the values of the model's features, a row per feature and a column per document."""
    with np.errstate(all="ignore"):
        z = np.array([normalised(used.get("norm"), x) for used, x in zip(model["features"], values, strict=True)], F)
        names = [used["name"] for used in model["features"]]
        return SCORERS[model["class"].removeprefix(MODEL)](model["params"], names, z)


def column(definition, documents, external):
    """Return the float32 value of a feature for each document."""
    params = definition["params"]
    default = F(params.get("defaultValue", 0))
    kind = definition["class"].removeprefix(FEATURE)
    if kind == "FieldValueFeature":
        return [F(document.get(params["field"], default)) for document in documents]
    if kind == "ValueFeature":
        name = re.fullmatch(r"\$\{(\w+)\}", params["value"])
        return [F(external.get(name[1], default) if name else params["value"])] * len(documents)
    (query,) = params["fq"]
    return [F(1) if matches(query, document) else default for document in documents]


def matches(query, document):
    """Return whether a document matches ``{!term f=FIELD}VALUE``, the same in quotes, or ``-FIELD:[* TO *]``."""
    term = re.fullmatch(r"\{!term f=(\w+)(?:\}(.*)| v='(.*)'\})", query, re.S)
    if term:
        value = (
            term[2]
            if term[3] is None
            else re.sub(r"\\(u0024|.)", lambda found: {"u0024": "$"}.get(found[1], found[1]), term[3])
        )
        held = document.get(term[1], [])
        return value in (held if isinstance(held, list) else [held])
    return re.fullmatch(r"-(\w+):\[\* TO \*\]", query)[1] not in document


def normalised(norm, x):
    if norm is None:
        return x
    params = {name: F(value) for name, value in norm["params"].items()}
    if norm["class"].endswith(".StandardNormalizer"):
        return (x - params["avg"]) / params["std"]
    return (x - params["min"]) / (params["max"] - params["min"])


def linear_scores(params, names, z):
    total = np.zeros(z.shape[1], F)
    for name, values in zip(names, z, strict=True):
        total = total + values * F(params["weights"][name])
    return total


def tree_scores(params, names, z):
    total = np.zeros(z.shape[1], F)
    place = {name: number for number, name in enumerate(names)}
    for tree in params["trees"]:
        values = np.array([leaf(tree["root"], place, document) for document in z.T], F)
        total = total + F(tree["weight"]) * values
    return total


def leaf(node, place, document):
    while "feature" in node:
        if node["feature"] not in place:
            return F(0)
        # NaN is not smaller or equal: it goes right.
        left = document[place[node["feature"]]] <= F(node["threshold"]) + SLACK
        node = node["left"] if left else node["right"]
    return F(node.get("value", 0))


def network_scores(params, names, z):
    for layer in params["layers"]:
        outputs = []
        for row, bias in zip(layer["matrix"], layer["bias"], strict=True):
            total = np.full(z.shape[1], F(bias))
            for weight, values in zip(row, z, strict=True):
                total = total + F(weight) * values
            outputs.append(ACTIVATIONS[layer["activation"]](total))
        z = np.array(outputs, F)
    return z[0]


SCORERS = {
    "LinearModel": linear_scores,
    "MultipleAdditiveTreesModel": tree_scores,
    "NeuralNetworkModel": network_scores,
}
ACTIVATIONS = {
    "identity": lambda x: x,
    "relu": lambda x: np.where(x < 0, F(0), x),
    "leakyrelu": lambda x: np.where(x < 0, F(0.01) * x, x),
    "sigmoid": lambda x: (1 / (1 + np.exp(-x.astype(float)))).astype(F),
    "tanh": lambda x: np.tanh(x.astype(float)).astype(F),
}
