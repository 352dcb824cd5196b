"""Files of feature names: both forms, what is refused, and that the names reach models."""

import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.data.letor.lightgbm_text import load_lightgbm
from glassrank.data.letor.load_letor import load_letor
from glassrank.data.load_data import load_data, save_data

ROWS = "2 qid:1 1:0.5 2:3 3:1\n0 qid:1 1:0.25 2:1 3:2\n"
SPARSE = "2 qid:1 1:0.5 2:3\n0 qid:1 2:1\n"
HOSTILE = ["<script>alert(1)</script>", "\"a\" & 'b', c", "مرحبا 🙂"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(ROWS)
    (tmp_path / "sparse.txt").write_text(SPARSE)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("bm25\nage in days\nprice\n", ("bm25", "age in days", "price")),
        ("1 bm25\n2 age in days\n3 price\n", ("bm25", "age in days", "price")),
        ("3\tprice\n1\tbm25\n2  age in days", ("bm25", "age in days", "price")),
        ("\ufeffbm25 \r\n age\r\nprice\r\n\r\n\n", ("bm25", "age", "price")),
        ("2 grams\nage\n1 gram\n", ("2 grams", "age", "1 gram")),
        ("\n".join(HOSTILE), tuple(HOSTILE)),
        ("a" * 300 + "\nb\nc\n", ("a" * 300, "b", "c")),
    ],
)
def test_names_come_from_lines_or_from_numbered_lines(text, names, files):
    (files / "names.txt").write_text(text)
    assert load_letor("train.txt", feature_names="names.txt").feature_names == names
    assert load_data("train.txt", feature_names=files / "names.txt").feature_names == names
    (files / "names.gz").write_bytes(gzip.compress(text.encode()))
    assert load_letor(["train.txt"], feature_names="names.gz").feature_names == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb\n", "names.txt: the file must name every feature of the data: expected 3 names, got 2."),
        ("a\nb\nc\nd\n", "expected 3 names, got 4. Check that the two files belong together."),
        ("a\n\nc\n", "names.txt:2: the name is empty."),
        ("a\nb\na\n", "names.txt:3: the name 'a' is on line 1 already."),
        ("1 a\n3 b\n2 a\n", "names.txt:3: the name 'a' is on line 1 already."),
        ("1 a\n2 b\n2 c\n", "names.txt:3: feature 2 is named on line 2 already."),
        ("1 a\n2 b\n4 c\n", "must number the features from 1 to 4 without gaps: there is no 3."),
        ("0 a\n1 b\n2 c\n", "feature"),
        ("a\nb\tc\nd\n", "names.txt:2: a name must not contain tabs or other control characters: got 'b\\tc'."),
        ("a\nb\0\nd\n", "names.txt:2: a name must not contain tabs or other control characters"),
        ("\n \n", "names.txt: the file is empty"),
    ],
)
def test_names_that_do_not_fit_are_refused(text, message, files):
    (files / "names.txt").write_text(text)
    with pytest.raises(DataError, match=re.escape(message)):
        load_letor("train.txt", feature_names="names.txt")


def test_a_file_that_is_absent_or_not_text_is_refused(files):
    with pytest.raises(DataError, match="no such file"):
        load_letor("train.txt", feature_names="absent.txt")
    (files / "names.txt").write_bytes(b"a\n\xff\nb\n")
    with pytest.raises(DataError, match=r"names\.txt:2: a feature name must be UTF-8 text\."):
        load_letor("train.txt", feature_names="names.txt")


def test_a_last_feature_that_is_zero_in_all_lines_can_be_named(files):
    """LETOR omits zeros, so a file with gaps may have more features than it shows; a full one may not."""
    (files / "names.txt").write_text("a\nb\nc\n")
    data = load_letor("sparse.txt", feature_names="names.txt", layout="dense")
    assert (data.feature_names, data.X.tolist()) == (("a", "b", "c"), [[0.5, 3, 0], [0, 1, 0]])


def test_numbers_from_zero_tell_that_the_data_count_from_zero(files):
    (files / "names.txt").write_text("0 a\n1 b\n2 c\n")
    data = load_letor("sparse.txt", feature_names="names.txt", layout="dense")
    assert (data.feature_names, data.X.tolist()) == (("a", "b", "c"), [[0, 0.5, 3], [0, 0, 1]])
    (files / "names.txt").write_text("1 a\n2 b\n")
    (files / "zero.txt").write_text("1 qid:1 0:1 1:2\n")
    with pytest.raises(DataError, match=r"zero\.txt:1:9"):
        load_letor("zero.txt", feature_names="names.txt")


def test_lightgbm_text_takes_names(files):
    (files / "rank.train").write_text("1 1:0.5 2:3\n0 1:0.25 2:1\n")
    (files / "rank.train.query").write_text("2\n")
    (files / "names.txt").write_text("a\nb\n")
    assert load_lightgbm("rank.train", feature_names="names.txt").feature_names == ("a", "b")
    assert load_data("rank.train", feature_names=["x", "y"]).feature_names == ("x", "y")


def test_tables_take_no_names(files):
    (files / "a.csv").write_text("qid,label,x\n1,1,2\n")
    with pytest.raises(DataError, match="feature_names is not an option of the format csv"):
        load_data("a.csv", feature_names="names.txt")


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda name: name.strip() == name),
        min_size=3,
        max_size=3,
        unique=True,
    )
)
def test_numbered_names_of_any_text_are_read_and_stored(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    (folder / "train.txt").write_text(ROWS)
    (folder / "names.txt").write_text("".join(f"{k} {name}\n" for k, name in enumerate(names, start=1)))
    data = load_data(folder / "train.txt", feature_names=folder / "names.txt")
    assert data.feature_names == tuple(names)
    save_data(data, folder / "copy.txt")
    assert load_data(folder / "copy.txt").feature_names == tuple(names)
