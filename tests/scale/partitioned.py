"""Small ranking data of every kind, in memory and as a folder of blocks."""

import numpy as np

from glassrank.core.feature_kinds import PLAIN, FeatureKind
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.data.ranking_data import RankingData

N_QUERIES, LENGTH = 40, 12


def plain_data(weights=None, n_queries=N_QUERIES, seed=0):
    """Rows of numbers on different scales, one of them constant; queries are not adjacent, one is long."""
    rng = np.random.default_rng(seed)
    qid = np.append(rng.permutation(np.repeat(np.arange(n_queries), LENGTH)), np.full(3 * LENGTH, n_queries + 6))
    X = rng.normal(size=(len(qid), 5)) * [1.0, 30.0, 0.02, 2.0, 0.0] + [0.0, 100.0, 0.0, -3.0, 7.0]
    noisy = X @ [1.0, 0.02, 40.0, 0.0, 0.0] + rng.normal(size=len(qid))
    y = np.searchsorted([2.0, 3.5], noisy).astype(float)
    names = ["bm25", "Bm25", "label", "age", "constant"]
    return RankingData(X, y, qid, feature_names=names, weights=weights)


def weighted_data():
    """The same rows, with weights from 0 to 3; all rows of one query have weight 0."""
    data = plain_data()
    weights = np.random.default_rng(1).integers(0, 4, data.n_rows).astype(float)
    weights[data.qid == 3] = 0.0
    return plain_data(weights)


def mixed_data(weights=None):
    """Numbers with gaps, yes/no values and a category with rare levels; text as query ids, and document ids."""
    data, rng = plain_data(), np.random.default_rng(2)
    X = data.X.copy()
    X[rng.random(data.n_rows) < 0.2, 1] = np.nan
    levels = ("cars", "news", "rare", "shop")
    kinds = (PLAIN, PLAIN, FeatureKind("boolean"), FeatureKind("category", levels), PLAIN)
    X[:, 2] = X[:, 2] > 0
    X[:, 3] = rng.choice([0.0, 1.0, 3.0, np.nan], data.n_rows)
    X[:4, 3] = 2.0
    qid = np.array([f"q {number}" for number in data.qid])
    documents = np.array([f"d{row}" for row in range(data.n_rows)])
    return RankingData(X, data.y, qid, documents, data.feature_names, weights, kinds=kinds)


def in_blocks(data, folder, rows_per_block=100):
    save_partitions(data, folder, rows_per_block=rows_per_block)
    return open_partitions(folder)
