"""check_export: scores of an engine against those of the model file, on a server that computes what the engines do."""

import json
from dataclasses import replace
from urllib.parse import parse_qs

import numpy as np
import pytest

import glassrank as gr
from glassrank.export.formats.ltr.engine_columns import decoded_value
from tests.data.live_engine.engine_server import as_json, serving
from tests.export import ltr_exports, solr_documents
from tests.export.product_models import products, ranked_by
from tests.reference import opensearch_ltr, solr_scores

N = 60
EXPORTS = [
    ("solr", "linear", "linear", None),
    ("solr", "lrbf", "network", None),
    ("solr", "lrbf", "trees", 0.05),
    ("opensearch", "linear", "linear", 0.01),
    ("opensearch", "lrbf", "derived_expression", None),
    ("opensearch", "lrbf", "xgboost", 0.05),
]


def saved(tmp_path, engine, name, kind=None, max_error=None):
    """Export a model of products, and return the export, the scorer of its model file and the folder."""
    ranker, X = ranked_by(name)
    fields = {"definitions": solr_documents.definitions(products_form(ranker, X))} if engine == "solr" else {}
    made = gr.export_model(ranker, engine, kind=kind, max_error=max_error, feature_names=X.names, **fields)
    gr.save_model(ranker, tmp_path / "model.json", feature_names=X.names)
    return made, gr.load_scorer(tmp_path / "model.json"), made.save(tmp_path / "ship")


def products_form(ranker, X):
    return gr.export_model(ranker, "python", feature_names=X.names).model


def rows():
    return products().table.values[:N].astype(np.float32).astype(float)


def answers(made, X, shift=0.0):
    """A function that answers requests as the engine of an export does, scores shifted by some amount."""
    return {"solr": solr_answer, "opensearch": opensearch_answer}[made.format](made, X, shift)


def solr_answer(made, X, shift):
    features, model = (json.loads(made.files[name]) for name in ("features.json", "model.json"))
    documents = solr_documents.documents(made.model, X)
    columns = {one["name"]: solr_scores.column(one, documents, {}) for one in features}
    scores = solr_scores.solr_scores(features, model, documents).astype(float) + shift
    docs = [
        {
            "id": str(place),
            "score": float(score),
            "[features]": ",".join(f"{name}={values[place]}" for name, values in columns.items()),
        }
        for place, score in enumerate(scores)
    ]
    return lambda request: as_json({"responseHeader": {"status": 0}, "response": {"docs": docs}})


def opensearch_answer(made, X, shift):
    feature_set, created = ltr_exports.bodies(made.files)
    documents = ltr_exports.documents(made.model, X)
    features = feature_set["featureset"]["features"]
    values = opensearch_ltr.feature_vectors(features, documents, {}).astype(float)
    scores = opensearch_ltr.rescore(feature_set, created, documents).astype(float) + shift
    names = [one["name"] for one in features]
    hits = [
        {
            "_id": str(place),
            "_score": score,
            "fields": {"_ltrlog": [{"glassrank": [{"name": n, "value": v} for n, v in zip(names, row, strict=True)]}]},
        }
        for place, (row, score) in enumerate(zip(values.tolist(), scores.tolist(), strict=True))
    ]
    return lambda request: as_json({"hits": {"hits": hits}})


@pytest.mark.parametrize(("engine", "name", "kind", "max_error"), EXPORTS)
def test_an_engine_that_computes_the_export_passes(engine, name, kind, max_error, tmp_path):
    made, scorer, folder = saved(tmp_path, engine, name, kind, max_error)
    with serving(answers(made, rows())) as server:
        found = gr.check_export(scorer, folder, server.url, "blue", rows=N)
    assert found.passed, str(found)
    assert (found.n_documents, found.n_beyond, found.n_swapped) == (N, 0, 0)
    assert 0 < found.largest <= found.bound == made.bound


@pytest.mark.parametrize("engine", ["solr", "opensearch"])
def test_another_score_fails(engine, tmp_path):
    made, scorer, folder = saved(tmp_path, engine, "linear")
    with serving(answers(made, rows(), shift=4 * made.bound)) as server:
        found = gr.check_export(scorer, folder, server.url, "blue", rows=N)
    assert not found.passed
    assert 3 * made.bound <= found.largest <= 5 * made.bound
    assert "does NOT rank like the model" in str(found)
    assert json.loads(found.to_json())["passed"] is False


def test_another_order_fails(tmp_path):
    made, scorer, folder = saved(tmp_path, "opensearch", "linear")
    X = rows()[:2]
    by_model = scorer.predict(replace(products().table, values=X))
    with serving(answers(made, X, shift=np.array([1.0, -1.0]) * (by_model[1] - by_model[0]))) as server:
        found = gr.check_export(scorer, folder, server.url, "blue", rows=N)
    assert (found.n_pairs, found.n_close, found.n_swapped) == (1, 0, 1)


