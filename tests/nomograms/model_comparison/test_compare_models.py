"""Two models compared: measures, flipped pairs and features equal those found pair by pair."""

import json
import math
import re

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.drawing.theme import LIGHT
from glassrank.nomograms.model_comparison import flipped_pairs as module
from tests.reference.flipped_pairs import changes_by_feature, flipped_pairs
from tests.report_pages import SCRIPT, assert_runs_and_loads_nothing


@pytest.fixture(scope="module")
def data():
    return gr.simulate_ranking(14, 8, random_state=3).data.pick_features([0, 1, 2, 3, 5])


@pytest.fixture(scope="module")
def models(data):
    """Two linear models that share three of their features, in another order."""
    names = data.feature_names
    first = gr.RankSVM(C=1.0).fit(data.pick_features([names[0], names[1], names[2], names[3]]))
    second = gr.RankSVM(C=0.01).fit(data.pick_features([names[3], names[1], names[4], names[2]]))
    return first, second


@pytest.fixture(scope="module")
def found(models, data):
    return gr.compare_models(*models, data, random_state=0, n_resamples=200)


def effects_of(model, data):
    """Feature → its part of each document's score: a linear model's weight times the value."""
    return {
        name: weight * data.X[:, data.feature_index(name)]
        for name, weight in zip(model.feature_names_in_, model.coef_, strict=True)
    }


@pytest.fixture(scope="module")
def twin(models, data):
    """Effects of both models, and all flipped pairs."""
    effects = [effects_of(model, data) for model in models]
    scores = [sum(own.values()) for own in effects]
    return effects, flipped_pairs(data.qid.tolist(), *scores)


def test_flips_are_those_of_every_pair_by_the_definition(found, data, twin):
    _, pairs = twin
    assert len(pairs) >= 10
    worse = sum(data.y[a] > data.y[b] for a, b in pairs)
    better = sum(data.y[a] < data.y[b] for a, b in pairs)
    assert (found.flips.right_to_wrong, found.flips.wrong_to_right) == (worse, better)
    assert found.flips.total == len(pairs)
    for query in found.queries:
        assert query.flips.total == sum(str(data.qid[a]) == query.query for a, _ in pairs)


@pytest.mark.parametrize("at_once", [2, 20_000])
def test_changes_of_features_are_means_over_the_flipped_pairs(models, data, twin, monkeypatch, at_once):
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", at_once)
    found = gr.compare_models(*models, data, random_state=0, n_resamples=100)
    effects, pairs = twin
    changes = changes_by_feature(pairs, *effects)
    assert {one.name for one in found.features} == set(changes[0])
    for one in found.features:
        own = [change[one.name] for change in changes]
        assert one.mean_change == pytest.approx(np.mean(own), abs=1e-12)
        assert one.mean_absolute_change == pytest.approx(np.mean(np.abs(own)), abs=1e-12)
        assert one.in_models == (one.name in effects[0], one.name in effects[1])
    sizes = [one.mean_absolute_change for one in found.features]
    assert sizes == sorted(sizes, reverse=True)


def test_a_flipped_pair_has_the_contributions_of_both_models(found, data, twin):
    effects, pairs = twin
    names = data.doc_ids
    expected = {(str(names[a]), str(names[b])) for a, b in pairs}
    shown = [(one, query.query) for query in found.queries for one in found.flipped_pairs(query.query)]
    assert {(one.a, one.b) for one, _ in shown} == expected
    for one, query in shown[:10]:
        a, b = (data.row_of(query, name) for name in (one.a, one.b))
        for name, both in one.contributions.items():
            wanted = [own[name][a] - own[name][b] if name in own else 0.0 for own in effects]
            assert both == pytest.approx(wanted, abs=1e-9)
        assert one.totals[0] > 0 > one.totals[1]
        assert (one.label_a, one.label_b) == (data.y[a], data.y[b])
        assert one.ranks_a[0] < one.ranks_b[0]
        assert one.ranks_a[1] > one.ranks_b[1]


