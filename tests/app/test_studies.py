"""Studies in the app: the list, the form, and a process that survives the server."""

import inspect
import io
import lzma
import os
import shlex
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank import DataError
from glassrank.app.security import Access
from glassrank.app.server import PAGES, create_app
from glassrank.app.study_form import StudyForm
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.app.workspace import Workspace
from glassrank.data.load_data import save_data
from glassrank.files.locks import lock_file
from glassrank.studies.study_record import StudyRecord
from tests.app.conftest import STUDY, TITLE, served

LOCAL = "http://127.0.0.1"


@pytest.fixture
def folder(tmp_path):
    """A folder with a small table, and no study."""
    save_data(gr.simulate_ranking(12, 8, random_state=1).data.pick_features([0, 1, 2]), tmp_path / "shop.csv")
    return tmp_path


def opened(folder):
    return TestClient(create_app(folder, Access(port=80)), base_url=LOCAL, follow_redirects=False)


def token(client):
    return {"token": client.app.state.access.token}


def wait_until(happened, seconds=120):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)


def test_the_list_has_state_quality_and_sizes(client, workspace):
    numbers = gr.load_model(workspace / STUDY / "model.json")
    page = client.get("/").text
    assert f'<a href="/s/{STUDY}/ranking">{TITLE}</a>' in page
    assert f"18 features, {numbers.n_features_in_} kept" in page
    (one,) = client.get("/api/studies").json()
    assert one["state"] == "finished"
    assert one["quality"]["measure"] == "ndcg@10"
    assert f"<strong>{one['quality']['mean']:.3f}</strong>" in page


def test_an_empty_folder_offers_the_demo_and_a_file(tmp_path):
    with opened(tmp_path) as client:
        page = client.get("/").text
    assert "<h1>No studies yet</h1>" in page
    assert 'action="/demo"' in page
    assert 'href="/new"' in page


def test_the_folder_of_a_study_opens_that_study(workspace):
    with opened(workspace / STUDY) as client:
        assert client.get("/").headers["location"] == f"/s/{STUDY}/ranking"
        assert client.get("/").status_code == 200


def test_a_damaged_record_is_a_failed_study_and_not_the_end_of_the_list(workspace, tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "study.json").write_text('{"title": 3}')
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "study.json").write_text("{")
    with opened(tmp_path) as client:
        states = {one["name"]: one["state"] for one in client.get("/api/studies").json()}
        assert states == {"broken": "failed", "torn": "failed"}
        assert "title" in client.get("/").text


def test_columns_are_guessed_and_the_command_is_shown(folder):
    with opened(folder) as client:
        page = client.get("/new", params={"file": "shop.csv"}).text
    assert "glassrank study shop.csv --query-column qid --label-column label --document-column doc_id" in page
    for name in ("qid", "label", "doc_id", "Click ratio"):
        assert f"<code>{name}</code>" in page


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "/etc/passwd", "no.csv", "shop.csv\0", "uploads/../../x.csv", ".", 300 * "x"],
)
def test_only_files_of_the_folder_can_be_named(folder, name):
    (folder.parent / "secret.csv").write_text("qid,label\n1,2\n")
    with opened(folder) as client:
        answer = client.get("/new", params={"file": name})
        assert answer.status_code == 422
        assert "There is no file" in answer.text
        answer = client.post("/new", data={"file": name, **token(client)})
        assert answer.status_code == 422
    assert [path.name for path in folder.iterdir()] == ["shop.csv"]


def test_a_link_in_a_circle_is_no_file(folder):
    (folder / "circle.csv").symlink_to("circle.csv")
    with opened(folder) as client:
        assert client.get("/new", params={"file": "circle.csv"}).status_code == 422
        assert client.get("/new").text.count('<a href="/new?file=') == 1


