"""The Features page: every size has an address, its model is drawn, and selectors are computed once."""

import re
import subprocess
import sys
import threading
from html import unescape

import numpy as np
import pytest
from fastapi.testclient import TestClient
from scipy.special import logit

from glassrank.app.background import Background
from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.app.study_jobs import JobFiles
from glassrank.core.checks import DataError
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.selector_places import PLACES
from tests.app.conftest import STUDY
from tests.dirty_study import CONSTANT, NAMES

PAGE, DATA = f"/s/{STUDY}/features", f"/s/{STUDY}/data"


@pytest.fixture(scope="module")
def saved(workspace):
    return SavedStudy.open(workspace / STUDY)


def drawn_lines(page):
    """The features of the model that is shown, with the lengths of their lines."""
    table = re.search(r'<table class="bars">.*?</table>', page, re.DOTALL)[0]
    found = re.findall(r'<th scope="row">(.*?)</th>.*?<td class="number">(.*?)</td>', table)
    return {unescape(name): float(length) for name, length in found}


def test_a_size_shows_its_model(client, saved):
    page = client.get(PAGE, params={"n": 3}).text
    names = saved.features_with(3)
    model, data = saved.model_with(3), saved.measured.pick_features(names)
    # Straight lines: a line is as long as the weight in log-odds times the mean range of the values within a query.
    slopes = logit(model.predict_pair_proba(0.01 * np.eye(3), np.zeros((3, 3)))) / 0.01
    queries = [data.X[data.qid == query] for query in np.unique(data.qid)]
    ranges = np.mean([np.ptp(rows, axis=0) for rows in queries], axis=0)
    found = drawn_lines(page)
    assert set(found) == set(names)
    for name, expected in zip(names, np.abs(slopes) * ranges, strict=True):
        assert found[name] == pytest.approx(expected, abs=0.006)
    chosen = saved.elimination.rounds[saved.elimination.selected].mean
    here = next(one for one in saved.elimination.rounds if one.n_features == 3)
    assert f"<dd>{here.mean:.3f}</dd>" in page
    assert f"<dd>{here.mean - chosen:+.3f}".replace("-", "−") in page
    assert f"Dropped next: {here.leaves[0].feature}." in page
    for address in (f"/s/{STUDY}/nomogram?model=3", f"/s/{STUDY}/compare?with=3"):
        assert f'href="{address}"' in page
        assert client.get(address).status_code == 200


def test_the_lines_of_the_chosen_size_are_as_long_as_in_the_selection_and_in_the_report(client, saved):
    lines = client.get(f"/s/{STUDY}/files/selection.csv").text.splitlines()[1:]
    lengths = {name: float(length) for name, kept, length, *_ in (line.split(",") for line in lines) if kept == "yes"}
    assert drawn_lines(client.get(PAGE).text) == pytest.approx(lengths, abs=0.006)
    name, shortest = min(lengths.items(), key=lambda item: item[1])
    report = client.get(f"/s/{STUDY}/files/report.html").text
    assert f'shortest line kept: {name}</td><td class="number">{shortest:.3f}</td>' in report


def test_every_point_of_the_curve_is_a_link_and_the_chosen_size_the_default(client, saved):
    page = client.get(PAGE, params={"sort": "gain"}).text
    links = re.findall(r'<a href="\?n=(\d+)&amp;sort=gain"><path aria-label="(\d+) feature', page)
    assert [(int(n), int(said)) for n, said in links] == [(n, n) for n in reversed(saved.sizes)]
    assert f"<h2>The model with {saved.elimination.n_kept} features</h2>" in page
    assert "vega.github.io" not in page
    assert f'href="/s/{STUDY}/files/selection.csv"' in page
    assert client.get(f"/s/{STUDY}/files/selection.csv").text.startswith("feature,kept")


