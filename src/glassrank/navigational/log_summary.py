"""A log summed up for the results: base tables made once in an engine, and what comes of them, one value for each row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import narwhals as nw
import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.engine import Engine, open_engine
from glassrank.data.query_log import QueryLog
from glassrank.navigational import click_tables as tables
from glassrank.navigational.addresses import read_host
from glassrank.navigational.asking_anew import count_asked_anew, find_spans, issued_terms
from glassrank.navigational.log_queries import PART, number_queries, parts_of
from glassrank.navigational.log_source import LogFacts, Table, hand_over, open_log
from glassrank.navigational.log_tables import (
    clicked_addresses,
    count_positions,
    count_users,
    find_visits,
    number_after,
    number_events,
    pick_clicks,
    pick_impressions,
    pick_issued,
    pick_searches,
)
from glassrank.navigational.log_words import LogWords
from glassrank.navigational.url_models import ClickedQueries, compare_with_models
from glassrank.navigational.words import numbered


@dataclass(frozen=True, eq=False)
class Asked:
    """What the results ask of a log: their different queries and addresses, and which of them a row has."""

    queries: Sequence[str]
    tokens: Sequence[Sequence[str]]
    urls: Sequence[str]
    query_of: IntArray
    url_of: IntArray


@dataclass(frozen=True, eq=False)
class LogSummary:
    """Sums over a log, one value for each row of the results; what a row has no record of is 0."""

    facts: LogFacts
    sums: Mapping[str, FloatArray]
    clicks_at: Mapping[int, float]
    """Clicks of the whole log at each position."""

    def __getitem__(self, name: str) -> FloatArray:
        return self.sums[name]


def summarise_log(clicks: Any, asked: Asked, engine: str | Engine = "duckdb", *, part: int = PART) -> LogSummary:
    """Sum up a log for the rows of the results; an engine that is given is left with the tables it had.

    ``clicks`` is a QueryLog, or a path or table with its columns: only different queries and addresses come into memory,
    ``part`` of them at a time.

    >>> log = QueryLog(query=["Zen", "zen "], action=["click"] * 2, url=["a", "b"])
    >>> asked = Asked(["zen"], [["zen"]], ["a", "c"], np.array([0, 0]), np.array([0, 1]))
    >>> summary = summarise_log(log, asked)
    >>> summary["n"].tolist(), summary["query_clicks"].tolist()
    ([1.0, 0.0], [2.0, 2.0])
    """
    if not isinstance(engine, Engine):
        with open_engine(engine) as opened:
            return _Summing(opened, asked, clicks, part).run()
    before = set(engine.names)
    try:
        return _Summing(engine, asked, clicks, part).run()
    finally:
        engine.drop(*(name for name in engine.names if name not in before))


class _Summing:
    """The steps from a log to its sums. Base tables: clicks, impressions, and what a feature needs of searches."""

    def __init__(self, engine: Engine, asked: Asked, clicks: Any, part: int) -> None:
        self.engine, self.asked, self.part = engine, asked, part
        self.log, self.facts = open_log(engine, clicks)
        self.n_queries, self.n_urls = len(asked.queries), len(asked.urls)
        self.words = LogWords(asked.queries, asked.tokens)
        keys = asked.query_of * max(self.n_urls, 1) + asked.url_of
        self.keys, self.pair_of = np.unique(keys, return_inverse=True)
        self.sums: dict[str, FloatArray] = {}
        self.clicks_at: dict[int, float] = {}

    def run(self) -> LogSummary:
        has = self.facts.held.issuperset
        self._make_base_tables()
        self._count_clicks()
        self._count_domains()
        self._compare_queries()
        if has({"impressions"}):
            self._take_pairs(tables.count_impressions(self.shown), "impressions")
        if has({"dwell"}):
            self._sum_dwells()
        if has({"sessions"}):
            self._count_sessions()
        if has({"lists", "position"}):
            self._count_neighbours()
        if has({"lists", "time", "searches"}):
            waits = tables.sum_seconds_to_click(self._of_results(self.clicks), self.searches, self.facts.list_keys)
            self._take_pairs(waits, "waits", "wait_sum")
        self.sums["times_issued"] = self.words.times_issued[self.asked.query_of]
        self.sums["chance"] = self.words.chance_of_queries()[self.asked.query_of]
        return LogSummary(self.facts, self.sums, self.clicks_at)

    def _make_base_tables(self) -> None:
        """One pass over the log numbers its queries, another keeps its events; then only base tables are left."""
        engine, facts = self.engine, self.facts
        has_moments = facts.held.issuperset({"user", "time"})
        queries = number_queries(engine, self.log, facts, self.words, with_terms=has_moments, part=self.part)
        visits = engine.run(find_visits, self.log, name="visits") if facts.has_visits else None
        # Of other queries, clicks tell of the results' addresses, and searches what a user asks next.
        others = ("click", "search") if has_moments and facts.n_searches else ("click",)
        events = engine.run(number_events, self.log, queries.keys, visits, self.n_queries, others, name="events")
        engine.drop("query_keys", *(["visits"] if visits is not None else []))
        self.names = queries.names
        urls = {"url": np.array(self.asked.urls, dtype=object), "place": np.arange(self.n_urls)}
        wanted = hand_over(engine, urls, "wanted_urls")
        clicked = engine.number(clicked_addresses(events, wanted, self.n_queries), "number")
        clicked = engine.materialise(clicked, "clicked_addresses")
        self.addresses = engine.run(number_after, clicked, wanted, "url", self.n_urls, "address", name="addresses")
        self.clicks = engine.run(pick_clicks, events, self.addresses, self.n_queries, self.n_urls, name="clicks")
        if facts.n_impressions:
            self.shown = engine.run(pick_impressions, events, wanted, self.n_queries, name="impressions")
        if facts.held.issuperset({"lists", "time", "searches"}):
            columns = tuple(dict.fromkeys((*facts.list_keys, "query", "time")))
            self.searches = engine.run(pick_searches, events, self.n_queries, columns, name="searches")
        self._sum_over_events(events)
        if queries.terms is not None:
            self._count_asked_anew(events, queries.terms)
        engine.drop("events", "clicked_addresses")

    def _sum_over_events(self, events: Table) -> None:
        """What needs more events than those of the results: positions of the whole log, users with any event."""
        if "position" in self.facts.columns:
            positions = self.engine.run(count_positions, self.log, name="positions")
            found = self.engine.columns(positions)
            self.clicks_at = dict(zip(map(int, found["position"]), map(float, found["clicks"]), strict=True))
            if self.facts.n_impressions:
                self._take_pairs(tables.sum_expected_clicks(self.shown, positions), "expected")
        if "user" in self.facts.columns:
            self._take_queries(count_users(events, self.n_queries), "users")
            self._take_pairs(tables.count_pair_users(self._of_results(self.clicks)), "users")

    def _count_asked_anew(self, events: Table, terms: Table) -> None:
        action = "search" if self.facts.n_searches else "click"
        issues = self.engine.run(issued_terms, pick_issued(events, action), terms, name="issues")
        known = self._of_results(self.clicks).filter(~nw.col("user").is_null())
        spans = self.engine.run(find_spans, known, issues, terms, name="spans")
        self._take_pairs(count_asked_anew(known, issues, spans), "asked_anew")
        self.engine.drop("issues", "spans", "query_terms")

    def _count_clicks(self) -> None:
        """n_qu, n_q and n_u, and what they mean among their like."""
        self.pairs = self.engine.run(tables.count_clicks, self.clicks, name="pairs")
        complete = self.pairs.filter(nw.col("query") < self.n_queries)
        on_results = self.pairs.filter(nw.col("url") < self.n_urls)
        levels = self.engine.run(tables.rank_counts, complete, name="levels")
        self._take_pairs(complete.join(levels, on=["query", "n"], how="inner"), "n", "above", "cum", "drop")
        self._take_queries(tables.total_queries(complete), "clicks", "largest", "addresses")
        totals = self.engine.run(tables.total_urls, on_results, name="url_totals")
        self._take_urls(totals, "clicks", "largest", "queries")
        self._take_urls(tables.url_entropies(on_results, totals), "entropy")

    def _count_domains(self) -> None:
        """Clicks for the row's query on the row's domain."""
        domains, domain_of = numbered(map(_domain_of, self.asked.urls))
        number_of = {domain: number for number, domain in enumerate(domains)}
        known = []
        for place, columns in enumerate(parts_of(self.engine, self.addresses, "address", self.part)):
            found = np.array([number_of.get(_domain_of(url), -1) for url in columns["url"]], dtype=np.int64)
            part = {"url": columns["address"].astype(np.int64)[found >= 0], "domain": found[found >= 0]}
            known.append(hand_over(self.engine, part, f"domains_{place}"))
        counts = tables.sum_domain_clicks(
            self.pairs.filter(nw.col("query") < self.n_queries), nw.concat(known, how="vertical")
        )
        found = self.engine.columns(counts)
        wide = max(len(domains), 1)
        rows = self.asked.query_of * wide + domain_of[self.asked.url_of]
        self.sums["domain_clicks"] = _looked_up(found["query"] * wide + found["domain"], found["n"], rows)

    def _compare_queries(self) -> None:
        """Features of the words of the queries with clicks on an address, some addresses at a time."""
        named = self.pairs.filter(nw.col("url") < self.n_urls).join(self.names, on="query", how="inner")
        query, url = np.divmod(self.keys, max(self.n_urls, 1))
        values = {name: np.full(len(self.keys), np.nan) for name in ("lm", "kl", "top_like", "top_same")}
        for columns in parts_of(self.engine, named.select("url", "normal", "n"), "url", self.part):
            found = ClickedQueries(columns["url"].astype(np.int64), columns["normal"], columns["n"].astype(np.float64))
            here = np.flatnonzero(np.isin(url, found.url))
            for name, value in compare_with_models(found, self.words, query[here], url[here]).items():
                values[name][here] = value
        self.sums |= {name: value[self.pair_of] for name, value in values.items()}

    def _sum_dwells(self) -> None:
        found = tables.describe_dwells(self._of_results(self.clicks), tables.PAIR)
        self._take_pairs(found, "dwells", "satisfied", "quick", "dwell_sum", "dwell_median")
        self._take_urls(tables.sum_dwells(self.clicks.filter(nw.col("url") < self.n_urls)), "dwells", "dwell_sum")

    def _count_sessions(self) -> None:
        keys, with_time = self.facts.session_keys, "time" in self.facts.columns
        own = self.clicks.filter(nw.col("query") < self.n_queries)
        visited = self.engine.run(tables.click_sessions, own, keys, with_time=with_time, name="visited")
        sessions = self.engine.run(tables.describe_sessions, visited, keys, with_time=with_time, name="sessions")
        self._take_queries(tables.count_sessions(sessions), "sessions")
        places = tables.count_session_places(visited, sessions, keys, with_time=with_time)
        self._take_pairs(places, "only", *(("opens", "closes") if with_time else ()))
        self.engine.drop("visited", "sessions")

    def _count_neighbours(self) -> None:
        keys = self.facts.list_keys
        extents = self.engine.run(tables.click_extents, self.clicks, keys, name="extents")
        neighbours = tables.count_neighbours(self._of_results(self.clicks), extents, keys)
        self._take_pairs(neighbours, "placed", "above", "below", prefix="clicks_")
        if self.facts.n_impressions:
            self._take_pairs(tables.count_skips(self.shown, self.clicks, extents, keys), "listed", "skips")
        self.engine.drop("extents")

    def _of_results(self, table: Table) -> Table:
        return table.filter(nw.col("query") < self.n_queries, nw.col("url") < self.n_urls)

    def _take_pairs(self, table: Table, *names: str, prefix: str = "") -> None:
        found = self.engine.columns(self._of_results(table).select(*tables.PAIR, *names))
        keys = found["query"] * max(self.n_urls, 1) + found["url"]
        for name in names:
            self.sums[prefix + name] = _looked_up(keys, found[name], self.keys)[self.pair_of]

    def _take_queries(self, table: Table, *names: str) -> None:
        self._take(table, "query", names, self.asked.query_of)

    def _take_urls(self, table: Table, *names: str) -> None:
        self._take(table, "url", names, self.asked.url_of)

    def _take(self, table: Table, key: str, names: Sequence[str], rows: IntArray) -> None:
        found = self.engine.columns(table.select(key, *names))
        for name in names:
            self.sums[f"{key}_{name}"] = _looked_up(found[key], found[name], rows)


def _looked_up(keys: Any, values: Any, wanted: IntArray) -> FloatArray:
    """Value of each wanted key, 0 where there is none.

    >>> _looked_up(np.array([7, 3]), np.array([1.5, 2.5]), np.array([3, 4])).tolist()
    [2.5, 0.0]
    """
    if not len(keys):
        return np.zeros(len(wanted))
    order = np.argsort(keys)
    ordered = np.asarray(keys)[order]
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[at] == wanted, np.asarray(values, dtype=np.float64)[order][at], 0.0)


def _domain_of(url: str) -> str:
    """Domain of an address, '' for what is none; whole addresses are not kept, for a log may hold millions."""
    try:
        return read_host(urlsplit(url).hostname or "").domain
    except ValueError:
        return ""
