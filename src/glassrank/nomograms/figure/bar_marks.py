"""Marks of the contributions, on the rows of their features, of the rest and of the total."""

from dataclasses import dataclass

from glassrank.drawing.marks import Mark, computed, field, named, rect, rule, symbol, text
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.arrangement import BAR_ROOM, TOP
from glassrank.nomograms.figure.dataflow import REST_DROP
from glassrank.nomograms.figure.feature_data import number_text
from glassrank.nomograms.figure.layout import AMOUNT_RIGHT, BAR_ZERO, NAME_X, PANEL_LEFT, Layout
from glassrank.nomograms.figure.row_data import NAME_SIZE
from glassrank.nomograms.figure.row_marks import VALUE_SIZE, cut_marks, favoured
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from glassrank.nomograms.figure.ticks import TICK_SIZE
from glassrank.nomograms.figure.words import OverlayWords

BAR_HALF = 6.5
WHISKER_ROOM = BAR_ROOM + 6
PIECES = {"up": -5, "down": 6}  # of the rest: heights of the two sums around the middle of their row
LEFT_OF_BARS = 884


def _counted(count: str, word: str) -> str:
    """Vega expression such as "3 features"; empty for 0."""
    many = f"format(datum.{count}, ',') + ' {word}s'"
    return f"(datum.{count} === 0 ? '' : datum.{count} === 1 ? '1 {word}' : {many})"


