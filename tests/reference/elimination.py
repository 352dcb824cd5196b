"""Slow twin of nomogram-based recursive feature elimination (Table 1): an explicit loop with a new fit in every round.

A fit lists the pairs and passes their differences to LIBLINEAR; lengths come from the definition, query by query.
"""

import statistics

import numpy as np
from sklearn.svm import LinearSVC

from tests.reference.pairs import comparable_pairs, pair_accuracy, pair_differences


def fit_pairs(X, pairs, C, row_weights=None):
    """Weights w that minimise ½‖w‖² + C Σ max(0, 1 − w·δ)² over the differences δ of the listed pairs, by LIBLINEAR.

    With row weights v, the pair (i, j) counts v_i v_j.
    """
    v = np.ones(len(X)) if row_weights is None else np.asarray(row_weights)
    differences = pair_differences(X, pairs)
    # LinearSVC needs two classes: every second pair is reversed, which changes nothing without a bias.
    signs = np.where(np.arange(len(differences)) % 2, -1.0, 1.0)
    weights = np.array([v[i] * v[j] for i, j in pairs])
    if len(signs) == 1:
        differences, signs, weights = differences[[0, 0]], np.array([1.0, -1.0]), weights[[0, 0]] / 2.0
    machine = LinearSVC(loss="squared_hinge", dual=False, fit_intercept=False, C=C, tol=1e-13, max_iter=100_000)
    return machine.fit(differences * signs[:, None], signs, sample_weight=weights).coef_.ravel()


def lengths(X, w, qid, kind):
    """Length of each line w_k x_k: ranges of its effect, by the definition of the kind."""
    effects = np.asarray(X) * w
    members = [np.flatnonzero(np.asarray(qid) == name) for name in dict.fromkeys(list(qid))]
    found = []
    for column in effects.T:
        ranges = [max(column[rows]) - min(column[rows]) for rows in members]
        differences = [a - b for rows in members for a in column[rows] for b in column[rows]]
        found.append(
            {
                "query": statistics.mean(ranges),
                "global": max(column) - min(column),
                "pair-difference": max(differences) - min(differences),
            }[kind]
        )
    return found


def eliminate(X, y, qid, C, folds, kind="query", row_weights=None):
    """Table 1, line by line; ``folds`` are (training rows, held-out rows).

    Returns the selected features, the order in which all features are dropped, and (features, accuracy) of every round.
    """
    X, y, qid = np.asarray(X), np.asarray(y), np.asarray(qid)
    v = np.ones(len(X)) if row_weights is None else np.asarray(row_weights)
    s, r, best, order, curve = list(range(X.shape[1])), [], 0.0, [], []
    while s:
        restricted = X[:, s]
        per_fold = []
        for train, held_out in folds:
            w = fit_pairs(restricted[train], comparable_pairs(y[train], qid[train]), C, v[train])
            per_fold.append(pair_accuracy(restricted[held_out] @ w, y[held_out], qid[held_out]))
        accuracy = sum(per_fold) / len(per_fold)
        curve.append((list(s), accuracy))
        if best < accuracy:
            r, best = list(s), accuracy
        w = fit_pairs(restricted, comparable_pairs(y, qid), C, v)
        line = lengths(restricted, w, qid, kind)
        shortest = line.index(min(line))
        order.append(s.pop(shortest))
    return r, order, curve


def eliminate_by_fold(X, y, qid, C, folds):
    """Each fold learns an order of its own from its training rows, and folds are compared by the number of features.

    Returns the accuracy by number of features, from all of them downwards, and the best number, of equal ones the
    smallest.
    """
    X, y, qid = np.asarray(X), np.asarray(y), np.asarray(qid)
    curves = []
    for train, held_out in folds:
        order = eliminate(X[train], y[train], qid[train], C, [(np.arange(len(train)),) * 2])[1]
        curves.append([])
        for dropped in range(X.shape[1]):
            s = sorted(set(range(X.shape[1])) - set(order[:dropped]))
            w = fit_pairs(X[np.ix_(train, s)], comparable_pairs(y[train], qid[train]), C)
            curves[-1].append(pair_accuracy(X[np.ix_(held_out, s)] @ w, y[held_out], qid[held_out]))
    curve = [sum(values) / len(values) for values in zip(*curves, strict=True)]
    best = max(place for place, accuracy in enumerate(curve) if accuracy >= max(curve) - 1e-9)
    return curve, X.shape[1] - best


def eliminate_on_pairs(X, y, C, folds):
    """Table 1 as the source runs it on one query: pairs are the samples, and folds split pairs.

    ``folds`` are (training pairs, held-out pairs) by number in the list passed to ``fit_pairs``.
    """
    pairs, folds = folds
    s, order, curve = list(range(X.shape[1])), [], []
    while s:
        differences = pair_differences(X[:, s], pairs)
        shares = []
        for train, held_out in folds:
            w = fit_pairs(X[:, s], [pairs[p] for p in train], C)
            margins = differences[held_out] @ w
            shares.append(float(np.mean(np.where(margins == 0, 0.5, margins > 0))))
        curve.append(sum(shares) / len(shares))
        line = lengths(X[:, s], fit_pairs(X[:, s], pairs, C), np.zeros(len(X)), "query")
        order.append(s.pop(line.index(min(line))))
    return order, curve
