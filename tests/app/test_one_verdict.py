"""One verdict: report, console, Compare page and JSON say the same words, and these follow from the printed numbers."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank.app.pages.compare_view import verdict_part
from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.drawing.small_marks import WhiskerScale
from glassrank.nomograms.model_comparison.compared_scores import ComparedScores
from glassrank.studies.page_parts import difference_cells
from glassrank.studies.ranking.page import page
from glassrank.studies.views.contenders import Contender
from glassrank.studies.views.study_comparison import StudyComparison
from tests.cli.commands import glassrank
from tests.quick_study import resample_seldom
from tests.report_pages import Page

MEASURES = ("ndcg@3", "map", "mrr", "p@1", "pair_accuracy", "misranking")
NUMBERS = re.compile(r"(?P<interval>(?P<low>[+−]?[\d.]+) to (?P<high>[+−]?[\d.]+)), (Holm )?p = ")
CONTENDER = Contender("model", np.empty(0), "test", None)


def random_tables(rng):
    """Labels, queries and scores of a model, a system that the user gave and two baselines; many queries are equal."""
    n_queries, length = int(np.exp(rng.uniform(np.log(2), np.log(301)))), int(rng.integers(2, 6))
    y = np.tile(rng.permutation(np.arange(length) % 3), n_queries).astype(float)
    same = rng.random(n_queries) < rng.choice([0.0, 0.5, 0.95])
    model = y + rng.choice([0.3, 1.0, 3.0]) * rng.normal(size=len(y))
    systems = {"model": np.round(model, int(rng.integers(0, 3)))}
    for name in ("given", "full", "single"):
        kind = rng.integers(0, 6)
        other = y + rng.choice([0.3, 1.0, 3.0]) * rng.normal(size=len(y))
        # By chance: all differences equal, none at all, or a system of its own on the queries that are not the same.
        own = {0: y, 1: systems["model"]}.get(kind, other)
        systems[name] = np.where(np.repeat(same, length), systems["model"], own)
        if kind == 2:
            systems["model"], systems[name] = -y, y
    return y, np.repeat(np.arange(n_queries), length), systems


def number(text):
    return float(text.replace("−", "-"))


def text_of(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).replace(" ,", ",").split())


def check_words(said, numbers, margin, higher_is_better):
    """The words follow from the printed interval alone."""
    found = NUMBERS.search(numbers)
    if found is None:
        assert said == "too few queries"
        return
    low, high = number(found["low"]), number(found["high"])
    better, worse = (low > 0, high < 0) if higher_is_better else (high < 0, low > 0)
    assert said.startswith("better") == better
    assert said.startswith("worse") == worse
    assert ("as good" in said) == (margin is not None and max(-low, high) <= margin)
    assert said.startswith("undecided") == (not better and not worse and "as good" not in said)
    if said.startswith("undecided"):
        assert number(said.removeprefix("undecided, within ±")) == max(-low, high)


@pytest.mark.parametrize("part", range(10))
def test_report_console_compare_page_and_json_say_the_same_of_1000_random_tables(part):
    for seed in range(100 * part, 100 * part + 100):
        rng = np.random.default_rng(seed)
        y, qid, systems = random_tables(rng)
        measure, margin = str(rng.choice(MEASURES)), rng.choice([None, 0.01, 0.1])
        settings = {"qid": qid, "measure": measure, "margin": margin, "n_resamples": 199, "random_state": seed}
        found = gr.compare(systems, y, baseline="model", asked=["given"], **settings)
        content, console = json.loads(found.to_json()), str(found).splitlines()
        for one in found.others:
            family = ["given"] if one.name == "given" else [one.name, *({"full", "single"} - {one.name})]
            pair = {"model": systems["model"]} | {name: systems[name] for name in family}
            alone = gr.compare(pair, y, baseline="model", asked=found.asked if one.name == "given" else [], **settings)
            check_words(one.verdict, found.numbers(one.name), margin, measure != "misranking")
            assert (one.verdict.startswith(("better", "worse"))) == (one.adjusted_p_value < 0.05)
            sentence = found.sentence(one.name)
            assert sentence == f"Compared with model, {one.name}: {one.verdict}, {found.numbers(one.name)}."
            assert next(row for row in console if row.split()[0] == one.name).endswith(f"  {one.verdict}")
            assert sentence in content["sentences"]
            cells = difference_cells(found, one, WhiskerScale.of([-1.0, 1.0]))
            assert text_of(cells) == f"{one.verdict} {found.numbers(one.name)}"
            shown = verdict_part(StudyComparison((CONTENDER,) * 2, ComparedScores(alone, (), None, None), None))
            assert f"queries. {sentence}" in text_of(shown)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study with two systems that the user gave, one of them by chance."""
    folder = tmp_path_factory.mktemp("verdicts")
    data = gr.simulate_ranking(40, 10, random_state=3).data
    rng = np.random.default_rng(0)
    given = {"lgb": data.y + 0.4 * rng.normal(size=data.n_rows), "dice": rng.normal(size=data.n_rows)}
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        result = gr.study(data, folder=folder / "shop", tune=0, systems=given, margin=0.05, title="Shop")
    return folder, result, data


