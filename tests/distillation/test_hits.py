"""hits(): non-negative scores, matching authorities and hubs, and a report of ties."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sknetwork.ranking import HITS

from glassrank.core.checks import DataError
from glassrank.distillation.hits import hits
from tests.reference.link_analysis import collect_from_targets, hits_step_by_step, limit_of_iteration

CYCLE = np.roll(np.eye(3), 1, axis=1)
SMALL = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])


def web_like(n_pages=300, n_links=2500, seed=0):
    """A few pages get most links; one component, so that other libraries agree for any start."""
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n_pages, n_links), (n_pages * rng.random(n_links) ** 3).astype(int)
    matrix = sparse.csr_array((np.ones(n_links), (sources, targets)), shape=(n_pages, n_pages))
    matrix.data[:] = 1.0
    return matrix


def unit(vector):
    return np.asarray(vector) / np.linalg.norm(vector)


def test_a_cycle_of_three_pages_gives_equal_scores_and_reports_that_they_are_not_unique():
    """Eigen-solvers give NaN, negative or arbitrary scores here: every vector is singular."""
    scores = hits(CYCLE)
    np.testing.assert_allclose(scores.authority_scores, np.sqrt(1 / 3), rtol=1e-15)
    np.testing.assert_allclose(scores.hub_scores, np.sqrt(1 / 3), rtol=1e-15)
    assert scores.converged
    assert scores.gap == pytest.approx(0.0, abs=1e-12)
    assert "The leading eigenvalue is not simple: the scores depend on the uniform start." in str(scores)


def test_a_simple_top_singular_value_is_not_reported_as_tied():
    scores = hits(SMALL)
    golden = (1 + 5**0.5) / 2
    np.testing.assert_allclose(scores.authority_scores, unit([0, 1, golden]), atol=1e-14)
    np.testing.assert_allclose(scores.hub_scores, unit([golden, 1, 0]), atol=1e-14)
    assert scores.gap == pytest.approx(1 - golden**-4)
    assert "not simple" not in str(scores)


def test_two_equal_parts_share_the_scores():
    rows = np.kron(np.eye(2), SMALL)
    authority, hub, _ = hits_step_by_step(rows.tolist())
    scores = hits(rows)
    np.testing.assert_allclose(scores.authority_scores, authority, atol=1e-10)
    np.testing.assert_allclose(scores.hub_scores, hub, atol=1e-10)
    assert scores.gap == pytest.approx(0.0, abs=1e-12)


def test_equal_values_in_unlike_parts_are_shared_as_by_plain_iteration():
    """Two pages that link to two, and four pages that link to one: σ = 2 both, and the shares are not equal."""
    rows = np.zeros((9, 9))
    rows[:2, 2:4] = 1
    rows[4:8, 8] = 1
    authority, hub, _ = hits_step_by_step(rows.tolist())
    scores = hits(rows)
    np.testing.assert_allclose(scores.authority_scores, authority, atol=1e-10)
    np.testing.assert_allclose(scores.hub_scores, hub, atol=1e-10)
    np.testing.assert_allclose(scores.hub_scores[[0, 1, 4, 5, 6, 7]], 6**-0.5, atol=1e-10)


def test_the_weaker_of_two_parts_has_scores_of_0():
    rows = np.zeros((7, 7))
    rows[0, 1:4] = 1
    rows[4, 5:7] = 1
    scores = hits(rows)
    np.testing.assert_allclose(scores.authority_scores, [0, *[3**-0.5] * 3, 0, 0, 0], atol=1e-10)
    np.testing.assert_allclose(scores.hub_scores, [1, 0, 0, 0, 0, 0, 0], atol=1e-10)


def test_pages_without_links_get_0():
    rows = np.zeros((5, 5))
    rows[1:4, 1:4] = SMALL
    scores = hits(rows)
    assert scores.authority_scores[[0, 1, 4]].tolist() == [0, 0, 0]
    assert scores.hub_scores[[0, 3, 4]].tolist() == [0, 0, 0]


@pytest.mark.parametrize("n_pages", [0, 1, 4])
def test_a_graph_without_links_has_scores_of_0_and_no_gap(n_pages):
    scores = hits(sparse.csr_array((n_pages, n_pages)))
    assert scores.authority_scores.tolist() == scores.hub_scores.tolist() == [0.0] * n_pages
    assert scores.converged
    assert np.isnan(scores.gap)
    assert "not simple" not in str(scores)


def test_a_link_of_a_page_to_itself_counts_like_any_link():
    rows = SMALL + np.diag([0, 0, 1])
    authority, hub, _ = hits_step_by_step(rows.tolist())
    np.testing.assert_allclose(hits(rows).authority_scores, authority, atol=1e-9)
    np.testing.assert_allclose(hits(rows).hub_scores, hub, atol=1e-9)
    assert not np.allclose(hits(rows).authority_scores, hits(SMALL).authority_scores)


def test_scores_are_those_of_the_dense_decomposition():
    matrix = web_like()
    U, _, Vt = np.linalg.svd(matrix.toarray())
    scores = hits(matrix)
    np.testing.assert_allclose(scores.authority_scores, np.abs(Vt[0]), atol=1e-12)
    np.testing.assert_allclose(scores.hub_scores, np.abs(U[:, 0]), atol=1e-12)


def test_scores_are_those_of_scikit_network_and_networkx_on_a_graph_without_ties():
    matrix = web_like(seed=1)
    peer = HITS().fit(sparse.csr_matrix(matrix))
    hubs, authorities = nx.hits(nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph), tol=1e-14)
    scores = hits(matrix)
    np.testing.assert_allclose(scores.authority_scores, unit(peer.scores_col_), atol=1e-10)
    np.testing.assert_allclose(scores.hub_scores, unit(peer.scores_row_), atol=1e-10)
    np.testing.assert_allclose(scores.authority_scores, unit([authorities[i] for i in range(300)]), atol=1e-10)
    np.testing.assert_allclose(scores.hub_scores, unit([hubs[i] for i in range(300)]), atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_pages_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    rows = np.kron(np.eye(2), (rng.random((20, 20)) < 0.1).astype(float))
    order = rng.permutation(40)
    scores, moved = hits(rows), hits(rows[np.ix_(order, order)])
    np.testing.assert_allclose(moved.authority_scores, scores.authority_scores[order], atol=1e-9)
    np.testing.assert_allclose(moved.hub_scores, scores.hub_scores[order], atol=1e-9)


@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array", "lil_array", "bool", "int", "int64 places"])
def test_every_matrix_format_gives_exactly_the_same_scores(form):
    rows = web_like(60, 300).toarray()
    forms = {
        "bool": lambda: rows.astype(bool),
        "int": lambda: rows.astype(np.int8),
        "int64 places": lambda: _with_long_indices(rows),
    }
    given_form = forms[form]() if form in forms else getattr(sparse, form)(rows)
    assert hits(given_form).authority_scores.tobytes() == hits(rows).authority_scores.tobytes()


def _with_long_indices(rows):
    matrix = sparse.csr_array(rows)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def test_duplicate_entries_are_added_up_and_the_given_matrix_is_not_changed():
    matrix = sparse.csr_array((np.ones(4), np.array([1, 1, 2, 2]), np.array([0, 3, 4, 4])), shape=(3, 3))
    expected = hits([[0, 2, 1], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_allclose(hits(matrix).authority_scores, expected.authority_scores, rtol=1e-14)
    assert (matrix.nnz, matrix.data.tolist()) == (4, [1.0] * 4)


@pytest.mark.parametrize("kind", [np.int8, bool])
@pytest.mark.parametrize("form", ["coo", "csr"])
def test_duplicate_entries_of_small_integer_types_do_not_overflow(kind, form):
    entries = np.array([100, 100, 100, 100]).astype(kind)
    places = np.array([0, 0, 0, 1]), np.array([1, 1, 2, 2])
    matrix = sparse.coo_array((entries, places), shape=(3, 3))
    if form == "csr":
        matrix = sparse.csr_array((entries, places[1], np.array([0, 3, 4, 4])), shape=(3, 3))
    expected = hits([[0, 2, 1], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_allclose(hits(matrix).authority_scores, expected.authority_scores, rtol=1e-14)


def test_stored_zeros_are_not_links():
    matrix = sparse.csr_array(SMALL.astype(float))
    matrix.data[0] = 0.0
    scores = hits(matrix)
    assert scores.n_links == 2
    assert matrix.nnz == 3


@pytest.mark.parametrize("factor", [1e-200, 1e-3, 7.0, 1e200])
def test_the_scale_of_the_weights_does_not_matter(factor):
    rows = SMALL * np.array([[1.0, 2.0, 3.0]])
    np.testing.assert_allclose(hits(factor * rows).authority_scores, hits(rows).authority_scores, rtol=1e-12)


def test_stopping_early_warns_with_a_remedy_and_is_marked():
    chain = np.eye(200, k=1) + np.eye(200, k=-1)
    with pytest.warns(ConvergenceWarning, match=r"HITS stopped after 5 passes .* above tol = 1e-10\. Raise max_iter"):
        scores = hits(chain, max_iter=5)
    assert not scores.converged
    assert scores.change > 1e-10
    assert "NOT converged after 5 passes" in str(scores)
    assert (scores.authority_scores >= 0).all()


@st.composite
def graphs(draw):
    n_pages = draw(st.integers(1, 7))
    weights = draw(st.sampled_from([[0, 1], [0, 0, 0, 1], [0, 0.5, 1, 3]]))
    cells = draw(st.lists(st.sampled_from(weights), min_size=n_pages**2, max_size=n_pages**2))
    return np.array(cells, dtype=float).reshape(n_pages, n_pages)


@given(graphs())
@settings(deadline=None)
def test_scores_are_not_negative_of_length_1_and_a_matching_pair(rows):
    scores = hits(rows)
    assert scores.converged
    assert (scores.authority_scores >= 0).all()
    assert (scores.hub_scores >= 0).all()
    hubs = np.array(collect_from_targets(rows, scores.authority_scores))
    length = np.linalg.norm(hubs)
    assert np.linalg.norm(scores.authority_scores) == pytest.approx(1.0 if rows.any() else 0.0)
    np.testing.assert_allclose(scores.hub_scores, hubs / length if rows.any() else hubs, atol=1e-14)
    authorities = rows.T @ scores.hub_scores
    np.testing.assert_allclose(authorities, length * scores.authority_scores, atol=1e-9 * max(length, 1.0))


@given(graphs())
@settings(deadline=None)
def test_any_small_graph_has_the_limit_of_plain_iteration(rows):
    authority, hub = limit_of_iteration(rows, rows, doublings=50, digits=60)
    scores = hits(rows)
    np.testing.assert_allclose(scores.authority_scores, authority, atol=1e-7)
    np.testing.assert_allclose(scores.hub_scores, hub, atol=1e-7)


@pytest.mark.parametrize(
    ("adjacency", "said"),
    [
        ([[0, 1, 0], [1, 0, 0]], r"must be square, with a row and a column for each page: got shape \(2, 3\)"),
        (sparse.csr_array((2, 3)), r"must be square, with a row and a column for each page: got shape \(2, 3\)"),
        ([0, 1], r"must be a square matrix of numbers or booleans.*got list of shape \(2,\)"),
        ([[0, -2.5], [1, 0]], r"must not be negative: got -2.5 at row 0, column 1"),
        (
            sparse.csr_array([[0.0, 1.0], [np.nan, 0.0]]),
            r"1 value that is not finite, the first \(nan\) at row 1, column 0",
        ),
        ([[0, np.inf], [1, 0]], r"not finite, the first \(inf\) at row 0, column 1"),
        ([["a", "b"], ["c", "d"]], "of numbers or booleans"),
        (sparse.csr_array([[0, 1j], [1, 0]]), "numbers or booleans: got complex128"),
        (nx.DiGraph([(0, 1)]), "must be a square matrix"),
        (None, "must be a square matrix"),
    ],
    ids=["wide", "wide sparse", "vector", "negative", "NaN", "infinite", "text", "complex", "graph", "None"],
)
def test_an_invalid_graph_is_refused(adjacency, said):
    with pytest.raises(DataError, match=said):
        hits(adjacency)


def test_indices_outside_the_matrix_are_refused():
    matrix = sparse.csr_array(np.eye(3))
    matrix.indices[1] = 7
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        hits(matrix)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tol": 0}, "tol must be a positive number: got 0"),
        ({"max_iter": 0}, "max_iter must be a positive whole number"),
    ],
    ids=["tol", "max_iter"],
)
def test_options_are_checked(options, said):
    with pytest.raises(DataError, match=said):
        hits(SMALL, **options)
