"""Small webs as tables of links, the same for every engine."""

import numpy as np
import polars

import tests.reference.link_tables as twin

METHODS = ("hits", "bharat-henzinger", "pagerank", "in-degree")
DAMPING = 0.85


def random_web(seed=0, n_pages=60, n_links=400, keys="text"):
    """Links with repetitions and links of pages to themselves, between 12 hosts; more to pages with low numbers."""
    generator = np.random.default_rng(seed)
    source = generator.integers(0, n_pages, n_links)
    target = (n_pages * generator.random(n_links) ** 2).astype(int)
    key = (lambda number: f"p{number:03}") if keys == "text" else (lambda number: 7 * int(number) - 100)
    columns = {}
    for end, numbers in (("source", source), ("target", target)):
        columns |= {end: [key(n) for n in numbers], f"{end}_host": [f"h{n % 12}" for n in numbers]}
    return polars.DataFrame(columns)


def hosts_of(frame):
    rows = frame.iter_rows(named=True)
    return {row[end]: row[f"{end}_host"] for row in rows for end in ("source", "target")}


def pairs_of(frame):
    return list(frame.select("source", "target").iter_rows())


def expected(frame, method, pages=None, turns=500):
    """Scores of the slow twin as (authority, hub), by page; hub is None if the method has no hub scores."""
    links = pairs_of(frame)
    if method == "hits":
        return twin.hits(links, pages, turns=turns)
    if method == "bharat-henzinger":
        return twin.bharat_henzinger(links, hosts_of(frame), turns=turns)
    if method == "pagerank":
        return twin.pagerank(links, DAMPING, pages, turns), None
    return twin.in_degree(links, pages), None


def by_page(scores, column="authority"):
    return dict(zip(scores.columns["page"].tolist(), scores.columns[column].tolist(), strict=True))


def largest_difference(scores, wanted):
    """Largest difference over all pages, authorities and hubs; infinite if the pages differ."""
    worst = 0.0
    for column, values in zip(("authority", "hub"), wanted, strict=True):
        if values is None:
            continue
        got = by_page(scores, column)
        if got.keys() != values.keys():
            return np.inf
        worst = max(worst, *(abs(got[page] - values[page]) for page in values))
    return worst
