"""Judged documents whose held-out pairs reverse the order: every fold contradicts what the other two teach."""

import numpy as np
from sklearn.model_selection import GroupKFold

import glassrank as gr

N_QUERIES, N_DOCUMENTS = 15, 6


def reversing_data():
    """Two of three folds want a high "rise" with a small spread, the third a low one with a large spread.

    Any two folds with the third learn to want a low one, which is wrong in the fold held out, and so is what the first
    two teach for the third. "noise" is unrelated.
    """
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    fold = np.empty(len(qid), dtype=int)
    for number, (_, rows) in enumerate(GroupKFold(3).split(qid, qid, qid)):
        fold[rows] = number
    y = np.tile(np.arange(N_DOCUMENTS) % 3, N_QUERIES).astype(float)
    rise = np.where(fold == 2, -4.0, 1.0) * (y - 1.0 + 0.2 * rng.normal(size=len(y)))
    X = np.column_stack([rise, rng.normal(size=len(y))])
    return gr.RankingData(
        X, y, qid, np.tile([f"d{place}" for place in range(N_DOCUMENTS)], N_QUERIES), feature_names=["rise", "noise"]
    )
