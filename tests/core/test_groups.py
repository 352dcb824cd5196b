"""Rows ↔ queries."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.core.groups import as_identifiers, group_rows
from tests.reference.grouping import rows_by_query

# Few different identifiers, so that they repeat, in runs and apart.
QIDS = st.one_of(st.lists(st.integers(-3, 3), max_size=40), st.lists(st.sampled_from(["", "a", "b", "ab", "é"])))


@given(QIDS)
@settings(deadline=None)
def test_grouping_equals_the_slow_twin(qid):
    groups = group_rows(qid if qid else np.array(qid, dtype=int), len(qid))
    slow = rows_by_query(qid)
    assert groups.ids.tolist() == list(slow)
    assert [groups.rows(query).tolist() for query in range(groups.n_queries)] == list(slow.values())
    assert groups.sizes.tolist() == [len(rows) for rows in slow.values()]
    assert groups.n_rows == len(qid)
    assert [groups.ids[query] for query in groups.of_row] == qid


@given(QIDS)
@settings(deadline=None)
def test_rows_are_adjacent_only_if_no_query_is_split(qid):
    groups = group_rows(qid if qid else np.array(qid, dtype=int), len(qid))
    torn = any(rows[-1] - rows[0] >= len(rows) for rows in rows_by_query(qid).values())
    assert groups.adjacent == (not torn)


def test_order_keeps_the_file_order_within_a_query():
    groups = group_rows([5, 3, 5, 3, 5], 5)
    assert groups.ids.tolist() == [5, 3]
    assert groups.order.tolist() == [0, 2, 4, 1, 3]
    assert groups.starts.tolist() == [0, 3, 5]


def test_without_qid_all_rows_are_one_query():
    groups = group_rows(None, 4)
    assert groups.n_queries == 1
    assert groups.rows(0).tolist() == [0, 1, 2, 3]
    assert groups.adjacent


def test_no_rows_are_no_queries():
    groups = group_rows([], 0)
    assert (groups.n_queries, groups.n_rows, groups.starts.tolist()) == (0, 0, [0])


def test_a_qid_of_the_wrong_length_is_rejected():
    with pytest.raises(DataError, match=r"^qid must have one entry per row of X: expected 3, got 2\.$"):
        group_rows([1, 1], 3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0, 7.0], [3, 7]),
        (np.array([3, 7], dtype=np.int8), [3, 7]),
        (np.array([3, 7], dtype=np.uint64), [3, 7]),
        ([True, False], [1, 0]),
        (pd.Series([3, 7], dtype="Int64"), [3, 7]),
        (["q1", "q2"], ["q1", "q2"]),
        (np.array(["q1", "q2"], dtype=object), ["q1", "q2"]),
        (pd.Series(["q1", "q2"]), ["q1", "q2"]),
        (pd.Series(["q1", "q2"], dtype="category"), ["q1", "q2"]),
        ([-(2**63), 2**63 - 1], [-(2**63), 2**63 - 1]),
    ],
)
def test_identifiers_are_whole_numbers_or_strings(values, expected):
    identifiers = as_identifiers("qid", values)
    assert identifiers.tolist() == expected
    assert identifiers.dtype == np.int64 or identifiers.dtype.kind == "U"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.5], "got 2.5 at position 1"),
        ([1.0, np.nan], "got nan at position 1"),
        ([1.0, np.inf], "got inf at position 1"),
        (np.array(["a", None, None], dtype=object), "missing at 2 positions, the first at 1"),
        (pd.Series(["a", None]), "missing at 1 position"),
        ([[1], [2]], r"one-dimensional: got shape \(2, 1\)"),
    ],
)
def test_invalid_identifiers_are_rejected(values, message):
    with pytest.raises(DataError, match=message):
        as_identifiers("qid", values)


def test_missing_values_of_pandas_are_rejected():
    with pytest.raises(DataError, match="qid"):
        as_identifiers("qid", np.array([1, pd.NA], dtype=object))


def test_unsigned_numbers_beyond_int64_are_not_equal_to_negative_ones():
    # As int64, 2**64 - 1 would become -1.
    identifiers = as_identifiers("qid", np.array([2**64 - 1, 1], dtype=np.uint64))
    assert [str(identifier) for identifier in identifiers] == [str(2**64 - 1), "1"]


def test_numbers_too_large_for_int64_are_rejected():
    with pytest.raises(DataError, match="qid"):
        as_identifiers("qid", [1e300, 1.0])


def test_ragged_identifiers_are_rejected():
    with pytest.raises(DataError, match="qid"):
        as_identifiers("qid", [[1], [1, 2]])
