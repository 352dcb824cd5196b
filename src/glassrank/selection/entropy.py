"""Information gain in bits: about classes, or about the order of two documents."""

import numpy as np

from glassrank.core.checks import BoolArray, FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.core.pairs.concordance import concordance

ROUNDING = 1e-12


def entropy(counts: FloatArray) -> FloatArray:
    """H = −Σ p log₂ p of counts or weights along the last axis; 0 if their sum is 0.

    >>> entropy(np.array([[2.0, 2.0], [4.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1.0)
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs((shares * logarithms).sum(axis=-1)))


def cut_points(values: FloatArray, classes: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Discretise a feature as Fayyad and Irani do: return the ascending cut points, midway between values.

    A set S of n values with k classes is cut into S₁ and S₂ where the gain H(S) − Σ |S_i|/n · H(S_i) is largest (the
    lowest cut if tied), if the gain exceeds (log₂(n − 1) + Δ)/n, Δ = log₂(3^k − 2) − (k H(S) − k₁ H(S₁) − k₂ H(S₂));
    then both parts are cut in the same way. Fayyad & Irani, "Multi-interval discretization of continuous-valued
    attributes for classification learning" (1993), section 3. With weights, n is the sum of the weights in S.

    >>> cut_points(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), np.array([0, 0, 0, 0, 1, 1, 1, 1])).tolist()
    [4.5]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    passed = np.zeros((len(values) + 1, int(classes.max(initial=0)) + 1))
    rows = np.eye(passed.shape[1])[classes[order]]
    np.cumsum(rows if weights is None else rows * weights[order, None], axis=0, out=passed[1:])
    places = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
    found, open_parts = [], [(0, len(values))]
    while open_parts:
        first, end = open_parts.pop()
        inside = places[np.searchsorted(places, first, side="right") : np.searchsorted(places, end)]
        place = _best_cut(passed, first, end, inside)
        if place is not None:
            found.append(place)
            open_parts += [(first, place), (place, end)]
    cuts = np.array(sorted(found), dtype=np.int64)
    # Halve each value first, because the sum of two large values may overflow.
    return np.asarray(ordered[cuts - 1] / 2 + ordered[cuts] / 2)


def _best_cut(passed: FloatArray, first: int, end: int, places: IntArray) -> int | None:
    """The position with the largest gain, or None if the gain does not exceed the description length."""
    if len(places) == 0:
        return None
    whole = passed[end] - passed[first]
    left, right = passed[places] - passed[first], passed[end] - passed[places]
    n = whole.sum()
    of_whole, of_left, of_right = entropy(whole), entropy(left), entropy(right)
    parts = (left.sum(axis=1) * of_left + right.sum(axis=1) * of_right) / n
    # Gains that are equal in exact arithmetic differ by rounding; take the lowest of these cuts.
    best = int(np.argmax(parts <= parts.min() + ROUNDING))
    gain = of_whole - parts[best]
    k, k_left, k_right = (int((counts > 0).sum()) for counts in (whole, left[best], right[best]))
    class_term = k * of_whole - k_left * of_left[best] - k_right * of_right[best]
    # log₂(3^k − 2), without computing the power, which overflows.
    of_classes = k * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0**-k)
    # With a total weight below 2, log₂(n − 1) would be negative or undefined.
    cost = (np.log2(max(n - 1.0, 1.0)) + of_classes - class_term) / n
    return int(places[best]) if gain > cost else None


def class_information(parts: IntArray, classes: IntArray, weights: FloatArray | None = None) -> float:
    """IG = H(y) − H(y | f) in bits, for classes y and a feature f with the values 0, 1, 2 …, with optional row weights.

    >>> class_information(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    table = np.zeros((int(parts.max(initial=0)) + 1, int(classes.max(initial=0)) + 1))
    np.add.at(table, (parts, classes), 1.0 if weights is None else weights)
    shares = table.sum(axis=1) / table.sum()
    return max(0.0, float(entropy(table.sum(axis=0)) - shares @ entropy(table)))


def order_information(values: FloatArray, y: FloatArray, groups: Groups, weights: FloatArray | None = None) -> float:
    """Information gain in bits of a feature about which of two documents is better.

    IG = H(o) − H(o | s) over all pairs of documents of one query with different labels, in both orders: o is whether
    the first is judged better, and s is the sign of the difference of their values; if one value is missing (NaN), s is
    which one. H(o) is 1 bit, and a tie (equal or both missing) carries no information. If u is the share of pairs with
    two different known values and p the concordant share of these, u′ the share of pairs with one missing value and p′
    the share of these in which the known one is better, IG = u (1 − h(p)) + u′ (1 − h(p′)) with
    h(p) = −p log₂ p − (1 − p) log₂(1 − p). A pair has the weight v_i · v_j. Pairs are counted without listing them.

    >>> from glassrank.core.groups import group_rows
    >>> order_information(np.array([3.0, 1.0, 1.0]), np.array([2.0, 1.0, 0.0]), group_rows(None, 3))
    0.6666666666666666
    """
    known = ~np.isnan(values)
    if known.all():
        *decided, tied = _pair_weights(values, y, groups, weights)
        return _decided_bits(decided, sum(decided) + tied)
    # The indicator ties every pair without exactly one missing value.
    *by_gap, tied = _pair_weights(known.astype(np.float64), y, groups, weights)
    rows = np.flatnonzero(known)
    own = None if weights is None else weights[rows]
    *decided, _ = _pair_weights(values[rows], y[rows], groups.pick(rows), own) if len(rows) else (0.0, 0.0, 0.0)
    total = sum(by_gap) + tied
    return _decided_bits(decided, total) + _decided_bits(by_gap, total)


def _pair_weights(
    values: FloatArray, y: FloatArray, groups: Groups, weights: FloatArray | None
) -> tuple[float, float, float]:
    """Total weight of the pairs that the values order rightly, that they order wrongly, and that they tie."""
    found = concordance(y, values, groups, weights)
    return float(found.concordant.sum()), float(found.discordant.sum()), float(found.score_tied.sum())


def _decided_bits(decided: list[float], total: float) -> float:
    """u (1 − h(p)) for the weights of right and wrong pairs among pairs of a total weight."""
    return sum(decided) / total * (1.0 - float(entropy(np.array(decided)))) if sum(decided) > 0 else 0.0


def share_won(bins: IntArray, y: FloatArray, groups: Groups, weights: FloatArray | None = None) -> FloatArray:
    """Return for each row the share of pairs that the documents of its bin win, over all queries.

    A document wins against those of its query with lower labels. A pair has the weight v_i · v_j. A bin wins and loses
    the pairs within it. The share of a bin without comparable pairs is ½.

    >>> from glassrank.core.groups import group_rows
    >>> share_won(np.array([0, 0, 1]), np.array([2.0, 0.0, 1.0]), group_rows(None, 3)).tolist()
    [0.5, 0.5, 0.5]
    >>> share_won(np.array([0, 1, 1]), np.array([2.0, 0.0, 1.0]), group_rows(None, 3)).tolist()
    [1.0, 0.25, 0.25]
    """
    v = np.ones(len(y)) if weights is None else weights
    order = np.lexsort((y, groups.of_row))
    query, label, passed = groups.of_row[order], y[order], np.append(0.0, np.cumsum(v[order]))
    new_query = np.append(True, query[1:] != query[:-1])
    new_label = new_query | np.append(True, label[1:] != label[:-1])
    below, above = np.empty(len(y)), np.empty(len(y))
    below[order] = passed[_firsts(new_label)] - passed[_firsts(new_query)]
    above[order] = passed[_ends(new_query)] - passed[_ends(new_label)]
    won, lost = np.bincount(bins, v * below), np.bincount(bins, v * above)
    decided = won + lost
    shares = np.divide(won, decided, out=np.full(len(won), 0.5), where=decided > 0)
    # Shares that are equal in exact arithmetic differ by rounding.
    return np.asarray(np.round(shares, 12)[bins])


def _firsts(starts: BoolArray) -> IntArray:
    """Position of the first row of each row's block, given which rows start one."""
    return np.asarray(np.flatnonzero(starts)[np.cumsum(starts) - 1])


def _ends(starts: BoolArray) -> IntArray:
    """Position behind the last row of each row's block."""
    return np.asarray(np.append(np.flatnonzero(starts)[1:], len(starts))[np.cumsum(starts) - 1])
