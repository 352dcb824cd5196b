"""Result lists derived from a log, for when the engine's own lists were not stored."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.setting import setting
from glassrank.data.hosts import comparable_address, complete_address
from glassrank.data.query_log import CLICK, IMPRESSION, QueryLog
from glassrank.data.search_results import SearchResults

ORDERS = ("position", "clicks")


@dataclass
class _Found:
    """Clicks on an address for a query, and the positions at which it was shown."""

    clicks: int = 0
    position_sum: float = 0.0
    n_positions: int = 0

    @property
    def mean_position(self) -> float:
        return self.position_sum / self.n_positions if self.n_positions else np.inf


def results_from_log(
    log: QueryLog,
    *,
    by: str | None = None,
    depth: int = 100,
    queries: Collection[str] | None = None,
    bare_hosts: bool = False,
) -> SearchResults:
    """Return a result list for each query of a log: the addresses shown or clicked for it, at most ``depth``.

    ``queries`` limits the lists to these texts; by default, each query has one. Equivalent addresses (RFC 3986) are one
    result, in the spelling that comes first alphabetically; with ``bare_hosts``, an address without a scheme begins
    with ``http://``.

    ``by="position"`` orders them by mean known position, with unknown positions last; ``by="clicks"`` orders them by
    the number of clicks. Ties are broken by clicks, then alphabetically. The default is ``"position"`` if the log has
    impressions with positions, and ``"clicks"`` otherwise. The query text is the identifier of its list.

    A list derived from clicks contains clicked addresses only, so click features are less informative on it.

    >>> urls = ["http://a.org/", "http://b.org/", "http://b.org/"]
    >>> log = QueryLog(query=["zen"] * 3, action=["click"] * 3, url=urls)
    >>> results_from_log(log).url.tolist()
    ['http://b.org/', 'http://a.org/']
    """
    check_positive("depth", depth, whole=True)
    by = _default_order(log) if by is None else by
    check_choice("by", by, ORDERS)
    if by == "position" and log.position is None:
        raise DataError(
            f"{setting('by', 'position')} needs positions: the log has none.", remedy=f"Use {setting('by', 'clicks')}."
        )
    rows = [
        (query, rank, url)
        for query, found in _gather(log, queries, bare_hosts).items()
        for rank, url in enumerate(_ranked(found, by)[:depth], start=1)
    ]
    if not rows:
        of = "" if queries is None else " of these queries"
        raise DataError(f"The log has neither impressions nor clicks{of}: expected an address for at least one query.")
    queries, ranks, urls = zip(*rows, strict=True)
    return SearchResults(query_id=queries, query=queries, rank=ranks, url=urls)


def _default_order(log: QueryLog) -> str:
    shown = log.action == "impression"
    return "position" if log.position is not None and not np.isnan(log.position[shown]).all() else "clicks"


def _gather(log: QueryLog, queries: Collection[str] | None, bare_hosts: bool) -> dict[str, dict[str, _Found]]:
    """What was shown and clicked for each query, by address."""
    spelling = _spellings(log, bare_hosts)
    wanted = None if queries is None else set(queries)
    positions = np.full(len(log), np.nan) if log.position is None else log.position
    lists: dict[str, dict[str, _Found]] = {}
    for query, action, url, position in zip(log.query, log.action, log.url, positions.tolist(), strict=True):
        if action not in (IMPRESSION, CLICK) or (wanted is not None and query not in wanted):
            continue
        found = lists.setdefault(query, {}).setdefault(spelling[url], _Found())
        found.clicks += action == "click"
        if not np.isnan(position):
            found.position_sum += position
            found.n_positions += 1
    return lists


def _spellings(log: QueryLog, bare_hosts: bool) -> dict[str, str]:
    """The one spelling that stands for each address and all that are equivalent to it."""
    written = {url: complete_address(url) if bare_hosts else url for url in dict.fromkeys(log.url)}
    first: dict[str, str] = {}
    for url in sorted(set(written.values())):
        first.setdefault(comparable_address(url), url)
    return {url: first[comparable_address(completed)] for url, completed in written.items()}


def _ranked(found: dict[str, _Found], by: str) -> list[str]:
    def key(url: str) -> tuple[float, int, str]:
        return (found[url].mean_position if by == "position" else 0.0, -found[url].clicks, url)

    return sorted(found, key=key)
