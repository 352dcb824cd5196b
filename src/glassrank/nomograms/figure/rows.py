"""The positions of one row: line, box or fold with ticks, curve, band and distribution, in pixels."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from glassrank.core.additive.categories import MISSING, level_name
from glassrank.core.checks import FloatArray
from glassrank.core.wording import counted
from glassrank.drawing.numbers import Notation, notation_for, round_ticks
from glassrank.drawing.text_width import text_width
from glassrank.nomograms.figure.lines import BOX, CATEGORY, FOLD, LINE, POINT, TOGETHER, Line, map_height
from glassrank.nomograms.figure.ticks import (
    LABEL_OVERHANG,
    TICK_SIZE,
    Tick,
    category_ticks,
    curve_ticks,
    labelled,
    level_ticks,
    line_ticks,
    named_ticks,
    shared_notation,
    whole_ticks,
)

LINE_LEFT, LINE_RIGHT = 240, 740  # the widest line fills this space
LABELS_LEFT = LINE_LEFT - LABEL_OVERHANG
MAP_LEFT, MAP_RIGHT = 464, 736  # of heat maps, beside the lines
MAP_LIMIT, MAP_DROP = 344, 44  # a line that ends beyond the limit has its map below it
ROW_HEIGHT, LINE_DROP = 46, 18  # height of a plain row; distance of its line from the top
BOX_HEIGHT, BOX_DROP, BOX_FOOT = 96, 10, 18
FOLD_DROP, FOLD_GAP, FOLD_FOOT, FOLD_CORNER = 30, 27, 28, 6
BASE_ABOVE_FOLD = 16
HILL = 9  # height of the distribution above a line, in pixels
BINS = 48
WIDTH_95 = 1.96
MISSING_DROP = 16  # below a row with missing values, for the label of their mark
MAX_LEVELS = 12  # labels of a category's levels
FEW_WIDTH = 8  # of the bars that show how often values occur, if there are few of them


@dataclass(frozen=True, eq=False)
class Scale:
    """Conversion of effects to pixels, the same for all rows."""

    pixels: float
    """Pixels per unit of effect."""
    zero: float | None
    """Position of effect 0 if lines are aligned there; None if every line starts at the left."""

    def start(self, line: Line) -> float:
        """Return the position of the lowest effect of a line."""
        return LINE_LEFT if self.zero is None else self.zero + self.pixels * line.lowest


@dataclass(frozen=True, eq=False)
class Row:
    """One line with its ticks, and the documents' dots."""

    k: int
    number: int | None
    line: Line
    top: float
    height: float
    y: float
    """Vertical position of the line; of a box or a fold, that of its baseline, where the segment is drawn."""
    x_start: float
    """Position of the lowest effect, that of missing values included."""
    x_end: float
    line_ends: tuple[float, float]
    """Where the line of the known values starts and ends."""
    missing: Tick | None
    """The mark of missing values, with their share; None if there are none."""
    more: str
    """How many levels of a category have no label; empty if all have one."""
    ticks: tuple[Tick, ...]
    curve: str
    band: str
    hills: str
    stems: tuple["Stem", ...]
    notation: Notation
    values: FloatArray
    dots: tuple[float, ...]
    contribution: float

    @property
    def name(self) -> str:
        return self.line.feature.name

    @property
    def kind(self) -> str:
        return self.line.kind

    @property
    def whole(self) -> bool:
        """Whether all observed values of the feature are whole numbers."""
        return self.line.feature.whole

    @property
    def constant(self) -> bool:
        """Whether the line is a point: the feature has no effect."""
        return self.kind == POINT

    @property
    def middle(self) -> float:
        """Vertical position of the name."""
        return self.top + (self.height - 10) / 2 if self.kind in (BOX, FOLD) else self.y

    def run_y(self, run: int) -> float:
        """Return the vertical position of one run of a folded line."""
        return self.top + FOLD_DROP + FOLD_GAP * run

    def said(self, dot: int, *, sign: bool = False) -> str:
        """Return the value of one dot as text."""
        value, categories = float(self.values[dot]), self.line.feature.categories
        if np.isnan(value):
            return MISSING
        return level_name(categories, value) if categories else self.notation(value, sign=sign)


@dataclass(frozen=True)
class Stem:
    """How often one value occurs: a bar on the line."""

    x: float
    width: float
    height: float


