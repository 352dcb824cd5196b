"""The pair whose swap would gain most: the same gain as trying every pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.metrics.evaluation import evaluate
from glassrank.studies.ranking.hurtful_pair import find_hurtful_pair


def largest_gain(y, scores, value):
    """The largest gain over all pairs in the wrong order, one swap after the other; None without a gain."""
    gains = []
    for above in range(len(y)):
        for below in range(len(y)):
            if scores[above] > scores[below] and y[above] < y[below]:
                swapped = np.array(scores, dtype=float)
                swapped[[above, below]] = swapped[[below, above]]
                gains.append(value(swapped) - value(scores))
    return max((gain for gain in gains if gain > 0), default=None)


def measured(y, measure, convention):
    def value(scores):
        found = evaluate(y, scores, measures=[measure], convention=convention).per_query[measure][0]
        return 0.0 if np.isnan(found) else float(found)

    return value


@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=8),
    measure=st.sampled_from(["ndcg@3", "ndcg", "map", "p@2", "mrr", "err(4)@5", "rprec", "tau", "pair_accuracy"]),
)
def test_no_other_swap_gains_more(rows, measure):
    y, scores = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    value = measured(y, measure, "standard")
    expected = largest_gain(y, scores, value)
    found = find_hurtful_pair(y, scores, measure, "standard")
    assert (found is None) == (expected is None or expected < 1e-12)
    if found is not None:
        assert found.gain == pytest.approx(expected, abs=1e-12)
        assert y[found.above] < y[found.below]
        assert scores[found.above] > scores[found.below]


@pytest.mark.parametrize("seed", range(4))
def test_many_distinct_labels_need_no_more_than_the_records(seed):
    rng = np.random.default_rng(seed)
    y, scores = rng.permutation(12) / 4.0, rng.permutation(12).astype(float)
    expected = largest_gain(y, scores, measured(y, "ndcg@10", "letor"))
    assert find_hurtful_pair(y, scores, "ndcg@10", "letor").gain == pytest.approx(expected, abs=1e-12)


def test_the_gain_is_the_arithmetic_of_the_definition():
    """Swapping ranks 1 (label 0) and 3 (label 2): DCG rises from 3/log2(4) to 3/log2(2), and the ideal is 3."""
    found = find_hurtful_pair(np.array([0.0, 0.0, 2.0]), np.array([3.0, 2.0, 1.0]), "ndcg@10", "standard")
    assert (found.above, found.below) == (0, 2)
    assert found.gain == pytest.approx((3 - 1.5) / 3)


def test_a_correct_order_and_equal_scores_have_no_such_pair():
    y = np.array([2.0, 1.0, 0.0])
    assert find_hurtful_pair(y, np.array([3.0, 2.0, 1.0]), "ndcg@10", "standard") is None
    assert find_hurtful_pair(y, np.ones(3), "ndcg@10", "standard") is None
    assert find_hurtful_pair(y[:1], np.ones(1), "ndcg@10", "standard") is None


def test_a_swap_below_the_cutoff_gains_nothing():
    assert find_hurtful_pair(np.array([2.0, 0.0, 1.0]), np.array([3.0, 2.0, 1.0]), "ndcg@1", "standard") is None
