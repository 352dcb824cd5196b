"""Marks of the rows: names and values, lines, boxes and folds with ticks, dots, ghosts and flip values."""

from dataclasses import dataclass

from glassrank.drawing.marks import Mark, computed, field, named, path, rect, rule, symbol, text
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.arrangement import TOP
from glassrank.nomograms.figure.layout import NAME_X, PANEL_LEFT, WIDTH, Layout
from glassrank.nomograms.figure.lines import GROUP
from glassrank.nomograms.figure.row_data import NAME_SIZE
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from glassrank.nomograms.figure.ticks import TICK_SIZE
from glassrank.nomograms.figure.words import INSIDE, OverlayWords

VALUE_SIZE = 12
AXIS_LABEL_X = LINE_LEFT - 24
TICK_LABEL = {"align": "center", "fontSize": TICK_SIZE}
FLIP_RIGHT = (806, 868)
FLIP_ROOM = 58
LANE = 16  # between the two lanes of labels
MISSING_HALF = 11  # half the height of the mark of missing values
CUT = LINE_RIGHT - 12  # where a line or piece that is longer than the axis is cut
VALUES_X = (NAME_X + 16, NAME_X + 112)
CIRCLE = {"shape": "circle", "size": 100, "strokeWidth": 1.2}
DIAMOND = {"shape": "diamond", "size": 104, "strokeWidth": 2}
SHAPE = {"x": field("left"), "y": field("upper"), "scaleX": computed("stretch")}  # of a curve and its hills


