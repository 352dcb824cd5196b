"""From judged queries to a reranked search on a real Solr: log, train, export, upload, search, explain, delete."""

import json
from functools import cache

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import glassrank as gr
from tests.reference.solr_scores import score_matrix

pytestmark = pytest.mark.engine
COLOURS, THINGS, FABRICS = (
    ("blue", "red", "green", "black"),
    ("jeans", "dress", "shirt", "coat", "hat"),
    ("wool", "silk"),
)
FEATURES = {
    "title": {"class": "SolrFeature", "params": {"q": "{!edismax qf=title_t}${text}"}},
    "phrase": {"class": "SolrFeature", "params": {"q": "{!field f=title_t}${text}"}},
    "price": {"class": "FieldValueFeature", "params": {"field": "price_f"}},
    "popularity": {"class": "FieldValueFeature", "params": {"field": "popularity_f", "defaultValue": "NaN"}},
    "in_stock": {"class": "FieldValueFeature", "params": {"field": "stock_b"}},
    "mobile": {"class": "ValueFeature", "params": {"value": "${mobile}"}},
}
QUERIES = [f"{colour} {thing}" for colour in COLOURS for thing in THINGS]
MODELS = {
    "linear": gr.RankSVM(),
    "lrbf": gr.RankSVM(kernel="lrbf"),
    "elm": make_pipeline(gr.FeatureTransformer(), gr.ELMRank(40, nodes="additive", alpha=0.1, random_state=0)),
}


@cache
def products():
    """500 products with text, price and popularity, which some do not have."""
    rng = np.random.default_rng(0)
    titles = [" ".join(map(rng.choice, (COLOURS, FABRICS, THINGS))) for _ in range(500)]
    return [
        {"id": str(n), "title_t": title, "stock_b": bool(rng.random() < 0.7), "price_f": f32(rng.lognormal(3, 1))}
        | ({} if rng.random() < 0.3 else {"popularity_f": f32(rng.gamma(2))})
        for n, title in enumerate(titles)
    ]


def f32(x):
    return float(np.float32(x))


@pytest.fixture(scope="module")
def shop(solr_node):
    """The products in Solr, with a store of features to log."""
    solr_node.index(products())
    features = [
        one | {"store": "shop", "name": name, "class": f"org.apache.solr.ltr.feature.{one['class']}"}
        for name, one in FEATURES.items()
    ]
    solr_node.accept("PUT", "schema/feature-store", features)
    yield solr_node
    solr_node.clear()


@pytest.fixture(scope="module")
def judged(shop, tmp_path_factory):
    """A table to train on: 20 judged queries with the features that Solr logged."""
    rng = np.random.default_rng(1)
    rows = [(query, one["id"], grade(query, one)) for query in QUERIES for one in rng.choice(products(), 12)]
    queries, ids, grades = zip(*{(query, one): (query, one, own) for query, one, own in rows}.values(), strict=True)
    judgements = gr.Judgements(queries, ids, grades)
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    gr.log_features(shop.url, judgements, path, engine="solr", features="shop", parameters={"mobile": "1"})
    return gr.join_judgements(gr.load_feature_log(path), judgements).data


def grade(query, product):
    utility = 2 * sum(word in product["title_t"] for word in query.split()) + product["stock_b"]
    utility += product.get("popularity_f", 3.0) - 0.5 * np.log(product["price_f"])
    return int(np.digitize(utility, [1.5, 3, 4.5]))


@pytest.mark.parametrize("name", MODELS)
def test_a_search_is_ranked_by_the_model_on_the_logged_features(shop, judged, name):
    model = MODELS[name]
    parameters = {f"{model.steps[-1][0]}__qid" if hasattr(model, "steps") else "qid": judged.qid}
    model.fit(judged.table, judged.y, **parameters)
    exported = gr.export_model(model, "solr", feature_names=judged.feature_names, definitions=FEATURES)
    shop.accept("PUT", "schema/feature-store", exported.files["features.json"])
    shop.accept("PUT", "schema/model-store", exported.files["model.json"])
    scored = json.loads(exported.files["model.json"])
    names = [used["name"] for used in scored["features"]]
    constant = 0.0 if exported.written.constant_included else exported.model.constant
    for query in QUERIES:
        rows = judged.qid == query
        hits = search(shop, exported.name, query, judged.doc_ids[rows])
        found = {hit["id"]: dict(one.split("=") for one in hit["[features]"].split(",")) for hit in hits}
        scores = np.array([np.float32(hit["score"]) for hit in hits])
        values = np.array([[found[hit["id"]][one] for hit in hits] for one in names]).astype(np.float32)
        np.testing.assert_array_equal(scores, score_matrix(scored, values))
        expected = dict(zip(judged.doc_ids[rows], model.predict(judged.table[rows]) - constant, strict=True))
        wanted = np.array([expected[hit["id"]] for hit in hits])
        assert np.abs(scores - wanted).max() <= exported.bound
        assert (np.diff(wanted) <= 2 * exported.bound).all()
    explain_the_order(model, judged, hits, query, exported.bound)
    shop.accept("DELETE", f"schema/model-store/{exported.name}")
    shop.accept("DELETE", f"schema/feature-store/{exported.name}")
    assert shop.models() == []
    assert set(shop.stores()) - {"_DEFAULT_"} == {"shop"}


def search(solr, model, query, ids):
    """Return the judged documents of a query, ranked by the model, with the values of its features."""
    external = f"efi.mobile=1 efi.text='{query}'"
    request = f"{{!ltr model={model} reRankDocs=100 {external}}}"
    fields = f"id,score,[features store={model} {external}]"
    allowed = f"{{!terms f=id}}{','.join(ids)}"
    answer = solr.accept("POST", "select", q="*:*", fq=allowed, rq=request, fl=fields, rows=100, wt="json")
    assert len(answer["response"]["docs"]) == len(ids)
    return answer["response"]["docs"]


def explain_the_order(model, judged, hits, query, bound):
    """The explanation of the first document against the last agrees with Solr's order and scores."""
    first, last = hits[0], hits[-1]
    pair = gr.explain_pair(model, judged, query=query, document=first["id"], against=last["id"])
    assert pair.total == pytest.approx(first["score"] - last["score"], abs=2 * bound)
