"""Files larger than memory become blocks: the same rows as load_data reads, by the same rules, query by query."""

import gzip

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.join_data import join_data
from glassrank.data.load_data import load_data, save_data
from glassrank.scale import staged_rows
from glassrank.scale.partition_files import partition_files
from tests.scale.partitioned import mixed_data, plain_data, weighted_data


def all_rows(blocks):
    return join_data([blocks.read_block(number) for number in range(blocks.n_blocks)])


def assert_same_rows(blocks, expected):
    """The rows of the blocks are those in memory, sorted by query in order of appearance."""
    found, expected = all_rows(blocks), expected.pick_rows(expected.groups.order)
    X = expected.X if isinstance(expected.X, np.ndarray) else expected.X.toarray()
    np.testing.assert_array_equal(found.X, X)
    for name in ("y", "qid", "doc_ids", "weights"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert (found.feature_names, found.kinds) == (expected.feature_names, expected.kinds)


@pytest.mark.parametrize("name", ["data.csv", "data.tsv", "data.parquet", "data.csv.gz", "data = [1].parquet"])
@pytest.mark.parametrize("make", [mixed_data, weighted_data])
def test_a_table_becomes_blocks(tmp_path, name, make):
    data = make()
    if make is weighted_data:  # names that differ in case only cannot be columns of a table
        data = type(data)(data.X, data.y, data.qid, weights=data.weights)
    else:
        data = type(data)(data.X, data.y, data.qid, data.doc_ids, list("abcde"), kinds=data.kinds)
    save_data(data, tmp_path / name)
    blocks = partition_files([tmp_path / name], tmp_path / "blocks", rows_per_block=60)
    assert blocks.n_blocks > 5
    assert_same_rows(blocks, load_data(tmp_path / name))


@pytest.mark.parametrize("part_bytes", [200, 10**6])
def test_a_letor_text_becomes_blocks_also_in_parts(tmp_path, monkeypatch, part_bytes):
    """With 200 bytes, a part has a few lines, and some features appear in some of the parts only."""
    monkeypatch.setattr(staged_rows, "TEXT_BYTES", part_bytes)
    rng = np.random.default_rng(0)
    lines = []
    for row in range(60):
        listed = sorted(rng.choice(np.arange(1, 7 + row // 20), 3, replace=False))
        pairs = " ".join(f"{k}:{rng.normal():.4f}" for k in listed)
        lines.append(f"{row % 3} qid:{rng.integers(1, 9)} {pairs} #docid = d{row}\n")
    path = tmp_path / "train.txt.gz"
    path.write_bytes(gzip.compress("".join(lines).encode()))
    blocks = partition_files([path], tmp_path / "blocks", rows_per_block=10)
    assert_same_rows(blocks, load_data(path, layout="dense"))


def test_a_letor_text_that_counts_from_0_keeps_its_features(tmp_path, monkeypatch):
    monkeypatch.setattr(staged_rows, "TEXT_BYTES", 5)
    path = tmp_path / "train.txt"
    path.write_text("1 qid:1 1:5 2:3\n0 qid:1 0:2\n")
    blocks = partition_files([path], tmp_path / "blocks")
    assert blocks.feature_names == ("feature 0", "feature 1", "feature 2")
    assert blocks.read_block(0).X.tolist() == [[0.0, 5.0, 3.0], [2.0, 0.0, 0.0]]


def test_an_error_in_a_later_part_has_the_line_in_the_whole_text(tmp_path, monkeypatch):
    monkeypatch.setattr(staged_rows, "TEXT_BYTES", 20)
    path = tmp_path / "train.txt"
    path.write_text("1 qid:1 1:5 2:3\n" * 6 + "1 qid:1 x\n")
    with pytest.raises(DataError, match=r"train\.txt:7:9"):
        partition_files([path], tmp_path / "blocks")
    assert not (tmp_path / "blocks").exists()


def test_names_of_letor_features_come_from_a_file(tmp_path):
    (tmp_path / "names.txt").write_text("bm25\nage\n")
    (tmp_path / "train.txt").write_text("1 qid:1 1:5 2:3\n0 qid:1 1:4 2:1\n")
    blocks = partition_files([tmp_path / "train.txt"], tmp_path / "blocks", feature_names=tmp_path / "names.txt")
    assert blocks.feature_names == ("bm25", "age")


def test_several_files_become_one_folder(tmp_path):
    """The second text has one feature less, and the second table a level that the first does not have."""
    (tmp_path / "a.txt").write_text("1 qid:1 1:5 2:3\n0 qid:1 1:4 2:1\n")
    (tmp_path / "b.txt").write_text("1 qid:2 1:7\n0 qid:2 1:4\n")
    blocks = partition_files([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "text")
    assert all_rows(blocks).X.tolist() == [[5.0, 3.0], [4.0, 1.0], [7.0, 0.0], [4.0, 0.0]]
    (tmp_path / "a.csv").write_text("qid,label,site\n1,0,news\n1,1,shop\n")
    (tmp_path / "b.csv").write_text("qid,label,site\n2,0,cars\n2,1,shop\n")
    blocks = partition_files([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "tables")
    assert blocks.kinds[0].levels == ("cars", "news", "shop")
    assert all_rows(blocks).X.ravel().tolist() == [1.0, 2.0, 0.0, 2.0]


def test_a_single_path_is_one_file_and_no_path_an_error(tmp_path):
    (tmp_path / "a.txt").write_text("2 qid:1 1:0.5\n0 qid:1 1:0.1\n")
    assert partition_files(str(tmp_path / "a.txt"), tmp_path / "blocks").n_rows == 2
    with pytest.raises(DataError, match="paths must be at least one file"):
        partition_files([], tmp_path / "none")


def test_a_query_in_two_files_is_an_error(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("qid,label,bm25\nx,0,1\nx,1,2\n")
    with pytest.raises(DataError, match=r"b\.csv: query x is also in an earlier file"):
        partition_files([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "blocks")


BAD = {
    "label": ("qid,bm25\n1,2\n", "There is no column 'label'"),
    "infinite": ("qid,label,bm25\n1,0,2\n1,1,inf\n", "infinite value"),
    "mixed": ("qid,label,bm25\n1,0,2\n1,1,many\n", r"bad\.csv:3: column 'bm25' contains numbers and text"),
    "empty": ("qid,label,bm25\n", "no rows"),
    "no query": ("qid,label,bm25\n,0,2\n", "has no value"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_faulty_table_is_an_error_and_leaves_nothing_behind(tmp_path, fault):
    text, message = BAD[fault]
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        partition_files([tmp_path / "bad.csv"], tmp_path / "blocks")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_lightgbm_text_is_supported(tmp_path):
    (tmp_path / "rank.train").write_text("1 1:0.5 2:3\n0 1:0.25 2:1\n0 1:0.5 2:2\n")
    (tmp_path / "rank.train.query").write_text("2\n1\n")
    (tmp_path / "rank.train.weight").write_text("1\n2\n0\n")
    blocks = partition_files([tmp_path / "rank.train"], tmp_path / "blocks", rows_per_block=2)
    assert_same_rows(blocks, load_data(tmp_path / "rank.train", layout="dense"))


def test_files_with_other_features_are_an_error(tmp_path):
    (tmp_path / "a.csv").write_text("qid,label,bm25\n1,0,1\n")
    (tmp_path / "b.csv").write_text("qid,label,age\n2,0,1\n")
    with pytest.raises(DataError, match="same features"):
        partition_files([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "blocks")


def test_columns_are_named_as_in_load_data(tmp_path):
    (tmp_path / "a.csv").write_text("q,grade,bm25,age,set\n1,0,1,7,train\n1,1,2,-999,train\n2,1,3,3,test\n")
    options = {"qid": "q", "label": "grade", "features": ["bm25", "age"], "missing_values": ["-999"]}
    options |= {"split": "set", "part": "train"}
    blocks = partition_files([tmp_path / "a.csv"], tmp_path / "blocks", **options)
    assert_same_rows(blocks, load_data(tmp_path / "a.csv", **options))


def test_an_option_that_the_format_does_not_have_is_an_error(tmp_path):
    (tmp_path / "train.txt").write_text("1 qid:1 1:5 2:3\n")
    with pytest.raises(DataError, match="qid is not an option of the format letor"):
        partition_files([tmp_path / "train.txt"], tmp_path / "blocks", qid="q")


def test_plain_data_in_one_large_block(tmp_path):
    data = plain_data()
    save_data(type(data)(data.X, data.y, data.qid), tmp_path / "all.parquet")
    blocks = partition_files([tmp_path / "all.parquet"], tmp_path / "blocks")
    assert blocks.n_blocks == 1
    assert blocks.n_queries == 41


def test_a_table_without_the_last_columns_is_refused(tmp_path):
    """In LETOR text, features that are not listed are 0; a table that lacks a column is another table."""
    (tmp_path / "a.csv").write_text("qid,label,bm25,age\n1,1,0.5,3\n1,0,0.2,4\n")
    (tmp_path / "b.csv").write_text("qid,label,bm25\n2,1,0.7\n2,0,0.1\n")
    with pytest.raises(DataError, match="same features in the same order: got 1, such as bm25, and 2"):
        partition_files([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "blocks")


LETOR = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.3\n"
OPTIONS = {
    "names": {"feature_names": ["bm25", "age"]},
    "more features": {"n_features": 4},
    "from 0": {"zero_based": True},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_letor_text_are_those_of_load_data(tmp_path, name):
    path = tmp_path / "train.txt"
    path.write_text(LETOR)
    blocks = partition_files([path], tmp_path / "blocks", **OPTIONS[name])
    assert_same_rows(blocks, load_data(path, layout="dense", **OPTIONS[name]))


WRONG = {
    "an option of tables": ({"label": None}, LETOR, "label is not an option of the format letor"),
    "too few names": ({"feature_names": ["bm25"]}, LETOR, "feature_names must be one per feature: 2"),
    "an empty file": ({"format": "letor"}, "", "expected lines with a label"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_load_data_refuses_is_refused(tmp_path, name):
    options, text, message = WRONG[name]
    path = tmp_path / "train.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        partition_files([path], tmp_path / "blocks", **options)
    assert not (tmp_path / "blocks").exists()
