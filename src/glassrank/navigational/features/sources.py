"""IntentSources: the data from which features are computed, prepared once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from glassrank.core.checks import DataError, IntArray, check_choice
from glassrank.core.wording import counted
from glassrank.data.collection import Links, Pages
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature_settings import BARE, URLMR, FeatureSettings
from glassrank.navigational.features.address_parts import Address, read_address
from glassrank.navigational.features.address_spellings import Spellings
from glassrank.navigational.features.anchor_texts import AnchorLinks
from glassrank.navigational.features.fused_results import FusedResults, fuse
from glassrank.navigational.features.known_columns import held_by_table
from glassrank.navigational.features.log_source import LogFacts, read_log_facts
from glassrank.navigational.features.log_statistics import LogStatistics
from glassrank.navigational.features.vocabulary import Vocabulary, Words, numbered
from glassrank.navigational.normal_text import MAX_LENGTH, normal_query
from glassrank.text.tokens import tokenise

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False, repr=False)
class IntentSources:
    """The sources of query features: results, log, links and pages; only the results are required.

    ``clicks`` is a ``QueryLog``, a table with its columns, the path of a Parquet, CSV or TSV file, which the ``engine``
    scans, or the stored statistics of a log. ``language`` is the language of the queries, ``trusted_hosts`` are the
    seeds of TrustRank, and ages of pages are relative to ``last_time`` (seconds since 1970), by default the last time
    of the log. The feature ``urlmr`` compares the query without spaces and the address without scheme and ``www.``;
    with ``urlmr="literal"``, it compares both as they are, as the paper words it.

    Addresses are compared as RFC 3986 defines equivalence, so ``http://A.org:80`` is ``http://a.org/``. With
    ``bare_hosts``, an address without a scheme, such as ``www.walmart.com``, begins with ``http://``.

    Lists of several engines are fused: ``results`` contains one list per query, and arrays of rows are in its order.
    Compute values for distinct queries and addresses, and expand them to rows with ``query_of`` and ``url_of``.
    ``part`` selects some of the results; values of all results are ``shared`` by all parts. ``with_results`` takes
    other results; values that do not depend on results are ``prepared`` once.

    >>> results = SearchResults(query_id=[1, 1], query=["Zen "] * 2, rank=[1, 2], url=["http://zen.org/", "b"])
    >>> sources = IntentSources(results)
    >>> sources
    IntentSources(2 results)
    >>> sources.queries, sources.query_of.tolist(), sources.addresses[0].host.domain, sorted(sources.held)
    (['zen'], [0, 0], 'zen.org', ['results'])
    """

    results: SearchResults
    clicks: Any = None
    links: Links | None = None
    pages: Pages | None = None
    language: str | None = None
    trusted_hosts: Sequence[str] | None = None
    last_time: float | None = None
    engine: Any = "duckdb"
    urlmr: str = BARE
    bare_hosts: bool = False
    fused: FusedResults | None = field(init=False, default=None)
    """Votes of the engines, if there are several."""
    whole: "IntentSources | None" = field(init=False, default=None)
    """The sources of which this is a part."""
    rows: IntArray | None = field(init=False, default=None)
    """Rows of the whole's results in this part."""
    vocabulary: Vocabulary = field(init=False, default_factory=lambda: Vocabulary(n_unknown=MAX_LENGTH))
    """Numbers of the words of links and pages."""
    _prepared: dict[Any, Any] = field(init=False, default_factory=dict)
    _made: dict[Any, Any] = field(init=False, default_factory=dict)
    _spellings: Spellings = field(init=False)
    """Spellings of links and pages."""
    _own_spellings: Spellings = field(init=False)
    """Spellings of the results, after those of links and pages."""

    def __post_init__(self) -> None:
        check_choice("urlmr", self.urlmr, URLMR)
        _check_types(results=(self.results, SearchResults), links=(self.links, Links), pages=(self.pages, Pages))
        if isinstance(self.trusted_hosts, str):
            raise DataError(
                f"trusted_hosts must be a list of hosts: got the text {self.trusted_hosts!r}. Write "
                f"[{self.trusted_hosts!r}]."
            )
        if isinstance(self.clicks, LogStatistics):
            self.clicks.check_bare_hosts(self.bare_hosts)
        if self.trusted_hosts is not None:
            object.__setattr__(self, "trusted_hosts", tuple(self.trusted_hosts))
        spellings = Spellings(bare_hosts=self.bare_hosts)
        object.__setattr__(self, "_spellings", spellings)
        if self.pages is not None:
            spellings.learn(self.pages.url)
        if self.links is not None:
            spellings.learn(self.links.source, self.links.target)
            ends = {name: _spelt(getattr(self.links, name), spellings) for name in ("source", "target")}
            object.__setattr__(self, "links", replace(self.links, **ends))
        self._take_results(self.results)
        if self.last_time is None and self.log_facts is not None:
            object.__setattr__(self, "last_time", self.log_facts.last_time)

    def __repr__(self) -> str:
        given = {"clicks": self.clicks, "links": self.links, "pages": self.pages, "language": self.language}
        known = [name for name, source in given.items() if source is not None]
        return f"IntentSources({', '.join([counted(len(self.results), 'result'), *known])})"

    def comparable(self, url: str) -> str:
        """Return the spelling that stands for an address and all that are equivalent to it."""
        return self._own_spellings.of(url)

    def _take_results(self, results: SearchResults) -> None:
        """Complete bare hosts, learn the spellings of addresses, and fuse lists of several engines."""
        if self.bare_hosts:
            completed = np.array([self._spellings.complete(url) for url in results.url], dtype=object)
            results = replace(results, url=completed)
        own = Spellings(bare_hosts=self.bare_hosts, before=self._spellings).learn(results.url)
        fused = None if results.engine is None else fuse(results)
        vars(self).update(results=results if fused is None else fused.results, fused=fused, _own_spellings=own)

    def part(self, rows: IntArray) -> "IntentSources":
        """Return the sources with some rows of the (fused) results; a row has the same features in every part.

        >>> results = SearchResults(query_id=[1, 2], query=["a", "b"], rank=[1, 1], url=["u", "v"], score=[1, np.nan])
        >>> part = IntentSources(results).part(np.array([1]))
        >>> part.queries, part.has("score")
        (['b'], True)
        """
        if self.whole is not None:
            raise DataError(
                "A part cannot be divided again.", remedy="Select rows of the whole: sources.whole.part(rows)."
            )
        self.read_texts()
        part = object.__new__(IntentSources)
        # Bypass __post_init__, which would read the log again, and leave out cached values of the whole's rows.
        vars(part).update({one.name: getattr(self, one.name) for one in fields(self)}, whole=self, rows=rows)
        vars(part)["results"] = self.results.pick_rows(rows)
        if self.fused is not None:
            vars(part)["fused"] = FusedResults(part.results, self.fused.votes[rows], self.fused.fusion[rows])
        return part

    def with_results(self, results: SearchResults) -> "IntentSources":
        """Return the sources with other results; log, links and pages are not read again.

        >>> nothing = SearchResults(query_id=[], query=[], rank=[], url=[])
        >>> asked = SearchResults(query_id=[1], query=["zen"], rank=[1], url=["http://zen.org/"])
        >>> IntentSources(nothing).with_results(asked).queries
        ['zen']
        """
        other = object.__new__(IntentSources)
        # Bypass __post_init__, which would read the log again.
        vars(other).update({one.name: getattr(self, one.name) for one in fields(self)}, whole=None, rows=None, _made={})
        other._take_results(results)
        return other

    def prepared(self, make: Callable[["IntentSources"], Made]) -> Made:
        """Return ``make(sources)``, which does not depend on results, computed once for all results and parts."""
        if make not in self._prepared:
            self._prepared[make] = make(self)
        found: Made = self._prepared[make]
        return found

    def shared(self, make: Callable[["IntentSources"], Made]) -> Made:
        """Return ``make(whole)``, computed once and shared by all parts.

        >>> whole = IntentSources(SearchResults(query_id=[1, 2], query=["a", "b"], rank=[1, 1], url=["u", "v"]))
        >>> whole.part(np.array([1])).shared(lambda sources: sources.queries)
        ['a', 'b']
        """
        if make not in self._made:
            self._made[make] = make(self if self.whole is None else self.whole)
        found: Made = self._made[make]
        return found

    @property
    def settings(self) -> FeatureSettings:
        """Language, trusted hosts and form of ``urlmr``, which must be the same for training and prediction."""
        hosts = None if self.trusted_hosts is None else tuple(self.trusted_hosts)
        return FeatureSettings(self.language, hosts, self.urlmr)

    @property
    def log_facts(self) -> LogFacts | None:
        """A summary of the log's content; None without a log."""
        return self.prepared(_log_facts)

    @property
    def held(self) -> frozenset[str]:
        """The available sources and columns, by the names in ``Feature.needs``, without columns that have no value."""
        return self.shared(_held)

    def has(self, *needs: str) -> bool:
        """Whether all of these are available."""
        return self.held.issuperset(needs)

    @property
    def n_rows(self) -> int:
        """Number of results."""
        return len(self.results)

    @cached_property
    def list_of(self) -> IntArray:
        """Number of each row's list (query identifier)."""
        return numbered(self.results.query_id)[1]

    @cached_property
    def _queries(self) -> tuple[list[str], IntArray]:
        texts, text_of = numbered(self.results.query)
        different, normal_of = numbered(map(normal_query, texts))
        return different, normal_of[text_of]

    @property
    def queries(self) -> list[str]:
        """Distinct queries, normalised."""
        return self._queries[0]

    @property
    def query_of(self) -> IntArray:
        """Number of each row's query among the distinct ones."""
        return self._queries[1]

    @cached_property
    def query_tokens(self) -> list[list[str]]:
        """t(q) of each distinct query."""
        return [tokenise(query) for query in self.queries]

    @cached_property
    def _urls(self) -> tuple[list[str], IntArray]:
        return numbered(self.results.url)

    @property
    def urls(self) -> list[str]:
        """Distinct addresses of results."""
        return self._urls[0]

    @property
    def url_of(self) -> IntArray:
        """Number of each row's address among the distinct ones."""
        return self._urls[1]

    @cached_property
    def compared_urls(self) -> list[str]:
        """The form in which each distinct address is compared with those of the other sources."""
        return [self.comparable(url) for url in self.urls]

    @cached_property
    def addresses(self) -> list[Address]:
        """The parsed distinct addresses."""
        return [read_address(url) for url in self.urls]

    @cached_property
    def compared_addresses(self) -> list[Address]:
        """The parsed distinct addresses in the form in which they are compared with those of the other sources."""
        return [read_address(url) for url in self.compared_urls]

    @cached_property
    def page_of(self) -> IntArray:
        """Row of each result's page among the pages, −1 if it is missing."""
        row_of = self.row_of_page
        return np.array([row_of.get(url, -1) for url in self.compared_urls], dtype=np.int64)[self.url_of]

    @cached_property
    def query_words(self) -> Words:
        """t(q) of each distinct query as numbers."""
        self.read_texts()
        return self.vocabulary.find(self.query_tokens)

    def read_texts(self) -> None:
        """Read all texts in a fixed order, because word numbers determine the order of sums."""
        _ = self.anchor_links, self.title_words, self.body_words
        _ = self.description_words, self.heading_words, self.address_words

    @property
    def title_words(self) -> Words:
        """Words of the pages' titles."""
        return self.prepared(_title_words)

    @property
    def body_words(self) -> Words:
        """Words of the pages' texts."""
        return self.prepared(_body_words)

    @property
    def description_words(self) -> Words:
        """Words of the pages' descriptions."""
        return self.prepared(_description_words)

    @property
    def heading_words(self) -> Words:
        """Words of the pages' headings."""
        return self.prepared(_heading_words)

    @property
    def address_words(self) -> Words:
        """Words of the pages' addresses."""
        return self.prepared(_address_words)

    @property
    def row_of_page(self) -> dict[str, int]:
        """Row of each page by its comparable address; of equivalent ones, the first."""
        return self.prepared(_page_rows)

    @property
    def anchor_links(self) -> AnchorLinks:
        """The links that count and have a text."""
        return self.prepared(_anchor_links)

    @property
    def counting_links(self) -> IntArray:
        """Rows of the links that count: not ``nofollow``, and not from a page to itself."""
        return self.prepared(_counting_links)


