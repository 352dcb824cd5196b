"""The 16 link features and the two link-spam features."""

import math
from urllib.parse import urlsplit

from tests.reference.navigational.graph import harmonic, hits, pagerank
from tests.reference.navigational.results import of_query
from tests.reference.navigational.text import count, entropy, ratio
from tests.reference.navigational.url import INDEX_PAGE, domain, host


def sources(row, world):
    """Distinct pages that link to u."""
    return [source for source, target in world.edges if target == row["url"]]


def targets(row, world):
    """Distinct pages that u links to."""
    return [target for source, target in world.edges if source == row["url"]]


def log_count(items):
    """ln(1 + number of distinct items)."""
    return math.log(1 + len(set(items)))


def li_inx(row, world):
    """ln(1 + pages of other domains that link to u)."""
    return log_count(s for s in sources(row, world) if domain(s) != domain(row["url"]))


def log_of(rank, node):
    """ln of a rank; missing for a node that is not in the graph."""
    return math.log(rank[node]) if node in rank else None


def base_set(row, world):
    """Results of the query, the pages they link to and the pages that link to them."""
    root = {r["url"] for r in of_query(row, world)}
    linked = {target for source, target in world.edges if source in root}
    linking = {source for source, target in world.edges if target in root}
    return sorted(root | linked | linking)


def site(url, world):
    """The site in HITS: the host or, in a graph of a single host, the page."""
    return host(url) if len(world.hosts) > 1 else url


def base_edges(row, world):
    """Links between different sites inside the base set."""
    base = set(base_set(row, world))
    return [(s, t) for s, t in world.edges if s in base and t in base and site(s, world) != site(t, world)]


def hits_scores(row, world):
    """Authority and hub values of the base set."""
    return hits(base_set(row, world), base_edges(row, world))


def li_bh(row, world):
    """Authority if k links of one site to a page have weight 1/k each, and l links of a page to one site 1/l each."""
    edges = base_edges(row, world)
    to_page = count((site(s, world), t) for s, t in edges)
    from_page = count((s, site(t, world)) for s, t in edges)
    authority_weight = {(s, t): 1 / to_page[site(s, world), t] for s, t in edges}
    hub_weight = {(s, t): 1 / from_page[s, site(t, world)] for s, t in edges}
    return hits(base_set(row, world), edges, authority_weight, hub_weight)[0][row["url"]]


def other_results(row, world):
    """Addresses of the query's other results."""
    return {r["url"] for r in of_query(row, world)} - {row["url"]}


def li_coc(row, world):
    """Other results that share a linking page with u."""
    citing = set(sources(row, world))
    return len({t for s, t in world.edges if s in citing} & other_results(row, world))


def folder(url):
    """Host and path without an index page, ending in '/'."""
    head, _, last = urlsplit(url).path.rpartition("/")
    path = head if INDEX_PAGE.fullmatch(last.lower()) else urlsplit(url).path
    return host(url) + path.rstrip("/") + "/"


def li_child(row, world):
    """Number of other addresses of the graph below u's folder."""
    start = folder(row["url"])
    names = {node: host(node) + urlsplit(node).path for node in world.nodes if node != row["url"]}
    return sum(1 for name in names.values() if name.startswith(start) and name != start)


def trusted(world):
    """The given hosts, or the 1 % (rounded up) with the largest PageRank in the reversed graph of hosts."""
    if world.trusted_hosts is not None:
        return [name for name in world.hosts if name in set(world.trusted_hosts)]
    inverse = pagerank(world.hosts, [(target, source) for source, target in world.host_edges])
    order = sorted(world.hosts, key=lambda name: (-round(inverse[name], 12), name))
    return order[: math.ceil(len(order) / 100)]


def sp_trust(row, world):
    """TrustRank / PageRank of u's host in the graph of hosts."""
    seeds = trusted(world)
    name = host(row["url"])
    if not seeds or name not in world.host_rank:
        return None
    trust = pagerank(world.hosts, world.host_edges, {seed: 1 / len(seeds) for seed in seeds})
    return trust[name] / world.host_rank[name]


def sp_farm(row, world):
    """Pages that link to u / their distinct domains."""
    own = sources(row, world)
    return ratio(len(own), len({domain(s) for s in own}))


FEATURES = {
    "li_in": lambda row, world: log_count(sources(row, world)),
    "li_inx": li_inx,
    "li_inh": lambda row, world: log_count(host(s) for s in sources(row, world)),
    "li_ind": lambda row, world: log_count(domain(s) for s in sources(row, world)),
    "li_Hh": lambda row, world: entropy(list(count(host(s) for s in sources(row, world)).values())),
    "li_out": lambda row, world: log_count(targets(row, world)),
    "li_pr": lambda row, world: log_of(world.page_rank, row["url"]),
    "li_hr": lambda row, world: log_of(world.host_rank, host(row["url"])),
    "li_hc": lambda row, world: harmonic(world.hosts, world.host_edges).get(host(row["url"])),
    "li_aut": lambda row, world: hits_scores(row, world)[0][row["url"]],
    "li_hub": lambda row, world: hits_scores(row, world)[1][row["url"]],
    "li_bh": li_bh,
    "li_coc": li_coc,
    "li_inq": lambda row, world: len(set(sources(row, world)) & other_results(row, world)),
    "li_outq": lambda row, world: len(set(targets(row, world)) & other_results(row, world)),
    "li_child": li_child,
    "sp_trust": sp_trust,
    "sp_farm": sp_farm,
}
