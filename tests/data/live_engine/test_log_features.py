"""The logging job: requests for exactly the judged documents, and a log that grows, resumes and is never mixed."""

import json
from urllib.parse import parse_qs

import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from tests.data.feature_logs.responses import opensearch_response
from tests.data.live_engine.engine_server import as_json, serving

JUDGED = gr.Judgements(["blue jeans"] * 3 + ["it's"] * 2, ["1", "2", "3", "1", "gone"], [3, 1, 0, 2, 1])
OPTIONS = {"engine": "opensearch", "features": "shop", "batch": 2}


def engine(request):
    """Answer as OpenSearch's LTR plugin: every requested document except one, with two features."""
    documents = request.json()["query"]["bool"]["filter"][0]["terms"]["_id"]
    found = {one: {"bm25": float(len(one)), "price": None} for one in documents if one != "gone"}
    return as_json(opensearch_response(found, log="glassrank"))


def test_exactly_the_judged_documents_are_requested_in_batches(tmp_path):
    with serving(engine) as server:
        report = gr.log_features(
            f"{server.url}/shop", JUDGED, tmp_path / "log.jsonl", parameters={"site": "x"}, **OPTIONS
        )
    asked = [request.json() for request in server.received]
    filters = [body["query"]["bool"]["filter"] for body in asked]
    assert [one[0]["terms"]["_id"] for one in filters] == [["1", "2"], ["3"], ["1", "gone"]]
    assert [body["size"] for body in asked] == [2, 1, 2]
    assert filters[2][1] == {
        "sltr": {"_name": "glassrank", "featureset": "shop", "params": {"text": "it's", "site": "x"}}
    }
    assert asked[0]["ext"] == {"ltr_log": {"log_specs": {"name": "glassrank", "named_query": "glassrank"}}}
    assert {request.path for request in server.received} == {"/shop/_search"}
    assert (report.n_requests, report.n_logged, report.n_resumed) == (3, 4, 0)
    assert report.not_returned == (("it's", "gone"),)
    assert str(report).endswith("1 judged document was not returned by the engine, such as 'gone' (\"it's\").")
    log = gr.load_feature_log(tmp_path / "log.jsonl")
    assert log.query.tolist() == ["blue jeans"] * 3 + ["it's"]
    joined = gr.join_judgements(log, JUDGED)
    assert joined.data.y.tolist() == [3.0, 1.0, 0.0, 2.0]
    assert joined.not_logged == (("it's", "gone"),)


@pytest.mark.parametrize("cut", [0, 5, 400])
def test_an_interrupted_job_resumes_and_gives_the_same_log(cut, tmp_path):
    """The job fails after its second answer; ``cut`` bytes of the last line are lost as well."""
    answers = []

    def failing(request):
        answers.append(request)
        return engine(request) if len(answers) != 3 else as_json({"error": {"reason": "out of memory"}}, 500)

    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    with serving(failing) as server:
        url = f"{server.url}/shop"
        with pytest.raises(DataError, match="out of memory"):
            gr.log_features(url, JUDGED, parts, **OPTIONS)
        assert parts.read_bytes().count(b"\n") == 2
        if cut:
            parts.write_bytes(parts.read_bytes()[:-cut])
        report = gr.log_features(url, JUDGED, parts, **OPTIONS)
        gr.log_features(url, JUDGED, whole, **OPTIONS)
    assert parts.read_bytes() == whole.read_bytes()
    assert report.n_resumed == (3 if not cut else 2)
    assert (report.n_logged, report.not_returned) == (4, (("it's", "gone"),))
    assert not (tmp_path / "parts.jsonl.lock").exists()


