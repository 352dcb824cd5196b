"""Slow twins of the LRBF kernel K(x, z) = Σ_k exp(−γ_k (x_k − z_k)²) and of the ranking SVM on pairs of documents."""

import math

import numpy as np


def gaussian(x, z, gamma):
    """One-dimensional Gaussian of every value of ``x`` with every value of ``z``."""
    return np.exp(-gamma * (np.asarray(x)[:, None] - np.asarray(z)[None, :]) ** 2)


def kernel(X, Z, gammas):
    """Sum of one Gaussian per feature; a precision of 0 drops the feature."""
    return sum(gaussian(X[:, k], Z[:, k], gamma) for k, gamma in enumerate(gammas) if gamma > 0)


def pair_kernel(document_kernel, pairs):
    """k(a, c) − k(a, d) − k(b, c) + k(b, d) for all pairs of documents (a, b) and (c, d)."""
    above, below = document_kernel[pairs[:, 0]], document_kernel[pairs[:, 1]]
    return (above - below)[:, pairs[:, 0]] - (above - below)[:, pairs[:, 1]]


def scale_gammas(X, qid=None, row_weights=None):
    """γ = 1/(2 s²), s the standard deviation of each feature around the means of the queries; 0 for s = 0."""
    query = [0] * len(X) if qid is None else list(qid)
    rows = [1.0] * len(X) if row_weights is None else list(row_weights)
    gammas = []
    for k in range(len(X[0])):
        squares = 0.0
        for name in set(query):
            members = [(float(X[i][k]), rows[i]) for i in range(len(X)) if query[i] == name]
            if len({value for value, _ in members}) > 1:
                mean = math.fsum(v * w for v, w in members) / math.fsum(w for _, w in members)
                squares += math.fsum(w * (v - mean) ** 2 for v, w in members)
        gammas.append(0.0 if squares == 0 else 0.5 / (squares / math.fsum(rows)))
    return np.array(gammas)


def dual_coefficients_of_rows(shares, pairs, n_rows):
    """Coefficient of each document in u(x) = Σ_i coefficient_i K(x_i, x), from the coefficient of each pair."""
    coefficients = np.zeros(n_rows)
    np.add.at(coefficients, pairs[:, 0], shares)
    np.subtract.at(coefficients, pairs[:, 1], shares)
    return coefficients
