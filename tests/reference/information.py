"""Slow twins of information gain: counted probabilities, recursive cuts, listed pairs."""

import math
from collections import Counter
from fractions import Fraction
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
    """Information gain of sign(f_a − f_b) about which of a and b is better, over listed pairs in both orders.

    If one value is missing (None), the sign is replaced by which one.
    """
    signs, better = [], []
    rows = list(zip(values, labels, queries, strict=True))
    for (f, y, q), (g, z, r) in combinations(rows, 2):
        if q == r and y != z:
            signs += [_sign(f, g), _sign(g, f)]
            better += [y > z, z > y]
    return gain(signs, better)


def _sign(f, g):
    if f is None or g is None:
        return 0 if f is g else f"missing {'first' if f is None else 'second'}"
    return (f > g) - (f < g)


def bins_of_levels(levels, min_count):
    """Each level is a bin, and so is a missing one (None); levels with fewer rows share one bin."""
    counts = Counter(levels)
    return ["other" if level is not None and counts[level] < min_count else level for level in levels]


def shares_won(bins, labels, queries):
    """The share of listed pairs that documents of each row's bin win; a half without pairs."""
    won, lost = Counter(), Counter()
    for (f, y, q), (g, z, r) in combinations(zip(bins, labels, queries, strict=True), 2):
        if q == r and y != z:
            won[f if y > z else g] += 1
            lost[g if y > z else f] += 1
    return [Fraction(won[one], won[one] + lost[one]) if won[one] + lost[one] else Fraction(1, 2) for one in bins]
