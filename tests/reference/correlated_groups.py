"""Correlations around query means and average linkage, written out."""

import math


def correlation(x, z, qid, weight):
    """Weighted correlation of two columns around their query means; a missing value counts as its query's mean."""
    a, b = centred(x, qid, weight), centred(z, qid, weight)
    products = math.fsum(v * p * q for v, p, q in zip(weight, a, b, strict=True))
    squares = [math.fsum(v * p * p for v, p in zip(weight, one, strict=True)) for one in (a, b)]
    return 0.0 if 0.0 in squares else products / math.sqrt(squares[0]) / math.sqrt(squares[1])


def centred(x, qid, weight):
    means = {}
    for query in set(qid):
        known = [(v, value) for v, value, q in zip(weight, x, qid, strict=True) if q == query and not math.isnan(value)]
        total = math.fsum(v for v, _ in known)
        means[query] = math.fsum(v * value for v, value in known) / total if total else 0.0
        if len({value for _, value in known}) == 1:
            means[query] = known[0][1]
    return [0.0 if math.isnan(value) else value - means[q] for value, q in zip(x, qid, strict=True)]


def linked(correlations, threshold):
    """Join the two clusters with the largest mean |r| again and again, while it is at least the threshold."""
    clusters = [[k] for k in range(len(correlations))]
    while len(clusters) > 1:
        mean, i, j = max(
            (math.fsum(abs(correlations[p][q]) for p in a for q in b) / (len(a) * len(b)), i, j)
            for i, a in enumerate(clusters)
            for j, b in enumerate(clusters)
            if i < j
        )
        if mean < threshold:
            break
        clusters[i] = sorted(clusters[i] + clusters.pop(j))
    return sorted(tuple(cluster) for cluster in clusters if len(cluster) > 1)
