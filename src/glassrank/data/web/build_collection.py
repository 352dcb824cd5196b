"""Documents of a source become pages and links."""

import datetime
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.progress import Progress
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.column_table import LATEST_TIME
from glassrank.data.hosts import host_of
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.charset import decode_page
from glassrank.data.web.documents import Document
from glassrank.data.web.html_nesting import nests_too_deep
from glassrank.data.web.html_page import HtmlPage, read_html
from glassrank.data.web.redirects import Redirects
from glassrank.data.web.url_patterns import left_out_test

# The level that gzip takes by itself; it costs a tenth of the building.
GZIP_LEVEL = 6
_TAKEN_AS_THEY_ARE = (
    *("title", "text", "h1", "headings", "description", "site_name"),
    *("link_words", "images", "has_form", "hidden_share"),
)


class NoPagesError(DataError):
    """A source without a single page."""


class Addresses(Protocol):
    """How a source writes the addresses of its pages."""

    def resolve(self, base: str, href: str) -> str | None:
        """Return the address that a link means."""

    def names(self, address: str) -> tuple[str, ...]:
        """Names by which patterns may mean the page."""

    def alternatives(self, address: str) -> tuple[str, ...]:
        """Other addresses that lead to the same page."""


class DocumentSource(Protocol):
    """A source of documents with its own way to write addresses."""

    kind: str
    addresses: Any

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield the documents one by one."""


@dataclass
class RawLinks:
    """Links while they are gathered: row of the page that links, address linked to, anchor and flag."""

    source: list[int]
    target: list[str]
    anchor: list[str]
    nofollow: list[bool]


def build_collection(
    source: DocumentSource,
    tally: ReadingTally,
    progress: Progress,
    drop: Sequence[str] = (),
    leave_out: Sequence[str] = (),
) -> Collection:
    """Read every document of a source, one at a time, and join them to a collection."""
    builder = _Builder(source.addresses, tally, drop, leave_out)
    for document in source.documents(tally, progress):
        builder.add(document)
    return builder.finish()


class _Builder:
    """Gathers the columns of the pages and the links, and resolves the links when all pages are known."""

    def __init__(
        self, addresses: Addresses, tally: ReadingTally, drop: Sequence[str], leave_out: Sequence[str]
    ) -> None:
        self._addresses = addresses
        self._tally = tally
        self._drop = drop
        self._dropped = dict.fromkeys(drop, 0)
        self._fits = left_out_test(leave_out)
        self._row_of: dict[str, int] = {}
        self._columns: dict[str, list[Any]] = {name: [] for name in (*_TAKEN_AS_THEY_ARE, *_WORKED_OUT)}
        self._links = RawLinks([], [], [], [])
        self._redirects = Redirects()

    def add(self, document: Document) -> None:
        """Take in a document: as a page, as a redirect, or as something that is counted and left."""
        address = document.address
        if self._is_left_out(address):
            self._tally.skip("left out by leave_out", address)
        elif document.redirect is not None:
            self._add_redirect(address, document.redirect, "redirect (links to it lead on)")
        elif address in self._row_of:
            self._tally.skip("address that an earlier page has", address)
        else:
            self._add_page(document)

    def _is_left_out(self, address: str) -> bool:
        return any(map(self._fits, self._addresses.names(address)))

    def _add_page(self, document: Document) -> None:
        decoded = decode_page(document.raw, document.charset)
        if decoded.n_replaced:
            self._tally.note("page with bytes that its charset does not know (replaced)", document.address)
            self._tally.note("byte replaced", "", decoded.n_replaced)
        if nests_too_deep(decoded.text):
            self._tally.skip("page nested too deep", document.address)
            return
        page = read_html(decoded.text, self._drop)
        base = self._base_of(document.address, page.base)
        if page.refresh and self._add_redirect(
            document.address, page.refresh, "page that leads elsewhere at once", base
        ):
            return
        for selector, count in page.dropped.items():
            self._dropped[selector] += count
        row = self._row_of[document.address] = len(self._row_of)
        for name in _TAKEN_AS_THEY_ARE:
            self._columns[name].append(getattr(page, name))
        for name, work_out in _WORKED_OUT.items():
            self._columns[name].append(work_out(page, document))
        self._add_links(row, document.address, base, page)

    def _base_of(self, address: str, href: str) -> str:
        return (self._addresses.resolve(address, href) if href else None) or address

    def _add_redirect(self, address: str, href: str, kind: str, base: str | None = None) -> bool:
        """Note where an address leads; False where it leads to itself, or to no address."""
        target = self._addresses.resolve(base or address, href)
        if target is None or target == address:
            if base is None:
                self._tally.skip("redirect that leads nowhere", address)
            return False
        # Of a redirect nothing is lost; a page that leads on has content, which is not kept.
        (self._tally.note if base is None else self._tally.skip)(kind, address)
        self._redirects.add(address, target)
        return True

    def _add_links(self, row: int, address: str, base: str, page: HtmlPage) -> None:
        links, resolve = self._links, self._addresses.resolve
        for link in page.links:
            target = resolve(base, link.href)
            if target is None:
                continue
            # A place on the page itself is no other page.
            if target == address and ("#" in link.href or not link.href.strip()):
                continue
            links.source.append(row)
            links.target.append(target)
            links.anchor.append(link.anchor)
            links.nofollow.append(link.nofollow)

    def finish(self) -> Collection:
        """Resolve the links and make the containers."""
        for selector, count in self._dropped.items():
            self._tally.note(f"element dropped by {selector!r}", "", count)
        if not self._row_of:
            raise NoPagesError
        urls = list(self._row_of)
        final = {target: self._final_target(target) for target in set(self._links.target)}
        kept = [number for number, target in enumerate(self._links.target) if final[target] is not None]
        gone = len(self._links.target) - len(kept)
        if gone:
            self._tally.note("link to a page left out (dropped)", "", gone)
        raw = self._links
        links = Links(
            source=[urls[raw.source[number]] for number in kept],
            target=[final[raw.target[number]] for number in kept],
            anchor=[raw.anchor[number] for number in kept],
            nofollow=np.array([raw.nofollow[number] for number in kept], dtype=bool),
        )
        counts = count_links(len(urls), [raw.source[number] for number in kept], links)
        return Collection(Pages(url=urls, **self._columns, **counts), links)

    def _final_target(self, target: str) -> str | None:
        """Where a link ends: the page that stands there, past all redirects; None where it was left out."""
        found = self._page_at(target)
        if found is None:
            if self._is_left_out(target):
                return None
            final, circular = self._redirects.follow(target, stop=self._row_of)
            if circular:
                self._tally.note("circle of redirects (links kept as they are)", target)
            found = self._page_at(final) or final
        return None if self._is_left_out(found) else found

    def _page_at(self, address: str) -> str | None:
        if address in self._row_of:
            return address
        if address in self._redirects:
            return None
        return next((other for other in self._addresses.alternatives(address) if other in self._row_of), None)


def count_links(n_pages: int, rows: Sequence[int], links: Links) -> dict[str, Any]:
    """Count each page's links to its own host and to others, and the other hosts."""
    hosts = {url: host_of(url) for url in {*links.source, *links.target}}
    internal, external = np.zeros(n_pages), np.zeros(n_pages)
    others: list[set[str]] = [set() for _ in range(n_pages)]
    for row, source, target in zip(rows, links.source, links.target, strict=True):
        host = hosts[target]
        if host == hosts[source]:
            internal[row] += 1
        else:
            external[row] += 1
            others[row].add(host)
    return {
        "internal_links": internal,
        "external_links": external,
        "external_hosts": np.array([len(known) for known in others], dtype=float),
    }


def read_time(text: str) -> float:
    """Return a time of HTTP or of ISO 8601 in seconds since 1970; NaN for what is neither. Without a zone it is UTC.

    >>> read_time("Thu, 01 Jan 1970 00:01:00 GMT"), read_time("1970-01-02"), read_time("yesterday")
    (60.0, 86400.0, nan)
    """
    time = None
    for read in (datetime.datetime.fromisoformat, parsedate_to_datetime):
        try:
            time = read(text.strip())
            break
        # What email.utils raises for broken text depends on how it is broken.
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    if time is None:
        return np.nan
    seconds = (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).timestamp()
    return seconds if abs(seconds) <= LATEST_TIME else np.nan


def packed_size(raw: bytes) -> int:
    """Return the number of bytes that gzip makes of a page."""
    packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return len(packer.compress(raw)) + len(packer.flush())


_WORKED_OUT: dict[str, Callable[[HtmlPage, Document], Any]] = {
    "language": lambda page, document: page.language or document.language,
    "modified": lambda page, document: read_time(page.modified or document.modified),
    "html_bytes": lambda page, document: len(document.raw),
    "gzip_bytes": lambda page, document: packed_size(document.raw),
}
