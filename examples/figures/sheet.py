"""A figure of three panels in one picture, and a page of such figures."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

import vl_convert

from glassrank.drawing.render import to_svg
from glassrank.drawing.self_contained_page import Section, build_page
from glassrank.drawing.theme import LIGHT
from glassrank.nomograms.elimination.curve_chart import EliminationChart
from glassrank.nomograms.figure.nomogram import Nomogram

# The pictures are light whatever the reader's scheme, and as wide as the page.
STYLE = "<style>main img { display: block; width: 100%; height: auto; background: #fff; }</style>\n"


@dataclass(frozen=True)
class Sheet:
    """A figure: effects and probability map, below them the accuracy curve if there is one, and what it shows."""

    name: str
    heading: str
    notes: tuple[str, ...]
    nomogram: Nomogram
    curve: EliminationChart | None = None

    def svg(self) -> str:
        """The panels in one picture."""
        parts = [self.nomogram.specification()] + ([self.curve.specification()] if self.curve else [])
        width = max(part["width"] for part in parts)
        inner, height = "", 0
        for part in parts:
            inner += to_svg(part).replace("<svg", f'<svg y="{height}"', 1)
            height += part["height"]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}"><rect width="100%" height="100%" fill="{LIGHT.page}"/>{inner}</svg>'
        )

    def write(self, folder: Path) -> None:
        """Write the picture as .svg and .png."""
        svg = self.svg()
        (folder / f"{self.name}.svg").write_text(svg)
        (folder / f"{self.name}.png").write_bytes(vl_convert.svg_to_png(svg, scale=2.0))


def write_page(folder: Path, title: str, lead: str, sheets: list[Sheet]) -> None:
    """Write the figures and an index.html that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    sections = []
    for sheet in sheets:
        sheet.write(folder)
        notes = "".join(f"<p>{escape(note)}</p>" for note in sheet.notes)
        picture = f'<img src="{sheet.name}.svg" alt="{escape(sheet.heading, quote=True)}">'
        sections.append(Section(sheet.heading, notes + picture))
    (folder / "index.html").write_text(build_page(title, sections, f"<p>{escape(lead)}</p>", head=STYLE))