def _spelt(urls: Any, spellings: Spellings) -> Any:
    form = {url: spellings.of(url) for url in dict.fromkeys(urls)}
    return np.array([form[url] for url in urls], dtype=object)


def _check_types(**given: tuple[Any, type]) -> None:
    for name, (value, wanted) in given.items():
        if not isinstance(value, wanted) and not (value is None and name != "results"):
            raise DataError(
                f"{name} must be {wanted.__name__}: got {type(value).__name__}. Make one: "
                f"{wanted.__name__}.from_frame(table)."
            )


# Values for ``prepared``, and for ``shared``: _held, which also depends on all results.


def _log_facts(whole: IntentSources) -> LogFacts | None:
    if isinstance(whole.clicks, LogStatistics):
        return whole.clicks.facts
    return None if whole.clicks is None else read_log_facts(whole.clicks, whole.engine)


def _held(whole: IntentSources) -> frozenset[str]:
    held = {"results"} | held_by_table(whole.results)
    held |= {"engine"} if whole.fused is not None and whole.n_rows else set()
    held |= {"clicks"} | whole.log_facts.held if whole.log_facts is not None else set()
    held |= {"links"} if whole.links is not None else set()
    held |= {"pages"} | held_by_table(whole.pages) if whole.pages is not None else set()
    held |= {"log_language"} if whole.language is not None else set()
    return frozenset(held | ({"last_time"} if whole.last_time is not None else set()))


