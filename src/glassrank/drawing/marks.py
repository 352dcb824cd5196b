"""Vega marks from plain values: each function returns one mark of a specification."""

import re
from collections.abc import Mapping
from typing import Any

from glassrank.drawing.theme import FONTS

Mark = dict[str, Any]
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Rows = list[dict[str, Any]]
Source = dict[str, Any]


def field(name: str) -> dict[str, str]:
    """Take a channel from a field of the mark's data."""
    return {"field": name}


def computed(expression: str) -> dict[str, str]:
    """Take a channel from a Vega expression over ``datum`` and signals."""
    return {"signal": expression}


def text(data: str, **channels: Any) -> Mark:
    """Text at x, y; sizes and colours are channels such as ``fontSize`` and ``fill``."""
    return _mark("text", data, {"font": FONTS, "fontSize": 12, "baseline": "middle", **channels})


def rule(data: str, **channels: Any) -> Mark:
    """Straight line from x, y to x2, y2."""
    return _mark("rule", data, {"strokeWidth": 1, **channels})


def rect(data: str, **channels: Any) -> Mark:
    """Rectangle from x, y to x2, y2."""
    return _mark("rect", data, channels)


def symbol(data: str, **channels: Any) -> Mark:
    """Circle or diamond at x, y."""
    return _mark("symbol", data, channels)


def path(data: str, **channels: Any) -> Mark:
    """Line or area along an SVG path."""
    return _mark("path", data, channels)


def named(mark: Mark, name: str) -> Mark:
    """Return the mark with a name by which events and scripts find it."""
    return {**mark, "name": name, "interactive": True}


def _mark(kind: str, data: str, channels: dict[str, Any]) -> Mark:
    encoded = {name: value if isinstance(value, dict) else {"value": value} for name, value in channels.items()}
    # Only marks with a description belong to the accessibility tree.
    return {"type": kind, "from": {"data": data}, "aria": "description" in channels, "encode": {"update": encoded}}


def specification(
    width: float, height: float, data: Mapping[str, Rows | Source], marks: list[Mark], **top: Any
) -> dict[str, Any]:
    """Return a Vega specification with positions in pixels; data are rows, or a source with transforms."""
    whole = {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "width": width,
        "height": height,
        "padding": 0,
        "autosize": "none",
        **top,
        "data": [
            {"name": name, **(rows if isinstance(rows, dict) else {"values": rows})} for name, rows in data.items()
        ],
        "marks": marks,
    }
    return dict(_with_drawable_text(whole))


def drawable(words: str) -> str:
    """Replace characters that XML does not allow, such as NUL, by U+FFFD."""
    return NOT_IN_XML.sub("\ufffd", words)


def _with_drawable_text(value: Any) -> Any:
    if isinstance(value, str):
        return drawable(value)
    if isinstance(value, dict):
        return {key: _with_drawable_text(item) for key, item in value.items()}
    return [_with_drawable_text(item) for item in value] if isinstance(value, list) else value
