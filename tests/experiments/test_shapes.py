"""The comparison of shapes: every ranker is in the tables, and the test rows decide nothing."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import glassrank as gr
from experiments.accuracy import compounds, folds, shapes, tasks, verdicts
from experiments.accuracy.effort import TASTE
from experiments.accuracy.shape_models import MODELS, learn
from glassrank.studies.ranking import choice
from tests.house.repository import DOCS
from tests.reference.pairs import pair_accuracy

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Few resamples and no longer grids: what is tested here does not depend on them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdicts, "N_RESAMPLES", 200)
        patch.setattr(choice, "MAX_EXTENSIONS", 0)
        patch.setattr(shapes, "_warm_up", lambda: None)
        yield


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Folder of a whole run on simulated data."""
    folder = tmp_path_factory.mktemp("shapes")
    shapes.main(["simulated"], folder)
    return folder


@pytest.fixture(scope="module")
def task():
    """The first simulated fold."""
    return tasks.simulated(Path())[0].tasks[0]


def test_every_table_has_every_ranker_and_both_baselines(written):
    text = (written / "shapes.md").read_text(encoding="utf-8")
    # Two measures of documents and one of a list, each against two baselines, and two tables of settings.
    for ranker in shapes.RANKERS:
        assert text.count(f"\n| {ranker} |") == 3 * 2 + 2
    assert text.count("| baseline |") == 6
    found = json.loads((written / "shapes.json").read_text(encoding="utf-8"))
    assert {"glassrank", "LightGBM", "numpy"} <= set(found["versions"])
    assert [one["data"] for one in found["data"]] == ["simulated", "simulated list"]
    assert (written / "shapes.png").stat().st_size > 0


def test_an_interrupted_run_resumes_with_the_models_that_were_learnt(written, monkeypatch):
    def refuse(model, task, effort):
        raise AssertionError("learnt again")

    monkeypatch.setattr(shapes, "learn", refuse)
    said = []
    found = shapes.compare_shapes(tasks.simulated(Path())[1], TASTE, written, said.append)
    assert str(found) in (written / "shapes.md").read_text(encoding="utf-8")
    assert said
    assert all("reused from an earlier run" in line for line in said)


def test_labels_of_test_rows_change_no_setting_and_no_score(task):
    other = replace(task, test=gr.RankingData(task.test.X, task.test.y.max() - task.test.y, task.test.qid))
    for model in ("linear-auto", "trees-1"):
        first, second = (learn(MODELS[model], one, TASTE) for one in (task, other))
        assert (first.value, first.setting, first.scores) == (second.value, second.setting, second.scores)


def test_the_official_validation_part_chooses_and_is_not_learnt_from(task):
    (rest, own), *more = task.splits
    assert not more
    assert np.array_equal(task.train, rest)
    assert len(np.intersect1d(rest, own)) == 0
    assert not set(task.pool.qid[rest]) & set(task.pool.qid[own])
    assert not set(task.pool.qid) & set(task.test.qid)


def test_a_quarter_of_the_training_queries_chooses_and_all_of_them_are_learnt_from():
    data = gr.simulate_ranking(n_queries=12, documents_per_query=5, random_state=0).data
    task = tasks.task_of_queries(data, data)
    ((rest, own),) = task.splits
    assert sorted([*rest, *own]) == task.train.tolist() == list(range(data.n_rows))
    assert (len(set(data.qid[rest])), len(set(data.qid[own]))) == (9, 3)
    assert not set(data.qid[rest]) & set(data.qid[own])


def test_there_is_one_gamma_where_multiples_of_scale_need_too_many_columns():
    data = gr.simulate_ranking(n_queries=8, documents_per_query=6, random_state=0).data.pick_features([0, 1])
    task = tasks.task_of_queries(data, data)
    effort = replace(TASTE, scales=("scale*1000000000",), Cs=(1.0,))
    assert "γ 0.1," in learn(MODELS["curves-standard"], task, effort).setting


def test_the_value_on_held_out_compounds_is_the_mean_pair_accuracy_of_the_folds():
    found = compounds.simulate_compounds()
    (task,) = tasks.one_list("list", found).tasks
    value, setting, _ = MODELS["linear-standard"](task, replace(TASTE, Cs=(1.0,)))
    X, y = task.pool.X, task.pool.y
    C = float(setting.split()[1].removesuffix(","))
    by_fold = [pair_accuracy(gr.RankSVM(C).fit(X[rest], y[rest]).predict(X[own]), y[own]) for rest, own in task.splits]
    assert value == pytest.approx(np.mean(by_fold), abs=1e-4)


def test_the_example_of_lightgbm_has_its_sizes(real_data):
    (found,) = tasks.lightgbm_example(real_data)
    (task,) = found.tasks
    assert (task.pool.n_rows, task.pool.n_queries, task.test.n_rows, task.test.n_queries) == (3005, 201, 768, 50)
    assert task.pool.X.shape[1] == task.test.X.shape[1] == 300
    assert isinstance(task.pool.X, np.ndarray)


def test_the_page_names_every_shape():
    page = (DOCS / "evidence/ranking-accuracy.md").read_text(encoding="utf-8")
    assert [ranker for ranker in shapes.RANKERS if f"| {ranker} |" not in page] == []


def test_official_folds_are_those_of_the_other_rankers():
    made = folds.make_folds(folds.simulate_parts(), "raw")
    data = tasks.documents("simulated", made)
    for task, (train, valid, test) in zip(data.tasks, made, strict=True):
        assert np.array_equal(task.pool.X[task.train], train.X)
        assert np.array_equal(task.pool.X[task.splits[0][1]], valid.X)
        assert task.test is test
