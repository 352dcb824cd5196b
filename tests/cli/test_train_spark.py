"""``glassrank train --engine spark``: the model of one machine, and clear errors."""

import numpy as np
import pytest

from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.modelfile.load_model import load_model
from tests.cli.commands import glassrank
from tests.scale.partitioned import plain_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("train_spark")
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
def test_a_running_session_takes_no_master(spark_session, folder):
    refused = glassrank("train", "blocks", "--engine", "spark", "--master", "yarn", "--output", "m.json", folder=folder)
    assert refused.code == 1
    assert "--master is for a new Spark session" in refused.err


BAD_USAGE = {
    "--master without Spark": (["blocks", "--master", "yarn"], "it needs --engine spark"),
    "a file": (["two.parquet", "--engine", "spark"], "write one with glassrank data partition"),
}


@pytest.mark.parametrize("what", BAD_USAGE)
def test_options_of_spark_need_spark_and_a_folder(folder, what):
    arguments, message = BAD_USAGE[what]
    refused = glassrank("train", *arguments, "--output", "m.json", folder=folder)
    assert refused.code == 2
    assert message in refused.err


def test_links_need_spark_for_a_master(folder):
    refused = glassrank("links", "two.parquet", "--master", "yarn", folder=folder)
    assert refused.code == 2
    assert "it needs --engine spark" in refused.err


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
