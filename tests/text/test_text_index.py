"""Search by words, and saving and loading of the index."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.text.text_index import OPENING, build_text_index, load_text_index


@pytest.fixture
def index():
    return build_text_index(["b", "a", "c"], ["same words", "same words", "other words entirely"])


def test_documents_with_equal_scores_keep_their_order(index):
    rows, scores = index.search("same", 10)
    assert rows.tolist() == [0, 1]
    assert scores[0] == scores[1]


def test_a_document_without_a_word_of_the_query_is_not_found(index):
    assert index.search("entirely", 10)[0].tolist() == [2]
    assert index.search("nowhere", 10)[0].tolist() == []


def test_k_must_be_a_positive_whole_number(index):
    with pytest.raises(DataError, match="k must be a positive whole number: got 0"):
        index.search("same", 0)


def test_a_loaded_index_equals_the_saved_one(index, tmp_path):
    index.save(tmp_path / "index.npz")
    again = load_text_index(tmp_path / "index.npz")
    assert again.terms == index.terms
    for name in ("counts", "openings"):
        np.testing.assert_array_equal(getattr(again, name).toarray(), getattr(index, name).toarray())


def test_texts_without_words_can_be_indexed_and_saved(tmp_path):
    empty = build_text_index(["", ""], ["", "…"])
    empty.save(tmp_path / "index.npz")
    again = load_text_index(tmp_path / "index.npz")
    assert again.terms == ()
    assert again.search("word", 5)[0].tolist() == []


@pytest.mark.parametrize(
    "damage",
    [lambda raw: raw[:100], lambda raw: b"", lambda raw: raw[:-300] + bytes(300)],
    ids=["cut", "emptied", "overwritten"],
)
def test_the_error_for_a_damaged_file_contains_its_path(index, tmp_path, damage):
    path = tmp_path / "index.npz"
    index.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"index\.npz: not a text index, or a damaged one"):
        load_text_index(path)


def test_an_opening_contains_only_the_first_words():
    index = build_text_index([""], ["x " * OPENING + "late"])
    assert index.openings[0].sum() == OPENING
    assert index.openings[0, index.column_of["late"]] == 0
    assert index.counts[0, index.column_of["late"]] == 1
