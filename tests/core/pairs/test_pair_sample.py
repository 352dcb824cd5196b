"""Sampled pairs are comparable, distinct, equally likely, and no more than requested."""

from collections import Counter

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.core.pairs.pair_sample import sample_pairs
from tests.reference.pairs import comparable_pairs, random_problem


def as_list(pairs):
    return list(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("levels", [2, 4, None])
def test_without_a_limit_every_comparable_pair_is_listed_once(seed, levels):
    problem = random_problem(seed, levels=levels)
    groups = group_rows(problem.qid, len(problem.y))
    pairs = sample_pairs(problem.y, groups)
    assert sorted(as_list(pairs)) == comparable_pairs(problem.y, problem.qid)
    np.testing.assert_array_equal(groups.of_row[pairs.better], pairs.query)
    np.testing.assert_array_equal(np.bincount(pairs.query, minlength=groups.n_queries), pairs.n_comparable)


@pytest.mark.parametrize("limit", [1, 7, 40, 10_000])
def test_each_query_gives_at_most_the_limit(limit):
    problem = random_problem(3, n_rows=120)
    groups = group_rows(problem.qid, 120)
    pairs = sample_pairs(problem.y, groups, limit, random_state=0)
    listed = comparable_pairs(problem.y, problem.qid)
    available = Counter(groups.of_row[i] for i, _ in listed)
    assert Counter(pairs.query.tolist()) == {query: min(n, limit) for query, n in available.items()}
    assert set(as_list(pairs)) <= set(listed)
    assert len(set(as_list(pairs))) == len(pairs)
    assert pairs.n_comparable.sum() == len(listed)


@pytest.mark.parametrize("limit", [2, 5])
def test_every_pair_of_a_query_is_equally_likely(limit):
    """Two algorithms draw below and above half of the eight pairs; both are uniform within 4.5 standard errors."""
    y, n_draws = np.array([2.0, 1.0, 1.0, 0.0, 0.0]), 4000
    groups, rng = group_rows(None, 5), np.random.default_rng(0)
    drawn = Counter(pair for _ in range(n_draws) for pair in as_list(sample_pairs(y, groups, limit, rng)))
    listed = comparable_pairs(y)
    assert set(drawn) == set(listed)
    share = limit / len(listed)
    error = np.sqrt(share * (1 - share) / n_draws)
    assert max(abs(count / n_draws - share) for count in drawn.values()) < 4.5 * error


def test_the_same_seed_draws_the_same_pairs():
    problem = random_problem(1)
    groups = group_rows(problem.qid, len(problem.y))
    first, again, other = (as_list(sample_pairs(problem.y, groups, 5, seed)) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_a_few_pairs_of_a_long_query_are_drawn_without_listing_the_others():
    """The 5 · 10¹¹ pairs of a million documents would not fit into memory."""
    y = np.arange(1_000_000.0)
    pairs = sample_pairs(y, group_rows(None, len(y)), 1000, random_state=0)
    assert pairs.n_comparable.tolist() == [1_000_000 * 999_999 // 2]
    assert len(set(as_list(pairs))) == 1000
    assert (y[pairs.better] > y[pairs.worse]).all()


@pytest.mark.parametrize("y", [[], [1.0], [2.0, 2.0, 2.0]])
def test_without_a_comparable_pair_the_sample_is_empty(y):
    pairs = sample_pairs(np.array(y), group_rows(None, len(y)), 3, random_state=0)
    assert len(pairs) == 0
    assert pairs.n_comparable.tolist() == [0]
