"""A figure of three panels in one picture, and a page of such figures."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; font: 15px/24px system-ui, sans-serif; color: #17202b; background: #fff; }}
main {{ max-width: 1200px; margin: 0 auto; padding: 24px; }} img {{ display: block; width: 100%; height: auto; }}
</style>
<main><h1>{title}</h1><p>{lead}</p>
{sections}
</main></html>
"""


@dataclass(frozen=True)
class Sheet:
    """A figure: effects and probability map, below them the accuracy curve if there is one, and what it shows."""

    name: str
    heading: str
    notes: tuple[str, ...]
    nomogram: Any
    curve: Any = None

    def svg(self) -> str:
        """The panels in one picture."""
        parts = [self.nomogram.specification()] + ([self.curve.specification()] if self.curve else [])
        width = max(part["width"] for part in parts)
        inner, height = "", 0
        for part in parts:
            inner += vl_convert.vega_to_svg(part).replace("<svg", f'<svg y="{height}"', 1)
            height += part["height"]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(self.heading, quote=True)}">'
            f'<rect width="100%" height="100%" fill="#fff"/>{inner}</svg>'
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
        sections.append(f"<h2>{escape(sheet.heading)}</h2>{notes}{picture}")
    page = PAGE.format(title=escape(title), lead=escape(lead), sections="\n".join(sections))
    (folder / "index.html").write_text(page)
