"""Simulates sessions: searches, clicks, and another query if the first one failed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.activity import Activity, join_activities
from glassrank.simulation.log.draw_clicks import ClickedResults, draw_clicks
from glassrank.simulation.log.queries import QueryTruth
from glassrank.simulation.log.taste import NAVIGATIONAL, Taste
from glassrank.simulation.log.visits import Visits
from glassrank.simulation.simulator_inputs import Rng

MAX_SEARCHES = 3
# Probability that an unsatisfied user tries another query instead of giving up.
RETRY_PROBABILITY = 0.4
# Seconds before the first result is judged and for each further result, and median dwell times.
START, PER_RESULT = 1.5, 1.1
SATISFIED_DWELL, OTHER_DWELL, DWELL_SPREAD = 95.0, 14.0, 0.8
# Share of the clicks whose dwell time is not logged.
UNKNOWN_DWELL = 0.15


@dataclass(frozen=True, eq=False)
class _Groups:
    """Queries grouped by site or topic."""

    order: IntArray
    """Queries, sorted by group."""
    bounds: IntArray
    """Group k is ``order[bounds[k]:bounds[k + 1]]``."""
    cumulative: FloatArray
    """Cumulative number of times that the queries before each position are asked."""


def draw_sessions(rng: Rng, taste: Taste, truth: QueryTruth, visits: Visits, position_bias: float) -> Activity:
    """Draw the searches and clicks of every visit, with further queries of unsatisfied users."""
    total = len(visits.query)
    asked = np.bincount(visits.query, minlength=len(truth))
    # A user who wants a site tries another query that mostly means that site; the same holds for topics.
    navigational = truth.intents == 1
    groups = (
        _group(np.where(navigational, truth.sites, -1), asked),
        _group(np.where(navigational, -1, truth.topics), asked),
    )
    query, start = visits.query, visits.start
    active = np.ones(total, dtype=bool)
    waves = []
    for wave_rng in rng.spawn(MAX_SEARCHES):
        clicking, timing, trying = wave_rng.spawn(3)
        clicked = draw_clicks(clicking, taste, query, visits.wants, active, position_bias)
        wave, end = _time(timing, clicked, visits, query, start, active)
        waves.append(wave)
        satisfied = np.zeros(total, dtype=bool)
        satisfied[clicked.search[clicked.satisfied]] = True
        other = _other_query(trying.random(total), groups, truth, query, visits.wants)
        active = active & ~satisfied & (trying.random(total) < RETRY_PROBABILITY) & (other >= 0)
        query, start = np.where(active, other, query), end + 2.0 + trying.exponential(12.0, total)
    return join_activities(waves)


def _time(
    rng: Rng, clicked: ClickedResults, visits: Visits, query: IntArray, start: FloatArray, active: Any
) -> tuple[Activity, FloatArray]:
    """Return the searches and clicks with times and dwell times, and the end of each search."""
    n_clicks, (dwelling, reading, losing) = len(clicked.search), rng.spawn(3)
    median = np.where(clicked.satisfied, SATISFIED_DWELL, OTHER_DWELL)
    dwell = np.minimum(median * np.exp(DWELL_SPREAD * dwelling.standard_normal(n_clicks)), 1500.0)
    first = np.ones(n_clicks, dtype=bool)
    first[1:] = clicked.search[1:] != clicked.search[:-1]
    previous_rank = np.where(first, 0, np.concatenate([[0], clicked.rank])[:-1])
    away = np.where(first, START, np.concatenate([[0.0], dwell])[:-1])
    wait = away + PER_RESULT * (clicked.rank - previous_rank) * reading.gamma(4.0, 0.25, n_clicks)
    elapsed = np.cumsum(wait)
    passed = elapsed - (elapsed - wait)[np.maximum.accumulate(np.where(first, np.arange(n_clicks), 0))]
    time = start[clicked.search] + passed
    end = start + 8.0 + reading.exponential(15.0, len(start))
    np.maximum.at(end, clicked.search, time + dwell)
    known = losing.random(n_clicks) >= UNKNOWN_DWELL
    place = np.cumsum(active) - 1
    session = np.flatnonzero(active)
    activity = Activity(
        query[session], session, visits.user[session], start[session],
        place[clicked.search], clicked.rank, time, np.where(known, dwell, np.nan),
    )  # fmt: skip
    return activity, end


def _group(keys: IntArray, asked: IntArray) -> _Groups:
    """Group queries by non-negative key; −1 means no group, and ``asked`` is how often each query is asked."""
    order = np.argsort(keys, kind="stable")[int((keys < 0).sum()) :]
    sizes = np.bincount(keys[keys >= 0], minlength=int(keys.max(initial=0)) + 1)
    cumulative = np.concatenate([[0.0], np.cumsum(asked[order])])
    return _Groups(order, np.concatenate([[0], np.cumsum(sizes)]), cumulative)


def _other_query(
    chance: FloatArray, groups: tuple[_Groups, _Groups], truth: QueryTruth, query: IntArray, wants: IntArray
) -> IntArray:
    """Return another query for the same site or topic, drawn by how often it is asked; −1 if there is none."""
    other = np.full(len(query), -1)
    for group, keys, chosen in (
        (groups[0], truth.sites[query], wants == NAVIGATIONAL),
        (groups[1], truth.topics[query], wants != NAVIGATIONAL),
    ):
        rows = np.flatnonzero(chosen & (keys >= 0) & (keys < len(group.bounds) - 1))
        first, stop = group.bounds[keys[rows]], group.bounds[keys[rows] + 1]
        nonempty = stop > first
        rows, first, stop = rows[nonempty], first[nonempty], stop[nonempty]
        low, high = group.cumulative[first], group.cumulative[stop]
        place = np.searchsorted(group.cumulative, low + chance[rows] * (high - low), side="right") - 1
        place = np.clip(place, first, stop - 1)
        # A user does not repeat the same query, so take the next one of the group.
        after = first + (place + 1 - first) % (stop - first)
        other[rows] = group.order[np.where(group.order[place] == query[rows], after, place)]
    return np.where(other == query, -1, other)
