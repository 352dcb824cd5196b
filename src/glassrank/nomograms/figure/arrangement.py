"""Which lines get a row of their own, where the rows are, and how long a unit of effect is drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.drawing.numbers import Notation
from glassrank.nomograms.figure.lines import GROUP, Line
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT, MAP_DROP, MAP_LIMIT, Scale, row_height

FEW_ROWS, MANY_ROWS, ENOUGH = 10, 16, 0.75
"""The largest rows are drawn: 10, and more up to 16 until they make up 75 % of the sum."""
TOP = 132
REST_HEIGHT, AVERAGE_HEIGHT = 58, 30
PANEL_FOOT = 22  # of an open group, for a sentence below its members
ROW, MEMBER = "row", "member"
"""What a row is: one of the largest, or a member of an open group, which the group's row already counts."""
PLACES = {
    "top": TOP,
    "left": LINE_LEFT,
    "rest": REST_HEIGHT,
    "average": AVERAGE_HEIGHT,
    "panel_foot": PANEL_FOOT,
    "map_limit": MAP_LIMIT,
    "map_drop": MAP_DROP,
    "step": 20,
    "more": 26,
}
"""What a script needs to know to open groups and the rest, 20 rows at a time."""
BAR_ROOM = 86  # how far a bar extends from 0
LABELS_STEP = 1.6  # labels are chosen for scales that differ by this factor
MAX_LABELS_LEVEL = 4


@dataclass(frozen=True)
class Place:
    """Where one row is, in pixels."""

    k: int
    part: str
    number: int | None
    top: float
    x: float
    """Where the lowest effect of the line is."""
    drop: float
    """How far a heat map is below its place beside the line: there is no room for it beside a long one."""
    foot: float | None = None
    """Where the panel of an open group ends."""


@dataclass(frozen=True)
class Arrangement:
    """The rows of one picture, in pixels."""

    places: tuple[Place, ...]
    """From top to bottom."""
    scale: Scale
    rest_top: float
    """Where the rows end, and the row of all others begins."""
    bottom: float
    share: float
    """Part of the sum of all keys that the rows make up."""
    bars: float
    """Length of a bar, as a fraction of the piece on the line."""

    @property
    def shown(self) -> tuple[int, ...]:
        """Features, interactions and groups with a row of their own, from top to bottom."""
        return tuple(place.k for place in self.places if place.part == ROW)


def choose_rows(key: FloatArray, rows: int | None, notation: Notation) -> list[int]:
    """Return the places of the largest keys, largest first; equal ones in the model's order. NaN is never chosen.

    Without ``rows``: the 10 largest, and more up to 16 until they make up 75 % of the sum, but none that is written
    as zero.

    >>> choose_rows(np.array([0.2, 0.0, 0.5, 0.2]), None, Notation(2))
    [2, 0, 3]
    """
    order = [int(k) for k in np.argsort(-key, kind="stable") if not np.isnan(key[k])]
    if rows is not None:
        return order[:rows]
    zero = notation(0.0)
    visible = [k for k in order if key[k] >= notation.resolution or notation(float(key[k])) != zero]
    most = FEW_ROWS
    while most < min(MANY_ROWS, len(visible)) and math.fsum(key[visible[:most]]) < ENOUGH * np.nansum(key):
        most += 1
    return visible[:most]


def outside_groups(lines: Sequence[Line]) -> list[int]:
    """Return the lines that can have a row: a group replaces its members."""
    inside = {member for line in lines if line.kind == GROUP for member in line.members}
    return [k for k in range(len(lines)) if k not in inside]


