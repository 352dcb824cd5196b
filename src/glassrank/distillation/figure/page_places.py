"""The positions of the pages of a neighbourhood in its picture.

Hubs are in a column on the left, authorities on the right, pages that are both in the middle, each sorted by rank from
the top. Other pages fill the space in between: from left to right by how much more authority than hub they are, and
from the top by their strength. Pruned pages are in a strip below, sorted by their distance from the sphere's centre.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import FloatArray, IntArray
from glassrank.distillation.figure.neighbourhood import AUTHORITY, BOTH, HUB, PRUNED, Neighbourhood

WIDTH = 1200
MARGIN, GUTTER = 24, 236
TOP = 164
MAX_IN_COLUMN = 12
ROW, MIN_FIELD_HEIGHT, MAX_FIELD_HEIGHT = 46, 230, 12 * 46
BESIDE, BOTH_ROOM = 46, 196  # from a column to the field; the labels of pages that are both
STRIP_GAP, CELL, MAX_CELLS_HIGH = 74, 13, 16
CELLS = (WIDTH - 2 * MARGIN) // CELL
BELOW = 58
MIN_DISTANCE = 13.0
"""Between pages in the field."""
ROUNDS, PULL = 160, 0.06
GOLDEN = 0.6180339887498949  # the fractional parts of its multiples fill (0, 1) evenly


@dataclass(frozen=True, eq=False)
class Placing:
    """Positions of all pages in pixels, and the extent of the picture's parts."""

    x: FloatArray
    y: FloatArray
    columns: dict[str, IntArray]
    """For each role the pages in its column, from the top."""
    field_bottom: float
    strip_top: float
    strip_bottom: float
    strip_scale: "StripScale | None"
    """Distances along the strip; None if no page is pruned or distances are unknown."""
    height: float

    @cached_property
    def in_column(self) -> npt.NDArray[np.bool_]:
        """Which pages are in a column; they have labels."""
        return np.isin(np.arange(len(self.x)), np.concatenate(list(self.columns.values())))

    def bends(self, links: IntArray) -> FloatArray:
        """Return how far each link bends towards the centre: links within a column are curved, others are straight."""
        sources, targets = links.T
        vertical = self.in_column[links].all(axis=1) & (self.x[sources] == self.x[targets])
        way = np.where(self.x[sources] < WIDTH / 3, 1.0, -1.0)
        return np.where(vertical, way * (16 + 0.3 * np.abs(self.y[sources] - self.y[targets])).round(), 0.0)


@dataclass(frozen=True)
class StripScale:
    """Distances from ``low`` to ``high`` along the strip's width."""

    low: float
    high: float

    def x(self, distance: Any) -> Any:
        """Return the position of a distance."""
        left, right = MARGIN + CELL, WIDTH - MARGIN - CELL
        if self.high <= self.low:
            return 0.0 * distance + (left + right) / 2
        return left + (right - left) * (distance - self.low) / (self.high - self.low)


def place_pages(pages: Neighbourhood) -> Placing:
    """Place every page; the same neighbourhood always gives the same positions."""
    columns = {role: _column(pages, role) for role in (HUB, BOTH, AUTHORITY)}
    fixed = np.isin(np.arange(len(pages)), np.concatenate(list(columns.values())))
    free = np.flatnonzero(~fixed & ~pages.pruned)
    height = _field_height(columns, len(free))
    x, y = np.zeros(len(pages)), np.zeros(len(pages))
    for role, members in columns.items():
        x[members] = column_x(role)
        y[members] = _rows(len(members), height)
    _place_free(pages, x, y, free, _bands(columns), height)
    return _with_strip(pages, x, y, columns, TOP + height)


def column_x(role: str) -> float:
    """Return the position of a role's column."""
    return {HUB: MARGIN + GUTTER, BOTH: (WIDTH - BOTH_ROOM) / 2, AUTHORITY: WIDTH - MARGIN - GUTTER}[role]


def _column(pages: Neighbourhood, role: str) -> IntArray:
    members = np.flatnonzero(pages.having(role))
    scores = {HUB: pages.hub, AUTHORITY: pages.authority, BOTH: pages.strengths}[role]
    return members[np.lexsort((members, -scores[members]))][:MAX_IN_COLUMN]


def _field_height(columns: dict[str, IntArray], free: int) -> float:
    tallest = max(len(members) for members in columns.values())
    return float(np.clip(max(ROW * tallest, 36 * np.sqrt(free)), MIN_FIELD_HEIGHT, MAX_FIELD_HEIGHT))


def _rows(count: int, height: float) -> FloatArray:
    """Return vertical positions of a column's pages: spread over the field; a few pages stay close to its top."""
    step = min((height - ROW) / max(count - 1, 1), 1.6 * ROW)
    return np.asarray(TOP + ROW / 2 + np.arange(count) * step)


def _bands(columns: dict[str, IntArray]) -> list[tuple[float, float]]:
    """Return the horizontal ranges of the field: between the columns, without the labels in the middle."""
    left = column_x(HUB) + BESIDE if len(columns[HUB]) else MARGIN + CELL
    right = column_x(AUTHORITY) - BESIDE if len(columns[AUTHORITY]) else WIDTH - MARGIN - CELL
    if not len(columns[BOTH]):
        return [(left, right)]
    middle = column_x(BOTH)
    return [(left, middle - BESIDE), (middle + BOTH_ROOM, right)]


