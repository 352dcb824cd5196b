"""The base tables of a log, which all its features share and an engine builds once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from glassrank.core.checks import IntArray
from glassrank.data.engine import Engine
from glassrank.data.hosts import comparable_address
from glassrank.navigational.features.log.event_tables import (
    clicked_addresses,
    count_positions,
    count_users,
    distinct_rows,
    find_visits,
    number_after,
    number_events,
    pick_clicks,
    pick_impressions,
    pick_issued,
    pick_searches,
)
from glassrank.navigational.features.log.log_words import LogWords
from glassrank.navigational.features.log.numbered_queries import number_queries, parts_of
from glassrank.navigational.features.log.reformulations import issued_terms
from glassrank.navigational.features.log_source import LogFacts, Table, hand_over


@dataclass(frozen=True, eq=False)
class AskedQueries:
    """The distinct queries and addresses of the results, and their numbers in each row."""

    queries: Sequence[str]
    tokens: Sequence[Sequence[str]]
    urls: Sequence[str]
    query_of: IntArray
    url_of: IntArray
    comparable: Callable[[str], str] = comparable_address
    """Returns the form in which the addresses of the log are compared; those of the results have it already."""


@dataclass(frozen=True, eq=False)
class BaseTables:
    """Tables with numbers of queries and addresses, those of the results first; None if the log lacks the data."""

    clicks: Table
    """Clicks for the results' queries, and on their addresses."""
    impressions: Table | None
    """Impressions of the results' addresses for their queries."""
    searches: Table | None
    """Searches for the results' queries, if lists and times are known."""
    issues: Table | None
    """User, term and time of issued queries, if users and times are known."""
    terms: Table | None
    """Terms of the results' queries."""
    users: Table | None
    """Number of users with any event of each of the results' queries."""
    positions: Table | None
    """Clicks and impressions of the whole log at each position."""
    addresses: Table
    """Address → number."""
    names: Table
    """Normalised query → number."""


def make_base_tables(
    engine: Engine, log: Table, facts: LogFacts, asked: AskedQueries, words: LogWords, part: int
) -> BaseTables:
    """Number the queries in one pass over the log, keep the relevant events in another, and derive the tables."""
    has_moments = facts.held.issuperset({"user", "time"})
    queries = number_queries(engine, log, facts, words, with_terms=has_moments, part=part)
    events = _keep_events(engine, log, queries.keys, facts, len(asked.queries))
    events = _respell(engine, events, asked.comparable, part)
    urls = {"url": np.array(asked.urls, dtype=object), "place": np.arange(len(asked.urls))}
    wanted = hand_over(engine, urls, "wanted_urls")
    n_queries, n_urls = len(asked.queries), len(asked.urls)
    clicked = engine.number(clicked_addresses(events, wanted, n_queries), "number")
    clicked = engine.materialise(clicked, "clicked_addresses")
    addresses = engine.materialise(number_after(clicked, wanted, "url", n_urls, "address"), "addresses")

    def kept(name: str, table: Table | None) -> Table | None:
        return None if table is None else engine.materialise(table, name)

    tables = BaseTables(
        clicks=engine.materialise(pick_clicks(events, addresses, n_queries, n_urls), "clicks"),
        impressions=kept("impressions", pick_impressions(events, wanted, n_queries) if facts.n_impressions else None),
        searches=kept("searches", _searches(events, facts, n_queries)),
        issues=kept("issues", _issues(events, facts, queries.terms)),
        terms=queries.terms,
        users=kept("query_users", count_users(events, n_queries) if "user" in facts.columns else None),
        positions=kept("positions", count_positions(log) if "position" in facts.columns else None),
        addresses=addresses,
        names=queries.names,
    )
    passing = ("events", "respelt_events", "query_keys", "clicked_addresses")
    engine.drop(*(name for name in engine.names if name in passing))
    return tables


def _keep_events(engine: Engine, log: Table, query_keys: Table, facts: LogFacts, n_queries: int) -> Table:
    """Keep events of the results' queries; of other queries, clicks on results and what a user searches next."""
    asks_next = facts.n_searches and facts.held.issuperset({"user", "time"})
    others = ("click", "search") if asks_next else ("click",)
    if not facts.has_visits:
        return engine.materialise(number_events(log, query_keys, None, n_queries, others), "events")
    visits = engine.materialise(find_visits(log), "visits")
    events = engine.materialise(number_events(log, query_keys, visits, n_queries, others), "events")
    engine.drop("visits")
    return events


def _respell(engine: Engine, events: Table, comparable: Callable[[str], str], part: int) -> Table:
    """Write equivalent addresses the same way; engines cannot, so ``part`` distinct ones at a time are in memory."""
    distinct = engine.materialise(engine.number(distinct_rows(events, "url"), "number"), "distinct_urls")
    other = []
    for place, columns in enumerate(parts_of(engine, distinct, "number", part)):
        pairs = [(url, form) for url in columns["url"] if (form := comparable(url)) != url]
        if pairs:
            spellings = {"url": [url for url, _ in pairs], "form": [form for _, form in pairs]}
            arrays = {name: np.array(texts, dtype=object) for name, texts in spellings.items()}
            other.append(hand_over(engine, arrays, f"spellings_{place}"))
    if other:
        joined = events.join(nw.concat(other, how="vertical"), on="url", how="left")
        written = nw.when(nw.col("form").is_null()).then(nw.col("url")).otherwise(nw.col("form"))
        events = engine.materialise(joined.with_columns(written.alias("url")).drop("form"), "respelt_events")
    engine.drop(*(name for name in engine.names if name == "distinct_urls" or name.startswith("spellings_")))
    return events


def _searches(events: Table, facts: LogFacts, n_queries: int) -> Table | None:
    if not facts.held.issuperset({"lists", "time", "searches"}):
        return None
    return pick_searches(events, n_queries, tuple(dict.fromkeys((*facts.list_keys, "query", "time"))))


def _issues(events: Table, facts: LogFacts, terms: Table | None) -> Table | None:
    action = "search" if facts.n_searches else "click"
    return None if terms is None else issued_terms(pick_issued(events, action), terms)
