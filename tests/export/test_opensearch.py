"""Exports to OpenSearch's and Elasticsearch's LTR plugins, scored by a twin of the plugin."""

import json

import numpy as np
import pytest

import glassrank as gr
from tests.export.shop_models import (
    ADDITIVE,
    LAYERS,
    documents,
    edge_rows,
    exported,
    predicted,
    shop_rows,
    wide_model,
    wrongly_ordered,
)
from tests.reference import opensearch_ltr
from tests.reference.xgboost_saved import saved_model

TREES = {"max_error": 0.05}
EXPORTS = [
    *((name, "derived_expression", {}) for name in (*ADDITIVE, *LAYERS)),
    ("linear", "linear", {}),
    *((name, kind, TREES) for name in ADDITIVE for kind in ("ranklib", "xgboost")),
]


def bodies(made):
    return json.loads(made.files["features.json"]), json.loads(made.files["model.json"])


def engine_scores(made, X, **options):
    """Scores of the twin; a linear model has no constant, which the side file tells."""
    side = json.loads(made.files["glassrank.json"])
    scores = opensearch_ltr.rescore(*bodies(made), documents(made.model, X), **options)
    return scores.astype(float) + (0.0 if side["constant_included"] else side["constant"])


@pytest.mark.parametrize(("name", "kind", "options"), EXPORTS)
def test_scores_are_within_the_bound_of_the_model_s_and_order_documents_alike(name, kind, options):
    made = exported(name, "opensearch", kind=kind, **options)
    scores, expected = engine_scores(made, shop_rows(name)), predicted(name)
    assert np.abs(scores - expected).max() <= made.bound <= made.model.tolerance
    assert wrongly_ordered(scores, expected, made.bound) == 0


@pytest.mark.parametrize(("name", "kind", "options"), EXPORTS)
def test_scores_at_knots_thresholds_ends_and_missing_values_are_within_the_bound(name, kind, options):
    made = exported(name, "opensearch", kind=kind, **options)
    X = edge_rows(made.model, shop_rows(name))
    assert len(X) > 40
    assert np.abs(engine_scores(made, X) - made.model.score(X)).max() <= made.bound


@pytest.mark.parametrize("kind", ["derived_expression", "linear", "ranklib", "xgboost"])
def test_elasticsearch_gets_the_same_requests(kind):
    ours, theirs = (exported("linear", name, kind=kind, max_error=0.1) for name in ("opensearch", "elasticsearch"))
    assert bodies(ours) == bodies(theirs)
    assert "address of Elasticsearch" in theirs.usage


@pytest.mark.parametrize("n_features", [1, 136])
@pytest.mark.parametrize(
    ("kernel", "kind", "max_error"),
    [
        ("linear", "derived_expression", None),
        ("linear", "linear", 0.01),
        ("lrbf", "derived_expression", 0.5),
        ("lrbf", "ranklib", 1.0),
        ("lrbf", "xgboost", 1.0),
    ],
)
def test_models_of_one_and_of_136_features_keep_the_bound(n_features, kernel, kind, max_error):
    model, X, names = wide_model(n_features, kernel)
    made = gr.export_model(model, "opensearch", kind=kind, feature_names=names, max_error=max_error)
    edges = edge_rows(made.model, X[:100], most_features=2)
    assert np.abs(engine_scores(made, X[:100]) - model.predict(X[:100])).max() <= made.bound
    assert np.abs(engine_scores(made, edges) - made.model.score(edges)).max() <= made.bound


def test_500_hidden_nodes_are_features_of_their_own_that_one_expression_adds_up():
    _, X, names = wide_model(20)
    y = np.digitize(X[:, 0] + np.sin(X[:, 1]), [0.0, 2.0])
    model = gr.ELMRank(500, random_state=0).fit(X, y, qid=np.repeat(np.arange(12), 10))
    made = gr.export_model(model, "opensearch", feature_names=names)
    features = bodies(made)[0]["featureset"]["features"]
    assert sum(feature["name"].startswith("gr_node_") for feature in features) == 500
    assert features[-1]["name"] == "gr_score"
    assert np.abs(engine_scores(made, X) - model.predict(X)).max() <= made.bound


def test_features_that_an_expression_reads_come_before_it():
    features = bodies(exported("gaussian", "opensearch"))[0]["featureset"]["features"]
    seen = set()
    for feature in features:
        if feature["template_language"] == "derived_expression":
            assert set(opensearch_ltr.lucene_expression.variables(feature["template"])) <= seen
        seen.add(feature["name"])


def test_features_may_have_names_that_resemble_those_of_the_export():
    model, X, _ = wide_model(6, "lrbf")
    names = ["score", "no_score", "effect_score", "is_score_0", "sum_1", "node_1"]
    made = gr.export_model(model, "opensearch", feature_names=names, max_error=1e-3)
    assert np.abs(engine_scores(made, X) - model.predict(X)).max() <= made.bound


@pytest.mark.parametrize(
    ("name", "kind"), [("linear", "linear"), ("lrbf", "derived_expression"), ("additive", "xgboost")]
)
def test_a_changed_file_gives_scores_beyond_the_bound_or_an_error(name, kind):
    made = exported(name, "opensearch", kind=kind, **({} if kind != "xgboost" else TREES))
    X, form = shop_rows(name), made.model
    constant = 0.0 if made.written.constant_included else form.constant
    for change in CHANGES:
        feature_set, model = bodies(made)
        try:
            change(feature_set["featureset"]["features"], model["model"]["model"])
            scores = opensearch_ltr.rescore(feature_set, model, documents(form, X))
        except (ValueError, KeyError):  # the plugin refuses unknown names
            continue
        assert np.abs(scores + constant - form.score(X)).max() > made.bound, change


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
        trees["splits"][0]["split_condition"] += 100.0
        model["definition"] = json.dumps(trees)


CHANGES = [drop_price, use_the_wrong_field, move_the_score_to_the_front, change_a_number]


@pytest.mark.parametrize("name", ["lrbf", "additive"])
def test_trees_give_the_same_scores_in_xgboost_itself(name):
    xgboost = pytest.importorskip("xgboost")
    made = exported(name, "opensearch", kind="xgboost", **TREES)
    feature_set, model = bodies(made)
    X = np.vstack([shop_rows(name), edge_rows(made.model, shop_rows(name))])
    features = feature_set["featureset"]["features"]
    vectors = opensearch_ltr.feature_vectors(features, documents(made.model, X), {})
    booster = xgboost.Booster()
    columns = [feature["name"] for feature in features]
    booster.load_model(saved_model(json.loads(model["model"]["model"]["definition"])["splits"], columns))
    found = booster.predict(xgboost.DMatrix(vectors, feature_names=columns), output_margin=True)
    np.testing.assert_array_equal(found, opensearch_ltr.rescore(feature_set, model, documents(made.model, X)))


def test_the_search_ranks_by_the_model_alone_and_names_the_parameters():
    definitions = {"price": {"match": {"title": "{{keywords}}"}}}
    made = exported("linear", "opensearch", definitions=definitions)
    search = json.loads(made.files["search.json"])["rescore"]
    assert search["query"]["rescore_query"] == {"sltr": {"model": made.name, "params": {"keywords": "…"}}}
    assert (search["query"]["query_weight"], search["query"]["rescore_query_weight"]) == (0, 1)
    for call in ("PUT", "POST", "DELETE"):
        assert f"curl -X {call}" in made.usage
    assert f"_ltr/_featureset/{made.name}_fs/_createmodel" in made.usage
