"""Slow twins of the transforms of single columns, by their formulas; None is a missing value and stays one."""

import math
from fractions import Fraction
from statistics import NormalDist


def _known(values, weights):
    return [(float(v), w) for v, w in zip(values, weights, strict=True) if v is not None and w > 0]


def mean_and_deviation(known):
    """Weighted, with the divisor Σ weights, in exact arithmetic until the root."""
    rows = [(Fraction(v), Fraction(w)) for v, w in known]
    total = sum(w for _, w in rows)
    mean = sum(v * w for v, w in rows) / total
    variance = sum(w * (v - mean) ** 2 for v, w in rows) / total
    return float(mean), math.sqrt(variance) if variance else 1.0


def smallest_with_share(known, share):
    """The smallest value up to which at least this share of the weight lies."""
    total, below = sum(Fraction(w) for _, w in known), Fraction(0)
    for value, weight in sorted(known):
        below += Fraction(weight)
        if below >= Fraction(share) * total:
            return value
    raise ValueError("A share is at most 1.")


def standard(values, weights):
    mean, deviation = mean_and_deviation(_known(values, weights))
    return lambda x: (x - mean) / deviation


def log(values, weights):
    """Standardised sign(x) log(1 + |x|/unit), unit the smaller of 1 and the median size of the values other than 0."""
    known = _known(values, weights)
    sizes = [(abs(v), w) for v, w in known if v != 0]
    unit = min(1.0, smallest_with_share(sizes, 0.5)) if sizes else 1.0

    def logarithm(x):
        return math.copysign(math.log1p(abs(x) / unit), x)

    shift, scale = mean_and_deviation([(logarithm(v), w) for v, w in known])
    return lambda x: (logarithm(x) - shift) / scale


def quantile(values, weights):
    """Φ⁻¹ of the share of the weight below a value, plus half of that at it; straight lines in between."""
    known = _known(values, weights)
    total = math.fsum(w for _, w in known)
    knots = sorted({v for v, _ in known})
    scores = []
    for knot in knots:
        below, at = (math.fsum(w for v, w in known if test(v)) for test in (knot.__gt__, knot.__eq__))
        scores.append(NormalDist().inv_cdf((below + at / 2) / total))

    def score(x):
        if x <= knots[0]:
            return scores[0]
        for (left, low), (right, high) in zip(
            list(zip(knots, scores, strict=True))[:-1], list(zip(knots, scores, strict=True))[1:], strict=True
        ):
            if x <= right:
                return low + (high - low) * (x - left) / (right - left)
        return scores[-1]

    return score


def has_heavy_tails(values, weights):
    """Skewness above 2 to either side, and a range above 100 times the interquartile range."""
    known = _known(values, weights)
    mean, deviation = mean_and_deviation(known)
    numbers = [v for v, _ in known]
    if min(numbers) == max(numbers):
        return False
    skewness = math.fsum(w * ((v - mean) / deviation) ** 3 for v, w in known) / math.fsum(w for _, w in known)
    between = smallest_with_share(known, 0.75) - smallest_with_share(known, 0.25)
    return abs(skewness) > 2 and max(numbers) - min(numbers) > 100 * between


METHODS = {"standard": standard, "log": log, "quantile": quantile, "none": lambda values, weights: lambda x: x}


def transform(method, values, weights, rows):
    """Transform ``rows`` by the function learned from the values."""
    function = METHODS[method](values, weights)
    return [math.nan if x is None else function(float(x)) for x in rows]
