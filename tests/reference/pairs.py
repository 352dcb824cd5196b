"""Slow twins of everything that glassrank computes over pairs: the pairs are listed, one by one."""

from dataclasses import dataclass

import numpy as np


def comparable_pairs(y, qid=None):
    """List (i, j) for all rows of one query with y_i > y_j."""
    n = len(y)
    query = [0] * n if qid is None else list(qid)
    return [(i, j) for i in range(n) for j in range(n) if query[i] == query[j] and y[i] > y[j]]


def comparable_pairs_by_comparison(y, qid=None):
    """List the same pairs by comparing whole arrays, for queries too long for a loop in Python."""
    y = np.asarray(y)
    query = np.zeros(len(y), dtype=int) if qid is None else np.asarray(qid)
    return np.argwhere((query[:, None] == query[None, :]) & (y[:, None] > y[None, :]))


def pair_differences(X, pairs):
    """Stack δ = x_i − x_j of the listed pairs, shape (number of pairs, d)."""
    X = np.asarray(X)
    if len(pairs) == 0:
        return np.zeros((0, X.shape[1]))
    i, j = np.asarray(pairs).T
    return X[i] - X[j]


@dataclass(frozen=True)
class SquaredHinge:
    """½‖w‖² + C Σ max(0, 1 − w·δ)² over listed differences δ, with its derivatives and dual."""

    differences: np.ndarray
    C: float

    def slack(self, w):
        return np.maximum(0.0, 1.0 - self.differences @ w)

    def value(self, w):
        return 0.5 * np.dot(w, w) + self.C * np.sum(self.slack(w) ** 2)

    def gradient(self, w):
        return w - 2.0 * self.C * self.differences.T @ self.slack(w)

    def active(self, w):
        """Differences with a margin below 1, strictly."""
        return self.differences[self.differences @ w < 1.0]

    def hessian(self, w):
        active = self.active(w)
        return np.eye(len(w)) + 2.0 * self.C * active.T @ active

    def hessian_product(self, w, v):
        active = self.active(w)
        return v + 2.0 * self.C * active.T @ (active @ v)

    def dual_value(self, alpha):
        """Σα − Σα²/(4C) − ½‖Σ α δ‖²: for any α ≥ 0 a lower bound of the value at every w."""
        total = self.differences.T @ alpha
        return np.sum(alpha) - np.sum(alpha**2) / (4.0 * self.C) - 0.5 * np.dot(total, total)

    def duality_gap(self, w):
        """Value minus the dual value at α = 2C max(0, 1 − w·δ)."""
        return self.value(w) - self.dual_value(2.0 * self.C * self.slack(w))


def squared_hinge(X, y, qid, C):
    """Set up the objective over every comparable pair of the data."""
    return SquaredHinge(pair_differences(X, comparable_pairs_by_comparison(y, qid)), C)


def pair_accuracy(scores, y, qid=None, weights=None):
    """Return the mean over queries of the weighted share of pairs in the correct order; a tie in score counts half.

    The weight of a pair is the product of its rows' weights. Queries without a comparable pair of positive weight are
    left out.
    """
    weights = [1.0] * len(y) if weights is None else weights
    query = [0] * len(y) if qid is None else list(qid)
    right, total = {}, {}
    for i, j in comparable_pairs(y, qid):
        credit = 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
        right[query[i]] = right.get(query[i], 0.0) + weights[i] * weights[j] * credit
        total[query[i]] = total.get(query[i], 0.0) + weights[i] * weights[j]
    shares = [right[q] / total[q] for q in total if total[q] > 0]
    return sum(shares) / len(shares)


@dataclass(frozen=True)
class Problem:
    """Random rows for a comparison: features, labels, queries and a point w."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray
    w: np.ndarray


def random_problem(seed, *, n_rows=60, n_features=4, n_queries=5, levels=3):
    """Simulate unsorted rows with duplicates, a query of one document, and one query whose labels are all equal.

    ``levels=None`` gives real-valued labels that all differ.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    duplicated = rng.integers(n_rows, size=n_rows // 5)
    X[rng.integers(n_rows, size=n_rows // 5)] = X[duplicated]
    noisy = X @ rng.normal(size=n_features) + 0.5 * rng.normal(size=n_rows)
    if levels is None:
        y = noisy
    else:
        y = np.searchsorted(np.quantile(noisy, np.arange(1, levels) / levels), noisy).astype(float)
    qid = rng.integers(n_queries, size=n_rows)
    if n_queries > 2:
        qid[qid == 1] = 0
        qid[rng.integers(n_rows)] = 1
        y[qid == 2] = y[0]
    return Problem(X, y, qid, rng.normal(size=n_features))


def published_points():
    """Build the 60 points of the well-known pairwise-transform experiment; return X, labels, blocks and the generator.

    Three labels of 20 points each lie along a direction of 60°; every second point, one block, is displaced.
    """
    generator = np.random.RandomState(0)
    theta = np.deg2rad(60)
    direction = np.array([np.sin(theta), np.cos(theta)])
    X = np.concatenate([generator.randn(20, 2) + label * 4 * direction for label in range(3)])
    X[::2] -= np.array([3, 7])
    return X, np.repeat([0, 1, 2], 20), np.tile([0, 1], 30), generator
