"""Sums over listed pairs in exact arithmetic."""

from fractions import Fraction
from itertools import pairwise


def exact_products(X, w):
    """X w of each row."""
    return [
        sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, w, strict=True)), Fraction(0)) for row in X
    ]


def exact_slack(scores, level, starts, own, partner, margin):
    """Slope of each row, Σ weight · slack and Σ weight · slack², slack = max(0, margin + z_i − z_j) for j above i."""
    slope, total, squares = [Fraction(0)] * len(scores), Fraction(0), Fraction(0)
    for first, end in pairwise(starts):
        for i in range(first, end):
            for j in range(first, end):
                slack = max(Fraction(0), Fraction(margin) + scores[i] - scores[j])
                if level[i] < level[j] and slack:
                    weight = sum(
                        Fraction(float(a)) * Fraction(float(b)) for a, b in zip(own[i], partner[j], strict=True)
                    )
                    slope[i] += weight * slack
                    slope[j] -= weight * slack
                    total += weight * slack
                    squares += weight * slack * slack
    return slope, total, squares
