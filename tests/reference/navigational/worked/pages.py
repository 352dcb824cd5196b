"""Pages."""

from math import log

from tests.reference.navigational.worked.anchors import link

ZEN, STONES = "http://zen.org/", "http://b.org/x"
TWICE = 1 + log(2)  # weight of a word that occurs twice
# bm25f: fields of 2 (1.5 on average), 7 (5), 3 (1.5) and 2 (2.5) words
ZEN_X = (
    1 / (0.25 + 0.75 * 2 / 1.5) + 2 / (0.25 + 0.75 * 7 / 5) + 2 / (0.25 + 0.75 * 3 / 1.5) + 1 / (0.25 + 0.75 * 2 / 2.5)
)
GARDEN_X = 1 / (0.25 + 0.75 * 2 / 1.5) + 1 / (0.25 + 0.75 * 7 / 5) + 1 / (0.25 + 0.75 * 3 / 1.5)

PAGES = [
    {
        "url": ZEN,
        "title": "Zen  Garden",
        "text": "Zen is a garden, of zen stones",
        "h1": "Welcome!",
        "headings": "Welcome to zen",
        "description": "All about zen",
        "site_name": "Zen",
        "language": "en-GB",
        "modified": 0,
        "html_bytes": 100,
        "gzip_bytes": 50,
        "link_words": 2,
        "internal_links": 3,
        "external_links": 1,
        "external_hosts": 1,
        "images": 0,
        "has_form": True,
        "hidden_share": 0.25,
    },
    {
        "url": STONES,
        "title": "Stones",
        "text": "a b c",
        "h1": "",
        "headings": "",
        "description": "",
        "site_name": "",
        "language": "",
        "modified": None,
        "html_bytes": None,
        "gzip_bytes": None,
        "link_words": None,
        "internal_links": None,
        "external_links": 0,
        "external_hosts": 0,
        "images": 2,
        "has_form": False,
        "hidden_share": None,
    },
]

