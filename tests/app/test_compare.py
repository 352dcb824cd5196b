"""The Compare page and its numbers: against gr.compare, gr.evaluate and gr.explain_pair."""

import csv
import io
import json
import re
import shutil
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank.app.compare_page.query_dots import QueryDots
from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.core.checks import DataError
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.modelfile.codec.npz import pack_vectors
from glassrank.nomograms.model_comparison.compared_scores import ComparedScores, QueryChange
from glassrank.nomograms.model_comparison.flipped_pairs import FlipCounts
from glassrank.studies.views.contenders import matching_rows, offered
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.study_comparison import StudyComparison, compare_with
from tests.app.conftest import STUDY

SIZE = 3
HOSTILE = "<img src=x onerror=alert(1)>&\"'"


@pytest.fixture(scope="module")
def study(workspace):
    return SavedStudy.open(workspace / STUDY)


@pytest.fixture(scope="module")
def by_size(study):
    return compare_with(study, str(SIZE))


@pytest.fixture(scope="module")
def folder(workspace, study, tmp_path_factory):
    """Five studies made of one: itself, its copy, one of other documents, and two with test data, one of one query."""
    folder = tmp_path_factory.mktemp("studies")
    for name in ("first", "7", "other", "tested", "single"):
        shutil.copytree(workspace / STUDY, folder / name)
    documents = study.training
    labels = documents.y.copy()
    labels[0] += 1
    save_partitions(replace(documents, y=labels), folder / "other" / "documents", overwrite=True)
    save_partitions(documents.pick_rows(documents.groups.rows(0)), folder / "single" / "test-documents")
    ids = documents.doc_ids.astype(object)
    ids[documents.groups.rows(0)[0]] = HOSTILE
    save_partitions(replace(documents, doc_ids=ids), folder / "tested" / "test-documents", overwrite=True)
    return folder


@pytest.fixture(scope="module")
def several(folder):
    with TestClient(create_app(folder, Access(port=80)), base_url="http://127.0.0.1") as one:
        yield one


def ndcg(study, scores):
    data = study.measured
    return gr.evaluate(data.y, scores, qid=data.qid, measures=["ndcg@10"]).per_query["ndcg@10"]


def text_of(answer):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def test_another_system_is_compared_by_the_held_out_scores_of_the_study(study):
    found, data = compare_with(study, "system:lightgbm"), study.measured
    both = {"kept": study.held_out["kept"], "lightgbm": study.held_out["lightgbm"]}
    expected = gr.compare(study.held_out, data.y, qid=data.qid, asked=[], random_state=0)["lightgbm"]
    assert replace(found.measured.second, name="lightgbm") == expected
    before, after = (ndcg(study, scores) for scores in both.values())
    assert [one.change for one in found.measured.queries] == (after - before).tolist()
    assert found.explain(str(data.qid[0]), *found.lists.names(data.qid[0])[:2]) is None


def test_without_test_data_sizes_are_measured_by_models_that_have_not_seen_the_query(study, by_size):
    data = study.training
    for n_features, found in zip((study.elimination.n_kept, SIZE), by_size.contenders, strict=True):
        own = data.pick_features(study.features_with(n_features))
        scores = np.empty(data.n_rows)
        for rest, rows in GroupKFold(5).split(own.X, own.y, own.qid):
            ranker = make_pipeline(gr.FeatureTransformer("standard"), gr.RankSVM(study.choice.C, missing="mean"))
            ranker.fit(own.X[rest], own.y[rest], ranksvm__qid=own.qid[rest])
            scores[rows] = ranker.predict(own.X[rows])
        np.testing.assert_allclose(found.scores / scores.std(), scores / scores.std(), atol=1e-3)
    assert by_size.lists_are_seen
    assert "trained without it" in by_size.how_measured


