"""Ranking data are loaded from and saved to files of any known format."""

import gzip
import lzma
from inspect import signature

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.letor.lightgbm_text import load_lightgbm
from glassrank.data.letor.load_letor import load_letor
from glassrank.data.load_data import FORMATS, load_data, save_data
from glassrank.data.ranking_data import RankingData
from glassrank.data.tables import load_table

LETOR = "2 qid:1 1:0.5 2:3 #docid = d1\n0 qid:1 1:0.25 2:1 #docid = d2\n"
CSV = "qid,label,x\n1,2,0.5\n1,0,0.25\n"
LIBSVM = "2 1:0.5 2:3\n0 1:0.25 2:1\n"


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def data():
    return RankingData([[0.5, 3.0], [0.25, 1.0]], y=[2, 0], qid=[1, 1], feature_names=["bm25", "age"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.txt", LETOR),
        ("train", LETOR),
        ("train.dat", LETOR.replace(" ", "\t")),
        ("train.txt.gz", gzip.compress(LETOR.encode(), mtime=0)),
        ("train.xz", lzma.compress(LETOR.encode())),
        ("packed-under-a-plain-name", gzip.compress(LETOR.encode(), mtime=0)),
        ("train.fold1", "\n# a comment without end " + "x" * 100_000 + "\n" + LETOR),
        ("TRAIN.CSV", CSV),
        ("train.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("train.tsv", CSV.replace(",", "\t")),
    ],
)
def test_the_reader_is_chosen_by_suffix_or_content(tmp_path, name, content):
    data = load_data(write(tmp_path / name, content))
    assert data.y.tolist() == [2.0, 0.0]
    assert data.qid.tolist() == [1, 1]
    assert data.X[:, 0].tolist() == [0.5, 0.25]


@pytest.mark.parametrize("pack", [None, gzip.compress])
def test_a_query_file_beside_it_means_lightgbm(tmp_path, pack):
    content = LIBSVM.encode()
    path = write(tmp_path / ("rank.train.gz" if pack else "rank.train"), pack(content) if pack else content)
    write(tmp_path / "rank.train.query", "1\n1\n")
    data = load_data(path)
    assert data.n_queries == 2
    assert data.y.tolist() == [2.0, 0.0]


@pytest.mark.parametrize("suffix", [".txt", ".letor", ".txt.gz", ".csv", ".tsv", ".csv.xz", ".parquet"])
def test_saved_data_load_unchanged(tmp_path, data, suffix):
    path = tmp_path / f"data{suffix}"
    save_data(data, path)
    back = load_data(path)
    assert back.feature_names == data.feature_names
    assert back.qid.tolist() == data.qid.tolist()
    assert back.y.tolist() == data.y.tolist()
    X = back.X.toarray() if sparse.issparse(back.X) else back.X
    np.testing.assert_array_equal(X, data.X)


@pytest.mark.parametrize("format_", ["letor", "csv", "tsv", "parquet"])
def test_the_format_can_be_given(tmp_path, data, format_):
    save_data(data, tmp_path / "data.bin", format=format_)
    assert load_data(tmp_path / "data.bin", format=format_).y.tolist() == [2.0, 0.0]


def test_options_are_passed_to_the_reader(tmp_path):
    path = write(tmp_path / "x.csv", "q,grade,x\na,1,2\n")
    assert load_data(path, qid="q", label="grade").qid.tolist() == ["a"]


def test_an_option_of_another_format_is_rejected_with_the_valid_ones(tmp_path):
    path = write(tmp_path / "train.txt", LETOR)
    options = "n_features, zero_based, layout, missing, feature_names"
    with pytest.raises(DataError, match=f"label is not an option of the format letor: its options are {options}"):
        load_data(path, label="grade")
    with pytest.raises(DataError, match="n_features is not an option of the format csv"):
        load_data(write(tmp_path / "x.csv", CSV), n_features=3)


def test_the_options_equal_those_of_the_readers():
    readers = (load_table, load_letor, load_lightgbm)
    known = {name: one for reader in readers for name, one in signature(reader).parameters.items()}
    own = signature(load_data).parameters
    assert set(own) == set(known) - {"paths"}
    assert all(own[name].default == one.default for name, one in known.items() if name not in ("path", "paths"))


def test_a_table_and_a_frame_have_the_same_options():
    table, frame = (signature(one).parameters for one in (load_table, RankingData.from_frame))
    assert {name: one.default for name, one in table.items() if name not in ("path", "format")} == {
        name: one.default for name, one in frame.items() if name != "frame"
    }


def test_an_unknown_format_lists_the_known_ones(tmp_path, data):
    listed = ", ".join(map(repr, FORMATS))
    with pytest.raises(DataError, match=f"^format must be one of {listed}: got 'xlsx'"):
        load_data(tmp_path / "x", format="xlsx")
    with pytest.raises(DataError, match=r"^format must be one of 'letor', 'csv', 'tsv', 'parquet': got 'lightgbm'"):
        save_data(data, tmp_path / "x", format="lightgbm")


@pytest.mark.parametrize("content", [LIBSVM, CSV, "", "\n\n", b"\x89PNG\r\n\x1a\n\0\0"])
def test_a_file_of_unknown_format_is_rejected_with_its_first_line_and_the_formats(tmp_path, content):
    path = write(tmp_path / "train.txt", content)
    with pytest.raises(DataError, match=r"unknown format.*train\.txt\.query") as error:
        load_data(path)
    assert all(repr(name) in str(error.value) for name in FORMATS)


def test_a_name_without_a_known_suffix_cannot_be_saved(tmp_path, data):
    with pytest.raises(DataError, match=r"expected one of \.txt, \.letor, \.csv, \.tsv, \.parquet, got '\.foo'"):
        save_data(data, tmp_path / "x.foo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["nothing.txt", "nothing.csv", "nothing"])
def test_a_missing_file_is_rejected(tmp_path, name):
    with pytest.raises(DataError, match="there is no such file"):
        load_data(tmp_path / name)


def test_a_folder_is_rejected(tmp_path):
    with pytest.raises(DataError, match="expected a file, got a folder"):
        load_data(tmp_path)


def test_a_damaged_file_is_rejected(tmp_path):
    path = write(tmp_path / "train.txt.gz", gzip.compress(LETOR.encode(), mtime=0)[:20])
    with pytest.raises(DataError, match="gzip data"):
        load_data(path)


def test_real_files_find_their_readers(real_data):
    assert load_data(real_data / "lightgbm-rank" / "rank.train").n_queries == 201
    assert load_data(real_data / "ohsumed-letor2" / "S1.txt.gz").n_features == 25
