"""The fifteen operators over one list in plain Python: {rank: value}, None for missing values."""

import math
import statistics
from fractions import Fraction

NAMES = ["mean", "median", "max", "min", "entropy", "std", "p1", "p2", "p3", "p4", "p5", "r2", "r5", "r10", "r20"]


def integrate_list(values: dict) -> dict:
    """Return every operator by name; None for missing values."""
    known = [value for _, value in sorted(values.items()) if value is not None]
    found = dict.fromkeys(NAMES)
    if not known:
        return found
    exact = [Fraction(value) for value in known]
    mean = sum(exact) / len(exact)
    found["mean"] = float(mean)
    found["median"] = float(statistics.median(exact))
    found["max"], found["min"] = max(known), min(known)
    found["entropy"] = entropy(exact)
    found["std"] = root(sum((value - mean) ** 2 for value in exact) / len(exact))
    for rank in (1, 2, 3, 4, 5):
        found[f"p{rank}"] = values.get(rank)
    for rank in (2, 5, 10, 20):
        if values.get(rank) is not None:
            found[f"r{rank}"] = ratio(Fraction(values[rank]), max(exact), min(exact))
    return found


def entropy(values: list) -> float:
    floor = min(0, min(values))
    shares = [value - floor for value in values]
    total = sum(shares)
    if total == 0:
        return 0.0
    terms = [float(share / total) for share in shares]
    return -math.fsum(share * math.log(share) for share in terms if share > 0)


def ratio(value, high, low) -> float:
    """Return 0 if the values are equal to twelve digits."""
    if high - low <= Fraction(1, 10**12) * max(abs(high), abs(low)):
        return 0.0
    return float((high - value) / (high - low))


def root(square: Fraction) -> float:
    """Square root of a number that may be too large or too small for a float: √(a 4ⁿ) = √a 2ⁿ."""
    if square == 0:
        return 0.0
    half = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(square / Fraction(4) ** half), half)
