"""Slow twin: probabilities of listed pairs from scores, by slopes that are fitted to the pairs of other queries."""

import math
from itertools import combinations


def listed_pairs(scores, y, qid, weights):
    """Return (number of the query, score of the better minus that of the worse, weight) of every comparable pair."""
    queries = list(dict.fromkeys(qid))
    pairs = []
    for number, query in enumerate(queries):
        rows = [row for row in range(len(y)) if qid[row] == query]
        for a, b in combinations(rows, 2):
            if y[a] != y[b]:
                better, worse = (a, b) if y[a] > y[b] else (b, a)
                pairs.append((number, scores[better] - scores[worse], weights[a] * weights[b]))
    return pairs


def fitted_slope(pairs):
    """Return s that minimises Σ w [t log(1 + exp(−s f)) + (1 − t) log(1 + exp(s f))], by bisection of its derivative.

    Weights have mean 1, and t = (n + 1)/(n + 2) for n pairs.
    """
    mean = sum(weight for *_, weight in pairs) / len(pairs)
    target = (len(pairs) + 1) / (len(pairs) + 2)

    def derivative(slope):
        return sum(weight / mean * f * (1 / (1 + math.exp(-slope * f)) - target) for _, f, weight in pairs)

    low, high = -1e3, 1e3
    largest = max(abs(f) for _, f, _ in pairs)
    low, high = low / largest, high / largest
    low, high = max(low, -700 / largest), min(high, 700 / largest)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
    return (low + high) / 2


def held_out_log_odds(scores, y, qid, weights, n_parts=3):
    """Return the log-odds of every pair's true order, by the slope of the queries in the other parts."""
    pairs = listed_pairs(scores, y, qid, weights)
    slopes = [fitted_slope([pair for pair in pairs if pair[0] % n_parts != part]) for part in range(n_parts)]
    return [slopes[number % n_parts] * f for number, f, _ in pairs]


def reliability(log_odds):
    """Return Brier score, log-loss and the share of pairs in the right order."""
    n = len(log_odds)
    right = [1 / (1 + math.exp(-odds)) for odds in log_odds]
    brier = sum((1 - p) ** 2 for p in right) / n
    log_loss = -sum(math.log(p) for p in right) / n
    return brier, log_loss, sum(1.0 if odds > 0 else 0.5 if odds == 0 else 0.0 for odds in log_odds) / n
