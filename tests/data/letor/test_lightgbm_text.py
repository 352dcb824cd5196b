"""LightGBM text: LibSVM lines, group sizes in a .query file, weights in a .weight file."""

import gzip
import re

import numpy as np
import pytest
from scipy import sparse

from glassrank import DataError
from glassrank.data.letor.lightgbm_text import load_lightgbm

TEXT = "1 1:0.5 2:3\n0 1:0.25 2:1\n0 1:0.5 2:2\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rank.train").write_text(TEXT)
    (tmp_path / "rank.train.query").write_text("2\r\n1\r\n\r\n")
    return tmp_path


def test_group_sizes_number_the_queries_from_1(folder):
    data = load_lightgbm(folder / "rank.train")
    assert data.qid.tolist() == [1, 1, 2]
    assert data.X.tolist() == [[0.5, 3.0], [0.25, 1.0], [0.5, 2.0]]
    assert data.y.tolist() == [1.0, 0.0, 0.0]
    assert data.weights is None


def test_the_query_file_can_have_another_name(folder):
    (folder / "other").write_text("1\n1\n1\n")
    assert load_lightgbm(folder / "rank.train", folder / "other").n_queries == 3


def test_a_compressed_copy_uses_the_same_companion_files(folder):
    (folder / "rank.train.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert load_lightgbm(str(folder / "rank.train.gz")).qid.tolist() == [1, 1, 2]


def test_a_weight_file_sets_the_row_weights(folder):
    (folder / "rank.train.weight").write_text("1\n0.5\n2e0\n")
    assert load_lightgbm(folder / "rank.train").weights.tolist() == [1.0, 0.5, 2.0]


def test_the_options_of_load_letor_apply(folder):
    (folder / "rank.train").write_text("1 0:0.5 2:nan\n0\n0 1:0.5\n")
    data = load_lightgbm(folder / "rank.train", n_features=4, layout="csr", missing="keep")
    assert sparse.issparse(data.X)
    assert np.array_equal(data.X.toarray(), [[0.5, 0, np.nan, 0], [0, 0, 0, 0], [0, 0.5, 0, 0]], equal_nan=True)
    assert data.feature_names[0] == "feature 0"
    with pytest.raises(DataError, match=r"rank.train:1:3: feature numbers must start at 1"):
        load_lightgbm(folder / "rank.train", zero_based=False)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "rank.train.query",
            "2\n",
            "rank.train.query: the group sizes must add up to the rows of .*: expected 3, got 2.",
        ),
        ("rank.train.query", "2\n2\n", "rank.train.query: the group sizes must add up .*: expected 3, got 4."),
        ("rank.train.query", "", "rank.train.query: the group sizes must add up .*: expected 3, got 0."),
        ("rank.train.query", "2\n0\n1\n", "rank.train.query:2:1: .* a positive whole number: got '0'."),
        ("rank.train.query", "2\n\n-1\n", "rank.train.query:3:1: .* a positive whole number: got '-1'."),
        ("rank.train.query", "2 1\n", "rank.train.query:1:1: .* a positive whole number: got '2 1'."),
        ("rank.train.query", "9" * 5000, "rank.train.query:1:1: .* a positive whole number: got '9999"),
        (
            "rank.train.weight",
            "1\n1\n",
            "rank.train.weight: there must be a weight for each row of .*: expected 3, got 2.",
        ),
        ("rank.train.weight", "1\n-1\n1\n", "rank.train.weight:2:1: .* a non-negative number: got '-1'."),
        ("rank.train.weight", "1\nnan\n1\n", "rank.train.weight:2:1: .* a non-negative number: got 'nan'."),
        ("rank.train.weight", "1\nx\xff\n1\n", "rank.train.weight:2:1: .* a non-negative number: got 'xÿ'."),
        (
            "rank.train",
            "1 qid:1 1:5\n",
            "rank.train:1:3: expected no qid, .* Read the file as LETOR: load_letor.",
        ),
        (
            "rank.train",
            "1,0.5,3\n",
            "rank.train:1:1: a line must begin with a numeric label.* Lines look like <label> <feature>",
        ),
    ],
)
def test_files_that_do_not_belong_together_are_rejected(folder, name, content, message):
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_lightgbm(folder / "rank.train")


def test_a_missing_query_file_is_named(folder):
    (folder / "rank.train.query").unlink()
    with pytest.raises(DataError, match=re.escape("rank.train.query: there is no such file")):
        load_lightgbm(folder / "rank.train")


def test_an_unknown_layout_is_rejected(folder):
    with pytest.raises(DataError, match="layout must be one of"):
        load_lightgbm(folder / "rank.train", layout="full")
