"""Pages of the simulated web as HTML."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray

WRITTEN = (
    "url", "title", "text", "h1", "headings", "description", "site_name", "language", "images", "has_form",
    "hidden_share",
)  # fmt: skip
"""Columns from which the HTML of a page is made."""
Anchor = tuple[str, str]
"""Address and text of a link."""


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes pages as HTML; ``columns`` and ``queries`` have one entry per page, the other arrays one per link."""

    columns: dict[str, Any]
    queries: list[str]
    """The query of the topic that a page disturbs, '' for none; spam pages hide its words."""
    source: IntArray
    target: IntArray
    anchor: Any
    inside: Any
    """Whether each link stays on its host."""

    def pages(self) -> Iterator[str]:
        """Yield the HTML of every page."""
        order = np.argsort(self.source, kind="stable")
        bounds = np.searchsorted(self.source[order], np.arange(len(self.queries) + 1)).tolist()
        for row in range(len(self.queries)):
            yield self._render(row, order[bounds[row] : bounds[row + 1]].tolist())

    def page(self, row: int) -> str:
        """Return the HTML of one page."""
        return self._render(row, np.flatnonzero(self.source == row).tolist())

    def _render(self, row: int, links: list[int]) -> str:
        """Return the HTML with links within the host as navigation, then the text, then links to other hosts.

        Words and addresses of the simulated web contain no character that must be escaped in HTML.
        """
        facts = {name: values[row] for name, values in self.columns.items()}
        url = self.columns["url"]
        within = [(url[self.target[link]], self.anchor[link]) for link in links if self.inside[link]]
        outward = [(url[self.target[link]], self.anchor[link]) for link in links if not self.inside[link]]
        hidden = hidden_words(self.queries[row], facts["hidden_share"], facts["text"])
        language = f' lang="{facts["language"]}"' if facts["language"] else ""
        body = "\n".join(_body(facts, within, outward, hidden))
        return f"<!DOCTYPE html>\n<html{language}>\n<head>\n{_head(facts)}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def hidden_words(query: str, share: float, text: str) -> str:
    """Return the hidden words of a page: its query, repeated until it makes up this share of the text."""
    if share == 0:
        return ""
    return " ".join([query] * max(1, round(len(text) * share / (1 - share) / (len(query) + 1))))


def _head(facts: dict[str, Any]) -> str:
    head = f'<meta charset="utf-8">\n<title>{facts["title"]}</title>'
    if facts["description"]:
        head += f'\n<meta name="description" content="{facts["description"]}">'
    if facts["site_name"]:
        head += f'\n<meta property="og:site_name" content="{facts["site_name"]}">'
    return head


def _body(facts: dict[str, Any], within: list[Anchor], outward: list[Anchor], hidden: str) -> Iterator[str]:
    if within:
        yield f"<nav>{' '.join(_anchor(link) for link in within)}</nav>"
    yield f"<h1>{facts['h1']}</h1>"
    yield f"<p>{facts['text']}</p>"
    below = facts["headings"][len(facts["h1"]) + 1 :]
    if below:
        yield f"<h2>{below}</h2>"
    yield from (f'<img src="/images/{number}.png" alt="">' for number in range(1, int(facts["images"]) + 1))
    if outward:
        yield f"<ul>{' '.join(f'<li>{_anchor(link)}</li>' for link in outward)}</ul>"
    if facts["has_form"]:
        yield '<form action="/search"><input type="text" name="q"></form>'
    if hidden:
        yield f'<p style="display:none">{hidden}</p>'


def _anchor(link: Anchor) -> str:
    return f'<a href="{link[0]}">{link[1]}</a>'


def weigh_html(writer: Writer) -> dict[str, FloatArray]:
    """Return the size of each page's HTML, plain and compressed."""
    sizes = [(len(html), len(zlib.compress(html))) for html in (page.encode() for page in writer.pages())]
    plain, packed = np.array(sizes, dtype=np.float64).T
    # The header and trailer of gzip take 18 bytes, those of zlib 6.
    return {"html_bytes": plain, "gzip_bytes": packed + 12}
