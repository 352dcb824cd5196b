"""Heat maps of interactions: data sets and marks of their cells, labels, key and documents."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from glassrank.drawing.marks import Mark, computed, field, named, rect, symbol, text
from glassrank.drawing.text_width import fitted, text_width
from glassrank.drawing.theme import Theme
from glassrank.nomograms.figure.feature_data import number_text
from glassrank.nomograms.figure.layout import Layout
from glassrank.nomograms.figure.lines import CELL_HEIGHT, MAP_HEAD, STRIP_GAP, TOGETHER
from glassrank.nomograms.figure.overlay import DIFFERENCE
from glassrank.nomograms.figure.placing import PLACED, formulas
from glassrank.nomograms.figure.rows import MAP_LEFT, MAP_RIGHT, Row
from glassrank.nomograms.figure.state_data import short
from glassrank.nomograms.figure.ticks import TICK_SIZE
from glassrank.nomograms.heat_map import HeatMap, MapAxis

MAX_CELL_WIDTH = 52
INSET = 7  # of a document's mark from the edges of its cell
LABELS_ROOM = 92  # left of a map
WEAKEST, STRONGEST = 0.05, 0.8  # opacity of the cells
STRIP_PARTS = 24
STRIP = (4, 9)  # the key below a line
EDGE, NAME, ITALIC = 0, 1, 2


@dataclass(frozen=True)
class MapMarks:
    """The heat maps of the interactions that have a row; one scale of greys for all of them."""

    layout: Layout
    theme: Theme
    kind: str

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest effect of all interactions."""
        lines = [line for line in self.layout.lines if line.kind == TOGETHER]
        return min((line.lowest for line in lines), default=0.0), max(
            (line.lowest + line.range for line in lines), default=1.0
        )

    def _opacity(self, effects: Any) -> Any:
        low, high = self.ends
        return WEAKEST + (STRONGEST - WEAKEST) * (np.asarray(effects) - low) / (high - low if high > low else 1.0)

    def data(self, rows: tuple[Row, ...]) -> dict[str, Any]:
        """Return the data sets of cells, labels and keys of all interactions among the rows."""
        drawn = [(row, row.line.map) for row in rows if row.line.map is not None]
        top = "datum.place.top + datum.place.drop"
        return {
            "maps": [self._map(row, own) for row, own in drawn],
            "cells": {
                "source": "maps",
                "transform": [
                    *PLACED,
                    {"type": "flatten", "fields": ["effects", "greys"], "index": "c"},
                    *formulas(
                        slot="datum.k",
                        i="floor(datum.c / datum.height)",
                        j="datum.c % datum.height",
                        x=_x("datum.i", "datum"),
                        y=f"{top} + {_y('datum.j', 'datum')}",
                        says="datum.names[0] + ' ' + datum.across[datum.i] + ', ' + datum.names[1] + ' '"
                        f" + datum.up[datum.j] + ': ' + {number_text('datum.effects', self.layout.amounts, sign=True)}",
                    ),
                ],
            },
            "map_labels": {
                "source": "maps",
                "transform": [
                    *PLACED,
                    {"type": "flatten", "fields": list(LABEL_FIELDS)},
                    *formulas(x=f"{MAP_LEFT} + datum.lx", y=f"{top} + datum.ly"),
                ],
            },
            "keys": {
                "values": [
                    {"k": row.k, "from": [place * row.line.range for place in _shares()], "greys": self._key(row)}
                    for row, _ in drawn
                ],
                "transform": [
                    *PLACED,
                    {"type": "flatten", "fields": ["from", "greys"]},
                    *formulas(
                        x="datum.place.x + pixels * datum.from",
                        range=f"{1 / STRIP_PARTS!r}",
                        y="datum.place.top + 18",
                    ),
                    {"type": "lookup", "from": "maps", "key": "k", "fields": ["k"], "as": ["map"]},
                    *formulas(x2="datum.x + pixels * datum.map.range * datum.range"),
                ],
            },
        }

    def _key(self, row: Row) -> list[float]:
        middles = row.line.lowest + (_shares() + 0.5 / STRIP_PARTS) * row.line.range
        return [round(float(grey), 3) for grey in self._opacity(middles)]

    def _map(self, row: Row, drawn: HeatMap) -> dict[str, Any]:
        names = [self.layout.lines[k].feature.name for k in row.line.members]
        width = min(MAX_CELL_WIDTH, (MAP_RIGHT - MAP_LEFT - STRIP_GAP) / drawn.across.width)
        labels = list(_labels(drawn, names, width))
        return {
            "k": row.k,
            "range": row.line.range,
            "names": names,
            "w": width,
            "nx": drawn.across.n_cells,
            "ny": drawn.up.n_cells,
            "height": drawn.up.width,
            "effects": short(drawn.effects.ravel()),
            "greys": [round(float(grey), 3) for grey in self._opacity(drawn.effects.ravel())],
            "across": _cell_names(drawn.across),
            "up": _cell_names(drawn.up),
            "ca": list(drawn.across.of_state),
            "cb": list(drawn.up.of_state),
            "ea": list(drawn.across.edges),
            "eb": list(drawn.up.edges),
            **{name: [label[place] for label in labels] for place, name in enumerate(LABEL_FIELDS)},
        }

    def dot_data(self) -> dict[str, Any]:
        """Return the data set of the documents' marks in the cells."""
        within = f"clamp(datum.share_{{0}} * {{1}}, {INSET}, {{1}} - {INSET})".format
        share = (
            "(datum.map.e{0}[datum.i{0} + 1] > datum.map.e{0}[datum.i{0}] ? (datum.{1}.v - datum.map.e{0}[datum.i{0}])"
            " / (datum.map.e{0}[datum.i{0} + 1] - datum.map.e{0}[datum.i{0}]) : 0.5)"
        ).format
        # Both documents in one category are beside each other.
        apart = "(datum.doc === 'A' ? 0.35 : 0.65)"
        numeric = "datum.i{0} < length(datum.map.e{0}) - 1".format
        return {
            "map_dots": {
                "source": "together",
                "transform": [
                    *PLACED,
                    {"type": "lookup", "from": "maps", "key": "k", "fields": ["k"], "as": ["map"]},
                    *formulas(
                        ia="datum.map.ca[datum.pair.sa[datum.first.m]]",
                        ib="datum.map.cb[datum.pair.sb[datum.second.m]]",
                    ),
                    {"type": "filter", "expr": "datum.ia >= 0 && datum.ib >= 0"},
                    *formulas(
                        share_a=f"{numeric('a')} ? {share('a', 'first')} : {apart}",
                        share_b=f"{numeric('b')} ? 1 - {share('b', 'second')} : 0.5",
                        x=f"{_x('datum.ia', 'datum.map')} + {within('a', 'datum.map.w')}",
                        y=f"datum.place.top + datum.place.drop + {_y('datum.ib', 'datum.map')}"
                        f" + {within('b', CELL_HEIGHT)}",
                    ),
                ],
            }
        }

    def marks(self) -> list[Mark]:
        """Return the cells with their labels, and the keys below the lines."""
        theme = self.theme
        cell = {"x": field("x"), "x2": computed("datum.x + datum.w - 1"), "y": field("y")}
        grey = {"fill": theme.ink, "fillOpacity": field("greys"), "tooltip": field("says")}
        low, high = STRIP
        strip = {"y": {"field": "y", "offset": low}, "y2": {"field": "y", "offset": high}}
        bold = computed(f"datum.style === {NAME} ? 600 : 400")
        slanted = computed(f"datum.style === {ITALIC} ? 'italic' : 'normal'")
        ink = computed(f"datum.style === {NAME} ? '{theme.ink2}' : '{theme.ink3}'")
        return [
            rect("keys", x=field("x"), x2=field("x2"), **strip, fill=theme.ink, fillOpacity=field("greys")),
            # The grid of the points would be seen through the cells.
            rect("cells", **cell, y2={"field": "y", "offset": CELL_HEIGHT - 1}, fill=theme.page),
            named(rect("cells", **cell, y2={"field": "y", "offset": CELL_HEIGHT - 1}, **grey), "map_cells"),
            text(
                "map_labels",
                x=field("x"),
                y=field("y"),
                text=field("label"),
                align=field("align"),
                fontSize=TICK_SIZE,
                fontWeight=bold,
                fontStyle=slanted,
                fill=ink,
            ),
        ]

    def dots(self) -> list[Mark]:
        """Return the documents in their cells."""
        theme, is_a = self.theme, "datum.doc === 'A'"
        a, b = (theme.ink, theme.ink) if self.kind == DIFFERENCE else (theme.a, theme.b)
        return [
            symbol(
                "map_dots",
                x=field("x"),
                y=field("y"),
                shape=computed(f"{is_a} ? 'circle' : 'diamond'"),
                size=computed(f"{is_a} ? 90 : 94"),
                fill=computed(f"{is_a} ? '{a}' : '{theme.page}'"),
                stroke=computed(f"{is_a} ? '{theme.page}' : '{b}'"),
                strokeWidth=computed(f"{is_a} ? 1.4 : 2"),
            )
        ]