def test_names_that_are_not_utf_8_are_left_out_of_the_lists(folder, workspace):
    odd = Path(os.fsdecode(os.fsencode(folder) + b"/\xff"))
    odd.mkdir()
    (odd / "study.json").write_bytes((workspace / STUDY / "study.json").read_bytes())
    (odd / "other.csv").write_text("qid,label,a\n1,2,3\n")
    odd.with_suffix(".csv").write_text("qid,label,a\n1,2,3\n")
    with opened(folder) as client:
        assert client.get("/api/studies").json() == []
        assert client.get("/").status_code == 200
        assert client.get("/new").text.count('<a href="/new?file=') == 1


def test_an_upload_gets_a_generated_name_inside_the_folder(folder):
    content = (folder / "shop.csv").read_bytes()
    with opened(folder) as client:
        answer = client.post("/new/file", data=token(client), files={"upload": ("../../evil name.csv", content)})
        assert answer.status_code == 303
        page = client.get(answer.headers["location"])
        assert page.status_code == 200
        assert "evil" not in page.text
    (stored,) = (folder / "uploads").iterdir()
    assert stored.read_bytes() == content
    assert stored.suffix == ".csv"


@pytest.mark.parametrize("name", ["shop.xlsx", "shop.pkl", "shop", "x" * 500])
def test_other_files_are_refused(folder, name):
    with opened(folder) as client:
        answer = client.post("/new/file", data=token(client), files={"upload": (name, b"PK\3\4")})
    assert answer.status_code == 422
    assert "Save the table as CSV or Parquet" in answer.text
    assert not (folder / "uploads").exists()


def test_a_bomb_is_refused_and_removed(folder):
    packed = lzma.compress(b"0" * (70 * 2**20), preset=0)
    with opened(folder) as client:
        answer = client.post("/new/file", data=token(client), files={"upload": ("big.csv.xz", packed)})
    assert answer.status_code == 413
    assert list((folder / "uploads").iterdir()) == []


def test_an_oversized_body_is_refused_before_it_is_stored(folder, monkeypatch):
    from glassrank.app import server

    monkeypatch.setattr(server, "MAX_BODY", 10_000)
    with opened(folder) as client:
        answer = client.post("/new/file", data=token(client), files={"upload": ("a.csv", io.BytesIO(b"1" * 20_000))})
    assert answer.status_code == 413
    assert not (folder / "uploads").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"qid,label\n1,2,3\n", "fields"),
        (b"\xff\xfe\x00", "a"),
        (b"", "empty"),
        (b"a,a\n1,2\n", "a"),
        (b"\x00\x01\x02", "a"),
    ],
    ids=["ragged", "encoding", "empty", "double", "zeros"],
)
def test_a_malformed_file_is_explained(folder, content, said):
    with opened(folder) as client:
        answer = client.post("/new/file", data=token(client), files={"upload": ("bad.csv", content)})
        page = client.get(answer.headers["location"]) if answer.status_code == 303 else answer
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert said in page.text.lower()


def test_a_wrong_choice_is_explained_above_the_form_and_nothing_runs(folder):
    roles = {"role:qid": "query", "role:label": "label", "role:doc_id": "label"}
    with opened(folder) as client:
        for wrong, said in (
            ({"kernel": "magic"}, "Curves: choose one of"),
            (roles, "Only one column can be the label"),
        ):
            answer = client.post("/new", data={"file": "shop.csv", **wrong, **token(client)})
            assert answer.status_code == 422
            assert said in answer.text
    assert [path.name for path in folder.iterdir()] == ["shop.csv"]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("title", "a\0b", "contains a character that a command line cannot"),
        ("measure", "a\0b", "contains a character that a command line cannot"),
        ("role:label", "banana", "must be one of &#x27;query&#x27;, &#x27;label&#x27;"),
    ],
)
def test_a_field_that_no_form_sends_is_explained(folder, field, value, said):
    chosen = {"file": "shop.csv", "role:qid": "query", "role:label": "label"}
    with opened(folder) as client:
        answer = client.post("/new", data=chosen | {field: value} | token(client))
    assert answer.status_code == 422
    assert said in answer.text
    assert [path.name for path in folder.iterdir()] == ["shop.csv"]


