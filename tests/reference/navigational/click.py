"""The 29 click features: n_qu are the clicks on u for q, v_qu the impressions."""

import math
from statistics import median

from tests.reference.navigational.events import clicks, having, impressions
from tests.reference.navigational.text import count, entropy, normal, ratio
from tests.reference.navigational.url import domain

SMOOTHING = 10
SATISFIED, QUICK = 30, 10


def on_pair(row, world):
    """Clicks on the row's address for the row's query."""
    return clicks(world.log, query=normal(row["query"]), url=row["url"])


def for_query(row, world):
    """Clicks for the row's query on any address, even if it is not a result."""
    return clicks(world.log, query=normal(row["query"]))


def on_url(row, world):
    """Clicks on the row's address for any query."""
    return clicks(world.log, url=row["url"])


def shown(row, world):
    """Impressions of the row's address for the row's query."""
    return impressions(world.log, query=normal(row["query"]), url=row["url"])


def descending(row, world):
    """Numbers of clicks of the addresses clicked for the query, the largest first."""
    return sorted(count(click["url"] for click in for_query(row, world)).values(), reverse=True)


def crank(row, world):
    """1 + number of addresses with more clicks for the query: the best rank of a tie."""
    n = len(on_pair(row, world))
    return 1 + sum(1 for other in descending(row, world) if other > n)


def clk_invrank(row, world):
    """1 / crank; missing if the query has no click."""
    return 1 / crank(row, world) if for_query(row, world) else None


def clk_cum(row, world):
    """Share of the query's clicks on addresses with at least as many clicks as this one."""
    n = len(on_pair(row, world))
    return ratio(sum(other for other in descending(row, world) if other >= n), len(for_query(row, world)))


def clk_drop(row, world):
    """(n at rank crank − n at rank crank + 1) / n_q in the descending list, which is padded with zeros."""
    numbers = [*descending(row, world), 0, 0]
    place = crank(row, world) - 1
    return ratio(numbers[place] - numbers[place + 1], len(for_query(row, world)))


def clk_ctr_s(row, world):
    """(n_qu + 10 c0) / (v_qu + 10), c0 = clicks / impressions of the whole log."""
    c0 = len(clicks(world.log)) / len(impressions(world.log))
    return (len(on_pair(row, world)) + SMOOTHING * c0) / (len(shown(row, world)) + SMOOTHING)


def rate_at(position, world):
    """ctr(p): clicks at the position / impressions at the position, over the whole log."""
    return len(clicks(world.log, position=position)) / len(impressions(world.log, position=position))


def clk_coec(row, world):
    """n_qu / Σ over impressions of the pair with a known position of ctr(position)."""
    expected = sum(rate_at(i["position"], world) for i in shown(row, world) if i["position"] is not None)
    return ratio(len(on_pair(row, world)), expected)


def clk_dev(row, world):
    """n_qu / n_q − share of the log's clicks of known position that fall on this row's rank."""
    placed = [click for click in clicks(world.log) if click["position"] is not None]
    if not placed or not for_query(row, world):
        return None
    expected = sum(1 for click in placed if click["position"] == row["rank"]) / len(placed)
    return len(on_pair(row, world)) / len(for_query(row, world)) - expected


def sessions(row, world):
    """The query's clicks by session."""
    result = {}
    for click in for_query(row, world):
        if click["session"] is not None:
            result.setdefault(click["session"], []).append(click)
    return list(result.values())


def clk_first(row, world):
    """Share of the query's sessions with a click in which u was clicked at the time of the first click."""
    begun = [s for s in sessions(row, world) if row["url"] in at_time(s, min(c["time"] for c in s))]
    return ratio(len(begun), len(sessions(row, world)))


def clk_last(row, world):
    """Share of the query's sessions with a click in which u was clicked at the time of the last click."""
    ended = [s for s in sessions(row, world) if row["url"] in at_time(s, max(c["time"] for c in s))]
    return ratio(len(ended), len(sessions(row, world)))


def at_time(session, time):
    """Addresses clicked at that time."""
    return {click["url"] for click in session if click["time"] == time}


def clk_only(row, world):
    """Share of the query's sessions with a click whose clicks are all on u."""
    alone = [s for s in sessions(row, world) if {click["url"] for click in s} == {row["url"]}]
    return ratio(len(alone), len(sessions(row, world)))


def dwells(some_clicks):
    """Known dwell times."""
    return [click["dwell"] for click in some_clicks if click["dwell"] is not None]


def mean(values):
    """Σ x / n; missing without values."""
    return ratio(sum(values), len(values))


def clk_sat(row, world):
    """Share of the pair's clicks of known dwell that lasted 30 seconds or more."""
    return mean([float(dwell >= SATISFIED) for dwell in dwells(on_pair(row, world))])


