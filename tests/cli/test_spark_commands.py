"""Commands with ``--engine spark``: the results of one machine, and clear errors."""

import json

import numpy as np
import pytest

from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.modelfile.load_model import load_model
from glassrank.nomograms.bootstrap_effects import REPLICATES_PER_JOB
from glassrank.studies.ranking import query_sample
from glassrank.studies.ranking.study import RESAMPLES
from tests.cli.commands import glassrank
from tests.scale.partitioned import plain_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark_commands")
    save_partitions(plain_data(n_queries=12), folder / "blocks", rows_per_block=50)
    (folder / "two.parquet").touch()
    (folder / "photos").mkdir()
    return folder


@pytest.mark.spark
def test_train_on_spark_gives_the_model_of_one_machine(spark_session, folder):
    """Also the probabilities, whose folds are fitted and scored on the executors."""
    for engine in ("duckdb", "spark"):
        trained = glassrank("train", "blocks", "--engine", engine, "--output", f"{engine}.json", folder=folder)
        assert trained.code == 0, trained.err
    expected, found = (load_model(folder / f"{engine}.json") for engine in ("duckdb", "spark"))
    data = plain_data()
    np.testing.assert_array_equal(found.predict(data), expected.predict(data))
    assert found.slope_ == expected.slope_
    assert spark_session.range(3).count() == 3  # a session that ran before is not stopped


@pytest.mark.spark
def test_a_study_on_spark_is_that_of_one_machine(spark_session, spark_fits, folder, monkeypatch):
    """Its features are eliminated and its queries resampled on executors; the final model uses all blocks, as here."""
    all_but_one = plain_data(n_queries=12).n_rows - 1
    monkeypatch.setattr(query_sample, "MOST_ROWS_IN_MEMORY", all_but_one)  # otherwise one machine loads the blocks
    for engine in ("duckdb", "spark"):
        options = ["--C", 1, "--tune", 0, "--engine", engine, "--folder", engine, "--quiet"]
        studied = glassrank("study", "blocks", *options, folder=folder)
        assert studied.code == 0, studied.err
    for name in ("model.json", "effects.json", "selection.csv"):
        assert (folder / "spark" / name).read_text() == (folder / "duckdb" / name).read_text()
    assert len(spark_fits) > RESAMPLES["linear"] // REPLICATES_PER_JOB


@pytest.mark.spark
def test_an_intent_model_that_was_fitted_on_spark_is_that_of_one_machine(spark_session, spark_fits, folder):
    fixed = ["--demo", "--size", "small", "--selector", "information gain", "--classifier", "naive Bayes"]
    fixed += ["--folds", 2, "--quiet"]
    for engine in ("local", "spark"):
        trained = glassrank("intent", "train", f"{engine}-intent.json", *fixed, "--engine", engine, folder=folder)
        assert trained.code == 0, trained.err
    local, spark = (json.loads((folder / f"{engine}-intent.json").read_text()) for engine in ("local", "spark"))
    assert spark["model"] == local["model"]
    assert len(spark_fits) >= 2


@pytest.mark.spark
def test_a_running_session_takes_no_master(spark_session, folder):
    refused = glassrank("train", "blocks", "--engine", "spark", "--master", "yarn", "--output", "m.json", folder=folder)
    assert refused.code == 1
    assert "--master is for a new Spark session" in refused.err


NO_SPARK, NO_FOLDER = "it needs --engine spark", "write one with glassrank data partition"
BAD_USAGE = {
    "train, --master without Spark": (["train", "blocks", "--output", "m.json", "--master", "yarn"], NO_SPARK),
    "train, a file": (["train", "two.parquet", "--output", "m.json", "--engine", "spark"], NO_FOLDER),
    "study, --master without Spark": (["study", "blocks", "--engine", "duckdb", "--master", "yarn"], NO_SPARK),
    "study, a file": (["study", "two.parquet", "--engine", "spark"], NO_FOLDER),
    "links, --master without Spark": (["links", "two.parquet", "--master", "yarn"], NO_SPARK),
    "intent train, --master without Spark": (["intent", "train", "m.json", "--demo", "--master", "yarn"], NO_SPARK),
    "intent train, one job": (
        ["intent", "train", "m.json", "--demo", "--engine", "spark", "--jobs", 1],
        "--jobs 1 runs all steps on this machine",
    ),
    "study, parts without a column": (
        ["study", "blocks", "--engine", "spark", "--test-part", "x"],
        "need --split-column",
    ),
    "intent study, --master without Spark": (["intent", "study", "--demo", "--master", "yarn"], NO_SPARK),
}


@pytest.mark.parametrize("what", BAD_USAGE)
def test_options_of_spark_need_spark_and_a_folder(folder, what):
    arguments, message = BAD_USAGE[what]
    refused = glassrank(*arguments, folder=folder)
    assert refused.code == 2
    assert message in refused.err


@pytest.mark.spark
def test_links_run_in_the_session_of_the_cluster(spark_session, folder):
    (folder / "links.csv").write_text("source,target\na,b\na,c\nb,c\n")
    options = ["--method", "in-degree", "--engine", "spark", "-k", 1]
    found = glassrank("links", "links.csv", *options, folder=folder)
    assert found.code == 0, found.err
    assert "in-degree on spark: 3 pages, 3 links" in found.out


def test_a_folder_without_blocks_starts_no_session(folder):
    refused = glassrank("train", "photos", "--engine", "spark", "--output", "m.json", folder=folder)
    assert refused.code == 1
    assert "expected a folder of blocks, with the file manifest.json" in refused.err
