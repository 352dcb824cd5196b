"""The Ship page: every export is the library's and the command line's, and engines are checked with care."""

import io
import json
import re
import shlex
import shutil
import zipfile
from html import unescape
from urllib.parse import parse_qs

import numpy as np
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.cli.main import main
from glassrank.export.formats.format_table import FORMATS
from tests.app.conftest import STUDY, socket_on_free_port
from tests.data.live_engine.engine_server import as_json, serving

TOKEN = "x-glassrank-token"
CHECK = f"/s/{STUDY}/ship/check"


@pytest.fixture(scope="module")
def model(workspace):
    return gr.load_model(workspace / STUDY / "model.json")


@pytest.fixture(scope="module")
def scorer(workspace):
    return gr.load_scorer(workspace / STUDY / "model.json")


def text_of(answer):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def unzipped(answer):
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def checked(client, **fields):
    fields = {"format": "solr", "query": "blue"} | fields
    return client.post(CHECK, data=fields, headers={TOKEN: client.app.state.access.token})


def solr_like(made, scorer, shift=0.0):
    """A function that answers as a Solr that ranks with the model does."""
    said = made.description()
    low, high = np.array([one["training"] for one in said["features"]]).T
    X = np.random.default_rng(0).uniform(low, high, (20, len(low)))
    X = X.astype(np.float32).astype(float)
    order = [[one["in_model"] for one in said["features"]].index(name) for name in scorer.feature_names]
    scores = said["factor"] * scorer.predict(X[:, order]) - (0.0 if said["constant_included"] else said["constant"])
    docs = [
        {
            "id": f"sku{row}",
            "score": float(score) + shift,
            "[features]": ",".join(f"{one['name']}={x!r}" for one, x in zip(said["features"], values, strict=True)),
        }
        for row, (score, values) in enumerate(zip(scores, X.tolist(), strict=True))
    ]
    return lambda request: as_json({"responseHeader": {"status": 0}, "response": {"docs": docs}})


@pytest.mark.parametrize("name", FORMATS)
def test_the_archive_of_a_format_has_the_files_of_export_model(client, model, scorer, name):
    made = gr.export_model(model, name, feature_names=scorer.feature_names, rename="auto")
    answer = client.get(f"/s/{STUDY}/export/{name}.zip")
    assert unzipped(answer) == made.files
    assert answer.headers["content-disposition"] == f'attachment; filename="{made.name}-{name}.zip"'
    state = client.get(f"/api/studies/{STUDY}/exports/{name}").json()
    assert (state["possible"], state["bound"], state["notes"]) == (True, made.bound, list(made.written.notes))
    page = client.get(f"/s/{STUDY}/ship?format={name}")
    for shown in (made.usage, *made.written.notes, FORMATS[name].purpose):
        assert " ".join(shown.split()) in text_of(page)
    assert client.get(f"/s/{STUDY}/export/{name}.zip").content == answer.content


def test_the_command_on_the_page_writes_the_same_files(client, workspace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(workspace / STUDY / "model.json", "model.json")
    options = "name=shop&kind=trees&max_error=0.5&scale=logit"
    page = client.get(f"/s/{STUDY}/ship?format=solr&{options}")
    command = re.search(r"<pre[^>]*>(glassrank export [^<]+)</pre>", page.text)[1]
    found = CliRunner().invoke(main, shlex.split(unescape(command))[1:])
    assert found.exit_code == 0, found.output
    archive = unzipped(client.get(f"/s/{STUDY}/export/solr.zip?{options}"))
    assert {path.name: path.read_bytes() for path in (tmp_path / "solr").iterdir()} == archive


def test_fields_of_the_engine_become_definitions(client):
    query = '{"match": {"title": "{{text}}"}}'
    fields = {"format": "opensearch", "kind": "linear", "max_error": 1}
    fields |= {"field.BM25_title": query, "field.BM25_body": "body_score"}
    files = unzipped(client.get(f"/s/{STUDY}/export/opensearch.zip", params=fields))
    sent = {one["name"]: one["template"] for one in json.loads(files["features.json"])["featureset"]["features"]}
    assert sent["BM25_title"] == {"match": {"title": "{{text}}"}}
    assert "body_score" in json.dumps(sent["BM25_body"])
    page = client.get(f"/s/{STUDY}/ship", params=fields)
    assert 'value="body_score"' in page.text
    assert "--definitions definitions.json" in page.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("format=solr&max_error=1e-12", "Raise “Largest error”, or use a format that calculates in double precision."),
        ("format=solr&name=7%3Cb%3E", "“Name” must be at most 50 letters"),
        ("format=solr&field.none=x", "must name features of the model: got 'none'"),
        ("format=solr&kind=none", "“Kind of model” must be one of"),
        ("format=python&kind=trees", "has one kind of model only"),
    ],
)
def test_a_refused_export_says_why_in_the_words_of_the_form(client, options, said):
    page = client.get(f"/s/{STUDY}/ship?{options}")
    assert page.status_code == 200
    assert said in text_of(page)
    assert "max_error" not in text_of(page)
    assert "<b>" not in page.text
    assert "Download glassrank" not in page.text
    assert client.get(f"/s/{STUDY}/export/{parse_qs(options)['format'][0]}.zip?{options}").status_code == 422


