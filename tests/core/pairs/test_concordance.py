"""Pair counts in O(m log m) equal those over listed pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import read_only
from glassrank.core.groups import group_rows
from glassrank.core.pairs.concordance import concordance, pair_accuracy_per_query
from tests.reference.concordance import count_pairs, pair_accuracy

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-2, 2), st.integers(0, 3)), min_size=1, max_size=40
)


def columns(drawn):
    qid, y, scores, weights = np.array(drawn).T
    return qid, y * 1.5, scores * 0.1, weights * 1.0


def fields(found):
    return np.array([found.concordant, found.discordant, found.score_tied, found.label_tied])


@settings(deadline=None)
@given(rows)
def test_counts_equal_those_over_listed_pairs(drawn):
    qid, y, scores, weights = columns(drawn)
    groups = group_rows(qid, len(qid))
    for given_weights in (None, weights):
        found = fields(concordance(y, scores, groups, given_weights))
        for query in range(groups.n_queries):
            rows = groups.rows(query)
            chosen = None if given_weights is None else given_weights[rows]
            assert found[:, query].tolist() == list(count_pairs(y[rows], scores[rows], chosen))


@settings(deadline=None)
@given(rows)
def test_pair_accuracy_equals_that_over_listed_pairs(drawn):
    qid, y, scores, weights = columns(drawn)
    groups = group_rows(qid, len(qid))
    found = pair_accuracy_per_query(y, scores, groups, weights)
    for query in range(groups.n_queries):
        rows = groups.rows(query)
        expected = pair_accuracy(y[rows], scores[rows], weights[rows])
        assert found[query] == pytest.approx(np.nan if expected is None else expected, abs=1e-14, nan_ok=True)


def test_real_valued_labels_and_scores_are_counted():
    rng = np.random.default_rng(5)
    y, scores, weights = rng.normal(size=(3, 300))
    weights = np.abs(weights)
    found = fields(concordance(y, scores, group_rows(None, 300), weights))[:, 0]
    assert found == pytest.approx(count_pairs(y, scores, weights), rel=1e-12)


def test_integer_weights_equal_repeated_rows():
    rng = np.random.default_rng(2)
    y, scores, weights = rng.integers(0, 3, 30), rng.integers(0, 9, 30), rng.integers(0, 4, 30)
    weighted = concordance(y * 1.0, scores * 1.0, group_rows(None, 30), weights * 1.0)
    repeated = concordance(
        np.repeat(y, weights) * 1.0, np.repeat(scores, weights) * 1.0, group_rows(None, weights.sum())
    )
    assert fields(weighted).tolist() == fields(repeated).tolist()


def test_pairs_without_weight_are_not_comparable():
    y = np.array([1.0, 1.0, 1.0, 0.0])
    weights = np.array([0.1, 0.2, 0.7, 0.0])
    assert np.isnan(pair_accuracy_per_query(y, np.array([0.3, 0.1, 0.2, 0.4]), group_rows(None, 4), weights)).all()


def test_ties_in_score_count_half_and_ties_in_label_form_no_pair():
    # The pair (2, 1) is tied in score, the other four pairs with different labels are concordant, (0, 0) is no pair.
    y, scores = np.array([2.0, 1.0, 0.0, 0.0]), np.array([3.0, 3.0, 1.0, 2.0])
    assert pair_accuracy_per_query(y, scores, group_rows(None, 4)).tolist() == [4.5 / 5]


def test_read_only_arrays_and_scattered_queries_are_accepted():
    qid = ["b", "a", "b", "a", "c"]
    y, scores = read_only(np.array([1.0, 0.0, 0.0, 1.0, 1.0])), read_only(np.array([2.0, 1.0, 1.0, 1.0, 1.0]))
    weights = read_only(np.ones(5))
    found = pair_accuracy_per_query(y, scores, group_rows(qid, 5), weights)
    assert found.tolist()[:2] == [1.0, 0.5]
    assert np.isnan(found[2])


def test_empty_input_gives_no_values():
    assert len(pair_accuracy_per_query(np.zeros(0), np.zeros(0), group_rows([], 0))) == 0
