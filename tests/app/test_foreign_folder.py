"""A folder from a stranger, opened in the app: it runs nothing, and no file of it leads out of the folder."""

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank.app.own_jobs import KEY
from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.data.load_data import save_data
from tests.app.conftest import STUDY
from tests.app.web_folder import WEB, make_folder, store
from tests.cli.commands import glassrank
from tests.distillation.small_web import zen

SECRET = "root:x:0:0"
PAGES = ("ranking", "data", "compare", "features", "ship", "report", "log", "edit", "files/model.json")
JOB = {"title": "Shop", "kind": "form", "form": {"file": "shop.csv", "tune": "0"}, "started": "2026-01-01T00:00:00Z"}


@pytest.fixture
def outside(tmp_path):
    """A folder of the user with a file that a stranger would like to read or change."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text(SECRET)
    return tmp_path / "outside"


@pytest.fixture
def folder(tmp_path, workspace):
    """A copied folder with a finished study and a table."""
    shutil.copytree(workspace, tmp_path / "copied")
    save_data(
        gr.simulate_ranking(12, 8, random_state=1).data.pick_features([0, 1, 2]), tmp_path / "copied" / "shop.csv"
    )
    return tmp_path / "copied"


@contextmanager
def opened(folder):
    app = create_app(folder, Access(port=80))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        client.headers["x-glassrank-token"] = app.state.access.token
        yield client


def answers(client, study=STUDY):
    """What all pages of a study answer; a pipe that keeps one waiting is an error."""
    with ThreadPoolExecutor(1) as thread:
        paths = ["/", "/api/studies", *(f"/s/{study}/{page}" for page in PAGES)]
        return {path: thread.submit(client.get, path).result(30) for path in paths}


def make_job(place: Path, **job):
    place.mkdir(exist_ok=True)
    (place / "job.json").write_text(json.dumps(JOB | job))


def state_of(client, study):
    return {one["name"]: one["state"] for one in client.get("/api/studies").json()}[study]


def wait_for(happened):
    end = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)


FILES = ("study.json", "result.json", "model.json", "report.html", "held-out-scores.npz", "steps/resamples.json")
FILES = (*FILES, "documents/manifest.json", "documents/block-00000.parquet", "job.json", "log.txt")


@pytest.mark.parametrize("name", FILES)
def test_no_file_of_a_study_is_read_through_a_link(folder, outside, name):
    place = folder / STUDY / name
    place.unlink(missing_ok=True)
    place.symlink_to(outside / "secret.txt")
    with opened(folder) as client:
        found = answers(client)
    assert all(SECRET not in one.text and one.status_code < 500 for one in found.values())
    if name == "steps/resamples.json":  # without which pictures have no intervals
        return
    said = f"{place.name} is a link, and links inside this folder are not followed"
    assert any(said in one.text for one in found.values())


@pytest.mark.parametrize("name", ["documents", "steps", "report-data"])
def test_no_folder_of_a_study_is_a_link_to_another_place(folder, outside, name):
    place = folder / STUDY / name
    shutil.rmtree(place, ignore_errors=True)
    for file in ("queries.js", "manifest.json", "resamples.json"):
        (outside / file).write_text(SECRET)
    place.symlink_to(outside)
    with opened(folder) as client:
        found = answers(client)
        report = client.get(f"/s/{STUDY}/report").url
        found["part"] = client.get(report.join("report-data/queries.js"))
    assert all(SECRET not in one.text and one.status_code < 500 for one in found.values())


@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(folder, name):
    place = folder / STUDY / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with opened(folder) as client:
        assert all(one.status_code < 500 for one in answers(client).values())


@pytest.mark.parametrize("name", ["log.txt", "job.lock", "report.html", "study.json", "steps"])
@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_nothing_outside_changes_when_a_foreign_study_is_resumed(folder, outside, name, link):
    place, target = folder / "new", outside / "secret.txt"
    make_job(place)
    if name == "steps":
        target = outside / "steps"
        target.mkdir()
    if link == "hard" and name != "steps":
        (place / name).hardlink_to(target)
    else:
        (place / name).symlink_to(target)
    with opened(folder) as client:
        resumed = client.post("/s/new/resume", follow_redirects=False)
        if resumed.status_code == 303:
            wait_for(lambda: state_of(client, "new") != "running")
    assert (outside / "secret.txt").read_text() == SECRET
    assert sorted(one.name for one in outside.rglob("*")) == sorted({"secret.txt", target.name})


def test_an_interrupted_study_of_a_stranger_waits_for_a_click(folder):
    make_job(folder / "new")
    with opened(folder) as client:
        assert state_of(client, "new") == "stopped"
        assert not (folder / "new" / "log.txt").exists()
        page = client.get("/").text
        assert "Started on another computer, or in another folder." in page
        assert "To resume it is to run: glassrank study shop.csv --one-query" not in page
        assert "To resume it is to run: glassrank study shop.csv --tune 0" in page
        client.post("/s/new/resume")
        wait_for(lambda: state_of(client, "new") == "finished")


def test_the_app_resumes_its_own_study_only_where_it_started_it(folder, tmp_path):
    with opened(folder) as client:
        client.post("/new", data={"file": "shop.csv", "title": "Mine", "role:qid": "query", "role:label": "label"})
        client.post("/s/mine/cancel")
        wait_for(lambda: state_of(client, "mine") == "stopped")
    job = json.loads((folder / "mine" / "job.json").read_text())
    for changed in ({"title": "Other"}, {"form": job["form"] | {"seed": "7"}}, {"cancelled": False}):
        (folder / "mine" / "job.json").write_text(json.dumps(job | changed))
        with opened(folder) as client:
            assert state_of(client, "mine") == "stopped", changed


def test_without_a_state_folder_the_app_works_and_resumes_nothing_by_itself(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with opened(folder) as client:
        client.post("/new", data={"file": "shop.csv", "title": "Mine", "role:qid": "query", "role:label": "label"})
        client.post("/s/mine/cancel")
        wait_for(lambda: state_of(client, "mine") == "stopped")


def test_the_key_is_readable_by_its_user_only_and_a_relative_state_folder_is_ignored(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(folder)
    make_job(folder / "new")
    with opened(folder) as client:
        client.get("/")
    key = tmp_path / "home" / ".local" / "state" / "glassrank" / KEY
    assert key.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in key.parent.iterdir()] == [KEY]
    assert not (folder / "state").exists()


def test_a_job_with_a_command_is_refused_in_one_sentence(folder, outside):
    command = ["study", "shop.csv", "--folder", str(outside), "--engine", "spark", "--master", "spark://evil:7077"]
    (folder / "old").mkdir()
    (folder / "old" / "job.json").write_text(json.dumps({"title": "x", "command": command, "started": JOB["started"]}))
    (folder / "old" / "log.txt").symlink_to(outside / "secret.txt")
    with opened(folder) as client:
        assert state_of(client, "old") == "failed"
        assert "job.json contains a command, which is not run. Delete the file" in client.get("/").text
        assert client.post("/s/old/resume").status_code == 422
    assert sorted(one.name for one in outside.iterdir()) == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == SECRET


@pytest.mark.parametrize(
    "job",
    [
        {"form": {"file": "../outside/secret.txt"}},
        {"form": {"file": "/etc/passwd"}},
        {"form": {"file": "shop/../../outside/secret.txt"}},
        {"form": {"file": "link.csv"}},
        {"form": {"file": "shop.csv", "test_file": "../outside/secret.txt"}},
        {"form": {"file": "shop.csv", "kernel": "--folder"}},
        {"kind": "repeat", "options": ["--folder=/tmp/other"]},
        {"kind": "repeat", "options": ["--engine=spark", "--master=spark://evil:7077"]},
        {"kind": "repeat", "options": ["--model=/etc/passwd"]},
        {"kind": "repeat", "options": ["--title"]},
        {"kind": "repeat", "options": ["/etc/passwd"]},
        {"kind": "export"},
        {"kind": "form", "folder": "/tmp/other"},
        {"form": {"file": 3}},
    ],
    ids=str,
)
def test_a_job_that_no_form_makes_is_not_started(folder, outside, job):
    (folder / "link.csv").symlink_to(outside / "secret.txt")
    make_job(folder / "new", **job)
    with opened(folder) as client:
        assert state_of(client, "new") == "failed"
        assert client.get("/").status_code == 200
        assert client.post("/s/new/resume").status_code in (404, 422)
    assert not (folder / "new" / "log.txt").exists()


def test_no_value_of_a_job_becomes_an_option(folder, outside):
    make_job(
        folder / "new", form=JOB["form"] | {"title": f"--folder={outside}", "role:qid": "query", "role:label": "label"}
    )
    with opened(folder) as client:
        client.post("/s/new/resume")
        wait_for(lambda: state_of(client, "new") == "finished")
    assert sorted(one.name for one in outside.iterdir()) == ["secret.txt"]
    assert json.loads((folder / "new" / "study.json").read_text())["title"] == f"--folder={outside}"


def test_a_study_imports_nothing_from_the_folder(folder, outside):
    for name in ("glassrank", "click", "numpy"):
        (folder / f"{name}.py").write_text(f"open({str(outside / 'ran')!r}, 'w')")
    make_job(folder / "new")
    with opened(folder) as client:
        client.post("/s/new/resume")
        wait_for(lambda: state_of(client, "new") != "running")
        assert state_of(client, "new") == "finished"
    assert not (outside / "ran").exists()


def test_nothing_is_stored_through_a_link(folder, outside):
    store(zen(), folder / WEB)
    for name in ("uploads", "judgements"):
        (folder / name).symlink_to(outside)
    with opened(folder) as client:
        uploaded = client.post("/new/file", files={"upload": ("shop.csv", b"qid,label,a\n1,2,3\n")})
        given = {"collection": WEB, "q": "zen", "judge": "Ann", "label": 1}
        (document, *_) = client.app.state.workspace.parts.pool(WEB, "zen")
        judged = client.post("/topics/judge", data=given | {"document": document.document})
    for answer, name in ((uploaded, "uploads"), (judged, "judgements")):
        assert answer.status_code == 422
        assert f"{name} is a link" in answer.text
    assert sorted(one.name for one in outside.iterdir()) == ["secret.txt"]


@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "part/table.csv"])
def test_a_table_is_not_read_through_a_link(folder, outside, name):
    (outside / "table.csv").write_text(f"qid,label,{SECRET}\n1,2,3\n")
    if "/" in name:
        (folder / "part").symlink_to(outside)
    else:
        (folder / name).symlink_to(outside / "table.csv")
    with opened(folder) as client:
        answer = client.get("/new", params={"file": name})
        assert name not in client.get("/new").text
    assert answer.status_code == 422
    assert "is a link" in answer.text
    assert SECRET not in answer.text


def test_a_folder_that_is_reached_by_a_link_is_opened(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    with opened(tmp_path / "link") as client:
        assert client.get("/new", params={"file": "shop.csv"}).status_code == 200
        assert all(one.status_code < 400 for path, one in answers(client).items() if not path.endswith("edit"))


def test_collections_and_statistics_are_not_read_through_a_link(tmp_path, outside):
    folder = tmp_path / "web"
    folder.mkdir()
    make_folder(folder)
    stored = [path for path in folder.rglob("*") if path.suffix in (".parquet", ".npz") or path.name == "manifest.json"]
    for path in stored:
        shutil.move(path, outside / path.name)
        path.symlink_to(outside / path.name)
    with opened(folder) as client:
        parts = client.app.state.workspace.parts
        for collection in parts.collections():
            answer = client.get("/topics", params={"collection": collection, "q": "zen"})
            assert (answer.status_code, "is a link" in answer.text) == (422, True)
        for model in parts.intent_models():
            for statistics in parts.statistics():
                given = {"model": model, "statistics": statistics, "text": "zen"}
                assert "is a link" in client.post("/queries", data=given).text


@pytest.mark.parametrize("name", ["report.html", "steps", "study.json", "study.lock"])
def test_the_command_writes_nothing_through_a_link_in_the_folder_of_a_study(folder, outside, name):
    (folder / "new").mkdir()
    (outside / "steps").mkdir()
    (folder / "new" / name).symlink_to(outside / ("steps" if name == "steps" else "secret.txt"))
    done = glassrank("study", "shop.csv", "--folder", "new", "--tune", 0, "--force", "-q", folder=folder)
    assert done.code == 1
    assert f"new/{name}" in done.err
    assert (outside / "secret.txt").read_text() == SECRET
    assert list((outside / "steps").iterdir()) == []


@pytest.mark.parametrize("name", ["held-out-scores.npz", "model.json", "result.json", "documents"])
def test_a_deleted_file_of_a_study_is_named_with_what_to_do(folder, name):
    place = folder / STUDY / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    with opened(folder) as client:
        found = {path: one for path, one in answers(client).items() if one.status_code >= 400 and "edit" not in path}
    assert found
    assert all(one.status_code in (404, 422) for one in found.values())
    assert any(f"There is no {name} in" in one.text and "run the study again" in one.text for one in found.values())


@pytest.mark.parametrize("name", ["result.json", "steps/resamples.json", "study.json", "held-out-scores.npz"])
def test_a_damaged_file_of_a_study_is_no_fault_of_the_app(folder, name):
    for content in ("{}", "[3]"):
        (folder / STUDY / name).write_text(content)
        with opened(folder) as client:
            assert all(one.status_code < 500 for one in answers(client).values())
