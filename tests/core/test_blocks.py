"""Blocks of queries for several threads: every query once, in order, and results in the blocks' order."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.blocks import blocks_of_queries, even_blocks, for_each


def starts_of(sizes):
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def queries_in(blocks):
    return [query for first, end in blocks for query in range(first, end)]


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 80))
def test_every_query_is_in_one_block_of_at_most_the_requested_size(sizes, max_rows):
    starts = starts_of(sizes)
    blocks = blocks_of_queries(starts, max_rows)
    assert queries_in(blocks) == list(range(len(sizes)))
    for first, end in blocks:
        assert starts[end] - starts[first] <= max_rows or end == first + 1


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 80))
def test_a_block_takes_as_many_queries_as_fit(sizes, max_rows):
    starts = starts_of(sizes)
    for first, end in blocks_of_queries(starts, max_rows)[:-1]:
        assert starts[end + 1] - starts[first] > max_rows


@pytest.mark.parametrize("sizes", [[10], [10] * 3999, [39_999], [1] * 39_999])
def test_few_rows_make_one_block(sizes):
    assert queries_in(even_blocks(starts_of(sizes))) == list(range(len(sizes)))
    assert len(even_blocks(starts_of(sizes))) == 1


@pytest.mark.parametrize(
    "sizes", [[10] * 4000, [40] * 3000, [1] * 50_000, [100_000], [100_000] + [5] * 1000, [5] * 1000 + [100_000]]
)
def test_many_rows_make_blocks_of_about_a_sixteenth(sizes):
    starts = starts_of(sizes)
    blocks = even_blocks(starts)
    assert queries_in(blocks) == list(range(len(sizes)))
    assert len(blocks) <= 18
    sixteenth = -(-starts[-1] // 16)
    assert all(starts[end] - starts[first] <= sixteenth or end == first + 1 for first, end in blocks)


def test_blocks_depend_on_the_queries_alone():
    """They do not depend on the number of cores, so that sums have the same order everywhere."""
    starts = starts_of(np.random.default_rng(0).integers(5, 60, size=3000))
    first, again = even_blocks(starts), even_blocks(starts)
    assert np.array_equal(first, again)
    assert 14 <= len(first) <= 18


@pytest.mark.parametrize("n_blocks", [1, 2, 16, 100])
def test_results_are_in_the_order_of_the_blocks(n_blocks):
    blocks = [np.array([number, number + 1]) for number in range(n_blocks)]
    assert for_each(blocks, lambda block: int(block[0])) == list(range(n_blocks))


def test_sums_by_threads_are_bitwise_equal_to_one_thread():
    values = np.random.default_rng(1).normal(size=100_000)
    starts = starts_of([10] * 10_000)
    blocks = even_blocks(starts)

    def add(block):
        return float(values[starts[block[0]] : starts[block[1]]].sum())

    alone = [add(block) for block in blocks]
    assert all(for_each(blocks, add) == alone for _ in range(5))


def test_one_block_stays_in_the_callers_thread():
    assert for_each([np.array([0, 1])], lambda block: threading.current_thread()) == [threading.current_thread()]


def test_an_error_in_a_thread_reaches_the_caller():
    def fail(block):
        raise ZeroDivisionError(f"block {block[0]}")

    with pytest.raises(ZeroDivisionError, match="block 0"):
        for_each([np.array([0, 1]), np.array([1, 2])], fail)
