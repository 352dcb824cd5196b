"""Draws visits: users, times and first queries."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.queries import QueryTruth
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.page_facts import DAY, READ_AT

# The log covers the days before the pages of the web were crawled.
DAYS = 90
SESSIONS_PER_USER = 4
# Pareto exponents of how often a query is asked and how often a user visits.
QUERY_TAIL, USER_TAIL = 1.2, 1.5
# Query frequencies are limited, so that no single query makes up half of a small log.
MIN_FREQUENCY, MAX_FREQUENCY = 0.1, 50.0
# Share of the visits in each two hours of the day, starting at midnight.
HOURS = (0.03, 0.02, 0.01, 0.04, 0.09, 0.12, 0.12, 0.12, 0.12, 0.12, 0.13, 0.08)


@dataclass(frozen=True, eq=False)
class Visits:
    """One entry per session."""

    query: IntArray
    """The first query of the session."""
    wants: IntArray
    """1 if the user wants the home page, 0 if the user wants good pages about the topic."""
    user: IntArray
    start: FloatArray
    n_users: int


def draw_visits(rng: Rng, truth: QueryTruth, sessions_per_query: float) -> Visits:
    """Draw the sessions: at least one per query, many for a few queries, and users who visit once or often."""
    often, minds, people, times = rng.spawn(4)
    n_queries = len(truth)
    total = max(n_queries, round(sessions_per_query * n_queries))
    weights = np.minimum(often.pareto(QUERY_TAIL, n_queries), MAX_FREQUENCY) + MIN_FREQUENCY
    counts = 1 + often.multinomial(total - n_queries, weights / weights.sum())
    query = np.repeat(np.arange(n_queries), counts)
    wants = (minds.random(total) < truth.navigational_share[query]).astype(np.int64)
    n_users = max(1, total // SESSIONS_PER_USER)
    habits = np.cumsum(people.pareto(USER_TAIL, n_users) + 0.3)
    user = np.searchsorted(habits, people.random(total) * habits[-1], side="right")
    hour = 2.0 * (times.choice(len(HOURS), size=total, p=HOURS) + times.random(total))
    # The last day is excluded, so that no session continues after the end of the log.
    start = READ_AT - DAY * (times.integers(2, DAYS, size=total, endpoint=True) - hour / 24)
    # Sessions are numbered by start time.
    order = np.argsort(start, kind="stable")
    return Visits(query[order], wants[order], np.minimum(user, n_users - 1)[order], start[order], n_users)
