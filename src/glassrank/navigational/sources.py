"""Sources: what the features are computed from, made ready once."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.data.collection import Links, Pages
from glassrank.data.search_results import SearchResults
from glassrank.navigational.addresses import Address, read_address
from glassrank.navigational.anchor_texts import AnchorLinks
from glassrank.navigational.fusion import FusedResults, fuse
from glassrank.navigational.held import held_by_table
from glassrank.navigational.log_source import LogFacts, read_log_facts
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.words import Vocabulary, Words, numbered
from glassrank.text.tokens import tokenise


@dataclass(frozen=True, eq=False)
class Sources:
    """Results, log, links and pages; a source that is not given is None.

    Lists of several engines are fused first: ``results`` holds one list per query, and every array of a row is in its
    order. Work on what is different (queries, addresses), and spread it over the rows by ``query_of`` and ``url_of``.

    >>> results = SearchResults(query_id=[1, 1], query=["Zen "] * 2, rank=[1, 2], url=["http://zen.org/", "b"])
    >>> sources = Sources(results)
    >>> sources.queries, sources.query_of.tolist(), sources.addresses[0].host.domain, sorted(sources.held)
    (['zen'], [0, 0], 'zen.org', ['results'])
    """

    results: SearchResults
    clicks: Any = None
    """A ``QueryLog``, a table, or a file that the engine scans."""
    links: Links | None = None
    pages: Pages | None = None
    language: str | None = None
    trusted_hosts: tuple[str, ...] | None = None
    last_time: float | None = None
    """Time from which ages of pages are counted; the log's last time where it is not given."""
    engine: Any = "duckdb"
    fused: FusedResults | None = field(init=False, default=None)
    """Votes of the engines, where there are several."""

    def __post_init__(self) -> None:
        if self.results.engine is not None:
            fused = fuse(self.results)
            object.__setattr__(self, "fused", fused)
            object.__setattr__(self, "results", fused.results)
        if self.last_time is None and self.log_facts is not None:
            object.__setattr__(self, "last_time", self.log_facts.last_time)

    @cached_property
    def log_facts(self) -> LogFacts | None:
        """What the log holds; None where there is none."""
        return None if self.clicks is None else read_log_facts(self.clicks, self.engine)

    @cached_property
    def held(self) -> frozenset[str]:
        """Sources and what they hold, by the names of ``Feature.needs``; a column without a value is not there."""
        held = {"results"} | held_by_table(self.results)
        held |= {"engine"} if self.fused is not None and self.n_rows else set()
        held |= {"clicks"} | self.log_facts.held if self.log_facts is not None else set()
        held |= {"links"} if self.links is not None else set()
        held |= {"pages"} | held_by_table(self.pages) if self.pages is not None else set()
        held |= {"log_language"} if self.language is not None else set()
        return frozenset(held | ({"last_time"} if self.last_time is not None else set()))

    def has(self, *needs: str) -> bool:
        """Whether all of these are there."""
        return self.held.issuperset(needs)

    @property
    def n_rows(self) -> int:
        """Number of results."""
        return len(self.results)

    @cached_property
    def list_of(self) -> IntArray:
        """Number of the list (query identifier) that each row stands in."""
        return numbered(self.results.query_id)[1]

    @cached_property
    def _queries(self) -> tuple[list[str], IntArray]:
        texts, text_of = numbered(self.results.query)
        different, normal_of = numbered(map(normal_query, texts))
        return different, normal_of[text_of]

    @property
    def queries(self) -> list[str]:
        """Different queries, in normal text."""
        return self._queries[0]

    @property
    def query_of(self) -> IntArray:
        """Number of each row's query among the different ones."""
        return self._queries[1]

    @cached_property
    def query_tokens(self) -> list[list[str]]:
        """t(q) of each different query."""
        return [tokenise(query) for query in self.queries]

    @cached_property
    def _urls(self) -> tuple[list[str], IntArray]:
        return numbered(self.results.url)

    @property
    def urls(self) -> list[str]:
        """Different addresses of results."""
        return self._urls[0]

    @property
    def url_of(self) -> IntArray:
        """Number of each row's address among the different ones."""
        return self._urls[1]

    @cached_property
    def addresses(self) -> list[Address]:
        """Parts of the different addresses."""
        return [read_address(url) for url in self.urls]

    @cached_property
    def page_of(self) -> IntArray:
        """Row of each result's page among the pages, −1 where it is not there."""
        row_of = {} if self.pages is None else {url: row for row, url in enumerate(self.pages.url)}
        return np.array([row_of.get(url, -1) for url in self.urls], dtype=np.int64)[self.url_of]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Numbers of all words; those of the queries come first."""
        return Vocabulary()

    @cached_property
    def query_words(self) -> Words:
        """t(q) of each different query, in numbers."""
        return self.vocabulary.take(self.query_tokens)

    def read(self, texts: Any) -> Words:
        """Number the words of texts; the words of the queries have their numbers before."""
        _ = self.query_words
        return self.vocabulary.read(texts)

    @cached_property
    def title_words(self) -> Words:
        """Words of the pages' titles."""
        return self.read(() if self.pages is None else self.pages.title)

    @cached_property
    def body_words(self) -> Words:
        """Words of the pages' texts."""
        return self.read(() if self.pages is None else self.pages.text)

    @cached_property
    def anchor_links(self) -> AnchorLinks:
        """The links that count and have a text."""
        return AnchorLinks.of(self.links or Links(source=[], target=[], anchor=[]), self.counting_links, self.read)

    @cached_property
    def counting_links(self) -> IntArray:
        """Rows of the links that count: not ``nofollow``, and not from a page to itself."""
        if self.links is None:
            return np.empty(0, dtype=np.int64)
        counts = self.links.source != self.links.target
        if self.links.nofollow is not None:
            counts &= ~self.links.nofollow
        return np.flatnonzero(counts)
