"""The part of the specification that places rows: which lines have one, where, and at which scale.

A script that shows another pair replaces the data set ``placed`` and the signals; everything else follows.
"""

from dataclasses import asdict
from typing import Any

from glassrank.drawing.marks import Rows
from glassrank.nomograms.figure.arrangement import Arrangement, labels_level
from glassrank.nomograms.figure.layout import Layout

PLACED: list[dict[str, Any]] = [
    {"type": "lookup", "from": "placed", "key": "k", "fields": ["k"], "as": ["place"]},
    {"type": "filter", "expr": "datum.place"},
]
"""Keeps the rows of a data set whose line has a row in the picture, and looks up its place."""


def formulas(**fields: str) -> list[dict[str, str]]:
    """Return transforms that compute fields from Vega expressions."""
    return [{"type": "formula", "as": name, "expr": expression} for name, expression in fields.items()]


def placed(rows: Rows, kept: str = "datum.place", **fields: str) -> dict[str, Any]:
    """Return a data set of the parts of rows, shown if their line has a row; ``fields`` are their positions."""
    return {"values": rows, "transform": [PLACED[0], {"type": "filter", "expr": kept}, *formulas(**fields)]}


def placing_data(layout: Layout) -> dict[str, Any]:
    """Return the data sets of places and of the axes, which depend on the scale."""
    return {
        "placed": [asdict(place) for place in layout.arrangement.places],
        "points": [{"x": tick.x, "label": tick.label} for tick in layout.points],
        "scores": [{"x": tick.x, "label": tick.label} for tick in layout.scores],
    }


def placing_signals(layout: Layout) -> list[dict[str, Any]]:
    """Return the signals of the scale and of where the rows end."""
    values = scale_of(layout, layout.arrangement)
    return [
        {"name": "live", "value": False},
        *({"name": name, "value": value} for name, value in values.items()),
        {"name": "pixels", "update": f"{layout.scale.pixels!r} * stretch"},
    ]


def scale_of(layout: Layout, arrangement: Arrangement) -> dict[str, float | None]:
    """Return the values of these signals for the rows of a pair."""
    own = layout.scale.pixels
    stretch = arrangement.scale.pixels / own if own > 0 else 1.0
    return {
        "stretch": stretch,
        "level": labels_level(stretch),
        "bars": arrangement.bars,
        "rest_top": arrangement.rest_top,
        "bottom": arrangement.bottom,
        "n_rows": len(arrangement.shown),
        "zero": arrangement.scale.zero,
    }
