"""The largest DCG of weighted documents, against sums over every rank."""

import math
import tracemalloc

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.core.pairs.largest_dcg import LISTED_RANKS, largest_dcg, summed_discounts
from glassrank.core.pairs.pair_weights import weigh_pairs
from tests.reference import pair_losses


@pytest.mark.parametrize("last", [1, 2, LISTED_RANKS - 1, LISTED_RANKS, LISTED_RANKS + 1, 10_000, 3_000_000])
def test_discounts_add_up_to_the_sum_over_every_rank(last):
    expected = math.fsum(1 / math.log2(rank + 1) for rank in range(1, last + 1))
    assert summed_discounts(np.array([float(last)]))[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("whole", [3, LISTED_RANKS, 20_000])
def test_part_of_a_rank_counts_for_that_part(whole):
    below, between, above = summed_discounts(np.array([whole, whole + 0.25, whole + 1.0]))
    assert between - below == pytest.approx(0.25 * (above - below), rel=1e-8)
    assert above - below == pytest.approx(1 / math.log2(whole + 2), rel=1e-8)


def test_the_largest_dcg_is_that_of_the_definition_when_weights_add_up_to_many_ranks():
    labels, rows = [2, 0, 1, 1], [4_000, 1_500, 2_500.5, 90]
    gains = np.exp2(np.array(labels, dtype=float)) - 1
    assert largest_dcg(gains, np.array(rows)) == pytest.approx(pair_losses.largest_dcg(labels, rows), rel=1e-13)


@pytest.mark.parametrize("weight", [1e9, 1e15, 1e40])
def test_memory_does_not_grow_with_the_weights(weight):
    y, groups = np.array([0.0, 1.0, 2.0]), group_rows(None, 3)
    tracemalloc.start()
    try:
        found = weigh_pairs("ndcg", y, groups, np.full(3, weight))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
    assert 0 < found.total < np.inf
