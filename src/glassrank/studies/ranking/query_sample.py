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


def sampled_rows(data: RankingData, seed: int, valid: IntArray | None = None) -> IntArray | None:
    """Return the rows of positive weight of the sample, in their order in the data; None for all rows.

    Of validation queries, given by their rows, and of the others, at least ``FEWEST_QUERIES`` are drawn, or all.
    """
    of_row, n_queries = data.groups.of_row, data.n_queries
    counts = np.ones(data.n_rows, dtype=bool) if data.weights is None else data.weights > 0
    sizes = np.bincount(of_row[counts], minlength=n_queries)
    if sizes.sum() <= MOST_ROWS:
        return None
    shuffled = np.random.default_rng(seed).permutation(np.flatnonzero(sizes))
    validates = np.zeros(n_queries, dtype=bool)
    validates[of_row[[] if valid is None else valid]] = True
    parts = (shuffled[validates[shuffled]], shuffled[~validates[shuffled]])
    first = np.concatenate([part[:FEWEST_QUERIES] for part in parts])
    order = np.append(first, shuffled[~np.isin(shuffled, first)])
    n_drawn = int(np.searchsorted(np.cumsum(sizes[order]), MOST_ROWS, side="right"))
    if n_drawn < max(len(first), FEWEST_QUERIES):
        return None
    return np.flatnonzero(np.isin(of_row, order[:n_drawn]) & counts)


def sample_in_words(data: RankingData, seed: int, valid: IntArray | None = None) -> str:
    """Say on how many queries the choices were made; empty if on all of them."""
    rows = sampled_rows(data, seed, valid)
    if rows is None:
        return ""
    of_row = data.groups.of_row
    n_queries = len(np.unique(of_row[rows]))
    n_all = data.n_queries if data.weights is None else len(np.unique(of_row[data.weights > 0]))
    return (
        f"a random sample of {n_queries:,} of {counted(n_all, 'query', 'queries')} ({len(rows):,} documents), also in "
        "the charts of these choices; all compared models are trained and measured on all of them"
    )
