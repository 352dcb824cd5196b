"""Link analysis from the definitions, over lists of links between pages of any name; slow and obvious."""

import math


def pages_of(links):
    return sorted({page for link in links for page in link})


def hits(links, pages=None, authority_weight=None, hub_weight=None, turns=2000):
    """Authority and hub scores by page, after a fixed number of iterations from h = 1."""
    links = sorted(set(links))
    pages = pages_of(links) if pages is None else pages
    hub = dict.fromkeys(pages, 1.0)
    for _ in range(turns):
        authority = dict.fromkeys(pages, 0.0)
        for source, target in links:
            authority[target] += hub[source] * (authority_weight[source, target] if authority_weight else 1.0)
        authority = _unit(authority)
        hub = dict.fromkeys(pages, 0.0)
        for source, target in links:
            hub[source] += authority[target] * (hub_weight[source, target] if hub_weight else 1.0)
        hub = _unit(hub)
    if not any(hub.values()):
        authority = dict.fromkeys(pages, 0.0)
    return authority, hub


def bharat_henzinger(links, hosts, relevance=None, turns=2000):
    """HITS with weights 1/k and 1/l of links between hosts, times the relevance of the page whose score is passed."""
    crossing = [(s, t) for s, t in set(links) if hosts[s] != hosts[t]]
    relevance = relevance or dict.fromkeys(hosts, 1.0)
    authority_weight, hub_weight = {}, {}
    for source, target in crossing:
        k = sum(1 for s, t in crossing if t == target and hosts[s] == hosts[source])
        n_on_host = sum(1 for s, t in crossing if s == source and hosts[t] == hosts[target])
        authority_weight[source, target] = relevance[source] / k
        hub_weight[source, target] = relevance[target] / n_on_host
    return hits(crossing, list(hosts), authority_weight, hub_weight, turns)


def pagerank(links, damping, pages=None, turns=500):
    """Shares of a surfer's time, after a fixed number of iterations; a page without links leads to every page."""
    links = sorted(set(links))
    pages = pages_of(links) if pages is None else pages
    n = len(pages)
    degree = {page: sum(1 for source, _ in links if source == page) for page in pages}
    share = dict.fromkeys(pages, 1.0 / n)
    for _ in range(turns):
        stuck = sum(share[page] for page in pages if degree[page] == 0)
        after = dict.fromkeys(pages, (1.0 - damping) / n + damping * stuck / n)
        for source, target in links:
            after[target] += damping * share[source] / degree[source]
        share = after
    return share


def in_degree(links, pages=None):
    pages = pages_of(links) if pages is None else pages
    return {page: float(sum(1 for _, target in set(links) if target == page)) for page in pages}


def _unit(scores):
    length = math.sqrt(sum(score * score for score in scores.values()))
    return {page: score / length for page, score in scores.items()} if length else scores
