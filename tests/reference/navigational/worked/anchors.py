"""Anchor texts."""

from math import log

A, B, D = "http://a.org/", "http://b.org/", "http://d.org/"


def link(source, target, anchor, nofollow=False):
    """A link as a row of the table."""
    return {"source": f"http://{source}", "target": target, "anchor": anchor, "nofollow": nofollow}


def entropy(*shares):
    """−Σ p ln p."""
    return -sum(p * log(p) for p in shares)


SCOPES = (
    {
        "results": [
            {"query_id": "q", "query": "zen", "rank": 1, "url": A},
            {"query_id": "q", "query": "zen", "rank": 2, "url": B},
            {"query_id": "q", "query": "zen", "rank": 3, "url": D},
            {"query_id": "marks", "query": "???", "rank": 1, "url": A},
        ],
        "links": [
            link("h1.com/1", A, "Zen"),
            link("h1.com/2", A, "zen"),
            link("h1.com/3", A, "home  page"),
            link("h2.com/1", A, "zen garden"),
            link("h2.com/1", B, "zen"),
            link("h3.com/1", "http://www.a.org/x", "zen"),
            link("h3.com/1", A, " "),
            link("h3.com/2", A, "zen", nofollow=True),
            link("a.org/", A, "zen"),
        ],
    },
    {
        ("q", 1): {
            # Scope link: zen 2, home page 1, zen garden 1 of 4; three links do not count, and one has no text.
            "anc_link_mass": log(1 + 4),
            "anc_link_types": log(1 + 3),
            "anc_link_H": entropy(1 / 2, 1 / 4, 1 / 4),
            "anc_link_Hn": entropy(1 / 2, 1 / 4, 1 / 4) / log(3),
            "anc_link_top1": 2 / 4,
            "anc_link_gap": 2 / 4 - 1 / 4,
            "anc_link_hostdiv": entropy(2 / 3, 1 / 3),  # h1, h1, h2
            "anc_link_medrank": 1,
            "anc_link_eq": 2 / 4,
            "anc_link_eq_mass": log(1 + 2),
            "anc_link_eq_share": 2 / (2 + 1 + 1),
            "anc_link_eq_invrank": 1,
            "anc_link_contain": 2 / 4 + 1 / 4,
            "anc_link_cov": 2 / 4 + 1 / 4,
            "anc_link_jacc": 2 / 4 * 1 + 1 / 4 * 1 / 2,
            # "home page" shares one e with "zen": 8 edits of 9; " garden" is 7 of 10.
            "anc_link_ed_mean": 2 / 4 * 1 + 1 / 4 * (1 - 8 / 9) + 1 / 4 * (1 - 7 / 10),
            "anc_link_ed_max": 1,
            "anc_link_ed_top": 1,
            "anc_link_lcs": 2 / 4 * 3 / 3 + 1 / 4 * 1 / 9 + 1 / 4 * 3 / 10,
            # Documents of 6, 1 and 1 words, all three with zen; zen 3 times here and 5 in all.
            "anc_link_bm25": log(1 + 0.5 / 3.5) * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 6 / (8 / 3))),
            "anc_link_lm": log((3 + 2000 * (5 + 1) / (8 + 4 + 1)) / (6 + 2000)),
            # Scope host: the links of h1 have weight 1/3 each, so zen 2/3, home page 1/3, zen garden 1 of 2.
            "anc_host_mass": log(1 + 2),
            "anc_host_types": log(1 + 3),
            "anc_host_H": entropy(1 / 3, 1 / 6, 1 / 2),
            "anc_host_top1": 1 / 2,
            "anc_host_gap": 1 / 2 - 1 / 3,
            "anc_host_hostdiv": entropy(2 / 5, 3 / 5),
            "anc_host_medrank": 1,
            "anc_host_eq": 1 / 3,
            "anc_host_eq_mass": log(1 + 2 / 3),
            "anc_host_eq_share": (2 / 3) / (2 / 3 + 1 + 1),
            "anc_host_eq_invrank": 1 / 3,
            "anc_host_contain": 1 / 3 + 1 / 2,
            "anc_host_ed_top": 1 - 7 / 10,
            # zen 2/3 + 1, all words 2/3 + 2/3 + 2; documents of 10/3, 1 and 1 words, 16/9 on average.
            "anc_host_bm25": log(1 + 0.5 / 3.5) * (5 / 3) * 2.2 / (5 / 3 + 1.2 * (0.25 + 0.75 * (10 / 3) / (16 / 9))),
            "anc_host_lm": log((5 / 3 + 2000 * (11 / 3 + 1) / (16 / 3 + 4 + 1)) / (10 / 3 + 2000)),
            # Scope site: the link to www.a.org/x is one more zen.
            "anc_site_mass": log(1 + 5),
            "anc_site_top1": 3 / 5,
            "anc_site_hostdiv": entropy(2 / 4, 1 / 4, 1 / 4),
            "anc_site_eq": 3 / 5,
            "anc_site_eq_share": 3 / (3 + 1),
            "anc_site_eq_invrank": 1,
            "anc_site_bm25": log(1 + 0.5 / 2.5) * 4 * 2.2 / (4 + 1.2 * (0.25 + 0.75 * 7 / (8 / 2))),
        },
        ("q", 2): {
            "anc_link_H": 0,
            "anc_link_Hn": 0,
            "anc_link_gap": 1,
            "anc_link_hostdiv": 0,
            "anc_link_eq_share": 1 / 4,
            "anc_link_eq_invrank": 1 / 2,
            "anc_host_eq_invrank": 1,
            "anc_site_eq_invrank": 1 / 2,
        },
        ("q", 3): {
            "anc_link_mass": 0,
            "anc_link_types": 0,
            "anc_link_H": None,
            "anc_link_top1": None,
            "anc_link_eq": None,
            "anc_link_eq_mass": 0,
            "anc_link_eq_share": 0,
            "anc_link_eq_invrank": 1 / 4,
            "anc_link_medrank": None,
            "anc_link_ed_max": None,
            "anc_link_bm25": 0,
            "anc_link_lm": None,
            "anc_site_eq_invrank": 1 / 3,
        },
        ("marks", 1): {
            "anc_link_mass": log(5),
            "anc_link_contain": None,
            "anc_link_cov": None,
            "anc_link_jacc": None,
            "anc_link_eq": 0,
            "anc_link_eq_share": None,
            "anc_link_hostdiv": None,
            "anc_link_bm25": None,
        },
    },
)

# Four texts of the same weight: two make up half, and the most similar of them is the top one.
TIES = (
    {
        "results": [{"query_id": "q", "query": "bb", "rank": 1, "url": A}],
        "links": [link("h1.com/", A, "a"), link("h2.com/", A, "b"), link("h3.com/", A, "c"), link("h4.com/", A, "d")],
    },
    {
        ("q", 1): {
            "anc_link_H": log(4),
            "anc_link_Hn": 1,
            "anc_link_gap": 0,
            "anc_link_medrank": 2,
            "anc_link_ed_mean": 1 / 4 * 1 / 2,
            "anc_link_ed_max": 1 / 2,
            "anc_link_ed_top": 1 / 2,
            "anc_link_hostdiv": None,
            "anc_link_bm25": 0,
        }
    },
)

CASES = {"anchor scopes": SCOPES, "anchor ties": TIES}