LABEL_FIELDS = ("lx", "ly", "label", "style", "align")


def _x(cell: str, drawn: str) -> str:
    """Vega expression of the left edge of a cell; that of missing values is apart."""
    return f"{MAP_LEFT} + {cell} * {drawn}.w + ({cell} === {drawn}.nx ? {STRIP_GAP} : 0)"


def _y(cell: str, drawn: str) -> str:
    """Vega expression of the top of a cell below that of the map; values rise upwards, missing ones are at the foot."""
    known = f"({drawn}.ny - 1 - {cell}) * {CELL_HEIGHT}"
    return f"{MAP_HEAD} + ({cell} === {drawn}.ny ? {drawn}.ny * {CELL_HEIGHT} + {STRIP_GAP} : {known})"


def _shares() -> Any:
    return np.arange(STRIP_PARTS) / STRIP_PARTS


def _cell_names(axis: MapAxis) -> list[str]:
    """Return the values of each cell in words, for tooltips."""
    words = {round(2 * place): label for place, label in axis.labels}
    if not axis.edges or any(2 * place % 2 == 1 and place < axis.n_cells for place, _ in axis.labels):
        return [words.get(2 * cell + 1, "") for cell in range(axis.width)]
    ends = [words.get(2 * edge, "") for edge in range(axis.n_cells + 1)]
    ranges = [f"{a} to {b}" if a and b else f"up to {b}" if b else f"above {a}" for a, b in pairwise(ends)]
    return [*ranges, *(["missing"] if axis.missing else [])]


