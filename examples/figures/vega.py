"""Marks and colours of hand-made figures: a Vega specification in pixels, drawn offline by vl-convert."""

from pathlib import Path
from types import SimpleNamespace

import vl_convert

COLOURS = SimpleNamespace(
    page="#FFFFFF", ink="#17202B", ink2="#46525F", ink3="#5B6773", line="#5B6875", rule="#BCC5CE", hair="#E3E8EC"
)


def field(name: str) -> dict:
    """Take a channel from a field of the mark's data."""
    return {"field": name}


def mark(kind: str, data: str, **channels) -> dict:
    """Return a mark of a specification; channels are plain values or references to values."""
    encoded = {name: value if isinstance(value, dict) else {"value": value} for name, value in channels.items()}
    return {"type": kind, "from": {"data": data}, "encode": {"update": encoded}}


def text(data: str, **channels) -> dict:
    """Text at x, y."""
    return mark("text", data, **{"font": "Liberation Sans, Arial, sans-serif", "baseline": "middle", **channels})


def rule(data: str, **channels) -> dict:
    """Straight line from x, y to x2, y2."""
    return mark("rule", data, **channels)


def specification(width: int, height: int, data: dict[str, list[dict]], marks: list[dict], description: str) -> dict:
    """The whole figure; the description is its name for screen readers."""
    return {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "width": width,
        "height": height,
        "padding": 0,
        "autosize": "none",
        "background": COLOURS.page,
        "description": description,
        "data": [{"name": name, "values": rows} for name, rows in data.items()],
        "marks": marks,
    }


def save(figure: dict, path: Path) -> None:
    """Write the figure as .svg and .png."""
    path.with_suffix(".svg").write_text(vl_convert.vega_to_svg(figure))
    path.with_suffix(".png").write_bytes(vl_convert.vega_to_png(figure, scale=2.0))
