"""Data of a neighbourhood's picture: pages, links, labels and texts, as rows for Vega."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.distillation.figure.neighbourhood import AUTHORITY, BOTH, HUB, PAGE, PRUNED, Neighbourhood
from glassrank.distillation.figure.page_labels import ROLE_WORDS, PageLabels, number
from glassrank.distillation.figure.page_places import BOTH_ROOM, CELL, GUTTER, MARGIN, WIDTH, Placing, column_x
from glassrank.drawing.marks import Rows, Source
from glassrank.drawing.text_width import fitted, text_width
from glassrank.drawing.theme import Theme

SHAPES = {AUTHORITY: "circle", HUB: "diamond", BOTH: "square", PAGE: "circle", PRUNED: "cross"}
SIZES = {AUTHORITY: (70, 440), HUB: (70, 440), BOTH: (70, 440), PAGE: (26, 240), PRUNED: (72, 72)}
"""Areas of the weakest and the strongest page."""
LEGEND_SIZE, LEGEND_GAP = 90, 40
NAME_SIZE, FACT_SIZE, POINTED_WIDTH = 12.5, 11.0, 380.0
PLACE_GAP, TITLE_GAP = 18, 42  # from a column to the rank and to the title of a page
HEADS = {
    HUB: ("Hubs", "link to the authorities"),
    BOTH: ("Authorities and hubs", "link, and are linked from hubs"),
    AUTHORITY: ("Authorities", "are linked from the hubs"),
}


@dataclass(frozen=True, eq=False)
class PictureRows:
    """The picture's data in a theme's colours."""

    pages: Neighbourhood
    placing: Placing
    theme: Theme

    def data(self) -> dict[str, Rows | Source]:
        """Return all data sets; rows of pruned pages are filtered out while these are hidden."""
        shown = [{"type": "filter", "expr": "show_pruned || datum.role !== 'pruned'"}]
        pointed = [{"type": "filter", "expr": "datum.i === focus && !isValid(datum.to)"}]
        return {
            "one": [{}],
            "links": self._links(),
            "pages": {"values": self._pages(), "transform": shown},
            "lit": _lit(),
            "labels": self._labels(),
            "pointed": {"source": "pages", "transform": pointed},
            "strip": {"values": self._strip(), "transform": shown},
            "heads": self._heads(),
            "legend": self._legend(),
        }

    @cached_property
    def _words(self) -> PageLabels:
        return PageLabels(self.pages)

    def _links(self) -> Rows:
        bends = self.placing.bends(self.pages.links).tolist()
        ends = self.pages.links.tolist()
        return [{"s": s, "t": t, **({"b": bend} if bend else {})} for (s, t), bend in zip(ends, bends, strict=True)]

    def _pages(self) -> Rows:
        """Pages in the reverse of the reading order, so that the best are drawn last, over the others."""
        rank = np.empty(len(self.pages), dtype=int)
        rank[self._words.order] = np.arange(len(self.pages))
        return [{**self._page(page), "rank": int(rank[page])} for page in self._words.order[::-1].tolist()]

    def _page(self, page: int) -> dict[str, Any]:
        role, title, x = self.pages.roles[page], self._words.title(page), float(self.placing.x[page])
        short = fitted(title, POINTED_WIDTH, NAME_SIZE)
        wide = text_width(short, NAME_SIZE, bold=True)
        return {
            "i": page,
            "role": role,
            "x": x,
            "y": float(self.placing.y[page]),
            "size": round(self._size(page), 1),
            "title": title,
            "url": self._words.address(page),
            "says": self._words.says(page),
            "short": short,
            # Centred over the page, as far as the frame allows.
            "left": round(min(max(x - wide / 2, MARGIN), WIDTH - MARGIN - wide), 1),
            "wide": round(wide, 1),
            **self._look(role),
            **(self._reach(role) if self.placing.in_column[page] else {}),
        }

    def _reach(self, role: str) -> dict[str, float]:
        """Horizontal range in which the pointer selects a page in a column, including its label."""
        x = column_x(role)
        return {"from": MARGIN if role == HUB else x, "to": x + {HUB: 0, BOTH: BOTH_ROOM, AUTHORITY: GUTTER}[role]}

    def _look(self, role: str) -> dict[str, Any]:
        """Colour and shape of a role; each alone is enough to recognise it."""
        theme = self.theme
        fill = {AUTHORITY: theme.a, HUB: theme.b, BOTH: theme.ink, PAGE: theme.page, PRUNED: theme.mark}[role]
        stroke = theme.line if role == PAGE else theme.page
        return {"shape": SHAPES[role], "fill": fill, "stroke": stroke, "angle": 45 if role == PRUNED else 0}

    def _size(self, page: int) -> float:
        smallest, largest = SIZES[self.pages.roles[page]]
        return float(smallest + (largest - smallest) * self.pages.strengths[page])

    def _labels(self) -> Rows:
        return [self._label(role, page) for role, members in self.placing.columns.items() for page in members.tolist()]

    def _label(self, role: str, page: int) -> dict[str, Any]:
        words, own = self._words, {**_beside(role), "y": float(self.placing.y[page])}
        room = (BOTH_ROOM if role == BOTH else GUTTER) - abs(own["title_x"] - column_x(role)) - 8
        label, fact = fitted(words.title(page), room, NAME_SIZE), self._fact(role, page)
        place = {HUB: words.hub_places, AUTHORITY: words.authority_places}.get(role)
        return {
            "i": page,
            **own,
            "place": "" if place is None else str(place[page]),
            "label": label,
            "fact": fact,
            "title": words.title(page),
            "url": words.address(page),
            # Links run behind the labels only in the middle, where labels need a background.
            "wide": round(max(text_width(label, NAME_SIZE), text_width(fact, FACT_SIZE)), 1) if role == BOTH else 0,
        }

    def _fact(self, role: str, page: int) -> str:
        if role == BOTH:
            places = self._words.authority_places[page], self._words.hub_places[page]
            return "authority rank {}, hub rank {}".format(*places)
        score = (self.pages.hub if role == HUB else self.pages.authority)[page]
        return f"{ROLE_WORDS[role]} score {number(score)}"

    def _heads(self) -> Rows:
        return [
            {**_beside(role), "name": HEADS[role][0], "note": HEADS[role][1]}
            for role, members in self.placing.columns.items()
            if len(members)
        ]

    def _legend(self) -> Rows:
        """One entry for each role that occurs, side by side."""
        rows, x = [], float(MARGIN + 8)
        for role, words in ROLE_WORDS.items():
            if role in self.pages.roles:
                rows.append({"x": x, "words": words, "size": LEGEND_SIZE, **self._look(role)})
                x += text_width(words, 12) + LEGEND_GAP
        return rows

    def _strip(self) -> Rows:
        """Texts around the pruned pages: what they are, and what their order means."""
        placing, scale = self.placing, self.placing.strip_scale
        if not self.pages.pruned.any():
            return []
        head = "Pruned pages" if scale is None else "Pruned pages, by distance from the sphere’s centre"
        if self._spills():
            head += "; if too many are equally far to stack, they are placed side by side"
        rows = [_strip_text(MARGIN, placing.strip_top - 26, "left", head, weight=600)]
        if scale is None:
            return rows
        below = placing.strip_bottom + 16
        rows.append(_strip_text(MARGIN, below, "left", number(scale.low)))
        rows.append(_strip_text(WIDTH - MARGIN, below, "right", number(scale.high)))
        if self.pages.radius is not None:
            words = f"the sphere’s edge, {number(self.pages.radius)}"
            wide = text_width(words, FACT_SIZE)
            left = min(max(scale.x(self.pages.radius) - wide / 2, MARGIN), WIDTH - MARGIN - wide)
            rows.append(_strip_text(left, placing.strip_top - 8, "left", words))
        return rows

    def _spills(self) -> bool:
        """Whether a pruned page is drawn beside the position of its distance."""
        scale, pruned = self.placing.strip_scale, self.pages.pruned
        if scale is None or self.pages.distances is None:
            return False
        return bool((np.abs(self.placing.x[pruned] - scale.x(self.pages.distances[pruned])) > CELL).any())


def _strip_text(x: float, y: float, align: str, words: str, weight: int = 400) -> dict[str, Any]:
    size = 12.0 if weight > 400 else FACT_SIZE
    return {"x": x, "y": y, "align": align, "words": words, "weight": weight, "fontSize": size, "role": PRUNED}


def _beside(role: str) -> dict[str, Any]:
    """Positions of rank and title of a column's pages: on the left of hubs, on the right of others."""
    side, align = (-1, "right") if role == HUB else (1, "left")
    x = column_x(role)
    # Pages that are both have two ranks, which are written below the title.
    title_x = x + side * (PLACE_GAP if role == BOTH else TITLE_GAP)
    return {"x": x + side * PLACE_GAP, "title_x": title_x, "align": align}


