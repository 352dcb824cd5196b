"""Turns searches and clicks into a log, with one row per search, impression and click."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.query_log import ACTIONS, QueryLog
from glassrank.simulation.log.activity import Activity

# A user sees the first page of results, and all results down to the last click.
SHOWN = 10


def write_log(activity: Activity, queries: tuple[str, ...], addresses: Any) -> QueryLog:
    """Return the log in order of time; ``addresses`` contains the address of each result, queries × results."""
    n_searches, n_clicks = len(activity), len(activity.click_search)
    shown = np.full(n_searches, min(SHOWN, addresses.shape[1]))
    np.maximum.at(shown, activity.click_search, activity.click_rank)
    seen = np.repeat(np.arange(n_searches), shown)
    place = np.arange(len(seen)) - (np.cumsum(shown) - shown)[seen] + 1
    search = np.concatenate([np.arange(n_searches), seen, activity.click_search])
    kind = np.repeat(np.arange(3), [n_searches, len(seen), n_clicks])
    rank = np.concatenate([np.zeros(n_searches, dtype=np.int64), place, activity.click_rank])
    time = np.round(np.concatenate([activity.start, activity.start[seen], activity.click_time]), 3)
    dwell = np.concatenate([np.full(len(search) - n_clicks, np.nan), np.round(activity.dwell, 1)])
    order = np.lexsort([rank, kind, search, time])
    return _table(activity, queries, addresses, search[order], kind[order], rank[order], time[order], dwell[order])


def _table(
    activity: Activity,
    queries: tuple[str, ...],
    addresses: Any,
    search: IntArray,
    kind: IntArray,
    rank: IntArray,
    time: FloatArray,
    dwell: FloatArray,
) -> QueryLog:
    query = activity.query[search]
    url = addresses[query, np.maximum(rank - 1, 0)]
    url[kind == 0] = ""
    return QueryLog(
        query=np.array(queries, dtype=object)[query],
        action=np.array(ACTIONS, dtype=object)[kind],
        url=url,
        time=time,
        user=names("u", activity.user)[activity.user[search]],
        session=names("s", activity.session)[activity.session[search]],
        search=_name_searches(activity)[search],
        position=np.where(kind == 0, np.nan, rank),
        dwell=dwell,
    )


def names(letter: str, numbers: IntArray) -> Any:
    """Return a name for each number from 0 to the maximum."""
    count = int(numbers.max(initial=-1)) + 1
    return np.array([f"{letter}{number:06d}" for number in range(1, count + 1)], dtype=object)


def _name_searches(activity: Activity) -> Any:
    """Number the searches within each session, so that names do not depend on other sessions."""
    order = np.lexsort([activity.start, activity.session])
    session = activity.session[order]
    first = np.searchsorted(session, session)
    named = names("s", activity.session)[session].tolist()
    texts = np.empty(len(order), dtype=object)
    texts[order] = [f"{name}-{k}" for name, k in zip(named, (np.arange(len(order)) - first + 1).tolist(), strict=True)]
    return texts
