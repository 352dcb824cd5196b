"""Who clicks what in a result list: users go down the list, skip results, and stop when they have what they want."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.taste import Taste
from glassrank.simulation.simulator_inputs import Rng

# So many searches are looked at at a time.
PORTION = 4096


@dataclass(frozen=True, eq=False)
class ClickedResults:
    """Clicks, search by search and from the top of each list down."""

    search: IntArray
    """Place of the search among those looked at."""
    rank: IntArray
    content: Any
    """Whether the click ended the search."""


def examination(n_results: int, position_bias: float) -> FloatArray:
    """Return the chance that a user who is still searching looks at the result of rank r: r^−position_bias.

    >>> examination(4, 1.0).round(2).tolist()
    [1.0, 0.5, 0.33, 0.25]
    >>> examination(4, 0.0).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return np.arange(1.0, n_results + 1.0) ** -position_bias


def draw_clicks(
    rng: Rng, taste: Taste, query: IntArray, wants: IntArray, active: Any, position_bias: float
) -> ClickedResults:
    """Draw the clicks of one search per session, for the sessions that are ``active``.

    A result is clicked if it is examined, with chance r^−position_bias, and attracts; the first click that leaves the
    user content is the last. Chances are drawn for every session and every result, active or not, so that a dial which
    changes some clicks leaves the draws of all others as they were.
    """
    n_results = taste.click.shape[2]
    examined = examination(n_results, position_bias)
    found = []
    for first in range(0, len(query), PORTION):
        stop = min(first + PORTION, len(query))
        chances = rng.random((3, stop - first, n_results), dtype=np.float32)
        rows = np.flatnonzero(active[first:stop])
        kind, asked = wants[first + rows], query[first + rows]
        clicked = (chances[0, rows] < examined) & (chances[1, rows] < taste.click[kind, asked])
        content = clicked & (chances[2, rows] < taste.content[kind, asked])
        # Nothing is examined after the first content click.
        over = np.logical_or.accumulate(content, axis=1)
        clicked[:, 1:] &= ~over[:, :-1]
        place, column = np.nonzero(clicked)
        found.append((first + rows[place], column + 1, content[place, column]))
    return ClickedResults(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
