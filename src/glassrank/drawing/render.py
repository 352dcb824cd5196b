"""Offline rendering of Vega specifications as SVG, PNG or PDF."""

from html import escape
from typing import Any

from glassrank.core.checks import check_choice
from glassrank.drawing.png import recompress

PNG_SCALE = 2.0
# The renderer puts this before addresses that are relative to the page.
BASE = 'xlink:href="https://vega.github.io/vega-datasets/'


def to_svg(specification: dict[str, Any]) -> str:
    """Render as SVG text; the specification's description becomes the label for screen readers.

    Marks with ``href`` become links. What is inside a picture with the role ``img`` cannot be reached, so that a
    picture with links is a group.
    """
    import vl_convert

    drawn = str(vl_convert.vega_to_svg(specification)).replace(BASE, 'href="')
    role = "group" if "<a href=" in drawn else "img"
    named = f'<svg role="{role}" aria-label="{escape(specification.get("description", ""), quote=True)}"'
    return drawn.replace("<svg", named, 1)


def to_png(specification: dict[str, Any]) -> bytes:
    """Render as PNG at twice the nominal size."""
    import vl_convert

    return recompress(vl_convert.vega_to_png(specification, scale=PNG_SCALE))


def to_pdf(specification: dict[str, Any]) -> bytes:
    """Render as PDF with real text."""
    import vl_convert

    return bytes(vl_convert.vega_to_pdf(specification))


def _svg_bytes(specification: dict[str, Any]) -> bytes:
    return to_svg(specification).encode()


PICTURE_FORMATS = {".svg": _svg_bytes, ".png": to_png, ".pdf": to_pdf}


def render(specification: dict[str, Any], suffix: str) -> bytes:
    """Render in the format of a file suffix."""
    check_choice("suffix", suffix, PICTURE_FORMATS)
    return PICTURE_FORMATS[suffix](specification)
