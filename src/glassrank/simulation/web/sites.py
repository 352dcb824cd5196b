"""Hosts of the simulated web: their names and matching domains."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.invented_words import invent_words
from glassrank.simulation.web.languages import ENGLISH, host_label, national_suffix, write_in
from glassrank.simulation.web.lexicon import SimulatedTopic

# Public suffixes, and how often each is used.
SUFFIXES = {
    "com": 0.42, "org": 0.12, "net": 0.08, "co.uk": 0.09, "org.uk": 0.03, "ac.uk": 0.02, "com.au": 0.04,
    "de": 0.06, "fr": 0.03, "edu": 0.04, "io": 0.03, "co.jp": 0.02, "co.nz": 0.02,
}  # fmt: skip
# Languages that sites in English state under these suffixes, although they are in English.
STATED_LANGUAGES = {"de": "de", "fr": "fr", "co.jp": "ja"}
SECOND_WORDS = ("media", "online", "group", "shop", "news", "world", "club", "bank", "college", "travel", "systems")
TOPICAL_WORDS = ("guide", "world", "club", "centre", "society", "review", "online", "library")
SUB_DOMAINS = ("blog", "news", "shop", "forum", "wiki", "docs", "support", "archive")
WITH_SUB_DOMAIN = 0.12
NAMED_AFTER_TOPIC = 0.25
TWO_WORDS = 0.4
GENERAL_HOSTS = 0.15


@dataclass(frozen=True)
class Site:
    """A host with its name, domain and topic."""

    name: str
    """Name of the site, as in a search query, in title case."""
    host: str
    domain: str
    """Registered domain: the public suffix and one label."""
    topic: int
    """Number of the main topic, −1 for a site about anything."""
    kind: str
    """``"plain"``, ``"drift"``, ``"mirror"`` or ``"spam"``."""
    language: str = ENGLISH
    """Code of the language of its name and pages."""


@dataclass(frozen=True, eq=False)
class SiteNames:
    """Names and domains of sites that have no host yet."""

    names: list[str]
    domains: list[str]
    www: list[bool]


def draw_sites(rng: Rng, n_hosts: int, topics: tuple[SimulatedTopic, ...]) -> list[Site]:
    """Draw the hosts of the plain web; each topic has its own hosts, and some hosts have no topic."""
    topic, language = _draw_topics(rng, n_hosts, topics)
    named = draw_names(rng, language, "site", [_topical_name(rng, topics, t) for t in topic.tolist()])
    is_sub = rng.random(n_hosts) < WITH_SUB_DOMAIN
    parents, labels = rng.integers(n_hosts, size=n_hosts), rng.integers(len(SUB_DOMAINS), size=n_hosts)
    sites: dict[str, Site] = {}
    for number, (name, domain) in enumerate(zip(named.names, named.domains, strict=True)):
        host, parent = f"www.{domain}" if named.www[number] else domain, int(parents[number])
        if is_sub[number] and not is_sub[parent] and language[number] == language[parent]:
            label = SUB_DOMAINS[labels[number]]
            taken = f"{label}.{named.domains[parent]}"
            # If two sub-domains have the same label and parent, the second keeps its own domain.
            if taken not in sites:
                added = write_in(label, language[number]).title()
                host, domain, name = taken, named.domains[parent], f"{named.names[parent]} {added}"
        sites[host] = Site(name, host, domain, int(topic[number]), "plain", language[number])
    return list(sites.values())


def _draw_topics(rng: Rng, n_hosts: int, topics: tuple[SimulatedTopic, ...]) -> tuple[IntArray, list[str]]:
    """Assign topics and their languages evenly, then remove some topics, but never from the first host of a topic."""
    topic = rng.permutation(np.arange(n_hosts) % len(topics))
    language = [topics[number].language for number in topic.tolist()]
    general = rng.random(n_hosts) < GENERAL_HOSTS
    spared = np.unique(topic, return_index=True)[1]
    general[spared] = False
    return np.where(general, -1, topic), language


def _topical_name(rng: Rng, topics: tuple[SimulatedTopic, ...], topic: int) -> str:
    """Return a name with one of the topic's first words; '' for a site with another kind of name."""
    chance, word, second = rng.random(), int(rng.integers(6)), int(rng.integers(len(TOPICAL_WORDS)))
    if topic < 0 or chance >= NAMED_AFTER_TOPIC:
        return ""
    return f"{topics[topic].words[word]} {write_in(TOPICAL_WORDS[second], topics[topic].language)}"


def draw_names(rng: Rng, languages: list[str], kind: str, wished: list[str] | None = None) -> SiteNames:
    """Draw a unique site name in each of these languages, and domains made of the names.

    If two sites wish for the same name, the first one gets it. The domain is the name in Latin letters, as invented, or
    in Punycode if the name was wished for in other letters.
    """
    count = len(languages)
    invented = invent_words(rng, count, kind)
    two, second = rng.random(count) < TWO_WORDS, rng.integers(len(SECOND_WORDS), size=count)
    hyphen, www = rng.random(count) < 0.25, rng.random(count) < 0.65
    suffix = rng.choice(list(SUFFIXES), size=count, p=list(SUFFIXES.values())).tolist()
    # Name → the same in the letters of the domain.
    names: dict[str, str] = {}
    for number, word in enumerate(invented):
        name = latin = wished[number] if wished else ""
        if not name or name.title() in names:
            latin = f"{word} {SECOND_WORDS[second[number]]}" if two[number] else word
            name = write_in(latin, languages[number])
        names[name.title()] = latin
    labels = [host_label(name.replace(" ", "-" if h else "")) for name, h in zip(names.values(), hyphen, strict=True)]
    ends = map(national_suffix, suffix, languages)
    domains = [f"{label}.{end}" for label, end in zip(labels, ends, strict=True)]
    return SiteNames(list(names), domains, www.tolist())


def draw_host_sizes(rng: Rng, n_hosts: int, n_pages: int) -> IntArray:
    """Distribute the pages: each host has at least one, and a few hosts have many."""
    weights: FloatArray = rng.pareto(1.3, n_hosts) + 0.3
    return 1 + rng.multinomial(n_pages - n_hosts, weights / weights.sum())
