"""Slow twin of models with missing values, categories and yes/no values: kernels by their formulas, pairs listed.

A table is a list of rows; a value is a number (yes/no as 1 and 0), the name of a level, or None if it is missing. A
feature's part of the kernel, k(x, z) of known values, is x·z or exp(−γ(x − z)²) + κ·x·z of numbers, and the product of
the centred indicators 1[x = l] − share_l of categories. If values are missing in training, k is centred at the weighted
mean m of the known ones, k(x, z) − k(x, m) − k(m, z) + k(m, m); it is 0 if one of the two values is missing, and 1 if
both are: the product of their indicators.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import SVC

from tests.reference.class_objective import Classes
from tests.reference.pair_losses import Hinge, ListedObjective, Logistic, SquaredHinge, listed_pairs, listed_weights

LOSSES = {"squared_hinge": SquaredHinge(), "hinge": Hinge(), "logistic": Logistic()}


@dataclass(frozen=True)
class Setting:
    """Kernel "linear" or "lrbf", factor on γ = 1/(2 s²), κ of the linear part, and rows that a level needs."""

    kernel: str = "linear"
    factor: float = 1.0
    linear: float = 0.0
    min_count: int = 10


def weighted_mean(values, weights):
    return math.fsum(v * w for v, w in zip(values, weights, strict=True)) / math.fsum(weights)


def spread(values, qid, weights):
    """Weighted standard deviation of the known values around the means of their queries."""
    squares = []
    for name in dict.fromkeys(qid):
        own = [(v, w) for v, w, q in zip(values, weights, qid, strict=True) if q == name and v is not None]
        if len({v for v, _ in own}) > 1:
            mean = weighted_mean([v for v, _ in own], [w for _, w in own])
            squares += [w * (v - mean) ** 2 for v, w in own]
    known = math.fsum(w for v, w in zip(values, weights, strict=True) if v is not None)
    return math.sqrt(math.fsum(squares) / known) if squares else 0.0


class Numbers:
    """Part of the kernel of a number or a yes/no value."""

    def __init__(self, values, qid, weights, setting):
        known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
        self.has_missing = len(known) < len(values)
        self.mean = weighted_mean([v for v, _ in known], [w for _, w in known]) if known else 0.0
        self.setting = setting
        deviation = spread(values, qid, weights)
        self.gamma = 0.0 if deviation == 0 else setting.factor / (2 * deviation**2)

    def known(self, x, z):
        """The kernel of two known values."""
        if self.setting.kernel == "linear":
            return x * z
        if self.gamma == 0:
            return 0.0
        return math.exp(-self.gamma * (x - z) ** 2) + self.setting.linear * x * z

    def __call__(self, x, z):
        if x is None or z is None:
            return 1.0 if self.has_missing and x is None and z is None else 0.0
        if not self.has_missing:
            return self.known(x, z)
        m = self.mean
        return self.known(x, z) - self.known(x, m) - self.known(m, z) + self.known(m, m)


class Levels:
    """Part of the kernel of a category."""

    def __init__(self, values, qid, weights, setting):
        known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
        self.has_missing = len(known) < len(values)
        counts = {}
        for level, _ in known:
            counts[level] = counts.get(level, 0) + 1
        self.frequent = {level for level, count in counts.items() if count >= setting.min_count}
        self.has_other = len(self.frequent) < len(counts)
        total = math.fsum(w for _, w in known)
        self.shares, self.columns = {}, {}
        for level, weight in known:
            self.shares[self.column(level)] = self.shares.get(self.column(level), 0.0) + weight / total

    def column(self, level):
        """The level itself, or "other" of rare and unseen ones, written as ()."""
        return level if level in self.frequent else () if self.has_other else None

    def centred(self, level):
        """1[x = l] − share_l of each column; all 0 if the level is unknown and there is no "other"."""
        if level not in self.columns:
            own = self.column(level)
            known = own is not None and len(self.shares) > 1
            columns = [(1.0 if name == own else 0.0) - share if known else 0.0 for name, share in self.shares.items()]
            self.columns[level] = np.array(columns)
        return self.columns[level]

    def __call__(self, x, z):
        if x is None or z is None:
            return 1.0 if self.has_missing and x is None and z is None else 0.0
        return float(self.centred(x) @ self.centred(z))


@dataclass(frozen=True)
class FeatureKernels:
    """The kernel as a sum over features, made from training rows (all of positive weight)."""

    parts: tuple
    rows: list

    @classmethod
    def of(cls, rows, categories, qid, weights, setting):
        """``categories`` says for each feature whether it is a category."""
        columns = zip(*rows, strict=True)
        kinds = [Levels if category else Numbers for category in categories]
        return cls(tuple(kind(list(c), qid, weights, setting) for kind, c in zip(kinds, columns, strict=True)), rows)

    def grams(self, rows):
        """Kernel of each feature, of the given rows with the training rows."""
        return [
            np.array([[part(row[k], other[k]) for other in self.rows] for row in rows])
            for k, part in enumerate(self.parts)
        ]


@dataclass(frozen=True)
class Expansion:
    """f(x) = intercept + Σ_i coefficient_i K(x_i, x), with its value of the objective."""

    kernels: FeatureKernels
    coefficients: np.ndarray
    value: float
    intercept: float = 0.0

    def contributions(self, rows):
        """What each feature adds to f, one column per feature."""
        return np.column_stack([gram @ self.coefficients for gram in self.kernels.grams(rows)])

    def scores(self, rows):
        return self.intercept + self.contributions(rows).sum(axis=1)


def factor(gram):
    """Columns whose products are the kernel of the training rows."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-13 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def best_ranker(kernels, y, qid, C, loss="squared_hinge", weights=None, pair_weight="uniform"):
    """The ranking SVM on listed pairs; C multiplies the weighted mean of the pair losses."""
    pairs = listed_pairs(y, qid)
    counts = listed_weights(pair_weight, y, qid, pairs, weights)
    C = C / counts.sum()
    gram = sum(kernels.grams(kernels.rows))
    if loss == "hinge":
        return _hinge_ranker(kernels, gram, pairs, C * counts)
    columns = factor(gram)
    slow = ListedObjective(columns[pairs[:, 0]] - columns[pairs[:, 1]], counts, C, LOSSES[loss])
    found = minimize(
        slow.value,
        np.zeros(columns.shape[1]),
        jac=slow.gradient,
        hess=slow.hessian,
        method="trust-exact",
        options={"gtol": 1e-10, "maxiter": 2000},
    )
    shares = -C * counts * slow.loss.slope(slow.margins(found.x))
    return Expansion(kernels, _of_rows(shares, pairs, len(y)), slow.value(found.x))


