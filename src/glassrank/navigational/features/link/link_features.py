"""Link features: the in-links of a result, PageRank of page and host, and links among the results of a list."""

import re
from bisect import bisect_left
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.collection import Links
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.distinct_pairs import Pairs
from glassrank.navigational.features.link.base_sets import score_base_sets
from glassrank.navigational.features.link.host_graph import HostGraph, even, surf
from glassrank.navigational.features.link.page_graph import PageGraph, neighbours, split_address
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.wanted_features import Column, only_wanted, together
from glassrank.navigational.features.word_coverage import divide

_INDEX_PAGE = re.compile(r"(index|default|home)(\.[a-z0-9]+)?")

FEATURES: tuple[Feature, ...] = declare(
    "other",
    "links",
    {
        "li_in": "ln(1 + # pages that link to u)",
        "li_inx": "ln(1 + # pages of other domains that link to u)",
        "li_inh": "ln(1 + # hosts of the pages that link to u)",
        "li_ind": "ln(1 + # domains of the pages that link to u)",
        "li_Hh": "entropy of the pages that link to u over their hosts",
        "li_out": "ln(1 + # pages that u links to)",
        "li_pr": "ln of the page's PageRank",
        "li_hr": "ln of the host's PageRank in the graph of hosts",
        "li_hc": "Σ of 1 / (fewest links from x to the host) over the other hosts x",
        "li_aut": "authority in the base set of the query",
        "li_hub": "hub value in the base set of the query",
        "li_bh": "authority in the base set, one vote per host",
        "li_coc": "# other results of the query that share a linking page with u",
        "li_inq": "# other results of the query that link to u",
        "li_outq": "# other results of the query that u links to",
        "li_child": "# other pages of the graph below u",
        "sp_trust": "TrustRank / PageRank of the host",
        "sp_farm": "# pages that link to u / # their domains",
    },
)
# Features that one function computes.
_LINKING = ("li_in", "li_inx", "li_inh", "li_ind", "li_Hh", "li_out", "sp_farm")
_RANKS = ("li_pr", "li_hr", "li_hc", "sp_trust")


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Ranks of all pages and hosts of the graph."""

    pages: FloatArray
    hosts: FloatArray
    trust: FloatArray
    number_of: Mapping[str, int]
    """Number of each host."""
    host_graph: HostGraph
    _central: FloatArray
    """NaN until a result of the host needs it."""

    def centrality(self, host: IntArray) -> FloatArray:
        """Centrality of hosts, computed once for each; NaN for −1."""
        new = np.setdiff1d(host[np.isnan(_picked(self._central, host))], [-1])
        if len(new):
            self._central[new] = self.host_graph.centrality(new)
        return _picked(self._central, host)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    if sources.links is None:
        return {}
    graph = sources.prepared(_graph)
    places = graph.places(sources.compared_urls)
    of_url = together(_LINKING, lambda: _of_linking_pages(sources, graph, places))
    of_url |= together(_RANKS, lambda: _of_ranks(sources, sources.prepared(_ranks), places))
    of_url["li_child"] = lambda: _pages_below(sources.compared_urls, graph, places)
    found = {name: values[sources.url_of] for name, values in only_wanted(of_url, wanted).items()}
    return found | _of_lists(sources, graph, places, wanted)


def _graph(whole: IntentSources) -> PageGraph:
    rows, links = whole.counting_links, whole.links or Links(source=[], target=[], anchor=[])
    return PageGraph.of(links.source[rows], links.target[rows])


def _ranks(whole: IntentSources) -> _Ranks:
    graph = whole.prepared(_graph)
    hosts = HostGraph.of(graph)
    number_of = {host: number for number, host in enumerate(graph.hosts)}
    pages = np.log(surf(graph.links, even(len(graph.urls))))
    central = np.full(len(graph.hosts), np.nan)
    return _Ranks(pages, np.log(hosts.rank), hosts.trust(whole.trusted_hosts), number_of, hosts, central)


def _of_linking_pages(sources: IntentSources, graph: PageGraph, places: IntArray) -> dict[str, FloatArray]:
    url, page = neighbours(graph.reversed_links, places)
    own = {domain: number for number, domain in enumerate(graph.domains)}
    domain = np.array([own.get(address.host.domain, -1) for address in sources.compared_addresses], dtype=np.int64)
    n_urls = len(places)
    n_in = np.bincount(url, minlength=n_urls)
    foreign = np.bincount(url[graph.domain_of[page] != domain[url]], minlength=n_urls)
    hosts, domains = Pairs.of(url, graph.host_of[page]), Pairs.of(url, graph.domain_of[page])
    n_domains = np.bincount(domains.one, minlength=n_urls)
    share = np.bincount(hosts.of_row, minlength=len(hosts)) / n_in[hosts.one]
    entropy = 0.0 - np.bincount(hosts.one, share * np.log(share), minlength=n_urls)
    return {
        "li_in": np.log1p(n_in),
        "li_inx": np.log1p(foreign),
        "li_inh": np.log1p(np.bincount(hosts.one, minlength=n_urls)),
        "li_ind": np.log1p(n_domains),
        "li_Hh": np.where(n_in > 0, entropy, np.nan),
        "li_out": np.log1p(np.bincount(neighbours(graph.links, places)[0], minlength=n_urls)),
        "sp_farm": divide(n_in, n_domains),
    }


def _of_ranks(sources: IntentSources, ranks: _Ranks, places: IntArray) -> dict[str, FloatArray]:
    """Ranks of the page and of its host, which may be in the graph even if the page is not."""
    host = _hosts(sources, ranks.number_of)
    return {
        "li_pr": _picked(ranks.pages, places),
        "li_hr": _picked(ranks.hosts, host),
        "li_hc": ranks.centrality(host),
        "sp_trust": _picked(ranks.trust, host),
    }


def _hosts(sources: IntentSources, number_of: Mapping[str, int]) -> IntArray:
    """Number of the host of each address, −1 if it is not in the graph."""
    return np.array([number_of.get(address.host.name, -1) for address in sources.compared_addresses], dtype=np.int64)


def _picked(values: FloatArray, places: IntArray) -> FloatArray:
    """Value at each position, NaN for −1."""
    return np.append(values, np.nan)[places]


def _of_lists(
    sources: IntentSources, graph: PageGraph, places: IntArray, wanted: Container[str] | None
) -> dict[str, FloatArray]:
    """Links between a result and the others of its list."""
    entries = Pairs.of(sources.list_of, sources.url_of)
    page = places[entries.other]
    scores = cache(lambda: score_base_sets(graph, entries.one, page))
    links = cache(lambda: _links_between(graph, entries.one, page))
    columns: dict[str, Column] = {
        "li_aut": lambda: scores().authority,
        "li_hub": lambda: scores().hub,
        "li_bh": lambda: scores().voted,
        "li_coc": lambda: _count_cocited(graph, entries.one, page),
        "li_inq": lambda: np.bincount(links()[1], minlength=len(entries)).astype(np.float64),
        "li_outq": lambda: np.bincount(links()[0], minlength=len(entries)).astype(np.float64),
    }
    return {name: entries.rows(values) for name, values in only_wanted(columns, wanted).items()}


def _links_between(graph: PageGraph, lists: IntArray, page: IntArray) -> tuple[IntArray, IntArray]:
    """Links between the results of one list, as numbers of the linking and the linked result."""
    entry, target = neighbours(graph.links, page)
    width = len(graph.urls) + 1
    keys = lists * width + page
    order = np.argsort(keys)
    wanted = lists[entry] * width + target
    at = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    there = keys[at] == wanted
    return entry[there], at[there]


def _count_cocited(graph: PageGraph, lists: IntArray, page: IntArray) -> FloatArray:
    """Number of other results of the same list that share a linking page."""
    entry, citing = neighbours(graph.reversed_links, page)
    citations = Pairs.of(lists[entry], citing)
    shape = (len(page), len(citations))
    matrix = sparse.csr_array((np.ones(len(entry)), (entry, citations.of_row)), shape=shape)
    shared = (matrix @ matrix.T).tocsr()
    # A result with in-links shares its linking pages with itself, which does not count.
    return np.maximum(np.diff(shared.indptr) - 1, 0).astype(np.float64)


def _pages_below(urls: list[str], graph: PageGraph, places: IntArray) -> FloatArray:
    """Number of pages below the folder of each address, without the page itself."""
    names, counts = graph.sorted_names, np.zeros(len(urls))
    for number, (url, place) in enumerate(zip(urls, places.tolist(), strict=True)):
        # The parts of a page of the graph are known: parsing addresses takes most of the time.
        host = graph.hosts[graph.host_of[place]] if place >= 0 else ""
        folder = _folder(host, graph.names[place][len(host) :]) if place >= 0 else _folder(*split_address(url))
        # The character after "/" is the end of the range of names that start with the folder.
        first, end = bisect_left(names, folder), bisect_left(names, folder[:-1] + "0")
        while first < end and names[first] == folder:
            first += 1
        own = place >= 0 and graph.names[place].startswith(folder) and graph.names[place] != folder
        counts[number] = end - first - own
    return counts


def _folder(host: str, path: str) -> str:
    """Host and path without an index page, ending in "/".

    >>> _folder("a.org", "/p/index.html"), _folder("a.org", "/p")
    ('a.org/p/', 'a.org/p/')
    """
    head, _, last = path.rpartition("/")
    path = head if _INDEX_PAGE.fullmatch(last.lower()) else path
    return host + path.rstrip("/") + "/"