def test_documents_beyond_the_valid_range_are_counted_and_not_compared(tmp_path):
    made, scorer, folder = saved(tmp_path, "solr", "lrbf", "network")
    X = rows()
    X[3, 1] = 1e6 * made.model.features[1].valid[1]
    with serving(answers(made, X)) as server:
        found = gr.check_export(scorer, folder, server.url, "blue", rows=N)
    assert found.passed
    assert (found.n_documents, found.n_beyond, found.n_pairs) == (N, 1, (N - 1) * (N - 2) // 2)
    assert "1 document has values far beyond those of the training data: not compared" in str(found)


def test_a_check_without_any_document_in_the_valid_range_is_refused(tmp_path):
    made, scorer, folder = saved(tmp_path, "solr", "linear")
    X = rows()
    X[:, 1] = 1e6 * made.model.features[1].valid[1]
    with serving(answers(made, X)) as server, pytest.raises(gr.DataError, match="all 60 documents have values far"):
        gr.check_export(scorer, folder, server.url, "blue", rows=N)


def test_a_level_without_an_effect_has_no_column_and_is_not_an_unknown_level():
    columns = {"gr_is_brand_0": 0.0, "gr_is_brand_2": 0.0, "gr_other_brand": 0.0}
    assert decoded_value("brand", 3, columns) == 1.0
    assert decoded_value("brand", 3, columns | {"gr_other_brand": 1.0}) == -1.0
    assert decoded_value("brand", 3, columns | {"gr_is_brand_2": 1.0}) == 2.0


def test_the_request_names_the_model_the_query_and_the_parameters(tmp_path):
    made, scorer, folder = saved(tmp_path, "solr", "linear")
    with serving(answers(made, rows())) as server:
        gr.check_export(scorer, folder, server.url, "title:blue", rows=7, parameters={"text": "blue", "shop": "b 2"})
    form = {name: values[0] for name, values in parse_qs(server.received[0].body.decode()).items()}
    assert form["rq"] == f"{{!ltr model={made.name} reRankDocs=7 efi.text=$gr_text efi.shop=$gr_shop}}"
    assert (form["q"], form["gr_text"], form["gr_shop"], form["rows"]) == ("title:blue", "blue", "b 2", "7")


def test_an_export_of_another_model_is_refused(tmp_path):
    made, _, folder = saved(tmp_path, "solr", "linear")
    gr.save_model(gr.RankSVM().fit([[0.1], [0.4]], [0, 1]), tmp_path / "other.json", feature_names=["bm25"])
    other = gr.load_scorer(tmp_path / "other.json")
    with serving(answers(made, rows())) as server, pytest.raises(gr.DataError, match="is of another model: it has the"):
        gr.check_export(other, folder, server.url, "blue", rows=N)


def test_a_feature_that_the_engine_does_not_log_is_named(tmp_path):
    _, scorer, folder = saved(tmp_path, "solr", "linear")
    document = {"id": "p1", "score": 1.0, "[features]": "price=1.0"}
    answer = as_json({"responseHeader": {"status": 0}, "response": {"docs": [document]}})
    with serving(lambda request: answer) as server, pytest.raises(gr.DataError, match="has logged no feature"):
        gr.check_export(scorer, folder, server.url, "blue", rows=N)


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ([], "returned no document for the query 'blue'"),
        ([{"id": "p1", "[features]": "price=1.0"}], "document 'p1' has no score: got None"),
    ],
)
def test_an_answer_that_cannot_be_compared_is_an_error(docs, message, tmp_path):
    _, scorer, folder = saved(tmp_path, "solr", "linear")
    answer = as_json({"responseHeader": {"status": 0}, "response": {"docs": docs}})
    with serving(lambda request: answer) as server, pytest.raises(gr.DataError, match=message):
        gr.check_export(scorer, folder, server.url, "blue", rows=N)


def test_folders_and_queries_that_cannot_be_checked_are_refused(tmp_path):
    _, scorer, folder = saved(tmp_path, "opensearch", "linear")
    function = gr.export_model(gr.RankSVM().fit([[0.1], [0.4]], [0, 1]), "python", rename="auto").save(tmp_path / "py")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "glassrank.json").write_text('{"format": "solr"}')
    url = "http://127.0.0.1:9/shop"
    for place, query, message in (
        (tmp_path, "blue", "has no glassrank.json: expected the folder of an export"),
        (tmp_path / "damaged", "blue", "not the description of an export"),
        (function, "blue", "is an export to 'python', which is no search engine"),
        (folder, "{broken", "begins with a brace but is not valid JSON"),
    ):
        with pytest.raises(gr.DataError, match=message):
            gr.check_export(scorer, place, url, query)


def test_a_coarse_export_is_called_coarse(tmp_path):
    made, scorer, folder = saved(tmp_path, "solr", "linear", "linear")
    description = json.loads((folder / "glassrank.json").read_text())
    (folder / "glassrank.json").write_text(json.dumps(description | {"table_error": 1e3}))
    with serving(answers(made, rows()[::-1], shift=np.linspace(0.0, 50.0, N))) as server:
        found = gr.check_export(scorer, folder, server.url, "blue", rows=N)
    assert found.passed
    assert found.n_close == found.n_pairs
    assert found.n_close_swapped > 0.05 * found.n_pairs
    assert "keeps what the export promises, but that is little" in str(found)
