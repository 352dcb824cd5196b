"""Rows of a table in memory, found by a text."""

import numpy as np

from glassrank.navigational.features.keyed_table import KeyedTable

WORDS = ["zen", "", "tea", "zen", "日本", "x\0", "tea"]


def table() -> KeyedTable:
    return KeyedTable({"word": np.array(WORDS, dtype=object), "n": np.arange(7), "x": np.linspace(0, 1, 7)}, "word")


def found(*keys: str) -> list[int]:
    return table().rows(keys)["n"].tolist()


def test_rows_of_all_keys_are_found_once_and_in_the_order_of_the_table():
    assert found("tea", "zen", "tea") == [0, 2, 3, 6]
    assert [found(word) for word in ("", "日本", "x\0", "x")] == [[1], [4], [5], []]


def test_columns_keep_their_types():
    rows = table().rows(["日本", "absent"])
    assert rows["word"].tolist() == ["日本"]
    assert [values.dtype.kind for values in rows.values()] == ["O", "i", "f"]
    assert rows["x"].tolist() == [np.linspace(0, 1, 7)[4]]


def test_no_key_and_no_row_give_empty_columns():
    assert found() == []
    empty = KeyedTable({"word": np.array([], dtype=object), "n": np.array([], dtype=np.int64)}, "word")
    assert {name: values.tolist() for name, values in empty.rows(["zen"]).items()} == {"word": [], "n": []}


def test_a_text_with_the_hash_of_another_is_not_that_text():
    class SameHash(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return hash("zen")

    assert found(SameHash("tee")) == []
