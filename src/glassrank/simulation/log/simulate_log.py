"""Simulates a search log with known user intents."""

import numpy as np

from glassrank.core.checks import DataError, check_choice
from glassrank.core.input_types import RandomState
from glassrank.data.search_results import SearchResults
from glassrank.simulation.log.activity import join_activities
from glassrank.simulation.log.bots import draw_bots
from glassrank.simulation.log.queries import QueryTruth, draw_queries
from glassrank.simulation.log.result_lists import ENGINES, ResultLists, search_web
from glassrank.simulation.log.sessions import draw_sessions
from glassrank.simulation.log.simulated_log import SimulatedLog
from glassrank.simulation.log.taste import draw_taste
from glassrank.simulation.log.visits import draw_visits
from glassrank.simulation.log.web_index import index_web
from glassrank.simulation.log.written_events import names, write_log
from glassrank.simulation.simulator_inputs import check_counts, checked_dials, number_between, seed_of, spawn_streams
from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.simulation.web.simulated_web import SimulatedWeb

SNIPPET = 150


def simulate_log(
    web: SimulatedWeb | None = None,
    n_queries: int = 400,
    results_per_query: int = 100,
    *,
    engines: int = 1,
    sessions_per_query: float = 50.0,
    navigational: float = 0.18,
    position_bias: float = 1.0,
    ambiguity: float = 1.0,
    spam_clicks: float = 0.05,
    random_state: RandomState = None,
) -> SimulatedLog:
    """Simulate queries, the result lists of a search engine, and the clicks of users with known intents.

    A share ``navigational`` of the queries are names of sites, and most of their users want the site's home page. The
    users of the other queries want several good pages about a topic. Users examine the result at rank r with
    probability r^−position_bias, click attractive results, stop when they are satisfied, and otherwise may try another
    query. The dials:

    - ``position_bias`` from 0 (every result is examined) to 10: how quickly examination decreases with rank;
    - ``ambiguity`` from 0 (none) to 10: how many queries mean a site to some of their users and a topic to others;
    - ``spam_clicks`` from 0 (none) to 10: clicks by bots per session of a person;
    - ``sessions_per_query``, 1 or more: mean number of sessions that start with a query.

    Without ``web``, ``simulate_web()`` makes one. With two to four ``engines`` there are as many lists for each query,
    and the log is that of the first engine. The log contains every search and click. Its impressions are the first 10
    results of each search and those down to the last click. Each part has its own random stream, so that changing a
    dial does not affect the draws of the other parts.

    >>> web = simulate_web(4, 40, 400, random_state=0)
    >>> simulate_log(web, 50, 20, sessions_per_query=10, random_state=0)
    SimulatedLog(50 queries, 1,000 results, 8,414 events, seed 0)
    """
    check_counts(n_queries=n_queries, results_per_query=results_per_query)
    check_choice("engines", engines, range(1, len(ENGINES) + 1))
    dials = checked_dials(position_bias=position_bias, ambiguity=ambiguity, spam_clicks=spam_clicks)
    dials["sessions_per_query"] = number_between("sessions_per_query", sessions_per_query, 1, 1e6)
    navigational = number_between("navigational", navigational, 0, 1)
    own, names_, phrases, minds, searching, tasting, visiting, acting, botting = spawn_streams(random_state, 9)
    web = _web(web, own, results_per_query)
    truth = draw_queries([names_, phrases, minds], web, n_queries, navigational, dials["ambiguity"])
    index = index_web(web, truth.queries)
    lists = {
        engine: search_web(stream, ENGINES[engine], index, web, truth, results_per_query)
        for engine, stream in zip(list(ENGINES)[:engines], searching.spawn(engines), strict=True)
    }
    first = next(iter(lists.values())).pages
    taste = draw_taste(tasting, index, web, truth, first)
    visits = draw_visits(visiting, truth, dials["sessions_per_query"])
    people = draw_sessions(acting, taste, truth, visits, dials["position_bias"])
    bots = draw_bots(botting, visits, n_queries, results_per_query, dials["spam_clicks"])
    log = write_log(join_activities([people, bots]), truth.queries, web.collection.pages.url[first])
    return SimulatedLog(
        web,
        _results(web, truth, lists),
        log,
        truth,
        bots=frozenset(names("u", bots.user)[np.unique(bots.user)]),
        dials=dials,
        seed=seed_of(random_state),
    )


def _results(web: SimulatedWeb, truth: QueryTruth, lists: dict[str, ResultLists]) -> SearchResults:
    """Concatenate the lists by query and engine."""
    pages = np.stack([each.pages for each in lists.values()], axis=1)
    scores = np.stack([each.scores for each in lists.values()], axis=1)
    n_queries, n_engines, n_results = pages.shape
    query = np.repeat(np.arange(n_queries), n_engines * n_results)
    engine = np.tile(np.repeat(np.array(list(lists), dtype=object), n_results), n_queries)
    snippets = np.array([text[:SNIPPET].rsplit(" ", 1)[0] for text in web.collection.pages.text], dtype=object)
    return SearchResults(
        query_id=np.array(truth.ids, dtype=object)[query],
        query=np.array(truth.queries, dtype=object)[query],
        rank=np.tile(np.arange(1, n_results + 1), n_queries * n_engines),
        url=web.collection.pages.url[pages.ravel()],
        score=np.round(scores.ravel(), 6),
        engine=engine if n_engines > 1 else None,
        snippet=snippets[pages.ravel()],
    )


def _web(web: SimulatedWeb | None, rng: np.random.Generator, results_per_query: int) -> SimulatedWeb:
    if web is None:
        web = simulate_web(random_state=rng)
    if not isinstance(web, SimulatedWeb):
        raise DataError(
            f"web must be a SimulatedWeb or None: got {type(web).__name__}.",
            parameter="web",
            got=type(web).__name__,
            remedy="Make one with simulate_web.",
        )
    if results_per_query > len(web.roles):
        raise DataError(
            f"results_per_query must be at most the number of pages of the web: expected {len(web.roles)} or fewer, "
            f"got {results_per_query}.",
            parameter="results_per_query",
            expected=len(web.roles),
            got=results_per_query,
        )
    return web
