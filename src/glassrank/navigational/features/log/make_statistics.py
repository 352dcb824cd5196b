"""Compute the statistics of a log for all its queries and addresses, and store them in a folder."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from glassrank.core.checks import IntArray
from glassrank.data.engine import Engine, open_engine
from glassrank.data.query_log import IMPRESSION, SEARCH
from glassrank.navigational.features.address_spellings import Spellings
from glassrank.navigational.features.distinct_pairs import Pairs
from glassrank.navigational.features.log.base_tables import AskedQueries
from glassrank.navigational.features.log.event_tables import distinct_rows
from glassrank.navigational.features.log.log_summary import Summing, domain_of
from glassrank.navigational.features.log.stored_summary import as_bigram
from glassrank.navigational.features.log_source import LogFacts, Table, open_log
from glassrank.navigational.features.log_statistics import (
    LogStatistics,
    load_log_statistics,
    plain_facts,
    write_log_statistics,
)
from glassrank.navigational.features.vocabulary import numbered
from glassrank.navigational.normal_text import normal_query
from glassrank.text.tokens import tokenise

# Sums of a query whose name has no prefix.
_OF_QUERY = ("times_issued",)


def make_log_statistics(
    clicks: Any,
    folder: str | os.PathLike[str],
    *,
    engine: str = "duckdb",
    bare_hosts: bool = False,
    **others: bool,
) -> LogStatistics:
    """Aggregate a log for every query and address in it, and write the counts to a folder.

    ``clicks`` is a QueryLog, or a path or table with its columns. Memory use grows with the number of distinct pairs of
    a query and an address. ``others`` are stored beside the counts.
    """
    with open_engine(engine, repeatable=True) as opened:
        log, facts = open_log(opened, clicks)
        given = _Given(opened, log, facts, Spellings(bare_hosts=bare_hosts))
        opened.drop(*opened.names)
        summing = Summing(opened, given.asked, clicks)
        summing.count_events()
    facts_of_log = {
        "facts": plain_facts(facts),
        "clicks_at": list(summing.clicks_at.items()),
        "word_totals": asdict(summing.words.totals),
        "has_shown_positions": given.has_shown_positions,
        "bare_hosts": bare_hosts,
    }
    sums = _by_table(summing.sums)
    names = {"sums": {table: list(columns) for table, columns in sums.items()}}
    write_log_statistics(Path(folder), given.tables(sums) | _tables_of_words(summing), facts_of_log | names | others)
    return load_log_statistics(folder)


class _Given:
    """The distinct queries and addresses of a log, and its pairs, as if a user asked for all of them."""

    def __init__(self, engine: Engine, log: Table, facts: LogFacts, spellings: Spellings) -> None:
        typed = engine.columns(distinct_rows(log, "query"))["query"]
        self.queries, normal_of = numbered(map(normal_query, typed))
        number_of_query = dict(zip(typed, normal_of.tolist(), strict=True))
        seen = engine.columns(_seen(log, with_position="position" in facts.columns))
        self.urls, self.spelt, number_of_url = _forms(dict.fromkeys(seen["url"]), spellings)
        query = np.array([number_of_query[text] for text in seen["query"]], dtype=np.int64)
        self.pairs = Pairs.of(query, np.array([number_of_url[url] for url in seen["url"]], dtype=np.int64))
        self._positions = {name: self._sum(seen[name]) for name in ("position_sum", "positions")}
        self.has_shown_positions = bool(seen["shown"].sum()) if len(query) else False
        tokens = [tokenise(query) for query in self.queries]
        # After the pairs, one row for each query, because a query may have neither impressions nor clicks.
        query_of = np.append(self.pairs.one, np.arange(len(self.queries)))
        url_of = np.append(self.pairs.other, np.zeros(len(self.queries), dtype=np.int64))
        self.asked = AskedQueries(self.queries, tokens, self.urls, query_of, url_of, comparable=spellings.form)

    def _sum(self, values: Any) -> IntArray:
        return np.bincount(self.pairs.of_row, values, len(self.pairs)).astype(np.int64)

    def tables(self, sums: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """The tables of pairs, queries and addresses."""
        queries, urls = (np.array(texts, dtype=object) for texts in (self.queries, self.urls))
        domains = np.array([domain_of(url) for url in self.urls], dtype=object)
        one, other = self.pairs.one, self.pairs.other
        of_pairs = {"query": queries[one], "url": urls[other], "domain": domains[other]}
        of_pairs |= {"spelling": np.array(self.spelt, dtype=object)[other], **self._positions}
        of_pairs |= {name: values[: len(one)] for name, values in sums["pairs"].items()}
        clicked = of_pairs["n"] > 0
        first_of_url = np.unique(other, return_index=True)[1]
        return {
            "pairs": of_pairs,
            "clicked": {name: of_pairs[name][clicked] for name in ("url", "query", "n")},
            "queries": {"query": queries, **{name: values[len(one) :] for name, values in sums["queries"].items()}},
            "urls": {"url": urls, **{name: values[first_of_url] for name, values in sums["urls"].items()}},
        }


def _seen(log: Table, *, with_position: bool) -> Table:
    """Pairs of a query and an address as the log writes them, with their known positions."""
    shown_or_clicked = log.filter(nw.col("action") != SEARCH)
    known = ~nw.col("position").is_null() if with_position else nw.lit(False)
    flags = {"positions": known, "shown": known & (nw.col("action") == IMPRESSION)}
    place = nw.when(known).then(nw.col("position")).otherwise(0.0) if with_position else nw.lit(0.0)
    rows = shown_or_clicked.select(
        "query",
        "url",
        place.alias("position_sum"),
        *(nw.when(flag).then(1).otherwise(0).alias(name) for name, flag in flags.items()),
    )
    names = ("position_sum", *flags)
    return rows.group_by("query", "url").agg(*(nw.col(name).sum().cast(nw.Int64) for name in names))


def _forms(urls: Iterable[str], spellings: Spellings) -> tuple[list[str], list[str], dict[str, int]]:
    """Distinct forms of addresses, the spelling of each that comes first alphabetically, and the form's number."""
    first: dict[str, str] = {}
    for url in sorted({spellings.complete(url) for url in urls}):
        first.setdefault(spellings.form(url), url)
    number_of = {form: number for number, form in enumerate(first)}
    return list(first), list(first.values()), {url: number_of[spellings.form(url)] for url in urls}


def _by_table(sums: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Sort the sums into those of pairs, of queries and of addresses."""
    found: dict[str, dict[str, Any]] = {"pairs": {}, "queries": {}, "urls": {}}
    for name, values in sums.items():
        of_query = name.startswith("query_") or name in _OF_QUERY
        table = "queries" if of_query else "urls" if name.startswith("url_") else "pairs"
        found[table][name] = values
    return found


def _tables_of_words(summing: Summing) -> dict[str, dict[str, Any]]:
    words = summing.words
    texts = list(dict.fromkeys([*words.clicked, *words.issued, *words.followed]))
    counts = {"clicked": words.clicked, "issued": words.issued, "followed": words.followed}
    columns = {name: np.array([count[text] for text in texts], dtype=np.int64) for name, count in counts.items()}
    pairs = np.array([as_bigram(*pair) for pair in words.pairs], dtype=object)
    return {
        "words": {"word": np.array(texts, dtype=object), **columns},
        "bigrams": {"bigram": pairs, "n": np.array(list(words.pairs.values()), dtype=np.int64)},
    }
