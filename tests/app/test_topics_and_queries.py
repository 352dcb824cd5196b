"""The pages Topics and Queries: they show what the library computes, keep judgements apart, and refuse bad requests."""

import json
import re
import shutil
from html import unescape

import pytest
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank.app.security import Access
from glassrank.app.server import MAX_TEXT, create_app
from tests.app.web_folder import MODEL, STATISTICS, STUDY, WEB, results_table, store
from tests.distillation.small_web import collection, zen

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def zen_app(tmp_path):
    """The app of a folder with a collection of six pages, one of them hostile."""
    pages = {"http://a.org/zen": (HOSTILE, f"zen {HOSTILE}"), "javascript:alert(1)": ("Zen", "zen zen")}
    store(zen(), tmp_path / WEB)
    store(collection(pages, [("javascript:alert(1)", "http://a.org/zen")]), tmp_path / "hostile & <b>")
    with TestClient(create_app(tmp_path, Access(port=80)), base_url="http://127.0.0.1") as one:
        one.folder = tmp_path
        yield one


def token(client):
    return re.search('name="token" content="([^"]+)"', client.get("/").text)[1]


def bar(page):
    return re.findall(r"<a [^>]*>(\w+)</a>", page.partition('<nav class="pages"')[2].partition("</nav>")[0])


def test_the_bar_has_only_the_parts_of_the_folder(web_client, zen_app, client):
    assert bar(web_client.get("/").text) == ["Studies", "Topics", "Queries"]
    assert bar(zen_app.get("/").text) == ["Studies", "Topics"]
    assert bar(client.get("/").text) == []
    assert "glassrank distill build" in client.get("/topics").text
    assert "glassrank intent train" in client.get("/queries").text


def test_a_collection_or_model_that_is_gone_is_gone_from_the_bar(zen_app):
    for path in (WEB, "hostile & <b>"):
        shutil.rmtree(zen_app.folder / path)
    assert bar(zen_app.get("/").text) == []


def test_nothing_is_stored_inside_a_collection_which_may_be_replaced(tmp_path):
    store(zen(), tmp_path / "pages")
    with TestClient(create_app(tmp_path / "pages", Access(port=80)), base_url="http://127.0.0.1") as one:
        assert bar(one.get("/").text) == ["Studies", "Topics"]
        assert f"glassrank app {tmp_path}" in one.get("/topics").text
        assert one.get("/topics/judge?collection=pages&q=zen").status_code == 404


def test_a_study_of_several_classes_shows_systems_confusion_and_errors(tmp_path):
    (tmp_path / "classes").mkdir()
    own = {"name": "own", "macro_f1": 0.25, "interval": [0.1, 0.3], "accuracy": 0.5, "confusion": [[1, 0], [1, 0]]}
    wrong = {"query_id": "1", "query": HOSTILE, "label": "b", "predicted": "a", "probabilities": [0.7, 0.3]}
    plain = {"title": HOSTILE, "classes": ["a", "b"], "systems": [own], "queries": [wrong], "facts": {"Queries": "2"}}
    (tmp_path / "classes" / "classes.csv").write_text("")
    (tmp_path / "classes" / "result.json").write_text(json.dumps(plain))
    with TestClient(create_app(tmp_path, Access(port=80)), base_url="http://127.0.0.1") as one:
        page = one.get("/queries").text
    assert HOSTILE not in page
    assert "0.250" in page
    assert "1 b predicted a, 100%" in page
    assert "Errors by query" in page


def test_a_topic_shows_the_lists_of_distill(zen_app):
    page = zen_app.get("/topics", params={"collection": WEB, "q": "zen", "method": "hits"}).text
    own = gr.distill(zen(), "zen", "hits", random_state=0)
    authorities = page.partition("<h3>Authorities</h3>")[2].partition("</ol>")[0]
    listed = re.findall(r">([^<]+)</a></strong> <span>([^<]+)<", authorities)
    linked = [one for one in own.authorities if not one.filled]
    assert listed[: len(linked)] == [(one.title, f"{one.score:.3f}") for one in linked]
    assert '<div class="neighbourhood">' in page
    assert "Pruned pages</h2>" not in page
    assert "outside the sphere" in zen_app.get("/topics", params={"collection": WEB, "q": "zen"}).text


def test_text_of_pages_is_never_markup_and_only_web_addresses_are_links(zen_app):
    name = "hostile & <b>"
    for path in ("/topics", "/topics/judge"):
        page = zen_app.get(path, params={"collection": name, "q": f"zen {HOSTILE}", "judge": HOSTILE}).text
        assert HOSTILE not in page
        assert unescape(page).count(HOSTILE) > 1
        assert 'href="javascript' not in page


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/topics?q=nowhere&collection=web", 422, "nowhere"),
        ("/topics?method=magic", 422, "method must be one of"),
        ("/topics?candidates=all", 422, "candidates must be one of"),
        ("/topics?collection=../web", 404, "There is no collection"),
        (f"/topics?q={'x' * 1001}", 422, "q:"),
        ("/topics/judge?collection=web", 422, "q:"),
        ("/topics/judge?collection=web&q=+", 422, "query must be words"),
        ("/topics/judge?collection=none&q=zen", 404, "There is no collection"),
        ("/topics/judge?collection=web&q=zen&judge=...", 422, "judge must be a name"),
        ("/topics/agreement?collection=..", 404, "There is no collection"),
        ("/topics/agreement?collection=web&level=cubic", 422, "level must be one of"),
        ("/queries?study=none", 200, "There is no intent model"),
        ("/queries/..%2Fweb/report", 404, "There is no"),
    ],
)
def test_bad_requests_are_named(zen_app, path, status, message):
    answer = zen_app.get(path)
    assert answer.status_code == status
    assert message in unescape(answer.text)


