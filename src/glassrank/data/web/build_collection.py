"""Turns the documents of a source into pages and links."""

import datetime
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.progress import Progress
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.column_table import MAX_TIME
from glassrank.data.hosts import host_of, rename_host
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.charset import decode_page
from glassrank.data.web.documents import Document
from glassrank.data.web.html_limits import fault_of_markup
from glassrank.data.web.html_page import HtmlPage, read_html
from glassrank.data.web.redirects import Redirects
from glassrank.data.web.url_patterns import left_out_test

# The default level of the gzip command; it takes a tenth of the build time.
GZIP_LEVEL = 6
_COPIED_COLUMNS = (
    *("title", "text", "h1", "headings", "description", "site_name"),
    *("link_words", "images", "has_form", "hidden_share"),
)


class NoPagesError(DataError):
    """A source without a single page."""


class Addresses(Protocol):
    """The address rules of a source."""

    @property
    def is_named(self) -> bool:
        """Return whether file names give the addresses, so that alternatives are guesses and reported."""

    def resolve(self, base: str, href: str) -> str | None:
        """Return the address that a link points to."""

    def names(self, address: str) -> tuple[str, ...]:
        """Return the names of the page that patterns are matched against."""

    def alternatives(self, address: str) -> tuple[str, ...]:
        """Return other addresses to try if there is no page at this one."""


