"""Small webs."""

from math import log

from tests.reference.navigational.worked.anchors import entropy, link

R1, R2 = "http://r1.org/", "http://r2.org/"
RESULTS = [
    {"query_id": "q", "query": "zen", "rank": 1, "url": R1},
    {"query_id": "q", "query": "zen", "rank": 2, "url": R2},
    {"query_id": "q", "query": "zen", "rank": 3, "url": "http://nowhere.org/"},
    {"query_id": "q", "query": "zen", "rank": 4, "url": "http://r1.org/p/index.html"},
]

DEGREES = (
    {
        "results": RESULTS,
        "links": [
            link("x.net/1", R1, "a"),
            link("x.net/1", R1, "again"),
            link("x.net/2", R1, "a"),
            link("y.x.net/", R1, "a"),
            link("r1.org/p/q", R1, "home"),
            link("w.r1.org/", R1, "a"),
            link("r2.org/", R1, "a"),
            link("x.net/1", R2, "a"),
        ],
    },
    {
        # Pages that link to R1: x.net/1, x.net/2, y.x.net/, r1.org/p/q, w.r1.org/, r2.org/.
        ("q", 1): {
            "li_in": log(1 + 6),
            "li_inx": log(1 + 4),
            "li_inh": log(1 + 5),
            "li_ind": log(1 + 3),
            "li_Hh": entropy(2 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6),
            "li_out": 0,
            "li_coc": 1,  # x.net/1 links to both
            "li_inq": 1,
            "li_outq": 0,
            "li_child": 1,
            "sp_farm": 6 / 3,
        },
        ("q", 2): {"li_in": log(1 + 1), "li_out": log(1 + 1), "li_coc": 1, "li_inq": 0, "li_outq": 1, "li_child": 0},
        ("q", 3): {
            "li_in": 0,
            "li_Hh": None,
            "li_pr": None,
            "li_hr": None,
            "li_hc": None,
            "li_aut": 0,
            "li_hub": 0,
            "li_bh": 0,
            "li_coc": 0,
            "li_child": 0,
            "sp_trust": None,
            "sp_farm": None,
        },
        ("q", 4): {"li_child": 1, "li_in": 0},  # the page p/q below the folder p/
    },
)

# Two results link to a third, which is on the site of one of them.
INSIDE = (
    {
        "results": [
            {"query_id": "q", "query": "zen", "rank": 1, "url": R1},
            {"query_id": "q", "query": "zen", "rank": 2, "url": R2},
            {"query_id": "q", "query": "zen", "rank": 3, "url": "http://r1.org/p"},
        ],
        "links": [link("r1.org/", "http://r1.org/p", "p"), link("r2.org/", "http://r1.org/p", "p")],
    },
    {
        # Only the link between two hosts counts in HITS.
        ("q", 1): {"li_outq": 1, "li_child": 1, "li_hub": 0, "li_inx": 0},
        ("q", 2): {"li_outq": 1, "li_hub": 1},
        ("q", 3): {
            "li_inq": 2,
            "li_in": log(1 + 2),
            "li_inx": log(1 + 1),
            "li_aut": 1,
            "li_child": 0,
            "sp_farm": 2 / 2,
        },
    },
)

# All pages are on one host: each page counts as a site.
ONE_HOST = (
    {
        "results": [{"query_id": "q", "query": "zen", "rank": 1, "url": R1}],
        "links": [
            link("r1.org/a", R1, "home"),
            link("r1.org/b", R1, "home"),
            link("r1.org/b", "https://r1.org/", "home"),
        ],
    },
    {("q", 1): {"li_aut": 1, "li_bh": 1, "li_hr": log(1), "li_hc": 0, "sp_trust": 1, "li_child": 2, "sp_farm": 2}},
)

