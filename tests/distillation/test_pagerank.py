"""pagerank(): equal to networkx, to a linear system and to loops."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from glassrank.core.checks import DataError
from glassrank.distillation.pagerank import pagerank
from tests.reference.link_analysis import pagerank_step_by_step

ROWS = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])


def random_graph(seed, n_pages=80):
    rng = np.random.default_rng(seed)
    rows = (rng.random((n_pages, n_pages)) < 0.04) * rng.integers(1, 5, (n_pages, n_pages))
    rows[rng.random(n_pages) < 0.2] = 0
    return rows.astype(float)


@pytest.mark.parametrize("damping", [0.5, 0.85, 0.99])
def test_scores_are_those_of_networkx(damping):
    rows = random_graph(0)
    peer = nx.pagerank(nx.from_numpy_array(rows, create_using=nx.DiGraph), damping, tol=1e-14, max_iter=10_000)
    scores = pagerank(rows, damping, max_iter=5000)
    np.testing.assert_allclose(scores.authority_scores, [peer[i] for i in range(80)], rtol=0, atol=1e-8)


def test_with_personalisation_the_score_of_dead_ends_is_still_spread_evenly():
    rows, wanted = random_graph(1), np.random.default_rng(1).random(80)
    graph = nx.from_numpy_array(rows, create_using=nx.DiGraph)
    even = dict.fromkeys(range(80), 1.0)
    peer = nx.pagerank(graph, personalization=dict(enumerate(wanted)), dangling=even, tol=1e-14, max_iter=10_000)
    scores = pagerank(rows, personalisation=wanted)
    np.testing.assert_allclose(scores.authority_scores, [peer[i] for i in range(80)], rtol=0, atol=1e-9)


def test_scores_solve_the_linear_system():
    rows = random_graph(2)
    leaving = rows.sum(axis=1, keepdims=True)
    P = np.where(leaving > 0, rows / np.where(leaving > 0, leaving, 1), 1 / 80)
    exact = np.linalg.solve(np.eye(80) - 0.85 * P.T, np.full(80, 0.15 / 80))
    scores = pagerank(rows)
    assert scores.converged
    np.testing.assert_allclose(scores.authority_scores, exact, rtol=0, atol=0.85 / 0.15 * 1e-10)


@pytest.mark.parametrize("rows", [ROWS, np.zeros((3, 3)), np.ones((4, 4)), np.roll(np.eye(3), 1, axis=1)])
def test_scores_are_those_of_loops_and_sum_to_1(rows):
    scores = pagerank(rows)
    np.testing.assert_allclose(scores.authority_scores, pagerank_step_by_step(rows.tolist()), rtol=0, atol=1e-9)
    assert scores.authority_scores.sum() == pytest.approx(1.0)
    assert scores.hub_scores is None


def test_the_order_of_the_pages_does_not_matter():
    rows, order = random_graph(3), np.random.default_rng(0).permutation(80)
    moved = pagerank(rows[np.ix_(order, order)]).authority_scores
    np.testing.assert_allclose(moved, pagerank(rows).authority_scores[order], rtol=0, atol=1e-9)


def test_stopping_early_warns_with_a_remedy():
    with pytest.warns(ConvergenceWarning, match=r"PageRank stopped after 3 passes .* Raise max_iter, or tol"):
        assert not pagerank(random_graph(4), max_iter=3).converged


def test_an_empty_graph_has_no_scores():
    assert pagerank(sparse.csr_array((0, 0))).authority_scores.tolist() == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"damping": 1.0}, "damping must be at least 0 and below 1: got 1.0"),
        ({"damping": True}, "damping must be at least 0 and below 1: got True"),
        ({"personalisation": [1, 2]}, "personalisation must have one entry per page: expected 3, got 2"),
        ({"personalisation": [1, -2, 1]}, "personalisation must not be negative"),
        ({"personalisation": [0, 0, 0]}, "personalisation must have a positive entry"),
    ],
    ids=["damping", "bool", "length", "negative", "zeros"],
)
def test_options_are_checked(options, said):
    with pytest.raises(DataError, match=said):
        pagerank(ROWS, **options)
