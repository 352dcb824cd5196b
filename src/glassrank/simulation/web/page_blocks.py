"""The parts of the simulated web: sites, pages and links, and how they are joined."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.web.sites import Site

ROLES = ("home", "navigation", "authority", "hub", "page", "drift", "mirror", "spam", "spam target")


@dataclass(frozen=True, eq=False)
class PageBlock:
    """Pages of one part of the web, and the truth about them."""

    sites: list[Site]
    host: IntArray
    """Index of each page's site in ``sites``."""
    url: list[str]
    title: list[str]
    h1: list[str]
    headings: list[str]
    text: list[str]
    topic: IntArray
    """Number of the topic that the page is truly about, −1 for none."""
    aim: IntArray
    """Number of the topic that the page disturbs, −1 for none."""
    role: Any
    quality: FloatArray
    hub_quality: FloatArray

    def __len__(self) -> int:
        return len(self.url)

    @property
    def site_of_page(self) -> list[Site]:
        """Site of each page."""
        return [self.sites[host] for host in self.host.tolist()]

    @property
    def is_home(self) -> Any:
        """Whether each page is the home page of its host, which is the host's first page."""
        first = np.zeros(len(self), dtype=bool)
        first[np.unique(self.host, return_index=True)[1]] = True
        return first


@dataclass(frozen=True, eq=False)
class LinkBlock:
    """Links of one part of the web, between rows of the whole web."""

    source: IntArray
    target: IntArray
    anchor: Any

    def __len__(self) -> int:
        return len(self.source)


def scaled(count: float, strength: float, minimum: int) -> int:
    """Scale a count by the strength of a dial: 0 at strength 0, otherwise at least ``minimum``.

    >>> scaled(12, 0.0, 2), scaled(12, 0.01, 2), scaled(12, 2.0, 2)
    (0, 2, 24)
    """
    return max(minimum, round(count * strength)) if strength > 0 else 0


def keep_first_of_host(source: IntArray, target: IntArray, host: IntArray) -> tuple[IntArray, IntArray]:
    """Drop links within a host, and all but the first link from a host to a page.

    >>> source, target, host = np.array([0, 1, 1, 2]), np.array([3, 3, 0, 3]), np.array([0, 0, 1, 1])
    >>> keep_first_of_host(source, target, host)
    (array([0]), array([3]))
    """
    between = host[source] != host[target]
    source, target = source[between], target[between]
    kept = np.sort(np.unique(host[source] * len(host) + target, return_index=True)[1])
    return source[kept], target[kept]


def join_blocks(blocks: list[PageBlock]) -> PageBlock:
    """Concatenate blocks of pages."""
    starts = np.cumsum([0, *(len(block.sites) for block in blocks)])
    joined: dict[str, Any] = {}
    for spec in fields(PageBlock):
        columns = [getattr(block, spec.name) for block in blocks]
        if spec.name == "host":
            columns = [column + start for column, start in zip(columns, starts, strict=False)]
        joined[spec.name] = (
            np.concatenate(columns) if isinstance(columns[0], np.ndarray) else [v for column in columns for v in column]
        )
    return PageBlock(**joined)


def join_links(blocks: list[LinkBlock]) -> LinkBlock:
    """Concatenate blocks of links."""
    return LinkBlock(
        np.concatenate([block.source for block in blocks]),
        np.concatenate([block.target for block in blocks]),
        np.concatenate([block.anchor for block in blocks]),
    )
