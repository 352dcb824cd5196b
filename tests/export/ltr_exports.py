"""Exports to the LTR plugins and to RankLib, with rows to score and the documents of an index that contain them."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank.core.feature_kinds import UNSEEN
from tests.export.product_models import MODELS, products, ranked_by
from tests.reference import opensearch_ltr

ADDITIVE = ("linear", "lrbf", "elm additive")
LAYERS = (*(name for name in MODELS if name not in ADDITIVE), "elm gaussian")


@cache
def ranked(name):
    """A fitted model and the table of 1,200 rows that it takes."""
    if name != "elm gaussian":
        return ranked_by(name)
    _, X = ranked_by("elm tanh")
    data = products()
    ranker = gr.ELMRank(60, "gaussian", alpha=0.1, missing="mean", random_state=0)
    return make_pipeline(gr.FeatureTransformer("standard"), ranker).fit(X, data.y, elmrank__qid=data.qid), X


@cache
def exported(name, format_name, kind=None, max_error=None):
    ranker, X = ranked(name)
    return gr.export_model(ranker, format_name, kind=kind, max_error=max_error, feature_names=X.names)


@cache
def single_rows(name):
    """The rows of training in single precision, as an engine keeps them, and the model's scores of them."""
    ranker, X = ranked(name)
    rows = X.values.astype(np.float32).astype(float)
    return rows, ranker.predict(replace(X, values=rows))


@cache
def wide(n_features, kernel="linear"):
    """A ranker of many features, its 120 rows and their names."""
    generator = np.random.default_rng(2)
    X = generator.normal(1, 2, (120, n_features)).astype(np.float32).astype(float)
    y = np.digitize(X @ generator.normal(0, 1, n_features), [-1.0, 2.0])
    model = gr.RankSVM(kernel=kernel).fit(X, y, qid=np.repeat(np.arange(12), 10))
    return model, X, [f"f{k}" for k in range(n_features)]


def documents(form, X):
    """The rows as documents of an index: fields by name, absent if missing."""
    return [
        {one.name: _content(one.kind, x) for one, x in zip(form.features, row, strict=True) if x == x}
        for row in X.tolist()
    ]


def _content(kind, x):
    if not kind.is_category:
        return x
    return "a level that training did not have" if x == UNSEEN else kind.level(x)


def bodies(files):
    """The requests that create the features and the model."""
    return json.loads(files["features.json"]), json.loads(files["model.json"])


def engine_scores(form, written, X, **options):
    """Scores of the plugin's twin, with the constant that its linear models lack."""
    scores = opensearch_ltr.rescore(*bodies(written.files), documents(form, X), **options)
    return scores.astype(float) + (0.0 if written.constant_included else form.constant)


def wrongly_ordered(scores, expected, bound):
    """Number of pairs that the scores order against the expected ones although these differ by more than 2·bound."""
    apart = expected[:, None] - expected[None, :] > 2 * bound
    return int((apart & (scores[:, None] <= scores[None, :])).sum())


def close_pairs(expected, bound):
    """Number of pairs that may change places, because their scores differ by at most 2·bound, and of all pairs."""
    gaps = np.abs(expected[:, None] - expected[None, :])[np.triu_indices(len(expected), 1)]
    return int((gaps <= 2 * bound).sum()), len(gaps)
