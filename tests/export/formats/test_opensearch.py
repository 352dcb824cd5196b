"""Exports to OpenSearch's and Elasticsearch's LTR plugins, scored by a twin of the plugin."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank.export.formats.contract import Request
from glassrank.export.formats.ltr.opensearch import KINDS, write_opensearch
from tests.export.formats.test_solr import random_model
from tests.export.hard_rows import hard_rows
from tests.export.ltr_exports import (
    ADDITIVE,
    LAYERS,
    bodies,
    documents,
    engine_scores,
    exported,
    ranked,
    single_rows,
    wide,
    wrongly_ordered,
)
from tests.reference import opensearch_ltr
from tests.reference.xgboost_saved import saved_model

STEPS = 0.05
EXPORTS = [
    *((name, "derived_expression", None) for name in (*ADDITIVE, *LAYERS)),
    ("linear", "linear", 0.01),
    *((name, kind, STEPS) for name in ADDITIVE for kind in ("ranklib", "xgboost")),
]


@pytest.mark.parametrize(("name", "kind", "max_error"), EXPORTS)
def test_scores_are_within_the_bound_of_the_model_s_and_order_documents_alike(name, kind, max_error):
    made, (rows, expected) = exported(name, "opensearch", kind, max_error), single_rows(name)
    scores = engine_scores(made.model, made.written, rows)
    assert len(rows) == 1200
    assert np.abs(scores - expected).max() <= made.bound <= made.model.tolerance
    assert wrongly_ordered(scores, expected, made.bound) == 0


@pytest.mark.parametrize(("name", "kind", "max_error"), EXPORTS)
def test_scores_at_knots_thresholds_ends_and_missing_values_are_within_the_bound(name, kind, max_error):
    made = exported(name, "opensearch", kind, max_error)
    X = hard_rows(made.model)
    assert np.abs(engine_scores(made.model, made.written, X) - made.model.score(X)).max() <= made.bound


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@example(seed=240145582)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_models_keep_the_bound(kind, seed):
    terms = ["line", "levels"] if kind == "linear" else ["line", "levels", "steps", "curve"]
    model = random_model(seed, ["levels", "steps"] if kind in ("ranklib", "xgboost") else terms, 1.0)
    written = write_opensearch(Request(model, "shop_1a2b3c4d", kind, {}))
    X = inside(model, hard_rows(model))
    assert np.abs(engine_scores(model, written, X) - model.score(X)).max(initial=0.0) <= written.bound


def inside(model, X):
    """The rows whose numbers are in the valid ranges, which may be narrower than a step of single precision."""
    low, high = np.array([one.valid if not one.kind.levels else (-np.inf, np.inf) for one in model.features]).T
    return X[(np.isnan(X) | ((low <= X) & (high >= X))).all(axis=1)]


@pytest.mark.parametrize("name", [*ADDITIVE, *LAYERS])
def test_values_in_double_precision_that_the_engine_rounds_keep_the_bound(name):
    ranker, X = ranked(name)
    made = exported(name, "opensearch")
    assert np.abs(engine_scores(made.model, made.written, X.values) - ranker.predict(X)).max() <= made.bound


@pytest.mark.parametrize("kind", KINDS)
def test_elasticsearch_gets_the_same_requests(kind):
    ours, theirs = (exported("linear", name, kind, 0.1) for name in ("opensearch", "elasticsearch"))
    assert ours.name != theirs.name  # a name changes with the format
    assert [json.dumps(body).replace(theirs.name, ours.name) for body in bodies(theirs.files)] == [
        json.dumps(body) for body in bodies(ours.files)
    ]
    assert "address of Elasticsearch" in theirs.usage


@pytest.mark.parametrize("n_features", [1, 136])
@pytest.mark.parametrize(
    ("kernel", "kind", "max_error"),
    [
        ("linear", "derived_expression", None),
        ("linear", "linear", 0.01),
        ("lrbf", "derived_expression", 1.0),
        ("lrbf", "ranklib", 10.0),
    ],
)
def test_models_of_one_and_of_136_features_keep_the_bound(n_features, kernel, kind, max_error):
    model, X, names = wide(n_features, kernel)
    made = gr.export_model(model, "opensearch", kind=kind, feature_names=names, max_error=max_error)
    assert np.abs(engine_scores(made.model, made.written, X) - model.predict(X)).max() <= made.bound


def test_500_hidden_nodes_are_features_of_their_own_that_one_expression_adds_up():
    _, X, names = wide(20)
    y = np.digitize(X[:, 0] + np.sin(X[:, 1]), [0.0, 2.0])
    model = gr.ELMRank(500, random_state=0).fit(X, y, qid=np.repeat(np.arange(12), 10))
    made = gr.export_model(model, "opensearch", feature_names=names)
    features = bodies(made.files)[0]["featureset"]["features"]
    assert sum(feature["name"].startswith("gr_node_") for feature in features) == 500
    assert features[-1]["name"] == "gr_score"
    assert np.abs(engine_scores(made.model, made.written, X) - model.predict(X)).max() <= made.bound


def test_features_that_an_expression_reads_come_before_it():
    features = bodies(exported("elm gaussian", "opensearch").files)[0]["featureset"]["features"]
    seen = set()
    for feature in features:
        if feature["template_language"] == "derived_expression":
            assert set(opensearch_ltr.lucene_expression.variables(feature["template"])) <= seen
        seen.add(feature["name"])


def test_features_may_have_names_that_resemble_those_of_the_export():
    model, X, _ = wide(6, "lrbf")
    names = ["score", "no_score", "effect_score", "is_score_0", "sum_1", "node_1"]
    made = gr.export_model(model, "opensearch", feature_names=names, max_error=1e-3)
    assert np.abs(engine_scores(made.model, made.written, X) - model.predict(X)).max() <= made.bound


@pytest.mark.parametrize(
    ("name", "kind", "max_error"),
    [("linear", "linear", 0.01), ("lrbf", "derived_expression", None), ("elm additive", "xgboost", STEPS)],
)
def test_a_changed_file_gives_scores_beyond_the_bound_or_an_error(name, kind, max_error):
    made, (X, _) = exported(name, "opensearch", kind, max_error), single_rows(name)
    constant = 0.0 if made.written.constant_included else made.model.constant
    for change in CHANGES:
        feature_set, model = bodies(made.files)
        try:
            change(feature_set["featureset"]["features"], model["model"]["model"])
            scores = opensearch_ltr.rescore(feature_set, model, documents(made.model, X))
        except (ValueError, KeyError):  # the plugin refuses unknown names
            continue
        assert np.abs(scores + constant - made.model.score(X)).max() > made.bound, change


def drop_price(features, model):
    del features[0]


def use_the_wrong_field(features, model):
    features[0]["template"] = json.loads(json.dumps(features[0]["template"]).replace("price", "rating"))


def move_the_score_to_the_front(features, model):
    if features[-1]["name"] != "gr_score":
        raise ValueError("no expression")
    features.insert(0, features.pop())


def change_a_number(features, model):
    if features[-1]["name"] == "gr_score":
        features[-1]["template"] += "+0.01"
    elif model["type"] == "model/linear":
        model["definition"]["price"] *= 1.01
    else:
        trees = json.loads(model["definition"])
        root = trees["splits"][0]
        root["children"].reverse()
        root["yes"], root["no"] = root["no"], root["yes"]
        model["definition"] = json.dumps(trees)


CHANGES = [drop_price, use_the_wrong_field, move_the_score_to_the_front, change_a_number]


@pytest.mark.parametrize("name", ["lrbf", "elm additive"])
def test_trees_give_the_same_scores_in_xgboost_itself(name):
    xgboost = pytest.importorskip("xgboost")
    made = exported(name, "opensearch", "xgboost", STEPS)
    feature_set, model = bodies(made.files)
    found = documents(made.model, np.vstack([single_rows(name)[0], hard_rows(made.model)]))
    features = feature_set["featureset"]["features"]
    vectors = opensearch_ltr.feature_vectors(features, found, {})
    booster = xgboost.Booster()
    columns = [feature["name"] for feature in features]
    booster.load_model(saved_model(json.loads(model["model"]["model"]["definition"])["splits"], columns))
    scores = booster.predict(xgboost.DMatrix(vectors, feature_names=columns), output_margin=True)
    np.testing.assert_array_equal(scores, opensearch_ltr.rescore(feature_set, model, found))


def test_the_search_ranks_by_the_model_alone_and_names_the_parameters():
    definitions = {"price": {"match": {"title": "{{keywords}}"}}}
    ranker, X = ranked("linear")
    made = gr.export_model(ranker, "opensearch", feature_names=X.names, definitions=definitions)
    search = json.loads(made.files["search.json"])["rescore"]
    assert search["query"]["rescore_query"] == {"sltr": {"model": made.name, "params": {"keywords": "…"}}}
    assert (search["query"]["query_weight"], search["query"]["rescore_query_weight"]) == (0, 1)
    for call in ("PUT", "POST", "DELETE"):
        assert f"curl -X {call}" in made.usage
    assert f"_ltr/_featureset/{made.name}_fs/_createmodel" in made.usage


def test_the_logarithm_of_counts_is_not_refused_for_its_slope_at_0():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.floor(rng.gamma(2, 3, 300) ** 3), rng.normal(0, 1, 300)])
    y = np.digitize(np.log1p(X[:, 0]) + X[:, 1], [3.0, 5.0])
    ranker = make_pipeline(gr.FeatureTransformer("log"), gr.RankSVM())
    ranker.fit(X, y, ranksvm__qid=np.repeat(np.arange(15), 20))
    for kind in ("derived_expression", "xgboost"):
        made = gr.export_model(ranker, "opensearch", kind=kind, feature_names=["clicks", "change"])
        rows = np.concatenate([X.astype(np.float32).astype(float), hard_rows(made.model)])
        assert np.abs(engine_scores(made.model, made.written, rows) - ranker.predict(rows)).max() <= made.bound
