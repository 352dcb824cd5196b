"""Pages with live figures: their specifications, the scripts that run them, and a policy that allows no others."""

import base64
import hashlib
import json
from html import escape
from typing import Any

from glassrank.drawing.bundle import vega_script
from glassrank.drawing.self_contained_page import Section, build_page

UNSEEN_HEADING = "h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }"


def embedded(content: Any) -> str:
    """A script element that holds JSON, for a figure's own script to read.

    >>> embedded({"title": "</script>"})
    '<script type="application/json">{"title":"\\\\u003c/script>"}</script>'
    """
    # In a script element only "<" could end it or open a comment.
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{written}</script>'


def scripts(*drivers: str) -> str:
    """Script elements of Vega and of the ``drivers`` that bring figures to life; they stand once, at a page's end."""
    return "\n".join(f'<script type="module">{script}</script>' for script in (vega_script(), *drivers))


def content_policy(*drivers: str) -> str:
    """A meta element that lets the page run Vega and these ``drivers``, and load nothing."""
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in (vega_script(), *drivers)]
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {allowed}"
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'


def live_page(title: str, figure: str, caption: str, *drivers: str) -> str:
    """A page with one live figure, its caption, and the scripts that drive it.

    The figure shows the title itself: the page's heading is there for screen readers and outlines.
    """
    section = Section("", f'{figure}\n<p class="note">{escape(caption)}</p>')
    head = f"{content_policy(*drivers)}<style>{UNSEEN_HEADING}</style>"
    return build_page(title, [section], head=head, end=scripts(*drivers))