def _labels(drawn: HeatMap, names: list[str], width: float) -> Iterator[tuple[float, float, str, int, str]]:
    """Place, words, style and alignment of the names of both features and of the labels of their cells."""
    foot = MAP_HEAD + CELL_HEIGHT * drawn.up.width + STRIP_GAP * drawn.up.missing + 11
    yield -8, MAP_HEAD - 8, fitted(names[1], LABELS_ROOM, TICK_SIZE, bold=True), NAME, "right"
    yield -8, foot, fitted(names[0], LABELS_ROOM, TICK_SIZE, bold=True), NAME, "right"
    for place, label in drawn.up.labels:
        missing = place > drawn.up.n_cells
        y = MAP_HEAD + CELL_HEIGHT * (place if missing else drawn.up.n_cells - place) + STRIP_GAP * missing
        yield -8, y, fitted(label, LABELS_ROOM, TICK_SIZE), ITALIC if missing else EDGE, "right"
    end = -8.0
    for place, label in drawn.across.labels:
        missing = place > drawn.across.n_cells
        words = label if missing or place % 1 == 0 else fitted(label, width, TICK_SIZE)
        x, half = width * place + STRIP_GAP * missing, text_width(words, TICK_SIZE) / 2
        if x - half >= end + 3:
            end = x + half
            yield x, foot, words, ITALIC if missing else EDGE, "center"