def _place_free(
    pages: Neighbourhood, x: FloatArray, y: FloatArray, free: IntArray, bands: list[tuple[float, float]], height: float
) -> None:
    if not len(free):
        return
    order = np.lexsort((free, -pages.strengths[free]))
    goal_x = _along(bands, _shares_by_rank(pages.leanings[free], order))
    goal_y = np.empty(len(free))
    goal_y[order] = TOP + height * (np.arange(len(free)) + 0.5) / len(free)
    x[free], y[free] = _spread(goal_x, goal_y, bands, height)


def _shares_by_rank(values: FloatArray, order: IntArray) -> FloatArray:
    """Return the position of each value in (0, 1) by its rank; equal values are spread evenly over their ranks."""
    rounded = values.round(9)
    ordered = np.sort(rounded)
    first, after = np.searchsorted(ordered, rounded, "left"), np.searchsorted(ordered, rounded, "right")
    within = np.empty(len(values))
    within[order] = (0.5 + GOLDEN * np.arange(len(values))) % 1.0
    return (first + (after - first) * within) / len(values)


def _along(bands: list[tuple[float, float]], shares: FloatArray) -> FloatArray:
    """Return the points at these shares of the total length of the bands."""
    lengths = np.array([right - left for left, right in bands])
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    walked = shares * ends[-1]
    band = np.clip(np.searchsorted(ends, walked, "right") - 1, 0, len(bands) - 1)
    return np.array([bands[own][0] for own in band]) + walked - ends[band]


def _spread(
    goal_x: FloatArray, goal_y: FloatArray, bands: list[tuple[float, float]], height: float
) -> tuple[FloatArray, FloatArray]:
    """Push pages apart that are too close, while each is pulled to its goal and kept inside its band."""
    x, y = goal_x.copy(), goal_y.copy()
    middles = np.array([(left + right) / 2 for left, right in bands])
    own = np.abs(goal_x[:, None] - middles).argmin(axis=1)
    left, right = np.array(bands)[own].T
    room = np.sqrt(sum(b - a for a, b in bands) * height / len(x))
    apart = min(2.2 * MIN_DISTANCE, max(MIN_DISTANCE, 0.8 * room))
    for turn in range(ROUNDS):
        pull = PULL if turn < ROUNDS // 2 else 0.0
        dx, dy = x[:, None] - x, y[:, None] - y
        distance = np.sqrt(dx**2 + dy**2)
        push = np.where((distance < apart) & (distance > 0), (apart - distance) / np.maximum(distance, 1e-9), 0.0)
        x = np.clip(x + 0.3 * (push * dx).sum(axis=1) + pull * (goal_x - x), left, right)
        y = np.clip(y + 0.3 * (push * dy).sum(axis=1) + pull * (goal_y - y), TOP, TOP + height)
    return x.round(1), y.round(1)


def _with_strip(
    pages: Neighbourhood, x: FloatArray, y: FloatArray, columns: dict[str, IntArray], field_bottom: float
) -> Placing:
    pruned = np.flatnonzero(pages.having(PRUNED))
    if not len(pruned):
        return Placing(x, y, columns, field_bottom, field_bottom, field_bottom, None, field_bottom + BELOW)
    scale = None
    goals = MARGIN + CELL * (np.arange(len(pruned)) // -(-len(pruned) // CELLS) + 0.5)
    if pages.distances is not None:
        ends = [*pages.distances[pruned], *([] if pages.radius is None else [pages.radius])]
        scale = StripScale(float(min(ends)), float(max(ends)))
        pruned = pruned[np.lexsort((pruned, pages.distances[pruned]))]
        goals = scale.x(pages.distances[pruned])
    columns_of, rows = _cells(np.asarray(goals, dtype=np.float64))
    top = field_bottom + STRIP_GAP
    bottom = top + CELL * (rows.max() + 1)
    x[pruned] = columns_of
    y[pruned] = bottom - CELL * (rows + 0.5)
    return Placing(x, y, columns, field_bottom, top, bottom, scale, bottom + BELOW)


def _cells(goals: FloatArray) -> tuple[FloatArray, IntArray]:
    """Stack points on a grid of cells; if a stack is full, use the nearest stack with a free cell."""
    wanted = np.clip(((goals - MARGIN) / CELL).astype(int), 0, CELLS - 1)
    full = max(min(MAX_CELLS_HIGH, int(np.bincount(wanted).max())), -(-len(goals) // CELLS))
    filled = np.zeros(CELLS, dtype=int)
    chosen, rows = np.empty(len(goals), dtype=int), np.empty(len(goals), dtype=int)
    for point, cell in enumerate(wanted):
        open_cells = np.flatnonzero(filled < full)
        chosen[point] = open_cells[np.abs(open_cells - cell).argmin()]
        rows[point] = filled[chosen[point]]
        filled[chosen[point]] += 1
    return MARGIN + CELL * (chosen + 0.5), rows
