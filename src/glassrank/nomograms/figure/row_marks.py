"""Marks of the rows: names and values, lines, boxes and folds with ticks, dots, ghosts and flip values."""

from dataclasses import dataclass

from glassrank.drawing.marks import Mark, Rows, computed, field, named, path, rect, rule, symbol, text
from glassrank.drawing.text_width import fitted, text_width
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.layout import NAME_X, TOP, Layout
from glassrank.nomograms.figure.lines import BOX, FOLD
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT, Row
from glassrank.nomograms.figure.ticks import TICK_SIZE, Tick
from glassrank.nomograms.figure.words import OverlayWords

NAME_SIZE, VALUE_SIZE = 12.5, 12
AXIS_LABEL_X = LINE_LEFT - 24
TICK_LABEL = {"align": "center", "fontSize": TICK_SIZE}
FLIP_RIGHT = (808, 872)
FLIP_ROOM = 58
MISSING_HALF = 11  # half the height of the mark of missing values
VALUES_X = (NAME_X + 16, NAME_X + 112)
CIRCLE = {"shape": "circle", "size": 100, "strokeWidth": 1.2}
DIAMOND = {"shape": "diamond", "size": 104, "strokeWidth": 2}


@dataclass(frozen=True)
class RowMarks:
    """Everything left of the panel, down to the axis below the lines."""

    layout: Layout
    words: OverlayWords
    theme: Theme
    kind: str
    unit: str

    def data(self) -> dict[str, Rows]:
        rows = self.layout.rows
        return {
            "points": [{"x": tick.x, "label": tick.label} for tick in self.layout.points],
            "scores": [{"x": tick.x, "label": tick.label} for tick in self.layout.scores],
            "lines": [self._line(row) for row in rows],
            "ticks": [{"x": t.x, "y": t.y, "label": t.label} for row in rows if row.kind != BOX for t in row.ticks],
            "levels": [
                {"x": t.x, "y": t.y, "label": t.label, "end": row.x_end}
                for row in rows
                if row.kind == BOX
                for t in row.ticks
            ],
            "missing": [self._missing(row, row.missing) for row in rows if row.missing is not None],
            "rest": self._rest(),
        }

    def _missing(self, row: Row, mark: Tick) -> dict[str, object]:
        """The hollow mark of missing values; outside the line, a dashed one leads to it."""
        low, high = row.line_ends
        return {"x": mark.x, "y": mark.y, "label": mark.label, "from": min(max(mark.x, low), high)}

    def _line(self, row: Row) -> dict[str, object]:
        unit = row.line.feature.unit
        name = f"{row.number}  {row.name}, {unit}" if unit else f"{row.number}  {row.name}"
        beside = max((text_width(t.label, TICK_SIZE) for t in row.ticks), default=0.0) if row.kind == BOX else 0.0
        return {
            "slot": row.k,
            "name": fitted(name, LINE_LEFT - NAME_X - 16 - beside, NAME_SIZE, bold=True),
            "y": row.y,
            "middle": row.middle,
            "top": row.top,
            "foot": row.top + row.height,
            "start": row.line_ends[0],
            "end": row.line_ends[1],
            "more": row.more,
            "box": row.top + 10 if row.kind == BOX else row.y,
            "width": 0 if row.constant else 1 if row.kind in (BOX, FOLD) else 1.6,
            "point": 26 if row.constant else 0,
            "curve": row.curve,
            "band": row.band,
            "hills": row.hills,
        }

    def _rest(self) -> Rows:
        rest = self.layout.rest
        if rest is None:
            return []
        name = f"{len(rest.columns)} weakest feature{'s' if len(rest.columns) > 1 else ''}"
        return [{"slot": -1, "name": name, "y": rest.y, "top": rest.top, "start": rest.x_start, "end": rest.x_end}]

    def marks(self) -> list[Mark]:
        parts = (
            self._grounds,
            self._axes,
            self._names,
            self._lines,
            self._bands,
            self._segments,
            self._dots,
            self._flips,
        )
        return [mark for part in parts for mark in part()]

    def marks_without_documents(self) -> list[Mark]:
        """Return the lines with their names and axes only."""
        return [*self._axes(), *self._titles(), *self._lines()]

    def _grounds(self) -> list[Mark]:
        """Backgrounds of the rows: hovering over one highlights it and its bar."""
        fill = computed(f"datum.slot === hover ? '{self.theme.subtle}' : '{self.theme.page}'")
        right = FLIP_RIGHT[-1] + 8
        return [
            named(rect("lines", x=NAME_X - 12, x2=right, y=field("top"), y2=field("foot"), fill=fill), "row_grounds"),
        ]

    def _axes(self) -> list[Mark]:
        theme, bottom = self.theme, self.layout.bottom
        unit = self.unit.capitalize()
        return [
            rule("points", x=field("x"), x2=field("x"), y=TOP - 4, y2=bottom, stroke=theme.hair),
            text("one", x=AXIS_LABEL_X, y=TOP - 26, text="Points", align="right", fontWeight=600, fill=theme.ink),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=TOP - 12, y2=TOP - 12, stroke=theme.ink, strokeWidth=1.2),
            rule("points", x=field("x"), x2=field("x"), y=TOP - 12, y2=TOP - 17, stroke=theme.ink),
            text("points", x=field("x"), y=TOP - 26, text=field("label"), fill=theme.ink2, **TICK_LABEL),
            text("one", x=AXIS_LABEL_X, y=bottom + 16, text=unit, align="right", fill=theme.ink3),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=bottom, y2=bottom, stroke=theme.rule),
            rule("scores", x=field("x"), x2=field("x"), y=bottom, y2=bottom + 5, stroke=theme.rule),
            text("scores", x=field("x"), y=bottom + 16, text=field("label"), fill=theme.ink3, **TICK_LABEL),
        ]

    def _titles(self) -> list[Mark]:
        theme = self.theme
        return [
            text(
                "lines",
                x=NAME_X,
                y=computed("datum.middle - (datum.box < datum.y ? 18 : 0)"),
                text=field("name"),
                fill=theme.ink,
                fontSize=NAME_SIZE,
                fontWeight=600,
            ),
            text(
                "rest", x=NAME_X, y=field("y"), text=field("name"), fill=theme.ink, fontSize=NAME_SIZE, fontWeight=600
            ),
            text("rest", x=VALUES_X[0], y={"field": "y", "offset": 15}, text="summed", fill=theme.ink3),
        ]

    def _names(self) -> list[Mark]:
        theme, colours = self.theme, self._colours()
        below = "datum.f.middle + (datum.f.stacked ? -2 : 15)"
        marks = self._titles()
        x = f"datum.doc === 'B' && !datum.f.stacked ? {VALUES_X[1]} : {VALUES_X[0]}"
        letter = f"(datum.doc === 'A' ? '{self.words.letters[0]}' : '{self.words.letters[-1]}')"
        shown = f"{letter} + ({letter} ? ' ' : '') + datum.text"
        y = f"{below} + (datum.f.stacked && datum.doc === 'B' ? 16 : 0)"
        marks.append(text("dots", x=computed(x), y=computed(y), text=computed(shown), fill=colours, limit=88))
        # A badge on every row whose value was changed.
        pill = {"x": NAME_X, "x2": NAME_X + 50, "cornerRadius": 6, "fill": theme.subtle, "stroke": theme.rule}
        changed = computed("datum.moved ? 1 : 0")
        top = "(datum.f.stacked ? datum.f.middle - 40 : datum.f.middle - 20)"
        marks += [
            rect("dots", **pill, y=computed(top), y2=computed(f"{top} + 12"), opacity=changed),
            text(
                "dots",
                x=NAME_X + 25,
                y=computed(f"{top} + 6"),
                text=computed("datum.moved ? 'changed' : ''"),
                align="center",
                fontSize=10,
                fill=theme.ink2,
            ),
        ]
        return marks

    def _lines(self) -> list[Mark]:
        theme = self.theme
        below = {"field": "y", "offset": 15}
        ground = {"x": field("start"), "x2": field("end"), "y": field("box"), "y2": field("y")}
        line = {"x": field("start"), "x2": field("end"), "y": field("y"), "y2": field("y")}
        ends = {"y": {"field": "y", "offset": -4}, "y2": {"field": "y", "offset": 4}}
        return [
            rect("lines", **ground, fill=theme.subtle),
            path("lines", path=field("hills"), fill=theme.mark, fillOpacity=0.35),
            rule(
                "levels",
                x={"field": "x", "offset": -4},
                x2=field("end"),
                y=field("y"),
                y2=field("y"),
                stroke=theme.hair,
            ),
            text(
                "levels",
                x={"field": "x", "offset": -8},
                y=field("y"),
                text=field("label"),
                align="right",
                fontSize=TICK_SIZE,
                fill=theme.ink3,
            ),
            path("lines", path=field("band"), fill=theme.mark, fillOpacity=0.28),
            rule("ticks", x=field("x"), x2=field("x"), y=field("y"), y2={"field": "y", "offset": 6}, stroke=theme.line),
            text("ticks", x=field("x"), y=below, text=field("label"), fill=theme.ink3, **TICK_LABEL),
            rule(
                "lines",
                **line,
                stroke=computed(f"datum.width > 1 ? '{theme.line}' : '{theme.rule}'"),
                strokeWidth=field("width"),
            ),
            path("lines", path=field("curve"), stroke=theme.line, strokeWidth=1.6, fill="transparent"),
            symbol("lines", x=field("start"), y=field("y"), size=field("point"), fill=theme.line),
            text(
                "lines",
                x={"field": "end", "offset": 24},
                y=field("y"),
                text=field("more"),
                fontSize=TICK_SIZE,
                fill=theme.ink2,
            ),
            *self._missing_marks(),
            rule("rest", **line, stroke=theme.line, strokeWidth=1.6),
            rule("rest", x=field("start"), x2=field("start"), **ends, stroke=theme.line),
            rule("rest", x=field("end"), x2=field("end"), **ends, stroke=theme.line),
        ]

    def _missing_marks(self) -> list[Mark]:
        theme, at = self.theme, {"x": field("x"), "x2": field("x")}
        height = {"y": {"field": "y", "offset": -MISSING_HALF}, "y2": {"field": "y", "offset": MISSING_HALF}}
        lead = {"y": {"field": "y", "offset": MISSING_HALF}, "y2": {"field": "y", "offset": 27}}
        return [
            rule(
                "missing",
                x=field("from"),
                x2=field("x"),
                y=field("y"),
                y2=field("y"),
                stroke=theme.line,
                strokeDash=[3, 3],
            ),
            rule("missing", **at, **lead, stroke=theme.ink2, strokeWidth=0.8),
            rect(
                "missing",
                x={"field": "x", "offset": -3.5},
                x2={"field": "x", "offset": 3.5},
                **height,
                cornerRadius=2,
                fill=theme.page,
                stroke=theme.ink2,
                strokeWidth=1.3,
            ),
            text(
                "missing",
                x=field("x"),
                y={"field": "y", "offset": 34},
                text=field("label"),
                fontStyle="italic",
                fill=theme.ink2,
                **TICK_LABEL,
            ),
        ]

    def _x_of(self, effect: str) -> str:
        return f"clamp(datum.f.x + {self.layout.scale.pixels!r} * {effect}, datum.f.x, datum.f.xe)"

    def _rest_x(self, effect: str) -> str:
        rest = self.layout.rest
        start, end, lowest = (rest.x_start, rest.x_end, rest.lowest) if rest else (0.0, 0.0, 0.0)
        return f"clamp({start!r} + {self.layout.scale.pixels!r} * ({effect} - {lowest!r}), {start!r}, {end!r})"

    def _bands(self) -> list[Mark]:
        """95 % intervals of the effects at the dots, cut at the line's ends."""
        a, b = self._tints()
        band = {"y": {"field": "py", "offset": -4}, "y2": {"field": "py", "offset": 4}, "cornerRadius": 4}
        tint = {"fill": computed(f"datum.doc === 'A' ? '{a}' : '{b}'"), "fillOpacity": 0.85}
        shown = computed("datum.se_now ? 1 : 0")
        return [rect("dots", x=field("low"), x2=field("high"), **band, **tint, opacity=shown)]

    def _segments(self) -> list[Mark]:
        line = {"y": field("f.y"), "y2": field("f.y"), "stroke": self.favoured("datum.d"), "strokeWidth": 4}
        ends = {"x": computed(self._x_of("datum.ea")), "x2": computed(self._x_of("datum.eb"))}
        marks = [rule("segments", **ends, **line)]
        if len(self.words.letters) == 1:
            base = computed(self._x_of("datum.f.base"))
            upright = {"y": computed("datum.f.y - 6"), "y2": computed("datum.f.y + 6")}
            marks.append(rule("segments", x=base, x2=base, **upright, stroke=self.theme.ink2, strokeWidth=2))
        return marks

    def _dots(self) -> list[Mark]:
        theme, colour = self.theme, self._colours()
        place = {"x": field("px"), "y": field("py")}
        is_a = "datum.doc === 'A'"
        down = {"x": field("px"), "x2": field("px"), "y": field("py"), "y2": field("f.y")}
        shape = computed(f"{is_a} ? 'circle' : 'diamond'")
        size = computed(f"{is_a} ? 100 : 104")
        ghost = {"x": field("px0"), "y": field("py0"), "strokeDash": [2, 2], "strokeWidth": 1.4, "fill": theme.page}
        edge = computed(f"{is_a} ? '{theme.page}' : '{theme.b}'")
        inside = computed(f"{is_a} ? '{self._dot_colours()[0]}' : 'transparent'")
        said = {"description": field("says"), "tooltip": field("says")}
        role = {"ariaRole": computed("live ? 'slider' : 'graphics-symbol'"), "cursor": "grab"}
        return [
            rule("dots", **down, stroke=colour, strokeDash=[2, 2], opacity=computed("datum.f.line ? 0.9 : 0")),
            symbol("dots", **ghost, shape=shape, size=size, stroke=colour, opacity=computed("datum.moved ? 1 : 0")),
            *self._rest_dots(),
            # B's background first: if both dots coincide, A shows through B's outline.
            symbol("dots", **place, shape=shape, size=size, fill=theme.page, opacity=computed(f"{is_a} ? 0 : 1")),
            named(symbol("dots", **place, size=620, fill="transparent", cursor="grab"), "hits"),
            named(
                symbol(
                    "dots",
                    **place,
                    **said,
                    **role,
                    shape=shape,
                    size=size,
                    fill=inside,
                    stroke=edge,
                    strokeWidth=computed(f"{is_a} ? 1.2 : 2"),
                ),
                "handles",
            ),
        ]

    def _rest_dots(self) -> list[Mark]:
        if self.layout.rest is None:
            return []
        theme, y = self.theme, self.layout.rest.y
        x, x2 = computed(self._rest_x("datum.ea")), computed(self._rest_x("datum.eb"))
        shown = computed("datum.slot === -1 ? 1 : 0")
        edge = {"fill": theme.page, "stroke": theme.b, "opacity": shown}
        marks = [rule("slots", x=x, x2=x2, y=y, y2=y, stroke=self.favoured("datum.d"), strokeWidth=4, opacity=shown)]
        if len(self.words.letters) == 2:
            marks.append(symbol("slots", x=x2, y=y, **DIAMOND, **edge))
        else:
            marks.append(rule("slots", x=x2, x2=x2, y=y - 6, y2=y + 6, stroke=theme.ink2, strokeWidth=2, opacity=shown))
        fill = self._dot_colours()[0]
        return [*marks, symbol("slots", x=x, y=y, **CIRCLE, fill=fill, stroke=theme.page, opacity=shown)]

    def _flips(self) -> list[Mark]:
        theme = self.theme
        right = computed(f"datum.doc === 'A' ? {FLIP_RIGHT[0]} : {FLIP_RIGHT[1]}")
        ink = f"datum.doc === 'A' ? '{self._dot_colours()[0]}' : '{self._dot_colours()[1]}'"
        found = computed(f"datum.found ? ({ink}) : '{theme.ink3}'")
        columns = [
            text("one", x=x, y=TOP - 26, text=letter, align="right", fontWeight=600, fill=colour)
            for x, letter, colour in zip(FLIP_RIGHT, self.words.letters, self._dot_colours(), strict=False)
        ]
        middle = computed("datum.f.middle")
        heading_right = FLIP_RIGHT[len(self.words.letters) - 1]
        marker = computed("datum.found && !datum.f.line ? (datum.doc === 'A' ? 46 : 44) : 0")
        shape = {"shape": "triangle-down", "x": field("x"), "y": computed("datum.f.y - 12"), "size": marker}
        inside = computed(f"datum.doc === 'A' ? '{self._dot_colours()[0]}' : '{theme.page}'")
        return [
            text(
                "one",
                x=heading_right,
                y=TOP - 44,
                text="Tie if changed to",
                align="right",
                fontSize=TICK_SIZE,
                fill=theme.ink2,
            ),
            *columns,
            text(
                "flips",
                x=right,
                y=middle,
                text=field("text"),
                align="right",
                fontSize=VALUE_SIZE,
                fill=found,
                limit=FLIP_ROOM,
            ),
            symbol("flips", **shape, fill=inside, stroke=computed(ink), strokeWidth=1.2),
        ]

    def _dot_colours(self) -> tuple[str, str]:
        return (self.theme.ink, self.theme.ink) if self.kind == "difference" else (self.theme.a, self.theme.b)

    def _tints(self) -> tuple[str, str]:
        return (
            (self.theme.rule, self.theme.rule) if self.kind == "difference" else (self.theme.tint_a, self.theme.tint_b)
        )

    def _colours(self) -> dict[str, str]:
        a, b = self._dot_colours()
        return computed(f"datum.doc === 'A' ? '{a}' : '{b}'")

    def favoured(self, value: str) -> dict[str, str]:
        """Colour of the document that a difference favours; a neutral one if it is written as zero."""
        return computed(favoured(value, self.layout, self.words, self.theme))


def favoured(value: str, layout: Layout, words: OverlayWords, theme: Theme) -> str:
    """Vega expression of the colour for a contribution or a total."""
    smallest = 0.5 * layout.amounts.resolution
    negative = theme.b if words.two_sided else theme.a
    return f"(abs({value}) < {smallest!r} ? '{theme.ink2}' : {value} > 0 ? '{theme.a}' : '{negative}')"
