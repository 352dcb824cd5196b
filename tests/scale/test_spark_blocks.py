"""On the executors of a Spark cluster, fits are those in memory, and a lost executor costs a recomputation."""

import gc
import os
import subprocess
import sys
import venv

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from glassrank.core.checks import DataError
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.ranking.any_ranker import fit_ranker
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.scale.spark_blocks import SparkBlocks
from glassrank.scale.survey import survey_blocks
from tests.scale.executor_loss import InterruptedBlocks
from tests.scale.partitioned import in_blocks, mixed_data, plain_data, weighted_data
from tests.scale.test_blocks import queries_of_block
from tests.scale.test_blockwise_fits import TIGHT, assert_equal_coefficients, assert_same_model
from tests.spark import QUICK_JAVA

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:.* a certified gap of .* tol is 1.0e-17"),
]

RANKERS = {
    "linear": lambda: RankSVM(C=3.0, missing="mean", tol=TIGHT),
    "lrbf": lambda: RankSVM(C=3.0, kernel="lrbf", missing="mean", tol=TIGHT),
    "elm": lambda: ELMRank(n_nodes=30, alpha=0.01, nodes="additive", missing="mean", random_state=0),
}


def standardised(ranker):
    return make_pipeline(FeatureTransformer(), ranker)


def on_spark(data, folder, engine, rows_per_block=100):
    in_blocks(data, folder, rows_per_block)
    return open_partitions(folder, engine=engine)


@pytest.mark.parametrize("name", RANKERS)
def test_a_fit_on_executors_is_the_one_in_memory(spark_engine, tmp_path, name):
    data = mixed_data(weighted_data().weights)
    found = standardised(RANKERS[name]()).fit(on_spark(data, tmp_path / "blocks", spark_engine))[-1]
    expected = fit_ranker(standardised(RANKERS[name]()), data.table, data.y, data.groups, data.weights)[-1]
    assert_same_model(found, expected)


def test_both_executors_work(spark_engine, tmp_path):
    blocks = SparkBlocks(on_spark(plain_data(), tmp_path / "blocks", spark_engine), spark_engine)
    blocks.add_up(queries_of_block)
    stored = spark_engine.context._jsc.sc().getRDDStorageInfo()
    assert [info.numCachedPartitions() for info in stored if info.id() == blocks._stored.id()] == [6]
    assert spark_engine.context._jsc.sc().getExecutorMemoryStatus().size() == 3  # two, and this process


def test_a_search_on_executors_is_the_one_in_memory(spark_engine, tmp_path):
    data = plain_data(n_queries=12)
    search = RankSVMCV([0.1, 10.0], cv=2, tol=TIGHT)
    found = standardised(search).fit(on_spark(data, tmp_path / "blocks", spark_engine))[-1]
    expected = fit_ranker(standardised(search), data.table, data.y, data.groups)[-1]
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    assert_equal_coefficients(found, expected)


def test_sums_keep_the_order_of_the_blocks(spark_engine, tmp_path, monkeypatch):
    """With more tasks than are added in one place, the sums of neighbouring tasks are added on the executors."""
    monkeypatch.setattr("glassrank.scale.spark_blocks.MAX_COLLECTED", 2)
    data = weighted_data()
    blocks = SparkBlocks(on_spark(data, tmp_path / "blocks", spark_engine), spark_engine)
    assert blocks._n_tasks == 6
    without = np.flatnonzero(data.groups.ids == 3)[0]
    for n_passes in (1, 2):
        assert blocks.add_up(queries_of_block) == [query for query in range(data.n_queries) if query != without]
        assert blocks.n_passes == n_passes


def test_few_blocks_give_the_same_bits_as_in_one_process(spark_engine, tmp_path):
    blocks = on_spark(plain_data(), tmp_path / "blocks", spark_engine)
    found, expected = (RankSVM().fit(rows) for rows in (blocks, open_partitions(tmp_path / "blocks")))
    np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_executors_read_blocks_once(spark_engine, tmp_path):
    blocks = SparkBlocks(on_spark(plain_data(), tmp_path / "blocks", spark_engine), spark_engine)
    first = blocks.add_up(queries_of_block)
    (tmp_path / "blocks").rename(tmp_path / "elsewhere")
    assert blocks.add_up(queries_of_block) == first


