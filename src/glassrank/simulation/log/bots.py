"""Bots that click one result of one query again and again."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.log.activity import Activity
from glassrank.simulation.log.visits import DAYS, Visits
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.page_facts import DAY, READ_AT

# A bot comes at least so often, and clicks so many times at each visit.
FEWEST_VISITS, MORE_VISITS = 3, 4.0
FEWEST_CLICKS, MOST_CLICKS = 3, 9
LONGEST_DWELL = 2.0
# It lifts a page that people would hardly see.
FIRST_RANK = 4


def draw_bots(rng: Rng, visits: Visits, n_queries: int, n_results: int, spam_clicks: float) -> Activity:
    """Draw bots until they have made ``spam_clicks`` clicks for each session of people.

    The bots come in an order that no dial changes: a stronger dial adds bots to those there are.
    """
    aiming, ranking, coming, clicking, timing = rng.spawn(5)
    wanted = round(spam_clicks * len(visits.query))
    most = -(-wanted // (FEWEST_VISITS * FEWEST_CLICKS))
    # Each column has a stream of its own, so that more bots change nothing about the first ones.
    query = aiming.integers(n_queries, size=most)
    rank = np.minimum(FIRST_RANK + ranking.integers(n_results, size=most) % max(1, n_results // 2), n_results)
    n_visits = FEWEST_VISITS - 1 + coming.geometric(1 / MORE_VISITS, most)
    bot = np.repeat(np.arange(most), n_visits)
    n_clicks = clicking.integers(FEWEST_CLICKS, MOST_CLICKS, size=len(bot), endpoint=True)
    made = np.cumsum(np.bincount(bot, n_clicks, most))
    n_bots = int(np.searchsorted(made, wanted)) + 1 if wanted else 0
    kept = bot < n_bots
    return _act(timing, bot[kept], n_clicks[kept], query, rank, visits)


def _act(rng: Rng, bot: IntArray, n_clicks: IntArray, query: IntArray, rank: IntArray, visits: Visits) -> Activity:
    starting, waiting, dwelling = rng.spawn(3)
    start = READ_AT - DAY * (1 + (DAYS - 1) * starting.random(len(bot)))
    search = np.repeat(np.arange(len(bot)), n_clicks)
    number = np.arange(len(search)) - (np.cumsum(n_clicks) - n_clicks)[search]
    dwell = LONGEST_DWELL * dwelling.random(len(search))
    time = start[search] + 1.0 + 4.0 * number + waiting.random(len(search))
    session = len(visits.query) + np.arange(len(bot))
    return Activity(query[bot], session, visits.n_users + bot, start, search, rank[bot][search], time, dwell)
