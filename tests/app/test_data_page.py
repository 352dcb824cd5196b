"""The Data page: counts, filters as links, and a new study with other transforms."""

import re
from html import unescape

import pytest

import glassrank as gr
from glassrank.app.study_jobs import JobFiles
from glassrank.studies.study_record import read_record
from tests.app.conftest import STUDY, TITLE
from tests.dirty_study import CONSTANT, MISSING, SITE, TAIL

PAGE = f"/s/{STUDY}/data"


def rows(page):
    """The features of the table, by name."""
    body = re.search(r'<table class="list features">.*?<tbody>(.*)</tbody>', page, re.DOTALL)
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', body[1], re.DOTALL) if body else []
    return {unescape(name): cells for name, cells in found}


def test_the_page_has_the_numbers_of_the_data(client):
    data = gr.simulate_ranking(30, 12, random_state=0).data
    page = client.get(PAGE).text
    said = data.describe()
    for name, value in {
        "Queries": "30",
        "Documents": f"{data.n_rows:,}",
        "Pairs with different labels": f"{said.n_pairs:,}",
    }.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page
    for label, count in said.label_counts.items():
        assert re.search(rf'<th scope="row">{label:g}</th>.*?<td class="number">{count:,}</td>', page)
    assert set(rows(page)) == set(data.feature_names)
    assert f"<title>Data of {TITLE} · glassrank</title>" in page


def test_filters_are_part_of_the_address(client):
    everything, warned = rows(client.get(PAGE).text), rows(client.get(PAGE, params={"warnings": 1}).text)
    assert set(warned) == {name for name, cells in everything.items() if "⚠" in cells}
    assert 0 < len(warned) < len(everything)
    found = rows(client.get(PAGE, params={"find": " bm25 "}).text)
    assert set(found) == {name for name in everything if "bm25" in name.lower()}
    none = client.get(PAGE, params={"find": '"><script>'}).text
    assert "No feature contains “&quot;&gt;&lt;script&gt;”" in none
    assert "<script>" not in none


def test_names_from_the_data_never_become_html(dirty):
    page = dirty.get("/s/dirty/data").text
    assert CONSTANT not in page
    assert "<i>wiki" not in page
    assert "<script>alert" not in page
    found = rows(page)
    assert "One value only" in found[CONSTANT]
    assert "category" in found[SITE]
    assert f'value="{TAIL}=auto" selected>auto (log)' in found[TAIL]


def test_changed_transforms_stay_noted_when_their_features_are_filtered_out(dirty):
    page = dirty.get("/s/dirty/data", params={"find": "clicks", "transform": [f"{TAIL}=log", "clicks=standard"]}).text
    assert "1 transform changed." in page
    form = page[page.index('<form method="post" id="rerun"') :]
    assert f'<input type="hidden" name="transform" value="{TAIL}=log">' in form
    assert "transform=a%3Db%3Dlog" in page


@pytest.mark.parametrize(("given", "status"), [("nothing=log", 404), ("bm25=√", 422), (f"{SITE}=log", 404), ("", 404)])
def test_unknown_transforms_are_errors_with_a_reason(dirty, given, status):
    for answer in (
        dirty.get("/s/dirty/data", params={"transform": given}),
        dirty.post("/s/dirty/rerun", data={"transform": given, "token": dirty.app.state.access.token}),
    ):
        assert answer.status_code == status
        assert "<h1>" in answer.text


def test_a_rerun_is_a_new_study_with_the_changed_transforms_only(dirty):
    token = dirty.app.state.access.token
    assert dirty.post("/s/dirty/rerun", data={"transform": f"{TAIL}=log"}).status_code == 403
    unchanged = dirty.post("/s/dirty/rerun", data={"transform": ["bm25=standard"], "token": token})
    assert (unchanged.status_code, "No transform was changed" in unchanged.text) == (422, True)
    before, folders = read_record(dirty.folder / "dirty"), set(dirty.folder.iterdir())
    fields = {"transform": [f"{TAIL}=log", "bm25=standard", f"{MISSING}=quantile"], "token": token}
    answer = dirty.post("/s/dirty/rerun", data=fields)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    (new,) = set(dirty.folder.iterdir()) - folders
    job = JobFiles(new).read()
    JobFiles(new).cancel()
    given = [argument for argument in job.options if argument.startswith("--transform")]
    assert given == [f"--transform={TAIL}=log", f"--transform={MISSING}=quantile"]
    assert (new / "input" / "train" / "manifest.json").is_file()
    assert read_record(dirty.folder / "dirty") == before