class DocumentSource(Protocol):
    """A source of documents with its own address rules."""

    kind: str
    addresses: Any

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield the documents."""


@dataclass
class RawLinks:
    """Collected links: row of the linking page, target address, anchor text and nofollow flag."""

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
    aliases: Mapping[str, str] | None = None,
) -> Collection:
    """Read every document of a source, one at a time, and combine them into a collection."""
    builder = _Builder(source.addresses, tally, drop, leave_out, aliases or {})
    for document in source.documents(tally, progress):
        builder.add(document)
    return builder.finish()


class _Builder:
    """Collects the columns of pages and links, and resolves the links when all pages are known."""

    def __init__(
        self,
        addresses: Addresses,
        tally: ReadingTally,
        drop: Sequence[str],
        leave_out: Sequence[str],
        aliases: Mapping[str, str],
    ) -> None:
        self._addresses = addresses
        self._aliases = aliases
        self._tally = tally
        self._drop = drop
        self._dropped = dict.fromkeys(drop, 0)
        self._matches = left_out_test(leave_out)
        self._row_of: dict[str, int] = {}
        self._columns: dict[str, list[Any]] = {name: [] for name in (*_COPIED_COLUMNS, *_COMPUTED_COLUMNS)}
        self._links = RawLinks([], [], [], [])
        self._redirects = Redirects()

    def add(self, document: Document) -> None:
        """Add a document as a page or redirect, or count it as skipped."""
        address = document.address
        is_left_out = self._is_left_out(address)
        if (renamed := rename_host(address, self._aliases)) != address:
            self._tally.note("page of an alias host (renamed)", address)
            address, document = renamed, replace(document, address=renamed)
        if is_left_out or self._is_left_out(address):
            self._tally.skip("excluded by leave_out", address)
        elif document.redirect is not None:
            self._add_redirect(address, document.redirect, "redirect (links to it are followed)")
        elif address in self._row_of:
            self._tally.skip("duplicate address", address)
        else:
            self._add_page(document)

    def _is_left_out(self, address: str) -> bool:
        return any(map(self._matches, self._addresses.names(address)))

    def _add_page(self, document: Document) -> None:
        decoded = decode_page(document.raw, document.charset)
        if decoded.n_replaced:
            self._tally.note("page with bytes that are invalid in its charset (replaced)", document.address)
            self._tally.note("replaced byte", "", decoded.n_replaced)
        if fault := fault_of_markup(decoded.text):
            self._tally.skip(fault, document.address)
            return
        page = read_html(decoded.text, self._drop)
        base = self._base_of(document.address, page.base)
        if page.refresh and self._add_redirect(document.address, page.refresh, "page with an immediate redirect", base):
            return
        for selector, count in page.dropped.items():
            self._dropped[selector] += count
        row = self._row_of[document.address] = len(self._row_of)
        for name in _COPIED_COLUMNS:
            self._columns[name].append(getattr(page, name))
        for name, compute in _COMPUTED_COLUMNS.items():
            self._columns[name].append(compute(page, document))
        self._add_links(row, document.address, base, page)

    def _base_of(self, address: str, href: str) -> str:
        return (self._resolve(address, href) if href else None) or address

    def _resolve(self, base: str, href: str) -> str | None:
        found = self._addresses.resolve(base, href)
        return None if found is None else rename_host(found, self._aliases)

    def _add_redirect(self, address: str, href: str, kind: str, base: str | None = None) -> bool:
        """Record a redirect; return False if it points to itself or has no valid target."""
        target = self._resolve(base or address, href)
        if target is None or target == address:
            if base is None:
                self._tally.skip("redirect without a valid target", address)
            return False
        # A redirect loses nothing, but a page with an immediate redirect has content that is skipped.
        (self._tally.note if base is None else self._tally.skip)(kind, address)
        self._redirects.add(address, target)
        return True

    def _add_links(self, row: int, address: str, base: str, page: HtmlPage) -> None:
        links, resolve = self._links, self._resolve
        for link in page.links:
            target = resolve(base, link.href)
            if target is None:
                continue
            # A fragment of the same page is not a link.
            if target == address and ("#" in link.href or not link.href.strip()):
                continue
            links.source.append(row)
            links.target.append(target)
            links.anchor.append(link.anchor)
            links.nofollow.append(link.nofollow)

    def finish(self) -> Collection:
        """Resolve the links and build the collection."""
        for selector, count in self._dropped.items():
            self._tally.note(f"element dropped by {selector!r}", "", count)
        if not self._row_of:
            raise NoPagesError
        urls = list(self._row_of)
        final = {target: self._final_target(target) for target in set(self._links.target)}
        kept = [number for number, target in enumerate(self._links.target) if final[target] is not None]
        n_dropped = len(self._links.target) - len(kept)
        if n_dropped:
            self._tally.note("link to an excluded page (dropped)", "", n_dropped)
        raw = self._links
        links = Links(
            source=[urls[raw.source[number]] for number in kept],
            target=[final[raw.target[number]] for number in kept],
            anchor=[raw.anchor[number] for number in kept],
            nofollow=np.array([raw.nofollow[number] for number in kept], dtype=bool),
        )
        counts = count_links(len(urls), [raw.source[number] for number in kept], links)
        return Collection(Pages(url=urls, **self._columns, **counts), links, aliases=dict(self._aliases))

    def _final_target(self, target: str) -> str | None:
        """Follow all redirects of a link and return its final address; None if that page is excluded."""
        found = self._page_at(target)
        if found is None:
            if self._is_left_out(target):
                return None
            final, circular = self._redirects.follow(target, stop=self._row_of)
            if circular:
                self._tally.note("redirect loop (links kept unchanged)", target)
            found = self._page_at(final) or final
        return None if self._is_left_out(found) else found

    def _page_at(self, address: str) -> str | None:
        if address in self._row_of:
            return address
        if address in self._redirects:
            return None
        found = next((other for other in self._addresses.alternatives(address) if other in self._row_of), None)
        if found is not None and self._addresses.is_named:
            self._tally.note("address of a folder or its index file (joined with the page)", address)
        return found


def count_links(n_pages: int, rows: Sequence[int], links: Links) -> dict[str, Any]:
    """Count each page's links to its own host and to other hosts, and those hosts."""
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
    """Return an HTTP or ISO 8601 time in seconds since 1970, NaN if it is neither; without a zone it is UTC.

    >>> read_time("Thu, 01 Jan 1970 00:01:00 GMT"), read_time("1970-01-02"), read_time("yesterday")
    (60.0, 86400.0, nan)
    """
    time = None
    for read in (datetime.datetime.fromisoformat, parsedate_to_datetime):
        try:
            time = read(text.strip())
            break
        # email.utils raises different errors for different kinds of malformed text.
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    if time is None:
        return np.nan
    seconds = (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).timestamp()
    return seconds if abs(seconds) <= MAX_TIME else np.nan


def packed_size(raw: bytes) -> int:
    """Return the gzip-compressed size of a page in bytes."""
    packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return len(packer.compress(raw)) + len(packer.flush())


_COMPUTED_COLUMNS: dict[str, Callable[[HtmlPage, Document], Any]] = {
    "language": lambda page, document: page.language or document.language,
    "modified": lambda page, document: read_time(page.modified or document.modified),
    "html_bytes": lambda page, document: len(document.raw),
    "gzip_bytes": lambda page, document: packed_size(document.raw),
}