def test_means_and_the_test_are_those_of_compare(found, models, data):
    scores = {
        name: sum(effects_of(model, data).values()) for name, model in zip(("model 1", "model 2"), models, strict=True)
    }
    same = gr.compare(scores, data.y, qid=data.qid, random_state=0, n_resamples=200)
    assert found.comparison["model 2"].difference == pytest.approx(same["model 2"].difference)
    assert found.comparison["model 2"].p_value == same["model 2"].p_value


def test_every_query_loses_gains_or_stays(found):
    changes = [one.value_2 - one.value_1 for one in found.queries if not math.isnan(one.value_1)]
    assert (found.n_lose, found.n_gain) == (sum(c < -1e-12 for c in changes), sum(c > 1e-12 for c in changes))
    assert found.n_unchanged == len(changes) - found.n_lose - found.n_gain
    assert [one.change for one in found.counted] == sorted(changes)


def test_a_model_compared_with_itself_changes_nothing(models, data, tmp_path):
    found = gr.compare_models(models[0], models[0], data, random_state=0, n_resamples=100)
    assert (found.n_lose, found.n_gain, found.flips.total) == (0, 0, 0)
    assert "No query changes" in found.save(tmp_path / "same.html").read_text(encoding="utf-8")
    assert "loses on 0, gains on 0" in str(found)


def test_table_and_json_have_every_query(found):
    content = json.loads(found.to_json())
    assert [one["query"] for one in content["queries"]] == [one.query for one in found.queries]
    assert content["flips"]["right_to_wrong"] == found.flips.right_to_wrong
    frame = found.to_frame()
    assert list(frame["change"]) == pytest.approx([one.change for one in found.queries], nan_ok=True)


def test_calibrated_models_are_compared_in_log_odds(data, tmp_path):
    both = [gr.PairCalibrator(gr.RankSVM(C=C), cv=2, random_state=0).fit(data) for C in (1.0, 0.003)]
    found = gr.compare_models(*both, data, random_state=0, n_resamples=100)
    page = found.save(tmp_path / "c.html").read_text(encoding="utf-8")
    for first, second in re.findall(r"P\(A above B\): (0\.\d+) → (0\.\d+)", page):
        assert float(first) >= 0.5 >= float(second)


REFUSED = {
    "units": (lambda: gr.PairCalibrator(gr.RankSVM(), cv=2), {}, "different units"),
    "differences": (lambda: gr.RankSVM(kernel="lrbf", mode="difference"), {}, "model of differences"),
    "rows": (gr.RankSVM, {"data_2": True}, "data_2 must have the rows of data"),
    "names": (gr.RankSVM, {"names": ("a", "a")}, "two different names"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_models_that_cannot_be_compared_are_refused(data, case):
    make, options, message = REFUSED[case]
    if "data_2" in options:
        options = {"data_2": data.pick_rows(np.arange(data.n_rows)[::-1])}
    with pytest.raises(DataError, match=message):
        gr.compare_models(gr.RankSVM().fit(data), make().fit(data), data, **options)


def test_an_unknown_query_is_refused(found):
    with pytest.raises(DataError, match="There is no query 'nowhere'"):
        found.flipped_pairs("nowhere")


def test_names_cannot_write_into_the_page_and_it_loads_nothing(data, tmp_path):
    hostile = gr.RankingData(
        data.X,
        data.y,
        [f"{query}{SCRIPT}" for query in data.qid],
        [f"{document}{SCRIPT}" for document in data.doc_ids],
        [f"{name}{SCRIPT}" for name in data.feature_names],
    )
    both = [gr.RankSVM(C=C).fit(hostile) for C in (1.0, 0.001)]
    found = gr.compare_models(*both, hostile, names=(f"old{SCRIPT}", "new"), random_state=0, n_resamples=100)
    html = found.save(tmp_path / "c.html").read_text(encoding="utf-8")
    assert_runs_and_loads_nothing(html)
    assert "&lt;script&gt;alert(1)" in html


def test_the_chart_has_a_dot_for_every_query(found, tmp_path):
    chart = found.chart()
    assert chart.queries_per_dot == 1
    dots = [rows for name, rows in chart.draw(LIGHT).data.items() if name.startswith("dots")]
    assert [len(rows) for rows in dots] == [found.n_lose, found.n_unchanged, found.n_gain]
    assert found.save(tmp_path / "c.svg").read_text(encoding="utf-8").startswith("<svg")
