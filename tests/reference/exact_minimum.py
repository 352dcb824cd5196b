"""Ranking objectives in exact arithmetic, and their exact minimum where every query has a feature of its own.

Such an objective is a sum of functions of one weight each, ½w² + C Σ loss(1 − w·δ). Between the points where a pair
gains or loses slack each of these is a parabola, so that its minimum is found by trying all pieces. Everything is a
fraction, and floats are taken as the fractions that they are.
"""

from fractions import Fraction
from itertools import pairwise

POWERS = {"hinge": 1, "squared_hinge": 2}


def exact_differences(X, y, qid):
    """x_i − x_j of the comparable pairs, i better than j."""
    rows = [[Fraction(float(value)) for value in row] for row in X]
    return [
        [a - b for a, b in zip(rows[i], rows[j], strict=True)]
        for i in range(len(y))
        for j in range(len(y))
        if qid[i] == qid[j] and y[i] > y[j]
    ]


def exact_value(differences, w, C, loss):
    """½‖w‖² + C · mean of max(0, 1 − w·δ) to the power of the loss."""
    w = [Fraction(float(weight)) for weight in w]
    slack = (1 - sum(weight * entry for weight, entry in zip(w, delta, strict=True)) for delta in differences)
    total = sum((max(Fraction(0), t) ** POWERS[loss] for t in slack), Fraction(0))
    return sum((weight * weight for weight in w), Fraction(0)) / 2 + Fraction(float(C)) * total / len(differences)


def exact_minimum(differences, C, loss, nonnegative=None):
    """Minimum over w, with w_k ≥ 0 for features of a mask, if each difference is non-zero in at most one feature."""
    if any(sum(entry != 0 for entry in delta) > 1 for delta in differences):
        raise ValueError("The features must belong to different pairs.")
    C = Fraction(float(C)) / len(differences)
    columns = list(zip(*differences, strict=True))
    still = sum(all(entry == 0 for entry in delta) for delta in differences)
    bounded = [False] * len(columns) if nonnegative is None else nonnegative
    return C * still + sum(
        _minimum_of_one([entry for entry in column if entry], C, loss, bound)
        for column, bound in zip(columns, bounded, strict=True)
    )


def _minimum_of_one(deltas, C, loss, bounded):
    """Minimum of ½w² + C Σ max(0, 1 − wδ)^power: among the turning points and the lowest points of all parabolas."""

    def value(w):
        slack = (max(Fraction(0), 1 - w * delta) for delta in deltas)
        return w * w / 2 + C * sum(t ** POWERS[loss] for t in slack)

    turns = sorted({1 / delta for delta in deltas} | {Fraction(0)})
    middles = [turns[0] - 1, *((a + b) / 2 for a, b in pairwise(turns)), turns[-1] + 1]
    lowest = []
    for middle in middles:
        active = [delta for delta in deltas if middle * delta < 1]
        if loss == "hinge":
            lowest.append(C * sum(active, Fraction(0)))
        else:
            lowest.append(2 * C * sum(active, Fraction(0)) / (1 + 2 * C * sum(delta * delta for delta in active)))
    return min(value(w) for w in [*turns, *lowest] if w >= 0 or not bounded)
