"""Slow twins of agreement: every pair of labels within a unit, and among all units, counted one by one.

A judge's labels are a list with None where there is none.
"""


def alpha(rows, level):
    """Krippendorff's 1 − D_o / D_e by pairs of labels; None if undefined."""
    units = [[label for label in unit if label is not None] for unit in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    everything = [label for unit in units for label in unit]
    n = len(everything)
    within = sum(
        difference(a, b, everything, level) / (len(unit) - 1)
        for unit in units
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    among = sum(
        difference(a, b, everything, level)
        for i, a in enumerate(everything)
        for j, b in enumerate(everything)
        if i != j
    )
    return None if among == 0 else 1 - (within / n) / (among / (n * (n - 1)))


def difference(a, b, everything, level):
    """δ² of two labels, given all labels of units with at least two."""
    if a == b:
        return 0.0
    if level == "nominal":
        return 1.0
    if level == "interval":
        return float((a - b) ** 2)
    low, high = min(a, b), max(a, b)
    between = sum(low <= label <= high for label in everything)
    return (between - (everything.count(a) + everything.count(b)) / 2) ** 2


def kappa(first, second):
    """Cohen's (p_o − p_e) / (1 − p_e) on the units that both labelled; None if undefined."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    labels = {label for pair in pairs for label in pair}
    observed = sum(a == b for a, b in pairs) / len(pairs)
    chance = sum(
        sum(a == label for a, _ in pairs) / len(pairs) * (sum(b == label for _, b in pairs) / len(pairs))
        for label in labels
    )
    return None if len(labels) == 1 else (observed - chance) / (1 - chance)