def test_two_people_judge_blind_and_their_agreement_is_shown(zen_app):
    form = {"collection": WEB, "q": "zen", "token": token(zen_app)}
    page = zen_app.get("/topics/judge", params=form | {"judge": "ann"}).text
    documents = [unescape(one) for one in re.findall('name="document" value="([^"]+)"', page)]
    assert len(documents) == len(set(documents)) >= 5
    # Neither a method nor a score: what is shown of a page is its title, address and text.
    assert not re.search(r"svdd|hits|bm25|\d\.\d{3}", page.partition('<ol class="judge">')[2])
    for judge, labels in {"ann": (2, 1, 0, 2), "bob": (2, 1, 0, 0)}.items():
        for document, label in zip(documents, labels, strict=False):
            sent = zen_app.post(
                "/topics/judge",
                data=form | {"judge": judge, "document": document, "label": label},
                follow_redirects=False,
            )
            assert sent.status_code == 303
    folder = zen_app.folder / "judgements" / WEB
    assert sorted(path.name for path in folder.glob("*.txt")) == ["ann.txt", "bob.txt"]
    own = gr.judge_agreement({"ann": [2, 1, 0, 2], "bob": [2, 1, 0, 0]})
    shown = zen_app.get("/topics/agreement", params={"collection": WEB}).text
    assert f"<strong>{own.alpha:.3f}</strong>" in shown
    # By hand: 3 of 4 equal; p_e = (2·1 + 1·1 + 1·2) / 16 = 5/16; κ = (3/4 − 5/16) / (11/16) = 7/11.
    assert f"{7 / 11:.3f}" in shown
    again = zen_app.get("/topics/judge", params=form | {"judge": "bob"}).text
    assert f"4 of {len(documents)} pages judged." in again
    assert again.count('aria-pressed="true"') == 4
    assert "Judged topics:" in zen_app.get("/topics", params={"collection": WEB}).text


def test_labels_need_the_token_and_a_page_of_the_pool(zen_app):
    form = {"collection": WEB, "q": "zen", "judge": "ann", "document": "http://a.org/zen", "label": "1"}
    assert zen_app.post("/topics/judge", data=form).status_code == 403
    form["token"] = token(zen_app)
    assert zen_app.post("/topics/judge", data=form | {"document": "http://f.org/x"}).status_code == 404
    assert zen_app.post("/topics/judge", data=form | {"label": "7"}).status_code == 422
    assert zen_app.post("/topics/judge", data=form | {"label": "much"}).status_code == 422
    assert not (zen_app.folder / "judgements" / WEB / "ann.txt").exists()


def test_queries_show_intent_probability_and_features(web_client, web_folder):
    results = web_folder[1].results
    own = results.pick_rows(results.query_id == results.query_id[0])
    form = {"model": MODEL, "statistics": STATISTICS, "token": token(web_client)}
    found = web_client.post("/queries", data=form, files={"file": ("r.csv", results_table(own))})
    service = web_client.app.state.workspace.parts.service(MODEL, STATISTICS)
    expected = service.answer(own.query[0], own).prediction
    assert found.status_code == 200
    assert f"<span>{expected.probability:.3f}</span>" in found.text
    assert f"<td>{expected.label}</td>" in found.text
    assert "usually" in found.text
    pasted = web_client.post("/queries", data=form | {"text": f"{own.query[0]}\n{HOSTILE}"})
    assert pasted.status_code == 200
    assert HOSTILE not in pasted.text
    assert "1 error" in pasted.text


def test_bad_queries_are_refused_with_the_form_and_never_crash(web_client):
    form = {"model": MODEL, "statistics": STATISTICS, "token": token(web_client)}

    def sent(files=None, **fields):
        return web_client.post("/queries", data=form | fields, files=files)

    empty = sent(text="")
    assert (empty.status_code, "there is no query" in empty.text, "<textarea" in empty.text) == (422, True, True)
    assert sent(files={"file": ("x.parquet", b"PAR1")}).status_code == 422
    assert sent(files={"file": ("x.csv", b"query_id,query,rank,url\n")}).status_code == 422
    assert sent(model="../intent.json").status_code == 404
    assert sent(statistics="web").status_code == 404
    long = "x" * (MAX_TEXT + 1)
    assert sent(text=long).status_code == 413
    assert sent(text=long, files={"file": ("", b"")}).status_code == 413
    assert web_client.post("/queries", data={"model": MODEL, "text": "zen"}).status_code == 403


def test_a_finished_study_has_its_matrix_baselines_errors_and_report(web_client):
    page = web_client.get("/queries").text
    assert page.count('style="background:color-mix') == 4  # two classifiers, one selector and all features
    assert "Largest errors" in page
    assert "every query is called navigational" in page
    report = web_client.get(f"/queries/{STUDY}/report")
    assert report.status_code == 200
    assert report.headers["content-security-policy"].startswith("sandbox")
    assert web_client.get("/queries?study=none").status_code == 404
