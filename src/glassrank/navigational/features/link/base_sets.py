"""Hubs and authorities among the results of a query: HITS on many small graphs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.links.hubs_and_authorities import reinforce
from glassrank.core.links.link_sums import LinkSums
from glassrank.core.links.link_weights import link_weights
from glassrank.navigational.features.link.page_graph import PageGraph, neighbours

TOLERANCE = 1e-12
MAX_ITERATIONS = 1000


@dataclass(frozen=True, eq=False)
class BaseScores:
    """Scores of results in the base set of their list; 0 for a page that is not in the graph."""

    authority: FloatArray
    hub: FloatArray
    voted: FloatArray
    """Authority with one vote per host (Bharat and Henzinger 1998)."""


def score_base_sets(graph: PageGraph, lists: IntArray, places: IntArray) -> BaseScores:
    """Score results: ``lists[i]`` and ``places[i]`` are the list of result i and its page in the graph, −1 for none.

    The base set of a list is its results, the pages that they link to, and the pages that link to them. Only links
    between hosts count; if the whole graph is one host, each page counts as a host (Kleinberg 1999).
    """
    sites = graph.host_of if len(graph.hosts) > 1 else np.arange(len(graph.urls))
    scores = BaseScores(*(np.zeros(len(lists)) for _ in range(3)))
    small = _SmallGraphs(graph, sites)
    for rows in _groups(lists, places >= 0):
        base = small.base_set(np.unique(places[rows]))
        links, voted = small.links_within(base)
        here = np.searchsorted(base, places[rows])
        plain = reinforce(links, TOLERANCE, MAX_ITERATIONS)
        scores.authority[rows], scores.hub[rows] = plain.authority[here], plain.hub[here]
        # If no site votes twice, all weights are 1 and the scores are the same.
        scores.voted[rows] = (plain if voted is None else reinforce(voted, TOLERANCE, MAX_ITERATIONS)).authority[here]
    return scores


class _SmallGraphs:
    """Extracts base sets from the graph, at a cost that depends only on their size."""

    def __init__(self, graph: PageGraph, sites: IntArray) -> None:
        self._graph, self._sites = graph, sites
        # Position of each page in the current base set, −1 for the others.
        self._inside = np.full(len(graph.urls), -1, dtype=np.int64)

    def base_set(self, root: IntArray) -> IntArray:
        """Pages of the base set, in order."""
        linked, linking = (neighbours(matrix, root)[1] for matrix in (self._graph.links, self._graph.reversed_links))
        return np.unique(np.concatenate([root, linked, linking]))

    def links_within(self, base: IntArray) -> tuple[LinkSums, LinkSums | None]:
        """Links between the sites of a base set: unweighted, and weighted if the weights differ."""
        self._inside[base] = np.arange(len(base))
        source, page = neighbours(self._graph.links, base)
        target = self._inside[page]
        self._inside[base] = -1
        sites = np.unique(self._sites[base], return_inverse=True)[1]
        kept = target >= 0
        source, target = source[kept], target[kept]
        between = sites[source] != sites[target]
        source, target = source[between], target[between]
        # Sources are sorted, so their counts give the row pointers of CSR.
        starts = np.zeros(len(base) + 1, dtype=np.int32)
        np.cumsum(np.bincount(source, minlength=len(base)), out=starts[1:])
        ends = target.astype(np.int32)
        weights = link_weights(source, target, sites)
        if (weights.authority == 1.0).all() and (weights.hub == 1.0).all():
            return LinkSums(starts, ends), None
        return LinkSums(starts, ends), LinkSums(starts, ends, weights.authority, weights.hub)


def _groups(lists: IntArray, chosen: Any) -> Iterator[IntArray]:
    """Yield the chosen rows of each list."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(lists[rows], kind="stable")]
    yield from (part for part in np.split(rows, np.flatnonzero(np.diff(lists[rows])) + 1) if len(part))
