"""Rankings and accuracies from decisions on pairs, against loops over the definition."""

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.core.pairs.concordance import pair_accuracy_per_query
from glassrank.core.pairs.pair_decisions import accuracy_of_decisions, pairs_of_queries, positions, rank_by_wins
from tests.reference.differences import copeland_positions
from tests.reference.pairs import pair_accuracy


def antisymmetric(seed, n, levels=None):
    """Return decisions on all pairs that are not transitive; with levels, many of them are tied."""
    rng = np.random.default_rng(seed)
    upper = rng.normal(size=(n, n)) if levels is None else rng.integers(-levels, levels + 1, size=(n, n)).astype(float)
    return np.triu(upper, 1) - np.triu(upper, 1).T


@pytest.mark.parametrize("levels", [None, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_is_by_wins_then_sums_then_rows(seed, levels):
    matrix = antisymmetric(seed, 40, levels)
    qid = np.random.default_rng(seed).integers(5, size=40)
    found = rank_by_wins(lambda a, b: matrix[a, b], group_rows(qid, 40))
    for query in range(5):
        rows = np.flatnonzero(qid == query)
        assert found[rows].tolist() == copeland_positions(matrix[np.ix_(rows, rows)])


def test_a_cycle_is_ordered_by_how_clear_the_wins_are():
    """a beats b by 3, b beats c by 1, c beats a by 1: one win and one loss each."""
    matrix = np.array([[0.0, 3.0, -1.0], [-3.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    assert rank_by_wins(lambda a, b: matrix[a, b], group_rows(None, 3)).tolist() == [1, 3, 2]


def test_a_perfect_cycle_keeps_the_order_of_the_rows_despite_rounding():
    third = np.array([[0.0, 0.1, -0.1], [-0.1, 0.0, 0.1], [0.1, -0.1, 0.0]])
    third[0, 1] *= 1 + 1e-15
    assert rank_by_wins(lambda a, b: third[a, b], group_rows(None, 3)).tolist() == [1, 2, 3]


def test_large_decisions_in_one_query_do_not_affect_another():
    values = np.array([1e12, 0.0, 1.0, 2.0, 2.0])
    matrix = np.zeros((5, 5))
    matrix[0, 1] = 1e12
    matrix[2:, 2:] = [[0.0, 3.0, -1.0], [-3.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    groups = group_rows([1, 1, 2, 2, 2], len(values))
    assert rank_by_wins(lambda a, b: matrix[a, b], groups).tolist() == [1, 2, 1, 3, 2]


@pytest.mark.parametrize("most", [1, 7, 10_000])
def test_every_pair_of_a_query_is_yielded_once(most):
    qid = np.array([3, 1, 3, 2, 1, 3, 3])
    blocks = list(pairs_of_queries(group_rows(qid, 7), most))
    assert max(len(first) for first, _, _ in blocks) <= most
    found = [tuple(sorted(pair)) for a, b, _ in blocks for pair in zip(a.tolist(), b.tolist(), strict=True)]
    expected = [(a, b) for a in range(7) for b in range(a + 1, 7) if qid[a] == qid[b]]
    assert sorted(found) == expected


def test_a_long_query_is_decided_in_blocks():
    n, largest = 700, []
    values = np.random.default_rng(0).permutation(n).astype(float)

    def decide(a, b):
        largest.append(len(a))
        return values[a] - values[b]

    assert rank_by_wins(decide, group_rows(None, n)).tolist() == (n - values).astype(int).tolist()
    assert len(largest) > 3
    assert max(largest) <= 65_536


def test_single_documents_and_no_rows_need_no_decision():
    def never(a, b):
        raise AssertionError

    assert rank_by_wins(never, group_rows([1, 2, 3], 3)).tolist() == [1, 1, 1]


def test_positions_follow_scores_and_ties_follow_rows():
    scores = np.array([0.5, 0.7, 0.1, 0.7, 0.9])
    assert positions(group_rows([1, 1, 2, 1, 2], 5), scores).tolist() == [3, 1, 2, 2, 1]


@pytest.mark.parametrize("weighted", [False, True])
def test_accuracy_is_that_of_scores_when_scores_decide(weighted):
    rng = np.random.default_rng(1)
    y, qid, scores = rng.integers(3, size=60).astype(float), rng.integers(6, size=60), rng.integers(5, size=60) / 2
    weights = rng.integers(0, 3, size=60).astype(float) if weighted else None
    groups = group_rows(qid, 60)
    found = accuracy_of_decisions(lambda a, b: scores[a] - scores[b], y, groups, weights)
    np.testing.assert_allclose(found, pair_accuracy_per_query(y, scores, groups, weights), rtol=1e-12)
    assert np.nanmean(found) == pytest.approx(pair_accuracy(scores, y, qid, weights))


def test_a_query_without_a_comparable_pair_has_no_accuracy():
    found = accuracy_of_decisions(lambda a, b: a - b, np.array([1.0, 1.0, 0.0]), group_rows([1, 1, 2], 3))
    assert np.isnan(found).all()