# x links to both results, y to the first. No page links to x or y: each has v; R1 has v(1 + c/2 + c), R2 v(1 + c/2),
# and 4v + 2cv = 1. The same holds for the hosts.
C = 0.85
V = 1 / (4 + 2 * C)
FORK = [link("x.net/", R1, "a"), link("x.net/", R2, "a"), link("y.net/", R1, "a")]
# AᵀA = (2 1; 1 1) has the eigenvector (golden ratio, 1).
GOLD = (1 + 5**0.5) / 2
FORK_VALUES = {
    ("q", 1): {
        "li_pr": log(V * (1 + 1.5 * C)),
        "li_hr": log(V * (1 + 1.5 * C)),
        "li_hc": 1 + 1,
        "li_aut": GOLD / (GOLD**2 + 1) ** 0.5,
        "li_hub": 0,
    },
    ("q", 2): {"li_pr": log(V * (1 + 0.5 * C)), "li_hc": 1, "li_aut": 1 / (GOLD**2 + 1) ** 0.5},
}

# With reversed links, x has the largest PageRank, v(1 + c/2 + c). Trust: t_x = 1/(1 + c), and c t_x / 2 per result.
RANKS = (
    {"results": RESULTS, "links": FORK},
    {
        ("q", 1): {**FORK_VALUES["q", 1], "sp_trust": C / 2 / (1 + C) / (V * (1 + 1.5 * C))},
        ("q", 2): {**FORK_VALUES["q", 2], "sp_trust": C / 2 / (1 + C) / (V * (1 + 0.5 * C))},
    },
)
# Only y is trusted: t_y = 1/(1 + c), c t_y for R1, nothing for R2.
TRUST = (
    {"results": RESULTS, "links": FORK, "trusted_hosts": ["y.net", "not.there"]},
    {("q", 1): {"sp_trust": C / (1 + C) / (V * (1 + 1.5 * C))}, ("q", 2): {"sp_trust": 0}},
)

# Two pages of one host link to R1: HITS counts two votes and R1 gets everything; Bharat and Henzinger count one vote.
VOICES = (
    {
        "results": RESULTS,
        "links": [
            link("x.net/1", R1, "a"),
            link("x.net/2", R1, "a"),
            link("y.net/", R2, "a"),
            link("r2.org/p", R2, "inside"),
        ],
    },
    {
        ("q", 1): {"li_aut": 1, "li_bh": 0.5**0.5},
        ("q", 2): {"li_aut": 0, "li_bh": 0.5**0.5},
    },
)

# One page links to two pages of a host: HITS counts it twice as a hub, Bharat and Henzinger once.
SHARED = (
    {
        "results": [
            {"query_id": "q", "query": "zen", "rank": 1, "url": R1},
            {"query_id": "q", "query": "zen", "rank": 2, "url": "http://r1.org/p"},
            {"query_id": "q", "query": "zen", "rank": 3, "url": R2},
        ],
        "links": [link("x.net/", R1, "a"), link("x.net/", "http://r1.org/p", "a"), link("y.net/", R2, "a")],
    },
    {
        ("q", 1): {"li_aut": 0.5**0.5, "li_bh": 1 / 3**0.5, "li_coc": 1},
        ("q", 2): {"li_aut": 0.5**0.5, "li_bh": 1 / 3**0.5, "li_coc": 1},
        ("q", 3): {"li_aut": 0, "li_bh": 1 / 3**0.5, "li_coc": 0},
    },
)

# The same web with the linking pages as results: also AAᵀ = (2 1; 1 1).
HUBS = (
    {
        "results": [
            {"query_id": "q", "query": "zen", "rank": 1, "url": "http://x.net/"},
            {"query_id": "q", "query": "zen", "rank": 2, "url": "http://y.net/"},
        ],
        "links": FORK,
    },
    {
        ("q", 1): {"li_hub": GOLD / (GOLD**2 + 1) ** 0.5, "li_aut": 0, "li_pr": log(V), "li_out": log(1 + 2)},
        ("q", 2): {"li_hub": 1 / (GOLD**2 + 1) ** 0.5, "li_aut": 0, "li_pr": log(V), "li_out": log(1 + 1)},
    },
)

CASES = {
    "degrees": DEGREES,
    "inside": INSIDE,
    "one host": ONE_HOST,
    "hubs": HUBS,
    "ranks": RANKS,
    "trusted hosts": TRUST,
    "voices": VOICES,
    "shared": SHARED,
}
