"""How many entries of the sources match the results: if spellings differ, features would silently be zero."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.navigational.features.log.log_summary import summed_log
from glassrank.navigational.features.sources import IntentSources

SPELLING_NOTE = "Queries and addresses must be spelt the same in all tables: http://a.org and http://a.org/ differ."


@dataclass(frozen=True)
class Match:
    """How many entries of a source, or of the results, have a match."""

    source: str
    """clicks, links or pages."""
    met: int
    total: int
    says: str

    @property
    def is_empty(self) -> bool:
        """Whether nothing matches although there are entries."""
        return self.met == 0 < self.total

    def __str__(self) -> str:
        return f"{self.says}. {SPELLING_NOTE}" if self.is_empty else f"{self.says}."


def match_sources(sources: IntentSources) -> tuple[Match, ...]:
    """Count the clicks on results of their query, and the addresses of results with a page and with a link.

    >>> from glassrank.data.query_log import QueryLog
    >>> from glassrank.data.search_results import SearchResults
    >>> log = QueryLog(query=["zen"] * 3, action=["click"] * 3, url=["http://a.org/", "http://a.org", "http://b.org/"])
    >>> results = SearchResults(query_id=[1, 1], query=["zen"] * 2, rank=[1, 2], url=["http://a.org/", "http://c.org/"])
    >>> print(*match_sources(IntentSources(results, log)))
    1 of 3 clicks is on a result of its query; 1 of 1 query has a click.
    """
    return sources.shared(_match)


def refuse_empty(found: tuple[Match, ...]) -> None:
    """Raise for the first source that matches no result."""
    for match in found:
        if match.is_empty:
            raise DataError(
                f"{setting('strict', True)} refuses a source that matches no result: {match}",
                remedy="Correct it, or leave it out.",
            )


def _match(whole: IntentSources) -> tuple[Match, ...]:
    found = []
    if whole.log_facts is not None and whole.log_facts.n_clicks:
        found.append(_clicks(whole, whole.log_facts.n_clicks))
    addresses = set(whole.urls)
    if whole.links is not None:
        linked = len(addresses.intersection(whole.links.target[whole.counting_links]))
        found.append(_of_addresses("links", linked, len(addresses), "linked to"))
    if whole.pages is not None:
        known = len(addresses.intersection(whole.pages.url))
        found.append(_of_addresses("pages", known, len(addresses), "among the pages"))
    return tuple(found)


def _clicks(whole: IntentSources, n_clicks: int) -> Match:
    log = summed_log(whole)
    pairs = whole.query_of * max(len(whole.urls), 1) + whole.url_of
    # A query may have several lists, but a click on its result counts once.
    met = int(log["n"][np.unique(pairs, return_index=True)[1]].sum())
    clicked = int((log["query_clicks"][np.unique(whole.query_of, return_index=True)[1]] > 0).sum())
    return Match("clicks", met, n_clicks, f"{_on_results(met, n_clicks)}; {_queries(clicked, len(whole.queries))}")


def _on_results(met: int, n_clicks: int) -> str:
    verb = "is on a result of its query" if met == 1 else "are on a result of their query"
    return f"{met:,} of {counted(n_clicks, 'click')} {verb}"


def _queries(clicked: int, n_queries: int) -> str:
    return f"{clicked:,} of {counted(n_queries, 'query', 'queries')} {'has' if clicked == 1 else 'have'} a click"


def _of_addresses(source: str, met: int, total: int, what: str) -> Match:
    verb = "is" if met == 1 else "are"
    return Match(source, met, total, f"{met:,} of {counted(total, 'address', 'addresses')} of results {verb} {what}")
