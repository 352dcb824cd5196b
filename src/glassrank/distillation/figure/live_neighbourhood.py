"""The live picture of a neighbourhood: pages react to pointer and keyboard, and a list contains the same facts."""

from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from glassrank.distillation.figure.page_labels import PageLabels
from glassrank.drawing.live_page import embedded
from glassrank.drawing.self_contained_page import table

STYLE = """
.neighbourhood .controls { display: flex; flex-wrap: wrap; gap: 8px 32px; align-items: baseline; margin: 0 0 8px; }
.neighbourhood .controls label, .neighbourhood .controls span { font-size: 13px; color: var(--ink2); }
.neighbourhood input[type=search] { font: inherit; font-size: 15px; color: var(--ink); background: var(--page);
  border: 1px solid var(--mark); border-radius: 4px; padding: 4px 8px; min-width: 240px; }
.neighbourhood .page-facts { max-width: none; min-height: 48px; margin: 0 0 4px; color: var(--ink2); }
.neighbourhood .page-facts strong { color: var(--ink); }
.neighbourhood .nodes path:focus { outline: none; stroke: var(--ink); stroke-width: 2px; }
.neighbourhood h2 { margin-top: 24px; }
.neighbourhood .list { max-height: 480px; overflow: auto; }
.neighbourhood .list td:first-child { min-width: 200px; }
.neighbourhood .list td { overflow-wrap: anywhere; }
.neighbourhood .list td:last-child { min-width: 160px; }
.neighbourhood .list th, .neighbourhood .list td.number { white-space: nowrap; }
.neighbourhood .list button { font: inherit; color: var(--a); background: none; border: 0; padding: 0; text-align: left;
  cursor: pointer; }
.neighbourhood .list tr.lit td { background: var(--subtle); }
@media print { .neighbourhood .controls, .neighbourhood .page-facts { display: none; }
  .neighbourhood .list { max-height: none; overflow: visible; } }
"""


@cache
def driver() -> str:
    """Return the script that makes every neighbourhood of a page live."""
    return files("glassrank.distillation.figure").joinpath("neighbourhood.js").read_text(encoding="utf-8")


def live_figure(specification: dict[str, Any], svg: str, rows: PageLabels, caption: str) -> str:
    """Return the static picture, which the script replaces by the live one, the specification, and the page list."""
    listed = table(rows.heads, [rows.cells(page) for page in rows.order.tolist()], numeric=rows.numeric)
    return (
        f'<div class="neighbourhood">\n<style>{STYLE}</style>\n<div class="controls"></div>\n'
        f'<p class="page-facts" aria-live="polite"></p>\n'
        f'<figure class="wide" tabindex="0" role="group" aria-label="{escape(caption)}">{svg}</figure>\n'
        f"{embedded(specification)}\n<h2>Pages in the picture</h2>\n"
        f'<div class="list" tabindex="0" role="group" aria-label="Pages in the picture">{listed}</div>\n</div>'
    )