def test_a_pair_is_explained_as_by_explain_pair(study, by_size):
    query = by_size.shown_query(None).query
    a, b = by_size.telling_pair(query)
    found = by_size.explain(query, a, b)
    for place, n_features in enumerate((study.elimination.n_kept, SIZE)):
        model, own = study.model_with(n_features), study.measured.pick_features(study.features_with(n_features))
        expected = gr.explain_pair(model, own, query=query, document=a, against=b)
        assert found.probabilities[place] == pytest.approx(expected.probability, abs=1e-12)
        values = {one.name: (one.before, one.after)[place] for one in found.features}
        for one in expected.features:
            assert values[one.name] == pytest.approx(one.contribution, abs=1e-12)
    absent = set(study.kept_features) - set(study.features_with(SIZE))
    assert {one.name for one in found.features if one.after is None} == absent
    changes = sum(one.change for one in found.features)
    assert changes == pytest.approx(found.totals[1] - found.totals[0], abs=1e-12)


def test_the_telling_pair_changes_its_order_as_the_query_does(by_size):
    for query in (by_size.measured.hurt[0].query, by_size.measured.helped[-1].query):
        change = by_size.list_change(query).change
        names, labels = by_size.lists.names(query), by_size.lists.data.y[by_size.lists.rows(query)]
        a, b = (names.index(one) for one in by_size.telling_pair(query))
        first, second = (one[by_size.lists.rows(query)] for one in by_size.lists.scores)
        assert first[a] > first[b]
        assert second[a] < second[b]
        assert change == 0 or np.sign(labels[b] - labels[a]) == np.sign(change)


def test_bins_are_hundredths_and_a_query_that_changes_is_never_in_bin_0():
    changes = {"a": -0.192, "b": 0.0, "c": 0.001, "d": 0.0149, "e": 0.016, "f": -0.004, "g": 0.025}
    queries = tuple(QueryChange(name, 2, 0.5, 0.5 + change, FlipCounts(0, 0, 0)) for name, change in changes.items())
    found = StudyComparison(None, ComparedScores(None, queries, None, None), None)
    assert {place: [one.query for one in own] for place, own in found.bins().items()} == {
        -19: ["a"], -1: ["f"], 0: ["b"], 1: ["c", "d"], 2: ["e"], 3: ["g"],
    }  # fmt: skip
    assert [one.query for one in found.between(-0.004, 0.001)] == ["f", "b", "c"]


def test_documents_of_two_studies_are_matched_by_query_and_id():
    data = gr.RankingData([[1.0], [2.0], [3.0]], y=[0, 1, 2], qid=[1, 1, 2], doc_ids=["a", "b", "a"])
    order = matching_rows(data, data.pick_rows(np.array([2, 0, 1])), "Shop")
    assert order.tolist() == [1, 2, 0]
    for other, what in (
        (data.pick_rows(np.array([0, 1])), "3 and 2 documents"),
        (replace(data, doc_ids=np.array(["a", "c", "a"], dtype=object)), "documents differ"),
        (replace(data, y=np.array([0.0, 1.0, 1.0])), "labels differ"),
    ):
        with pytest.raises(DataError, match=what):
            matching_rows(data, other, "Shop")


def test_the_page_says_the_verdict_of_the_paired_test(client, study, by_size):
    answer = client.get(f"/s/{STUDY}/compare?with={SIZE}")
    data, (first, second) = study.measured, (one.scores for one in by_size.contenders)
    expected = gr.compare({"1": first, "2": second}, data.y, qid=data.qid, measure="ndcg@10", random_state=0)["2"]
    low, high = (f"{end:+.3f}".replace("-", "−") for end in expected.difference_interval)
    text = text_of(answer)
    said = f"Both models rank the same 30 held-out queries. Compared with model 1, model 2: {expected.verdict} ,"
    assert said in text
    assert f"(95 % interval {low} to {high}, p = {expected.p_value:.2g}" in text
    gains = ndcg(study, second) - ndcg(study, first)
    assert f"It loses on {(gains < 0).sum()} queries, gains on {(gains > 0).sum()}" in text
    assert "Why B passed A" in text


