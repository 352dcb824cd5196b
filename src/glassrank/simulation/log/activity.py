"""Searches and clicks before they are written down as a log."""

from dataclasses import dataclass, fields

import numpy as np

from glassrank.core.checks import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Activity:
    """Searches, and the clicks in their result lists."""

    query: IntArray
    """Number of the query of each search; so are the session, the user and the time of each search."""
    session: IntArray
    user: IntArray
    start: FloatArray
    click_search: IntArray
    """Place of the search that each click belongs to; so are its rank, its time and its dwell."""
    click_rank: IntArray
    click_time: FloatArray
    dwell: FloatArray

    def __len__(self) -> int:
        return len(self.query)


def join_activities(parts: list[Activity]) -> Activity:
    """Put searches one after the other."""
    before = np.cumsum([0, *(len(part) for part in parts)])
    joined = {}
    for spec in fields(Activity):
        columns = [getattr(part, spec.name) for part in parts]
        if spec.name == "click_search":
            columns = [column + start for column, start in zip(columns, before, strict=False)]
        joined[spec.name] = np.concatenate(columns)
    return Activity(**joined)
