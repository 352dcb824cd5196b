"""Weights of pairs, against the definition of each kind, pair by pair."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.objectives import SquaredHingePairs
from glassrank.core.pairs.pair_weights import PAIR_WEIGHTS, weigh_pairs
from tests.reference.pair_losses import SquaredHinge, largest_dcg, listed_objective, listed_pairs, listed_weights
from tests.reference.pairs import random_problem

KINDS = ["uniform", "query", "label-gap", "ndcg"]
every_kind = pytest.mark.parametrize("kind", KINDS)


def weights_of_listed(kind, y, qid, pairs, row_weights=None):
    """Return the weight of each listed pair from the factors, in both directions."""
    groups = group_rows(qid, len(y))
    found = weigh_pairs(kind, np.asarray(y, dtype=float), groups, row_weights)
    place = np.argsort(groups.order)
    better, worse = place[pairs[:, 0]], place[pairs[:, 1]]
    forward = found.of_pairs(worse, better)
    backward = found.turned * found.of_pairs(better, worse)
    return found, forward, backward


def test_there_are_four_kinds_of_pair_weights():
    assert list(PAIR_WEIGHTS) == KINDS


@every_kind
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [2, 5, None])
def test_the_factors_multiply_to_the_definition_and_their_total_is_its_sum(kind, weighted, levels):
    for seed in range(4):
        problem = random_problem(seed, levels=levels)
        y = problem.y - problem.y.min()
        rows = 3 * np.random.default_rng(seed).random(len(y)) if weighted else None
        pairs = listed_pairs(y, problem.qid)
        expected = listed_weights(kind, y, problem.qid, pairs, rows)
        found, forward, backward = weights_of_listed(kind, y, problem.qid, pairs, rows)
        np.testing.assert_allclose(forward, expected, rtol=1e-11)
        np.testing.assert_allclose(backward, expected, rtol=1e-11)
        assert found.total == pytest.approx(expected.sum(), rel=1e-12)


def test_uniform_pairs_have_weight_one():
    assert weigh_pairs("uniform", np.array([2.0, 0.0, 0.0, 1.0]), group_rows(None, 4)).total == 5.0


def test_query_weights_sum_to_one_in_each_query():
    """Three queries with comparable pairs, one without."""
    y, qid = np.array([0, 1, 2, 3, 4, 0, 1, 0, 0, 1, 1.0]), [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3]
    assert weigh_pairs("query", y, group_rows(qid, 11)).total == pytest.approx(2.0, rel=1e-14)


def test_ndcg_weights_by_hand():
    """Labels 2, 0, 1: gains 3, 0, 1, largest DCG 3 + 1/log2 3; the pair (2, 0) is worth 3 of it, (2, 1) 2, (1, 0) 1."""
    largest = 3 + 1 / np.log2(3)
    assert largest_dcg([2, 0, 1]) == pytest.approx(largest, rel=1e-14)
    pairs = np.array([[0, 1], [0, 2], [2, 1]])
    found, forward, _ = weights_of_listed("ndcg", [2, 0, 1], None, pairs)
    np.testing.assert_allclose(forward, np.array([3, 2, 1]) / largest, rtol=1e-14)
    assert found.total == pytest.approx(6 / largest, rel=1e-14)


def test_a_document_of_weight_two_occupies_two_ranks_of_the_largest_dcg():
    """Labels 2, 2, 0, 1 are labels 2, 0, 1 with weights 2, 1, 1; with a weight of 1½ the second rank counts half."""
    whole = 3 + 3 / np.log2(3) + 1 / 2
    assert largest_dcg([2, 0, 1], [2, 1, 1]) == pytest.approx(whole, rel=1e-14)
    assert largest_dcg([2, 2, 0, 1]) == pytest.approx(whole, rel=1e-14)
    share = 3 + 1.5 / np.log2(3) + 0.5 / np.log2(3) + 0.5 / 2
    assert largest_dcg([2, 0, 1], [1.5, 1, 1]) == pytest.approx(share, rel=1e-14)
    for rows, largest in [([2.0, 1.0, 1.0], whole), ([1.5, 1.0, 1.0], share)]:
        _, forward, _ = weights_of_listed("ndcg", [2, 0, 1], None, np.array([[2, 1]]), np.array(rows))
        assert forward[0] == pytest.approx(1 / largest, rel=1e-13)


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_integer_row_weights_equal_repeated_rows(kind, seed):
    """The pairs between the copies of two documents have together the weight of the single pair."""
    problem = random_problem(seed)
    rows = np.random.default_rng(seed).integers(0, 4, size=len(problem.y))
    y, qid = np.repeat(problem.y, rows), np.repeat(problem.qid, rows)
    origin = np.repeat(np.arange(len(problem.y)), rows)
    pairs, copies = listed_pairs(problem.y, problem.qid), listed_pairs(y, qid)
    together = np.zeros((len(problem.y), len(problem.y)))
    np.add.at(together, (origin[copies[:, 0]], origin[copies[:, 1]]), listed_weights(kind, y, qid, copies))
    found, forward, _ = weights_of_listed(kind, problem.y, problem.qid, pairs, rows.astype(float))
    np.testing.assert_allclose(forward, together[pairs[:, 0], pairs[:, 1]], rtol=1e-11, atol=1e-15)
    assert found.total == pytest.approx(together.sum(), rel=1e-12)


@every_kind
def test_pairs_of_a_row_of_weight_zero_have_no_weight(kind):
    y, qid = np.array([0.0, 1.0, 2.0]), ["a", "a", "a"]
    rows = np.array([0.0, 2.0, 3.0])
    pairs = listed_pairs(y, np.zeros(3))
    found, forward, backward = weights_of_listed(kind, y, qid, pairs, rows)
    touched = (pairs == 0).any(axis=1)
    np.testing.assert_array_equal(forward[touched], 0.0)
    np.testing.assert_array_equal(backward[touched], 0.0)
    assert found.total == pytest.approx(forward[~touched].sum(), rel=1e-14)


@every_kind
def test_weights_do_not_depend_on_the_order_of_rows(kind):
    problem = random_problem(5)
    shuffled = np.random.default_rng(5).permutation(len(problem.y))
    rows = np.random.default_rng(6).random(len(problem.y))
    plain = weigh_pairs(kind, problem.y, group_rows(problem.qid, len(problem.y)), rows)
    mixed = weigh_pairs(kind, problem.y[shuffled], group_rows(problem.qid[shuffled], len(problem.y)), rows[shuffled])
    assert mixed.total == pytest.approx(plain.total, rel=1e-12)


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_only_differences_of_labels_count(offset):
    """Labels such as years are far from zero; multiples of a half are exact."""
    problem = random_problem(7, levels=4)
    y = problem.y / 2 + offset
    slow = listed_objective(problem.X, problem.y / 2, problem.qid, 1.0, SquaredHinge(), "label-gap")
    groups = group_rows(problem.qid, len(y))
    objective = SquaredHingePairs(ComparedRows.of(problem.X, y, groups, weigh_pairs("label-gap", y, groups)), 1.0)
    assert objective.at(problem.w).value == pytest.approx(slow.value(problem.w), rel=1e-10)


@pytest.mark.parametrize("labels", [[0.0, 1100.0], [0.0, 1.0, 1e9]])
def test_labels_too_large_for_a_gain_are_rejected(labels):
    """2^1100 overflows: a count of clicks is not a grade. The measure NDCG rejects such labels too."""
    with pytest.raises(DataError, match=r"1100|1e\+09|1000000000"):
        weigh_pairs("ndcg", np.array(labels), group_rows(None, len(labels)))


@pytest.mark.parametrize("labels", [[-1.0, 0.0], [-1.0, 1.0], [0.0, -0.5, 3.0]])
def test_negative_labels_are_rejected_because_they_have_no_gain(labels):
    """A negative gain makes the largest DCG meaningless; the measure NDCG rejects such labels too."""
    with pytest.raises(DataError, match="negative"):
        weigh_pairs("ndcg", np.array(labels), group_rows(None, len(labels)))


def test_an_unknown_kind_is_rejected_with_the_known_kinds():
    message = "pair_weight must be one of 'uniform', 'query', 'label-gap', 'ndcg': got 'gap'."
    with pytest.raises(DataError) as error:
        weigh_pairs("gap", np.array([0.0, 1.0]), group_rows(None, 2))
    assert str(error.value) == message


@every_kind
def test_chosen_queries_keep_their_pairs_and_weights(kind):
    """The objective on some queries is that of their rows alone."""
    problem = random_problem(8, n_rows=120, n_queries=8)
    rows = np.random.default_rng(8).random(120)
    groups = group_rows(problem.qid, 120)
    data = ComparedRows.of(problem.X, problem.y, groups, weigh_pairs(kind, problem.y, groups, rows))
    chosen = np.array([1, 4, 5])
    kept = np.isin(problem.qid, groups.ids[chosen])
    slow = listed_objective(problem.X[kept], problem.y[kept], problem.qid[kept], 1.0, SquaredHinge(), kind, rows[kept])
    part = SquaredHingePairs(data.pick_queries(chosen), 1.0)
    assert part.n_pairs == len(slow.differences)
    assert part.at(problem.w).value == pytest.approx(slow.value(problem.w), rel=1e-12)


@every_kind
def test_chosen_queries_have_their_own_total_weight(kind):
    problem = random_problem(8, n_rows=120, n_queries=8)
    groups = group_rows(problem.qid, 120)
    data = ComparedRows.of(problem.X, problem.y, groups, weigh_pairs(kind, problem.y, groups))
    chosen = np.array([1, 4, 5])
    kept = np.isin(problem.qid, groups.ids[chosen])
    pairs = listed_pairs(problem.y[kept], problem.qid[kept])
    expected = listed_weights(kind, problem.y[kept], problem.qid[kept], pairs).sum()
    assert data.pick_queries(chosen).weights.total == pytest.approx(expected, rel=1e-12)
