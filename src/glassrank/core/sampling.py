"""A sample of the queries that stands for all of them."""

import numpy as np

from glassrank.core.objectives import PairObjective

ROWS_WORTH_SAMPLING = 100_000
LEAST_ROWS, ROWS_PER_FEATURE, SHARE = 20_000, 40, 0.04
FEWEST_QUERIES = 100


def sample_queries(objective: PairObjective, seed: int = 0) -> PairObjective | None:
    """The same objective on a few per cent of the queries, with C raised in proportion; ``None`` for little data."""
    data = objective.data
    n_rows, n_queries = len(data.level), len(data.n_levels)
    share = max(SHARE, LEAST_ROWS / n_rows, ROWS_PER_FEATURE * objective.n_features / n_rows)
    n_sampled = int(share * n_queries)
    if n_rows < ROWS_WORTH_SAMPLING or share > 0.5 or n_sampled < FEWEST_QUERIES:
        return None
    chosen = np.sort(np.random.default_rng(seed).choice(n_queries, n_sampled, replace=False))
    sample = data.pick_queries(chosen)
    return objective.on(sample, objective.C * data.n_pairs / max(sample.n_pairs, 1))
