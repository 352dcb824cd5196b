"""Reads what an SVG shows: texts, lines and named marks, with their places."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Text:
    """A text of a picture: what it says and where."""

    says: str
    x: float
    y: float
    fill: str
    size: float


def texts(svg):
    """Every text of an SVG that is not empty."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        says = "".join(element.itertext())
        if says:
            x, y = place(element)
            size = float(element.get("font-size").removesuffix("px"))
            found.append(Text(says, x, y, element.get("fill"), size))
    return found


def says(svg):
    """The words of every text, with single spaces."""
    return [" ".join(text.says.split()) for text in texts(svg)]


def named_marks(svg):
    """Marks by the words that a screen reader says for them."""
    return {mark.get("aria-label"): mark for mark in ElementTree.fromstring(svg).iter() if mark.get("aria-label")}


def lines(svg, width):
    """(x1, x2, y) of every line of this stroke width."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}line"):
        if element.get("stroke-width") == width:
            x, y = place(element)
            found.append((x, x + float(element.get("x2")), y))
    return found


def place(element):
    """The point that an element is moved to."""
    x, y = re.fullmatch(r"translate\(([^,]+),([^)]+)\).*", element.get("transform")).groups()
    return float(x), float(y)
