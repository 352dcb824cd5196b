"""Query logs."""

from math import log

A, B, C = "http://www.zen.org/", "http://b.org/x", "http://c.org/"


def search(name, query, user, session, time, shown, clicked):
    """Events of one search: the search, the impressions in order, the clicks (address, seconds after, dwell)."""
    common = {"search": name, "query": query, "user": user, "session": session}
    events = [{**common, "action": "search", "url": "", "time": time, "position": None, "dwell": None}]
    for place, url in enumerate(shown, start=1):
        events.append({**common, "action": "impression", "url": url, "time": time, "position": place, "dwell": None})
    for url, later, dwell in clicked:
        place = shown.index(url) + 1
        at = time + later
        events.append({**common, "action": "click", "url": url, "time": at, "position": place, "dwell": dwell})
    return events


FULL = (
    {
        "results": [
            {"query_id": "z", "query": "Zen", "rank": 1, "url": A},
            {"query_id": "z", "query": "Zen", "rank": 2, "url": B},
            {"query_id": "z", "query": "Zen", "rank": 3, "url": C},
            {"query_id": "z", "query": "Zen", "rank": 4, "url": "http://zen.org/never/clicked"},
            {"query_id": "g", "query": "zen  garden", "rank": 1, "url": A},
            {"query_id": "n", "query": "new", "rank": 1, "url": A},
        ],
        "clicks": [
            *search("1", "zen", "u1", "s1", 1000, [A, B, C], [(B, 10, 5), (C, 20, 40)]),
            *search("2", "ZEN ", "u2", "s2", 2000, [A, B, C], [(A, 4, 60)]),
            *search("3", "zen", "u1", "s3", 9000, [A, B], [(A, 2, None), (A, 30, 10)]),
            *search("4", "zen garden", "u2", "s4", 3000, [A, C], [(A, 6, 100)]),
        ],
    },
    {
        # Clicks for "zen": A 3, B 1, C 1, in all 5; the log has 6 clicks and 3 + 3 + 2 + 2 = 10 impressions.
        ("z", 1): {
            "clk_n": 3,
            "clk_log": log(1 + 3),
            "clk_CR": 3 / 5,
            "clk_relmax": 3 / 3,
            "clk_invrank": 1 / 1,
            "clk_cum": 3 / 5,
            "clk_drop": (3 - 1) / 5,
            "clk_ctr": 3 / 3,
            "clk_ctr_s": (3 + 10 * 6 / 10) / (3 + 10),
            "clk_coec": 3 / (4 / 4 + 4 / 4 + 4 / 4),  # position 1: 4 clicks in 4 impressions
            "clk_dev": 3 / 5 - 4 / 6,  # 4 of the 6 clicks fall on position 1
            "clk_first": 2 / 3,  # s2, s3 of s1, s2, s3
            "clk_last": 2 / 3,
            "clk_only": 2 / 3,  # both clicks of s3 are on A
            "clk_sat": 1 / 2,  # 60 of 60 and 10; one dwell is unknown
            "clk_quick": 0 / 2,  # 10 is not less than 10
            "clk_dwell": (60 + 10) / 2,
            "clk_dwell_med": 35,
            "clk_dwell_dev": (60 + 10) / 2 - (60 + 10 + 100) / 3,
            "clk_ttc": (4 + 2 + 30) / 3,
            "clk_above": 0 / 3,
            "clk_below": 0 / 3,
            "clk_skip": 1 / 3,  # search 1 of 1, 2, 3
            "clk_users": 2 / 2,
            "clk_repeat": (3 - 2) / 3,
            "clk_url": log(1 + 4),
            "clk_pq_u": 3 / 4,
            "clk_Hq_u": -(3 / 4 * log(3 / 4) + 1 / 4 * log(1 / 4)),
            "clk_dom": 3 / 5,
            # Queries that clicked A: zen, zen, zen, zen garden; of all clicks: zen 6 times, garden once.
            "ql_lm": log((4 + 2000 * (6 + 1) / (7 + 2 + 1)) / (5 + 2000)),
            "ql_kl": 4 / 5 * log((4 / 5) / (6 / 7)) + 1 / 5 * log((1 / 5) / (1 / 7)),
            "ql_nq": log(1 + 2),
            "ql_topsim": 1,
            "ql_topeq": 1,
            "ql_ref": 1 / 3,  # u2 searches "zen garden" 996 s after the click in search 2
            "q_freq": log(1 + 3),
            # Issued: zen is 4 of 5 words, garden 1; every query starts with zen.
            "q_lm": log(0.9 * 4 / 4 + 0.1 * (4 + 1) / (5 + 2 + 1)),
        },
        ("z", 2): {
            "clk_CR": 1 / 5,
            "clk_relmax": 1 / 3,
            "clk_invrank": 1 / 2,  # B and C share rank 2
            "clk_cum": (3 + 1 + 1) / 5,
            "clk_drop": (1 - 1) / 5,
            "clk_ctr": 1 / 3,
            "clk_ctr_s": (1 + 10 * 6 / 10) / (3 + 10),
            "clk_coec": 1 / (1 / 4 + 1 / 4 + 1 / 4),  # position 2: 1 click in 4 impressions
            "clk_dev": 1 / 5 - 1 / 6,
            "clk_first": 1 / 3,
            "clk_last": 0 / 3,
            "clk_only": 0 / 3,
            "clk_quick": 1 / 1,
            "clk_ttc": 10,
            "clk_above": 0 / 1,
            "clk_below": 1 / 1,
            "clk_skip": 0 / 3,
            "clk_users": 1 / 2,
        },
        ("z", 3): {"clk_coec": 1 / (1 / 2 + 1 / 2), "clk_above": 1 / 1, "clk_below": 0, "clk_last": 1 / 3, "ql_ref": 0},
        ("z", 4): {
            "clk_n": 0,
            "clk_CR": 0,
            "clk_invrank": 1 / 4,
            "clk_cum": 1,
            "clk_drop": 0,
            "clk_ctr": None,
            "clk_ctr_s": 6 / 10,
            "clk_coec": None,
            "clk_dev": 0 - 0 / 6,
            "clk_dwell": None,
            "clk_repeat": None,
            "clk_url": 0,
            "clk_pq_u": None,
            "clk_Hq_u": None,
            "clk_dom": 3 / 5,  # zen.org is also A's domain
            "ql_lm": None,
            "ql_kl": None,
            "ql_nq": 0,
            "ql_topsim": None,
            "ql_topeq": None,
            "ql_ref": None,
        },
        ("g", 1): {
            "clk_n": 1,
            "ql_topsim": 1 - 7 / 10,  # " garden" is deleted
            "ql_topeq": 0,
            "q_freq": log(1 + 1),
            # Whenever a word follows zen, it is garden: 1 of 1.
            "q_lm": (log(0.9 * 4 / 4 + 0.1 * 5 / 8) + log(0.9 * 1 / 1 + 0.1 * 2 / 8)) / 2,
        },
        ("n", 1): {
            "clk_n": 0,
            "clk_CR": None,
            "clk_invrank": None,
            "clk_cum": None,
            "clk_drop": None,
            "clk_dev": None,
            "clk_users": None,
            "clk_first": None,
            "clk_pq_u": 0 / 4,
            "clk_dom": None,
            "q_freq": 0,
            "q_lm": log(0.9 * 0 / 4 + 0.1 * 1 / 8),
        },
    },
)