def _lit() -> Source:
    """Links of the page under the pointer, with their paths."""
    ends = [
        {
            "type": "lookup",
            "from": "pages",
            "key": "i",
            "fields": [end],
            "values": ["x", "y"],
            "as": [f"{end}x", f"{end}y"],
        }
        for end in ("s", "t")
    ]
    curve = (
        "'M' + datum.sx + ',' + datum.sy + 'Q' + ((datum.sx + datum.tx) / 2 + (datum.b || 0)) + ','"
        " + ((datum.sy + datum.ty) / 2) + ' ' + datum.tx + ',' + datum.ty"
    )
    return {
        "source": "links",
        "transform": [
            {"type": "filter", "expr": "focus >= 0 && (datum.s === focus || datum.t === focus)"},
            *ends,
            # A link to a hidden page has no end.
            {"type": "filter", "expr": "isValid(datum.sx) && isValid(datum.tx)"},
            {"type": "formula", "as": "d", "expr": curve},
        ],
    }


def path_of(links: IntArray, x: FloatArray, y: FloatArray, bends: FloatArray) -> str:
    """Return all links as one path, which is one mark and does not get darker where links cross.

    >>> x, y = np.array([0.0, 10.0]), np.array([5.0, 6.5])
    >>> path_of(np.array([[0, 1]]), x, y, np.zeros(1))
    'M0,5L10,6.5'
    """
    parts = []
    for (s, t), bend in zip(links.tolist(), bends.tolist(), strict=True):
        middle = f"Q{(x[s] + x[t]) / 2 + bend:g},{(y[s] + y[t]) / 2:g} " if bend else "L"
        parts.append(f"M{x[s]:g},{y[s]:g}{middle}{x[t]:g},{y[t]:g}")
    return "".join(parts)
