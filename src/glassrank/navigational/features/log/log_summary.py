"""Aggregate a log for the results: one value per row, from base tables in an engine."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import narwhals as nw
import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.engine import Engine, open_engine
from glassrank.data.hosts import comparable_address
from glassrank.navigational.features.address_parts import read_host
from glassrank.navigational.features.log import click_tables as tables
from glassrank.navigational.features.log.base_tables import AskedQueries, make_base_tables
from glassrank.navigational.features.log.clicked_query_models import ClickedQueries, compare_with_models
from glassrank.navigational.features.log.log_words import LogWords
from glassrank.navigational.features.log.numbered_queries import PART, parts_of
from glassrank.navigational.features.log.reformulations import count_reformulated, find_spans
from glassrank.navigational.features.log_source import LogFacts, Table, hand_over, open_log
from glassrank.navigational.features.vocabulary import numbered


@dataclass(frozen=True, eq=False)
class LogSummary:
    """Sums over a log, one value per row of the results, 0 without a record."""

    facts: LogFacts
    sums: Mapping[str, FloatArray]
    clicks_at: Mapping[int, float]
    """Clicks of the whole log at each position."""

    def __getitem__(self, name: str) -> FloatArray:
        return self.sums[name]

    def pick_rows(self, rows: IntArray) -> "LogSummary":
        """Return the sums of some rows."""
        return replace(self, sums={name: values[rows] for name, values in self.sums.items()})


def summarise_log(clicks: Any, asked: AskedQueries, engine: str | Engine = "duckdb", *, part: int = PART) -> LogSummary:
    """Aggregate a log for the rows of the results; temporary tables are removed from a given engine.

    ``clicks`` is a QueryLog, or a path or table with its columns. Of those, only distinct queries and addresses are
    read into memory, ``part`` of them at a time. An engine given by name returns bit-identical sums every time, if it
    can.

    >>> from glassrank.data.query_log import QueryLog
    >>> log = QueryLog(query=["Zen", "zen "], action=["click"] * 2, url=["a", "b"])
    >>> asked = AskedQueries(["zen"], [["zen"]], ["a", "c"], np.array([0, 0]), np.array([0, 1]))
    >>> summary = summarise_log(log, asked)
    >>> summary["n"].tolist(), summary["query_clicks"].tolist()
    ([1.0, 0.0], [2.0, 2.0])
    """
    if not isinstance(engine, Engine):
        with open_engine(engine, repeatable=True) as opened:
            return Summing(opened, asked, clicks, part).run()
    before = set(engine.names)
    try:
        return Summing(engine, asked, clicks, part).run()
    finally:
        engine.drop(*(name for name in engine.names if name not in before))


class Summing:
    """Computes the sums from the base tables of a log."""

    def __init__(self, engine: Engine, asked: AskedQueries, clicks: Any, part: int = PART) -> None:
        self.engine, self.asked, self.part = engine, asked, part
        log, self.facts = open_log(engine, clicks)
        self.words = LogWords(asked.queries, asked.tokens)
        self.base = make_base_tables(engine, log, self.facts, asked, self.words, part)
        self.n_queries, self.n_urls = len(asked.queries), len(asked.urls)
        self.on_results = self._of_results(self.base.clicks)
        self.pairs = engine.materialise(tables.count_clicks(self.base.clicks), "pairs")
        self.keys, self.pair_of = np.unique(asked.query_of * max(self.n_urls, 1) + asked.url_of, return_inverse=True)
        self.sums: dict[str, FloatArray] = {}
        self.clicks_at: dict[int, float] = {}

    def run(self) -> LogSummary:
        """Everything that the features of the rows need."""
        self.count_events()
        self._count_domains()
        self._compare_queries()
        self.sums["chance"] = self.words.chance_of_queries()[self.asked.query_of]
        return LogSummary(self.facts, self.sums, self.clicks_at)

    def count_events(self) -> None:
        """Sums over the events of each pair, query and address."""
        self._count_clicks()
        self._count_positions()
        self._count_users()
        if self.base.impressions is not None:
            self._take_pairs(tables.count_impressions(self.base.impressions), "impressions")
        if "dwell" in self.facts.columns:
            self._sum_dwells()
        if self.facts.session_keys:
            self._count_sessions()
        if self.facts.list_keys and "position" in self.facts.columns:
            self._count_neighbours()
        if self.base.searches is not None:
            waits = tables.sum_seconds_to_click(self.on_results, self.base.searches, self.facts.list_keys)
            self._take_pairs(waits, "waits", "wait_sum")
        self.sums["times_issued"] = self.words.times_issued[self.asked.query_of]

    def _count_clicks(self) -> None:
        """n_qu, n_q and n_u, and their ranks among the addresses of a query."""
        complete = self.pairs.filter(nw.col("query") < self.n_queries)
        on_urls = self.pairs.filter(nw.col("url") < self.n_urls)
        ranked = complete.join(tables.rank_counts(complete), on=["query", "n"], how="inner")
        self._take_pairs(ranked, "n", "above", "cum", "drop")
        self._take("query", tables.total_queries(complete), "clicks", "largest", "addresses")
        totals = self.engine.materialise(tables.total_urls(on_urls), "url_totals")
        self._take("url", totals, "clicks", "queries")
        self._take("url", tables.url_entropies(on_urls, totals), "entropy")

    def _count_domains(self) -> None:
        """Clicks for the row's query on the row's domain."""
        domains, domain_of_url = numbered(map(domain_of, self.asked.urls))
        number_of = {domain: number for number, domain in enumerate(domains)}
        known = []
        for place, columns in enumerate(parts_of(self.engine, self.base.addresses, "address", self.part)):
            number = np.array([number_of.get(domain_of(url), -1) for url in columns["url"]], dtype=np.int64)
            part = {"url": columns["address"].astype(np.int64)[number >= 0], "domain": number[number >= 0]}
            known.append(hand_over(self.engine, part, f"domains_{place}"))
        complete = self.pairs.filter(nw.col("query") < self.n_queries)
        found = self.engine.columns(tables.sum_domain_clicks(complete, nw.concat(known, how="vertical")))
        wide = max(len(domains), 1)
        rows = self.asked.query_of * wide + domain_of_url[self.asked.url_of]
        self.sums["domain_clicks"] = looked_up(found["query"] * wide + found["domain"], found["n"], rows)

    def _compare_queries(self) -> None:
        """Features of the words in queries with clicks on an address, some addresses at a time."""
        on_urls = self.pairs.filter(nw.col("url") < self.n_urls)
        named = on_urls.join(self.base.names, on="query", how="inner").select("url", "normal", "n")
        query, url = np.divmod(self.keys, max(self.n_urls, 1))
        values = {name: np.full(len(self.keys), np.nan) for name in ("lm", "kl", "top_like", "top_same")}
        for columns in parts_of(self.engine, named, "url", self.part):
            found = ClickedQueries(columns["url"].astype(np.int64), columns["normal"], columns["n"].astype(np.float64))
            here = np.flatnonzero(np.isin(url, found.url))
            for name, value in compare_with_models(found, self.words, query[here], url[here]).items():
                values[name][here] = value
        self.sums |= {name: value[self.pair_of] for name, value in values.items()}

    def _count_positions(self) -> None:
        if self.base.positions is None:
            return
        found = self.engine.columns(self.base.positions)
        self.clicks_at = dict(zip(map(int, found["position"]), map(float, found["clicks"]), strict=True))
        if self.base.impressions is not None:
            self._take_pairs(tables.sum_expected_clicks(self.base.impressions, self.base.positions), "expected")

    def _count_users(self) -> None:
        """Users of a query and of a pair, and clicks followed by a reformulated query."""
        if self.base.users is not None:
            self._take("query", self.base.users, "users")
            self._take_pairs(tables.count_pair_users(self.on_results), "users")
        if self.base.issues is not None and self.base.terms is not None:
            known = self.on_results.filter(~nw.col("user").is_null())
            spans = self.engine.materialise(find_spans(known, self.base.issues, self.base.terms), "spans")
            self._take_pairs(count_reformulated(known, self.base.issues, spans), "reformulated")
            self.engine.drop("spans", "issues")

    def _sum_dwells(self) -> None:
        found = tables.describe_dwells(self.on_results)
        self._take_pairs(found, "dwells", "satisfied", "quick", "dwell_sum", "dwell_median")
        on_urls = self.base.clicks.filter(nw.col("url") < self.n_urls)
        self._take("url", tables.sum_dwells(on_urls), "dwells", "dwell_sum")

    def _count_sessions(self) -> None:
        keys, with_time = self.facts.session_keys, "time" in self.facts.columns
        own = self.base.clicks.filter(nw.col("query") < self.n_queries)
        visited = self.engine.materialise(tables.click_sessions(own, keys, with_time=with_time), "visited")
        sessions = tables.describe_sessions(visited, keys, with_time=with_time)
        sessions = self.engine.materialise(sessions, "sessions")
        self._take("query", tables.count_sessions(sessions), "sessions")
        places = tables.count_session_places(visited, sessions, keys, with_time=with_time)
        self._take_pairs(places, "only", *(("opens", "closes") if with_time else ()))
        self.engine.drop("visited", "sessions")

    def _count_neighbours(self) -> None:
        keys = self.facts.list_keys
        extents = self.engine.materialise(tables.click_extents(self.base.clicks, keys), "extents")
        neighbours = tables.count_neighbours(self.on_results, extents, keys)
        self._take_pairs(neighbours, "placed", "above", "below", prefix="clicks_")
        if self.base.impressions is not None:
            skips = tables.count_skips(self.base.impressions, self.base.clicks, extents, keys)
            self._take_pairs(skips, "listed", "skips")
        self.engine.drop("extents")

    def _of_results(self, table: Table) -> Table:
        return table.filter(nw.col("query") < self.n_queries, nw.col("url") < self.n_urls)

    def _take_pairs(self, table: Table, *names: str, prefix: str = "") -> None:
        """Read sums of pairs into memory, for the rows with the pair."""
        found = self.engine.columns(self._of_results(table).select(*tables.PAIR, *names))
        keys = found["query"] * max(self.n_urls, 1) + found["url"]
        for name in names:
            self.sums[prefix + name] = looked_up(keys, found[name], self.keys)[self.pair_of]

    def _take(self, key: str, table: Table, *names: str) -> None:
        """Read sums of queries or of addresses into memory."""
        rows = self.asked.query_of if key == "query" else self.asked.url_of
        found = self.engine.columns(table.select(key, *names))
        for name in names:
            self.sums[f"{key}_{name}"] = looked_up(found[key], found[name], rows)


def looked_up(keys: Any, values: Any, wanted: IntArray) -> FloatArray:
    """Value of each wanted key, 0 if there is none.

    >>> looked_up(np.array([7, 3]), np.array([1.5, 2.5]), np.array([3, 4])).tolist()
    [2.5, 0.0]
    """
    return LookedUp(keys, wanted).values(values)


class LookedUp:
    """Where wanted keys are among known ones, for several columns of values."""

    def __init__(self, keys: Any, wanted: IntArray) -> None:
        order = np.argsort(keys)
        ordered = np.append(np.asarray(keys, dtype=np.int64)[order], -1)
        at = np.searchsorted(ordered[:-1], wanted)
        self._there = ordered[at] == wanted
        self._rows = np.append(order, 0)[at]

    def values(self, values: Any) -> FloatArray:
        """Value of each wanted key, 0 if there is none."""
        if not len(values):
            return np.zeros(len(self._rows))
        return np.where(self._there, np.asarray(values, dtype=np.float64)[self._rows], 0.0)


def domain_of(url: str) -> str:
    """Domain of an address, in Punycode if international, '' if invalid; not cached, as a log may contain millions."""
    try:
        return read_host(urlsplit(comparable_address(url)).hostname or "").domain
    except ValueError:
        return ""
