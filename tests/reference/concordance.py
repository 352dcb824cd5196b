"""Slow twin of the pair counts: enumerates every pair of a query."""

import math


def count_pairs(y, scores, weights=None):
    """Weights of concordant, discordant, score-tied and label-tied pairs of one query."""
    weights = [1.0] * len(y) if weights is None else weights
    concordant = discordant = score_tied = label_tied = 0.0
    for i in range(len(y)):
        for j in range(i):
            weight = weights[i] * weights[j]
            agreement = (y[i] - y[j]) * (scores[i] - scores[j])
            if y[i] == y[j] and scores[i] == scores[j]:
                continue
            if y[i] == y[j]:
                label_tied += weight
            elif scores[i] == scores[j]:
                score_tied += weight
            elif agreement > 0:
                concordant += weight
            else:
                discordant += weight
    return concordant, discordant, score_tied, label_tied


def pair_accuracy(y, scores, weights=None):
    """Share of pairs with different labels that are in the correct order, ties count half; None without such pairs."""
    concordant, discordant, tied, _ = count_pairs(y, scores, weights)
    total = concordant + discordant + tied
    return (concordant + tied / 2) / total if total else None


def tau(y, scores):
    """(P − Q)/(P + Q); None when P + Q is 0."""
    concordant, discordant, _, _ = count_pairs(y, scores)
    return (concordant - discordant) / (concordant + discordant) if concordant + discordant else None


def tau_b(y, scores):
    """Kendall's tau b; None when all labels or all scores are equal."""
    concordant, discordant, score_tied, label_tied = count_pairs(y, scores)
    strict = concordant + discordant
    scale = math.sqrt((strict + score_tied) * (strict + label_tied))
    return (concordant - discordant) / scale if scale else None


def ranking_risk(y, scores):
    """2/(m(m − 1)) Σ_{i<j} (y_i − y_j − (f_i − f_j))²; None for fewer than two documents."""
    m = len(y)
    if m < 2:
        return None
    pairs = ((y[i] - y[j] - (scores[i] - scores[j])) ** 2 for j in range(m) for i in range(j))
    return 2 / (m * (m - 1)) * sum(pairs)
