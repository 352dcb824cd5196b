"""Pages of the plain web: their place on the host, their topic, role and quality."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import language_numbers, write_in
from glassrank.simulation.web.lexicon import Lexicon
from glassrank.simulation.web.page_blocks import PageBlock
from glassrank.simulation.web.running_text import TextRecipe, TopicVocabulary, draw_lengths, write_phrases, write_texts
from glassrank.simulation.web.sites import Site, draw_host_sizes

# Share of the pages of a host with a topic that are about that topic; the others are about any topic.
ON_HOST_TOPIC = 0.75
PAGES_PER_SECTION = 8
MAX_SECTIONS = 6
AUTHORITY_SHARE = HUB_SHARE = 0.05
MIN_PER_ROLE, MAX_PER_ROLE = 3, 20
# Shares of the pages that name their topic often, sometimes and rarely; the last are hard to find by its name.
NAMING_SHARES = (0.35, 0.35, 0.3)
# A hub uses more words of its topic than other pages.
HUB_FOCUS = 1.3
# Share of the pages with a second topic, and the largest share of their words about it.
SIDE_SHARE, MAX_SIDE = 0.3, 0.2


@dataclass(frozen=True, eq=False)
class Outline:
    """The pages of the plain web before their texts are written."""

    host: IntArray
    local: IntArray
    """Number of the page on its host: 0 for the home page, followed by the sections and the other pages."""
    section: IntArray
    """Row of the section page above each page, or of the home page if there is none."""
    home: IntArray
    """Row of the home page of each page's host."""
    language: IntArray
    """Number of the language of each page, which is that of its host."""
    topic: IntArray
    role: Any
    quality: FloatArray
    hub_quality: FloatArray


