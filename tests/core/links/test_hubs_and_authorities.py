"""Mutual reinforcement: a Krylov method against plain iteration, dense decompositions and 120 digits."""

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from glassrank.core.links.hubs_and_authorities import reinforce, relative_gap
from glassrank.core.links.krylov import SIZE, leading_vector
from glassrank.core.links.link_sums import LinkSums
from glassrank.core.links.link_weights import link_weights
from glassrank.core.links.random_surfer import visit
from tests.reference.link_analysis import (
    bharat_henzinger_weights,
    collect_from_sources,
    collect_from_targets,
    hits_step_by_step,
    limit_of_iteration,
    pagerank_step_by_step,
)

TOL, MAX_ITER = 1e-10, 1000


def links_of(to_authorities, to_hubs=None):
    """Links of dense matrices; the two must have their zeros at the same places unless weights are 0 there."""
    pattern = np.asarray(to_authorities, dtype=float)
    other = pattern if to_hubs is None else np.asarray(to_hubs, dtype=float)
    cells = sparse.csr_array((pattern != 0) | (other != 0))
    rows = np.repeat(np.arange(len(pattern)), np.diff(cells.indptr))
    weights = pattern[rows, cells.indices]
    return LinkSums(cells.indptr, cells.indices, weights, weights if to_hubs is None else other[rows, cells.indices])


def random_rows(seed, n=9, density=0.3, weighted=False):
    rng = np.random.default_rng(seed)
    rows = (rng.random((n, n)) < density).astype(float)
    return rows * rng.integers(1, 9, (n, n)) if weighted else rows


