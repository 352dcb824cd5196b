"""Slow twin of scaling within queries: one column of one query at a time, in exact fractions."""

import math
from fractions import Fraction


def scale_column(values, method):
    """Scale one query's values of one feature; NaN is ignored and stays NaN."""
    known = [Fraction(value) for value in values if not math.isnan(value)]
    if len(set(known)) < 2:
        return [math.nan if math.isnan(value) else 0.0 for value in values]
    if method == "minmax":
        centre, width = min(known), max(known) - min(known)
    else:
        centre = sum(known) / len(known)
        width = square_root(sum((value - centre) ** 2 for value in known) / len(known))
    return [math.nan if math.isnan(value) else float((Fraction(value) - centre) / width) for value in values]


def square_root(value):
    """Square root of a positive fraction to 60 binary digits, without over- or underflow."""
    scale = 4 ** max(0, 64 - (value.numerator.bit_length() - value.denominator.bit_length()))
    scaled = value * scale
    return Fraction(math.isqrt(scaled.numerator * 4**64 // scaled.denominator), 2**64) / math.isqrt(scale)


def scale_within_queries(X, qid, method):
    """Scale each column within each query; ``X`` is a list of rows."""
    result = [[None] * len(X[0]) for _ in X]
    for query in set(qid):
        rows = [row for row, identifier in enumerate(qid) if identifier == query]
        for column in range(len(X[0])):
            for row, value in zip(rows, scale_column([X[row][column] for row in rows], method), strict=True):
                result[row][column] = value
    return result