def test_a_table_may_have_more_columns_than_usual_forms_have_fields(folder):
    names = [f"f{k}" for k in range(1200)]
    (folder / "wide.csv").write_text(f"qid,label,{','.join(names)}\n1,2,{','.join(1200 * '3')}\n")
    chosen = {"file": "wide.csv", "role:qid": "query", "role:label": "label"}
    chosen |= {f"role:{name}": "feature" for name in names} | {"role:f1199": "label"}
    with opened(folder) as client:
        answer = client.post("/new", data=chosen | token(client))
    assert "Only one column can be the label: got &#x27;label&#x27; and &#x27;f1199&#x27;" in answer.text


def test_no_request_keeps_the_others_waiting():
    """Functions of pages read files; the server runs them in threads unless they are coroutines."""
    routes = [route for page in PAGES for route in page.router.routes]
    assert len(routes) > 20
    assert [route.path for route in routes if inspect.iscoroutinefunction(route.endpoint)] == []


def test_a_hostile_column_name_stays_text(folder):
    name = '"><script>alert(1)</script>'
    (folder / "odd.csv").write_text(f'qid,label,"{name.replace(chr(34), chr(34) * 2)}"\n1,2,3\n')
    with opened(folder) as client:
        page = client.get("/new", params={"file": "odd.csv"}).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_file_whose_name_begins_with_a_dash_is_no_option(folder):
    (folder / "shop.csv").rename(folder / "-shop.csv")
    with opened(folder) as client:
        assert "glassrank study ./-shop.csv --query-column qid" in client.get("/new", params={"file": "-shop.csv"}).text
    assert StudyForm("-shop.csv").arguments() == ["study", "./-shop.csv"]


def test_a_study_without_a_title_keeps_the_name_of_its_file_in_the_list(folder):
    place, now = folder / "shop", datetime.now(UTC)
    place.mkdir()
    JobFiles(place).write(Job(title="shop", kind="form", form={"file": "shop.csv"}, started=now))
    general = StudyRecord(title="A ranker with 3 features you can see through", started=now, finished=now)
    (place / "study.json").write_text(general.model_dump_json())
    (one,) = Workspace(folder).studies()
    assert (one.title, one.state) == ("shop", "finished")


def test_a_study_survives_the_death_of_its_process_and_of_the_server(folder):
    chosen = {"file": "shop.csv", "title": "Shop", "tune": "0", "role:qid": "query", "role:label": "label"}
    chosen |= {"role:doc_id": "document", "seed": "3"}
    place = JobFiles(folder / "shop")
    with opened(folder) as client:
        assert client.post("/new", data=chosen | token(client)).status_code == 303
        (one,) = client.get("/api/studies").json()
        assert (one["name"], one["state"]) == ("shop", "running")
        wait_until(lambda: (folder / "shop" / "steps" / "elimination.json").is_file())
        os.killpg(place.read().process, signal.SIGKILL)
        wait_until(lambda: not place.is_running())
        (one,) = client.get("/api/studies").json()
        assert one["state"] == "stopped"
        assert "Resume" in client.get("/").text
    with opened(folder) as client:  # a new server resumes what was interrupted
        assert client.get("/api/studies").json()[0]["state"] == "running"
        wait_until(lambda: client.get("/api/studies").json()[0]["state"] == "finished")
        log = "\n".join(client.get("/api/studies/shop/log").json())
        assert "reused from an earlier run" in log
        record = client.get("/s/shop/files/result.json").json()
    direct = gr.study(gr.load_data(folder / "shop.csv"), folder=folder / "direct", tune=0, random_state=3)
    np.testing.assert_allclose(record["comparisons"][0]["systems"][0]["mean"], direct.main.systems[0].mean, rtol=1e-12)
    command = shlex.split(record["commands"][0])
    assert command[:3] == ["glassrank", "study", "shop.csv"]