# Without sessions: a pause of 1800 s does not separate them, one of 1801 s does.
GAPS = (
    {
        "results": [
            {"query_id": 1, "query": "zen", "rank": 1, "url": A},
            {"query_id": 1, "query": "zen", "rank": 2, "url": B},
        ],
        "clicks": [
            {"query": "zen", "action": "click", "url": A, "user": "u", "time": 0, "position": 1},
            {"query": "zen", "action": "click", "url": B, "user": "u", "time": 1800, "position": 2},
            {"query": "zen", "action": "click", "url": A, "user": "u", "time": 3601, "position": 1},
        ],
    },
    {
        (1, 1): {"clk_first": 2 / 2, "clk_last": 1 / 2, "clk_only": 1 / 2, "clk_below": 1 / 2, "q_freq": log(1 + 3)},
        (1, 2): {"clk_first": 0 / 2, "clk_last": 1 / 2, "clk_only": 0 / 2, "clk_above": 1 / 1, "clk_repeat": 0},
    },
)


# Without a column search, the events of a query in one session are one list; here the query was issued twice.
TWICE = (
    {
        "results": [
            {"query_id": 1, "query": "zen", "rank": 1, "url": A},
            {"query_id": 2, "query": "zen art", "rank": 1, "url": A},
        ],
        "clicks": [
            {"query": "zen art", "action": "search", "url": "", "user": "u", "session": "s", "time": 950},
            {"query": "zen art", "action": "click", "url": A, "user": "u", "session": "s", "time": 960},
            {"query": "zen", "action": "search", "url": "", "user": "u", "session": "s", "time": 1000},
            {"query": "zen", "action": "click", "url": A, "user": "u", "session": "s", "time": 1005},
            {"query": "zen", "action": "search", "url": "", "user": "u", "session": "s", "time": 1100},
            {"query": "zen", "action": "click", "url": A, "user": "u", "session": "s", "time": 1130},
            {"query": "zen art", "action": "search", "url": "", "user": "u", "session": "s", "time": 2931},
            {"query": "zen", "action": "search", "url": "", "user": "other", "session": "o", "time": 1140},
        ],
    },
    {
        # The other query was issued before the clicks, and 1801 s after the last of them.
        (1, 1): {
            "clk_ttc": (5 + 30) / 2,
            "ql_ref": 0 / 2,
            "clk_first": 1 / 1,
            "clk_repeat": 1 / 2,
            "q_freq": log(1 + 3),
        },
        (2, 1): {"clk_ttc": 10, "ql_ref": 1 / 1, "q_freq": log(1 + 2)},
    },
)

CASES = {"full log": FULL, "sessions by gap": GAPS, "asked twice": TWICE}