def _page_rows(whole: IntentSources) -> dict[str, int]:
    if whole.pages is None:
        return {}
    rows = reversed(list(enumerate(whole.pages.url)))
    return {whole.comparable(url): row for row, url in rows}


def _title_words(whole: IntentSources) -> Words:
    return _read(whole, "title")


def _body_words(whole: IntentSources) -> Words:
    return _read(whole, "text")


def _description_words(whole: IntentSources) -> Words:
    return _read(whole, "description")


def _heading_words(whole: IntentSources) -> Words:
    return _read(whole, "headings")


def _address_words(whole: IntentSources) -> Words:
    urls = () if whole.pages is None else whole.pages.url
    return whole.vocabulary.read(read_address(url).text for url in urls)


def _read(whole: IntentSources, column: str) -> Words:
    """Number the words of a column of the pages; there are none without it."""
    texts = None if whole.pages is None else getattr(whole.pages, column)
    return whole.vocabulary.read(() if texts is None else (text or "" for text in texts))


def _anchor_links(whole: IntentSources) -> AnchorLinks:
    return AnchorLinks.of(
        whole.links or Links(source=[], target=[], anchor=[]), whole.counting_links, whole.vocabulary.read
    )


def _counting_links(whole: IntentSources) -> IntArray:
    if whole.links is None:
        return np.empty(0, dtype=np.int64)
    counts = whole.links.source != whole.links.target
    if whole.links.nofollow is not None:
        counts &= ~whole.links.nofollow
    return np.flatnonzero(counts)
