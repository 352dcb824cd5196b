"""Data sets of what the rows consist of: lines, ticks, hills and the marks of missing values.

Positions are relative to the row, in pixels of the first picture, because rows move and lines are stretched if
another pair is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from glassrank.drawing.text_width import fitted, text_width
from glassrank.nomograms.figure.arrangement import LABELS_STEP, MAX_LABELS_LEVEL, MEMBER, labels_level
from glassrank.nomograms.figure.layout import NAME_X, Layout
from glassrank.nomograms.figure.lines import BOX, CATEGORY, FOLD, LINE, TOGETHER
from glassrank.nomograms.figure.placing import formulas, placed, placing_data
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT, MAX_LEVELS, Row, Scale
from glassrank.nomograms.figure.ticks import TICK_SIZE, Tick
from glassrank.nomograms.figure.words import facts_of

NAME_SIZE = 12.5
MORE_ROOM = 110  # of the words "157 more levels"
NUMBER_ROOM = 20  # of a row's number, before its name
AT_X, AT_Y = "datum.place.x + stretch * datum.dx", "datum.place.top + datum.dy"
ON_AXIS = f"{AT_X} <= {LINE_RIGHT + 0.5}"  # the line of a row of the rest may be longer than 100 points
ON_LEVEL = "datum.place && datum.low <= level && level <= datum.high"


@dataclass(frozen=True, eq=False)
class RowData:
    """The parts of all rows that can be shown: those of the picture or, in a live figure, those of every line."""

    layout: Layout
    live: bool = False

    @property
    def rows(self) -> tuple[Row, ...]:
        return (*self.layout.rows, *self.layout.others) if self.live else self.layout.rows

    def sets(self) -> dict[str, Any]:
        boxes = [row for row in self.rows if row.kind == BOX]
        return {
            **placing_data(self.layout),
            "lines": placed(
                [self._line(row) for row in self.rows],
                slot="datum.k",
                top="datum.place.top",
                foot="datum.place.top + datum.height",
                y=AT_Y,
                middle="datum.place.top + datum.mid",
                box="datum.place.top + datum.up",
                start="datum.place.x + stretch * datum.from",
                whole_end="datum.place.x + stretch * datum.to",
                end=f"min({LINE_RIGHT}, datum.whole_end)",
                left="datum.place.x - stretch * datum.origin",
                upper="datum.place.top - datum.drawn",
                indent=f"datum.place.part === '{MEMBER}' ? 16 : 0",
                title="(datum.place.number === null ? '' : datum.place.number + '  ') + datum.name",
                fact="datum.place.part === 'pin' ? 'pinned by you' : datum.tag",
            ),
            "panels": {
                "source": "placed",
                "transform": [{"type": "filter", "expr": "datum.foot"}],
            },
            # Beside the line or, if it is long, above its end.
            "many": {
                "source": "lines",
                "transform": [
                    {"type": "filter", "expr": "datum.more"},
                    *formulas(
                        above=f"datum.end > {LINE_RIGHT - MORE_ROOM}",
                        more_x="datum.above ? datum.end : datum.end + 24",
                        more_y="datum.above ? datum.y - 17 : datum.y",
                    ),
                ],
            },
            "ticks": placed(list(self._ticks()), f"{ON_LEVEL} && {ON_AXIS}", x=AT_X, y=AT_Y),
            "levels": placed(
                [
                    {"k": row.k, "dx": 0, "dy": t.y - row.top, "label": t.label, "to": row.x_end - row.x_start}
                    for row in boxes
                    for t in row.ticks
                ],
                x=AT_X,
                y=AT_Y,
                end=f"min({LINE_RIGHT}, datum.place.x + stretch * datum.to)",
            ),
            "stems": placed(list(self._stems()), f"datum.place && {ON_AXIS}", x=AT_X, y=AT_Y),
            "arrows": placed(list(self._arrows()), x=f"min({LINE_RIGHT}, {AT_X})", y=AT_Y),
            "missing": placed(
                [self._missing(row, row.missing) for row in self.rows if row.missing is not None],
                f"datum.place && {ON_AXIS}",
                x=AT_X,
                y=AT_Y,
                start="datum.place.x + stretch * datum.from",
            ),
        }

    def _line(self, row: Row) -> dict[str, Any]:
        beside = max((text_width(t.label, TICK_SIZE) for t in row.ticks), default=0.0) if row.kind == BOX else 0.0
        room = LINE_LEFT - NAME_X - NUMBER_ROOM - 16 - beside
        name = self._name(row, room)
        return {
            "k": row.k,
            "name": fitted(name, room, NAME_SIZE, bold=True),
            "tag": _tag(row, room - (1.0 if row.line.members else 0.88) * text_width(name, NAME_SIZE, bold=True)),
            "tag_x": LINE_LEFT - 14 - beside,
            "dy": row.y - row.top,
            "mid": row.middle - row.top,
            "height": row.height,
            "from": row.line_ends[0] - row.x_start,
            "to": row.line_ends[1] - row.x_start,
            "up": 10 if row.kind == BOX else row.y - row.top,
            "width": 0 if row.constant else 1 if row.kind in (BOX, FOLD) else 1.6,
            "point": 26 if row.constant else 0,
            # Paths are in pixels of the first picture: where they were drawn, and where the line began.
            "origin": row.x_start,
            "drawn": row.top,
            "more": row.more,
            "curve": row.curve,
            "band": row.band,
            "hills": row.hills,
        }

    def _name(self, row: Row, room: float) -> str:
        """Return the name with its unit; those of two features share the room."""
        if row.kind == TOGETHER:
            names = [self.layout.lines[k].feature.name for k in row.line.members]
            short = [fitted(name, (room - 14) / 2, NAME_SIZE, bold=True) for name in names]
            return row.name if text_width(row.name, NAME_SIZE, bold=True) <= room else " × ".join(short)
        unit = row.line.feature.unit
        return f"{row.name}, {unit}" if unit else row.name

    def _stems(self) -> Iterator[dict[str, Any]]:
        """How often each category, or each whole number, occurs."""
        for row in self.rows:
            for stem in row.stems:
                place = {"k": row.k, "dx": round(stem.x - row.x_start, 2), "dy": row.y - row.top}
                yield {**place, "width": stem.width, "height": round(stem.height, 2)}

    def _arrows(self) -> Iterator[dict[str, Any]]:
        """An open arrow head at the larger values of a line that only rises or only falls."""
        for row in self.rows:
            if row.kind == LINE and row.line.feature.direction:
                rises = row.line.effects[-1] >= row.line.effects[0]
                end = row.line_ends[1 if rises else 0] - row.x_start
                yield {"k": row.k, "dx": end, "dy": row.y - row.top, "way": 1 if rises else -1}

    def _missing(self, row: Row, mark: Tick) -> dict[str, Any]:
        """The hollow mark of missing values; outside the line, a dashed one leads to it."""
        low, high = row.line_ends
        return {
            "k": row.k,
            "dx": mark.x - row.x_start,
            "dy": mark.y - row.top,
            "label": mark.label,
            "from": min(max(mark.x, low), high) - row.x_start,
        }

    def _levels(self) -> range:
        """Return the sets of labels that the figure needs: of a still picture, one."""
        if not self.live:
            return range(1)
        layout = self.layout
        longest = max((line.range for line in layout.lines), default=0.0)
        least = (LINE_RIGHT - LINE_LEFT) / longest / layout.scale.pixels if layout.scale.pixels > 0 else 1.0
        # A document beyond the end of its line makes all lines shorter.
        return range(max(-MAX_LABELS_LEVEL, labels_level(least) - 1), MAX_LABELS_LEVEL + 1)

    def _labelled(self, row: Row) -> Iterator[tuple[int, tuple[Tick, ...]]]:
        """Return the ticks of a row for each set of labels, at the first picture's scale."""
        # The first picture's labels come first, in the order of a still picture.
        for level in sorted(self._levels(), key=abs):
            if level == 0:
                yield level, row.ticks
                continue
            factor = LABELS_STEP**level
            scale = Scale(self.layout.scale.pixels * factor, None)
            plotter = self.layout.plots.plotter(row.k, row.top, scale)
            ticks = plotter.ticks()
            yield level, tuple(replace(t, x=row.x_start + (t.x - plotter.start) / factor) for t in ticks)

    def _ticks(self) -> Iterator[dict[str, Any]]:
        """Return the ticks of all rows; those that several sets of labels share are listed once."""
        for row in self.rows:
            if row.kind == BOX:
                continue
            merged: dict[tuple[float, float, str, int], list[int]] = {}
            for level, ticks in self._labelled(row):
                for t in ticks:
                    merged.setdefault((round(t.x - row.x_start, 2), t.y - row.top, t.label, t.lane), []).append(level)
            for (dx, dy, label, lane), levels in merged.items():
                place = {"k": row.k, "dx": dx, "dy": dy, "label": label}
                extra = {"lane": lane, "width": round(text_width(label, TICK_SIZE), 1)} if row.kind == CATEGORY else {}
                for low, high in _runs(sorted(levels), self._levels()[0]):
                    yield {**place, **extra, "low": low, "high": high}


def _tag(row: Row, room: float) -> str:
    """Return as many facts as fit beside the name, which is more important; the estimates of widths are generous."""
    facts = facts_of(row.line, constant=row.constant, all_named=len(row.line.values) <= MAX_LEVELS)
    tags = [" · ".join(facts[:count]) for count in range(len(facts), 0, -1)]
    return next((tag for tag in tags if 0.88 * text_width(tag, TICK_SIZE) <= room), "")


def _runs(levels: list[int], lowest: int) -> list[tuple[int, int]]:
    """Return the first and last of each sequence of neighbouring levels; the lowest set serves all scales below it.

    >>> _runs([-1, 0, 1, 3], lowest=-2), _runs([-2, -1], lowest=-2), _runs([0], lowest=0)
    ([(-1, 1), (3, 3)], [(-4, -1)], [(-4, 0)])
    """
    ends: list[tuple[int, int]] = []
    for level in levels:
        if ends and level == ends[-1][1] + 1:
            ends[-1] = (ends[-1][0], level)
        else:
            ends.append((-MAX_LABELS_LEVEL if level == lowest else level, level))
    return ends