def test_a_job_cut_in_its_first_line_starts_again(tmp_path):
    with serving(engine) as server:
        gr.log_features(f"{server.url}/shop", JUDGED, tmp_path / "whole.jsonl", **OPTIONS)
        (tmp_path / "log.jsonl").write_bytes((tmp_path / "whole.jsonl").read_bytes()[:40])
        report = gr.log_features(f"{server.url}/shop", JUDGED, tmp_path / "log.jsonl", **OPTIONS)
    assert report.n_resumed == 0
    assert (tmp_path / "log.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_log_of_other_settings_or_another_file_is_left_alone(tmp_path):
    path = tmp_path / "log.jsonl"
    with serving(engine) as server:
        url = f"{server.url}/shop"
        gr.log_features(url, JUDGED, path, **OPTIONS)
        before = path.read_bytes()
        with pytest.raises(DataError, match="the log was written with features 'shop', not 'other'"):
            gr.log_features(url, JUDGED, path, **OPTIONS | {"features": "other"})
        with pytest.raises(DataError, match=r"the log was written with parameters {}, not \{'site': 'x'\}"):
            gr.log_features(url, JUDGED, path, parameters={"site": "x"}, **OPTIONS)
        assert path.read_bytes() == before
        for text in ("query,doc,grade\n", '{"a": 1}\n', '{"a": 1}'):
            path.write_text(text)
            with pytest.raises(DataError, match=r"expected JSON|not a line of a feature log"):
                gr.log_features(url, JUDGED, path, **OPTIONS)
            assert path.read_text() == text


def test_a_partial_answer_is_an_error_and_is_not_written(tmp_path):
    late = as_json(opensearch_response({}) | {"timed_out": True})
    partial = pytest.raises(DataError, match="query 'blue jeans': the result is partial")
    with serving(lambda request: late) as server, partial:
        gr.log_features(f"{server.url}/shop", JUDGED, tmp_path / "log.jsonl", **OPTIONS)
    assert not (tmp_path / "log.jsonl").exists()


def solr(features):
    def answer(request):
        if request.method == "GET":
            return as_json({"features": features})
        form = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        documents = form["gr_documents"].split(form["gr_separator"])
        docs = [{"id": one, "[features]": "bm25=1.0"} for one in documents]
        return as_json({"responseHeader": {"status": 0}, "response": {"docs": docs}})

    return answer


@pytest.mark.parametrize(("documents", "separator"), [(["a", "b"], ","), (["a,1", "b"], "|"), (["a,1", "b|2"], "\x01")])
def test_identifiers_are_separated_by_what_they_do_not_contain(documents, separator, tmp_path):
    judged = gr.Judgements(["zen", "zen"], documents, [1, 0])
    with serving(solr([{"name": "bm25"}])) as server:
        report = gr.log_features(server.url, judged, tmp_path / "log.jsonl", engine="solr", features="shop")
    assert parse_qs(server.received[1].body.decode())["gr_separator"] == [separator]
    assert report.not_returned == ()


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "the feature store has no features"),
        ([{"name": "first", "class": "org.apache.solr.ltr.feature.OriginalScoreFeature"}], "'first' is the score of"),
    ],
)
def test_a_store_that_cannot_be_logged_is_refused_before_the_first_request(features, message, tmp_path):
    with serving(solr(features)) as server, pytest.raises(DataError, match=message):
        gr.log_features(server.url, JUDGED, tmp_path / "log.jsonl", engine="solr", features="shop")
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "vespa"}, "engine must be one of 'solr', 'opensearch'"),
        ({"batch": 1001}, "batch must be at most 1,000"),
        ({"features": "a b"}, "features must be a name of letters"),
        ({"parameters": {"efi.x]": "1"}}, "parameters must be a name of letters"),
        ({"parameters": {"text": "1"}}, "parameters must not contain 'text'"),
        ({"document": "sku"}, "document is for Solr"),
        ({"timeout": 0}, "timeout must be a positive number"),
    ],
)
def test_a_wrong_setting_is_refused(options, message, tmp_path):
    with pytest.raises(DataError, match=message):
        gr.log_features("http://127.0.0.1:1", JUDGED, tmp_path / "log.jsonl", **OPTIONS | options)


def test_a_packed_log_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be packed"):
        gr.log_features("http://127.0.0.1:1", JUDGED, tmp_path / "log.jsonl.gz", **OPTIONS)


def test_the_report_is_also_json(tmp_path):
    with serving(engine) as server:
        report = gr.log_features(f"{server.url}/shop", JUDGED, tmp_path / "log.jsonl", **OPTIONS)
    assert json.loads(report.to_json())["not_returned"] == [["it's", "gone"]]


def test_a_log_without_any_document_is_an_error_that_shows_what_documents_have(tmp_path):
    def answer(request):
        if request.method == "GET":
            return as_json({"features": [{"name": "bm25"}]})
        docs = [] if b"gr_documents" in request.body else [{"id": "p7", "sku": 12, "tags": ["a"]}]
        return as_json({"responseHeader": {"status": 0}, "response": {"docs": docs}})

    message = r"none has '1' in field 'name'\. One of its documents has id = 'p7', sku = '12'\. .*\(document\)"
    with serving(answer) as server, pytest.raises(DataError, match=message):
        gr.log_features(server.url, JUDGED, tmp_path / "log.jsonl", engine="solr", features="shop", document="name")
    assert not (tmp_path / "log.jsonl").exists()


@pytest.mark.parametrize(
    ("hits", "message"),
    [({"p7": {}}, "none has '1' in field '_id'. One of its documents has _id = 'p7'"), ({}, "/shop has no documents")],
)
def test_identifiers_that_opensearch_does_not_have_are_shown(hits, message, tmp_path):
    def answer(request):
        return as_json(opensearch_response({} if "ext" in request.json() else hits, log="glassrank"))

    with serving(answer) as server, pytest.raises(DataError, match=message):
        gr.log_features(f"{server.url}/shop", JUDGED, tmp_path / "log.jsonl", **OPTIONS)
