"""Reads the texts, lines and named marks of an SVG, with their positions."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Text:
    """A text of a picture and its position."""

    says: str
    x: float
    y: float
    fill: str
    size: float


def texts(svg):
    """Return every non-empty text of an SVG."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        says = "".join(element.itertext())
        if says:
            x, y = place(element)
            size = float(element.get("font-size").removesuffix("px"))
            found.append(Text(says, x, y, element.get("fill"), size))
    return found


def says(svg):
    """Return the content of every text, with single spaces."""
    return [" ".join(text.says.split()) for text in texts(svg)]


def named_marks(svg):
    """Return the marks by their descriptions for screen readers."""
    return {mark.get("aria-label"): mark for mark in ElementTree.fromstring(svg).iter() if mark.get("aria-label")}


def lines(svg, width):
    """Return (x1, x2, y) of every line with this stroke width."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}line"):
        if element.get("stroke-width") == width:
            x, y = place(element)
            found.append((x, x + float(element.get("x2")), y))
    return found


def place(element):
    """Return the point to which an element is translated."""
    x, y = re.fullmatch(r"translate\(([^,]+),([^)]+)\).*", element.get("transform")).groups()
    return float(x), float(y)
