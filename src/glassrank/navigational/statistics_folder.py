"""Statistics of a log, with links and pages, stored in a folder: the features of queries without reading the log."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.input_types import TableLike
from glassrank.core.wording import counted
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.reading_report import ReadingTally
from glassrank.data.search_results import SearchResults
from glassrank.data.web.collection_store import has_collection, load_collection, save_collection
from glassrank.files.atomic_files import make_folder
from glassrank.navigational.feature_settings import BARE
from glassrank.navigational.features.log.make_statistics import make_log_statistics
from glassrank.navigational.features.log_extent import LogExtent
from glassrank.navigational.features.log_statistics import MANIFEST, LogStatistics, load_log_statistics
from glassrank.navigational.features.sources import IntentSources

_WEB = "collection"
_KIND = "links and pages of queries"
_NOTHING: dict[str, list[Any]] = {"query_id": [], "query": [], "rank": [], "url": []}


@dataclass(frozen=True, eq=False)
class IntentStatistics:
    """What the features of any query need: counts of a log, and links and pages, which are None if not given.

    >>> from glassrank.data.query_log import QueryLog
    >>> log = QueryLog(query=["zen"], action=["click"], url=["http://zen.org/"])
    >>> statistics = save_intent_statistics("counts", log)
    >>> print(statistics)
    1 event of 1 query
    >>> statistics.sources(statistics.clicks.results("Zen"))
    IntentSources(1 result, clicks)
    """

    clicks: LogStatistics
    links: Links | None = None
    pages: Pages | None = None

    def __str__(self) -> str:
        web = {"link": self.links, "page": self.pages}
        sizes = [counted(len(table), name) for name, table in web.items() if table is not None]
        return ", ".join([str(LogExtent.of(self.clicks.facts)), *sizes])

    def sources(
        self,
        results: SearchResults | None = None,
        *,
        language: str | None = None,
        trusted_hosts: Sequence[str] | None = None,
        urlmr: str = BARE,
    ) -> IntentSources:
        """Return the sources of the features of some results; ``with_results`` of the sources takes others."""
        return IntentSources(
            SearchResults(**_NOTHING) if results is None else results,
            self.clicks,
            self.links,
            self.pages,
            language,
            trusted_hosts,
            urlmr=urlmr,
            bare_hosts=self.clicks.bare_hosts,
        )


def save_intent_statistics(
    folder: str | os.PathLike[str],
    clicks: TableLike,
    links: Links | None = None,
    pages: Pages | None = None,
    *,
    bare_hosts: bool = False,
    engine: str = "duckdb",
) -> IntentStatistics:
    """Read a log once, and store what the features of any query need from it in a folder, with links and pages.

    Features computed from the statistics equal those computed from the log to the last bit. ``clicks`` is a
    ``QueryLog``, a table with its columns, or the path of a Parquet, CSV or TSV file. The folder must not contain
    statistics yet. It contains Parquet files and is complete when the function returns. A host that the log writes both
    in its own letters and in Punycode (``xn--``) counts as one, which it does in features from the log only if a
    result, a link or a page is written in one of the two ways.

    >>> from glassrank.data.query_log import QueryLog
    >>> log = QueryLog(query=["zen", "Zen "], action=["click"] * 2, url=["http://zen.org/", "http://a.org/"])
    >>> statistics = save_intent_statistics("statistics", log)
    >>> statistics.clicks
    LogStatistics(2 queries, 2 clicks)
    >>> statistics.clicks.results("zen").url.tolist()
    ['http://a.org/', 'http://zen.org/']
    """
    check_new_statistics(folder)
    place = make_folder(folder)
    if links is not None or pages is not None:
        _save_web(links, pages, place / _WEB)
    # The log comes last, because its manifest marks the folder as complete.
    made = make_log_statistics(
        clicks, place, engine=engine, bare_hosts=bare_hosts, with_links=links is not None, with_pages=pages is not None
    )
    return IntentStatistics(made, links, pages)


def check_new_statistics(folder: str | os.PathLike[str]) -> None:
    """Raise an error if the folder already contains statistics, or a part of them."""
    if (Path(folder) / MANIFEST).exists() or has_collection(Path(folder) / _WEB):
        raise DataError(f"{folder}: the folder already contains statistics.", remedy="Choose another folder.")


def _save_web(links: Links | None, pages: Pages | None, folder: Path) -> None:
    links = Links(source=[], target=[], anchor=[]) if links is None else links
    pages = Pages(url=[], title=[], text=[]) if pages is None else pages
    reading = ReadingTally().report(str(folder), _KIND, len(pages), len(links))
    save_collection(Collection(pages, links), make_folder(folder), "", reading)


def load_intent_statistics(folder: str | os.PathLike[str]) -> IntentStatistics:
    """Open statistics that ``save_intent_statistics`` stored; the counts are read when a query needs them.

    >>> load_intent_statistics("nowhere")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: nowhere: there are no statistics. Make them: glassrank intent statistics.
    """
    place = Path(folder)
    if not (place / MANIFEST).is_file():
        raise DataError(f"{folder}: there are no statistics.", remedy="Make them: glassrank intent statistics.")
    clicks = load_log_statistics(place)
    found: dict[str, Any] = {}
    if clicks.with_links or clicks.with_pages:
        web = load_collection(place / _WEB)
        found |= {"links": web.links} if clicks.with_links else {}
        found |= {"pages": web.pages} if clicks.with_pages else {}
    return IntentStatistics(clicks, **found)
