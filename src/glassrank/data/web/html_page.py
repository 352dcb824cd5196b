"""The content, links and metadata of one HTML page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.web.html_walk import PageWalk

_REFRESH = re.compile(
    r"\s*([0-9.]+)\s*(?:[;,\s]\s*(?:url\s*=\s*)?[\"']?\s*(.*?)\s*[\"']?\s*)?$", re.IGNORECASE | re.DOTALL
)
# The first one present is used.
_MODIFIED_NAMES = ("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "dc.date.modified")


@dataclass(frozen=True)
class HtmlLink:
    """A link as written on the page, with its address not yet resolved."""

    href: str
    anchor: str
    nofollow: bool


@dataclass(frozen=True)
class HtmlPage:
    """Everything that is extracted from one HTML page."""

    title: str
    text: str
    h1: str
    headings: str
    description: str
    site_name: str
    language: str
    modified: str
    base: str
    refresh: str
    links: tuple[HtmlLink, ...]
    link_words: int
    images: int
    has_form: bool
    hidden_share: float
    dropped: dict[str, int] = field(default_factory=dict)


def read_html(html: str, drop: Sequence[str] = ()) -> HtmlPage:
    """Parse a page as a browser does, without the elements that match the CSS selectors in ``drop``.

    >>> page = read_html("<title>Zen</title><h1>Zen</h1><p>A <b>sch</b>ool<script>x()</script> of <a href=b>thought")
    >>> page.title, page.text, [(link.href, link.anchor) for link in page.links]
    ('Zen', 'Zen A school of thought', [('b', 'thought')])
    >>> read_html("<h1>Zen</h1><h3 id=sub>Religion</h3>", drop=["h3#sub"]).text
    'Zen'
    """
    # Imported here, because a collection that is already built needs no parser.
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    found = {selector: tree.css(selector) for selector in drop}
    # The walk skips them. Removing them from the tree would free nodes that another selector has found as well.
    walk = PageWalk(frozenset(node.mem_id for nodes in found.values() for node in nodes))
    if tree.root is not None:
        walk.over(tree.root)
    return _assemble(walk, {selector: len(nodes) for selector, nodes in found.items()})


def check_selectors(drop: Sequence[str]) -> tuple[str, ...]:
    """Return the selectors, or raise an error for one that is not valid CSS.

    >>> check_selectors(["h3#siteSub", "p[["])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: drop must contain CSS selectors such as 'h3#id': got 'p[['. Correct or remove it.
    """
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    if isinstance(drop, str):
        raise DataError(
            f"drop must be a list of CSS selectors: got the string {drop!r}.",
            parameter="drop",
            got=drop,
            remedy=f"Use {setting('drop', [drop])}.",
        )
    empty = LexborHTMLParser("<p>")
    for selector in drop:
        try:
            empty.css(selector)
        except (SelectolaxError, TypeError) as error:
            raise DataError(
                f"drop must contain CSS selectors such as 'h3#id': got {selector!r}.",
                parameter="drop",
                got=selector,
                remedy="Correct or remove it.",
            ) from error
    return tuple(drop)


def _assemble(walk: PageWalk, dropped: dict[str, int]) -> HtmlPage:
    meta = walk.meta
    robots = meta.get("robots", "").lower()
    nofollow_all = "nofollow" in robots or "none" in robots.replace(" ", "").split(",")
    shown, hidden = len(walk.text), walk.n_hidden
    return HtmlPage(
        title=walk.title,
        text=walk.text,
        h1="\n".join(text for level, text in walk.headings if level == 1),
        headings="\n".join(text for _, text in walk.headings),
        description=squeeze(meta.get("description") or meta.get("og:description", "")),
        site_name=squeeze(meta.get("og:site_name", "")),
        language=(walk.language or meta.get("content-language", "").split(",")[0]).strip(),
        modified=next((meta[name] for name in _MODIFIED_NAMES if meta.get(name)), ""),
        base=walk.base,
        refresh=_refresh_target(meta.get("refresh", "")),
        links=tuple(HtmlLink(href, anchor, nofollow or nofollow_all) for href, anchor, nofollow in walk.links),
        link_words=walk.n_link_words,
        images=walk.n_images,
        has_form=walk.has_form,
        hidden_share=hidden / (shown + hidden) if shown + hidden else 0.0,
        dropped=dropped,
    )


def _refresh_target(content: str) -> str:
    """Return the target of an immediate redirect; '' if the page waits or only reloads itself."""
    found = _REFRESH.match(content)
    if found is None or found[1].strip("0."):
        return ""
    return found[2] or ""


def squeeze(text: str) -> str:
    """Replace runs of white space with one space.

    >>> squeeze("  a\\n b ")
    'a b'
    """
    return " ".join(text.split())
