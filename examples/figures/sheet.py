"""A figure of three panels in one picture, and a page of such figures."""

import re
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
        charts = [self.nomogram] + ([self.curve] if self.curve else [])
        parts = [vl_convert.vega_to_svg(chart.specification()) for chart in charts]
        # Titles and notes can lie outside the height of a specification: the rendered picture knows its own.
        sizes = [
            [float(n) for n in re.findall(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', part)[0]] for part in parts
        ]
        width, height = max(size[0] for size in sizes), sum(size[1] for size in sizes)
        inner, y = "", 0.0
        for part, size in zip(parts, sizes, strict=True):
            inner += part.replace("<svg", f'<svg y="{y:g}"', 1)
            y += size[1]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(self.heading, quote=True)}">'
            f'<rect width="100%" height="100%" fill="#fff"/>{inner}</svg>'
        )

    def write(self, folder: Path) -> None:
        """Write the picture as .svg and .png."""
        svg = self.svg()
        (folder / f"{self.name}.svg").write_text(svg)
        (folder / f"{self.name}.png").write_bytes(vl_convert.svg_to_png(svg))


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
