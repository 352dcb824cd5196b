"""What happens in the sessions: searches, clicks, and another query where the first one failed."""

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

MOST_SEARCHES = 3
# A user who did not find what was wanted tries another query this often, and else gives up.
TRIES_AGAIN = 0.4
# Seconds: before the first result is judged, for each result on the way, and the medians of the dwell times.
START, PER_RESULT = 1.5, 1.1
CONTENT_DWELL, OTHER_DWELL, DWELL_SPREAD = 95.0, 14.0, 0.8
# Of so many clicks the log does not know when the user came back.
UNKNOWN_DWELL = 0.15


@dataclass(frozen=True, eq=False)
class _Groups:
    """Queries by what they ask for."""

    order: IntArray
    """Queries, group after group."""
    bounds: IntArray
    """Group k has the places bounds[k] to bounds[k + 1] of ``order``."""
    reached: FloatArray
    """How often the queries before each place are asked."""


def draw_sessions(rng: Rng, taste: Taste, truth: QueryTruth, visits: Visits, position_bias: float) -> Activity:
    """Let every visitor search, click and perhaps try again."""
    total = len(visits.query)
    asked = np.bincount(visits.query, minlength=len(truth))
    # Who wants a site tries a query that mostly means it, and so with a topic.
    navigational = truth.intents == 1
    groups = (
        _group(np.where(navigational, truth.sites, -1), asked),
        _group(np.where(navigational, -1, truth.topics), asked),
    )
    query, start = visits.query, visits.start
    active = np.ones(total, dtype=bool)
    waves = []
    for wave_rng in rng.spawn(MOST_SEARCHES):
        clicking, timing, trying = wave_rng.spawn(3)
        clicked = draw_clicks(clicking, taste, query, visits.wants, active, position_bias)
        wave, end = _time(timing, clicked, visits, query, start, active)
        waves.append(wave)
        content = np.zeros(total, dtype=bool)
        content[clicked.search[clicked.content]] = True
        other = _other_query(trying.random(total), groups, truth, query, visits.wants)
        active = active & ~content & (trying.random(total) < TRIES_AGAIN) & (other >= 0)
        query, start = np.where(active, other, query), end + 2.0 + trying.exponential(12.0, total)
    return join_activities(waves)


def _time(
    rng: Rng, clicked: ClickedResults, visits: Visits, query: IntArray, start: FloatArray, active: Any
) -> tuple[Activity, FloatArray]:
    """Give each click its time and dwell; also return when each search was over."""
    n_clicks, (dwelling, reading, losing) = len(clicked.search), rng.spawn(3)
    median = np.where(clicked.content, CONTENT_DWELL, OTHER_DWELL)
    dwell = np.minimum(median * np.exp(DWELL_SPREAD * dwelling.standard_normal(n_clicks)), 1500.0)
    first = np.ones(n_clicks, dtype=bool)
    first[1:] = clicked.search[1:] != clicked.search[:-1]
    before = np.where(first, 0, np.concatenate([[0], clicked.rank])[:-1])
    away = np.where(first, START, np.concatenate([[0.0], dwell])[:-1])
    wait = away + PER_RESULT * (clicked.rank - before) * reading.gamma(4.0, 0.25, n_clicks)
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
    """Group queries by a key from 0 on, those with −1 in no group; ``asked`` says how often each is asked."""
    order = np.argsort(keys, kind="stable")[int((keys < 0).sum()) :]
    sizes = np.bincount(keys[keys >= 0], minlength=int(keys.max(initial=0)) + 1)
    reached = np.concatenate([[0.0], np.cumsum(asked[order])])
    return _Groups(order, np.concatenate([[0], np.cumsum(sizes)]), reached)


def _other_query(
    chance: FloatArray, groups: tuple[_Groups, _Groups], truth: QueryTruth, query: IntArray, wants: IntArray
) -> IntArray:
    """Another query for the same site or the same topic, by how often they are asked; −1 where there is none."""
    other = np.full(len(query), -1)
    for group, keys, chosen in (
        (groups[0], truth.sites[query], wants == NAVIGATIONAL),
        (groups[1], truth.topics[query], wants != NAVIGATIONAL),
    ):
        rows = np.flatnonzero(chosen & (keys >= 0) & (keys < len(group.bounds) - 1))
        first, stop = group.bounds[keys[rows]], group.bounds[keys[rows] + 1]
        there = stop > first
        rows, first, stop = rows[there], first[there], stop[there]
        low, high = group.reached[first], group.reached[stop]
        place = np.searchsorted(group.reached, low + chance[rows] * (high - low), side="right") - 1
        place = np.clip(place, first, stop - 1)
        # Nobody types the same again: the next one of the group instead.
        after = first + (place + 1 - first) % (stop - first)
        other[rows] = group.order[np.where(group.order[place] == query[rows], after, place)]
    return np.where(other == query, -1, other)
