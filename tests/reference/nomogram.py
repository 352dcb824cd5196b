"""Slow twin of a pair nomogram of a linear model: lengths, points and pixels, one number at a time."""

import statistics

import numpy as np


def mean_spreads(coef, X, qid):
    """For each feature, the mean over queries of its largest minus its smallest effect."""
    lengths = []
    for weight, column in zip(coef, np.asarray(X).T, strict=True):
        spreads = []
        for query in dict.fromkeys(qid):
            effects = [weight * value for value, of in zip(column, qid, strict=True) if of == query]
            spreads.append(max(effects) - min(effects))
        lengths.append(statistics.mean(spreads))
    return lengths


def row_order(lengths):
    """Features from the longest to the shortest; the lowest index first among equals."""
    return sorted(range(len(lengths)), key=lambda k: (-lengths[k], k))


def chosen_rows(contributions, resolution):
    """Features with a row: the 10 largest, more up to 16 until 75 % of the sum is shown, none that rounds to 0."""
    order = row_order([abs(amount) for amount in contributions])
    whole = sum(abs(amount) for amount in contributions)
    shown, so_far = [], 0.0
    for k in order:
        enough = len(shown) >= 16 or (len(shown) >= 10 and so_far >= 0.75 * whole)
        if enough or abs(contributions[k]) < resolution / 2:
            break
        shown.append(k)
        so_far += abs(contributions[k])
    return shown


def line_ends(column, a, b):
    """The middle 99 % of the values, widened to include both documents' values."""
    low, high = np.quantile(column, [0.005, 0.995])
    return min(low, a, b), max(high, a, b)


def points(weight, ends, value, largest_range):
    """100 (e − min e) / M for the effect e = weight · value on a line between ``ends``."""
    smallest = min(weight * ends[0], weight * ends[1])
    return 100 * (weight * value - smallest) / largest_range


def pixel(points_, left, right):
    """Position of this many points on an axis of 0 to 100 points."""
    return left + (right - left) * points_ / 100
