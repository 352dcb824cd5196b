"""Searches and clicks before they are written to a log."""

from dataclasses import dataclass, fields

import numpy as np

from glassrank.core.checks import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Activity:
    """Searches, and the clicks in their result lists."""

    query: IntArray
    """Number of the query of each search; session, user and start also have one entry per search."""
    session: IntArray
    user: IntArray
    start: FloatArray
    click_search: IntArray
    """Number of the search that each click belongs to; rank, time and dwell also have one entry per click."""
    click_rank: IntArray
    click_time: FloatArray
    dwell: FloatArray

    def __len__(self) -> int:
        return len(self.query)


def join_activities(parts: list[Activity]) -> Activity:
    """Concatenate searches."""
    before = np.cumsum([0, *(len(part) for part in parts)])
    joined = {}
    for spec in fields(Activity):
        columns = [getattr(part, spec.name) for part in parts]
        if spec.name == "click_search":
            columns = [column + start for column, start in zip(columns, before, strict=False)]
        joined[spec.name] = np.concatenate(columns)
    return Activity(**joined)
