"""Neighbourhoods to draw: of any size, dense and without links, tied, and with difficult titles."""

import numpy as np

from glassrank.distillation.figure.neighbourhood import Neighbourhood

WORDS = ["zen", "temple", "garden", "meditation", "sutra", "monk", "Japan", "tea", "stone", "lineage", "koan", "master"]
HARD_TITLES = [
    "The complete illustrated encyclopaedia of Zen Buddhism, its schools, masters and gardens in Japan and Korea",
    "禅宗與中國佛教歷史概論：從菩提達摩到六祖慧能的傳承與發展",
    "Дзэн-буддизм и искусство ухода за мотоциклом: философское путешествие",
    "البوذية الزينية في اليابان والصين",
    "พระพุทธศาสนานิกายเซนในประเทศญี่ปุ่น",
    "",
    "a title\n  with\tspace",
    "<script>alert(1)</script> & 'quotes'",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "NUL \x00 and half a pair \ud800",
]


def simulated(n, *, per_page=6.0, pruned=0.2, k=10, seed=0, hard=False, distances=True, tied=False, query="zen"):
    """Pages whose links go from a few good hubs to a few good authorities, scored by in- and out-degree."""
    rng = np.random.default_rng(seed)
    chances = rng.pareto(1.2, n) * rng.pareto(1.2, n)[:, None]
    linked = rng.random((n, n)) < np.minimum(0.95, chances / chances.sum() * per_page * n)
    np.fill_diagonal(linked, False)
    left_out = np.isin(np.arange(n), rng.choice(n, int(pruned * n), replace=False))
    kept = linked & ~left_out & ~left_out[:, None]
    authority, hub = kept.sum(axis=0).astype(float), kept.sum(axis=1).astype(float)
    if tied:
        authority, hub = (authority > 0).astype(float), (hub > 0).astype(float)
    roles = roles_of(authority, hub, left_out, k)
    titles = [" ".join(rng.choice(WORDS, 1 + page % 5)).capitalize() for page in range(n)]
    if hard:
        best = [page for page, role in enumerate(roles) if role not in ("page", "pruned")]
        for number, page in enumerate(best):
            titles[page] = HARD_TITLES[number % len(HARD_TITLES)]
    return Neighbourhood(
        titles,
        [f"https://www.site{page % 37}.example/zen/{page}.html" for page in range(n)],
        roles,
        authority,
        hub,
        np.argwhere(linked),
        0.7 + rng.gamma(9.0, 0.03, n) + 0.3 * left_out if distances else None,
        query=query,
        method="svdd",
        radius=1.0 if distances else None,
    )


def roles_of(authority, hub, pruned, k):
    """The k best of each kind that have a score."""
    best = [
        {page for page in np.argsort(-scores, kind="stable")[:k] if scores[page] > 0} for scores in (authority, hub)
    ]
    names = {(False, False): "page", (True, False): "authority", (False, True): "hub", (True, True): "both"}
    return ["pruned" if out else names[page in best[0], page in best[1]] for page, out in enumerate(pruned)]


def star(n=120):
    """One authority that every other page links to."""
    links = [(page, 0) for page in range(1, n)]
    authority, hub = np.eye(1, n)[0], np.ones(n) - np.eye(1, n)[0]
    roles = ["authority"] + ["hub"] * 10 + ["page"] * (n - 11)
    return Neighbourhood([f"Page {page}" for page in range(n)], [""] * n, roles, authority, hub, links)


def small(**changes):
    """Two hubs, two authorities, a page that is both, two others and two pruned ones, by hand."""
    told = {
        "titles": ["Zen", "Links", "Koan", "Guide", "Temple", "Notes", "Garden", "Cars", "Cans"],
        "urls": [f"https://{name}.example/" for name in "abcdefghi"],
        "roles": ["authority", "hub", "authority", "hub", "both", "page", "page", "pruned", "pruned"],
        "authority": [0.8, 0.0, 0.5, 0.0, 0.3, 0.0, 0.2, 0.0, 0.0],
        "hub": [0.0, 0.7, 0.0, 0.6, 0.3, 0.2, 0.05, 0.0, 0.0],
        "links": [(1, 0), (1, 2), (1, 4), (3, 0), (3, 2), (4, 0), (5, 0), (3, 6), (6, 4), (7, 0), (1, 8)],
        "distances": [0.7, 0.8, 0.75, 0.9, 0.85, 0.95, 0.99, 1.2, 1.6],
        "query": "zen buddhism",
        "method": "svdd",
        "radius": 1.0,
    }
    return Neighbourhood(**(told | changes))


def bare(n, role="page"):
    """Pages without links and scores."""
    return Neighbourhood([f"Page {page}" for page in range(n)], [""] * n, [role] * n, [0.0] * n, [0.0] * n, [])


NEIGHBOURHOODS = {
    "20 pages": lambda: simulated(20),
    "60 pages with hard titles": lambda: simulated(60, hard=True),
    "300 pages": lambda: simulated(300, per_page=12.0),
    "300 pages and 5000 links": lambda: simulated(300, per_page=30.0, seed=3),
    "many that are both": lambda: simulated(50, per_page=9.0, pruned=0.3, k=20, seed=5),
    "many roles with hard titles": lambda: simulated(90, per_page=12.0, k=25, hard=True, distances=False),
    "1200 pages": lambda: simulated(1200, per_page=8.0),
    "ties": lambda: simulated(80, tied=True),
    "a star": star,
    "by hand": small,
    "no links": lambda: bare(40),
    "one page": lambda: bare(1),
    "one authority": lambda: bare(1, "authority"),
    "all pruned": lambda: bare(150, "pruned"),
}