def row_height(line: Line) -> float:
    """Return the height of a row for this kind of line."""
    two_lanes = line.missing is not None or (line.kind == CATEGORY and len(line.values) > 2)
    below = MISSING_DROP if two_lanes else 0
    if line.map is not None:
        return max(ROW_HEIGHT + MISSING_DROP, map_height(line.map))
    if line.kind == FOLD:
        return below + FOLD_DROP + FOLD_GAP * (len(line.runs) - 1) + FOLD_FOOT
    return below + (BOX_HEIGHT if line.kind == BOX else ROW_HEIGHT)


def _nothing() -> FloatArray:
    return np.zeros(0)


def level_counts(line: Line, observed: FloatArray) -> FloatArray:
    """Return the number of rows with each level of a category; of numbers, nothing."""
    if not line.feature.categories:
        return _nothing()
    codes = observed[observed >= 0].astype(np.int64)
    return np.bincount(codes, minlength=len(line.values)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Plotter:
    """Converts values of one line to positions in its row."""

    line: Line
    scale: Scale
    top: float
    shares: FloatArray = field(default_factory=_nothing)
    """Number of rows with each level of a category."""
    documents: FloatArray = field(default_factory=_nothing)
    """Values of the documents on the line."""

    @property
    def start(self) -> float:
        return self.scale.start(self.line)

    @property
    def y(self) -> float:
        if self.line.kind == FOLD:
            return self.top + FOLD_DROP - BASE_ABOVE_FOLD
        return self.box[0] if self.line.kind == BOX else self.top + LINE_DROP

    @property
    def box(self) -> tuple[float, float]:
        """Bottom and top of the curve box."""
        return self.top + BOX_HEIGHT - BOX_FOOT, self.top + BOX_DROP

    def x_of(self, value: float) -> float:
        return self.start + self.scale.pixels * float(self.line.feature(np.array(value)) - self.line.lowest)

    def xs(self, effects: FloatArray) -> FloatArray:
        return self.start + self.scale.pixels * effects

    def heights(self, values: FloatArray) -> FloatArray:
        return np.interp(values, [self.line.first, self.line.last], self.box)

    def ticks(self) -> tuple[Tick, ...]:
        """Return the ticks of the line; the mark of missing values has precedence over labels."""
        mark = self.missing()
        if mark is None or self.line.kind == CATEGORY:
            return self._ticks()
        return tuple(
            replace(tick, label="") if abs(tick.x - mark.x) < text_width(tick.label, TICK_SIZE) / 2 + 3 else tick
            for tick in self._ticks()
        )

    def _ticks(self) -> tuple[Tick, ...]:
        line, pixels = self.line, self.scale.pixels * self.line.range
        if line.kind == POINT or not line.range:
            # A point represents every value: a tick would suggest one of them.
            return ()
        if line.marks:
            return named_ticks([(self.x_of(value), label) for value, label in line.marks], LABELS_LEFT, self.y)
        if line.kind == BOX:
            return level_ticks(line.first, line.last, *self.box, self.start)
        if line.kind == CATEGORY:
            return category_ticks(self._named_levels(), LABELS_LEFT, self.y, self._missing_label())
        if line.kind == FOLD:
            return tuple(tick for run in range(len(line.runs)) for tick in self._run_ticks(run))
        if line.feature.whole:
            every = whole_ticks(line.first, line.last, self.x_of, LABELS_LEFT, self.y)
            if every is not None:
                return every
        if len(line.values) == 2:
            return line_ticks(line.first, line.last, self.x_of, pixels, LABELS_LEFT, self.y)
        return curve_ticks(line.first, line.last, self.x_of, LABELS_LEFT, self.y)

    def _levels(self) -> list[int]:
        """Return the levels to label, the most important first: by |effect| × frequency, without the rare ones."""
        weight = np.abs(self.line.effects + self.line.lowest) * self.shares
        rare = set(self.line.feature.rare)
        order = [int(k) for k in np.argsort(-weight, kind="stable") if k not in rare]
        return order if len(self.line.values) <= MAX_LEVELS else order[:MAX_LEVELS]

    def _named_levels(self) -> list[tuple[float, str]]:
        """Return the places and names of the labelled levels; rare levels share an effect, and so a label."""
        xs, names, rare = self.xs(self.line.effects), self.line.feature.categories, self.line.feature.rare
        together = [(float(xs[rare[0]]), f"{len(rare):,} rare")] if len(rare) > 1 else []
        alone = list(rare) if len(rare) == 1 else []
        return [*together, *((float(xs[level]), names[level]) for level in [*self._levels(), *alone])]

    def _missing_label(self) -> tuple[float, float] | None:
        mark = self.missing()
        half = 0.0 if mark is None else text_width(mark.label, TICK_SIZE) / 2
        return None if mark is None else (mark.x - half, mark.x + half)

    @property
    def more(self) -> str:
        """How many levels of a category are not named beside the line, apart from those of the documents."""
        if self.line.kind != CATEGORY:
            return ""
        count = len(self.line.values) - len(self._levels()) - len(self.line.feature.rare)
        return counted(count, "more level") if count > 0 else ""

    def missing(self) -> Tick | None:
        """Return the mark of missing values with their share."""
        share = self.line.feature.missing_share
        if self.line.missing is None or share is None:
            return None
        x = float(self.start + self.scale.pixels * self.line.missing)
        return Tick(x, f"missing {100 * share:.0f} %" if share >= 0.005 else "missing < 1 %", self.y)

    def ends(self) -> tuple[float, float]:
        """Return where the line of the known values starts and ends."""
        low, high = self.xs(np.array([self.line.effects.min(), self.line.effects.max()]))
        return float(low), float(high)

    def _run_ticks(self, run: int) -> tuple[Tick, ...]:
        start, end = self.line.runs[run]
        low, high = float(self.line.values[start]), float(self.line.values[end])
        whole = round_ticks(self.line.first, self.line.last, 12)
        places = [(self.x_of(value), value) for value in whole if low <= value <= high]
        ticks = labelled(places, LABELS_LEFT, self._run_y(run), notation=shared_notation(whole))
        if run + 1 == len(self.line.runs):
            return ticks
        # The line goes down to the next run where this one ends: omit labels in its way.
        turn = self.start + self.scale.pixels * float(self.line.effects[end])
        return tuple(
            replace(tick, label="") if abs(tick.x - turn) < text_width(tick.label, TICK_SIZE) / 2 + 3 else tick
            for tick in ticks
        )

    def _run_y(self, run: int) -> float:
        return self.top + FOLD_DROP + FOLD_GAP * run

    def curve(self) -> str:
        """Return the curve of a box or a fold as an SVG path."""
        if self.line.kind == FOLD:
            return self._fold()
        if self.line.kind != BOX:
            return ""
        return "M" + "L".join(_points(self.xs(self.line.effects), self.heights(self.line.values)))

    def _fold(self) -> str:
        ends = [self.xs(self.line.effects[[start, end]]) for start, end in self.line.runs]
        y = self.top + FOLD_DROP
        path = f"M{ends[0][0]:.1f},{y:.1f}"
        for run, (left, right) in enumerate(ends):
            way = 1 if right > left else -1
            if run + 1 == len(ends):
                return f"{path}L{right:.1f},{y:.1f}"
            # Rounded corners that never extend beyond the turning point.
            corner = min(FOLD_CORNER, abs(right - left) / 2)
            back = min(FOLD_CORNER, abs(right - ends[run + 1][1]) / 2)
            below = y + FOLD_GAP
            path += f"L{right - way * corner:.1f},{y:.1f}Q{right:.1f},{y:.1f} {right:.1f},{y + FOLD_CORNER:.1f}"
            path += (
                f"L{right:.1f},{below - FOLD_CORNER:.1f}Q{right:.1f},{below:.1f} {right - way * back:.1f},{below:.1f}"
            )
            y = below
        return path

    def band(self, errors: FloatArray) -> str:
        """Return the 95 % band of a box's curve, cut at the line's ends; ``errors`` are those of the line's samples."""
        if self.line.kind != BOX:
            return ""
        low = np.clip(self.line.effects - WIDTH_95 * errors, 0.0, self.line.range)
        high = np.clip(self.line.effects + WIDTH_95 * errors, 0.0, self.line.range)
        heights = self.heights(self.line.values)
        forth, back = _points(self.xs(low), heights), _points(self.xs(high), heights)[::-1]
        return "M" + "L".join([*forth, *back]) + "Z"

    def hills(self, observed: FloatArray) -> str:
        """Return the frequencies of values as hills on the line or at the right of a box, on a square-root scale."""
        line = self.line
        if line.kind in (POINT, CATEGORY, TOGETHER) or self.stems(observed):
            return ""
        observed = observed[~np.isnan(observed)]
        if line.kind == LINE and len(line.values) > 2:
            return self._hill_along(observed[(observed >= line.first) & (observed <= line.last)])
        centres, tops = _histogram(observed, line.first, line.last)
        if line.kind == BOX:
            side = self.start + self.scale.pixels * line.range + 2
            ys, xs = self.heights(centres), side + 1.5 * tops
            return "M" + "L".join([*_points(xs, ys), *_points(np.full(2, side), ys[[-1, 0]])]) + "Z"
        effects = np.asarray(line.feature(centres)) - line.lowest
        parts = [self._hill(centres, effects, tops, run) for run in range(len(line.runs))]
        return "".join(parts)

    def stems(self, observed: FloatArray) -> tuple[Stem, ...]:
        """Return a bar for each category, or for each whole number if all of them have a tick."""
        if self.line.kind == CATEGORY:
            named = set(self._levels())
            widths = [
                (FEW_WIDTH if len(self.shares) <= MAX_LEVELS else 5) if k in named else 1
                for k in range(len(self.shares))
            ]
            return _stems(self.xs(self.line.effects), widths, self.shares)
        if not self.line.feature.whole or self.line.kind != LINE:
            return ()
        ticks = whole_ticks(self.line.first, self.line.last, self.x_of, LABELS_LEFT, self.y)
        if ticks is None:
            return ()
        values = np.arange(np.ceil(self.line.first), np.floor(self.line.last) + 1.0)
        counts = np.array([np.count_nonzero(observed == value) for value in values], dtype=np.float64)
        xs = np.array([self.x_of(float(value)) for value in values])
        width = min(FEW_WIDTH, 0.7 * float(np.abs(np.diff(xs)).min()))
        return _stems(xs, [width] * len(xs), counts)

    def _hill_along(self, observed: FloatArray) -> str:
        """Return the hill of a nonlinear line: frequencies per drawn distance, not per unit of the value."""
        effects = np.asarray(self.line.feature(observed)) - self.line.lowest
        centres, tops = _histogram(effects, float(self.line.effects.min()), float(self.line.effects.max()))
        xs, ys = self.xs(centres), self.y - tops
        return "M" + "L".join([*_points(xs, ys), *_points(xs[[-1, 0]], np.full(2, self.y))]) + "Z"

    def _hill(self, centres: FloatArray, effects: FloatArray, tops: FloatArray, run: int) -> str:
        start, end = self.line.runs[run]
        inside = (centres >= self.line.values[start]) & (centres <= self.line.values[end])
        if inside.sum() < 2:
            return ""
        y = self._run_y(run) if self.line.kind == FOLD else self.y
        xs, ys = self.xs(effects[inside]), y - tops[inside]
        return "M" + "L".join([*_points(xs, ys), *_points(xs[[-1, 0]], np.full(2, y))]) + "Z"


def _stems(xs: FloatArray, widths: Sequence[float], counts: FloatArray) -> tuple[Stem, ...]:
    tops = HILL * np.sqrt(counts / max(float(counts.max(initial=0.0)), 1.0))
    return tuple(Stem(float(x), w, float(h)) for x, w, h in zip(xs, widths, tops, strict=True) if h > 0)


def value_notation(line: Line, *, whole: bool) -> Notation:
    """Return the notation for all values of a feature: to a hundredth of the line; whole numbers stay whole."""
    step = max(1.0, (line.last - line.first) / 1000) if whole else (line.last - line.first) / 100
    return notation_for(max(abs(line.first), abs(line.last)), step)


def _histogram(observed: FloatArray, first: float, last: float) -> tuple[FloatArray, FloatArray]:
    counts, edges = np.histogram(observed, bins=BINS, range=(first, last))
    smooth = np.convolve(counts, [0.25, 0.5, 0.25], mode="same")
    return (edges[:-1] + edges[1:]) / 2, HILL * np.sqrt(smooth / max(float(smooth.max()), 1.0))


def _points(xs: FloatArray, ys: FloatArray) -> list[str]:
    return [f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True)]
