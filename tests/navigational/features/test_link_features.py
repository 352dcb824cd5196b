"""The link features equal the cases worked out by hand, the slow twin, and SciPy's distances."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from glassrank.data.collection import Links
from glassrank.navigational.features.link import link_features as link
from glassrank.navigational.features.link.base_sets import score_base_sets
from glassrank.navigational.features.link.host_graph import HostGraph
from glassrank.navigational.features.link.page_graph import PageGraph
from glassrank.navigational.features.sources import IntentSources
from tests.navigational.features.log_worlds import by_row, found_by, twin_of, wrong
from tests.navigational.features.random_worlds import containers, random_world
from tests.reference.navigational.graph import hits
from tests.reference.navigational.worked.webs import CASES

NAMES = {feature.name for feature in link.FEATURES}


@pytest.mark.parametrize("case", CASES)
def test_features_equal_the_cases_worked_out_by_hand(case):
    world, expected = CASES[case]
    found = found_by(link, world)
    wanted = {(str(q), rank): {n: v for n, v in values.items() if n in NAMES} for (q, rank), values in expected.items()}
    picked = {row: {name: found[row][name] for name in values} for row, values in wanted.items()}
    assert wrong(picked, wanted) == []


@pytest.mark.parametrize("seed", range(6))
def test_features_of_random_webs_equal_the_twin(seed):
    world = random_world(seed, engines=1 + seed % 2, clicks=False, pages=False, n_addresses=10 + 8 * seed)
    hosts = [None, ["zen.org", "été.fr"], ["not.there"]][seed % 3]
    world = {**world, "trusted_hosts": hosts}
    assert wrong(found_by(link, world), twin_of(link, world)) == []


def test_an_address_that_appears_twice_in_a_list_is_one_result():
    world = {
        "results": [{"query_id": "q", "query": "zen", "rank": r, "url": u} for r, u in enumerate("aab", start=1)],
        "links": [{"source": "a", "target": "b", "anchor": ""}, {"source": "x", "target": "a", "anchor": ""}],
    }
    assert wrong(found_by(link, world), twin_of(link, world)) == []


@pytest.mark.parametrize("links", [[], [{"source": "a", "target": "a", "anchor": "self"}]], ids=["none", "to itself"])
def test_without_a_link_that_counts_there_is_no_graph(links):
    kept = Links(**{name: [row[name] for row in links] for name in ("source", "target", "anchor")})
    world = {"results": [{"query_id": "q", "query": "zen", "rank": 1, "url": "a"}]}
    found = found_by(link, world, links=kept)["q", 1]
    assert {name for name, value in found.items() if value is None} == {
        *("li_Hh", "li_pr", "li_hr", "li_hc", "sp_trust", "sp_farm")
    }
    assert {value for value in found.values() if value is not None} == {0.0}


def test_invalid_addresses_cause_no_error():
    world = {
        "results": [{"query_id": "q", "query": "zen", "rank": 1, "url": "http://[a"}],
        "links": [{"source": "http://[b", "target": "http://[a", "anchor": ""}],
    }
    found = found_by(link, world)["q", 1]
    assert (found["li_in"], found["li_inx"], found["sp_farm"]) == (np.log(2), 0.0, 1.0)


def random_hosts(seed, n_hosts, n_links):
    ends = np.unique(np.random.default_rng(seed).integers(0, n_hosts, (n_links, 2)), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    matrix = sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_hosts, n_hosts))
    return HostGraph([f"h{number}" for number in range(n_hosts)], matrix)


def scipy_centrality(graph):
    distances = shortest_path(graph.links, unweighted=True)
    np.fill_diagonal(distances, np.inf)
    return (1.0 / distances).sum(axis=0)


def test_centrality_equals_the_sum_over_scipys_distances():
    """There are more hosts than one search starts from, and some that cannot be reached."""
    graph = random_hosts(0, 300, 500)
    wanted = np.arange(5, 300, 2)
    np.testing.assert_allclose(graph.centrality(wanted), scipy_centrality(graph)[wanted], rtol=1e-12)


def test_centrality_of_many_hosts_is_estimated_the_same_way_each_time():
    graph = random_hosts(1, 800, 4000)
    exact = scipy_centrality(graph)
    every = np.flatnonzero(exact)
    exact = exact[every]
    estimate = graph.centrality(every, exact_hosts=100)
    np.testing.assert_array_equal(estimate, graph.centrality(every, exact_hosts=100))
    assert np.abs(estimate / exact - 1.0).mean() < 0.02
    assert estimate.mean() == pytest.approx(exact.mean(), rel=0.01)


def test_base_sets_of_many_lists_are_scored_one_by_one():
    """Lists that share pages do not affect each other: each equals HITS on its own base set."""
    rng = np.random.default_rng(2)
    pages = [f"http://h{number % 9}.org/{number}" for number in range(60)]
    source, target = rng.integers(0, 60, (2, 200))
    kept = source != target
    graph = PageGraph.of([pages[i] for i in source[kept]], [pages[i] for i in target[kept]])
    lists, places = np.repeat(np.arange(8), 4), rng.integers(-1, len(graph.urls), 32)
    scores = score_base_sets(graph, lists, places)
    edges = set(zip(*(ends.tolist() for ends in graph.links.nonzero()), strict=True))
    for number in range(8):
        root = {place for place in places[lists == number].tolist() if place >= 0}
        base = root | {t for s, t in edges if s in root} | {s for s, t in edges if t in root}
        inside = [(s, t) for s, t in sorted(edges) if {s, t} <= base and graph.host_of[s] != graph.host_of[t]]
        authority, hub = hits(sorted(base), inside)
        for row in np.flatnonzero(lists == number):
            expected = (authority[places[row]], hub[places[row]]) if places[row] >= 0 else (0.0, 0.0)
            assert (scores.authority[row], scores.hub[row]) == pytest.approx(expected, abs=1e-9)


def test_the_order_of_links_and_results_does_not_matter():
    world = random_world(9, clicks=False, pages=False)
    reversed_world = {**world, "links": world["links"][::-1], "results": world["results"][::-1]}
    one, other = (IntentSources(**containers(either)) for either in (world, reversed_world))
    assert wrong(by_row(other, link.compute(other)), by_row(one, link.compute(one))) == []
