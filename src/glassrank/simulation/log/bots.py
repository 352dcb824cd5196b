"""Bots that repeatedly click one result of one query."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.log.activity import Activity
from glassrank.simulation.log.visits import DAYS, Visits
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.page_facts import DAY, READ_AT

# Numbers of visits per bot, and of clicks per visit.
MIN_VISITS, MORE_VISITS = 3, 4.0
MIN_CLICKS, MAX_CLICKS = 3, 9
MAX_DWELL = 2.0
# A bot promotes a page that people would hardly see.
FIRST_RANK = 4


def draw_bots(rng: Rng, visits: Visits, n_queries: int, n_results: int, spam_clicks: float) -> Activity:
    """Draw bots until they have made ``spam_clicks`` clicks per session of a person.

    The order of the bots does not depend on the dials, so that a stronger dial only adds bots.
    """
    aiming, ranking, coming, clicking, timing = rng.spawn(5)
    wanted = round(spam_clicks * len(visits.query))
    max_bots = -(-wanted // (MIN_VISITS * MIN_CLICKS))
    # Each column has its own stream, so that more bots do not change the first ones.
    query = aiming.integers(n_queries, size=max_bots)
    rank = np.minimum(FIRST_RANK + ranking.integers(n_results, size=max_bots) % max(1, n_results // 2), n_results)
    n_visits = MIN_VISITS - 1 + coming.geometric(1 / MORE_VISITS, max_bots)
    bot = np.repeat(np.arange(max_bots), n_visits)
    n_clicks = clicking.integers(MIN_CLICKS, MAX_CLICKS, size=len(bot), endpoint=True)
    made = np.cumsum(np.bincount(bot, n_clicks, max_bots))
    n_bots = int(np.searchsorted(made, wanted)) + 1 if wanted else 0
    kept = bot < n_bots
    return _act(timing, bot[kept], n_clicks[kept], query, rank, visits)


def _act(rng: Rng, bot: IntArray, n_clicks: IntArray, query: IntArray, rank: IntArray, visits: Visits) -> Activity:
    starting, waiting, dwelling = rng.spawn(3)
    start = READ_AT - DAY * (1 + (DAYS - 1) * starting.random(len(bot)))
    search = np.repeat(np.arange(len(bot)), n_clicks)
    number = np.arange(len(search)) - (np.cumsum(n_clicks) - n_clicks)[search]
    dwell = MAX_DWELL * dwelling.random(len(search))
    time = start[search] + 1.0 + 4.0 * number + waiting.random(len(search))
    session = len(visits.query) + np.arange(len(bot))
    return Activity(query[bot], session, visits.n_users + bot, start, search, rank[bot][search], time, dwell)
