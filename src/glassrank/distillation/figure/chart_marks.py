"""Marks of a neighbourhood's picture, from back to front: links, pages, labels, and the frame around them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.distillation.figure.chart_rows import FACT_SIZE, NAME_SIZE, path_of
from glassrank.distillation.figure.neighbourhood import AUTHORITY, BOTH, HUB, Neighbourhood
from glassrank.distillation.figure.page_places import MARGIN, TOP, WIDTH, Placing
from glassrank.drawing.marks import Mark, computed, field, named, path, rect, rule, symbol, text
from glassrank.drawing.text_width import fitted
from glassrank.drawing.theme import Theme

LINKED = "datum.i === focus || indata('lit', 's', datum.i) || indata('lit', 't', datum.i)"
FOUND = "wanted === '' || indexof(lower(datum.title + ' ' + datum.url), wanted) >= 0"
CLEAR = f"(focus >= 0 ? ({LINKED}) : ({FOUND}))"
QUIET = "(focus >= 0 || wanted !== '' ? 0.25 : 1)"
TITLE_SIZE, HEADER_ROOM = 20, WIDTH - 2 * MARGIN
NOTE_SIZE, NOTE_LINE = 12, 18
MANY_LINKS = 1200
"""With more links than this, they are drawn fainter, so that pages and the strongest links remain visible."""


@dataclass(frozen=True, eq=False)
class PictureMarks:
    """The picture's marks in a theme's colours."""

    pages: Neighbourhood
    placing: Placing
    theme: Theme

    def marks(self, title: str, subtitle: str, notes: list[str]) -> list[Mark]:
        """Return the whole picture under its title, with notes at the bottom."""
        return [
            *self._links(),
            *self._nodes(),
            *self._labels(),
            *self._pointed(),
            *self._header(title, subtitle),
            *self._heads(),
            *self._strip(),
            *self._notes(notes),
        ]

    def _links(self) -> list[Mark]:
        """Links between kept pages in three strengths, and above them those of the page under the pointer."""
        columns = self.placing.columns
        links = self.pages.links[~self.pages.pruned[self.pages.links].any(axis=1)]
        into_best = np.isin(links[:, 1], np.concatenate([columns[AUTHORITY], columns[BOTH]]))
        from_best = np.isin(links[:, 0], np.concatenate([columns[HUB], columns[BOTH]]))
        faint = min(1.0, (MANY_LINKS / max(len(links), 1)) ** 0.5)
        lit = path(
            "lit",
            path=field("d"),
            stroke=self.theme.ink2,
            strokeWidth=1.3,
            strokeDash=computed("datum.t === focus ? [5, 3] : [1, 0]"),
        )
        return [
            self._layer(links[~into_best], 0.7, 0.14 * faint),
            self._layer(links[into_best & ~from_best], 0.8, 0.26 * faint),
            self._layer(links[into_best & from_best], 1.0, 0.5),
            lit,
        ]

    def _layer(self, links: IntArray, width: float, strength: float) -> Mark:
        drawn = path_of(links, self.placing.x, self.placing.y, self.placing.bends(links))
        faded = computed(f"{QUIET} * {strength:.3f}")
        return path("one", path=drawn, stroke=self.theme.line, strokeWidth=width, strokeOpacity=faded)

    def _nodes(self) -> list[Mark]:
        here = {"x": field("x"), "y": field("y")}
        ring = symbol(
            "pages",
            **here,
            size=computed("pow(sqrt(datum.size) + 9, 2)"),
            stroke=self.theme.ink,
            strokeWidth=1.6,
            opacity=computed("datum.i === focus ? 1 : 0"),
        )
        node = symbol(
            "pages",
            **here,
            **{name: field(name) for name in ("size", "shape", "angle", "fill", "stroke")},
            strokeWidth=1.2,
            opacity=computed(f"{CLEAR} ? (datum.role === 'pruned' && datum.i !== focus ? 0.75 : 1) : 0.12"),
            description=field("says"),
            ariaRole="button",
            cursor="pointer",
        )
        return [ring, named(node, "nodes")]

    def _labels(self) -> list[Mark]:
        theme = self.theme
        label: dict[str, Any] = {"align": field("align"), "opacity": computed(f"{CLEAR} ? 1 : 0.25")}
        upper, lower = {"field": "y", "offset": -7}, {"field": "y", "offset": 8}
        ground = rect(
            "labels",
            x=field("x"),
            x2=computed("datum.x + datum.wide"),
            y={"field": "y", "offset": -16},
            y2={"field": "y", "offset": 16},
            fill=theme.page,
            fillOpacity=0.85,
        )
        title = {"text": field("label"), "fontSize": NAME_SIZE, "fill": theme.ink}
        small = {"fontSize": FACT_SIZE, "fill": theme.ink3}
        return [
            ground,
            text("labels", **label, x=field("x"), y=upper, text=field("place"), **small),
            text("labels", **label, x=field("title_x"), y=upper, **title),
            text("labels", **label, x=field("title_x"), y=lower, text=field("fact"), **small),
        ]

    def _pointed(self) -> list[Mark]:
        """The title over a page that has no label."""
        ground = rect(
            "pointed",
            x=field("left"),
            x2=computed("datum.left + datum.wide"),
            y={"field": "y", "offset": -32},
            y2={"field": "y", "offset": -13},
            fill=self.theme.page,
            fillOpacity=0.9,
        )
        title = text(
            "pointed",
            x=field("left"),
            y={"field": "y", "offset": -22},
            text=field("short"),
            fontSize=NAME_SIZE,
            fontWeight=600,
            fill=self.theme.ink,
        )
        return [ground, title]

    def _header(self, title: str, subtitle: str) -> list[Mark]:
        theme = self.theme
        shape = {name: field(name) for name in ("x", "size", "shape", "angle", "fill", "stroke")}
        big = {"fontSize": TITLE_SIZE, "fontWeight": 600, "fill": theme.ink}
        return [
            text("one", x=MARGIN, y=32, text=fitted(title, HEADER_ROOM, TITLE_SIZE, bold=True), **big),
            text("one", x=MARGIN, y=60, text=fitted(subtitle, HEADER_ROOM, 13), fontSize=13, fill=theme.ink3),
            symbol("legend", **shape, y=90, strokeWidth=1.2),
            text("legend", x={"field": "x", "offset": 14}, y=90, text=field("words"), fill=theme.ink2),
        ]

    def _heads(self) -> list[Mark]:
        theme, here = self.theme, {"x": field("title_x"), "align": field("align")}
        return [
            text("heads", **here, y=TOP - 32, text=field("name"), fontSize=13, fontWeight=600, fill=theme.ink),
            text("heads", **here, y=TOP - 15, text=field("note"), fontSize=FACT_SIZE, fill=theme.ink3),
        ]

    def _strip(self) -> list[Mark]:
        theme, placing = self.theme, self.placing
        if not self.pages.pruned.any():
            return []
        said = {name: field(name) for name in ("x", "y", "align", "fontSize")}
        floor = placing.strip_bottom + 3
        marks = [
            text("strip", **said, text=field("words"), fontWeight=field("weight"), fill=theme.ink2),
            rule("strip", x=MARGIN, x2=WIDTH - MARGIN, y=floor, stroke=theme.rule),
        ]
        if placing.strip_scale is not None and self.pages.radius is not None:
            edge = placing.strip_scale.x(self.pages.radius)
            marks.append(rule("strip", x=edge, y=placing.strip_top, y2=floor, stroke=theme.line))
        return marks

    def _notes(self, notes: list[str]) -> list[Mark]:
        first = self.placing.height - 16
        return [
            text("one", x=MARGIN, y=first + NOTE_LINE * line, text=note, fontSize=NOTE_SIZE, fill=self.theme.ink3)
            for line, note in enumerate(notes)
        ]
