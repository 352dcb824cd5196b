"""The click model: users scan a result list from the top, skip results, and stop when they are satisfied."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.taste import Taste
from glassrank.simulation.simulator_inputs import Rng

# Number of searches that are processed at a time.
BATCH_SIZE = 4096


@dataclass(frozen=True, eq=False)
class ClickedResults:
    """Clicks, sorted by search and rank."""

    search: IntArray
    """Number of the search."""
    rank: IntArray
    satisfied: Any
    """Whether the click ended the search."""


def examination(n_results: int, position_bias: float) -> FloatArray:
    """Return the probability that a user who is still searching examines the result at rank r: r^−position_bias.

    >>> examination(4, 1.0).round(2).tolist()
    [1.0, 0.5, 0.33, 0.25]
    >>> examination(4, 0.0).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return np.arange(1.0, n_results + 1.0) ** -position_bias


def draw_clicks(
    rng: Rng, taste: Taste, query: IntArray, wants: IntArray, active: Any, position_bias: float
) -> ClickedResults:
    """Draw the clicks of one search per session, for the ``active`` sessions.

    A result is clicked if it is examined, with probability r^−position_bias, and attractive; the first click that
    satisfies the user is the last. Random numbers are drawn for every session and every result, active or not, so that
    a dial that changes some clicks does not affect the draws of the others.
    """
    n_results = taste.click.shape[2]
    examined = examination(n_results, position_bias)
    found = []
    for first in range(0, len(query), BATCH_SIZE):
        stop = min(first + BATCH_SIZE, len(query))
        chances = rng.random((3, stop - first, n_results), dtype=np.float32)
        rows = np.flatnonzero(active[first:stop])
        kind, asked = wants[first + rows], query[first + rows]
        clicked = (chances[0, rows] < examined) & (chances[1, rows] < taste.click[kind, asked])
        satisfied = clicked & (chances[2, rows] < taste.satisfaction[kind, asked])
        # Nothing is examined after the first satisfying click.
        over = np.logical_or.accumulate(satisfied, axis=1)
        clicked[:, 1:] &= ~over[:, :-1]
        place, column = np.nonzero(clicked)
        found.append((first + rows[place], column + 1, satisfied[place, column]))
    return ClickedResults(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
