"""Pages with interactive figures: specifications, scripts, and a content policy that allows no other scripts."""

import base64
import hashlib
import json
from html import escape
from typing import Any

from glassrank.core.wording import UNSEEN
from glassrank.drawing.bundle import vega_script
from glassrank.drawing.self_contained_page import Section, build_page

HIDDEN_HEADING = "h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }"


def as_json(content: Any) -> str:
    """Return compact JSON that can stand inside a script element."""
    # Only "<" could end the script element or open a comment inside it.
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def embedded(content: Any) -> str:
    """Return a script element that contains JSON for a figure's own script.

    >>> embedded({"title": "</script>"})
    '<script type="application/json">{"title":"\\\\u003c/script>"}</script>'
    """
    return f'<script type="application/json">{as_json(content)}</script>'


def scripts(*drivers: str) -> str:
    """Return the script elements of Vega and of the figures' ``drivers``, for the end of a page."""
    return "\n".join(f'<script type="module">{script}</script>' for script in (vega_script(), *drivers))


def content_policy(*drivers: str, files_beside: bool = False) -> str:
    """Return a meta element that allows the page to run only Vega and these ``drivers``, and to load nothing.

    With ``files_beside``, scripts may also come from where the page is. A page on disk cannot fetch data, but it can
    load them as scripts: browsers differ in whether 'self' includes files, hence "file:", which has no effect on a
    server.
    """
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in (vega_script(), *drivers)]
    allowed = " ".join([*(f"'sha256-{digest}'" for digest in hashes), *(["'self' file:"] if files_beside else [])])
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {allowed}"
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'


def live_page(title: str, figure: str, caption: str, *drivers: str) -> str:
    """Return a page with one interactive figure, its caption and its scripts.

    The figure shows the title itself, so the page's heading is hidden and serves screen readers and outlines only.
    """
    section = Section("", f'{figure}\n<p class="note">{escape(caption)}</p>')
    head = f"{content_policy(*drivers)}<style>{HIDDEN_HEADING}</style>"
    return build_page(title, [section], head=head, end=scripts(*drivers))
