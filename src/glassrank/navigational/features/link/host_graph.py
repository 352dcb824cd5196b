"""The graph of hosts, linked if their pages are: centrality and trust of each host."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.links.link_sums import LinkSums
from glassrank.kernels import njit
from glassrank.navigational.features.link.page_graph import PageGraph

DAMPING = 0.85
# 0.85²⁵⁰ is below the precision of a float64, so further iterations change nothing.
MAX_ITERATIONS = 250
EXACT_HOSTS = 10_000
SAMPLED_HOSTS = 500
_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class HostGraph:
    """Hosts and the links between them."""

    hosts: list[str]
    links: Any
    """CSR: host i links to host j."""

    @classmethod
    def of(cls, pages: PageGraph) -> "HostGraph":
        """Sum up the links of pages."""
        n_hosts = len(pages.hosts)
        source = pages.host_of[np.repeat(np.arange(len(pages.urls)), np.diff(pages.links.indptr))]
        target = pages.host_of[pages.links.indices]
        keys = np.unique((source * max(n_hosts, 1) + target)[source != target])
        source, target = np.divmod(keys, max(n_hosts, 1))
        return cls(pages.hosts, sparse.csr_array((np.ones(len(keys)), (source, target)), shape=(n_hosts, n_hosts)))

    @cached_property
    def rank(self) -> FloatArray:
        """PageRank of each host."""
        return surf(self.links, even(len(self.hosts)))

    def trusted(self, given: Sequence[str] | None) -> IntArray:
        """The given hosts that are in the graph; by default, the 1 % that reach most others within few links.

        These have the largest PageRank in the graph with reversed links (Gyöngyi, Garcia-Molina and Pedersen 2004).
        """
        if given is not None:
            known = set(given)
            return np.flatnonzero([host in known for host in self.hosts])
        reach = np.round(surf(self.links.T.tocsr(), even(len(self.hosts))), _DECIMALS)
        order = sorted(range(len(self.hosts)), key=lambda host: (-reach[host], self.hosts[host]))
        return np.array(order[: -(-len(order) // 100)], dtype=np.int64)

    def trust(self, given: Sequence[str] | None) -> FloatArray:
        """TrustRank / PageRank of each host; NaN without a trusted host."""
        seeds = self.trusted(given)
        if not len(seeds):
            return np.full(len(self.hosts), np.nan)
        jump = np.zeros(len(self.hosts))
        jump[seeds] = 1.0 / len(seeds)
        return surf(self.links, jump) / self.rank

    def centrality(self, wanted: IntArray, exact_hosts: int = EXACT_HOSTS) -> FloatArray:
        """Harmonic centrality of the wanted hosts: Σ of 1 / (fewest links from x) over the other hosts x.

        Exact for up to ``exact_hosts`` hosts; otherwise estimated from the paths that start at 500 of them, which are
        the same in every run (Eppstein and Wang 2004).

        >>> graph = HostGraph(["a", "b", "c"], sparse.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
        >>> graph.centrality(np.array([2])).tolist()
        [1.5]
        """
        n_hosts = len(self.hosts)
        if n_hosts <= exact_hosts:
            to_wanted: FloatArray = _reach(*_places(self.links), wanted.astype(np.int64))[0]
            return to_wanted
        chosen, sums = self._sampled
        # A sampled host is one of the other hosts for every host except itself.
        others = len(chosen) - np.isin(wanted, chosen)
        return sums[wanted] * (n_hosts - 1) / others

    @cached_property
    def _sampled(self) -> tuple[IntArray, FloatArray]:
        """500 hosts, and for every host Σ of 1 / (fewest links from x) over them."""
        chosen = np.sort(np.random.default_rng(0).choice(len(self.hosts), SAMPLED_HOSTS, replace=False))
        return chosen, _reach(*_places(self.links.T.tocsr()), chosen)[1]


def _places(links: Any) -> tuple[IntArray, IntArray]:
    """CSR pointers and targets of the links as 64-bit numbers, so that kernels are compiled only once."""
    return links.indptr.astype(np.int64), links.indices.astype(np.int64)


def even(n_nodes: int) -> FloatArray:
    """The same share for every node."""
    return np.full(n_nodes, 1.0 / max(n_nodes, 1))


def surf(links: Any, jump: FloatArray) -> FloatArray:
    """PageRank with jumps, also from nodes without links: x = (1 − c) v + c (Σ_{i→j} x_i / out_i + v Σ_{no links} x_i).

    >>> surf(sparse.csr_array([[0, 1], [0, 0]]), np.array([1.0, 0.0])).round(4).tolist()
    [0.5405, 0.4595]
    """
    sums = LinkSums(links.indptr.astype(np.int32), links.indices.astype(np.int32))
    out = np.diff(links.indptr).astype(np.float64)
    ends = out == 0.0
    per_link = 1.0 / np.where(ends, np.inf, out)
    shares, change, turns = jump, 1.0, 0
    while change > 1e-15 and turns < MAX_ITERATIONS:
        returning = 1.0 - DAMPING + DAMPING * shares[ends].sum()
        onward = DAMPING * sums.authorities(shares * per_link) + returning * jump
        change, turns = float(np.abs(onward - shares).sum()), turns + 1
        shares = onward
    return shares


@njit(cache=True, nogil=True)
def _reach(indptr: Any, indices: Any, starts: Any) -> Any:
    """Σ of 1 / distance to each start over the hosts, and of each host over the starts, by links of the host.

    Breadth-first search from 64 starts at once: each host has one bit per start that it has reached.
    """
    n_hosts, one = len(indptr) - 1, np.uint64(1)
    to_start, of_host = np.zeros(len(starts)), np.zeros(n_hosts)
    seen, front, onward = np.zeros(n_hosts, np.uint64), np.zeros(n_hosts, np.uint64), np.zeros(n_hosts, np.uint64)
    for first in range(0, len(starts), 64):
        here = min(64, len(starts) - first)
        seen[:] = 0
        for number in range(here):
            seen[starts[first + number]] |= one << np.uint64(number)
        front[:] = seen
        steps, is_moving = 0.0, True
        while is_moving:
            steps, is_moving = steps + 1.0, False
            for host in range(n_hosts):
                bits = np.uint64(0)
                for place in range(indptr[host], indptr[host + 1]):
                    bits |= front[indices[place]]
                bits &= ~seen[host]
                onward[host] = bits
                if bits:
                    is_moving = True
                    seen[host] |= bits
                    for number in range(here):
                        if (bits >> np.uint64(number)) & one:
                            to_start[first + number] += 1.0 / steps
                            of_host[host] += 1.0 / steps
            front, onward = onward, front
    return to_start, of_host