def test_a_killed_executor_costs_a_recomputation_not_the_fit(spark_engine, tmp_path, monkeypatch):
    """It dies within the fifth pass, with the blocks that it keeps."""
    monkeypatch.setattr("glassrank.scale.open_blocks.SparkBlocks", InterruptedBlocks)
    monkeypatch.setattr(InterruptedBlocks, "marker", str(tmp_path / "killed"))
    blocks = on_spark(plain_data(), tmp_path / "blocks", spark_engine)
    found, expected = (RankSVM().fit(rows) for rows in (blocks, open_partitions(tmp_path / "blocks")))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "killed").read_text()), 0)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_blocks_that_nobody_uses_free_their_memory(spark_engine, tmp_path):
    held = spark_engine.context._jsc.getPersistentRDDs
    gc.collect()
    before = held().size()
    blocks = SparkBlocks(on_spark(plain_data(), tmp_path / "blocks", spark_engine), spark_engine)
    blocks.add_up(queries_of_block)
    assert held().size() == before + 1
    del blocks
    assert held().size() == before


def test_a_folder_that_executors_do_not_see_is_an_error(spark_engine, tmp_path):
    blocks = on_spark(plain_data(), tmp_path / "blocks", spark_engine)
    (tmp_path / "blocks").rename(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="has no such folder") as error:
        RankSVM().fit(blocks)
    assert "all executors see" in error.value.remedy


def test_an_error_in_a_block_reaches_the_caller(spark_engine, tmp_path):
    blocks = on_spark(plain_data(), tmp_path / "blocks", spark_engine)
    last = blocks.manifest.blocks[-1]
    (tmp_path / "blocks" / last.name).write_bytes(b"PAR1")
    with pytest.raises(DataError, match=f"{last.name}: this block was changed"):
        RankSVM().fit(blocks)


def test_rows_without_weight_are_an_error(spark_engine, tmp_path):
    data = plain_data(weights=np.zeros(plain_data().n_rows))
    with pytest.raises(DataError, match="no row has a positive weight"):
        RankSVM().fit(on_spark(data, tmp_path / "blocks", spark_engine))


def test_executors_without_glassrank_are_an_error(spark_engine, tmp_path, monkeypatch):
    venv.EnvBuilder(symlinks=True).create(tmp_path / "bare")
    monkeypatch.setattr(spark_engine.context, "pythonExec", str(tmp_path / "bare/bin/python"))
    with pytest.raises(DataError, match=r"executors' Python has no (glassrank|numpy)") as error:
        RankSVM().fit(on_spark(plain_data(), tmp_path / "blocks", spark_engine))
    assert "PYSPARK_PYTHON" in error.value.remedy


def test_a_running_session_has_its_master(spark_session):
    from glassrank.data.engines.spark_engine import SparkEngine

    with pytest.raises(DataError, match="one is running already") as error:
        SparkEngine(master="yarn")
    assert error.value.parameter == "master"
    with pytest.raises(DataError, match=r"master must be local\[N\], spark://HOST:PORT, .*: got 'hdfs://head'"):
        SparkEngine(master="hdfs://head")


def test_other_engines_do_not_process_blocks(tmp_path):
    from glassrank.data.engines.duckdb_engine import DuckDBEngine

    in_blocks(plain_data(), tmp_path / "blocks")
    with pytest.raises(DataError, match="engine must be one of 'duckdb', 'spark'"):
        open_partitions(tmp_path / "blocks", engine="dask")
    with DuckDBEngine() as engine, pytest.raises(DataError, match="a SparkEngine: got a DuckDBEngine"):
        open_partitions(tmp_path / "blocks", engine=engine)


SCRIPT = """
import glassrank as gr
from glassrank.scale import spark_blocks, survey

spark_blocks.MAX_COLLECTED = 2
with gr.SparkEngine(master="local[1]") as engine:
    data = gr.open_partitions("blocks", engine=engine)
    print(survey.survey_blocks(spark_blocks.SparkBlocks(data, engine)).sums.tolist())
try:
    gr.RankSVM().fit(data)
except gr.DataError as error:
    print(error)
"""


def test_one_executor_gives_the_same_bits_as_two(spark_engine, tmp_path, monkeypatch):
    """With more blocks than are added in one place; a session of its own, on another master."""
    monkeypatch.setattr("glassrank.scale.spark_blocks.MAX_COLLECTED", 2)
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    blocks = SparkBlocks(on_spark(weighted_data(), tmp_path / "blocks", spark_engine), spark_engine)
    environment = os.environ | {"PYSPARK_SUBMIT_ARGS": f"--driver-java-options '{QUICK_JAVA}' pyspark-shell"}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    sums, stopped = run.stdout.splitlines()
    assert stopped.startswith("The Spark session was stopped.")
    assert sums == str(survey_blocks(blocks).sums.tolist())