CYCLE = np.roll(np.eye(3), 1, axis=1)
STAR = np.array([[0, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=float)
GRAPHS = {
    "3-cycle": CYCLE,
    "star": STAR,
    "two equal parts": np.kron(np.eye(2), STAR),
    "equal values from different parts": np.block([[STAR, np.zeros((4, 3))], [np.zeros((3, 4)), np.sqrt(3) * CYCLE]]),
    "unequal parts": np.kron(np.diag([1.0, 2.0]), STAR),
    "links to itself": np.eye(3) + CYCLE,
    "all linked": np.ones((5, 5)),
    "one link": np.eye(1, 4, 2, dtype=float).repeat(4, axis=0) * np.array([[0], [1], [0], [0]]),
}


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_along_links_are_those_of_loops(weighted):
    rows, values = random_rows(0, weighted=weighted), np.random.default_rng(1).random(9)
    links = links_of(rows) if weighted else LinkSums(*_places(rows))
    np.testing.assert_allclose(links.hubs(values), collect_from_targets(rows, values), rtol=1e-14)
    np.testing.assert_allclose(links.authorities(values), collect_from_sources(rows, values), rtol=1e-14)


def _places(rows):
    matrix = sparse.csr_array(rows)
    return matrix.indptr, matrix.indices


@pytest.mark.parametrize("name", GRAPHS)
def test_the_limit_is_that_of_plain_iteration(name):
    rows = GRAPHS[name]
    found = reinforce(links_of(rows), TOL, MAX_ITER)
    authority, hub, converged = hits_step_by_step(rows.tolist())
    assert converged
    np.testing.assert_allclose(found.authority, authority, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.hub, hub, rtol=0, atol=1e-9)
    assert found.change < TOL


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_have_the_limit_of_2_to_the_70_iterations(seed):
    """Small random graphs often have several components, some of them tied."""
    rows = random_rows(seed, n=8, density=0.12 + 0.02 * seed, weighted=seed % 2 == 1)
    found = reinforce(links_of(rows), TOL, MAX_ITER)
    authority, hub = limit_of_iteration(rows, rows)
    np.testing.assert_allclose(found.authority, authority, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.hub, hub, rtol=0, atol=1e-8)


@pytest.mark.parametrize("excess", [1e-1, 1e-2, 1e-4, 1e-6])
def test_nearly_tied_components_are_distinguished(excess):
    """The component with the larger value gets all the weight, although plain iteration would need up to 10⁷ steps."""
    rows = np.kron(np.diag([1.0, 1.0 + excess]), STAR + CYCLE_OF_FOUR)
    found = reinforce(links_of(rows), TOL, MAX_ITER)
    authority, hub = limit_of_iteration(rows, rows, doublings=40)
    assert found.change < TOL
    np.testing.assert_allclose(found.authority, authority, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.hub, hub, rtol=0, atol=1e-8)


CYCLE_OF_FOUR = np.roll(np.eye(4), 1, axis=1)


@pytest.mark.parametrize("n", [60, 150])
def test_a_long_chain_converges_after_restarts(n):
    """Neighbours link to each other, so the leading eigenvalues are close together."""
    rows = np.eye(n, k=1) + np.eye(n, k=-1)
    rows[0, 0] = 1.0
    found = reinforce(links_of(rows), TOL, MAX_ITER)
    values, vectors = np.linalg.eigh(rows)
    assert found.change < TOL
    assert found.n_iterations > SIZE
    np.testing.assert_allclose(found.authority, np.abs(vectors[:, -1]), rtol=0, atol=1e-7)
    assert relative_gap(links_of(rows), found.authority) == pytest.approx(1 - np.sort(values**2)[-2] / values[-1] ** 2)


@pytest.mark.parametrize("seed", range(5))
def test_a_simple_top_singular_value_gives_the_vectors_of_the_dense_decomposition(seed):
    rows = random_rows(seed, n=40, density=0.2, weighted=True)
    U, sigma, Vt = np.linalg.svd(rows)
    found = reinforce(links_of(rows), TOL, MAX_ITER)
    np.testing.assert_allclose(found.authority, np.abs(Vt[0]), rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.hub, np.abs(U[:, 0]), rtol=0, atol=1e-11)
    gap = relative_gap(links_of(rows), found.authority)
    assert gap == pytest.approx(1 - (sigma[1] / sigma[0]) ** 2, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("3-cycle", 0.0),
        ("star", 1.0),
        ("two equal parts", 0.0),
        ("equal values from different parts", 0.0),
        ("unequal parts", 0.75),
        ("all linked", 1.0),
        ("one link", 1.0),
    ],
)
def test_the_gap_counts_multiplicity(name, gap):
    links = links_of(GRAPHS[name])
    assert relative_gap(links, reinforce(links, TOL, MAX_ITER).authority) == pytest.approx(gap, abs=1e-12)


def test_without_links_every_score_is_0_and_the_gap_is_undefined():
    links = LinkSums(np.zeros(4, dtype=np.int32), np.zeros(0, dtype=np.int32))
    found = reinforce(links, TOL, MAX_ITER)
    assert (found.authority.tolist(), found.hub.tolist(), found.change) == ([0.0] * 3, [0.0] * 3, 0.0)
    assert np.isnan(relative_gap(links, found.authority))


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_iterations_are_counted_and_limited(max_iter):
    rows = np.eye(150, k=1) + np.eye(150, k=-1)
    found = reinforce(links_of(rows), TOL, max_iter)
    assert found.n_iterations == max_iter
    assert found.change > TOL
    assert (found.authority >= 0).all()


def test_the_first_iteration_is_the_plain_one():
    """Hubs of 1, the authorities of these, their hubs, and once more authorities and hubs."""
    rows = random_rows(3)
    found = reinforce(links_of(rows), TOL, max_iter=1)
    authority, hub, _ = hits_step_by_step(rows.tolist(), max_iter=2)
    np.testing.assert_allclose(found.authority, authority, rtol=1e-13)
    np.testing.assert_allclose(found.hub, hub, rtol=1e-13)


def test_results_are_bitwise_equal_on_any_number_of_threads():
    links = LinkSums(*_places(random_rows(5, n=600, density=0.02)))
    bits = []
    for n_threads in (1, 2, 4):
        with threadpool_limits(limits=n_threads):
            found = reinforce(links, TOL, MAX_ITER)
            bits.append((found.authority.tobytes(), found.hub.tobytes(), relative_gap(links, found.authority)))
    assert bits[0] == bits[1] == bits[2]


@pytest.mark.parametrize("seed", range(6))
def test_two_kinds_of_weights_have_the_limit_of_2_to_the_70_iterations(seed):
    rng = np.random.default_rng(seed)
    pattern = rng.random((8, 8)) < 0.12 + 0.03 * seed
    P, Q = pattern * rng.uniform(0.2, 1.0, (8, 8)), pattern * rng.uniform(0.2, 1.0, (8, 8))
    links = links_of(P, Q)
    found = reinforce(links, TOL, MAX_ITER)
    authority, hub = limit_of_iteration(P, Q)
    np.testing.assert_allclose(found.authority, authority, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.hub, hub, rtol=0, atol=1e-8)
    values = np.sort(np.linalg.eigvals(P.T @ Q).real)
    assert relative_gap(links, found.authority) == pytest.approx(1 - values[-2] / values[-1], abs=1e-6)


def test_two_kinds_of_weights_converge_after_restarts():
    rng = np.random.default_rng(0)
    chain = np.eye(80, k=1) + np.eye(80, k=-1) + np.eye(80)
    P, Q = chain * rng.uniform(0.9, 1.0, chain.shape), chain * rng.uniform(0.9, 1.0, chain.shape)
    found = reinforce(links_of(P, Q), TOL, MAX_ITER)
    values, vectors = np.linalg.eig(P.T @ Q)
    assert found.change < TOL
    assert found.n_iterations > SIZE
    leading = np.abs(vectors[:, np.argmax(values.real)].real)
    np.testing.assert_allclose(found.authority, leading / np.linalg.norm(leading), rtol=0, atol=1e-8)


def test_a_tied_operator_converges_to_the_projection_of_the_start():
    """The eigenvalue 2 is double: the result is the projection of the start on its eigenvectors."""
    start = np.array([1.0, 3.0, 5.0, 7.0])
    found = leading_vector(lambda x: np.array([2.0, 2.0, 1.0, 0.5]) * x, start, 1e-14, 50, symmetric=True)
    np.testing.assert_allclose(found.vector, np.array([1.0, 3.0, 0.0, 0.0]) / np.sqrt(10.0), rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_links_between_hosts_are_those_of_counting(seed):
    rows = random_rows(seed, n=12, density=0.4)
    hosts = np.random.default_rng(seed).integers(0, 4, 12)
    sources, targets = np.nonzero(rows)
    weighed = link_weights(sources, targets, hosts)
    to_authorities, to_hubs = bharat_henzinger_weights(rows, hosts)
    np.testing.assert_array_equal(weighed.authority, np.array(to_authorities)[sources, targets])
    np.testing.assert_array_equal(weighed.hub, np.array(to_hubs)[sources, targets])


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85])
def test_visits_are_those_of_loops_and_of_the_linear_system(damping):
    rows = random_rows(2, weighted=True)
    rows[4] = 0.0
    jump = np.random.default_rng(0).dirichlet(np.ones(9))
    found = visit(links_of(rows), jump, damping, TOL, MAX_ITER)
    expected = pagerank_step_by_step(rows.tolist(), damping, jump.tolist(), n_iter=300)
    np.testing.assert_allclose(found.shares, expected, rtol=0, atol=1e-10)
    leaving = rows.sum(axis=1, keepdims=True)
    P = np.where(leaving > 0, rows / np.where(leaving > 0, leaving, 1.0), 1.0 / 9)
    exact = np.linalg.solve(np.eye(9) - damping * P.T, (1.0 - damping) * jump)
    np.testing.assert_allclose(found.shares, exact, rtol=0, atol=1e-9)
