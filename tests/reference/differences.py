"""Slow twins of the ranking SVM on differences: exact kernel, minimum over listed pairs, Copeland's order."""

import numpy as np
from scipy.optimize import minimize

from tests.reference.lrbf import kernel


def odd_kernel(D, E, gammas):
    """½[K(δ, δ′) − K(δ, −δ′)] with K the sum of one Gaussian per feature."""
    return 0.5 * (kernel(D, E, gammas) - kernel(D, -E, gammas))


def odd_factor(D, gammas):
    """Columns whose products are the odd kernel of these differences."""
    values, vectors = np.linalg.eigh(odd_kernel(D, D, gammas))
    kept = values > 1e-13 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def minimum(objective):
    """Weights that minimise a listed objective with slopes, by a quasi-Newton method on dense columns."""
    start = np.zeros(objective.differences.shape[1])
    options = {"maxiter": 20_000, "maxfun": 200_000, "ftol": 1e-16, "gtol": 1e-10}
    found = minimize(objective.value, start, jac=objective.gradient, method="L-BFGS-B", options=options)
    return found.x


def copeland_positions(matrix):
    """Position of each document, 1 for the best, from the decisions f(a, b) of all pairs in one matrix."""
    n = len(matrix)
    wins = [sum(matrix[a][b] > 0 for b in range(n)) - sum(matrix[a][b] < 0 for b in range(n)) for a in range(n)]
    sums = [sum(matrix[a][b] for b in range(n) if b != a) for a in range(n)]
    best_first = sorted(range(n), key=lambda a: (-wins[a], -sums[a], a))
    return [best_first.index(a) + 1 for a in range(n)]
