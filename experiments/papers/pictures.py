"""Pictures for the pages: small PNG files, also from the charts of a report."""

import re
from html import unescape
from pathlib import Path

import vl_convert

from glassrank.drawing.png import recompress
from glassrank.drawing.theme import LIGHT, css_variables

WIDTH = 1440
"""Pixels: sharp on a page, readable when opened alone, and still small."""
_CHART = re.compile(r'<svg role="img" aria-label="([^"]*)".*?</svg>', re.DOTALL)
_SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)"')
_VARIABLE = re.compile(r"--([\w-]+): ([^;]+);")


def chart_of(report: Path, name: str) -> tuple[bytes, str]:
    """Return the chart of a report whose description begins with a name, and the first sentence of the description."""
    page = report.read_text(encoding="utf-8")
    for found in _CHART.finditer(page):
        if unescape(found[1]).startswith(name):
            return png_of(found[0]), unescape(found[1]).split(". ")[0]
    raise LookupError(f"{report}: no chart {name!r}")


def png_of(svg: str, width: int = WIDTH) -> bytes:
    """Draw an SVG in the light colours, on white, so many pixels wide."""
    for variable, colour in _VARIABLE.findall(css_variables(LIGHT)):
        svg = svg.replace(f"var(--{variable})", colour)
    size = _SIZE.search(svg)
    scale = width / float(size[1]) if size else 1.0
    start = svg.index(">") + 1
    white = f'<rect width="100%" height="100%" fill="{LIGHT.page}"/>'
    return recompress(vl_convert.svg_to_png(svg[:start] + white + svg[start:], scale=scale))
