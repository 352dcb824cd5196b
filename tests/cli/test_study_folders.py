"""Where a study writes: a finished study of other data is not replaced, and the default folder has the data's name."""

import re
import shutil
from dataclasses import replace

import pytest

import glassrank as gr
from glassrank.app.workspace import Workspace
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

QUICK = ["--tune", 0, "--C", 1, "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folders")
    for seed, name in enumerate(("t.csv", "u.csv.gz", "v.csv")):
        gr.save_data(data(seed), folder / name)
    assert glassrank("study", "t.csv", *QUICK, folder=folder).code == 0
    return folder


def data(seed):
    made = gr.simulate_ranking(12, 6, random_state=seed).data.pick_features(["BM25 title", "Noise 1"])
    return replace(made, qid=100 * seed + made.groups.of_row)


@pytest.fixture
def st(folder):
    """The finished study of t.csv, in the folder st."""
    shutil.copytree(folder / "t-study", folder / "st")
    yield folder / "st"
    shutil.rmtree(folder / "st")


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def study(folder, *arguments):
    return glassrank("study", *arguments, *QUICK, "--folder", "st", folder=folder)


def test_a_finished_study_of_other_data_is_refused_and_keeps_every_file(folder, st):
    before = contents(st)
    refused = study(folder, "u.csv.gz")
    assert (refused.code, refused.out) == (1, "")
    assert re.fullmatch(
        r"Error: st holds a finished study of t\.csv of \d{1,2} \w{3} \d{4} \d\d:\d\d\. "
        r"Choose another --folder, or replace it with --force\.\n",
        refused.err,
    )
    assert contents(st) == before


@pytest.mark.parametrize("choice", [["--query", 1], ["--exclude", "Noise 1"], ["--test", "v.csv"]])
def test_other_rows_columns_or_test_data_of_the_same_file_are_other_data(folder, st, choice):
    refused = study(folder, "t.csv", *choice)
    assert refused.code == 1
    assert "which had other rows or columns. Choose another --folder" in refused.err


def test_the_same_data_with_another_option_use_the_folder_again(folder, st):
    assert study(folder, "t.csv", "--loss", "logistic").code == 0
    assert gr.load_model(st / "model.json").estimator_.steps[-1][1].loss == "logistic"


def test_force_replaces_the_study_and_is_not_part_of_the_command_in_the_report(folder, st):
    assert study(folder, "u.csv.gz", "--force").code == 0
    page = (st / "report.html").read_text(encoding="utf-8")
    assert "study u.csv.gz" in page
    assert "--force" not in page


def test_an_interrupted_run_with_other_options_does_not_give_the_first_study_away(folder, st, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("glassrank.studies.ranking.recipe.Recipe.eliminate", interrupted)
        assert study(folder, "t.csv", "--seed", 1).code == 130
    assert study(folder, "u.csv.gz").code == 1


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_a_damaged_record_is_refused_and_the_remedy_works(folder, st):
    (st / "study.json").write_text("{}")
    refused = study(folder, "t.csv")
    assert refused.code == 1
    assert "Run the study again with --force." in refused.err
    assert study(folder, "t.csv", "--force").code == 0


def test_a_report_without_a_record_is_not_replaced(folder, tmp_path):
    (tmp_path / "report.html").write_text("my own")
    refused = glassrank("study", "t.csv", *QUICK, "--folder", tmp_path, folder=folder)
    assert (refused.code, refused.err.split(". ")[0]) == (
        1,
        f"Error: {tmp_path} holds a report or a model of unknown data",
    )
    assert (tmp_path / "report.html").read_text() == "my own"


def test_a_model_that_is_not_of_a_study_is_not_replaced(folder, tmp_path):
    shutil.copy(folder / "t-study" / "model.json", tmp_path / "model.json")
    before = contents(tmp_path)
    refused = glassrank("study", "u.csv.gz", *QUICK, "--folder", tmp_path, folder=folder)
    assert (refused.code, contents(tmp_path)) == (1, before)


def test_the_default_folder_has_the_name_of_the_first_file_of_training_data(folder):
    assert glassrank("data", "partition", "t.csv", "--output", "blocks", "-q", folder=folder).code == 0
    for files in (["u.csv.gz", "v.csv"], ["blocks"]):
        found = glassrank("study", *files, *QUICK, folder=folder)
        assert found.code == 0, found.err
    assert {path.name for path in folder.glob("*study")} == {"t-study", "u-study", "blocks-study"}


def test_in_python_the_default_folder_is_that_of_the_command(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    loaded = gr.load_data(folder / "u.csv.gz").pick_queries(range(100, 108))
    assert [gr.study(one, tune=0, C=1.0).folder.name for one in (loaded, data(0))] == ["u-study", "study"]
    with pytest.raises(gr.DataError, match=r"study holds a finished study of \d.* with overwrite=True"):
        gr.study(data(1), tune=0, C=1.0)


def test_a_demo_with_another_seed_does_not_replace_the_first(folder):
    demo = ["demo", "--folder", "demo", "--queries", 20, "-q"]
    assert glassrank(*demo, folder=folder).code == 0
    before = contents(folder / "demo")
    refused = glassrank(*demo, "--seed", 1, folder=folder)
    assert (refused.code, contents(folder / "demo")) == (1, before)
    assert "demo holds a finished study of" in refused.err


INTENT = ["intent", "study", "--demo", "--size", "small", "--selector", "SVM weights", "--folds", 2, "--no-curve"]
INTENT += ["--classifier", "maximum entropy", "--n-features", 5, "--jobs", 1, "-q"]
DISTILL = ["distill", "study", "--simulated", "-q"]


@pytest.mark.parametrize("command", [INTENT, DISTILL], ids=["intent", "distill"])
def test_a_study_of_another_kind_does_not_replace_it(folder, st, command):
    before = contents(st)
    refused = glassrank(*command, "--folder", "st", folder=folder)
    assert refused.code == 1
    assert "st holds a finished study of t.csv of" in refused.err
    assert contents(st) == before


def test_a_study_of_intents_is_not_replaced_and_not_listed_by_the_app_among_rankers(folder, tmp_path):
    assert glassrank(*INTENT, "--folder", tmp_path / "intent", folder=folder).code == 0
    before = contents(tmp_path / "intent")
    refused = glassrank(*INTENT, "--seed", 1, "--folder", tmp_path / "intent", folder=folder)
    assert (refused.code, "holds a finished study of" in refused.err) == (1, True)
    assert contents(tmp_path / "intent") == before
    assert Workspace(tmp_path).studies() == []
    assert Workspace(tmp_path / "intent").opened is None
