"""How many entries of the sources match the results: if spellings differ, features would silently be zero."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.navigational.features.log.summed_log import asked_of, summed_log
from glassrank.navigational.features.sources import IntentSources

SPELLING_NOTE = (
    "Check that queries are written the same in all tables, and that addresses are equivalent: http://A.org:80 is "
    "http://a.org/, but not https://a.org/ or www.a.org."
)
# Below these shares, differences of spelling are more likely than missing data.
MIN_CLICKS, MIN_ADDRESSES = 0.5, 0.01


@dataclass(frozen=True)
class Match:
    """How many entries of a source, or of the results, have a match."""

    source: str
    """clicks, links or pages."""
    met: int
    total: int
    says: str
    expected: float = 0.0
    """The share below which the sources probably do not belong together."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing matches although there are entries."""
        return self.met == 0 < self.total

    @property
    def is_low(self) -> bool:
        """Whether so few entries match that spellings probably differ."""
        return self.met < self.expected * self.total

    def __str__(self) -> str:
        return f"{self.says}. {SPELLING_NOTE}" if self.is_low else f"{self.says}."


def match_sources(sources: IntentSources, query_ids: Collection[str] | None = None) -> tuple[Match, ...]:
    """Count the clicks for these queries on their results, and the addresses of results with a page and with a link.

    ``query_ids`` are the queries of interest, such as the labelled ones; by default all queries with results.

    >>> from glassrank.data.query_log import QueryLog
    >>> from glassrank.data.search_results import SearchResults
    >>> log = QueryLog(query=["zen"] * 3, action=["click"] * 3, url=["http://a.org/", "http://a.org", "http://b.org/"])
    >>> results = SearchResults(query_id=[1, 1], query=["zen"] * 2, rank=[1, 2], url=["http://a.org/", "http://c.org/"])
    >>> print(*match_sources(IntentSources(results, log)))
    2 of 3 clicks for these queries are on a result of their query; 1 of 1 query has a click.
    """
    whole = sources if sources.whole is None else sources.whole
    found = [_clicks(whole, query_ids)] if whole.log_facts is not None and whole.log_facts.n_clicks else []
    return (*found, *whole.shared(_match_web))


def refuse_empty(found: tuple[Match, ...]) -> None:
    """Raise for the first source that matches no result."""
    for match in found:
        if match.is_empty:
            raise DataError(
                f"{setting('strict', True)} refuses a source that matches no result: {match}",
                remedy="Correct it, or leave it out.",
            )


def _match_web(whole: IntentSources) -> tuple[Match, ...]:
    found, addresses = [], set(whole.compared_urls)
    if whole.links is not None:
        linked = len(addresses & whole.prepared(_linked))
        found.append(_of_addresses("links", linked, len(addresses), "linked to"))
    if whole.pages is not None:
        known = len(addresses & whole.row_of_page.keys())
        found.append(_of_addresses("pages", known, len(addresses), "among the pages"))
    return tuple(found)


def _linked(whole: IntentSources) -> frozenset[str]:
    """Addresses that a counting link leads to."""
    return frozenset() if whole.links is None else frozenset(whole.links.target[whole.counting_links])


def _clicks(whole: IntentSources, query_ids: Collection[str] | None) -> Match:
    log, asked = summed_log(whole), asked_of(whole)
    ids = whole.results.query_id
    rows = np.arange(len(ids)) if query_ids is None else np.flatnonzero(np.isin(ids.astype(str), list(query_ids)))
    pairs = asked.query_of[rows] * max(len(asked.urls), 1) + asked.url_of[rows]
    # A query may have several lists, but a click on its result counts once.
    met = int(log["n"][rows][np.unique(pairs, return_index=True)[1]].sum())
    clicks = log["query_clicks"][rows][np.unique(asked.query_of[rows], return_index=True)[1]]
    total, clicked = int(clicks.sum()), int((clicks > 0).sum())
    if not total:
        everything = whole.log_facts.n_clicks if whole.log_facts is not None else 0
        says = f"0 of {counted(everything, 'click')} in the log are for these queries"
        return Match("clicks", 0, everything, says, MIN_CLICKS)
    says = f"{_on_results(met, total)}; {_queries(clicked, len(clicks))}"
    return Match("clicks", met, total, says, MIN_CLICKS)


def _on_results(met: int, n_clicks: int) -> str:
    verb = "is on a result of its query" if met == 1 else "are on a result of their query"
    return f"{met:,} of {counted(n_clicks, 'click')} for these queries {verb}"


def _queries(clicked: int, n_queries: int) -> str:
    return f"{clicked:,} of {counted(n_queries, 'query', 'queries')} {'has' if clicked == 1 else 'have'} a click"


def _of_addresses(source: str, met: int, total: int, what: str) -> Match:
    verb = "is" if met == 1 else "are"
    return Match(
        source,
        met,
        total,
        f"{met:,} of {counted(total, 'address', 'addresses')} of results {verb} {what}",
        MIN_ADDRESSES,
    )
