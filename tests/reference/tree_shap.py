"""Slow twin of TreeSHAP: Shapley values of one tree by the sum over all sets of features.

A tree is a nested dict: ``{"value": v, "count": n}`` for a leaf, else ``{"feature": k, "left": test, "children": (left,
right), "count": n}``, where ``test(value)`` says whether a value goes left. The value of a set S of features is the
expectation of the tree if only the features of S are known: a split of an unknown feature averages its children by
their counts (Lundberg et al., Nature Machine Intelligence 2, 2020, algorithm 1).
"""

from itertools import combinations
from math import factorial


def expectation(tree, row, known):
    """Return the mean of the leaves that can be reached, weighted by counts."""
    if "value" in tree:
        return tree["value"]
    left, right = tree["children"]
    if tree["feature"] in known:
        return expectation(left if tree["left"](row[tree["feature"]]) else right, row, known)
    parts = [child["count"] * expectation(child, row, known) for child in (left, right)]
    return sum(parts) / (left["count"] + right["count"])


def shapley_values(trees, row):
    """Return the Shapley value of each feature, and the expectation without any, summed over the trees."""
    d = len(row)
    values = [0.0] * d
    for k in range(d):
        others = [j for j in range(d) if j != k]
        for size in range(d):
            weight = factorial(size) * factorial(d - size - 1) / factorial(d)
            for known in combinations(others, size):
                values[k] += weight * sum(
                    expectation(tree, row, {*known, k}) - expectation(tree, row, {*known}) for tree in trees
                )
    return values, sum(expectation(tree, row, set()) for tree in trees)
