"""Ticks of lines and axes: round values, and only labels that do not overlap."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from glassrank.drawing.numbers import Notation, notation_for, round_ticks
from glassrank.drawing.text_width import fitted, text_width

TICK_SIZE = 11  # font size of tick labels
MIN_LABEL_DISTANCE = 28  # between the middles of two labels; closer ones lose their text and keep their tick
MIN_LABEL_GAP = 6  # between the edges of two labels
PIXELS_PER_TICK = 34
LABEL_OVERHANG = 20  # how far a label may extend to the left of an axis
MAX_CATEGORY_WIDTH = 96
COARSE_TICKS, MAX_REFINEMENTS = 5, 8

MIN_DECADES_RATIO = 50.0  # a line from a to b shows powers of ten if b exceeds this times a
MIN_SHARE_OF_TENTH = 0.4  # a straight line gives a tenth of its length to these values
MIN_TICK_DISTANCE = 4  # of ticks without labels
MIN_WHOLE_DISTANCE = 20  # between the middles of the labels of whole numbers
MAX_WHOLE_TICKS = 150

Place = Callable[[float], float]


@dataclass(frozen=True)
class Tick:
    """A mark on a line or axis; without a label if there is no room for one."""

    x: float
    label: str
    y: float = 0.0
    lane: int = 0
    """Labels of categories are in two lanes: 1 is below the other labels, with a line to its tick."""


def axis_ticks(
    low: float, high: float, left: float, right: float, most: int, *, sign: bool = False
) -> tuple[Tick, ...]:
    """Return the ticks of a linear axis from ``low`` at ``left`` to ``high`` at ``right``."""
    pixels = (right - left) / (high - low) if high > low else 0.0
    places = [(left + pixels * (value - low), value) for value in round_ticks(low, high, most)]
    return labelled(places, left - LABEL_OVERHANG, sign=sign)


def line_ticks(first: float, last: float, x_of: Place, pixels: float, left: float, y: float) -> tuple[Tick, ...]:
    """Return the evenly spaced ticks of a straight line."""
    most = max(4, min(10, int(pixels / PIXELS_PER_TICK)))
    return labelled([(x_of(value), value) for value in round_ticks(first, last, most)], left, y)


def curve_ticks(first: float, last: float, x_of: Place, left: float, y: float) -> tuple[Tick, ...]:
    """Return ticks at round values of a nonlinear line, with finer steps where the line is stretched."""
    if _is_logarithmic(first, last, x_of):
        return _decade_ticks(first, last, x_of, left, y)
    values = round_ticks(first, last, COARSE_TICKS)
    step = values[1] - values[0] if len(values) > 1 else last - first
    for _ in range(MAX_REFINEMENTS):
        # Steps of 1 and 2 are halved, steps of 5 are divided by 5, so that finer values include the coarser ones.
        parts = 5 if f"{step:e}".startswith("5") else 2
        finer = _refined(values, step, parts, first, last, x_of)
        if len(finer) == len(values):
            break
        values, step = finer, step / parts
    return labelled([(x_of(value), value) for value in values], left, y)


def whole_ticks(first: float, last: float, x_of: Place, left: float, y: float) -> tuple[Tick, ...] | None:
    """Return a tick at every whole number of a line; None if neighbours would be closer than 4 pixels."""
    low, high = float(np.ceil(first)), float(np.floor(last))
    if not 1 <= high - low < MAX_WHOLE_TICKS:
        return None
    values = np.arange(low, high + 1.0)
    places = [(x_of(float(value)), float(value)) for value in values]
    if min(abs(b[0] - a[0]) for a, b in pairwise(places)) < MIN_TICK_DISTANCE:
        return None
    shown = shared_notation(values.tolist())
    # The ends are named first, then round values, then all others.
    steps = [round_ticks(first, last, most) for most in (3, 6, 12)]
    rank = {value: next((n for n, step in enumerate(steps, start=1) if value in step), 9) for _, value in places}
    rank[places[0][1]] = rank[places[-1][1]] = 0
    ticks: list[Tick] = []
    for x, value in sorted(places, key=lambda place: rank[place[1]]):
        label = shown(value)
        room = all(abs(x - t.x) >= _whole_distance(label, t.label) for t in ticks if t.label)
        ticks.append(Tick(x, label if room and x - text_width(label, TICK_SIZE) / 2 >= left else "", y))
    return tuple(sorted(ticks, key=lambda tick: tick.x))


def _whole_distance(label: str, other: str) -> float:
    halves = (text_width(label, TICK_SIZE) + text_width(other, TICK_SIZE)) / 2
    return max(MIN_WHOLE_DISTANCE, halves + MIN_LABEL_GAP)


def _is_logarithmic(first: float, last: float, x_of: Place) -> bool:
    """Whether values up to a tenth of the largest take up much of a line that spans several powers of ten."""
    if first < 0 or last <= MIN_DECADES_RATIO * first:
        return False
    whole = abs(x_of(last) - x_of(first))
    return abs(x_of(max(first, last / 10)) - x_of(first)) > MIN_SHARE_OF_TENTH * whole


def _decade_ticks(first: float, last: float, x_of: Place, left: float, y: float) -> tuple[Tick, ...]:
    """Return ticks at 0 and at 1, 2 and 5 times the powers of ten, of a line that spans several of them."""
    top = int(np.ceil(np.log10(last)))
    bottom = max(int(np.floor(np.log10(first))) if first > 0 else top - 6, top - 9)
    values = [factor * 10.0**power for power in range(bottom, top + 1) for factor in (1, 2, 5)]
    inside = [value for value in [0.0, *values] if first <= value <= last]
    # The ends and the powers of ten have precedence over the values between them.
    order = sorted(inside, key=lambda value: (value != 0.0, not f"{value:e}".startswith("1."), -value))
    shown: list[Tick] = []
    for value in order:
        tick = Tick(x_of(value), f"{value:,.10g}", y)
        if all(abs(tick.x - other.x) >= _min_distance(tick.label, other.label) for other in shown if other.label):
            free = tick.x - text_width(tick.label, TICK_SIZE) / 2 >= left
            shown.append(tick if free else Tick(tick.x, "", y))
        elif all(abs(tick.x - other.x) >= MIN_TICK_DISTANCE for other in shown):
            shown.append(Tick(tick.x, "", y))
    return tuple(sorted(shown, key=lambda tick: tick.x))


def _refined(values: list[float], step: float, parts: int, first: float, last: float, x_of: Place) -> list[float]:
    """Divide the gaps between neighbours, and to the ends, as far as there is room for labels."""
    kept = set(values)
    for start, after in pairwise(values):
        if after - start < 1.5 * step:
            kept.update(_with_room(_cuts(start, step, parts, first, last), x_of))
    # Beyond the outermost values a gap is open: there is no label at its far end.
    kept.update(_with_room(_cuts(values[-1], step, parts, first, last), x_of, closed=False) if values else [])
    kept.update(_with_room(_cuts(values[0], -step, parts, first, last), x_of, closed=False) if values else [])
    return sorted(kept)


def _cuts(start: float, step: float, parts: int, first: float, last: float) -> list[float]:
    cuts = [float(f"{start + step * part / parts:.12g}") for part in range(parts + 1)]
    return [cut for cut in cuts if first <= cut <= last]


def _with_room(cuts: list[float], x_of: Place, *, closed: bool = True) -> list[float]:
    """Return cuts from the stretched end of a gap on, as long as they keep a distance to each other and to the end."""
    places = [x_of(cut) for cut in cuts]
    if closed and abs(places[-1] - places[-2]) > abs(places[1] - places[0]):
        cuts, places = cuts[::-1], places[::-1]
    end = places.pop() if closed else None
    found = []
    for cut, (before, place) in zip(cuts[1:], pairwise(places), strict=False):
        if abs(place - before) < MIN_LABEL_DISTANCE or (end is not None and abs(end - place) < MIN_LABEL_DISTANCE):
            break
        found.append(cut)
    return found


def category_ticks(
    labels: list[tuple[float, str]], left: float, y: float, taken: tuple[float, float] | None
) -> tuple[Tick, ...]:
    """Return a tick for each category (place and name, the most important first), labelled where a lane is free.

    ``taken`` are the ends of a text that is already in the second lane.
    """
    shown: list[Tick] = []
    for x, name in labels:
        label = fitted(name, MAX_CATEGORY_WIDTH, TICK_SIZE)
        half = text_width(label, TICK_SIZE) / 2
        free = x - half >= left
        lane = next((lane for lane in (0, 1) if free and _is_free(x, half, lane, shown, taken)), None)
        shown.append(Tick(x, "" if lane is None else label, y, lane or 0))
    return tuple(sorted(shown, key=lambda tick: tick.x))


def _is_free(x: float, half: float, lane: int, shown: list[Tick], taken: tuple[float, float] | None) -> bool:
    """Whether a label would touch no other one, nor the line of one in the second lane."""
    if taken is not None:
        # The text is in the second lane, and a line leads from its middle through the first one.
        middle = (taken[0] + taken[1]) / 2
        start, end = (middle - 3, middle + 3) if lane == 0 else (taken[0] - MIN_LABEL_GAP, taken[1] + MIN_LABEL_GAP)
        if x + half > start and x - half < end:
            return False
    for other in (tick for tick in shown if tick.label):
        beside = text_width(other.label, TICK_SIZE) / 2
        needed = half + beside + MIN_LABEL_GAP if other.lane == lane else (half if lane == 0 else beside) + 3
        if abs(x - other.x) < needed:
            return False
    return True


def named_ticks(places: list[tuple[float, str]], left: float, y: float) -> tuple[Tick, ...]:
    """Return ticks with these labels, the most important first; one that would touch another one is omitted."""
    ticks: list[Tick] = []
    for x, label in places:
        half = text_width(label, TICK_SIZE) / 2
        near = [half + text_width(tick.label, TICK_SIZE) / 2 + MIN_LABEL_GAP - abs(x - tick.x) for tick in ticks]
        free = x - half >= left and all(gap <= 0 for gap, tick in zip(near, ticks, strict=True) if tick.label)
        ticks.append(Tick(x, label if free else "", y))
    return tuple(sorted(ticks, key=lambda tick: tick.x))


def labelled(
    places: list[tuple[float, float]],
    left: float,
    y: float = 0.0,
    *,
    sign: bool = False,
    notation: Notation | None = None,
) -> tuple[Tick, ...]:
    """Return ticks at these places (x, value); labels that would overlap or extend beyond ``left`` are omitted."""
    shown = notation or shared_notation([value for _, value in places])
    return _apart([(x, shown(value, sign=sign)) for x, value in places], left, y)


def shared_notation(values: list[float]) -> Notation:
    """Return one notation in which all these values differ."""
    step = min((b - a for a, b in pairwise(sorted(values))), default=max(map(abs, values), default=1.0))
    return notation_for(max(map(abs, values), default=1.0), step)


def _apart(places: list[tuple[float, str]], left: float, y: float) -> tuple[Tick, ...]:
    ticks: list[Tick] = []
    last: Tick | None = None
    for x, label in sorted(places):
        free = x - text_width(label, TICK_SIZE) / 2 >= left
        readable = free and (last is None or x - last.x >= _min_distance(last.label, label))
        ticks.append(Tick(x, label if readable else "", y))
        last = ticks[-1] if readable else last
    return tuple(ticks)


def _min_distance(label: str, other: str) -> float:
    halves = (text_width(label, TICK_SIZE) + text_width(other, TICK_SIZE)) / 2
    return max(MIN_LABEL_DISTANCE, halves + MIN_LABEL_GAP)


def level_ticks(first: float, last: float, bottom: float, top: float, x: float) -> tuple[Tick, ...]:
    """Return the ticks of a curve box's vertical axis, from ``first`` at the bottom to ``last`` at the top."""
    values = round_ticks(first, last, 5)
    shown = shared_notation(values)
    heights = np.interp(values, [first, last], [bottom, top])
    return tuple(Tick(x, shown(value), float(y)) for value, y in zip(values, heights, strict=True))