def test_selectors_are_computed_once_and_sorted_by_a_link(client, saved, workspace):
    page = client.get(PAGE).text
    written = (workspace / STUDY / PLACES).stat().st_mtime_ns
    places = client.get(f"/api/studies/{STUDY}/selectors").json()["places"]
    by_method = {one["method"]: one["places"] for one in places["rankings"]}
    sorted_by_gain = client.get(PAGE, params={"sort": "gain"}).text
    for text, method in ((page, "nomogram"), (sorted_by_gain, "information gain")):
        table = text[text.index('class="list selectors"') :]
        shown = [unescape(name) for name in re.findall(r'<th scope="row">(.*?)(?:<small.*?)?</th>', table)][:-1]
        expected = sorted(range(len(places["features"])), key=lambda k: by_method[method][k])
        assert shown == [places["features"][k] for k in expected]
    first = places["features"].index(shown[0])
    votes = sum(one[first] <= saved.elimination.n_kept for one in by_method.values())
    assert f"{votes} of 5" in sorted_by_gain
    assert (workspace / STUDY / PLACES).stat().st_mtime_ns == written


def test_names_from_the_data_never_become_html(dirty):
    page = dirty.get("/s/dirty/features", params={"n": len(NAMES)}).text
    assert CONSTANT not in page
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("query", [{"n": 99}, {"n": 0}, {"n": "x"}, {"sort": "colour"}])
def test_unknown_sizes_and_orders_are_errors(client, query):
    answer = client.get(PAGE, params=query)
    assert answer.status_code == 422
    assert "Internal" not in answer.text


def test_using_a_size_makes_a_new_study_of_these_features(dirty):
    token, before = dirty.app.state.access.token, {path.name for path in dirty.folder.iterdir()}
    assert dirty.post("/s/dirty/features", data={"n": 99, "token": token}).status_code == 422
    assert {path.name for path in dirty.folder.iterdir()} == before
    assert dirty.post("/s/dirty/features", data={"n": 2, "token": token}).status_code == 303
    (new,) = (path for path in dirty.folder.iterdir() if path.name not in before)
    job = JobFiles(new).read()
    JobFiles(new).cancel()
    assert job.title.endswith(", 2 features")
    kept = SavedStudy.open(dirty.folder / "dirty").features_with(2)
    manifest = (new / "input" / "train" / "manifest.json").read_text()
    assert [name for name in NAMES if f'"{name}"' in manifest] == kept


def test_what_takes_long_goes_on_in_the_background(workspace):
    app = create_app(workspace, Access(port=80))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        for page, words in (
            (f"{PAGE}?n=5", "The model is being trained."),
            (DATA, "The documents are being counted."),
            (f"{PAGE.replace('features', 'compare')}?with=5", "The other model is being trained and compared."),
            (f"{PAGE.replace('features', 'ranking')}?model=4", "The model is being trained."),
        ):
            app.state.background.patience = 0.0
            found = client.get(page).text
            assert words in found
            assert '<noscript><meta http-equiv="refresh"' in found
            assert '<script type="module" src="/static/waiting.js">' in found
            address = re.search(r'data-waiting="([^"]*)"', found)[1]
            app.state.background.patience = 60.0
            assert client.get(address).json()["ready"]
            found = client.get(page).text
            assert words not in found
            assert 'http-equiv="refresh"' not in found


def test_a_computation_runs_once_at_a_time_and_its_error_is_raised_once():
    background, go, runs = Background(patience=0.0), threading.Event(), []

    def compute():
        runs.append(1)
        go.wait(60)
        raise DataError("It failed.")

    assert background.result("key", compute) is None
    assert background.result("key", compute) is None
    go.set()
    background.patience = 60.0
    with pytest.raises(DataError, match="It failed"):
        background.result("key", compute)
    assert len(runs) == 1
    assert background.result("key", lambda: 3) == 3


def test_a_file_waits_for_a_computation_that_a_page_started():
    background, go, runs = Background(patience=0.0), threading.Event(), []

    def compute():
        runs.append(1)
        go.wait(60)
        return 7

    assert background.result("key", compute) is None
    threading.Timer(0.05, go.set).start()
    assert background.whole("key", compute) == 7
    assert len(runs) == 1


def test_the_end_of_the_app_does_not_wait_for_a_computation():
    code = "import time; from glassrank.app.background import Background\n"
    code += "assert Background(patience=0.0).result('key', lambda: time.sleep(600)) is None"
    assert subprocess.run([sys.executable, "-c", code], timeout=300, check=False).returncode == 0
