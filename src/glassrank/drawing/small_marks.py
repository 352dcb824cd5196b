"""Small drawings inside tables: a mean with its interval, and the labels of a ranked list."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import floor, log10

from glassrank.drawing.numbers import MINUS, round_ticks

CELL_WIDTH, CELL_HEIGHT = 92, 16
DIGIT_WIDTH = 6.5  # upper bound for the axis' font size, 11 px
MAX_TICKS = 5  # with fewer, a single tick could remain, which does not show the scale
STRIP_STEP, STRIP_HEIGHT = 6, 18
_EMPTY = ' class="empty"'


@dataclass(frozen=True)
class WhiskerScale:
    """The horizontal scale of a column of whiskers."""

    low: float
    high: float
    width: int = CELL_WIDTH
    """Pixels of the column."""

    @classmethod
    def of(cls, values: Sequence[float], *, with_zero: bool = False, width: int = CELL_WIDTH) -> "WhiskerScale":
        """Return a scale that includes all values, with some room at both ends."""
        low, high = min(values), max(values)
        if with_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        room = 0.06 * (high - low) or 0.01
        return cls(low - room, high + room, width)

    def x(self, value: float) -> float:
        """Return the pixel of a value."""
        return round(4 + (self.width - 8) * (value - self.low) / (self.high - self.low), 2)

    def _inside(self, tick: float, decimals: int) -> float:
        """Return the centre of a tick's number: below the tick, moved inwards if it would be cut off."""
        half = DIGIT_WIDTH * len(_number(tick, decimals)) / 2
        return min(max(self.x(tick), half), self.width - half)

    def axis(self) -> str:
        """Return the axis of the scale as SVG, for the bottom of the column."""
        ticks = [tick for tick in round_ticks(self.low, self.high, MAX_TICKS) if self.low <= tick <= self.high]
        shown = [ticks[0], ticks[-1]] if len(ticks) > 1 else ticks
        step = min((b - a for a, b in pairwise(ticks)), default=0.01)
        decimals = max(0, -floor(log10(step) + 1e-9))
        texts = "".join(
            f'<text x="{self._inside(tick, decimals)}" y="14" text-anchor="middle">{_number(tick, decimals)}</text>'
            for tick in shown
        )
        marks = "".join(f'<path d="M{self.x(tick)} 0v4"/>' for tick in ticks)
        return (
            f'<svg class="axis" viewBox="0 0 {self.width} 18" width="{self.width}" height="18" aria-hidden="true">'
            f"{marks}{texts}</svg>"
        )


def whisker(scale: WhiskerScale, mean: float, interval: tuple[float, float], *, zero: bool = False) -> str:
    """Return a dot at the mean and a line over its interval as SVG; ``zero`` adds a line at 0."""
    middle = CELL_HEIGHT / 2
    line = f'<path class="zero" d="M{scale.x(0.0)} 0v{CELL_HEIGHT}"/>' if zero else ""
    low, high = scale.x(interval[0]), scale.x(interval[1])
    return (
        f'<svg class="whisker" viewBox="0 0 {scale.width} {CELL_HEIGHT}" width="{scale.width}" height="{CELL_HEIGHT}" '
        f'aria-hidden="true">{line}'
        f'<path d="M{low} {middle}H{high}"/><circle cx="{scale.x(mean)}" cy="{middle}" r="3"/></svg>'
    )


def dumbbell(scale: WhiskerScale, before: float, after: float) -> str:
    """Return a hollow dot at the value before, a filled one at the value after, and a line at 0 as SVG."""
    middle = CELL_HEIGHT / 2
    x, x2 = scale.x(before), scale.x(after)
    return (
        f'<svg class="dumbbell" viewBox="0 0 {scale.width} {CELL_HEIGHT}" width="{scale.width}" height="{CELL_HEIGHT}" '
        f'aria-hidden="true"><path class="zero" d="M{scale.x(0.0)} 0v{CELL_HEIGHT}"/><path d="M{x} {middle}H{x2}"/>'
        f'<circle class="before" cx="{x}" cy="{middle}" r="3.5"/><circle cx="{x2}" cy="{middle}" r="3.5"/></svg>'
    )


def label_strip(labels: Sequence[float], highest: float, shaded: int) -> str:
    """Return a strip with a mark for each relevant document, taller for higher labels; ``shaded`` ranks are tinted."""
    width = STRIP_STEP * max(len(labels), shaded)
    marks = []
    for place, label in enumerate(labels):
        if label > 0:
            height = STRIP_HEIGHT * (0.35 + 0.6 * label / highest)
            marks.append(f'<path d="M{STRIP_STEP * place + 3} {STRIP_HEIGHT}v-{height:.1f}"/>')
    ranks = ", ".join(str(place + 1) for place, label in enumerate(labels) if label > 0) or "none"
    return (
        f'<svg class="strip" viewBox="0 0 {width} {STRIP_HEIGHT}" width="{width}" height="{STRIP_HEIGHT}" role="img" '
        f'aria-label="{escape(f"relevant documents at ranks {ranks}")}">'
        f'<rect width="{STRIP_STEP * shaded}" height="{STRIP_HEIGHT}"/>{"".join(marks)}</svg>'
    )


def label_steps(label: float, highest: float, words: str = "") -> str:
    """Return three steps as SVG, as many of them filled as the label is high; ``words`` if no text is beside it.

    >>> label_steps(1.0, highest=4.0).count("empty")
    2
    """
    filled = 0 if label <= 0 or highest <= 0 else max(1, round(3 * label / highest))
    steps = "".join(
        f'<rect x="{4 * n}" y="{8 - 3 * n}" width="3" height="{3 + 3 * n}"{"" if n < filled else _EMPTY}/>'
        for n in range(3)
    )
    spoken = f'role="img" aria-label="{escape(words)}"' if words else 'aria-hidden="true"'
    title = f"<title>{escape(words)}</title>" if words else ""
    return f'<svg class="label" viewBox="0 0 11 11" width="11" height="11" {spoken}>{title}{steps}</svg>'


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", MINUS)
