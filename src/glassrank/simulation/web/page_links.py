"""Links between the hosts of the plain web: pages cite good pages of their topic, and hubs list the best."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.page_blocks import keep_first_of_host
from glassrank.simulation.web.pages import Outline

LINKS_PER_PAGE = 4.0
# Shares of ordinary links to a page of the same topic and to the home page of any host; the others lead to any page.
TO_TOPIC, TO_HOME = 0.6, 0.2
MIN_HUB_LINKS, MAX_HUB_LINKS = 12, 30
# Share of a poor hub's links that lead to any page instead of its topic.
HUB_STRAYS = 0.1
# Citations grow faster than quality, because good pages are found, and so cited, more often.
WORTH_EXPONENT = 1.5


def draw_links(rng: Rng, outline: Outline, n_topics: int) -> tuple[IntArray, IntArray]:
    """Draw the links between hosts, as rows of source and target.

    An ordinary page of topic t cites page j of topic t with probability proportional to quality_j^1.5. A share
    hub_quality_i of hub i's links leads to the topic's authorities, again by quality^1.5; the others lead to any page
    of the topic. No two pages of a host cite the same page of another host, so that only mirrors do that.
    """
    hubs, pages = rng.spawn(2)
    lists = _hub_links(hubs, outline, n_topics)
    others = _page_links(pages, outline, n_topics)
    source, target = (np.concatenate(ends) for ends in zip(lists, others, strict=True))
    return keep_first_of_host(source, target, outline.host)


def _hub_links(rng: Rng, outline: Outline, n_topics: int) -> tuple[IntArray, IntArray]:
    hubs = np.flatnonzero(outline.role == "hub")
    n_links = rng.integers(MIN_HUB_LINKS, MAX_HUB_LINKS, len(hubs), endpoint=True)
    source = np.repeat(hubs, n_links)
    chance = rng.random(len(source))
    to_best = chance < outline.hub_quality[source]
    worth = outline.quality**WORTH_EXPONENT
    best = pick_by_worth(rng, np.where(outline.role == "authority", worth, 0.0), outline.topic, n_topics, source)
    # The other links of a hub lead to pages of its topic regardless of their quality.
    listed = (outline.role != "navigation").astype(np.float64)
    any_of_topic = pick_by_worth(rng, listed, outline.topic, n_topics, source)
    target = np.where(to_best, best, any_of_topic)
    stray = rng.random(len(source)) < HUB_STRAYS * (1 - outline.hub_quality[source])
    return source, np.where(stray, rng.integers(len(outline.role), size=len(source)), target)


def _page_links(rng: Rng, outline: Outline, n_topics: int) -> tuple[IntArray, IntArray]:
    count, n_languages = len(outline.role), int(outline.language.max()) + 1
    n_links = np.where(outline.role == "hub", 0, rng.geometric(1 / (1 + LINKS_PER_PAGE), count) - 1)
    source = np.repeat(np.arange(count), n_links)
    worth = np.where(outline.role == "navigation", 0.1, 1.0) * outline.quality**WORTH_EXPONENT
    same_topic = pick_by_worth(rng, worth, outline.topic, n_topics, source)
    # Whatever the topic, home pages are of the same language.
    own_language = pick_by_worth(rng, worth * (outline.local == 0), outline.language, n_languages, source)
    home = outline.home[own_language]
    anywhere = pick_by_worth(rng, worth, np.zeros(count, dtype=np.int64), 1, source)
    chance = rng.random(len(source))
    topical = (chance < TO_TOPIC) & (outline.topic[source] >= 0)
    return source, np.where(topical, same_topic, np.where(chance < TO_TOPIC + TO_HOME, home, anywhere))


def pick_by_worth(rng: Rng, worth: FloatArray, kind: IntArray, n_kinds: int, source: IntArray) -> IntArray:
    """Pick a page of the same kind (topic or language) for each source, in proportion to ``worth``.

    A source of kind −1 gets a page of kind 0.
    """
    order = np.argsort(kind, kind="stable")
    reached = np.cumsum(worth[order])
    starts = np.searchsorted(kind[order], np.arange(n_kinds + 1))
    before = np.concatenate([[0.0], reached])[starts]
    own = np.maximum(kind[source], 0)
    low, high = before[own], before[own + 1]
    place = np.searchsorted(reached, low + rng.random(len(source)) * (high - low), side="right")
    # Rounding may go past the last page of the kind with positive worth.
    return order[np.minimum(place, starts[own + 1] - 1)]