def test_the_paired_test_is_there_for_programs(client, study, by_size):
    data, (first, second) = study.measured, (one.scores for one in by_size.contenders)
    found = gr.compare({"1": first, "2": second}, data.y, qid=data.qid, measure="ndcg@10", random_state=0)
    expected = found["2"]
    assert client.get(f"/api/studies/{STUDY}/compare?with={SIZE}").json() == {
        "ready": True,
        "measure": "ndcg@10",
        "difference": expected.difference,
        "interval": list(expected.difference_interval),
        "level": 0.05,
        "p_value": expected.p_value,
        "verdict": expected.verdict,
        "sentence": f"Compared with model 1, model 2: {expected.verdict}, {found.numbers('2')}.",
    }
    for key in ("99", "system:none", "none"):
        assert client.get(f"/api/studies/{STUDY}/compare", params={"with": key}).status_code == 404


def test_every_query_is_a_dot_a_row_on_demand_and_a_line_of_the_file(client, study, by_size):
    page = client.get(f"/s/{STUDY}/compare?with={SIZE}&all=1").text
    assert page.count('<circle class="lose"') == by_size.measured.n_lose
    lines = list(csv.DictReader(io.StringIO(client.get(f"/s/{STUDY}/compare.csv?with={SIZE}").text)))
    expected = ndcg(study, by_size.contenders[1].scores)
    assert [float(one["value_2"]) for one in lines] == expected.tolist()
    names = {one["query"] for one in lines}
    assert names == set(study.measured.qid.astype(str))
    assert names <= set(re.findall(r"<bdi>([^<]+)</bdi></a></td>", page))


def test_the_name_of_the_chosen_query_covers_no_dot(by_size):
    long = {one.query: f"{one.query}, a query with a long name" for one in by_size.measured.queries}
    queries = tuple(replace(one, query=long[one.query]) for one in by_size.measured.queries)
    found = replace(by_size, measured=replace(by_size.measured, queries=queries))
    for name in long.values():
        svg = QueryDots(found, str, name).svg()
        label = re.search(r'<text class="head" x="([\d.]+)" y="([\d.]+)" text-anchor="middle">([^<]*)<', svg)
        x, y, text = float(label[1]), float(label[2]), label[3]
        half = 3.5 * len(text)  # of letters that are 7 pixels wide
        dots = re.findall(r'<circle class="(?:lose|gain|same)" cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+"/></a>', svg)
        under = [float(cy) for cx, cy in dots if abs(float(cx) - x) < half]
        assert len(dots) == len(queries)
        assert min(under) > y + 4


def test_chosen_documents_are_shown_and_unknown_ones_do_not_exist(client, study):
    query = str(study.measured.qid[0])
    a, b = (str(one) for one in study.measured.doc_ids[study.measured.groups.rows(0)][:2])
    address = f"/s/{STUDY}/compare?with={SIZE}&q={query}&a={a}&b={b}"
    own = study.measured.pick_features(study.features_with(SIZE))
    after = gr.explain_pair(study.model_with(SIZE), own, query=query, document=a, against=b).probability
    page = client.get(address)
    assert f"→ {after:.2f} P(A above B)" in text_of(page)
    assert f"/s/{STUDY}/ranking?q={query}&amp;a={a}&amp;b={b}" in page.text
    for changed, status in (
        (address.replace(f"b={b}", "b=none"), 404),
        (address.replace(f"q={query}", "q=none"), 404),
        (address.replace(f"with={SIZE}", "with=99"), 404),
        (address.replace(f"with={SIZE}", "with=system:none"), 404),
        (address.replace(f"with={SIZE}", "with=nothing"), 404),
        (address.replace(f"b={b}", f"b={a}"), 422),
        (f"{address}&low=nan", 422),
    ):
        assert client.get(changed).status_code == status, changed
    assert client.get(f"/s/{STUDY}/compare.csv").status_code == 422


def test_a_system_without_model_has_no_why(client):
    text = text_of(client.get(f"/s/{STUDY}/compare?with=system:lightgbm"))
    assert "it cannot say why" in text
    assert "the choice of features included" in text


def test_models_of_other_studies_are_offered_and_compared(several):
    page = several.get("/s/first/compare").text
    assert '<option value="study:7">' in page  # the name alone would be a size
    text = text_of(several.get("/s/first/compare?with=study:7"))
    assert "0 queries, gains on 0 and leaves 30 as they were" in text
    refused = several.get("/s/first/compare?with=other")
    assert refused.status_code == 422
    assert "was measured on other documents: labels differ" in text_of(refused)
    assert "RankSVM" in refused.text  # the choices are still there


