"""The flip value: the value of one feature at which the order of two documents is reversed."""

from collections.abc import Callable

import numpy as np

from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.checks import FloatArray, IntArray

Distances = Callable[[FloatArray], FloatArray]

SAMPLES = 512
FINER = 65
"""Points per round of refinement: each round narrows the interval 64-fold."""
ROUNDS = 12
LARGEST_PART = 2**16
"""Whole numbers that are examined at a time."""
# An effect this close to the needed level, relative to its size, counts as touching it.
TOUCHING = 1e-12


def flip_value(effect: FeatureEffect, value: float, contribution_needed: float) -> float | None:
    """Return the value nearest to ``value`` at which the effect reaches ``contribution_needed``, or None.

    Solves effect(v) = contribution_needed for v in [low, high], extended to the present value if necessary. Documents
    A and B whose totals differ by D tie if, all else equal, feature k of A has the effect e_k(a_k) − D, or feature k of
    B the effect e_k(b_k) + D.

    If the effect jumps over the needed level, the result is the first value beyond the jump, where the order is
    reversed. If the feature's values are whole numbers, it is the nearest whole number at which the level is reached or
    passed. For a categorical feature it is the code of the category whose effect is closest to the needed level, at
    it or beyond, because categories have no distance; rare categories are never proposed. Straight lines are solved
    exactly, other curves on a grid of 512 points that is refined where the effect crosses or touches the level.

    >>> from glassrank.core.additive.effects import FeatureEffect, LinearCurve
    >>> effect = FeatureEffect("bm25", LinearCurve(2.0), low=0.0, high=5.0, centre=1.0)
    >>> flip_value(effect, 4.0, contribution_needed=3.0), flip_value(effect, 4.0, contribution_needed=9.0)
    (2.5, None)
    """
    present = float(effect(np.array([value]))[0]) - contribution_needed
    if np.isnan(value):
        return _flip_missing(effect, contribution_needed, present)
    if present == 0.0:
        return float(value)
    if effect.categories:
        return _flip_category(effect, contribution_needed, np.sign(present))
    low, high = min(effect.low, value), max(effect.high, value)
    if effect.whole:
        return _flip_whole(effect, value, contribution_needed, np.sign(present), low, high)
    if effect.linear:
        return _flip_on_line(effect, value, present, low, high)
    ways = (_first_flipped(effect, value, end, contribution_needed, np.sign(present)) for end in (low, high))
    found = [flip for flip in ways if flip is not None]
    return min(found, key=lambda flip: abs(flip - value), default=None)


def _flip_missing(effect: FeatureEffect, needed: float, present: float) -> float | None:
    """Return a known value for a document without one: the value nearest to the centre at which the order reverses."""
    if effect.categories:
        return _flip_category(effect, needed, np.sign(present))
    centre = start_without_value(effect)
    at_centre = float(effect(np.array([centre]))[0]) - needed
    # The order is already reversed at the centre if the missing value lies on the other side of the needed level.
    return centre if np.sign(at_centre) != np.sign(present) else flip_value(effect, centre, needed)


def start_without_value(effect: FeatureEffect) -> float:
    """Return the value from which a document without one is moved: the centre of the line, or its lower end."""
    centre = effect.low if effect.centre is None else float(np.clip(effect.centre, effect.low, effect.high))
    return float(np.clip(round(centre), np.ceil(effect.low), np.floor(effect.high))) if effect.whole else centre


def _flip_category(effect: FeatureEffect, needed: float, side: float) -> float | None:
    distances = side * (effect(np.arange(len(effect.categories), dtype=np.float64)) - needed)
    known = np.ones(len(distances), dtype=bool)
    known[list(effect.rare)] = False
    flipped = np.flatnonzero((distances <= 0) & known)
    return float(flipped[np.argmax(distances[flipped])]) if len(flipped) else None


def _flip_whole(
    effect: FeatureEffect, value: float, needed: float, side: float, low: float, high: float
) -> float | None:
    """Return the nearest whole number at which the level is reached or passed; the smaller one of two as near."""
    found = [flip for end in (low, high) if (flip := _first_whole(effect, value, end, needed, side)) is not None]
    return min(found, key=lambda flip: abs(flip - value), default=None)


