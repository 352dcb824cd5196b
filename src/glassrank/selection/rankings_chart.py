"""The chart of rankings: one row per feature, one column of bars per method."""

from dataclasses import dataclass
from typing import Any

from glassrank.core.checks import FloatArray, IntArray
from glassrank.drawing.chart import PageChart
from glassrank.drawing.marks import Mark, Rows, field, rect, rule, specification, text
from glassrank.drawing.render import to_svg
from glassrank.drawing.self_contained_page import Section, build_page, figure
from glassrank.drawing.text_width import fitted
from glassrank.drawing.theme import LIGHT, PAGE, Theme

NAMES, PANEL, GAP, MARGIN = 210, 168, 28, 24
TOP, ROW, BELOW = 128, 24, 44
MIN_WIDTH = 720  # needed for the note
PLACE = 28  # space for the place, left of a bar
TITLE = "Features ranked by each method"
NOTE = "Dark: kept by the method. Numbers are places; bars are scores relative to the largest of the column."

Panel = tuple[str, str, FloatArray, IntArray, Any]


@dataclass(frozen=True, eq=False)
class RankingsChart(PageChart):
    """A chart of feature rankings; ``save`` it, or show it in a notebook."""

    feature_names: tuple[str, ...]
    panels: tuple[Panel, ...]
    """Method, description of its scores, and scores, places and choice of the features."""

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification of the chart."""
        width = max(MIN_WIDTH, MARGIN * 2 + NAMES + len(self.panels) * (PANEL + GAP))
        height = TOP + ROW * len(self.feature_names) + BELOW
        cells = self._cells()
        data: dict[str, Rows] = {
            "one": [{}],
            "names": [{"y": _y(row), "name": _shown(name)} for row, name in enumerate(self.feature_names)],
            "heads": self._heads(),
            "kept": [cell for cell in cells if cell["chosen"]],
            "left": [cell for cell in cells if not cell["chosen"]],
        }
        kept = "; ".join(self._say(panel) for panel in self.panels)
        return specification(
            width, height, data, _marks(width, height, theme), background=theme.page, description=f"{TITLE}. {kept}."
        )

    def page(self) -> str:
        """Return an HTML page with the chart, which follows the reader's light or dark scheme."""
        return build_page(TITLE, [Section("", figure(to_svg(self.specification(PAGE)), NOTE))])

    def _heads(self) -> Rows:
        return [
            {"x": _left(number), "x2": _left(number) + PANEL, "method": method, "measure": fitted(measure, PANEL, 11.0)}
            for number, (method, measure, *_) in enumerate(self.panels)
        ]

    def _cells(self) -> Rows:
        cells = []
        for number, (method, _, scores, places, chosen) in enumerate(self.panels):
            largest = float(scores.max()) or 1.0
            start = _left(number) + PLACE
            for row, name in enumerate(self.feature_names):
                length = (PANEL - PLACE) * max(0.0, float(scores[row])) / largest
                kept = "kept" if chosen[row] else "not kept"
                says = f"{method}: {name}, place {places[row]}, score {float(scores[row]):.4g}, {kept}"
                cells.append(
                    {
                        "x": start,
                        "x2": start + max(length, 1.0),
                        "y": _y(row),
                        "place": str(places[row]),
                        "chosen": bool(chosen[row]),
                        "says": says,
                    }
                )
        return cells

    def _say(self, panel: Panel) -> str:
        method, _, _, places, chosen = panel
        kept = sorted(
            (int(place), name) for place, name, one in zip(places, self.feature_names, chosen, strict=True) if one
        )
        return f"{method} keeps {', '.join(name for _, name in kept)}"


def _left(number: int) -> float:
    return MARGIN + NAMES + number * (PANEL + GAP)


def _y(row: int) -> float:
    return TOP + ROW * row + ROW / 2


def _shown(name: str) -> str:
    return fitted(name, NAMES - 16, 13.0)


def _marks(width: float, height: float, theme: Theme) -> list[Mark]:
    bar = {"x": field("x"), "x2": field("x2"), "y": {"field": "y", "offset": -6}, "y2": {"field": "y", "offset": 6}}
    place = {"x": {"field": "x", "offset": -8}, "y": field("y"), "text": field("place"), "align": "right"}
    texts = {"description": field("says"), "tooltip": field("says")}
    return [
        text("one", x=MARGIN, y=32, text=TITLE, fontSize=18, fontWeight=600, fill=theme.ink),
        text("one", x=MARGIN, y=58, text=NOTE, fontSize=13, fill=theme.ink3),
        text("heads", x=field("x"), y=TOP - 34, text=field("method"), fontSize=13, fontWeight=600, fill=theme.ink),
        text("heads", x=field("x"), y=TOP - 16, text=field("measure"), fontSize=11, fill=theme.ink3),
        rule("names", x=MARGIN, x2=width - MARGIN, y={"field": "y", "offset": -12}, stroke=theme.hair),
        text("names", x=MARGIN, y=field("y"), text=field("name"), fontSize=13, fill=theme.ink),
        rect("kept", **bar, fill=theme.ink2, **texts),
        rect("left", **bar, fill=theme.rule, **texts),
        text("kept", **place, fontSize=12, fontWeight=600, fill=theme.ink),
        text("left", **place, fontSize=12, fill=theme.ink3),
    ]