def test_a_failed_study_says_why_and_can_be_edited(folder):
    (folder / "alike.txt").write_text("1 qid:1 1:0.5\n1 qid:1 1:0.1\n")
    with opened(folder) as client:
        client.post("/new", data={"file": "alike.txt"} | token(client))
        wait_until(lambda: client.get("/api/studies").json()[0]["state"] == "failed")
        page = client.get("/").text
        assert "documents of different labels" in JobFiles(folder / "alike").error()
        assert "Edit and rerun" in page
        edited = client.get("/s/alike/edit").text
        assert 'value="alike.txt"' in edited


def test_a_failure_of_several_lines_is_a_failure(folder):
    place = JobFiles(folder / "shop")
    place.folder.mkdir()
    (place.folder / "log.txt").write_text("1 of 9: Reading …\nError: a.csv:3: one thing.\na.csv:7: another.\n")
    assert place.error() == "a.csv:3: one thing. a.csv:7: another."


def test_a_cancelled_study_stays_stopped_until_it_is_resumed(folder):
    with opened(folder) as client:
        client.post("/new", data={"file": "shop.csv", "role:qid": "query", "role:label": "label", **token(client)})
        assert client.post("/s/shop/cancel", data=token(client)).status_code == 303
        wait_until(lambda: not JobFiles(folder / "shop").is_running())
        assert client.get("/api/studies").json()[0]["state"] == "stopped"
    with opened(folder) as client:
        assert client.get("/api/studies").json()[0]["state"] == "stopped"


def test_a_damaged_job_does_not_keep_the_app_from_starting(folder):
    foreign = '{"title": "Shop", "command": ["study", "shop.csv"], "started": "2026-01-01T00:00:00Z"}'
    for name, content in (("torn", "{"), ("other", "[]"), ("foreign", foreign)):
        (folder / name).mkdir()
        (folder / name / "job.json").write_text(content)
    with opened(folder) as client:
        found = {one["name"]: one["state"] for one in client.get("/api/studies").json()}
    assert found == {"torn": "failed", "other": "failed", "foreign": "failed"}
    assert not (folder / "foreign" / "log.txt").exists()  # a command in a file is not run


def test_a_study_that_cannot_be_started_says_why(folder):
    options = (f"--title={200_000 * 'x'}",)  # longer than the system allows
    with pytest.raises(DataError, match="cannot be started: Argument list too long"):
        JobFiles(folder / "long").start(Job(title="Long", kind="repeat", options=options))
    with opened(folder) as client:
        assert client.get("/api/studies").json()[0]["state"] == "failed"
        assert "cannot be started: Argument list too long" in client.get("/").text
    assert JobFiles(folder / "long").read().process is None


def test_cancelling_a_study_that_has_just_ended_is_no_error(folder):
    files = JobFiles(folder / "shop")
    files.folder.mkdir()
    ended = subprocess.Popen(["true"], start_new_session=True)
    ended.wait()
    files.write(Job(title="Shop", kind="demo", process=ended.pid))
    with lock_file(files.folder / "job.lock"):
        files.cancel()
    assert files.read().cancelled


def test_two_requests_never_get_the_same_new_folder(tmp_path):
    workspace = Workspace(tmp_path / "new")
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(workspace.new_folder, 40 * ["Shop, 3 features"]))
    assert sorted(path.name for path in made)[:2] == ["shop-3-features", "shop-3-features-10"]
    assert len(set(made)) == 40


def test_events_send_the_studies(site):
    import httpx2

    with httpx2.stream("GET", f"{site}/events") as answer:
        line = next(answer.iter_lines())
    assert line.startswith("data: ")
    assert STUDY in line


def test_the_app_ends_although_a_page_is_open(tmp_path):
    with served(tmp_path) as site:
        open_page = urlopen(f"{site}/events")
        assert open_page.readline() == b"data: []\n"
    assert open_page.read().strip() == b""
