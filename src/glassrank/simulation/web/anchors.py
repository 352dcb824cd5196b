"""Anchor texts: what a linking page calls the linked page."""

from typing import Any

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.data.web.readable_address import readable_host
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import language_numbers, write_in
from glassrank.simulation.web.running_text import TopicVocabulary, write_phrases
from glassrank.simulation.web.sites import Site

EMPTY_PHRASES = ("here", "click here", "more", "this page", "link", "read more", "website")
# Shares of the ways to name a home page and other pages.
HOME_WAYS = {"site": 0.7, "host": 0.1, "title": 0.1, "phrase": 0.05, "empty": 0.05}
PAGE_WAYS = {"site": 0.08, "host": 0.02, "title": 0.45, "phrase": 0.33, "empty": 0.12}


def draw_anchors(
    rng: Rng,
    vocabulary: TopicVocabulary,
    target: IntArray,
    *,
    site: list[Site],
    title: list[str],
    topic: IntArray,
    is_home: Any,
) -> Any:
    """Draw a text for each link; ``site``, ``title``, ``topic`` and ``is_home`` have one entry per page.

    A home page is mostly called by the name of its site, and any other page by its title or words of its topic.
    """
    chance = rng.random(len(target))
    steps = np.array([np.cumsum(list(ways.values())) for ways in (PAGE_WAYS, HOME_WAYS)])
    way = (chance[:, None] >= steps[is_home[target].astype(np.int64)][:, :-1]).sum(axis=1)
    spoken = language_numbers([one.language for one in site])[target]
    phrases = write_phrases(rng, vocabulary, topic[target], spoken, 1, 3)
    empty = rng.integers(len(EMPTY_PHRASES), size=len(target)).tolist()
    anchors = np.empty(len(target), dtype=object)
    for link, (kind, page) in enumerate(zip(way.tolist(), target.tolist(), strict=True)):
        if kind == 0:
            anchors[link] = site[page].name
        elif kind == 1:
            anchors[link] = readable_host(site[page].host)
        elif kind == 2:
            anchors[link] = title[page]
        else:
            anchors[link] = phrases[link] if kind == 3 else write_in(EMPTY_PHRASES[empty[link]], site[page].language)
    return anchors