def test_with_test_data_the_final_models_are_measured_and_hostile_names_stay_text(several, folder):
    study = SavedStudy.open(folder / "tested")
    found = compare_with(study, str(SIZE))
    own = study.measured.pick_features(study.features_with(SIZE))
    values = ndcg(study, study.model_with(SIZE).predict(own.table))
    assert [one.value_2 for one in found.measured.queries] == values.tolist()
    assert found.lists is found.measured
    answer = several.get("/s/tested/compare", params={"with": SIZE, "q": str(study.measured.qid[0]), "a": HOSTILE})
    assert "Both were trained without these test queries" in answer.text
    assert HOSTILE in unescape(answer.text)
    assert "<img" not in answer.text


def test_query_and_documents_stay_chosen_between_ranking_and_compare(client, study):
    query = str(study.measured.qid[0])
    a, b = (str(one) for one in study.measured.doc_ids[study.measured.groups.rows(0)][:2])
    for page, other in (("ranking", "compare"), ("nomogram", "compare"), ("compare", "ranking")):
        shown = client.get(f"/s/{STUDY}/{page}?q={query}&a={a}&b={b}").text
        assert f'<a href="/s/{STUDY}/{other}?q={query}&amp;a={a}&amp;b={b}"' in shown, page


def test_repeated_document_ids_are_told_apart(workspace, study, tmp_path):
    shutil.copytree(workspace / STUDY, tmp_path / "twice")
    documents = study.training
    ids, rows = documents.doc_ids.astype(object), documents.groups.rows(0)
    ids[rows[1]] = ids[rows[0]]
    save_partitions(replace(documents, doc_ids=ids), tmp_path / "twice" / "test-documents")
    found = compare_with(SavedStudy.open(tmp_path / "twice"), str(SIZE))
    query, name = str(documents.qid[rows[0]]), ids[rows[0]]
    pair = found.explain(query, f"{name} (1)", f"{name} (2)")
    own = study.training.pick_features(study.kept_features)
    expected = gr.explain_pair(study.model, own, query=query, document=0, against=1)
    assert pair.probabilities[0] == pytest.approx(expected.probability, abs=1e-12)


def test_a_given_system_is_not_called_held_out(workspace, study, tmp_path):
    shutil.copytree(workspace / STUDY, tmp_path / "given")
    names = np.frombuffer(json.dumps(["kept", "mine"]).encode(), dtype=np.uint8).astype(np.int64)
    scores = {"0": study.held_out["kept"], "1": study.measured.y.astype(float), "names": names}
    (tmp_path / "given" / "held-out-scores.npz").write_bytes(pack_vectors(scores))
    found = compare_with(SavedStudy.open(tmp_path / "given"), "system:mine")
    assert "may have seen these queries" in found.how_measured
    assert {one.value_2 for one in found.measured.counted} == {1.0}  # ranked by the labels themselves


def test_on_a_single_query_documents_are_resampled(several, folder):
    study = SavedStudy.open(folder / "single")
    found = compare_with(study, str(SIZE)).measured
    before, after = (
        ndcg(study, study.model_with(n).predict(study.measured.pick_features(study.features_with(n)).table))
        for n in (study.elimination.n_kept, SIZE)
    )
    assert found.second.difference == pytest.approx(float(after[0] - before[0]))
    text = text_of(several.get(f"/s/single/compare?with={SIZE}"))
    n_documents = len(study.measured.y)
    assert f"Both rank the {n_documents} held-out documents of the only query that has different labels" in text


def test_offered_models_are_the_sizes_and_the_systems_of_the_report(study):
    found = offered(study)
    sizes = [int(key) for key in found if key.isdigit()]
    assert sizes == [n for n in range(study.training.n_features, 0, -1) if n != study.elimination.n_kept]
    labels = study.numbers["comparisons"][0]["labels"]
    assert {key: found[f"system:{key}"] for key in labels if key != "kept"} == {
        key: label for key, label in labels.items() if key != "kept"
    }
