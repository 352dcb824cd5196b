"""The graph of pages and links, and the positions of results in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from scipy import sparse

from glassrank.core.checks import IntArray
from glassrank.navigational.features.address_parts import read_host
from glassrank.navigational.features.vocabulary import numbered, spread


@dataclass(frozen=True, eq=False)
class PageGraph:
    """Distinct pages and the distinct links between them.

    >>> graph = PageGraph.of(["http://a.org/", "http://a.org/"], ["http://b.org/", "http://b.org/"])
    >>> graph.urls, graph.links.toarray().tolist(), graph.hosts, graph.host_of.tolist()
    (['http://a.org/', 'http://b.org/'], [[0.0, 1.0], [0.0, 0.0]], ['a.org', 'b.org'], [0, 1])
    """

    urls: list[str]
    links: Any
    """CSR: page i links to page j."""
    names: list[str]
    """Host and path of each page."""
    hosts: list[str]
    host_of: IntArray
    domains: list[str]
    domain_of: IntArray

    @classmethod
    def of(cls, sources: Sequence[str], targets: Sequence[str]) -> "PageGraph":
        """Build the graph of the given links; several links from one page to another count once."""
        urls, ends = numbered([*sources, *targets])
        source, target = ends[: len(sources)], ends[len(sources) :]
        links = sparse.csr_array((np.ones(len(source)), (source, target)), shape=(len(urls), len(urls)))
        links.sum_duplicates()
        links.data[:] = 1.0
        split = [split_address(url) for url in urls]
        hosts, host_of = numbered(host for host, _ in split)
        domains, domain_of_host = numbered(read_host(host).domain for host in hosts)
        names = [host + path for host, path in split]
        return cls(urls, links, names, hosts, host_of, domains, domain_of_host[host_of])

    @cached_property
    def reversed_links(self) -> Any:
        """CSR: page j links to page i."""
        return self.links.T.tocsr()

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Number of each page."""
        return {url: number for number, url in enumerate(self.urls)}

    def places(self, urls: Sequence[str]) -> IntArray:
        """Number of each address among the pages, −1 if it is not in the graph."""
        return np.array([self.number_of.get(url, -1) for url in urls], dtype=np.int64)

    @cached_property
    def sorted_names(self) -> list[str]:
        """Hosts and paths in sorted order, so that those with a common prefix are adjacent."""
        return sorted(self.names)


def neighbours(matrix: Any, places: IntArray) -> tuple[IntArray, IntArray]:
    """Return the entries of the given rows, as index into ``places`` and column; −1 has no entries.

    >>> matrix = sparse.csr_array([[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    >>> [found.tolist() for found in neighbours(matrix, np.array([2, -1, 0]))]
    [[0, 2, 2], [0, 1, 2]]
    """
    # An empty last row represents pages that are not in the graph.
    starts = np.append(matrix.indptr, matrix.indptr[-1]).astype(np.int64)
    owner, place = spread(starts, np.where(places < 0, len(starts) - 2, places))
    return owner, matrix.indices[place].astype(np.int64)


def split_address(url: str) -> tuple[str, str]:
    """Return host and path of an address, both empty if it cannot be parsed.

    >>> split_address("http://A.org:80/x?y"), split_address("http://[a")
    (('a.org', '/x'), ('', ''))
    """
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.path
    except ValueError:
        return "", ""
