"""Draws queries and what their users want: the home page of a site, or good pages about a topic."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, read_only
from glassrank.simulation.log.phrases import draw_phrases
from glassrank.simulation.log.spellings import OPEN_SPELLINGS, NameQueries, draw_names
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.simulated_web import SimulatedWeb

# At ambiguity 1: share of the open names that are ambiguous, and share of the informational queries that are names.
AMBIGUOUS_NAVIGATIONAL, AMBIGUOUS_INFORMATIONAL = 0.4, 0.08
# At ambiguity 1, up to this share of a clear query's users want something unusual for it.
STRAY_USERS = 0.15
# For an ambiguous query, the majority intent has a share of one half plus up to this much.
MAX_LEAN = 0.4


@dataclass(frozen=True, eq=False, repr=False)
class QueryTruth:
    """The truth about each query; a query is navigational if most of its users want one site's home page."""

    ids: tuple[str, ...]
    queries: tuple[str, ...]
    intents: IntArray
    """1 for a navigational query, 0 for an informational one."""
    navigational_share: FloatArray
    """Share of the users who want the home page of ``sites``; the others want good pages about ``topics``."""
    sites: IntArray
    """Index of the site in ``web.sites``."""
    topics: IntArray
    """Number of the topic, −1 if the site has none; then the other users want any page of the site."""
    spellings: tuple[str, ...]
    """How the site's name is spelt; ``"topic"`` for words of a topic."""
    languages: tuple[str, ...]
    """Code of the language of the site and the topic, in which the query is written."""
    wanted: tuple[IntArray, ...]
    """Rows of the pages that most users want: the home page, or the topic's authorities and hubs."""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        n_navigational = int(self.intents.sum())
        return f"QueryTruth({n_navigational:,} navigational, {len(self) - n_navigational:,} informational)"

    @cached_property
    def is_name(self) -> Any:
        """Whether each query is the name of a site, regardless of its users' intents."""
        return read_only(np.array([spelling != "topic" for spelling in self.spellings], dtype=bool))


def draw_queries(
    streams: list[Rng], web: SimulatedWeb, n_queries: int, navigational: float, ambiguity: float
) -> QueryTruth:
    """Draw queries: names for the navigational ones; topic words or, if ambiguous, names for the others."""
    name_rng, phrase_rng, intent_rng = streams
    n_navigational = round(navigational * n_queries)
    intents = (intent_rng.permutation(n_queries) < n_navigational).astype(np.int64)
    chance = intent_rng.random(n_queries)
    names = draw_names(name_rng, web)
    navigational_rows, others = np.flatnonzero(intents), np.flatnonzero(intents == 0)
    _check_names(n_navigational, len(names))
    phrases, topics_of_phrases = draw_phrases(phrase_rng, web, len(others), set(names.texts))
    texts, spellings = np.empty(n_queries, dtype=object), np.full(n_queries, "topic", dtype=object)
    sites, topics = np.full(n_queries, -1), np.full(n_queries, -1)
    texts[others], topics[others] = phrases, topics_of_phrases
    sites[others] = best_site_of_topic(web)[topics_of_phrases]
    # The order is fixed, so that a stronger dial only adds ambiguous queries.
    turned = others[np.argsort(chance[others], kind="stable")]
    turned = turned[: round(min(1.0, AMBIGUOUS_INFORMATIONAL * ambiguity) * len(others))]
    topical = _topical_names(names, web, n_navigational)
    _check_topical(len(turned), len(topical))
    for rows, places in ((navigational_rows, np.arange(n_navigational)), (turned, topical[: len(turned)])):
        texts[rows] = [names.texts[place] for place in places]
        spellings[rows] = [names.spellings[place] for place in places]
        sites[rows] = names.sites[places]
        topics[rows] = np.array([web.sites[site].topic for site in names.sites[places]], dtype=np.int64)
    open_name = np.isin(spellings, OPEN_SPELLINGS)
    ambiguous = open_name & ((intents == 0) | (chance < AMBIGUOUS_NAVIGATIONAL * ambiguity))
    return QueryTruth(
        tuple(f"q{number:0{len(str(n_queries))}d}" for number in range(1, n_queries + 1)),
        tuple(texts),
        read_only(intents),
        read_only(_draw_shares(intent_rng, intents, ambiguous, ambiguity)),
        read_only(sites),
        read_only(topics),
        tuple(spellings),
        tuple(web.sites[site].language for site in sites.tolist()),
        _wanted(web, intents, sites, topics),
    )


def _draw_shares(rng: Rng, intents: IntArray, ambiguous: Any, ambiguity: float) -> FloatArray:
    """Draw the share of the users who want the site's home page."""
    stray = STRAY_USERS * min(1.0, ambiguity) * rng.beta(1.0, 3.0, len(intents))
    lean = MAX_LEAN * rng.beta(1.5, 1.5, len(intents))
    usual = np.where(ambiguous, 0.5 + lean, 1.0 - stray)
    return np.where(intents == 1, usual, 1.0 - usual)


def _topical_names(names: NameQueries, web: SimulatedWeb, first: int) -> IntArray:
    """Return the indices, from ``first`` on, of open names whose site has a topic."""
    return np.array(
        [
            place
            for place in range(first, len(names))
            if names.spellings[place] in OPEN_SPELLINGS and web.sites[names.sites[place]].topic >= 0
        ],
        dtype=np.int64,
    )


def best_site_of_topic(web: SimulatedWeb) -> IntArray:
    """Return the plain site with the best home page for each topic."""
    topic = np.array([site.topic if site.kind == "plain" else -1 for site in web.sites])
    quality = web.quality[web.homes]
    return np.array(
        [np.argmax(np.where(topic == number, quality, -1.0)) for number in range(len(web.topics))], dtype=np.int64
    )


def _wanted(web: SimulatedWeb, intents: IntArray, sites: IntArray, topics: IntArray) -> tuple[IntArray, ...]:
    best = [read_only(np.flatnonzero(web.judgements(number) == 2)) for number in range(len(web.topics))]
    homes = web.homes.tolist()
    return tuple(
        read_only(np.array([homes[site]])) if intent else best[topic]
        for intent, site, topic in zip(intents.tolist(), sites.tolist(), topics.tolist(), strict=True)
    )


def _check_names(wanted: int, available: int) -> None:
    if wanted > available:
        raise DataError(
            f"web must have a name for each navigational query: expected {wanted} or more, got {available}, counting "
            "all spellings.",
            parameter="web",
            remedy="Use a web with more hosts.",
        )


def _check_topical(wanted: int, available: int) -> None:
    if wanted > available:
        raise DataError(
            f"ambiguity needs {wanted} site names that can mean a topic: got {available}.",
            parameter="ambiguity",
            got=available,
            remedy="Use a web with more hosts, or less ambiguity.",
        )
