"""A random sample of whole queries, for choices that more data would hardly change."""

from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.join_data import join_data
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData

MOST_ROWS = 100_000
"""Rows on which a study chooses C, the features and the settings of LightGBM; every model is trained on all rows."""
MOST_ROWS_IN_MEMORY = 500_000
"""Rows of partitioned data that a study loads; its final model is trained on all blocks."""
FEWEST_QUERIES = 100  # fewer would not represent the others, however long their lists


def sample_of_queries(data: RankingData, seed: int) -> RankingData:
    """Return the data or, if they have more than ``MOST_ROWS`` rows, whole queries drawn at random up to that number.

    >>> from glassrank.simulation.ranking import simulate_ranking
    >>> data = simulate_ranking(20, 10, random_state=0).data
    >>> sample_of_queries(data, seed=0) is data
    True
    """
    return draw_sample(data, seed)[0]


def draw_sample(data: RankingData, seed: int, valid: IntArray | None = None) -> tuple[RankingData, IntArray | None]:
    """Return the same, and which rows of the result are for validation."""
    rows = sampled_rows(data, seed, valid)
    return (data, valid) if rows is None else (data.pick_rows(rows), places_of(valid, rows))


def places_of(valid: IntArray | None, rows: IntArray) -> IntArray | None:
    """Return which of the drawn rows are for validation."""
    return None if valid is None else np.flatnonzero(np.isin(rows, valid))


def sampled_rows(data: RankingData, seed: int, valid: IntArray | None = None) -> IntArray | None:
    """Return the rows of positive weight of the sample, in their order in the data; None for all rows."""
    return rows_of_sample(data.groups, data.weights, seed, valid)


def rows_of_sample(
    groups: Groups, weights: FloatArray | None, seed: int, valid: IntArray | None = None
) -> IntArray | None:
    """Return the rows of the sample from the queries and the weights of all rows; None for all rows.

    Of validation queries, given by their rows, and of the others, at least ``FEWEST_QUERIES`` are drawn, or all.
    """
    of_row, n_queries = groups.of_row, groups.n_queries
    counts = np.ones(groups.n_rows, dtype=bool) if weights is None else weights > 0
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


def load_sample(data: PartitionedData, seed: int) -> RankingData:
    """Return all rows or, if there are too many, those of queries drawn at random, in the order of the blocks."""
    data.check_judged("Training data")
    sizes = data.query_sizes if data.chosen is None else data.query_sizes * data.chosen
    shuffled = np.random.default_rng(seed).permutation(np.flatnonzero(sizes))
    n_drawn = max(1, int(np.searchsorted(np.cumsum(sizes[shuffled]), MOST_ROWS_IN_MEMORY, side="right")))
    drawn = np.zeros(len(sizes), dtype=bool)
    drawn[shuffled[:n_drawn]] = True
    view, first, parts = data.pick_queries(drawn), 0, []
    for number, block in enumerate(data.manifest.blocks):
        if drawn[first : first + block.n_queries].any():
            parts.append(view.read_block(number))
        first += block.n_queries
    return join_data(parts)


def fits_in_memory(data: PartitionedData) -> bool:
    """Return whether all rows are loaded, so that they can be studied with all options."""
    return data.engine is None and data.n_rows <= MOST_ROWS_IN_MEMORY


def check_partitioned_study(data: Any, mode: str, unit: str | None, scale_per_query: str | None) -> None:
    """Raise an error if data do not fit in memory and a model with these options cannot be trained block by block."""
    if not isinstance(data, PartitionedData) or fits_in_memory(data):
        return
    if mode != "utility":
        raise DataError(
            f"{setting('mode', mode)} cannot be computed block by block.", remedy=f"Use {setting('mode', 'utility')}."
        )
    if unit == "pair":
        raise DataError(
            f"{setting('C_unit', 'pair')} depends on the number of pairs, and a sample has fewer.",
            remedy=f"Use {setting('C_unit', 'mean')}.",
        )
    if scale_per_query is not None:
        raise DataError(
            "Features of partitioned data cannot be scaled within queries.",
            parameter="scale_per_query",
            remedy="Scale them before you write the blocks.",
        )


def sample_facts(whole: PartitionedData | None, sample: RankingData) -> dict[str, str]:
    """Say what was computed on all rows, and what on the sample."""
    if whole is None or whole.n_rows == sample.n_rows:
        return {}
    queries = counted(whole.n_queries, "query", "queries")
    return {
        "Computed on all blocks": f"the final model and its probabilities: {whole.n_rows:,} documents of {queries}",
        "Computed on a sample": f"the choice of C and of the features, all measures, and the intervals of effects: "
        f"{sample.n_rows:,} documents of {sample.n_queries:,} queries, drawn at random",
    }
