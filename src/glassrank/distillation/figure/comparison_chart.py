"""The chart of a comparison: one column of ranked pages per method, and lines between equal pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from glassrank.core.wording import counted
from glassrank.drawing.chart import PageChart
from glassrank.drawing.marks import Mark, Rows, field, rule, specification, text
from glassrank.drawing.render import to_svg
from glassrank.drawing.self_contained_page import Section, build_page, figure
from glassrank.drawing.text_width import fitted, text_width
from glassrank.drawing.theme import LIGHT, PAGE, Theme

COLUMN, GAP, MARGIN, RANKS = 150, 30, 24, 28
TOP, ROW, BELOW = 122, 26, 40
SIZE = 12.0
MIN_WIDTH = 760  # needed for the note
NOTE = "Lines join a page that two neighbouring methods list. Blue: listed by every method. Grey: in search order."

Entry = tuple[int, str, bool]
"""Row of the collection, title or address, and whether the page is listed in search order."""


@dataclass(frozen=True, eq=False)
class ComparisonChart(PageChart):
    """Ranked lists of several methods side by side; ``save`` it, or show it in a notebook."""

    query: str
    candidates: str
    lists: Mapping[str, tuple[Entry, ...]]
    """Method → its list."""

    @property
    def title(self) -> str:
        """Title of the picture."""
        return f"“{' '.join(self.query.split())}” by {counted(len(self.lists), 'method')}"

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification of the chart."""
        depth = max(map(len, self.lists.values()), default=0)
        width = max(MIN_WIDTH, 2 * MARGIN + RANKS + len(self.lists) * (COLUMN + GAP) - GAP)
        height = TOP + ROW * depth + BELOW
        cells = self._cells()
        data: dict[str, Rows] = {
            "one": [{}],
            "ranks": [{"y": _y(row), "rank": str(row + 1)} for row in range(depth)],
            "heads": [{"x": _left(n), "method": fitted(name, COLUMN, 13.0)} for n, name in enumerate(self.lists)],
            "joins": self._joins(),
            **{kind: [cell for cell in cells if cell["kind"] == kind] for kind in ("shared", "own", "filled")},
        }
        marks = _marks(width, height, theme, fitted(self.title, width - 2 * MARGIN, 18.0), self.candidates)
        return specification(width, height, data, marks, background=theme.page, description=self.description())

    def description(self) -> str:
        """Describe the picture in words, for screen readers."""
        lists = (f"{name}: {'; '.join(title for _, title, _ in own[:3])}" for name, own in self.lists.items())
        return f"{self.title}. First pages: {'. '.join(lists)}."

    def page(self) -> str:
        """Return an HTML page with the chart, which follows the reader's light or dark scheme."""
        return build_page(self.title, [Section("", figure(to_svg(self.specification(PAGE)), NOTE))])

    def _cells(self) -> Rows:
        listed = [{row for row, _, filled in own if not filled} for own in self.lists.values()]
        shared = set.intersection(*listed) if len(listed) > 1 else set()
        return [
            {
                "x": _left(column),
                "y": _y(place),
                "title": fitted(title, COLUMN, SIZE),
                "says": f"{name}: {title}, rank {place + 1}" + (", in search order" if filled else ""),
                "kind": "filled" if filled else "shared" if row in shared else "own",
            }
            for column, (name, own) in enumerate(self.lists.items())
            for place, (row, title, filled) in enumerate(own)
        ]

    def _joins(self) -> Rows:
        joins = []
        for column, (one, other) in enumerate(pairwise(self.lists.values())):
            place_of = {row: place for place, (row, _, _) in enumerate(other)}
            joins += [
                {
                    "x": min(_left(column) + text_width(fitted(title, COLUMN, SIZE), SIZE) + 8, _right(column)),
                    "edge": _right(column),
                    "x2": _left(column + 1) - 6,
                    "y": _y(place),
                    "y2": _y(place_of[row]),
                }
                for place, (row, title, _) in enumerate(one)
                if row in place_of
            ]
        return joins


def _left(column: int) -> float:
    return MARGIN + RANKS + column * (COLUMN + GAP)


def _right(column: int) -> float:
    return _left(column) + COLUMN + 4


def _y(place: int) -> float:
    return TOP + ROW * place + ROW / 2


def _marks(width: float, height: float, theme: Theme, title: str, subtitle: str) -> list[Mark]:
    cell = {"x": field("x"), "y": field("y"), "text": field("title"), "fontSize": SIZE}
    says = {"description": field("says"), "tooltip": field("says")}
    lead = {"x": field("x"), "x2": field("edge"), "y": field("y"), "y2": field("y")}
    ends = {"x": field("edge"), "x2": field("x2"), "y": field("y"), "y2": field("y2")}
    return [
        text("one", x=MARGIN, y=32, text=title, fontSize=18, fontWeight=600, fill=theme.ink),
        text("one", x=MARGIN, y=58, text=subtitle, fontSize=13, fill=theme.ink3),
        text("heads", x=field("x"), y=TOP - 18, text=field("method"), fontSize=13, fontWeight=600, fill=theme.ink),
        rule("one", x=MARGIN, x2=width - MARGIN, y=TOP - 4, stroke=theme.rule),
        text("ranks", x=MARGIN + 16, y=field("y"), text=field("rank"), fontSize=SIZE, align="right", fill=theme.ink3),
        rule("joins", **lead, stroke=theme.mark, strokeWidth=1.2),
        rule("joins", **ends, stroke=theme.mark, strokeWidth=1.2),
        text("shared", **cell, **says, fill=theme.a),
        text("own", **cell, **says, fill=theme.ink),
        text("filled", **cell, **says, fill=theme.ink3),
        text("one", x=MARGIN, y=height - 18, text=NOTE, fontSize=SIZE, fill=theme.ink3),
    ]
