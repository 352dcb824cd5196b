"""Label levels of each query and the number of its comparable pairs, against np.unique and listed pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from glassrank.core.groups import group_rows
from glassrank.core.pairs.label_levels import comparable_pairs, label_levels
from tests.reference.pairs import comparable_pairs as list_pairs


def assert_equals_unique(y, qid):
    """Compare query by query with np.unique, and the pairs with a list of them."""
    y = np.asarray(y, dtype=float)
    groups = group_rows(qid, len(y))
    found = label_levels(y, groups)
    for query in range(groups.n_queries):
        rows = groups.rows(query)
        distinct, place = np.unique(y[rows], return_inverse=True)
        stretch = slice(groups.starts[query], groups.starts[query + 1])
        np.testing.assert_array_equal(found.level[stretch], place)
        assert found.n_levels[query] == len(distinct)
        assert found.n_pairs[query] == len(list_pairs(y[rows]))
    np.testing.assert_array_equal(comparable_pairs(y, groups), found.n_pairs)


@pytest.mark.parametrize("n_levels", [1, 2, 5, 15, 16, 17, 18, 40, 100])
def test_any_number_of_levels_equals_unique(n_levels):
    """Few levels are found by insertion, many by sorting."""
    rng = np.random.default_rng(n_levels)
    y = np.concatenate([rng.permutation(np.arange(n_levels)), rng.integers(n_levels, size=60)]) * 0.5 - 3
    assert_equals_unique(y, None)


def test_queries_with_few_and_many_levels_can_be_mixed():
    rng = np.random.default_rng(0)
    qid = rng.integers(6, size=200)
    y = np.where(qid % 2 == 0, rng.integers(3, size=200), rng.normal(size=200))
    assert_equals_unique(y, qid)


@settings(deadline=None)
@given(
    st.integers(1, 60).flatmap(
        lambda n: st.tuples(
            arrays(float, n, elements=st.floats(-1e308, 1e308) | st.integers(-3, 3).map(float)),
            arrays(int, n, elements=st.integers(0, 2)),
        )
    )
)
def test_any_labels_equal_unique(labels_and_queries):
    assert_equals_unique(*labels_and_queries)


def test_zero_and_minus_zero_are_one_level():
    found = label_levels(np.array([0.0, -0.0, 1.0]), group_rows(None, 3))
    assert found.level.tolist() == [0, 0, 1]
    assert found.n_pairs.tolist() == [2]


def test_neighbouring_numbers_are_two_levels():
    found = label_levels(np.array([1.0, np.nextafter(1.0, 2.0)]), group_rows(None, 2))
    assert found.level.tolist() == [0, 1]


def test_a_query_of_one_document_has_one_level_and_no_pair():
    found = label_levels(np.array([3.0, 1.0, 2.0]), group_rows([1, 2, 3], 3))
    assert found.n_levels.tolist() == [1, 1, 1]
    assert found.n_pairs.tolist() == [0, 0, 0]


def test_the_number_of_pairs_can_exceed_32_bits():
    """100,000 documents, half of them relevant: 50,000² pairs."""
    found = label_levels(np.arange(100_000) % 2.0, group_rows(None, 100_000))
    assert found.n_pairs.tolist() == [2_500_000_000]