def clk_quick(row, world):
    """Share of the pair's clicks of known dwell that lasted less than 10 seconds."""
    return mean([float(dwell < QUICK) for dwell in dwells(on_pair(row, world))])


def clk_dwell_med(row, world):
    """Median of the known dwells of the pair."""
    values = dwells(on_pair(row, world))
    return median(values) if values else None


def clk_dwell_dev(row, world):
    """Mean dwell of the pair − mean dwell on u for any query."""
    pair, anywhere = mean(dwells(on_pair(row, world))), mean(dwells(on_url(row, world)))
    return None if pair is None else pair - anywhere


def clk_ttc(row, world):
    """Mean seconds from the latest search of the click's list at or before the click, over clicks that have one."""
    seconds = []
    for click in on_pair(row, world):
        starts = [
            search["time"]
            for search in having(world.log, action="search", list=click["list"])
            if click["list"] is not None and search["time"] <= click["time"]
        ]
        if starts:
            seconds.append(click["time"] - max(starts))
    return mean(seconds)


def places(some_list, world):
    """Known positions of the clicks in a list."""
    if some_list is None:
        return []
    return [c["position"] for c in clicks(world.log, list=some_list) if c["position"] is not None]


def clk_above(row, world):
    """Share of the pair's clicks of known position with a click at a smaller position of the same list."""
    own = [click for click in on_pair(row, world) if click["position"] is not None]
    return mean([float(any(p < click["position"] for p in places(click["list"], world))) for click in own])


def clk_below(row, world):
    """Share of the pair's clicks of known position with a click at a larger position of the same list."""
    own = [click for click in on_pair(row, world) if click["position"] is not None]
    return mean([float(any(p > click["position"] for p in places(click["list"], world))) for click in own])


def clk_skip(row, world):
    """Share of the pair's impressions of known position in whose list u was not clicked, but something below was."""
    skips = []
    for impression in shown(row, world):
        if impression["position"] is not None and impression["list"] is not None:
            clicked = bool(clicks(world.log, list=impression["list"], url=row["url"]))
            below = any(p > impression["position"] for p in places(impression["list"], world))
            skips.append(float(below and not clicked))
    return mean(skips)


def users(some_events):
    """Distinct users."""
    return {event["user"] for event in some_events if event["user"] is not None}


def clk_users(row, world):
    """Users who clicked u for q / users with any event of q."""
    return ratio(len(users(on_pair(row, world))), len(users(having(world.log, query=normal(row["query"])))))


def clk_repeat(row, world):
    """All clicks of the pair except each user's first one, / n_qu."""
    own = on_pair(row, world)
    return ratio(len(own) - len(users(own)), len(own))


def clk_dom(row, world):
    """Share of the query's clicks on addresses of u's domain."""
    all_clicks = for_query(row, world)
    return ratio(sum(1 for c in all_clicks if domain(c["url"]) == domain(row["url"])), len(all_clicks))


FEATURES = {
    "clk_n": lambda row, world: len(on_pair(row, world)),
    "clk_log": lambda row, world: math.log(1 + len(on_pair(row, world))),
    "clk_CR": lambda row, world: ratio(len(on_pair(row, world)), len(for_query(row, world))),
    "clk_relmax": lambda row, world: ratio(len(on_pair(row, world)), max(descending(row, world), default=0)),
    "clk_invrank": clk_invrank,
    "clk_cum": clk_cum,
    "clk_drop": clk_drop,
    "clk_ctr": lambda row, world: ratio(len(on_pair(row, world)), len(shown(row, world))),
    "clk_ctr_s": clk_ctr_s,
    "clk_coec": clk_coec,
    "clk_dev": clk_dev,
    "clk_first": clk_first,
    "clk_last": clk_last,
    "clk_only": clk_only,
    "clk_sat": clk_sat,
    "clk_quick": clk_quick,
    "clk_dwell": lambda row, world: mean(dwells(on_pair(row, world))),
    "clk_dwell_med": clk_dwell_med,
    "clk_dwell_dev": clk_dwell_dev,
    "clk_ttc": clk_ttc,
    "clk_above": clk_above,
    "clk_below": clk_below,
    "clk_skip": clk_skip,
    "clk_users": clk_users,
    "clk_repeat": clk_repeat,
    "clk_url": lambda row, world: math.log(1 + len(on_url(row, world))),
    "clk_pq_u": lambda row, world: ratio(len(on_pair(row, world)), len(on_url(row, world))),
    "clk_Hq_u": lambda row, world: entropy(list(count(c["query"] for c in on_url(row, world)).values())),
    "clk_dom": clk_dom,
}
