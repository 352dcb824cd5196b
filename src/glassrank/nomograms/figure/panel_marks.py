"""Marks of the total with its ruler, of the headline and of the probability map."""

import json
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from glassrank.drawing.marks import Mark, Rows, computed, field, named, path, rect, rule, symbol, text
from glassrank.drawing.text_width import fitted
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.feature_data import number_text
from glassrank.nomograms.figure.layout import NAME_X, PANEL_LEFT, PANEL_RIGHT, RULER_DROP, Layout
from glassrank.nomograms.figure.row_data import NAME_SIZE
from glassrank.nomograms.figure.row_marks import TICK_LABEL, favoured
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from glassrank.nomograms.figure.ticks import TICK_SIZE, axis_ticks
from glassrank.nomograms.figure.words import OverlayWords

HEADLINE = 156
MAP_LEFT, MAP_TOP, MAP_BOTTOM = PANEL_LEFT + 30, 292, 392
PANEL_END = {"score": 250, "log-odds": 444}  # where "How to read" begins
MAP_POINTS = 81


@dataclass(frozen=True)
class PanelMarks:
    """The ruler of the total below the lines, and everything in the panel on the right."""

    layout: Layout
    words: OverlayWords
    theme: Theme
    unit: str

    @property
    def probable(self) -> bool:
        return self.unit == "log-odds"

    def data(self) -> dict[str, Rows]:
        ruler = {
            "totals": [{"x": t.x, "label": t.label} for t in self.layout.totals],
            "probabilities": [{"x": t.x, "label": t.label} for t in self.layout.probabilities],
        }
        return ruler | (self._map_data() if self.probable else {})

    def _map_data(self) -> dict[str, Rows]:
        half = self.layout.half
        ticks = axis_ticks(-half, half, MAP_LEFT, PANEL_RIGHT, 6, sign=True)
        return {
            "map_ticks": [{"x": t.x, "label": t.label} for t in ticks],
            "map_levels": [{"y": self._map_y(p), "label": f"{p:g}"} for p in (0, 0.25, 0.5, 0.75, 1)],
            "sigmoid": [{"path": self._sigmoid()}],
        }

    def scales(self) -> list[dict[str, object]]:
        half = self.layout.half
        common = {"type": "linear", "zero": False, "clamp": True, "domain": [-half, half]}
        return [
            {"name": "ruler", **common, "range": [LINE_LEFT, LINE_RIGHT]},
            {"name": "map", **common, "range": [MAP_LEFT, PANEL_RIGHT]},
        ]

    def marks(self) -> list[Mark]:
        return [*self.total(), *self._headline(), *(self._map() if self.probable else [])]

    def _amount(self, value: str) -> str:
        return number_text(value, self.layout.amounts, sign=True)

    def _favoured(self, value: str) -> dict[str, str]:
        return computed(favoured(value, self.layout, self.words, self.theme))

    def total(self) -> list[Mark]:
        theme, words = self.theme, self.words
        y = below_rows(0)
        zero = {"scale": "ruler", "value": 0}
        now, before = computed("scale('ruler', total)"), computed("scale('ruler', before)")
        low, high = computed("scale('ruler', interval_low)"), computed("scale('ruler', interval_high)")
        interval = computed("interval_low !== null && !changes ? 1 : 0")
        left_tint = theme.tint_b if words.two_sided else theme.hair
        ends = 40 if self.probable else -22
        ghost = {"fill": theme.page, "stroke": self._favoured("before"), "strokeDash": [2, 2], "strokeWidth": 1.4}
        return [
            text(
                "one", x=NAME_X, y=below_rows(-8), text=words.total, fontSize=NAME_SIZE, fontWeight=600, fill=theme.ink
            ),
            text("one", x=NAME_X, y=below_rows(10), text=words.subtotal, fill=theme.ink3),
            rect("one", x=LINE_LEFT, x2=zero, y=below_rows(-9), y2=below_rows(9), fill=left_tint),
            rect("one", x=zero, x2=LINE_RIGHT, y=below_rows(-9), y2=below_rows(9), fill=theme.tint_a),
            text(
                "one",
                x=LINE_LEFT,
                y=below_rows(ends),
                text=fitted(words.below, 180, TICK_SIZE),
                fontSize=TICK_SIZE,
                fill=self._end_ink(theme.b),
            ),
            text(
                "one",
                x=LINE_RIGHT,
                y=below_rows(ends),
                text=fitted(words.above, 180, TICK_SIZE),
                align="right",
                fontSize=TICK_SIZE,
                fill=theme.a,
            ),
            *self._ruler_ticks(),
            rule("one", x=zero, x2=now, y=y, y2=y, stroke=self._favoured("total"), strokeWidth=5),
            rule("one", x=low, x2=high, y=y, y2=y, stroke=theme.ink, strokeWidth=1.2, opacity=interval),
            symbol("one", x=before, y=y, size=110, **ghost, opacity=computed("changes ? 1 : 0")),
            symbol(
                "one",
                x=now,
                y=y,
                shape="circle",
                size=120,
                fill=self._favoured("total"),
                stroke=theme.page,
                strokeWidth=1.6,
            ),
        ]

    def _end_ink(self, colour: str) -> str:
        return colour if self.words.two_sided else self.theme.ink2

    def _ruler_ticks(self) -> list[Mark]:
        theme = self.theme
        edge = {"x": LINE_LEFT, "x2": LINE_RIGHT, "stroke": theme.ink, "strokeWidth": 1.2}
        # With probabilities, the ticks of the log-odds are above the ruler; the ticks of scores are below it.
        way = -1 if self.probable else 1
        marks = [
            rule("one", y=below_rows(way * 9), y2=below_rows(way * 9), **edge),
            rule(
                "totals", x=field("x"), x2=field("x"), y=below_rows(way * 9), y2=below_rows(way * 15), stroke=theme.ink
            ),
            text("totals", x=field("x"), y=below_rows(way * 25), text=field("label"), fill=theme.ink2, **TICK_LABEL),
        ]
        if self.probable:
            marks += [
                text(
                    "one",
                    x=NAME_X,
                    y=below_rows(28),
                    text=fitted(self.words.probability, 190, NAME_SIZE, bold=True),
                    fontSize=NAME_SIZE,
                    fontWeight=600,
                    fill=theme.ink,
                ),
                rule("one", y=below_rows(9), y2=below_rows(9), **edge),
                rule(
                    "probabilities", x=field("x"), x2=field("x"), y=below_rows(9), y2=below_rows(15), stroke=theme.ink
                ),
                text(
                    "probabilities", x=field("x"), y=below_rows(25), text=field("label"), fill=theme.ink2, **TICK_LABEL
                ),
            ]
        return marks

    def _headline(self) -> list[Mark]:
        return self._probability_headline() if self.probable else self._score_headline()

    def _score_headline(self) -> list[Mark]:
        """The total, if there is no probability, and which document it favours."""
        theme, words = self.theme, self.words
        tie, above, below = (json.dumps(word) for word in (words.tie, words.above, words.below))
        level = f"abs(total) < {0.5 * self.layout.amounts.resolution!r}"
        side = f"{level} ? {tie} : total > 0 ? {above} : {below}"
        name = (
            "Total" if words.subtotal == self.unit else f"Difference of {self.unit}s, {words.subtotal.split(', ')[1]}"
        )
        return [
            text("one", x=PANEL_LEFT, y=HEADLINE, text=name, fontSize=13, fill=theme.ink3),
            text(
                "one",
                x=PANEL_LEFT - 2,
                y=HEADLINE + 38,
                text=computed(self._amount("total")),
                fontSize=42,
                fontWeight=600,
                fill=self._favoured("total"),
            ),
            text(
                "one",
                x=PANEL_LEFT,
                y=HEADLINE + 74,
                text=computed(side),
                fontSize=15,
                fontWeight=600,
                fill=self._favoured("total"),
            ),
        ]

    def _probability_headline(self) -> list[Mark]:
        """P in large type, with the total and the interval beside it."""
        theme, words = self.theme, self.words
        extreme = "probability > 0.9995 || probability < 0.0005"
        shown = "probability > 0.9995 ? '> 0.999' : probability < 0.0005 ? '< 0.001' : format(probability, '.3f')"
        ends = "{} + ' to ' + {}".format(*(_odds(f"interval_{end}") for end in ("low", "high")))
        about = f"(changes ? '95 % interval, as recorded ' : '95 % interval of P ') + {ends}"
        outside = "!changes && (before < interval_low || before > interval_high)"
        about = f"{outside} ? '95 % interval ' + {ends} + ' excludes P' : {about}"
        left = {"x": PANEL_LEFT}
        interval = computed(f"interval_low === null ? '' : {about}")
        return [
            text(
                "one",
                x=PANEL_LEFT,
                y=HEADLINE,
                text=fitted(words.probability, PANEL_RIGHT - PANEL_LEFT, 13),
                fontSize=13,
                fill=theme.ink3,
            ),
            named(
                text(
                    "one",
                    x=PANEL_LEFT - 2,
                    y=HEADLINE + 38,
                    text=computed(shown),
                    fontSize=computed(f"{extreme} ? 34 : 48"),
                    fontWeight=600,
                    fill=self._favoured("total"),
                ),
                "big",
            ),
            text(
                "one",
                **left,
                y=HEADLINE + 73,
                text=computed(f"'{self.unit} ' + {self._amount('total')}"),
                fill=theme.ink,
            ),
            text("one", **left, y=HEADLINE + 91, text=interval, fontSize=TICK_SIZE, fill=theme.ink2),
            text("one", **left, y=HEADLINE + 107, text=words.given, fontSize=TICK_SIZE, fill=theme.ink3),
        ]

    def _map_y(self, probability: float) -> float:
        return MAP_BOTTOM + (MAP_TOP - MAP_BOTTOM) * probability

    def _sigmoid(self) -> str:
        shares = np.linspace(-1.0, 1.0, MAP_POINTS)
        xs = MAP_LEFT + (PANEL_RIGHT - MAP_LEFT) * (shares + 1) / 2
        ys = [self._map_y(float(p)) for p in expit(self.layout.half * shares)]
        return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))

    def _map(self) -> list[Mark]:
        """P against the total as a curve, with a dot at the numbers that the ruler shows."""
        theme = self.theme
        height = "{} + {} / (1 + exp(-{}))".format
        y_now = computed(height(MAP_BOTTOM, MAP_TOP - MAP_BOTTOM, "total"))
        y_before = computed(height(MAP_BOTTOM, MAP_TOP - MAP_BOTTOM, "before"))
        now, before = computed("scale('map', total)"), computed("scale('map', before)")
        low, high = computed("scale('map', interval_low)"), computed("scale('map', interval_high)")
        tint = theme.tint_a if not self.words.two_sided else None
        fill = tint or computed(f"before >= 0 ? '{theme.tint_a}' : '{theme.tint_b}'")
        shown = computed("interval_low !== null && !changes ? 1 : 0")
        dashed = {"stroke": self._favoured("total"), "strokeDash": [2, 2]}
        ghost = {"fill": theme.page, "stroke": self._favoured("before"), "strokeDash": [2, 2], "strokeWidth": 1.4}
        level = {"x": MAP_LEFT, "x2": PANEL_RIGHT, "y": field("y"), "y2": field("y")}
        return [
            rect("one", x=low, x2=high, y=MAP_TOP, y2=MAP_BOTTOM, fill=fill, opacity=shown),
            rule("map_levels", **level, stroke=theme.hair),
            text(
                "map_levels",
                x=MAP_LEFT - 6,
                y=field("y"),
                text=field("label"),
                align="right",
                fontSize=TICK_SIZE,
                fill=theme.ink3,
            ),
            rule("map_ticks", x=field("x"), x2=field("x"), y=MAP_BOTTOM, y2=MAP_BOTTOM + 5, stroke=theme.rule),
            text("map_ticks", x=field("x"), y=MAP_BOTTOM + 15, text=field("label"), fill=theme.ink3, **TICK_LABEL),
            text(
                "one",
                x=(MAP_LEFT + PANEL_RIGHT) / 2,
                y=MAP_BOTTOM + 32,
                text=f"total, {self.unit}",
                fill=theme.ink3,
                **TICK_LABEL,
            ),
            path("sigmoid", path=field("path"), stroke=theme.line, strokeWidth=1.6, fill="transparent"),
            rule("one", x=MAP_LEFT, x2=now, y=y_now, y2=y_now, **dashed),
            rule("one", x=now, x2=now, y=y_now, y2=MAP_BOTTOM, **dashed),
            symbol("one", x=before, y=y_before, size=90, **ghost, opacity=computed("changes ? 1 : 0")),
            symbol("one", x=now, y=y_now, size=100, fill=self._favoured("total"), stroke=theme.page, strokeWidth=1.4),
        ]


def below_rows(offset: float) -> dict[str, str]:
    """Vertical position relative to the middle of the ruler, which follows the end of the rows."""
    return computed(f"bottom + {RULER_DROP + offset}")


def _odds(log_odds: str) -> str:
    return f"format(1 / (1 + exp(-{log_odds})), '.2f')"
