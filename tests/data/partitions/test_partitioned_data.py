"""Folders of blocks: what is written is read back, and damage is an error."""

import json

import duckdb
import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.data.ranking_data import RankingData
from tests.scale.partitioned import in_blocks, mixed_data, plain_data, weighted_data


@pytest.fixture
def blocks(tmp_path):
    return in_blocks(plain_data(), tmp_path / "blocks")


@pytest.mark.parametrize("make", [plain_data, weighted_data, mixed_data])
def test_blocks_contain_the_rows_query_by_query(tmp_path, make):
    data = make()
    found = in_blocks(data, tmp_path / "blocks")
    rows = [found.read_block(number) for number in range(found.n_blocks)]
    order, at = data.groups.order, 0
    for block in rows:
        expected = data.pick_rows(order[at : at + block.n_rows])
        np.testing.assert_array_equal(block.X, expected.X)
        for name in ("y", "qid", "doc_ids", "weights"):
            np.testing.assert_array_equal(getattr(block, name), getattr(expected, name))
        assert (block.kinds, block.feature_names) == (expected.kinds, expected.feature_names)
        at += block.n_rows
    assert at == data.n_rows == found.n_rows
    assert found.n_queries == data.n_queries == sum(block.n_queries for block in rows)


def test_a_folder_prints_its_sizes(blocks):
    assert repr(blocks) == "PartitionedData(516 rows, 41 queries, 5 features, 6 blocks)"
    assert blocks.feature_names == ("bm25", "Bm25", "label", "age", "constant")


def test_a_block_is_ordinary_parquet(blocks):
    path = blocks.folder / blocks.manifest.blocks[0].name
    found = duckdb.sql(f"SELECT count(*), max(query) FROM '{path}'").fetchone()
    assert found == (blocks.manifest.blocks[0].n_rows, blocks.manifest.blocks[0].n_queries - 1)


def test_the_manifest_counts_labels(blocks):
    labels, counts = np.unique(plain_data().y, return_counts=True)
    content = json.loads((blocks.folder / "manifest.json").read_text())
    assert content["labels"] == {f"{label:g}": int(count) for label, count in zip(labels, counts, strict=True)}
    assert (content["rows"], content["queries"], content["version"]) == (516, 41, 1)


def test_a_view_of_features_reads_only_these(blocks):
    view = blocks.pick_features(["age", 0])
    assert view.feature_names == ("age", "bm25")
    data = plain_data()
    expected = data.pick_rows(data.groups.order).pick_features(["age", "bm25"]).X
    np.testing.assert_array_equal(view.read_block(0).X, expected[: view.read_block(0).n_rows])
    np.testing.assert_array_equal(view.column(1), expected[:, 1])
    with pytest.raises(DataError, match="There is no feature 'pagerank'"):
        blocks.pick_features(["pagerank"])


def test_a_view_of_queries_has_only_these(blocks):
    chosen = np.zeros(41, dtype=bool)
    chosen[[0, 40]] = True
    view = blocks.pick_queries(chosen)
    assert (view.n_queries, view.n_rows) == (2, 48)
    assert np.unique(view.row_queries).tolist() == [0, 40]
    assert view.query_ids[chosen].tolist() == [plain_data().groups.ids[0], 46]


def test_a_second_transform_is_an_error(blocks):
    once = blocks.transformed([np.abs] * 5)
    with pytest.raises(DataError, match="transformed already"):
        once.transformed([np.abs] * 5)


def test_a_folder_is_written_whole_or_not_at_all(tmp_path):
    class StoppedError(Exception):
        pass

    class StoppedData(RankingData):
        def pick_rows(self, rows):
            raise StoppedError

    data = plain_data()
    with pytest.raises(StoppedError):
        save_partitions(StoppedData(data.X, data.y, data.qid), tmp_path / "blocks")
    assert list(tmp_path.iterdir()) == []


def test_only_a_folder_of_blocks_is_overwritten(tmp_path):
    data = plain_data()
    save_partitions(data, tmp_path / "blocks", rows_per_block=50)
    with pytest.raises(DataError, match=r"already exists.*overwrite=True"):
        save_partitions(data, tmp_path / "blocks")
    save_partitions(data, tmp_path / "blocks", overwrite=True)
    assert open_partitions(tmp_path / "blocks").n_blocks == 1
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").touch()
    with pytest.raises(DataError, match="it is not replaced"):
        save_partitions(data, tmp_path / "photos", overwrite=True)


@pytest.mark.parametrize("added", ["notes.txt", "manifest.json"])
def test_a_folder_with_files_of_others_is_not_overwritten(tmp_path, added):
    """A program of another kind also has a manifest.json; and notes beside the blocks would be lost."""
    folder = tmp_path / "blocks"
    save_partitions(plain_data(), folder)
    (folder / added).write_text('{"name": "my extension"}')
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(DataError, match=r"something other than blocks.* it is not replaced"):
        save_partitions(plain_data(), folder, overwrite=True)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_overwriting_leaves_nothing_else_behind(tmp_path):
    for rows_per_block in (50, 1000):
        save_partitions(plain_data(), tmp_path / "blocks", rows_per_block=rows_per_block, overwrite=True)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["block-00000.parquet", "blocks", "manifest.json"]


def test_rows_per_block_must_be_a_whole_number(tmp_path):
    with pytest.raises(DataError, match="rows_per_block"):
        save_partitions(plain_data(), tmp_path / "blocks", rows_per_block=0)


def test_a_folder_without_a_manifest_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no such folder"):
        open_partitions(tmp_path / "nothing")
    with pytest.raises(DataError, match=r"manifest\.json: there is none.*glassrank data partition"):
        open_partitions(tmp_path)


def test_a_missing_block_is_an_error(blocks):
    (blocks.folder / blocks.manifest.blocks[2].name).unlink()
    with pytest.raises(DataError, match=r"block-00002\.parquet: this block is missing"):
        open_partitions(blocks.folder)


def test_a_changed_block_is_an_error(blocks):
    first, second = (blocks.folder / block.name for block in blocks.manifest.blocks[:2])
    second.write_bytes(first.read_bytes())
    with pytest.raises(DataError, match=r"block-00001\.parquet: this block was changed"):
        open_partitions(blocks.folder)


CHANGES = {
    "newer": ({"version": 2}, "newer than this version of glassrank"),
    "foreign": ({"format": "shards"}, "damaged"),
    "counts": ({"rows": 7}, "do not add up"),
    "features": ({"features": [{"name": "bm25"}]}, "damaged"),
    "labels": ({"labels": []}, "damaged"),
    "outside": ({"blocks": [{"name": "../x", "n_rows": 516, "n_queries": 41, "n_bytes": 1, "digest": ""}]}, "missing"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_damaged_manifest_is_an_error(blocks, change):
    changes, message = CHANGES[change]
    path = blocks.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(DataError, match=message):
        open_partitions(blocks.folder)


@pytest.mark.parametrize("content", ["[]", "7", '{"version": "1"}', ""])
def test_a_manifest_that_is_something_else_is_an_error(blocks, content):
    (blocks.folder / "manifest.json").write_text(content)
    with pytest.raises(DataError):
        open_partitions(blocks.folder)


def test_unjudged_data_cannot_train(tmp_path):
    data = plain_data()
    found = in_blocks(RankingData(data.X, None, data.qid), tmp_path / "blocks")
    assert not found.is_judged
    assert found.read_block(0).y is None
    with pytest.raises(DataError, match="needs labels"):
        found.check_judged("Training data")
