"""Slow twins of every loss and every pair weight of the ranking SVM: the pairs are listed, one by one."""

import math
from dataclasses import dataclass

import numpy as np


def listed_pairs(y, qid=None):
    """Rows (better, worse) of every comparable pair, query by query, shape (number of pairs, 2)."""
    y = np.asarray(y)
    query = np.zeros(len(y), dtype=int) if qid is None else np.asarray(qid)
    found = [np.zeros((0, 2), dtype=int)]
    for name in np.unique(query):
        rows = np.flatnonzero(query == name)
        found.append(rows[np.argwhere(y[rows][:, None] > y[rows][None, :])])
    return np.concatenate(found)


def largest_dcg(labels, weights=None):
    """DCG = Σ (2^y − 1)/log2(rank + 1) of the labels in their best order; a document of weight v takes up v ranks."""
    weights = [1.0] * len(labels) if weights is None else weights
    dcg, begin = 0.0, 0.0
    for label, weight in sorted(zip(labels, weights, strict=True), key=lambda document: -document[0]):
        end = begin + weight
        for rank in range(math.floor(begin) + 1, math.ceil(end) + 1):
            share = min(end, rank) - max(begin, rank - 1)
            dcg += share * (2.0**label - 1.0) / math.log2(rank + 1)
        begin = end
    return dcg


def listed_weights(kind, y, qid, pairs, row_weights=None):
    """Weight of each listed pair (better, worse), by the definition of its kind; whole row weights repeat rows."""
    y = [float(label) for label in y]
    query = [0] * len(y) if qid is None else list(qid)
    rows = [1.0] * len(y) if row_weights is None else [float(weight) for weight in row_weights]
    n_pairs, documents = {}, {}
    for better, worse in pairs.tolist():
        n_pairs[query[better]] = n_pairs.get(query[better], 0.0) + rows[better] * rows[worse]
    for name, label, weight in zip(query, y, rows, strict=True):
        documents.setdefault(name, []).append((label, weight))
    dcg = {name: largest_dcg(*zip(*documents[name], strict=True)) for name in n_pairs} if kind == "ndcg" else {}
    worth = {
        "uniform": lambda i, j: 1.0,
        "query": lambda i, j: 1.0 / n_pairs[query[i]],
        "label-gap": lambda i, j: y[i] - y[j],
        "ndcg": lambda i, j: (2.0 ** y[i] - 2.0 ** y[j]) / dcg[query[i]],
    }[kind]
    counts = [rows[i] * rows[j] for i, j in pairs.tolist()]
    return np.array([n * worth(i, j) if n > 0 else 0.0 for n, (i, j) in zip(counts, pairs.tolist(), strict=True)])


class SquaredHinge:
    """max(0, 1 − m)² of the margin m."""

    def loss(self, margin):
        return np.where(margin < 1, (1 - margin) ** 2, 0.0)

    def slope(self, margin):
        return np.where(margin < 1, -2 * (1 - margin), 0.0)

    def curvature(self, margin):
        return np.where(margin < 1, 2.0, 0.0)

    def conjugate(self, share):
        """sup_m (share · m − loss(m)) at share = −a ≤ 0: a²/4 − a."""
        return share**2 / 4 + share


class Hinge:
    """max(0, 1 − m)."""

    def loss(self, margin):
        return np.where(margin < 1, 1 - margin, 0.0)

    def conjugate(self, share):
        """At share in [−1, 0]: share itself."""
        return share


@dataclass(frozen=True)
class SmoothedHinge:
    """Hinge with a parabola between the margins 1 − δ and 1, where its slope goes from −1 to 0."""

    width: float

    def loss(self, margin):
        parabola = (1 - margin) ** 2 / (2 * self.width)
        line = 1 - margin - self.width / 2
        return np.where(margin >= 1, 0.0, np.where(margin >= 1 - self.width, parabola, line))

    def slope(self, margin):
        return np.where(margin >= 1, 0.0, np.where(margin >= 1 - self.width, (margin - 1) / self.width, -1.0))

    def curvature(self, margin):
        return np.where((margin >= 1 - self.width) & (margin < 1), 1 / self.width, 0.0)


class Logistic:
    """log(1 + exp(−m))."""

    def loss(self, margin):
        return np.logaddexp(0.0, -margin)

    def slope(self, margin):
        return -np.exp(-np.logaddexp(0.0, margin))

    def curvature(self, margin):
        return np.exp(-np.logaddexp(0.0, margin) - np.logaddexp(0.0, -margin))

    def conjugate(self, share):
        """At share = −a: a log a + (1 − a) log(1 − a)."""
        wrong = -share
        return _times_log(wrong) + _times_log(1 - wrong)


def _times_log(value):
    return value * np.log(np.where(value > 0, value, 1.0))


@dataclass(frozen=True)
class ListedObjective:
    """½‖w‖² + C Σ weight · loss(w·δ) over listed differences δ, with its derivatives and dual."""

    differences: np.ndarray
    weights: np.ndarray
    C: float
    loss: object

    def margins(self, w):
        return self.differences @ w

    def value(self, w):
        return 0.5 * np.dot(w, w) + self.C * np.dot(self.weights, self.loss.loss(self.margins(w)))

    def gradient(self, w):
        return w + self.C * self.differences.T @ (self.weights * self.loss.slope(self.margins(w)))

    def gradient_scale(self, w):
        """Size of the gradient's terms before they cancel each other, as they do near the optimum."""
        slope = self.weights * np.abs(self.loss.slope(self.margins(w)))
        return np.max(np.abs(w) + self.C * np.abs(self.differences).T @ slope)

    def hessian(self, w):
        curved = self.weights * self.loss.curvature(self.margins(w))
        return np.eye(len(w)) + self.C * self.differences.T @ (curved[:, None] * self.differences)

    def hessian_product(self, w, v):
        curved = self.weights * self.loss.curvature(self.margins(w))
        return v + self.C * self.differences.T @ (curved * (self.differences @ v))

    def dual_value(self, shares, conjugate):
        """−C Σ weight · conjugate(share) − ½‖C Σ weight · share · δ‖²: by Fenchel a lower bound of every value."""
        total = self.C * self.differences.T @ (self.weights * shares)
        return -self.C * np.dot(self.weights, conjugate(shares)) - 0.5 * np.dot(total, total)

    def duality_gap(self, w, other=None):
        """Value of the loss, or of ``other``, minus the dual value at the loss's own slopes."""
        judged = self.loss if other is None else other
        value = ListedObjective(self.differences, self.weights, self.C, judged).value(w)
        return value - self.dual_value(self.loss.slope(self.margins(w)), judged.conjugate)


def listed_objective(X, y, qid, C, loss, kind="uniform", row_weights=None):
    """Set up the objective over every comparable pair of the data."""
    pairs = listed_pairs(y, qid)
    weights = listed_weights(kind, y, qid, pairs, row_weights)
    return ListedObjective(np.asarray(X)[pairs[:, 0]] - np.asarray(X)[pairs[:, 1]], weights, C, loss)