@dataclass(frozen=True)
class RowMarks:
    """Everything from the names to the flip values, down to the axis below the lines."""

    layout: Layout
    words: OverlayWords
    theme: Theme
    kind: str
    unit: str

    def marks(self) -> list[Mark]:
        parts = (
            self._grounds,
            self._axes,
            self._names,
            self._lines,
            self._bands,
            self._segments,
            self._own_levels,
            self._dots,
            self._flips,
        )
        return [mark for part in parts for mark in part()]

    def marks_without_documents(self) -> list[Mark]:
        """Return the lines with their names and axes only."""
        return [*self._panels(), *self._axes(), *self._titles(), *self._lines("ticks")]

    def _grounds(self) -> list[Mark]:
        """Backgrounds of the rows: hovering over one highlights it and its bar."""
        fill = computed(f"datum.slot === hover ? '{self.theme.subtle}' : 'transparent'")
        right = PANEL_LEFT - 24
        return [
            *self._panels(),
            named(rect("lines", x=NAME_X - 12, x2=right, y=field("top"), y2=field("foot"), fill=fill), "row_grounds"),
        ]

    def _panels(self) -> list[Mark]:
        """Open groups: a tinted panel with a sentence below the members."""
        theme, right = self.theme, LINE_RIGHT + 20
        style = {"align": "right", "fontSize": TICK_SIZE, "fontStyle": "italic", "fill": theme.ink2}
        return [
            rect("panels", x=NAME_X - 12, x2=right, y=field("top"), y2=field("foot"), fill=theme.subtle),
            text("panels", x=LINE_RIGHT, y={"field": "foot", "offset": -12}, text=INSIDE, **style),
        ]

    def _axes(self) -> list[Mark]:
        theme, bottom = self.theme, computed("bottom")
        unit = self.unit.capitalize()
        return [
            rule("points", x=field("x"), x2=field("x"), y=TOP - 4, y2=bottom, stroke=theme.hair),
            text("one", x=AXIS_LABEL_X, y=TOP - 26, text="Points", align="right", fontWeight=600, fill=theme.ink),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=TOP - 12, y2=TOP - 12, stroke=theme.ink, strokeWidth=1.2),
            rule("points", x=field("x"), x2=field("x"), y=TOP - 12, y2=TOP - 17, stroke=theme.ink),
            text("points", x=field("x"), y=TOP - 26, text=field("label"), fill=theme.ink2, **TICK_LABEL),
            text("one", x=AXIS_LABEL_X, y=computed("bottom + 16"), text=unit, align="right", fill=theme.ink3),
            rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=bottom, y2=bottom, stroke=theme.rule),
            rule("scores", x=field("x"), x2=field("x"), y=bottom, y2=computed("bottom + 5"), stroke=theme.rule),
            text("scores", x=field("x"), y=computed("bottom + 16"), text=field("label"), fill=theme.ink3, **TICK_LABEL),
        ]

    def _titles(self) -> list[Mark]:
        middle = computed("datum.middle - (datum.box < datum.y ? 18 : 0)")
        weight = computed("datum.indent ? 400 : 600")
        style = {"fill": self.theme.ink, "fontSize": NAME_SIZE, "fontWeight": weight}
        tag = {"fill": self.theme.ink3, "fontSize": TICK_SIZE, "align": "right", "text": field("fact")}
        return [
            text("lines", x=computed(f"{NAME_X} + datum.indent"), y=middle, text=field("title"), **style),
            text("lines", x=field("tag_x"), y=middle, **tag),
        ]

    def _names(self) -> list[Mark]:
        theme, colours = self.theme, self._colours()
        below = "datum.middle + (datum.f.stacked ? -2 : 15)"
        marks = self._titles()
        x = f"datum.doc === 'B' && datum.f.lines === 1 ? {VALUES_X[1]} : {VALUES_X[0]}"
        italic = computed("datum.absent ? 'italic' : 'normal'")
        letter = f"(datum.doc === 'A' ? '{self.words.letters[0]}' : '{self.words.letters[-1]}')"
        summed = f"(datum.f.kind === '{GROUP}' && datum.doc === 'A' ? 'sum ' : '')"
        shown = f"{summed} + {letter} + ({letter} ? ' ' : '') + datum.text"
        y = f"{below} + (datum.f.lines === 2 && datum.doc === 'B' ? 16 : 0)"
        room = computed("datum.f.lines === 2 && !datum.f.stacked ? 186 : 88")
        marks.append(
            text("dots", x=computed(x), y=computed(y), text=computed(shown), fill=colours, fontStyle=italic, limit=room)
        )
        # A badge on every row whose value was changed.
        pill = {"x": NAME_X, "x2": NAME_X + 50, "cornerRadius": 6, "fill": theme.subtle, "stroke": theme.rule}
        changed = computed("datum.moved ? 1 : 0")
        top = "datum.middle - (datum.f.stacked ? 40 : 20)"
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

    def _lines(self, labels: str = "tick_labels") -> list[Mark]:
        theme = self.theme
        line = {"x": field("start"), "x2": field("end"), "y": field("y"), "y2": field("y")}
        colour = computed(f"datum.width > 1 ? '{theme.line}' : '{theme.rule}'")
        return [
            *self._hills(),
            *self._box_axes(),
            path("lines", path=field("band"), **SHAPE, fill=theme.mark, fillOpacity=0.28),
            *self._ticks(labels),
            rule("lines", **line, stroke=colour, strokeWidth=field("width")),
            path("lines", path=field("curve"), **SHAPE, stroke=theme.line, strokeWidth=1.6, fill="transparent"),
            self._beyond(),
            symbol("lines", x=field("start"), y=field("y"), size=field("point"), fill=theme.line),
            *cut_marks("lines", "datum.whole_end", "datum.y", theme),
            self._many(),
            *self._missing_marks(),
        ]

    def _hills(self) -> list[Mark]:
        """How often the values occur, on the ground of a box: hills of numbers, and stems of levels."""
        theme = self.theme
        ground = {"x": field("start"), "x2": field("end"), "y": field("box"), "y2": field("y")}
        sides = {"x": computed("datum.x - datum.width / 2"), "x2": computed("datum.x + datum.width / 2")}
        height = {"y": computed("datum.y - datum.height"), "y2": field("y")}
        opacity = computed("datum.width > 1 ? 0.45 : 0.7")
        return [
            rect("lines", **ground, fill=theme.subtle),
            path("lines", path=field("hills"), **SHAPE, fill=theme.mark, fillOpacity=0.35),
            rect("stems", **sides, **height, fill=theme.mark, fillOpacity=opacity),
        ]

    def _box_axes(self) -> list[Mark]:
        """Arrows of folded lines, and the levels of a box with their labels."""
        theme = self.theme
        arrow = computed("datum.way > 0 ? 'M-8,-5L0,0L-8,5' : 'M8,-5L0,0L8,5'")
        style = {"stroke": theme.line, "strokeWidth": 1.6, "fill": "transparent"}
        level = {"x": {"field": "x", "offset": -4}, "x2": field("end"), "y": field("y"), "y2": field("y")}
        label = {"x": {"field": "x", "offset": -8}, "y": field("y"), "text": field("label"), "align": "right"}
        return [
            path("arrows", path=arrow, x=field("x"), y=field("y"), **style),
            rule("levels", **level, stroke=theme.hair),
            text("levels", **label, fontSize=TICK_SIZE, fill=theme.ink3),
        ]

    def _ticks(self, labels: str) -> list[Mark]:
        theme, at = self.theme, {"x": field("x"), "x2": field("x")}
        below = computed(f"datum.y + 15 + {LANE} * (datum.lane || 0)")
        lead = {"y": {"field": "y", "offset": 6}, "y2": computed(f"datum.y + (datum.lane ? {LANE + 8} : 6)")}
        italic = computed("test(/^[0-9,]+ rare$/, datum.label) ? 'italic' : 'normal'")
        return [
            rule("ticks", **at, y=field("y"), y2={"field": "y", "offset": 6}, stroke=theme.line),
            rule(labels, **at, **lead, stroke=theme.mark, strokeWidth=0.8),
            text(labels, x=field("x"), y=below, text=field("label"), fontStyle=italic, fill=theme.ink3, **TICK_LABEL),
        ]

    def _beyond(self) -> Mark:
        """Cover what a line draws beyond 100 points; marks of the columns at the right are drawn later."""
        shown = computed(f"datum.whole_end > {LINE_RIGHT + 0.5} ? 1 : 0")
        where = {"x": LINE_RIGHT, "x2": WIDTH, "y": field("top"), "y2": field("foot")}
        return rect("lines", **where, fill=self.theme.page, opacity=shown)

    def _many(self) -> Mark:
        """How many levels of a category are not named; in a live figure, a button that lists all of them."""
        place = {"x": field("more_x"), "y": field("more_y"), "align": computed("datum.above ? 'right' : 'left'")}
        words = computed("datum.more + (live ? ' \u25b8' : '')")
        style = {"fontSize": TICK_SIZE, "fill": self.theme.ink2, "cursor": computed("live ? 'pointer' : 'default'")}
        return named(text("many", **place, **style, text=words, description=field("more")), "more")

    def _missing_marks(self) -> list[Mark]:
        theme, at = self.theme, {"x": field("x"), "x2": field("x")}
        height = {"y": {"field": "y", "offset": -MISSING_HALF}, "y2": {"field": "y", "offset": MISSING_HALF}}
        lead = {"y": {"field": "y", "offset": MISSING_HALF}, "y2": {"field": "y", "offset": 27}}
        return [
            rule(
                "missing",
                x=field("start"),
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

    def _bands(self) -> list[Mark]:
        """95 % intervals of the effects at the dots, cut at the line's ends."""
        a, b = self._tints()
        band = {"y": {"field": "py", "offset": -4}, "y2": {"field": "py", "offset": 4}, "cornerRadius": 4}
        tint = {"fill": computed(f"datum.doc === 'A' ? '{a}' : '{b}'"), "fillOpacity": 0.85}
        shown = computed("datum.se_now ? 1 : 0")
        # A line is longer if a document of another pair is beyond the ends that it was drawn with.
        beyond = {"x": field("end"), "x2": field("px"), "y": field("y"), "y2": field("y")}
        overhang = rule("dots", **beyond, stroke=self.theme.line, strokeWidth=1.5)
        return [overhang, rect("dots", x=field("low"), x2=field("high"), **band, **tint, opacity=shown)]

    def _own_levels(self) -> list[Mark]:
        """The names of the documents' categories, in their colours."""
        y = computed(f"datum.y + 15 + {LANE} * datum.lane")
        lead = {"x": field("px"), "x2": field("px"), "y": {"field": "y", "offset": 6}}
        below = computed(f"datum.y + (datum.lane ? {LANE + 8} : 6)")
        style = {"fontWeight": 600, "fill": self._colours(), **TICK_LABEL}
        return [
            rule("own_levels", **lead, y2=below, stroke=self.theme.mark, strokeWidth=0.8),
            text("own_levels", x=field("px"), y=y, text=field("label"), **style),
        ]

    def _segments(self) -> list[Mark]:
        # Colour would claim a sign, which means nothing inside a group.
        colour = favoured("datum.d", self.layout, self.words, self.theme)
        stroke = computed(f"datum.inside ? '{self.theme.mark}' : {colour}")
        line = {"y": field("y"), "y2": field("y"), "stroke": stroke, "strokeWidth": 4}
        marks = [rule("segments", x=field("xa"), x2=field("xb"), **line)]
        if len(self.words.letters) == 1:
            upright = {"y": {"field": "y", "offset": -6}, "y2": {"field": "y", "offset": 6}}
            base = {"x": field("base"), "x2": field("base"), "stroke": self.theme.ink2, "strokeWidth": 2}
            marks.append(rule("segments", **base, **upright))
        return marks

    def _dots(self) -> list[Mark]:
        theme, colour = self.theme, self._colours()
        place = {"x": field("px"), "y": field("py")}
        is_a = "datum.doc === 'A'"
        down = {"x": field("px"), "x2": field("px"), "y": field("py"), "y2": field("y")}
        shape = computed(f"{is_a} ? 'circle' : 'diamond'")
        size = computed(f"{is_a} ? 100 : 104")
        ghost = {"x": field("px0"), "y": field("py0"), "strokeDash": [2, 2], "strokeWidth": 1.4, "fill": theme.page}
        edge = computed(f"{is_a} ? '{theme.page}' : '{theme.b}'")
        inside = computed(f"{is_a} ? '{self._dot_colours()[0]}' : 'transparent'")
        own = {"fill": inside, "stroke": edge, "strokeWidth": computed(f"{is_a} ? 1.2 : 2")}
        said = {"description": field("says"), "tooltip": field("says")}
        role = {"ariaRole": computed("live ? 'slider' : 'graphics-symbol'"), "cursor": "grab"}
        return [
            rule("dots", **down, stroke=colour, strokeDash=[2, 2], opacity=computed("datum.f.line ? 0.9 : 0")),
            symbol("dots", **ghost, shape=shape, size=size, stroke=colour, opacity=computed("datum.moved ? 1 : 0")),
            # B's background first: if both dots coincide, A shows through B's outline.
            symbol("dots", **place, shape=shape, size=size, fill=theme.page, opacity=computed(f"{is_a} ? 0 : 1")),
            symbol("sum_dots", **place, tooltip=field("says"), shape=shape, size=size, **own),
            named(symbol("sliders", **place, size=620, fill="transparent", cursor="grab"), "hits"),
            named(symbol("sliders", **place, **said, **role, shape=shape, size=size, **own), "handles"),
        ]

    def _flips(self) -> list[Mark]:
        theme = self.theme
        right = computed(f"datum.doc === 'A' ? {FLIP_RIGHT[0]} : {FLIP_RIGHT[1]}")
        ink = f"datum.doc === 'A' ? '{self._dot_colours()[0]}' : '{self._dot_colours()[1]}'"
        found = computed(f"datum.found ? ({ink}) : '{theme.ink3}'")
        columns = [
            text("one", x=x, y=TOP - 26, text=letter, align="right", fontWeight=600, fill=colour)
            for x, letter, colour in zip(FLIP_RIGHT, self.words.letters, self._dot_colours(), strict=False)
        ]
        middle = computed("datum.top + datum.f.middle")
        heading_right = FLIP_RIGHT[len(self.words.letters) - 1]
        marker = computed("datum.found && !datum.f.line ? (datum.doc === 'A' ? 46 : 44) : 0")
        shape = {
            "shape": "triangle-down",
            "x": field("x"),
            "y": computed("datum.top + datum.f.dy - 12"),
            "size": marker,
        }
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
            text(
                "tie_notes",
                x=heading_right,
                y=field("at"),
                text=field("text"),
                align="right",
                fontSize=TICK_SIZE,
                fill=theme.ink3,
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


def cut_marks(data: str, end: str, y: str, theme: Theme) -> list[Mark]:
    """Two slashes through a line or piece whose end is beyond 100 points; ``end`` and ``y`` are Vega expressions."""
    beyond = computed(f"{end} > {LINE_RIGHT + 0.5} ? 1 : 0")
    marks = []
    for x in (CUT, CUT + 5):
        ends = {"x": x - 2, "x2": x + 2, "y": computed(f"{y} + 5"), "y2": computed(f"{y} - 5")}
        marks.append(rule(data, **ends, opacity=beyond, stroke=theme.page, strokeWidth=2.5))
    return marks


def favoured(value: str, layout: Layout, words: OverlayWords, theme: Theme) -> str:
    """Vega expression of the colour for a contribution or a total."""
    smallest = 0.5 * layout.amounts.resolution
    negative = theme.b if words.two_sided else theme.a
    return f"(abs({value}) < {smallest!r} ? '{theme.ink2}' : {value} > 0 ? '{theme.a}' : '{negative}')"
