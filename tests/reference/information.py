"""Slow twins of information gain: counted probabilities, recursive cuts, listed pairs."""

import math
from collections import Counter
from itertools import combinations, pairwise


def entropy(labels):
    """−Σ p log₂ p over the distinct labels of a list."""
    total = len(labels)
    return -sum(count / total * math.log2(count / total) for count in Counter(labels).values())


def gain(parts, labels):
    """H(y) − Σ over parts of the share of the part times its entropy."""
    inside = [[y for part, y in zip(parts, labels, strict=True) if part == one] for one in set(parts)]
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in inside)


def fayyad_irani(values, labels):
    """Cut where the gain is largest if it exceeds its cost, then cut both parts."""
    rows = sorted(zip(values, labels, strict=True), key=lambda row: row[0])
    distinct = sorted(set(values))
    best, at = -math.inf, None
    for low, high in pairwise(distinct):
        cut = low / 2 + high / 2
        value = gain([v > cut for v, _ in rows], [y for _, y in rows])
        if value > best + 1e-12:
            best, at = value, cut
    if at is None:
        return []
    left, right = [row for row in rows if row[0] <= at], [row for row in rows if row[0] > at]
    n, whole = len(rows), [y for _, y in rows]
    ks = [len({y for _, y in part}) for part in (rows, left, right)]
    hs = [entropy([y for _, y in part]) for part in (rows, left, right)]
    delta = math.log2(3 ** ks[0] - 2) - (ks[0] * hs[0] - ks[1] * hs[1] - ks[2] * hs[2])
    if gain([v > at for v, _ in rows], whole) <= (math.log2(n - 1) + delta) / n:
        return []
    return [*fayyad_irani(*zip(*left, strict=True)), at, *fayyad_irani(*zip(*right, strict=True))]


def order_gain(values, labels, queries):
    """Information gain of sign(f_a − f_b) about which of a and b is better, over listed pairs in both orders."""
    signs, better = [], []
    rows = list(zip(values, labels, queries, strict=True))
    for (f, y, q), (g, z, r) in combinations(rows, 2):
        if q == r and y != z:
            signs += [(f > g) - (f < g), (g > f) - (g < f)]
            better += [y > z, z > y]
    return gain(signs, better)