def test_report_console_compare_page_and_json_of_a_study_agree_on_every_system(folder):
    folder, result, _ = folder
    _, *rows = Page((folder / "shop/report.html").read_text()).tables[0]
    report = text_of((folder / "shop/report.html").read_text())
    stored = json.loads((folder / "shop/result.json").read_text())["comparisons"][0]
    by_label = {row[0]: row[-1] for row in rows}
    with TestClient(create_app(folder, Access(port=80)), base_url="http://127.0.0.1") as client:
        for one in result.main.others:
            numbers, label = result.main.numbers(one.name), result.main.label(one.name)
            state = client.get(f"/api/studies/shop/compare?with=system:{one.name}").json()
            shown = text_of(client.get(f"/s/shop/compare?with=system:{one.name}").text)
            said = f"{one.verdict}, {numbers}."
            assert (state["verdict"], state["interval"]) == (one.verdict, list(one.difference_interval))
            assert state["sentence"] == f"Compared with model 1, model 2: {said}"
            assert f"queries. {state['sentence']}" in shown
            assert by_label[label] == f"{one.verdict}{numbers}"
            assert f"{label}, compared with the model {one.verdict} {numbers}" in report
            assert f"Compared with {result.main.label('kept')}, {label}: {said}" in str(result)
            assert any(sentence.endswith(f": {said}") for sentence in stored["sentences"])
    assert [one.name for one in result.main.others][:2] == ["lgb", "dice"]
    assert result.main["lgb"].verdict.startswith("better")
    assert result.main["dice"].verdict == "worse"


def test_glassrank_compare_agrees_with_the_report_on_a_system_that_the_user_gave(folder, tmp_path):
    """The question that the study answers for --model, asked again with the same scores."""
    _, result, data = folder
    rows = ["grade,query," + ",".join(f"f{k}" for k in range(2))]
    rows += [f"{y:g},{q},{a!r},{b!r}" for y, q, (a, b) in zip(data.y, data.qid, data.X[:, :2].tolist(), strict=True)]
    (tmp_path / "test.csv").write_text("\n".join(rows))
    for name in ("kept", "lgb"):
        (tmp_path / name).write_text("\n".join(map(repr, result.scores[name].tolist())))
    names = ["--label-column", "grade", "--query-column", "query", "--margin", "0.05"]
    done = glassrank("compare", "test.csv", "kept=kept", "lgb=lgb", *names, "--json", "-q", folder=tmp_path)
    (found,) = json.loads(done.out)
    expected = result.main["lgb"]
    assert (found["systems"][1]["verdict"], found["margin"]) == (expected.verdict, 0.05)
    assert found["sentences"] == [f"Compared with kept, lgb: {expected.verdict}, {result.main.numbers('lgb')}."]


def test_hostile_labels_stay_text_in_the_answers(folder):
    _, result, _ = folder
    labels = dict.fromkeys(result.main.labels, "<script>alert(1)</script>")
    html = page(replace(result, comparisons=tuple(replace(one, labels=labels) for one in result.comparisons)))
    assert "<script>alert(1)" not in html
