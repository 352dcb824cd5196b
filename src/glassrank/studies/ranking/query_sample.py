"""A random sample of whole queries, for choices that more data would hardly change."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData

MOST_ROWS = 100_000
"""Rows on which a study chooses C, the features and the settings of LightGBM; every model is trained on all rows."""
FEWEST_QUERIES = 100  # fewer would not represent the others, however long their lists


def sample_of_queries(data: RankingData, seed: int) -> RankingData:
    """Return the data or, if they have more than ``MOST_ROWS`` rows, whole queries drawn at random up to that number.

    >>> from glassrank.simulation.ranking import simulate_ranking
    >>> data = simulate_ranking(20, 10, random_state=0).data
    >>> sample_of_queries(data, seed=0) is data
    True
    """
    rows = sampled_rows(data, seed)
    return data if rows is None else data.pick_rows(rows)


def sampled_rows(data: RankingData, seed: int) -> IntArray | None:
    """Return the rows of the sample in their order in the data; None for all rows."""
    if data.n_rows <= MOST_ROWS:
        return None
    groups = data.groups
    shuffled = np.random.default_rng(seed).permutation(groups.n_queries)
    n_drawn = int(np.searchsorted(np.cumsum(groups.sizes[shuffled]), MOST_ROWS, side="right"))
    if n_drawn < FEWEST_QUERIES:
        return None
    drawn = np.zeros(groups.n_queries, dtype=bool)
    drawn[shuffled[:n_drawn]] = True
    return np.flatnonzero(drawn[groups.of_row])


def sample_in_words(data: RankingData, seed: int) -> str:
    """Say on how many queries the choices were made; empty if on all of them."""
    rows = sampled_rows(data, seed)
    if rows is None:
        return ""
    n_queries = len(np.unique(data.groups.of_row[rows]))
    return (
        f"a random sample of {n_queries:,} of {counted(data.n_queries, 'query', 'queries')} ({len(rows):,} "
        "documents); all models are trained and measured on all of them"
    )
