"""bharat_henzinger(): weights by hand, limits by 120 digits, relevance and its thresholds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from glassrank.core.checks import DataError
from glassrank.distillation.bharat_henzinger import bharat_henzinger
from glassrank.distillation.hits import hits
from glassrank.distillation.relevance import relevance_threshold, relevance_weights
from tests.reference.link_analysis import bharat_henzinger_limit


def test_three_pages_of_one_host_count_as_one_vote():
    """Pages 0–2 of host a link to page 4; page 3 of host b links to page 5: by hand, both get one vote.

    With weights 1/3 each, one iteration multiplies a_4 by 3 · 1/3 = 1 and a_5 by 1: a tie, from a_4 = a_5 = 1.
    """
    rows = np.zeros((6, 6))
    rows[[0, 1, 2], 4] = 1
    rows[3, 5] = 1
    scores = bharat_henzinger(rows, ["a", "a", "a", "b", "c", "d"])
    np.testing.assert_allclose(scores.authority_scores, [0, 0, 0, 0, 0.5**0.5, 0.5**0.5], atol=1e-14)
    np.testing.assert_allclose(scores.hub_scores, [0.5, 0.5, 0.5, 0.5, 0, 0], atol=1e-14)
    assert scores.gap == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(hits(rows).authority_scores, [0, 0, 0, 0, 1, 0], atol=1e-9)


def test_a_page_that_links_to_a_whole_host_counts_once():
    """Page 0 links to pages 2–4 of host b, page 1 to page 5 of host c: hub weights 1/3, so both hubs are equal."""
    rows = np.zeros((6, 6))
    rows[0, [2, 3, 4]] = 1
    rows[1, 5] = 1
    scores = bharat_henzinger(rows, ["x", "y", "b", "b", "b", "c"])
    np.testing.assert_allclose(scores.authority_scores, [0, 0, 0.5, 0.5, 0.5, 0.5], atol=1e-14)
    np.testing.assert_allclose(scores.hub_scores, [0.5**0.5, 0.5**0.5, 0, 0, 0, 0], atol=1e-14)


def test_two_pages_of_one_host_worked_by_hand():
    """0 → 2, 1 → 2, 1 → 3 with 0 and 1 of one host: a_2 ← a_2 + a_3/2, a_3 ← a_2 + a_3, so a_3 = √2 a_2."""
    rows = np.zeros((4, 4))
    rows[[0, 1, 1], [2, 2, 3]] = 1
    scores = bharat_henzinger(rows, ["a", "a", "b", "c"])
    np.testing.assert_allclose(scores.authority_scores, np.array([0, 0, 1, 2**0.5]) / 3**0.5, atol=1e-12)
    hub = np.array([1, 1 + 2**0.5, 0, 0])
    np.testing.assert_allclose(scores.hub_scores, hub / np.linalg.norm(hub), atol=1e-12)
    assert scores.gap == pytest.approx(1 - (1 - 0.5**0.5) / (1 + 0.5**0.5))


def test_relevance_multiplies_what_a_page_passes_on_by_hand():
    """0 → 2, 1 → 3, all hosts different, W = (1, ½, 1, 1): a_2 ← a_2 and a_3 ← a_3/2, so page 2 wins."""
    rows = np.zeros((4, 4))
    rows[[0, 1], [2, 3]] = 1
    scores = bharat_henzinger(rows, [0, 1, 2, 3], [1.0, 0.5, 1.0, 1.0])
    np.testing.assert_allclose(scores.authority_scores, [0, 0, 1, 0], atol=1e-9)
    assert scores.gap == pytest.approx(0.5)


def test_links_within_a_host_have_weight_0():
    rows = np.ones((3, 3)) - np.eye(3)
    scores = bharat_henzinger(rows, ["a", "a", "a"])
    assert scores.authority_scores.tolist() == scores.hub_scores.tolist() == [0.0] * 3
    assert scores.converged
    assert np.isnan(scores.gap)


def test_pages_without_relevance_pass_on_nothing():
    rows = np.zeros((3, 3))
    rows[0, 1] = 1
    scores = bharat_henzinger(rows, ["a", "b", "c"], [1.0, 0.0, 1.0])
    assert scores.authority_scores.tolist() == scores.hub_scores.tolist() == [0.0] * 3
    assert scores.converged


def test_different_hosts_and_equal_relevance_are_hits():
    rows = (np.random.default_rng(0).random((30, 30)) < 0.2).astype(float)
    np.fill_diagonal(rows, 0)
    scores, plain = bharat_henzinger(rows, np.arange(30), np.full(30, 0.3)), hits(rows)
    np.testing.assert_allclose(scores.authority_scores, plain.authority_scores, atol=1e-9)
    np.testing.assert_allclose(scores.hub_scores, plain.hub_scores, atol=1e-9)


@st.composite
def weighted_graphs(draw):
    n_pages = draw(st.integers(2, 7))
    cells = draw(st.lists(st.sampled_from([0, 0, 1]), min_size=n_pages**2, max_size=n_pages**2))
    hosts = draw(st.lists(st.integers(0, 3), min_size=n_pages, max_size=n_pages))
    relevance = draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=n_pages, max_size=n_pages))
    return np.array(cells, dtype=float).reshape(n_pages, n_pages), hosts, relevance


@given(weighted_graphs())
@settings(deadline=None)
def test_any_small_graph_has_the_limit_of_plain_iteration(problem):
    authority, hub = bharat_henzinger_limit(*problem)
    scores = bharat_henzinger(*problem)
    assert (scores.authority_scores >= 0).all()
    assert (scores.hub_scores >= 0).all()
    np.testing.assert_allclose(scores.authority_scores, authority, atol=1e-7)
    np.testing.assert_allclose(scores.hub_scores, hub, atol=1e-7)


@pytest.mark.parametrize("kind", ["list", "array of objects", "array of texts", "numbers"])
def test_hosts_may_be_text_or_numbers(kind):
    rows = (np.random.default_rng(1).random((6, 6)) < 0.5).astype(float)
    names = ["a", "b", "a", "c", "b", "a"]
    hosts = {
        "list": names,
        "array of objects": np.array(names, dtype=object),
        "array of texts": np.array(names),
        "numbers": np.array([7, -1, 7, 12, -1, 7]),
    }[kind]
    expected = bharat_henzinger_limit(rows, names, [1.0] * 6)[0]
    np.testing.assert_allclose(bharat_henzinger(rows, hosts).authority_scores, expected, atol=1e-9)


def test_the_order_of_the_pages_does_not_matter():
    rng = np.random.default_rng(2)
    rows, hosts, relevance = (rng.random((40, 40)) < 0.1) * 1.0, rng.integers(0, 9, 40), rng.random(40)
    order = rng.permutation(40)
    scores = bharat_henzinger(rows, hosts, relevance)
    moved = bharat_henzinger(rows[np.ix_(order, order)], hosts[order], relevance[order])
    np.testing.assert_allclose(moved.authority_scores, scores.authority_scores[order], atol=1e-9)


@pytest.mark.parametrize(
    ("hosts", "relevance", "said"),
    [
        (["a", "b"], None, "hosts must have one entry per page: expected 3, got 2"),
        ("abc", None, "hosts must be a sequence with the host of each page: got 'abc'"),
        (None, None, "hosts must be a sequence"),
        (["a", None, "b"], None, "hosts must be text or whole numbers: got None at position 1"),
        ([0.5, 1.0, 2.0], None, "hosts must be text or whole numbers: got 0.5"),
        (["a", "b", "c"], [1, 2], "relevance must have one entry per page: expected 3, got 2"),
        (["a", "b", "c"], [1, -2, 1], "relevance must not be negative"),
        (["a", "b", "c"], [1, np.nan, 1], "relevance has 1 value that is not finite"),
    ],
    ids=["short", "text", "None", "gap", "floats", "relevance short", "relevance negative", "relevance NaN"],
)
def test_hosts_and_relevance_that_do_not_match_the_pages_are_refused(hosts, relevance, said):
    with pytest.raises(DataError, match=said):
        bharat_henzinger(np.eye(3), hosts, relevance)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_relevance_is_the_cosine_with_the_query_document(form):
    X = np.random.default_rng(0).random((8, 20)) * (np.random.default_rng(1).random((8, 20)) < 0.3)
    X[3] = 0.0
    query = X[:2].sum(axis=0)
    found = relevance_weights(form(X), form(query.reshape(1, -1)))
    np.testing.assert_allclose(found, cosine_similarity(X, query.reshape(1, -1)).ravel(), rtol=1e-13)
    assert found[3] == 0.0
    np.testing.assert_array_equal(relevance_weights(form(X), query), found)


def test_with_an_empty_query_document_no_page_is_relevant():
    assert relevance_weights(np.eye(2), np.zeros(2)).tolist() == [0.0, 0.0]


def test_thresholds_are_those_of_the_paper():
    W, in_root = [0.0, 0.2, 0.3, 0.8, 0.5], [False, False, True, True, True]
    assert relevance_threshold(W, in_root, "median") == 0.3
    assert relevance_threshold(W, in_root, "root-median") == 0.5
    assert relevance_threshold(W, in_root, "max/10") == pytest.approx(0.08)
    assert relevance_threshold(W, in_root, "max/10", fraction=0.5) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0.5], [True], "mean"), "rule must be one of 'root-median', 'median', 'max/10': got 'mean'"),
        (([0.5, 0.1], [True], "median"), "in_root must have one entry per page: expected 2, got 1"),
        (([0.5], [1], "median"), "in_root must be a mask of True and False"),
        (([0.5], [False], "root-median"), "in_root must mark a page"),
        (([], np.zeros(0, dtype=bool), "median"), "relevance must have at least one entry"),
    ],
    ids=["rule", "length", "numbers", "empty root", "no pages"],
)
def test_invalid_arguments_of_thresholds_are_refused(arguments, said):
    with pytest.raises(DataError, match=said):
        relevance_threshold(*arguments)


@pytest.mark.parametrize(
    ("rule", "fraction", "said"),
    [
        ("max/10", 1.5, "fraction must be between 0 and 1: got 1.5"),
        ("max/10", True, "fraction must be between 0 and 1: got True"),
        ("root-median", 0.1, "fraction is only for the threshold 'max/10': got it with 'root-median'"),
    ],
    ids=["large", "flag", "other rule"],
)
def test_a_fraction_without_effect_is_refused(rule, fraction, said):
    with pytest.raises(DataError, match=said):
        relevance_threshold([0.5, 0.1], [True, False], rule, fraction=fraction)


def test_a_query_of_other_columns_is_refused():
    with pytest.raises(DataError, match=r"query must be one row with the 2 columns of tfidf: got shape \(1, 3\)"):
        relevance_weights(np.eye(2), np.ones(3))