def _hinge_ranker(kernels, gram, pairs, weights):
    """LIBSVM on both orientations of every pair, each with half the weight; its bias is then 0."""
    above, below = gram[pairs[:, 0]], gram[pairs[:, 1]]
    of_pairs = (above - below)[:, pairs[:, 0]] - (above - below)[:, pairs[:, 1]]
    both = np.block([[of_pairs, -of_pairs], [-of_pairs, of_pairs]])
    sign = np.repeat([1, -1], len(pairs))
    peer = SVC(kernel="precomputed", C=1.0, tol=1e-10).fit(both, sign, sample_weight=np.tile(weights / 2, 2))
    alpha = np.zeros(len(sign))
    alpha[peer.support_] = peer.dual_coef_[0]
    shares = alpha[: len(pairs)] - alpha[len(pairs) :]
    margins = of_pairs @ shares
    value = 0.5 * shares @ margins + weights @ np.maximum(0.0, 1.0 - margins)
    return Expansion(kernels, _of_rows(shares, pairs, len(gram)), value)


def _of_rows(shares, pairs, n_rows):
    coefficients = np.zeros(n_rows)
    np.add.at(coefficients, pairs[:, 0], shares)
    np.subtract.at(coefficients, pairs[:, 1], shares)
    return coefficients


def best_classifier(kernels, signs, C, loss="squared_hinge", weights=None):
    """The support vector classifier with a bias; the weight of a row multiplies C."""
    gram = sum(kernels.grams(kernels.rows))
    weights = C * (np.ones(len(signs)) if weights is None else np.asarray(weights))
    if loss == "hinge":
        peer = SVC(kernel="precomputed", C=1.0, tol=1e-10).fit(gram, signs, sample_weight=weights)
        alpha = np.zeros(len(signs))
        alpha[peer.support_] = peer.dual_coef_[0]
        outputs = gram @ alpha
        # The objective is piecewise linear in the bias: LIBSVM's is near the best, which makes some margin exactly 1.
        slack = {b: weights @ np.maximum(0.0, 1.0 - signs * (outputs + b)) for b in signs - outputs}
        best = min(slack, key=slack.get)
        return Expansion(kernels, alpha, 0.5 * alpha @ outputs + slack[best], best)
    slow = Classes(factor(gram), np.asarray(signs, dtype=float), weights)
    w, b = slow.best()
    return Expansion(kernels, 2 * weights * slow.signs * slow.slack(w, b), slow.squared_hinge(w, b), b)
