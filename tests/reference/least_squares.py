"""Slow twins of least squares over pairs: every pair is a row of one dense least-squares problem."""

import numpy as np


def ordered_pairs(y, qid=None, weighting="pairs", row_weights=None):
    """List (i, j, weight) for all ordered pairs of one query, including each document with itself.

    ``pairs``: v_i v_j; ``query``: v_i v_j over the square of the query's Σv; ``different-labels``: v_i v_j unless
    y_i = y_j.
    """
    n = len(y)
    query = [0] * n if qid is None else list(qid)
    v = [1.0] * n if row_weights is None else list(row_weights)
    total = {}
    for i in range(n):
        total[query[i]] = total.get(query[i], 0.0) + v[i]
    listed = []
    for i in range(n):
        for j in range(n):
            if query[i] != query[j]:
                continue
            weight = v[i] * v[j]
            if weighting == "query":
                weight = weight / total[query[i]] ** 2 if total[query[i]] else 0.0
            if weighting == "different-labels" and y[i] == y[j]:
                weight = 0.0
            listed.append((i, j, weight))
    return listed


def total_weight(y, qid=None, weighting="pairs", row_weights=None):
    """Z: the weight of all ordered pairs."""
    return sum(weight for _, _, weight in ordered_pairs(y, qid, weighting, row_weights))


def pair_objective(H, y, qid, coef, alpha, weighting="pairs", row_weights=None):
    """(1/Z) Σ weight (y_i − y_j − (f_i − f_j))² + alpha ‖coef‖², by a loop over the pairs."""
    f = H @ coef
    pairs = ordered_pairs(y, qid, weighting, row_weights)
    loss = sum(w * (y[i] - y[j] - (f[i] - f[j])) ** 2 for i, j, w in pairs)
    return loss / sum(w for _, _, w in pairs) + alpha * np.dot(coef, coef)


def fit_by_pairs(H, y, qid, alpha, weighting="pairs", row_weights=None, normaliser=None):
    """Minimise the same by numpy's least squares on one row per pair and one row per coefficient."""
    pairs = ordered_pairs(y, qid, weighting, row_weights)
    Z = sum(w for _, _, w in pairs) if normaliser is None else normaliser
    i, j = np.array([(i, j) for i, j, _ in pairs]).T
    root = np.sqrt(np.array([w for _, _, w in pairs]) / Z)
    rows = np.vstack([root[:, None] * (H[i] - H[j]), np.sqrt(alpha) * np.eye(H.shape[1])])
    targets = np.concatenate([root * (y[i] - y[j]), np.zeros(H.shape[1])])
    return np.linalg.lstsq(rows, targets, rcond=None)[0]


def fit_kernel_by_pairs(K, y, qid, alpha, weighting="pairs", row_weights=None):
    """Minimise (1/Z) Σ weight (y_i − y_j − (f_i − f_j))² + alpha βᵀKβ with f = Kβ, for a positive definite K.

    With K = CCᵀ and γ = Cᵀβ this is the problem above on the rows of C.
    """
    C = np.linalg.cholesky(K)
    return np.linalg.solve(C.T, fit_by_pairs(C, y, qid, alpha, weighting, row_weights))


def node_output(activation, x, inputs, bias):
    """One node's output for one document; a Gaussian node is exp(−bias ‖x − inputs‖²)."""
    if activation == "gaussian":
        return np.exp(-bias * np.sum((x - inputs) ** 2))
    z = np.sum(x * inputs) + bias
    return {
        "sigmoid": lambda: 1.0 / (1.0 + np.exp(-z)),
        "tanh": lambda: np.tanh(z),
        "relu": lambda: max(z, 0.0),
        "linear": lambda: z,
    }[activation]()


def hidden_layer(activation, X, inputs, biases):
    """Outputs of all nodes for all documents; column k of ``inputs`` belongs to node k."""
    return np.array([[node_output(activation, x, inputs[:, k], biases[k]) for k in range(inputs.shape[1])] for x in X])
