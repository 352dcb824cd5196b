"""Spam farms: many hosts full of the query's words that all link to one page."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import host_label, language_numbers, write_in
from glassrank.simulation.web.lexicon import WORDS_PER_TOPIC, Lexicon
from glassrank.simulation.web.page_blocks import LinkBlock, PageBlock, scaled
from glassrank.simulation.web.running_text import (
    TextRecipe,
    TopicVocabulary,
    draw_lengths,
    make_vocabulary,
    write_phrases,
    write_texts,
)
from glassrank.simulation.web.sites import Site, draw_names

# At strength 1: share of the topics that are attacked, and hosts per farm, with one page each.
ATTACKED_SHARE = 0.3
HOSTS_PER_FARM = 12
# The hosts of a farm are sub-domains of this many domains.
DOMAINS_PER_FARM = 3
# Number of topic words that a stuffed page repeats, and their share of its words.
STUFFED_WORDS, STUFFING = 15, 0.4
MEDIAN_WORDS = 120
# Each page of a farm also links to this many other pages of the farm and, as camouflage, to this many authorities.
RING, CAMOUFLAGE = 3, 2
LURES = ("best", "cheap", "free", "top", "buy", "discount")


def draw_spam(rng: Rng, lexicon: Lexicon, plain: PageBlock, strength: float, start: int) -> tuple[PageBlock, LinkBlock]:
    """Draw the farms and their links; ``start`` is the row of their first page, which is a target."""
    n_topics = len(lexicon.topics)
    attacked = rng.permutation(n_topics)[: scaled(ATTACKED_SHARE * n_topics, strength, minimum=1)]
    n_hosts = scaled(HOSTS_PER_FARM, strength, minimum=2)
    pages, links = rng.spawn(2)
    block = _write(pages, lexicon, attacked, n_hosts)
    return block, _draw_links(links, lexicon, plain, attacked, n_hosts, start)


def _stuffed(lexicon: Lexicon) -> TopicVocabulary:
    few = np.tile(lexicon.topic_words[:, :STUFFED_WORDS], (1, WORDS_PER_TOPIC // STUFFED_WORDS))
    return make_vocabulary(lexicon, few)


def _write(rng: Rng, lexicon: Lexicon, attacked: IntArray, n_hosts: int) -> PageBlock:
    """Write the target and then the pages of each farm."""
    vocabulary = _stuffed(lexicon)
    aim = np.repeat(attacked, 1 + n_hosts)
    is_target = np.tile(np.arange(1 + n_hosts) == 0, len(attacked))
    sites = _sites(rng, lexicon, attacked, n_hosts)
    count, language = len(aim), language_numbers([site.language for site in sites])
    n_words = draw_lengths(rng, count, MEDIAN_WORDS)
    none = np.zeros(count)
    text = write_texts(rng, vocabulary, TextRecipe(n_words, language, aim, np.full(count, STUFFING), aim, none))
    lures = rng.integers(len(LURES), size=count).tolist()
    phrases = write_phrases(rng, vocabulary, aim, language, 2, 6)
    title = [
        f"{write_in(LURES[lure], site.language)} {phrase}".title()
        for lure, phrase, site in zip(lures, phrases, sites, strict=True)
    ]
    role = np.where(is_target, "spam target", "spam").astype(object)
    return PageBlock(
        sites, np.arange(count), [f"http://{site.host}/" for site in sites], title, title, title, text,
        np.full(count, -1), aim, role, none, none,
    )  # fmt: skip


def _sites(rng: Rng, lexicon: Lexicon, attacked: IntArray, n_hosts: int) -> list[Site]:
    codes = [lexicon.topics[topic].language for topic in attacked.tolist()]
    named = draw_names(rng, [code for code in codes for _ in range(1 + DOMAINS_PER_FARM)], "spam")
    lures = rng.integers(len(LURES), size=(len(attacked), max(n_hosts, 1))).tolist()
    sites = []
    for farm, topic in enumerate(attacked.tolist()):
        first = farm * (1 + DOMAINS_PER_FARM)
        word, code = lexicon.topics[topic].words[0], codes[farm]
        sites.append(Site(named.names[first], named.domains[first], named.domains[first], -1, "spam", code))
        for number in range(n_hosts):
            at = first + 1 + number % DOMAINS_PER_FARM
            label = host_label(f"{write_in(LURES[lures[farm][number]], code)}-{word}-{number + 1}")
            sites.append(Site(named.names[at], f"{label}.{named.domains[at]}", named.domains[at], -1, "spam", code))
    return sites


def _draw_links(
    rng: Rng, lexicon: Lexicon, plain: PageBlock, attacked: IntArray, n_hosts: int, start: int
) -> LinkBlock:
    sources, targets, anchors = [], [], []
    for farm, topic in enumerate(attacked.tolist()):
        target = start + farm * (1 + n_hosts)
        pages = target + 1 + np.arange(n_hosts)
        authorities = np.flatnonzero((plain.topic == topic) & (plain.role == "authority"))
        decent = rng.choice(authorities, (n_hosts, min(CAMOUFLAGE, len(authorities))))
        decent[:, 1:] = np.where(decent[:, 1:] == decent[:, :1], -1, decent[:, 1:])  # no duplicate links
        ring = target + 1 + (np.arange(n_hosts)[:, None] + np.arange(1, min(RING, n_hosts - 1) + 1)) % max(n_hosts, 1)
        ends = np.hstack([np.full((n_hosts, 1), target), ring, decent])
        from_pages = np.repeat(pages, ends.shape[1])[ends.ravel() >= 0]
        to_pages = ends.ravel()[ends.ravel() >= 0]
        sources.append(from_pages)
        targets.append(to_pages)
        words = lexicon.topics[topic].query
        anchors.append(np.where(to_pages >= start, words, words.split()[0]).astype(object))
    none = np.zeros(0, dtype=np.int64)
    return LinkBlock(
        np.concatenate([none, *sources]),
        np.concatenate([none, *targets]),
        np.concatenate([np.zeros(0, dtype=object), *anchors]),
    )
