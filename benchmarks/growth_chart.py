"""A chart of how times grow with the number of documents, both on logarithmic axes."""

import itertools
import math
from pathlib import Path
from typing import Any

from glassrank.drawing.marks import field, rule, specification, symbol, text
from glassrank.drawing.render import render
from glassrank.drawing.theme import LIGHT

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 704, 420, 84, 640, 56, 350
Points = list[tuple[int, float]]


def draw_growth(lines: dict[str, Points], title: str, caption: str, path: Path) -> None:
    """Draw seconds against documents, a line for each name; a single line needs no name."""
    documents = sorted({n for points in lines.values() for n, _ in points})
    seconds = [s for points in lines.values() for _, s in points]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    first, last = math.log10(documents[0]), math.log10(documents[-1])

    def x(n: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log10(n) - first) / (last - first)

    def y(spent: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (math.log10(spent) - low) / (high - low)

    placed = {name: [{"x": x(n), "y": y(s), "label": f"{s:.3g} s"} for n, s in own] for name, own in lines.items()}
    values: dict[str, Any] = {
        "one": [{}],
        "dots": [dot for own in placed.values() for dot in own],
        "lines": [
            {"x": a["x"], "y": a["y"], "x2": b["x"], "y2": b["y"]}
            for own in placed.values()
            for a, b in itertools.pairwise(own)
        ],
        "names": [{"x": own[-1]["x"], "y": own[-1]["y"], "label": name} for name, own in placed.items()],
        "documents": [{"x": x(10.0**e), "label": f"{10**e:,}"} for e in range(round(first), round(last) + 1)],
        "seconds": [{"y": y(10.0**e), "label": f"{10.0**e:g} s"} for e in range(low, high + 1)],
    }
    drawn = specification(WIDTH, HEIGHT, values, _marks(title, caption), background=LIGHT.page)
    path.write_bytes(render(drawn, ".svg"))


def _marks(title: str, caption: str) -> list[dict[str, Any]]:
    theme, small = LIGHT, {"fontSize": 12}
    above: Any = {"field": "y", "offset": -16}
    beside: Any = {"field": "x", "offset": 10}
    label: Any = {"text": field("label"), **small}
    return [
        rule("seconds", x=LEFT, x2=RIGHT, y=field("y"), y2=field("y"), stroke=theme.hair),
        text("seconds", x=LEFT - 10, y=field("y"), align="right", fill=theme.ink3, **label),
        text("documents", x=field("x"), y=BOTTOM + 20, align="center", fill=theme.ink3, **label),
        rule("lines", x=field("x"), x2=field("x2"), y=field("y"), y2=field("y2"), stroke=theme.line, strokeWidth=1.6),
        symbol("dots", x=field("x"), y=field("y"), shape="circle", size=60, fill=theme.ink),
        text("dots", x=field("x"), y=above, align="center", fill=theme.ink2, **label),
        text("names", x=beside, y=field("y"), align="left", fill=theme.ink, **label),
        text("one", x=24, y=26, text=title, fontSize=15, fontWeight=600, fill=theme.ink),
        text("one", x=(LEFT + RIGHT) / 2, y=BOTTOM + 48, text=caption, align="center", fill=theme.ink2, **small),
    ]