@dataclass(frozen=True)
class BarMarks:
    """The column of bars and amounts, the row of all other features, and the total below."""

    layout: Layout
    words: OverlayWords
    theme: Theme

    def marks(self) -> list[Mark]:
        return [
            *self._grounds(),
            *self._heads(),
            *self._bars(),
            *self._rest(),
            *self._buttons(),
            *self._average(),
            *self._total(),
        ]

    def _amount(self, value: str) -> str:
        return number_text(value, self.layout.amounts, sign=True)

    def _favoured(self, value: str) -> dict[str, str]:
        return computed(favoured(value, self.layout, self.words, self.theme))

    def _grounds(self) -> list[Mark]:
        fill = computed(f"datum.slot === hover ? '{self.theme.subtle}' : 'transparent'")
        where = {"x": NAME_X - 12, "x2": PANEL_LEFT - 24, "y": {"field": "at", "offset": -REST_DROP}}
        return [named(rect("rest", **where, y2={"field": "at", "offset": 30}, fill=fill), "rest_ground")]

    def _heads(self) -> list[Mark]:
        theme, words = self.theme, self.words
        lower = theme.b if words.two_sided else theme.ink2
        # The bars are shorter than the pieces on the lines, by a factor that depends on the largest of them.
        scale = "'bars at 1/' + format(1 / bars, 'd') + ' of the lines\u2019 scale'"
        small = {"fontSize": TICK_SIZE}
        right = {"x": AMOUNT_RIGHT, "align": "right"}
        return [
            text("one", **right, y=TOP - 62, text=words.heading, fontSize=13, fontWeight=600, fill=theme.ink),
            text("one", **right, y=TOP - 44, text=computed(scale), **small, fill=theme.ink3),
            text("one", x=BAR_ZERO - 8, y=TOP - 26, text=words.lower, align="right", **small, fill=lower),
            text("one", x=BAR_ZERO + 8, y=TOP - 26, text=words.upper, **small, fill=theme.a),
            rule("one", x=BAR_ZERO, x2=BAR_ZERO, y=TOP - 12, y2=computed("bottom"), stroke=theme.rule),
        ]

    def _bars(self) -> list[Mark]:
        theme = self.theme
        colour = favoured("datum.d", self.layout, self.words, theme)
        # The bars of a group's members are hollow, and their numbers grey.
        ink = computed(f"datum.inside ? '{theme.ink3}' : {colour}")
        inner = {"fill": computed(f"datum.inside ? 'transparent' : {colour}"), "stroke": theme.mark}
        inner["strokeWidth"] = computed("datum.inside ? 1 : 0")
        x_of = f"{BAR_ZERO} + clamp(pixels * bars * ({{}}), -{{room}}, {{room}})".format
        middle = {"y": {"field": "at", "offset": -BAR_HALF}, "y2": {"field": "at", "offset": BAR_HALF}}
        said = computed(f"datum.said + ' contributes ' + {self._amount('datum.d')}")
        ends = [f"datum.d {sign} 1.96 * (datum.se || 0)" for sign in "-+"]
        low, high = (computed(x_of(end, room=WHISKER_ROOM)) for end in ends)
        bar = {"x": BAR_ZERO, "x2": computed(x_of("datum.d", room=BAR_ROOM)), **middle}
        shown = computed("datum.se && !datum.moved ? 0.8 : 0")
        amount = computed(self._amount("datum.d"))
        style = {"align": "right", "fontSize": VALUE_SIZE, "fontWeight": computed("datum.inside ? 400 : 600")}
        return [
            rect("bars", **bar, **inner, description=said),
            rule("bars", x=low, x2=high, y=field("at"), y2=field("at"), stroke=theme.ink, opacity=shown),
            text("bars", x=AMOUNT_RIGHT, y=field("at"), text=amount, **style, fill=ink),
        ]

    def _rest(self) -> list[Mark]:
        """The sums of all other features on both sides, from 0 points; a piece longer than the axis is cut."""
        theme, words = self.theme, self.words
        name = _counted("n_features", "feature") + " + (datum.n_features && datum.n_pairs ? ', ' : '') + "
        name += _counted("n_pairs", "interaction")
        colours = {"up": theme.a, "down": theme.b if words.two_sided else theme.a}
        counts = {"up": ("n_up", words.upper, words.uppers), "down": ("n_down", words.lower, words.lowers)}
        title = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": theme.ink}
        rule_above = {"x": NAME_X - 12, "x2": PANEL_LEFT - 24, "stroke": theme.hair}
        top = {"field": "at", "offset": -REST_DROP}
        marks = [
            rule("rest", **rule_above, y=top, y2=top),
            text("rest", x=NAME_X, y={"field": "at", "offset": -2}, text="All the rest, summed", **title),
            text("rest", x=NAME_X + 16, y={"field": "at", "offset": 14}, text=computed(name), fill=theme.ink3),
        ]
        for side, offset in PIECES.items():
            y = {"field": "at", "offset": offset}
            length = f"min({LINE_RIGHT - LINE_LEFT}, pixels * abs(datum.{side}))"
            piece = {"x": LINE_LEFT, "x2": computed(f"{LINE_LEFT} + {length}"), "y": y, "y2": y}
            marks.append(rule("rest", **piece, stroke=colours[side], strokeWidth=4))
            end = f"{LINE_LEFT} + pixels * abs(datum.{side})"
            marks += cut_marks("rest", end, f"datum.at + {offset}", theme)
            count, one, many = counts[side]
            said = f"datum.{count} + ' ' + (datum.{count} === 1 ? '{one}' : '{many}') + ' '"
            amount = f"datum.{count} === 0 ? '' : {said} + {self._amount(f'datum.{side}')}"
            # Beside the pieces, or below them if they are long.
            longest = f"{LINE_LEFT} + 12 + pixels * max(datum.up, -datum.down)"
            place = {"x": computed(self._beside(longest, side)), "y": computed(self._line_of(longest, offset))}
            marks.append(text("rest", **place, text=computed(amount), fontSize=TICK_SIZE, fill=colours[side]))
        return [*marks, *self._others()]

    def _buttons(self) -> list[Mark]:
        """In a live figure: triangles that open groups and the rest, and words that open more rows."""
        theme = self.theme
        triangle = {"x": NAME_X + 6, "size": 50, "fill": theme.ink2}
        turned = "{} ? 'triangle-down' : 'triangle-right'".format
        # Not every font has triangles. The buttons are transparent words on top of drawn ones.
        button = {"x": NAME_X + 2, "fontSize": 13, "fill": "transparent", "cursor": "pointer", "text": "o"}
        more = {"x": NAME_X + 16, "y": computed("more_top + 12"), "fill": theme.a, "cursor": "pointer"}
        said, below = {"description": field("said")}, {"field": "at", "offset": 15}
        return [
            symbol("group_rows", **triangle, y=below, shape=computed(turned("datum.place.foot"))),
            symbol("opened_rest", **triangle, y=below, shape=computed(turned("rest_open"))),
            named(text("group_rows", **button, y=below, **said), "group_buttons"),
            named(text("opened_rest", **button, y=below, **said), "rest_button"),
            named(
                text("more_rows", **more, text=computed("more_text"), description=computed("more_text")), "more_rest"
            ),
        ]

    def _beside(self, longest: str, side: str) -> str:
        below = LINE_LEFT if side == "up" else LINE_LEFT + 150
        return f"{longest} > {LINE_RIGHT - 260} ? {below} : {longest}"

    def _line_of(self, longest: str, offset: int) -> str:
        return f"datum.at + ({longest} > {LINE_RIGHT - 260} ? 22 : {1.3 * offset!r})"

    def _others(self) -> list[Mark]:
        """How many features add nothing, and what the largest single one adds."""
        zero = self.layout.amounts(0.0)
        longest = f"{LINE_LEFT} + 12 + pixels * max(datum.up, -datum.down)"
        far = f"{longest} > {LINE_RIGHT - 260}"
        none = "datum.count - datum.n_up - datum.n_down"
        nothing = f"{none} === 0 ? '' : ({none}) + ({none} === 1 ? ' adds ' : ' add ') + '{zero}'"
        least = 0.5 * self.layout.amounts.resolution
        amount = number_text("datum.largest", self.layout.amounts)
        largest = f"datum.largest < {least!r} ? '' : 'none adds more than ' + {amount}"
        both = f"({nothing}) + ({none} === 0 || datum.largest < {least!r} ? '' : ' \u00b7 ') + ({largest})"
        style = {"fontSize": TICK_SIZE, "fill": self.theme.ink2}
        x = computed(f"{far} ? {LINE_LEFT + 300} : {longest} + 140")
        return [
            text("rest", x=x, y=computed("datum.at + 22"), text=computed(f"{far} ? ({both}) : ''"), **style),
            text("rest", x=x, y={"field": "at", "offset": -6.5}, text=computed(f"{far} ? '' : ({nothing})"), **style),
            text("rest", x=x, y={"field": "at", "offset": 7.8}, text=computed(f"{far} ? '' : ({largest})"), **style),
        ]

    def _average(self) -> list[Mark]:
        style = {"fontSize": NAME_SIZE, "fontWeight": 600, "fill": self.theme.ink}
        note = {"x": LINE_LEFT, "y": field("at"), "fontSize": TICK_SIZE, "fill": self.theme.ink2}
        return [
            text("fixed", x=NAME_X, y=field("at"), text=self.words.start, **style),
            text("fixed", **note, text=self.words.start_note),
        ]

    def _total(self) -> list[Mark]:
        theme, bottom = self.theme, computed("bottom")
        rest = f"(data('rest').length ? ' + the rest' : '') + (offset ? ' + {self.words.start.lower()}' : '')"
        name = f"'Total, ' + n_rows + (n_rows === 1 ? ' row' : ' rows') + {rest} + (rounded ? ', rounded' : '')"
        y, bold = computed("bottom + 16"), {"fontWeight": 600, "align": "right"}
        return [
            rule("one", x=LEFT_OF_BARS, x2=AMOUNT_RIGHT, y=bottom, y2=bottom, stroke=theme.rule),
            text("one", x=AMOUNT_RIGHT - 56, y=y, text=computed(name), **bold, fill=theme.ink),
            text(
                "one", x=AMOUNT_RIGHT, y=y, text=computed(self._amount("total")), **bold, fill=self._favoured("total")
            ),
        ]