def arrange(
    lines: Sequence[Line],
    candidates: Sequence[int],
    shown: Sequence[int],
    key: FloatArray,
    contributions: FloatArray,
    dots: FloatArray,
    *,
    offset: float = 0.0,
    align: str = "left",
    open_groups: bool = False,
) -> Arrangement:
    """Place the rows below each other; 100 points are the longest line among them.

    ``candidates`` are the lines that can have a row, and ``shown`` those that have one.

    ``dots`` are the effects of the documents, one row per document. A line that was drawn for other documents is
    longer here if one of them is beyond its ends.
    """
    drawn = set(shown)
    others = [k for k in candidates if k not in drawn]
    scale = _scale([_ends(lines[k], dots[:, k]) for k in shown or candidates], align)
    stack = _Stack(lines, dots, scale)
    for number, k in enumerate(shown, start=1):
        stack.add(k, ROW, number)
        if open_groups and lines[k].kind == GROUP:
            stack.add_members(sorted(lines[k].members, key=lambda member: -abs(contributions[member])))
    amounts = [*contributions[list(shown)], contributions[others].sum(), offset]
    total = np.nansum(key)
    return Arrangement(
        places=tuple(stack.places),
        scale=scale,
        rest_top=stack.top,
        bottom=stack.top + (REST_HEIGHT if others else 0) + (AVERAGE_HEIGHT if offset else 0),
        share=math.fsum(key[list(shown)]) / float(total) if total > 0 else 1.0,
        bars=_bar_share(scale.pixels * max(map(abs, amounts))),
    )


class _Stack:
    """Rows below each other."""

    def __init__(self, lines: Sequence[Line], dots: FloatArray, scale: Scale) -> None:
        self.lines, self.dots, self.scale = lines, dots, scale
        self.places: list[Place] = []
        self.top = float(TOP)

    def add(self, k: int, part: str, number: int | None) -> None:
        """Add a row."""
        line, x = self.lines[k], _start(self.lines[k], self.dots[:, k], self.scale)
        long = x + self.scale.pixels * line.range > MAP_LIMIT
        drop = float(MAP_DROP) if line.map is not None and long else 0.0
        self.places.append(Place(k, part, number, self.top, x, drop))
        self.top += row_height(line) + drop

    def add_members(self, members: Sequence[int]) -> None:
        """Open the group that was added last."""
        place = len(self.places) - 1
        for member in members:
            self.add(member, MEMBER, None)
        self.top += PANEL_FOOT
        self.places[place] = replace(self.places[place], foot=self.top)


def _ends(line: Line, dots: FloatArray) -> tuple[float, float]:
    """Return the lowest and the highest effect on a line, those of the documents included."""
    # Plain floats: their texts become parts of Vega's expressions.
    own = dots.tolist()
    return float(min(line.lowest, *own)), float(max(line.lowest + line.range, *own))


def _start(line: Line, dots: FloatArray, scale: Scale) -> float:
    if scale.zero is not None:
        return scale.start(line)
    return LINE_LEFT + scale.pixels * (line.lowest - _ends(line, dots)[0])


def _scale(ends: list[tuple[float, float]], align: str) -> Scale:
    room = LINE_RIGHT - LINE_LEFT
    if align == "left":
        widest = max((high - low for low, high in ends), default=0.0)
        return Scale(room / widest if widest > 0 else 0.0, None)
    lowest, highest = min((low for low, _ in ends), default=0.0), max((high for _, high in ends), default=0.0)
    pixels = room / (highest - lowest) if highest > lowest else 0.0
    return Scale(pixels, LINE_LEFT - pixels * lowest)


def _bar_share(longest: float) -> float:
    """Return a half, a quarter … of the lines' scale: the largest of them at which the longest bar has room."""
    halvings = math.ceil(math.log2(longest / BAR_ROOM) - 1e-9) if longest > 0 else 1
    return 0.5 ** max(1, halvings)


def labels_level(stretch: float) -> int:
    """Return which set of tick labels suits lines that are drawn this much longer than in the first picture.

    >>> [labels_level(stretch) for stretch in (1.0, 1.4, 1.6, 0.9, 100.0)]
    [0, 0, 1, -1, 4]
    """
    steps = math.floor(math.log(stretch) / math.log(LABELS_STEP) + 1e-9) if stretch > 0 else 0
    return max(-MAX_LABELS_LEVEL, min(MAX_LABELS_LEVEL, steps))