def draw_outline(rng: Rng, sites: list[Site], n_pages: int, lexicon: Lexicon) -> Outline:
    """Draw the place, topic, role and quality of each page."""
    sizes = draw_host_sizes(rng, len(sites), n_pages)
    host, first = np.repeat(np.arange(len(sites)), sizes), np.cumsum(sizes) - sizes
    local = np.arange(n_pages) - first[host]
    n_sections = np.minimum(MAX_SECTIONS, (sizes - 1) // PAGES_PER_SECTION)
    is_section = (local > 0) & (local <= n_sections[host])
    below = np.where(n_sections[host] > 0, 1 + (local % np.maximum(n_sections[host], 1)), 0)
    section = first[host] + np.where((local == 0) | is_section, 0, below)
    main = np.array([site.topic for site in sites])[host]
    stays = (rng.random(n_pages) < ON_HOST_TOPIC) & (main >= 0) | (local == 0) | is_section
    language = language_numbers([site.language for site in sites])[host]
    n_topics = len(lexicon.topics)
    topic = np.where(stays, main, lexicon.in_language(rng.integers(n_topics, size=n_pages), language))
    reputation = np.exp(0.6 * rng.standard_normal(len(sites)))
    quality = reputation[host] * np.exp(0.8 * rng.standard_normal(n_pages))
    role = np.where(local == 0, "home", np.where(is_section, "navigation", "page")).astype(object)
    hub_quality = _assign_roles(rng, role, topic, host, quality, n_topics)
    return Outline(host, local, section, first[host], language, topic, role, quality, hub_quality)


def _assign_roles(
    rng: Rng, role: Any, topic: IntArray, host: IntArray, quality: FloatArray, n_topics: int
) -> FloatArray:
    """Make the best pages of each topic authorities and some pages of different hosts hubs; return the hub quality."""
    hub_quality = np.zeros(len(role))
    for number in range(n_topics):
        rows = np.flatnonzero((topic == number) & (role != "navigation"))
        n_best = int(np.clip(round(AUTHORITY_SHARE * len(rows)), min(MIN_PER_ROLE, len(rows)), MAX_PER_ROLE))
        best = rows[np.argsort(-quality[rows], kind="stable")[:n_best]]
        role[best] = "authority"
        others = rng.permutation(rows[role[rows] == "page"])
        one_per_host = others[np.sort(np.unique(host[others], return_index=True)[1])]
        n_hubs = int(np.clip(round(HUB_SHARE * len(rows)), MIN_PER_ROLE, MAX_PER_ROLE))
        hubs = one_per_host[:n_hubs]
        role[hubs] = "hub"
        hub_quality[hubs] = rng.beta(3.0, 2.0, len(hubs))
    return hub_quality


def write_pages(
    rng: Rng, vocabulary: TopicVocabulary, sites: list[Site], outline: Outline, lexicon: Lexicon
) -> PageBlock:
    """Write addresses, titles, headings and texts."""
    texts, titles, places = rng.spawn(3)
    recipe = _recipe(texts, outline, lexicon)
    written = write_texts(texts, vocabulary, recipe)
    h1, headings, title = _titles(titles, vocabulary, sites, outline)
    url = _addresses(places, vocabulary, sites, outline)
    return PageBlock(
        sites, outline.host, url, title, h1, headings, written,
        outline.topic, np.full(len(url), -1), outline.role, outline.quality, outline.hub_quality,
    )  # fmt: skip


def _recipe(rng: Rng, outline: Outline, lexicon: Lexicon) -> TextRecipe:
    count, n_topics, language = len(outline.role), len(lexicon.topics), outline.language
    n_words = draw_lengths(rng, count)
    focus = np.where(outline.topic >= 0, 0.45 * rng.beta(2.0, 4.0, count) + 0.02, 0.0)
    focus *= np.where(outline.role == "hub", HUB_FOCUS, 1.0)
    naming, again = rng.choice(len(NAMING_SHARES), size=(2, count), p=NAMING_SHARES)
    # Authorities name their topic somewhat more often than other pages.
    naming = np.where(outline.role == "authority", np.minimum(naming, again), naming)
    naming[outline.role == "hub"] = 0
    side = np.where(rng.random(count) < SIDE_SHARE, MAX_SIDE * rng.random(count), 0.0)
    side_topic = lexicon.in_language(rng.integers(n_topics, size=count), language)
    return TextRecipe(n_words, language, naming * n_topics + outline.topic, focus, side_topic, side)


def _titles(
    rng: Rng, vocabulary: TopicVocabulary, sites: list[Site], outline: Outline
) -> tuple[list[str], list[str], list[str]]:
    """Return the first-level heading, all headings and the title of each page."""
    count = len(outline.role)
    phrases = write_phrases(rng, vocabulary, outline.topic, outline.language, 2, 5)
    sub_headings = [write_phrases(rng, vocabulary, outline.topic, outline.language, 2, 4) for _ in range(3)]
    n_sub = rng.integers(0, 4, count).tolist()
    signed, greeting = rng.random(count) < 0.6, rng.integers(4, size=count)
    h1, headings, titles = [], [], []
    for row, (phrase, host) in enumerate(zip(phrases, outline.host.tolist(), strict=True)):
        name, code, heading = sites[host].name, sites[host].language, phrase.capitalize()
        if outline.local[row] == 0:
            welcome, official = write_in("welcome to", code).capitalize(), write_in("official site", code)
            heading = (name, f"{welcome} {name}", f"{name}: {official}", f"{name} - {phrase}")[greeting[row]]
        h1.append(heading)
        headings.append(" ".join([heading, *(part[row].capitalize() for part in sub_headings[: n_sub[row]])]))
        titles.append(f"{heading} - {name}" if signed[row] and outline.local[row] else heading)
    return h1, headings, titles


def _addresses(rng: Rng, vocabulary: TopicVocabulary, sites: list[Site], outline: Outline) -> list[str]:
    """Return addresses in the style of each host: files, folders or numbers."""
    phrases = write_phrases(rng, vocabulary, outline.topic, outline.language, 1, 3)
    slugs = [quote(phrase.replace(" ", "-")) for phrase in phrases]
    style = rng.integers(3, size=len(sites)).tolist()
    secure = (rng.random(len(sites)) < 0.8).tolist()
    roots = [f"{'https' if safe else 'http'}://{site.host}/" for safe, site in zip(secure, sites, strict=True)]
    urls: list[str] = []
    for row, (host, local) in enumerate(zip(outline.host.tolist(), outline.local.tolist(), strict=True)):
        above = roots[host] if local == 0 else urls[outline.section[row]]
        if local == 0:
            urls.append(above)
        elif outline.role[row] == "navigation":
            urls.append(f"{above}{slugs[row]}-{local}/")
        else:
            ending = (f"{slugs[row]}-{local}.html", f"{slugs[row]}-{local}/", f"page?id={local}")[style[host]]
            urls.append(above + ending)
    return urls
