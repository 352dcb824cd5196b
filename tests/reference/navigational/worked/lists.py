"""Results and addresses."""

BANK = "https://www.bank.co.uk/a/index.html?x=1&y=2"  # without scheme and www. 10 + 13 + 8 = 31 characters
IBM = "https://shop.ibm.com/"
GARTEN = "http://zengarten.de/zen-garden/x~y.html"  # without scheme 12 + 11 + 9 = 32 characters

ADDRESSES = (
    {
        "results": [
            {"query_id": "bank", "query": " Bank  LOGIN", "rank": 1, "url": BANK},
            {"query_id": "ibm", "query": "International Business-Machines", "rank": 1, "url": IBM},
            {"query_id": "ibm", "query": "International Business-Machines", "rank": 2, "url": "folder/ibm.html"},
            {"query_id": "garden", "query": "zen garden", "rank": 1, "url": GARTEN},
            {"query_id": "garten", "query": "Zen Garten", "rank": 1, "url": GARTEN},
            {"query_id": "marks", "query": "???", "rank": 1, "url": "http://127.0.0.1/a/b/"},
        ]
    },
    {
        ("bank", 1): {
            "urlmr": 4 / 31,  # "bank" of "banklogin" in "bank.co.uk/a/index.html?x=1&y=2"
            "hostmr": 4 / 10,  # in "bank.co.uk"
            "sldmr": 4 / 4,  # in "bank": the public suffix is co.uk
            "qcov_sld": 4 / 9,
            "sld_exact": 0,
            "sld_prefix": 4 / 4,
            "sld_lev": 1 - 5 / 9,  # five letters inserted
            "acronym": 0,
            "sld_cov": 1 / 2,
            "host_cov": 1 / 2,
            "path_cov": 0 / 2,
            "url_cov": 1 / 2,
            "url_jacc": 1 / 11,  # {bank, login} and {bank, co, uk, a, index, html, x, 1, y, 2}
            "c3_dice": 2 * 2 / (7 + 8),  # ban, ank
            "url_len": 31,
            "host_len": 10,
            "depth": 2,
            "url_type": 3,  # /a/ with its index page would be 1, but the address has a query string
            "is_root": 0,
            "n_sub": 0,
            "gen_suffix": 0,
            "n_params": 2,
            "digit_ratio": 2 / 31,
            "delim_ratio": 0,
            "q_len": 2,
        },
        ("ibm", 1): {
            "acronym": 1,
            "url_len": len("shop.ibm.com/"),
            "url_type": 0,
            "is_root": 1,
            "n_sub": 1,
            "gen_suffix": 1,
            "depth": 0,
            "q_len": 3,
        },
        ("ibm", 2): {"acronym": None, "hostmr": None, "url_type": None, "is_root": None, "depth": 2, "url_len": 15},
        ("garden", 1): {
            "urlmr": 6 / 32,  # "zengar"
            "sldmr": 6 / 9,
            "qcov_sld": 6 / 9,
            "sld_exact": 0,
            "sld_prefix": 6 / 9,
            "sld_lev": 1 - 1 / 9,
            "sld_cov": 1 / 2,
            "path_cov": 2 / 2,
            "depth": 2,
            "url_type": 3,
            "delim_ratio": 2 / 32,
            "gen_suffix": 0,
        },
        ("garten", 1): {"sld_exact": 1, "sld_lev": 1, "sld_cov": 1, "path_cov": 1 / 2, "hostmr": 9 / 12},
        ("marks", 1): {
            "acronym": None,
            "url_cov": None,
            "url_jacc": None,
            "sld_lev": 1 - 9 / 9,
            "url_type": 2,
            "n_sub": 0,
            "gen_suffix": 0,
            "digit_ratio": 6 / 14,
            "q_len": 0,
        },
    },
)

ONE_ENGINE = (
    {
        "results": [
            {"query_id": 7, "query": "zen", "rank": 1, "url": "http://a.org/", "score": 10, "snippet": "Zen, art."},
            {"query_id": 7, "query": "zen", "rank": 2, "url": "http://b.org/", "score": 6, "snippet": ""},
            {"query_id": 7, "query": "zen", "rank": 3, "url": "http://a.org/x", "score": 5, "snippet": None},
            {"query_id": 7, "query": "zen", "rank": 4, "url": "http://w.a.org/", "score": 3},
        ]
    },
    {
        # Mean 24/4 = 6, squared deviations 16 + 0 + 1 + 9 = 26.
        (7, 1): {
            "rk_rr": 1,
            "rk_score": 10,
            "rk_rel": 1,
            "rk_z": 4 / (26 / 4) ** 0.5,
            "rk_gap": (10 - 6) / 10,
            "rk_hostdup": 2,
            "rk_domdup": 3 / 4,
            "rk_hostfirst": 1,
            "sn_cov": 1,
        },
        (7, 2): {"rk_rel": 6 / 10, "rk_z": 0, "rk_gap": 1 / 10, "rk_hostdup": 1, "rk_domdup": 1 / 4, "sn_cov": 0},
        (7, 3): {"rk_rr": 1 / 3, "rk_hostdup": 2, "rk_hostfirst": 1, "sn_cov": None},
        (7, 4): {"rk_gap": None, "rk_hostdup": 1, "rk_domdup": 3 / 4, "rk_hostfirst": 1 / 4},
    },
)

TWO_ENGINES = (
    {
        "results": [
            {
                "query_id": "q",
                "query": "zen garden",
                "rank": 1,
                "url": "http://a.org/",
                "score": 3,
                "engine": "one",
                "snippet": "Zen",
            },
            {
                "query_id": "q",
                "query": "zen garden",
                "rank": 2,
                "url": "http://b.org/",
                "score": 1,
                "engine": "one",
                "snippet": "zen",
            },
            {
                "query_id": "q",
                "query": "zen garden",
                "rank": 1,
                "url": "http://b.org/",
                "score": 5,
                "engine": "two",
                "snippet": "Garden",
            },
            {"query_id": "q", "query": "zen garden", "rank": 2, "url": "http://c.org/", "score": None, "engine": "two"},
        ]
    },
    {
        # b.org is first: 1/61 + 1/62 against 1/61 of a.org and 1/62 of c.org.
        ("q", 1): {"rk_votes": 2, "rk_rrf": 1 / 62 + 1 / 61, "rk_score": (1 + 5) / 2, "rk_rr": 1, "sn_cov": 2 / 2},
        ("q", 2): {"rk_votes": 1, "rk_rrf": 1 / 61, "rk_score": 3, "rk_rel": 3 / 3, "rk_gap": None, "sn_cov": 1 / 2},
        ("q", 3): {"rk_votes": 1, "rk_rrf": 1 / 62, "rk_score": None, "rk_z": None, "rk_rr": 1 / 3},
    },
)

CASES = {"addresses": ADDRESSES, "one engine": ONE_ENGINE, "two engines": TWO_ENGINES}
