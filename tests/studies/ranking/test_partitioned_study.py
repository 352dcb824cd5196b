"""A study of a folder of blocks: the same as in memory if it fits, and otherwise a stated sample of its queries."""

from dataclasses import replace

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.modelfile.load_model import load_model
from glassrank.simulation.ranking import simulate_ranking
from glassrank.studies.ranking import query_sample
from glassrank.studies.ranking.study import study
from glassrank.studies.ranking.study_data import StudyData
from glassrank.studies.study_record import read_record
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples  # noqa: F401 - fixture


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("partitioned-study")
    save_partitions(simulate_ranking(24, 8, random_state=0).data, folder / "blocks", rows_per_block=40)
    return folder


def test_a_sample_is_studied_and_the_final_model_is_trained_on_all_blocks(folder, monkeypatch):
    monkeypatch.setattr(query_sample, "MOST_ROWS_IN_MEMORY", 100)
    data = open_partitions(folder / "blocks")
    found = study(data, folder=folder / "sampled", C=1.0, tune=0)
    assert load_model(folder / "sampled" / "model.json").n_queries_ == data.n_queries
    sample = query_sample.load_sample(data, 0)
    assert sample.n_rows <= 100 < data.n_rows
    assert f"{sample.n_rows:,} documents of {sample.n_queries} queries" in found.facts["Computed on a sample"]
    assert f"{data.n_rows:,} documents of {data.n_queries} queries" in found.facts["Computed on all blocks"]
    assert "Computed on a sample" in (folder / "sampled" / "report.html").read_text()


def test_a_sample_consists_of_whole_queries_in_their_order(folder, monkeypatch):
    data = open_partitions(folder / "blocks")
    everything = query_sample.load_sample(data, 0)
    assert (everything.n_rows, everything.n_queries) == (data.n_rows, data.n_queries)
    monkeypatch.setattr(query_sample, "MOST_ROWS_IN_MEMORY", 80)
    sample = query_sample.load_sample(data, 0)
    expected = everything.pick_queries(sample.groups.ids)
    np.testing.assert_array_equal(sample.X, expected.X)
    again, other = (query_sample.load_sample(data, seed).qid.tolist() for seed in (0, 1))
    assert again == sample.qid.tolist() != other


@pytest.mark.parametrize(
    "options", [{"mode": "difference"}, {"C_unit": "pair", "C": 1.0}, {"scale_per_query": "minmax"}]
)
def test_options_that_need_all_rows_in_memory_are_an_error_before_any_work(folder, options, monkeypatch):
    monkeypatch.setattr(query_sample, "MOST_ROWS_IN_MEMORY", 100)
    with pytest.raises(DataError) as error:
        study(open_partitions(folder / "blocks"), folder=folder / "refused", **options)
    assert error.value.remedy
    assert not (folder / "refused").exists()


def test_a_folder_that_fits_in_memory_is_loaded_so_that_every_option_can_be_used(folder, monkeypatch):
    data = open_partitions(folder / "blocks")
    given = (data, None, None, "minmax", lambda words: None)
    found = StudyData.of(*given)
    assert found.whole is None
    np.testing.assert_array_equal(found.raw.X, simulate_ranking(24, 8, random_state=0).data.X)
    assert (found.rows.X.min(), found.rows.X.max()) == (0.0, 1.0)
    query_sample.check_partitioned_study(data, "difference", "pair", "minmax")
    monkeypatch.setattr(query_sample, "MOST_ROWS_IN_MEMORY", 100)
    assert StudyData.of(*given).whole is data


def test_the_command_takes_folders_of_blocks_for_all_its_data(folder):
    others = simulate_ranking(6, 8, random_state=1).data
    others = replace(others, qid=[f"other {query}" for query in others.qid])
    save_partitions(others, folder / "test-blocks", rows_per_block=20)
    options = ("--C", "1", "--tune", "0", "--folder", "by-command", "--quiet")
    found = glassrank("study", "blocks", "--test", "test-blocks", *options, folder=folder)
    assert found.code == 0, found.err
    assert load_model(folder / "by-command" / "model.json").n_queries_ == 24
    assert read_record(folder / "by-command").n_documents == others.n_rows
    other = glassrank("study", "blocks", "--test", "blocks.csv", folder=folder)
    assert (other.code, "--test must be folders of blocks: blocks.csv" in other.err) == (2, True)
    shared = glassrank("study", "blocks", "--test", "blocks", folder=folder)
    assert (shared.code, "share 24 queries with the training data" in shared.err) == (1, True)