def _first_whole(effect: FeatureEffect, value: float, end: float, needed: float, side: float) -> float | None:
    """Walk from value to end over the whole numbers between them, in longer and longer parts."""
    way = 1.0 if end > value else -1.0
    place, part = value, FINER
    last = np.floor(end) if way > 0 else np.ceil(end)
    while (last - place) * way > 0:
        steps = min(part, int((last - place) * way) + 1)
        first = np.floor(place) + 1.0 if way > 0 else np.ceil(place) - 1.0
        places = first + way * np.arange(steps)
        places = places[(last - places) * way >= 0]
        slack = TOUCHING * max(1.0, abs(needed))
        flipped = np.flatnonzero(side * (effect(places) - needed) <= slack)
        if len(flipped):
            return float(places[flipped[0]])
        place, part = float(places[-1]), min(4 * part, LARGEST_PART)
    return None


def _flip_on_line(effect: FeatureEffect, value: float, present: float, low: float, high: float) -> float | None:
    if not high > low:
        return None
    ends = effect(np.array([low, high]))
    rise = float(ends[1] - ends[0])
    if rise == 0.0:
        return None
    flip = value - present * (high - low) / rise
    # Rounding may place a tie at an end of the line a few units in the last place beyond it.
    slack = 8 * np.finfo(np.float64).eps * max(abs(low), abs(high), high - low)
    return float(min(max(flip, low), high)) if low - slack <= flip <= high + slack else None


def _first_flipped(effect: FeatureEffect, value: float, end: float, needed: float, side: float) -> float | None:
    """Return the first point between value and end at which the effect has reached the needed level, or None."""
    if end == value:
        return None

    def distances(places: FloatArray) -> FloatArray:
        return np.asarray(side * (effect(places) - needed))

    places = np.linspace(value, end, SAMPLES + 1)
    sampled = distances(places)
    touching = TOUCHING * max(abs(needed), float(np.abs(sampled).max()))
    flipped = np.flatnonzero(sampled <= 0)
    last = int(flipped[0]) if len(flipped) else SAMPLES
    # Between grid points the effect may reach the level and return, so every dip is examined.
    for i in _dips(sampled[: last + 1]):
        before, after = places[max(i - 1, 0)], places[min(i + 1, SAMPLES)]
        bottom, distance = _bottom(distances, before, after)
        if distance <= 0:
            return _narrowed(distances, before, bottom)
        if distance <= touching:
            return bottom
    return _narrowed(distances, places[last - 1], places[last]) if len(flipped) else None


def _dips(distances: FloatArray) -> IntArray:
    """Return local minima: points not above their neighbours and below at least one; of a plateau, only its ends."""
    before = np.concatenate([[np.inf], distances[:-1]])
    after = np.concatenate([distances[1:], [np.inf]])
    low = (distances > 0) & (distances <= before) & (distances <= after) & ((distances < before) | (distances < after))
    return np.flatnonzero(low)


def _bottom(distances: Distances, before: float, after: float) -> tuple[float, float]:
    """Return the minimum between two points and its distance, or the first point found at 0 or below."""
    for _ in range(ROUNDS):
        places = np.linspace(before, after, FINER)
        found = distances(places)
        lowest = int(np.argmin(found))
        if found[lowest] <= 0 or after - before == 0:
            break
        before, after = places[max(lowest - 1, 0)], places[min(lowest + 1, FINER - 1)]
    return float(places[lowest]), float(found[lowest])


def _narrowed(distances: Distances, before: float, flipped: float) -> float:
    """Return, to full precision, the first reversed point between one that is not reversed and one that is."""
    for _ in range(ROUNDS):
        places = np.linspace(before, flipped, FINER)
        # The far end is known to be reversed, even if rounding differs in a longer array.
        first = int(np.argmax(np.append(distances(places[:-1]) <= 0, True)))
        if first == 0:
            break
        before, flipped = float(places[first - 1]), float(places[first])
    return float(flipped)
