"""Simulated ranking problems for timing: like LETOR, features scaled to [0, 1] within queries, three label levels."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.groups import group_rows
from glassrank.core.within_query_scaling import scale_within_queries

DOCUMENTS_PER_QUERY = 150


@dataclass(frozen=True, eq=False)
class Problem:
    """Features, labels and query numbers; rows are sorted by query."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray


def letor_like(n_documents: int, n_features: int = 46, seed: int = 0, cuts: tuple[float, ...] = (0.75, 0.9)) -> Problem:
    """Correlated, partly heavy-tailed and sparse features; labels 0, 1, … by quantiles of a noisy utility."""
    rng = np.random.default_rng(seed)
    n_queries = max(1, n_documents // DOCUMENTS_PER_QUERY)
    qid = np.repeat(np.arange(n_queries), np.diff(np.linspace(0, n_documents, n_queries + 1).astype(int)))
    factors = rng.standard_normal((n_documents, 12))
    X = factors @ rng.standard_normal((12, n_features)) / np.sqrt(12)
    X += 0.5 * rng.standard_normal(X.shape)
    X[:, : n_features // 3] = np.exp(0.8 * X[:, : n_features // 3])
    X = scale_within_queries(X, group_rows(qid, n_documents), "minmax")
    utility = X @ (rng.standard_normal(n_features) * (rng.random(n_features) < 0.5))
    utility += utility.std() * rng.standard_normal(n_documents)
    return Problem(X, np.searchsorted(np.quantile(utility, cuts), utility).astype(float), qid)


def differences(problem: Problem) -> np.ndarray:
    """All comparable pairs, listed as x_better − x_worse: what a pairwise learner has to build."""
    parts = []
    ends = np.flatnonzero(np.diff(problem.qid, append=-1)) + 1
    for first, end in zip(np.append(0, ends[:-1]), ends, strict=True):
        better, worse = np.nonzero(problem.y[first:end, None] > problem.y[None, first:end])
        parts.append(problem.X[first + better] - problem.X[first + worse])
    return np.concatenate(parts)