def test_addresses_that_do_not_exist(client):
    for address, status in (
        (f"/s/{STUDY}/ship?format=none", 422),
        (f"/s/{STUDY}/ship?max_error=much", 422),
        (f"/s/{STUDY}/export/none.zip", 404),
        ("/s/none/export/solr.zip", 404),
        (f"/api/studies/{STUDY}/exports/none", 404),
        ("/api/studies/none/exports/solr", 404),
    ):
        assert client.get(address).status_code == status, address


def test_a_model_of_features_scaled_within_queries_is_refused_for_every_format(workspace, tmp_path):
    shutil.copytree(workspace / STUDY, tmp_path / "scaled")
    record = json.loads((tmp_path / "scaled" / "study.json").read_text())
    record["options"]["scale_per_query"] = "minmax"
    (tmp_path / "scaled" / "study.json").write_text(json.dumps(record))
    with TestClient(create_app(tmp_path, Access(port=80)), base_url="http://127.0.0.1") as client:
        for name in FORMATS:
            state = client.get(f"/api/studies/scaled/exports/{name}").json()
            assert not state["possible"]
            assert "scaled within each query (minmax)" in state["reason"]
        assert "Check a running engine" not in client.get("/s/scaled/ship").text


def test_every_file_of_the_study_can_be_downloaded(client, workspace):
    page = client.get(f"/s/{STUDY}/ship").text
    files = re.findall(rf'href="/s/{STUDY}/files/([^"]+)"', page)
    assert {"model.json", "report.html", "selection.csv", "effects.json", "result.json"} <= set(files)
    for file in files:
        assert client.get(f"/s/{STUDY}/files/{file}").content == (workspace / STUDY / file).read_bytes()


def test_an_engine_that_ranks_like_the_model_passes_and_another_does_not(client, model, scorer):
    made = gr.export_model(model, "solr", feature_names=scorer.feature_names, rename="auto")
    with serving(solr_like(made, scorer)) as server:
        page = checked(client, url=server.url, documents="20", parameters="mobile=1\n", document_field="id")
    assert page.status_code == 200
    assert "✓ The engine ranks like the model." in text_of(page)
    assert f"{made.name} at {server.url}: 20 documents" in text_of(page)
    (request,) = server.received
    assert (request.method, request.path) == ("POST", "/select")
    sent = parse_qs(request.body.decode())
    assert (sent["q"], sent["gr_text"], sent["gr_mobile"]) == (["blue"], ["blue"], ["1"])
    assert made.name in sent["rq"][0]
    with serving(solr_like(made, scorer, shift=10 * made.bound)) as server:
        page = checked(client, url=server.url, documents="20")
    assert "× The engine does NOT rank like the model." in text_of(page)


def test_a_check_follows_no_redirect_and_shows_errors_as_text(client):
    with serving(lambda request: as_json({})) as other:
        target = {"Location": f"{other.url}/select"}
        with serving(lambda request: (302, target, b"")) as server:
            page = checked(client, url=server.url)
        assert "the engine redirects to another address" in text_of(page)
        assert other.received == []
    with serving(lambda request: as_json({"error": {"msg": "<script>alert(1)</script>"}}, 400)) as server:
        page = checked(client, url=server.url)
    assert page.status_code == 422
    assert "HTTP status 400" in page.text
    assert "<script>alert" not in page.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"url": "file:///etc/passwd"}, "“Address” must be an address that begins with http:// or https://"),
        ({"url": "ftp://localhost/x"}, "“Address” must be an address that begins with http:// or https://"),
        ({"url": "http://user:secret@localhost/"}, "must not contain a user or a password"),
        ({"url": ""}, "“Address” must be filled in"),
        ({"url": "http://localhost:9/", "query": " "}, "“Query” must be filled in"),
        ({"url": "http://localhost:9/", "documents": "5000"}, "“Documents” must be a whole number from 1 to 1,000"),
        ({"url": "http://localhost:9/", "timeout": "3600"}, "“Time limit” must be between 0 and 60 seconds"),
        (
            {"url": "http://localhost:9/", "parameters": "mobile"},
            "“Parameters” must be a name, an equals sign",
        ),
        ({"url": "http://localhost:9/", "format": "python"}, "Python function is no search engine"),
    ],
)
def test_bad_input_of_a_check_is_named_by_its_field(client, fields, said):
    page = checked(client, **fields)
    assert page.status_code == 422
    assert said in text_of(page)
    assert "secret" not in re.sub(r'value="[^"]*"', "", page.text)


def test_an_engine_that_does_not_run_is_named(client):
    with socket_on_free_port() as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/solr/shop"
        page = checked(client, url=address, timeout="2")
    assert page.status_code == 422
    assert f"{address}/select: the engine cannot be reached" in text_of(page)


def test_a_check_without_the_token_sends_nothing(client):
    with serving(lambda request: as_json({})) as server:
        fields = {"format": "solr", "url": server.url, "query": "blue"}
        assert client.post(CHECK, data=fields).status_code == 403
        assert client.get(CHECK, params=fields).status_code == 405
    assert server.received == []
