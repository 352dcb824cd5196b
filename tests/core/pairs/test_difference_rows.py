"""Pairs drawn from all queries together, and their columns block by block."""

from collections import Counter

import numpy as np
import pytest

from glassrank.core.additive.odd_gaussian_columns import odd_map
from glassrank.core.groups import group_rows
from glassrank.core.pairs import difference_rows
from glassrank.core.pairs.difference_rows import DifferenceRows, draw_pairs, weights_of_pairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from tests.reference.pair_losses import listed_pairs, listed_weights
from tests.reference.pairs import random_problem


def as_set(pairs):
    return set(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_pairs", [None, 10_000])
def test_without_an_effective_limit_every_comparable_pair_is_listed_once(seed, max_pairs):
    problem = random_problem(seed, n_rows=60, n_features=1)
    pairs = draw_pairs(problem.y, group_rows(problem.qid, 60), max_pairs, 0)
    expected = listed_pairs(problem.y, problem.qid)
    assert len(pairs) == len(expected) == pairs.n_comparable.sum()
    assert as_set(pairs) == set(map(tuple, expected.tolist()))
    assert (problem.qid[pairs.better] == problem.qid[pairs.worse]).all()


def test_the_limit_applies_to_all_queries_together_and_pairs_are_distinct():
    problem = random_problem(3, n_rows=80, n_features=1)
    pairs = draw_pairs(problem.y, group_rows(problem.qid, 80), 50, 7)
    assert len(pairs) == len(as_set(pairs)) == 50
    assert as_set(pairs) <= set(map(tuple, listed_pairs(problem.y, problem.qid).tolist()))
    assert pairs.n_comparable.sum() == len(listed_pairs(problem.y, problem.qid))


def test_every_pair_is_equally_likely_in_any_query():
    y, qid = np.array([0, 1, 0, 1, 1, 2.0]), np.array([0, 0, 1, 1, 1, 1])
    counts = Counter()
    for seed in range(3000):
        counts.update(as_set(draw_pairs(y, group_rows(qid, 6), 3, seed)))
    assert len(counts) == 6
    # 3 of 6 pairs in 3000 draws: 1500 each, within 5 standard deviations of 27.
    assert all(abs(count - 1500) < 137 for count in counts.values())


@pytest.mark.parametrize("kind", ["uniform", "query", "label-gap", "ndcg"])
def test_weights_of_pairs_equal_the_definition(kind):
    problem = random_problem(4, n_rows=50, n_features=1)
    rows, groups = np.random.default_rng(4).random(50), group_rows(problem.qid, 50)
    pairs = draw_pairs(problem.y, groups, 40, 1)
    found = weights_of_pairs(pairs, weigh_pairs(kind, problem.y, groups, rows), groups)
    listed = listed_pairs(problem.y, problem.qid)
    by_pair = dict(
        zip(map(tuple, listed.tolist()), listed_weights(kind, problem.y, problem.qid, listed, rows), strict=True)
    )
    expected = [by_pair[pair] for pair in zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("held_share", [0.0, 0.4, 1.0])
def test_columns_are_the_same_whether_cached_or_computed_again(held_share, monkeypatch):
    monkeypatch.setattr(difference_rows, "BLOCK_PAIRS", 16)
    problem = random_problem(5, n_rows=60, n_features=2)
    groups = group_rows(problem.qid, 60)
    pairs = draw_pairs(problem.y, groups, None, 0)
    columns = odd_map(np.array([0.5, 1.0]), np.full(2, 5.0), ("a", "b"))
    expected = columns(problem.X[pairs.better] - problem.X[pairs.worse])
    held = int(held_share * 8 * expected.size)
    rows = DifferenceRows(problem.X, pairs, np.ones(len(pairs)), columns, cached_bytes=held)
    blocks = list(rows.blocks())
    assert len(blocks) > 3
    np.testing.assert_allclose(np.concatenate([block for _, block in blocks]), expected, rtol=0, atol=1e-9)
    some = np.flatnonzero(np.arange(len(pairs)) % 3 == 0)
    found = list(rows.blocks_of(some))
    np.testing.assert_array_equal(np.concatenate([places for places, _ in found]), some)
    np.testing.assert_allclose(np.concatenate([block for _, block in found]), expected[some], rtol=0, atol=1e-9)
