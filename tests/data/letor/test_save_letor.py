"""load_letor reads what save_letor writes bit for bit; data that the format cannot store are rejected."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from glassrank import DataError, RankingData
from glassrank.data.letor.load_letor import load_letor, save_letor

FINITE = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0 \t"), max_size=8)


@st.composite
def ranking_data(draw):
    """Rows of any values and queries, dense or CSR, with or without identifiers and names."""
    n_rows, n_features = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    is_csr = draw(st.booleans())
    keeps_missing = draw(st.booleans())
    values = st.one_of(FINITE, st.sampled_from([0.0, -0.0, 1.0, 5e-324])) | (
        st.just(np.nan) if keeps_missing else st.nothing()
    )
    X = np.array(draw(st.lists(values, min_size=n_rows * n_features, max_size=n_rows * n_features)))
    X = X.reshape(n_rows, n_features)
    if is_csr:
        stored = np.array(draw(st.lists(st.booleans(), min_size=X.size, max_size=X.size)), dtype=bool).reshape(X.shape)
        rows, columns = np.nonzero(stored)
        X = sparse.csr_matrix((X[stored], (rows, columns)), shape=X.shape)
    names = draw(st.none() | st.lists(WORDS.filter(bool), min_size=n_features, max_size=n_features, unique=True))
    if draw(st.booleans()):
        names = [f"feature {number}" for number in range(n_features)]
    return RankingData(
        X,
        draw(st.lists(FINITE, min_size=n_rows, max_size=n_rows)),
        draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=n_rows, max_size=n_rows)),
        draw(st.none() | st.lists(WORDS, min_size=n_rows, max_size=n_rows)),
        names,
        missing="keep" if keeps_missing else "refuse",
    )


def same_numbers(a, b):
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[a == a]), np.signbit(b[b == b]))


def assert_same(a: RankingData, b: RankingData) -> None:
    if sparse.issparse(a.X):
        assert a.X.shape == b.X.shape
        assert np.array_equal(a.X.indptr, b.X.indptr)
        assert np.array_equal(a.X.indices, b.X.indices)
        assert same_numbers(a.X.data, b.X.data)
    else:
        assert same_numbers(a.X, b.X)
    assert same_numbers(a.y, b.y)
    assert a.qid.tolist() == b.qid.tolist()
    assert a.feature_names == b.feature_names
    assert (a.doc_ids is None) == (b.doc_ids is None)
    assert a.doc_ids is None or a.doc_ids.tolist() == b.doc_ids.tolist()


@given(data=ranking_data(), suffix=st.sampled_from(["", ".gz", ".xz"]))
@settings(deadline=None)
def test_written_data_are_read_back_unchanged(tmp_path_factory, data, suffix):
    path = tmp_path_factory.getbasetemp() / f"written.txt{suffix}"
    save_letor(data, path)
    assert_same(data, load_letor(path, layout="csr" if sparse.issparse(data.X) else "dense", missing=data.missing))


@given(identifiers=st.lists(st.text(max_size=12) | st.text("docid= \t#x\n", max_size=12), min_size=1, max_size=4))
@settings(deadline=None)
def test_any_text_as_identifier_is_read_back_or_rejected(tmp_path_factory, identifiers):
    path = tmp_path_factory.getbasetemp() / "identifiers.txt"
    try:
        data = RankingData(np.ones((len(identifiers), 1)), np.zeros(len(identifiers)), doc_ids=identifiers)
        save_letor(data, path)
    except DataError as error:
        assert "identifier" in str(error) or "NUL" in str(error)  # noqa: PT017 - either outcome is right
        assert any(set(identifier) & set(" \t\r\n\0") for identifier in identifiers)
    else:
        assert load_letor(path).doc_ids.tolist() == identifiers


@given(name=st.text(min_size=1, max_size=12) | st.text("= \t#\r\nx", min_size=1, max_size=6))
@settings(deadline=None)
def test_any_text_as_feature_name_is_read_back_or_rejected(tmp_path_factory, name):
    assume(name != "feature 0")
    path = tmp_path_factory.getbasetemp() / "names.txt"
    try:
        save_letor(RankingData([[1.0]], [0], feature_names=[name]), path)
    except DataError as error:
        assert "feature name" in str(error)  # noqa: PT017 - either outcome is right
        assert set(name) & set(" \t\r\n\0")
    else:
        assert load_letor(path).feature_names == (name,)


def test_numbers_are_written_with_few_digits(tmp_path):
    save_letor(RankingData([[3.0, 0.1, -0.0, 1e22, 1 / 3]], [2.0], [7]), tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "2 qid:7 1:3 2:0.1 3:-0 4:1e+22 5:0.3333333333333333\n"


def test_csr_is_written_with_its_stored_values_and_the_number_of_its_features(tmp_path):
    X = sparse.csr_matrix(([5.0], ([0], [1])), shape=(2, 4))
    save_letor(RankingData(X, [1, 0], [3, 3]), tmp_path / "a.txt")
    text = (tmp_path / "a.txt").read_text()
    assert text == "# feature 1 = feature 1\n# feature 4 = feature 4\n1 qid:3 2:5\n0 qid:3\n"
    assert load_letor(tmp_path / "a.txt").X.shape == (2, 4)


def test_a_numbering_from_0_is_kept(tmp_path):
    save_letor(RankingData([[5.0, 6.0]], [1], [3], feature_names=["feature 0", "feature 1"]), tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "1 qid:3 0:5 1:6\n"


def test_an_identifier_with_blanks_is_written_as_a_plain_comment(tmp_path):
    save_letor(RankingData([[5.0]] * 3, [1] * 3, doc_ids=["d7", "zen buddhism", ""]), tmp_path / "a.txt")
    comments = [line.partition("#")[2] for line in (tmp_path / "a.txt").read_text().splitlines()]
    assert comments == ["docid = d7", " zen buddhism", "docid = "]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": [1.0, 2.0]}, r"LETOR text cannot store weights. .*dataclasses.replace\(data, weights=None\)"),
        ({"qid": ["a", "b"]}, r"LETOR text needs whole numbers as queries: got 'a'. Save a table, or number them"),
        ({"doc_ids": ["a\nb", "c"]}, r"The document identifier 'a\\nb' cannot be written"),
        ({"doc_ids": ["a b ", "c"]}, r"The document identifier 'a b ' cannot be written"),
        ({"doc_ids": ["docid = 7", "c"]}, r"The document identifier 'docid = 7' cannot be written"),
        ({"doc_ids": ["x" * 4097, "c"]}, r"doc_ids must contain strings of at most 4,096 characters: got 4,097"),
        ({"doc_ids": ["\ud800", "c"]}, r"doc_ids must contain strings that can be written as UTF-8: got '\\ud800'"),
        ({"doc_ids": ["a\0", "c"]}, r"doc_ids must contain strings without NUL"),
        ({"feature_names": ["a\nb"]}, r"The feature name 'a\\nb' cannot be written"),
        ({"feature_names": [" a"]}, r"The feature name ' a' cannot be written"),
        ({"feature_names": [""]}, r"The feature name '' cannot be written"),
        ({"feature_names": ["\ud800"]}, r"The feature name '\\ud800' cannot be written as UTF-8"),
    ],
)
def test_data_that_the_format_cannot_store_are_rejected_and_nothing_is_written(tmp_path, changes, message):
    data = RankingData([[1.0], [2.0]], [1, 0], [1, 1])
    with pytest.raises(DataError, match=message):
        save_letor(dataclasses.replace(data, **changes), tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_the_remedies_work(tmp_path):
    data = RankingData([[1.0], [2.0]], [1, 0], ["b", "a"], weights=[1.0, 2.0])
    data = dataclasses.replace(data, weights=None)
    save_letor(dataclasses.replace(data, qid=data.groups.of_row), tmp_path / "a.txt")
    assert load_letor(tmp_path / "a.txt").qid.tolist() == [0, 1]


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_data_without_rows_or_features_are_rejected(tmp_path, shape):
    with pytest.raises(DataError, match="LETOR text needs a row and a feature: got"):
        save_letor(RankingData(np.zeros(shape), np.zeros(shape[0])), tmp_path / "a.txt")
