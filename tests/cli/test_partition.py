"""``glassrank data partition``, and the commands that take a folder of blocks in place of a file."""

import json

import numpy as np
import pytest

from glassrank.data.load_data import save_data
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.modelfile.load_model import load_model
from tests.cli.commands import glassrank
from tests.scale.partitioned import mixed_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows with gaps, categories and weights as a table and as blocks, and a model of each."""
    folder = tmp_path_factory.mktemp("partition")
    data = mixed_data(np.random.default_rng(1).integers(0, 3, mixed_data().n_rows).astype(float))
    data = data.pick_rows(data.groups.order)
    data = type(data)(data.X, data.y, data.qid, data.doc_ids, list("abcde"), data.weights, kinds=data.kinds)
    save_data(data, folder / "all.parquet")
    written = glassrank("data", "partition", "all.parquet", "--output", "blocks", "--rows-per-block", 60, folder=folder)
    assert written.code == 0, written.err
    for name in ("all.parquet", "blocks"):
        options = ["--unexpected-missing", "mean", "--tol", "1e-12", "--output", f"{name}.json"]
        trained = glassrank("train", name, *options, folder=folder)
        assert trained.code == 0, trained.err
    return folder


def scores(text):
    return np.array([float(line) for line in text.splitlines()])


def test_partition_reports_sizes(folder):
    found = glassrank("data", "partition", "all.parquet", "--output", "again", "--json", folder=folder)
    data = mixed_data()
    sizes = {"rows": data.n_rows, "queries": data.n_queries, "features": 5, "blocks": 1}
    assert json.loads(found.out) == {"folder": "again", **sizes}
    assert "Wrote again: 516 rows, 41 queries, 5 features in 1 block." in found.err


def test_an_existing_folder_needs_force(folder):
    found = glassrank("data", "partition", "all.parquet", "--output", "blocks", folder=folder)
    assert found.code == 1
    assert "overwrite it: --force" in found.err
    (folder / "photos").mkdir(exist_ok=True)
    (folder / "photos" / "cat.jpg").touch()
    found = glassrank("data", "partition", "all.parquet", "--output", "photos", "--force", folder=folder)
    assert found.code == 1
    assert "it is not replaced" in found.err


def test_train_on_blocks_gives_the_model_of_the_file(folder):
    """The same scores and probabilities: every fit of the calibration is the same, too."""
    by_file, by_blocks = (load_model(folder / f"{name}.json") for name in ("all.parquet", "blocks"))
    block = open_partitions(folder / "blocks").read_block(0)
    np.testing.assert_allclose(by_blocks.predict(block), by_file.predict(block), rtol=1e-5, atol=1e-6)
    assert by_blocks.slope_ == pytest.approx(by_file.slope_, rel=1e-4)
    assert by_blocks.n_queries_ == by_file.n_queries_


def test_rank_writes_block_after_block(folder):
    by_file = glassrank("rank", "blocks.json", "all.parquet", folder=folder)
    by_blocks = glassrank("rank", "blocks.json", "blocks", folder=folder)
    np.testing.assert_allclose(scores(by_blocks.out), scores(by_file.out), rtol=1e-12)
    written = glassrank("rank", "blocks.json", "blocks", "--output", "scores.txt.gz", "--force", folder=folder)
    assert "Wrote scores.txt.gz: 516 rows, 41 queries ranked." in written.err


@pytest.mark.parametrize("options", [["--format", "trec"], ["--format", "table", "--top", 2], ["--json"]])
def test_other_layouts_are_those_of_the_file(folder, options):
    by_file, by_blocks = (
        glassrank("rank", "blocks.json", name, *options, folder=folder) for name in ("all.parquet", "blocks")
    )
    assert by_blocks.out == by_file.out


def test_compare_takes_the_judgements_of_a_folder(folder):
    for model in ("all.parquet", "blocks"):
        output = ["--output", f"{model}.txt", "--force"]
        assert glassrank("rank", f"{model}.json", "blocks", *output, folder=folder).code == 0
    systems = ["file=all.parquet.txt", "blocks=blocks.txt"]
    by_file, by_blocks = (glassrank("compare", name, *systems, folder=folder) for name in ("all.parquet", "blocks"))
    assert by_blocks.code == 0, by_blocks.err
    assert by_blocks.out == by_file.out


def test_some_queries_of_a_folder_are_trained_on(folder):
    queries = [word for query in ("q 0", "q 7", "q 9") for word in ("--query", query)]
    options = ["--no-calibrate", "--unexpected-missing", "mean", "--output", "three.json"]
    found = glassrank("train", "blocks", *queries, *options, folder=folder)
    assert "3 queries" in found.out
    unknown = glassrank("train", "blocks", "--query", "q x", "--output", "no.json", folder=folder)
    assert (unknown.code, "There is no query q x" in unknown.err) == (1, True)


def test_unjudged_blocks_can_be_ranked_but_not_trained_on(folder):
    (folder / "new.csv").write_text("qid,a,b,c,d,e\nx,1,2,true,news,3\nx,2,1,false,shop,4\n")
    written = glassrank("data", "partition", "new.csv", "--output", "new", "--no-labels", "--force", folder=folder)
    assert written.code == 0, written.err
    assert len(glassrank("rank", "blocks.json", "new", folder=folder).out.splitlines()) == 2
    found = glassrank("train", "new", "--output", "no.json", folder=folder)
    assert (found.code, "needs labels" in found.err) == (1, True)


USAGE = {
    "column": (["train", "blocks", "--query-column", "q", "--output", "x.json"], "whose columns are known"),
    "two": (["train", "blocks", "all.parquet", "--output", "x.json"], "cannot be combined"),
    "like": (["train", "blocks", "--like", "blocks.json", "--output", "x.json"], "--like needs files"),
    "models": (["compare", "blocks", "--model", "blocks.json", "--model", "blocks.json"], "--model needs a file"),
    "text": (["data", "partition", "train.txt", "--output", "x", "--no-labels"], "--no-labels is for tables"),
    "labels": (["data", "partition", "all.parquet", "--output", "x", "--no-labels", "--label-column", "y"], "exclude"),
}


@pytest.mark.parametrize("case", USAGE)
def test_options_that_do_not_fit_a_folder_are_bad_usage(folder, case):
    arguments, message = USAGE[case]
    found = glassrank(*arguments, folder=folder)
    assert found.code == 2
    assert message in found.err


@pytest.mark.parametrize("model", ["pairwise-ridge", "additive-svc", "best-single-feature", "kernel-least-squares"])
def test_a_model_that_needs_all_rows_is_an_error(folder, model):
    found = glassrank("train", "blocks", "--model", model, "--output", "x.json", folder=folder)
    assert found.code == 1
    assert "memory" in found.err or "block by block" in found.err
    assert not (folder / "x.json").exists()


def test_a_folder_that_is_none_is_an_error(folder):
    (folder / "photos").mkdir(exist_ok=True)
    found = glassrank("train", "photos", "--output", "x.json", folder=folder)
    assert (found.code, "manifest.json: there is none" in found.err) == (1, True)


def test_tables_and_texts_become_one_folder(tmp_path):
    (tmp_path / "a.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.3\n")
    (tmp_path / "b.csv").write_text("qid,label,feature 1\n2,1,0.7\n2,0,0.1\n")
    for files in (["a.txt", "b.csv"], ["b.csv", "a.txt"]):
        found = glassrank("data", "partition", *files, "--output", "both", "--force", "--json", folder=tmp_path)
        assert found.code == 0, found.err
        assert json.loads(found.out)["rows"] == 4
    found = glassrank("data", "partition", "b.csv", "a.txt", "--no-labels", "--output", "both", folder=tmp_path)
    assert found.code == 2
    assert "--no-labels is for tables, and a.txt is none" in found.err
