"""Links within a host: the tree of its pages, and the navigation bar of every page."""

from typing import Any

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.web.languages import LANGUAGES, write_in
from glassrank.simulation.web.page_blocks import LinkBlock
from glassrank.simulation.web.pages import MAX_SECTIONS, Outline

# Above strength 1, each page also links to this many of the following pages per additional unit.
NEXT_PAGES = 5


def link_tree(outline: Outline, h1: list[str]) -> LinkBlock:
    """Link each home page to its sections and each section to its pages."""
    below = np.flatnonzero(outline.local > 0)
    return LinkBlock(outline.section[below], below, np.array(h1, dtype=object)[below])


def link_navigation(outline: Outline, h1: list[str], strength: float) -> LinkBlock:
    """Link each page to its home page, to sections of its host and, above strength 1, to the following pages."""
    inner = np.flatnonzero(outline.local > 0)
    none = np.zeros(0, dtype=np.int64)
    sources, targets = ([inner], [outline.home[inner]]) if strength > 0 else ([none], [none])
    n_sections = np.bincount(outline.home, outline.role == "navigation", len(outline.role))[outline.home]
    for number in range(1, min(MAX_SECTIONS, round(MAX_SECTIONS * strength)) + 1):
        # The home page's links to its sections are part of the tree.
        linking = inner[(n_sections[inner] >= number) & (outline.local[inner] != number)]
        sources.append(linking)
        targets.append(outline.home[linking] + number)
    for ahead in range(1, round(NEXT_PAGES * max(strength - 1, 0)) + 1):
        linking = _pages_with_follower(outline, inner, ahead)
        sources.append(linking)
        targets.append(linking + ahead)
    return _links(np.concatenate(sources), np.concatenate(targets), outline, h1)


def _pages_with_follower(outline: Outline, inner: IntArray, ahead: int) -> IntArray:
    """Return the pages, without sections, whose host has a page ``ahead`` places after them."""
    content = inner[outline.role[inner] != "navigation"]
    content = content[content + ahead < len(outline.host)]
    return content[outline.host[content] == outline.host[content + ahead]]


def _links(source: IntArray, target: IntArray, outline: Outline, h1: list[str]) -> LinkBlock:
    anchor: Any = np.array(h1, dtype=object)[target]
    to_home = outline.local[target] == 0
    called = np.array([write_in("home", code).capitalize() for code in LANGUAGES], dtype=object)
    anchor[to_home] = called[outline.language[target[to_home]]]
    return LinkBlock(source, target, anchor)