TEXT = (
    {
        "results": [
            {"query_id": "q", "query": "zen garden", "rank": 1, "url": ZEN},
            {"query_id": "q", "query": "zen garden", "rank": 2, "url": STONES},
            {"query_id": "q", "query": "zen garden", "rank": 3, "url": "http://unknown.org/"},
            {"query_id": "s", "query": "Zen Stones", "rank": 1, "url": ZEN},
            {"query_id": "b", "query": "b zen", "rank": 1, "url": STONES},
        ],
        "pages": PAGES,
        "links": [link("h.com/1", ZEN, "zen garden"), link("h.com/2", ZEN, "zen")],
        "log_language": "en_US",
        "last_time": 10 * 86_400,
    },
    {
        ("q", 1): {
            "ti_mr": 10 / 10,
            "ti_q": 10 / 10,
            "ti_cov": 1,
            "ti_jacc": 1,
            "ti_pre": 1,
            "ti_ed": 1,
            # Titles of 2 and 1 words; each word in one of two titles: idf = ln(1 + 1.5/1.5).
            "ti_bm25": 2 * log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5)),
            "bo_cov": 2 / 2,
            "bo_bm25": log(2) * 2.2 * (2 / (2 + 1.2 * (0.25 + 0.75 * 7 / 5)) + 1 / (1 + 1.2 * (0.25 + 0.75 * 7 / 5))),
            # Both bodies: 10 words, 8 distinct; zen twice, garden once.
            "bo_dir": (log((2 + 2000 * 3 / 19) / 2007) + log((1 + 2000 * 2 / 19) / 2007)) / 2,
            "bo_jm": (log(0.9 * 2 / 7 + 0.1 * 3 / 19) + log(0.9 * 1 / 7 + 0.1 * 2 / 19)) / 2,
            "bo_tfn": 3 / 7,
            # Each known word ln 2, a (in both bodies) ln 1 = 0: query (1, 1), body (1 + ln 2, 1, 1, 1, 1) times ln 2.
            "bo_cos": (TWICE + 1) / (2**0.5 * (TWICE**2 + 4) ** 0.5),
            "bo_first": 1 / (1 + 0),
            "bo_span": 2 / 3,  # "garden of zen"
            "bo_phrase": log(1 + 0),
            "he_cov": 1 / 2,
            "me_cov": 1 / 2,
            "site_name": 1 - 7 / 10,
            "bm25f": log(2) * 2.2 * (ZEN_X / (1.2 + ZEN_X) + GARDEN_X / (1.2 + GARDEN_X)),
            "pg_len": log(1 + 7),
            "pg_tlen": 2,
            "pg_vis": 30 / 100,
            "pg_anc": 2 / 7,
            "pg_oint": log(1 + 3),
            "pg_oext": log(1 + 1),
            "pg_ohost": 1,
            "pg_img": 0,
            "pg_form": 1,
            "pg_home": 1,
            "pg_lang": 1,
            "pg_age": 10,
            "sp_gz": 100 / 50,
            "sp_wl": (3 + 2 + 1 + 6 + 2 + 3 + 6) / 7,
            "sp_pop": 1,
            "sp_popc": 6 / 8,
            "sp_rep": 2 / 7,
            "sp_ng": -log((1 + 1) / (6 + 6)),  # 5 + 1 trigrams, all distinct
            "sp_stuff": 3 / 5,  # zen garden, all about zen
            "sp_hid": 0.25,
            # Root page: zen 3, garden 2 of 9 words; the other: neither, of 4 words; 8 distinct words.
            "q_kkdist": log(((3 + 1) / (9 + 9)) / (1 / (4 + 9))) + log(((2 + 1) / (9 + 9)) / (1 / (4 + 9))),
            "q_kkmi": log((1 + 0.5) * (2 + 0.5) / ((1 + 0.5) * (1 + 0.5))),
            "q_kkanc": (2 / 1 + 1 / 1) / 2,
        },
        ("q", 2): {
            "ti_mr": 1 / 6,
            "ti_q": 1 / 10,
            "ti_cov": 0,
            "ti_jacc": 0,
            "ti_pre": 0,
            "ti_bm25": 0,
            "bo_cov": 0,
            "bo_bm25": 0,
            "bo_tfn": 0,
            "bo_cos": 0,
            "bo_first": 0,
            "bo_span": 0,
            "he_cov": 0,
            "site_name": None,
            "bm25f": 0,
            "pg_vis": None,
            "pg_anc": None,
            "pg_oint": None,
            "pg_oext": 0,
            "pg_img": log(1 + 2),
            "pg_form": 0,
            "pg_home": 0,
            "pg_lang": None,
            "pg_age": None,
            "sp_gz": None,
            "sp_popc": 3 / 8,
            "sp_rep": 1 / 3,
            "sp_ng": log(6),
            "sp_stuff": 0,
            "sp_hid": None,
            "q_kkanc": 3 / 2,
            "bo_dir": (log(2000 * 3 / 19 / 2003) + log(2000 * 2 / 19 / 2003)) / 2,
            "bo_jm": (log(0.1 * 3 / 19) + log(0.1 * 2 / 19)) / 2,
        },
        ("q", 3): {
            "ti_mr": None,
            "ti_pre": None,
            "bo_bm25": None,
            "bm25f": None,
            "pg_len": None,
            "pg_home": None,
            "sp_popc": None,
            "sp_stuff": None,
            "q_kkmi": log(2.5 / 1.5),
        },
        ("b", 1): {"bo_cov": 1 / 2, "bo_first": 1 / (1 + 1), "bo_tfn": 1 / 3, "bo_phrase": 0},
        ("s", 1): {
            "ti_mr": 4 / 10,  # "zen "
            "ti_cov": 1 / 2,
            "ti_jacc": 1 / 3,
            "ti_ed": 1 - 5 / 10,  # stones and garden share only the e
            "ti_pre": 0,
            "bo_span": 2 / 2,
            "bo_phrase": log(1 + 1),
            "sp_stuff": 2 / 5,
            "q_kkanc": (2 / 1 + 0 / 2) / 2,
            "q_kkmi": log((1 + 0.5) * (2 + 0.5) / ((1 + 0.5) * (2 + 0.5))),  # stones is on both pages
        },
    },
)

OTHER_LANGUAGE = (
    {
        "results": [{"query_id": "q", "query": "zen", "rank": 1, "url": ZEN}],
        "pages": PAGES,
        "log_language": "de",
    },
    {("q", 1): {"pg_lang": 0, "q_kkmi": None}},
)

# w000 occurs twice, 99 others and x once: x is the last of these, at rank 101.
MANY = " ".join(f"w{number:03}" for number in range(100))
POPULAR = (
    {
        "results": [
            {"query_id": "q", "query": "zen", "rank": 1, "url": ZEN},
            {"query_id": "q", "query": "zen", "rank": 2, "url": STONES},
        ],
        "pages": [
            {"url": ZEN, "title": "", "text": MANY},
            {"url": STONES, "title": "", "text": "x w000"},
        ],
    },
    {
        ("q", 1): {
            "sp_pop": 100 / 100,
            "sp_popc": 100 / 101,
            "sp_rep": 1 / 100,
            "ti_mr": None,
            "ti_cov": 0,
            "ti_ed": 0,
        },
        ("q", 2): {"sp_pop": 1 / 2, "sp_popc": 2 / 101, "ti_q": 0, "ti_bm25": 0, "pg_home": 0, "sp_stuff": None},
    },
)

CASES = {"page text": TEXT, "other language": OTHER_LANGUAGE, "popular words": POPULAR}
