"""Features that a real Solr logs: requested for judged documents, read back, joined, and learned from."""

import json

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.live_engine.engine_client import EngineClient, EngineRequestError
from tests.cli.commands import glassrank

pytestmark = pytest.mark.engine
FEATURE = "org.apache.solr.ltr.feature"
FEATURES = [
    {"name": "title", "class": f"{FEATURE}.SolrFeature", "params": {"q": "{!field f=title_t}${text}"}},
    {"name": "price", "class": f"{FEATURE}.FieldValueFeature", "params": {"field": "price_f", "defaultValue": "-1.5"}},
    {"name": "age", "class": f"{FEATURE}.FieldValueFeature", "params": {"field": "age_f", "defaultValue": "NaN"}},
    {"name": "mobile", "class": f"{FEATURE}.ValueFeature", "params": {"value": "${mobile}", "required": True}},
]
# Identifiers and queries with every character that Solr's syntax gives a meaning
DOCUMENTS = [
    {"id": "a,1", "title_t": "blue jeans", "price_f": 1e-5, "age_f": 3.0},
    {"id": "b|2", "title_t": "Bob's blue jeans", "age_f": 0.1},
    {"id": "{!c}", "title_t": "red dress", "price_f": 12345678.0},
    {"id": "d e", "title_t": "blue", "price_f": 3.4028235e38, "age_f": -0.0},
]
HOSTILE = 'it\'s {!x} \\ "$q" ${a} ü, 日本'
QUERIES = ["blue jeans"] * 5 + [HOSTILE] * 2
IDS = ["a,1", "b|2", "{!c}", "d e", "not indexed", "a,1", "{!c}"]
GRADES = [3, 2, 0, 1, 2, 0, 1]


@pytest.fixture
def shop(solr):
    solr.accept("PUT", "schema/feature-store", [{"store": "shop"} | feature for feature in FEATURES])
    solr.index(DOCUMENTS)
    return solr


def log(shop, path, **options):
    settings = {"engine": "solr", "features": "shop", "parameters": {"mobile": "1"}} | options
    return gr.log_features(shop.url, gr.Judgements(QUERIES, IDS, GRADES), path, **settings)


def test_logged_values_are_those_of_the_documents_as_float32(shop, tmp_path):
    report = log(shop, tmp_path / "log.jsonl", batch=3)
    assert report.not_returned == (("blue jeans", "not indexed"),)
    assert report.n_requests == 3
    found = gr.load_feature_log(tmp_path / "log.jsonl")
    assert found.feature_names == ("title", "price", "age", "mobile")
    values = dict(zip(zip(found.query, found.doc_ids, strict=True), found.X.astype(np.float32), strict=True))
    for query, document in set(zip(QUERIES, IDS, strict=True)) - {("blue jeans", "not indexed")}:
        fields = next(one for one in DOCUMENTS if one["id"] == document)
        expected = np.float32([fields.get("price_f", -1.5), fields.get("age_f", np.nan), 1.0])
        np.testing.assert_array_equal(values[query, document][1:], expected)
        # Solr compares the title with the text of the query.
        matches = query == "blue jeans" and "blue jeans" in fields["title_t"]
        assert (values[query, document][0] > 0) == matches


def test_a_second_run_requests_nothing(shop, tmp_path):
    log(shop, tmp_path / "log.jsonl")
    before = (tmp_path / "log.jsonl").read_bytes()
    report = log(shop, tmp_path / "log.jsonl")
    assert (report.n_requests, report.n_resumed, report.n_logged) == (0, 7, 6)
    assert (tmp_path / "log.jsonl").read_bytes() == before


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_saved_responses_give_the_same_values_dense_and_sparse(layout, shop, tmp_path):
    """The header has the query; the defaults of the sparse format come from the store that Solr returns."""
    fields = f"id,[features store=shop efi.text='blue jeans' efi.mobile=1 format={layout}]"
    answer = shop.accept("POST", "select", q="blue jeans", df="title_t", fl=fields, wt="json", echoParams="explicit")
    (tmp_path / "saved.json").write_text(json.dumps(answer, indent=2))
    (tmp_path / "store.json").write_text(json.dumps(shop.accept("GET", "schema/feature-store/shop")))
    options = {"sparse": True, "feature_store": tmp_path / "store.json"} if layout == "sparse" else {}
    found = gr.load_feature_log(tmp_path / "saved.json", **options)
    log(shop, tmp_path / "log.jsonl")
    logged = gr.load_feature_log(tmp_path / "log.jsonl")
    rows = {pair: row for row, pair in enumerate(zip(logged.query, logged.doc_ids, strict=True))}
    same = [rows[pair] for pair in zip(found.query, found.doc_ids, strict=True)]
    assert len(same) == 3
    np.testing.assert_array_equal(found.X, logged.X[same])


def test_errors_of_solr_are_repeated(shop, tmp_path):
    with pytest.raises(DataError, match=r"HTTP status 500: .*mobile.* requires efi parameter"):
        log(shop, tmp_path / "log.jsonl", parameters={})
    with pytest.raises(DataError, match="the feature store has no features"):
        log(shop, tmp_path / "log.jsonl", features="absent")
    with pytest.raises(EngineRequestError, match="Check the address") as error:
        EngineClient(shop.url.replace("glassrank", "absent")).send("GET", "select")
    assert error.value.status == 404
    assert not (tmp_path / "log.jsonl").exists()


def test_from_judgements_to_a_model_on_the_command_line(shop, tmp_path):
    rows = [f'"{query}",{document},{grade}\n' for query, document, grade in TRAINING]
    (tmp_path / "ratings.csv").write_text("query,docid,rating\n" + "".join(rows))
    shop.index(
        {"id": f"p{n}", "title_t": "blue " * (n % 3) + "jeans dress", "price_f": float(n), "age_f": n % 4}
        for n in range(8)
    )
    options = ["--engine", "solr", "--features", "shop", "--parameter", "mobile=1", "--judgements", "ratings.csv"]
    done = glassrank("data", "log-features", shop.url, "log.jsonl", *options, folder=tmp_path)
    assert (done.code, done.out) == (0, f"{tmp_path.resolve() / 'log.jsonl'}: 24 documents, 3 requests\n")
    done = glassrank("data", "join", "ratings.csv", "log.jsonl", "train.csv", folder=tmp_path)
    assert done.err.endswith("24 documents judged and logged\nWrote train.csv: 24 rows, 3 queries, 4 features.\n")
    done = glassrank("train", "train.csv", "--model", "rank-svm", "--output", "m.json", "-q", folder=tmp_path)
    assert done.code == 0, done.err
    data = gr.load_data(tmp_path / "train.csv")
    assert gr.load_model(tmp_path / "m.json").score(data.table, data.y, qid=data.qid) > 0.9


# Cheaper is better.
TRAINING = [(query, f"p{n}", 7 - n) for query in ("blue", "jeans", "dress") for n in range(8)]
