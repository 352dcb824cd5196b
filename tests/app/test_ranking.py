"""The Ranking and Nomogram pages as plain HTML, and the routes of their scripts."""

import re
from html import unescape

import numpy as np
import pytest

import glassrank as gr
from glassrank.studies.views.saved_study import SavedStudy
from tests.app.conftest import STUDY

PAGE, API = f"/s/{STUDY}/ranking", f"/api/studies/{STUDY}/ranking"


@pytest.fixture(scope="module")
def study(workspace):
    return SavedStudy.open(workspace / STUDY)


@pytest.fixture(scope="module")
def data(study):
    return study.measured.pick_features(study.kept_features)


def texts(html, pattern):
    return [unescape(re.sub("<[^>]*>", "", found)).strip() for found in re.findall(pattern, html, re.S)]


def rows_of(html):
    """Names and scores of the listed documents, from top to bottom."""
    names = texts(html, r'role="rowheader"[^>]*><a[^>]*>(.*?)</a>')
    scores = [float(text.replace("−", "-")) for text in texts(html, r'class="score">(.*?)</span>')]
    return dict(zip(names, scores, strict=True))


def test_the_page_lists_the_documents_as_the_model_ranks_them(client, study, data):
    query = data.qid[0]
    rows = data.pick_queries([query])
    found = rows_of(client.get(PAGE, params={"q": query, "all": True}).text)
    predicted = study.model.predict(rows.table)
    assert list(found) == rows.doc_ids[np.argsort(-predicted, kind="stable")].tolist()
    first, *_, last = found
    why = gr.explain_pair(study.model, data, query=query, document=first, against=last)
    assert found[first] - found[last] == pytest.approx(why.total, abs=0.011)


def test_without_a_query_the_worst_one_is_shown_with_the_pair_that_hurts_it_most(client, study, data):
    values = gr.evaluate(data.y, study.model.predict(data.table), qid=data.qid, measures=["ndcg@10"])
    answer = client.get(API).json()
    worst = values.queries[np.nanargmin(values.per_query["ndcg@10"])]
    assert answer["query"] == worst
    assert answer["recorded_value"] == pytest.approx(np.nanmin(values.per_query["ndcg@10"]))
    labels = {one["name"]: one["label"] for one in answer["documents"]}
    ranks = {one["name"]: one["rank"] for one in answer["documents"]}
    assert labels[answer["a"]] < labels[answer["b"]]
    assert ranks[answer["a"]] < ranks[answer["b"]]


def test_the_panel_gives_the_probability_and_the_ties_of_explain_pair(client, study, data):
    query = data.qid[0]
    rows = data.pick_queries([query])
    # Neighbours in the list, whose probability is far from 0 and 1.
    a, b = rows.doc_ids[np.argsort(-study.model.predict(rows.table))[4:6]]
    html = client.get(PAGE, params={"q": query, "a": a, "b": b}).text
    why = gr.explain_pair(study.model, data, query=query, document=a, against=b, samples=study.samples)
    assert texts(html, r'data-part="probability">(.*?)</output>') == [f"{why.probability:.2f}"]
    low, high = why.probability_interval
    assert f"95 % interval {low:.2f} to {high:.2f}" in html
    shown = [float(text.replace("−", "-")) for text in texts(html, r"data-part=contribution>(.*?)</td>")]
    assert shown == pytest.approx([one.contribution for one in why.by_size[:6]], abs=0.0051)


def test_a_changed_value_is_scored_by_the_model(client, study, data):
    query, name, feature = data.qid[0], data.doc_ids[3], data.feature_names[0]
    rows = data.pick_queries([query])
    X = np.array(rows.X)
    X[3, 0] = value = float(X[:, 0].max())
    answer = client.get(API, params={"q": query, "set": f"{name}:{feature}:{value!r}"}).json()
    scores = study.model.predict(X)
    expected = rows.doc_ids[np.argsort(-scores, kind="stable")].tolist()
    assert [one["name"] for one in answer["documents"]] == expected
    assert answer["value"] == pytest.approx(gr.evaluate(rows.y, scores, measures=["ndcg@10"])["ndcg@10"])
    html = client.get(PAGE, params={"q": query, "set": f"{name}:{feature}:{value!r}"}).text
    assert "Reset to recorded values" in html
    assert f"{answer['value']:.3f}" in texts(html, r'id="what-if-said">(.*?)</p>')[0]


def test_another_size_of_the_elimination_ranks_with_its_own_features(client, study):
    html = client.get(PAGE, params={"model": 2}).text
    heads = set(texts(html, r'<span role="columnheader" title="[^"]*">(.*?)</span>'))
    assert heads == set(study.features_with(2))
    assert "only the study’s own model was resampled" in html


def test_a_change_of_a_feature_that_the_model_lacks_is_reported(client, study, data):
    dropped = next(name for name in study.training.feature_names if name not in study.features_with(2))
    html = client.get(PAGE, params={"model": 2, "q": data.qid[0], "set": f"{data.doc_ids[0]}:{dropped}:1"}).text
    assert "1 change left out: this model has no such feature" in html


def test_queries_are_found_by_a_part_of_their_names(client, data):
    asked = {"find": str(data.qid[0]).upper(), "order": "data"}
    found = client.get(f"/api/studies/{STUDY}/queries", params=asked).json()
    names = [str(name) for name in data.groups.ids if str(data.qid[0]) in str(name)]
    assert [one["name"] for one in found["queries"]] == names
    assert found["queries"][0]["n_documents"] == int(data.groups.sizes[0])
    assert client.get(f"/api/studies/{STUDY}/queries", params={"find": "no such query"}).json()["total"] == 0


@pytest.mark.parametrize(
    ("params", "status", "said"),
    [
        ({"q": "nobody"}, 404, "There is no query"),
        ({"a": "nobody"}, 404, "There is no document"),
        ({"model": 999}, 422, "n_features must be one of"),
        ({"set": "half:a"}, 422, "document:feature:value"),
        ({"set": ["a:b:1"] * 201}, 422, "at most 200"),
        ({"order": "best"}, 422, "one of worst, data"),
    ],
)
def test_what_does_not_exist_is_named(client, params, status, said):
    answer = client.get(API, params=params)
    assert answer.status_code == status
    assert said in answer.json()["detail"]
    page = client.get(PAGE, params=params)
    assert page.status_code in (200, status)
    assert "Traceback" not in page.text


def test_the_nomogram_page_draws_the_pair_and_carries_its_changes(client, study, data):
    query, (a, b) = data.qid[0], data.doc_ids[:2]
    params = {"q": query, "a": a, "b": b, "set": f"{a}:{data.feature_names[1]}:2.5"}
    html = client.get(f"/s/{STUDY}/nomogram", params=params).text
    why = gr.explain_pair(study.model, data, query=query, document=a, against=b)
    assert '{"changes":[["A",1,2.5]]}' in html
    assert f"{why.probability:.3f}" in html
    assert "Back to the ranked list" in html
