"""The live figure: the specification run by Vega in a page, with keyboard, what-if sentence, reset and feature list."""

from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from glassrank.drawing import live_page
from glassrank.drawing.live_page import embedded

STYLE = """
.nomogram [data-live] { touch-action: pan-x pan-y; }
.nomogram .what-if { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; max-width: none;
  min-height: 24px; margin: 0 0 4px; color: var(--ink2); }
.nomogram .what-if button { font: inherit; color: var(--a); background: none; border: 0; padding: 0;
  text-decoration: underline; text-underline-offset: 3px; cursor: pointer; }
.nomogram .mark-symbol [role=slider] { touch-action: none; }
.nomogram .mark-symbol [role=slider]:focus { outline: none; stroke: var(--ink); stroke-width: 3px; }
.nomogram .more text:focus, .nomogram .more_rest text:focus { outline: none; font-weight: 600;
  text-decoration: underline; }
.nomogram .group_buttons text:focus, .nomogram .rest_button text:focus { outline: 2px solid var(--a); }
.nomogram .levels { border: 0; padding: 0; margin: 16px 0 0; }
.nomogram .levels .title { font-weight: 600; margin: 0 0 4px; }
.nomogram .levels button, .nomogram .list button { font: inherit; font-size: 13px; }
.nomogram details { margin: 16px 0 0; }
.nomogram summary { cursor: pointer; color: var(--a); }
.nomogram details input, .nomogram details select, .nomogram .levels input { font: inherit; font-size: 13px;
  color: var(--ink); background: var(--page); border: 1px solid var(--mark); border-radius: 4px; padding: 2px 6px; }
.nomogram details input[type=number] { width: 120px; text-align: right; }
.nomogram details label, .nomogram .levels label { font-size: 13px; }
.nomogram .list { max-height: 420px; overflow: auto; margin-top: 8px; }
.nomogram td.changed { background: var(--subtle); font-weight: 600; }
@media print { .nomogram details, .nomogram .levels, .nomogram .what-if button { display: none; } }
"""


def live_figure(specification: dict[str, Any], svg: str, caption: str) -> str:
    """Return the figure's HTML: the specification, and a static picture that the script replaces by the live one."""
    return (
        f'<div class="nomogram">\n<style>{STYLE}</style>\n<p class="what-if" aria-live="polite"></p>\n'
        f'<figure class="wide" tabindex="0" role="group" aria-label="{escape(caption)}">{svg}</figure>\n'
        f"{embedded(specification)}\n</div>"
    )


@cache
def driver() -> str:
    """Return the script that makes every nomogram of a page live."""
    return files("glassrank.nomograms.figure").joinpath("live.js").read_text(encoding="utf-8")


def scripts() -> str:
    """Return the script elements for a page of nomograms; insert them once, at the end of the page."""
    return live_page.scripts(driver())
