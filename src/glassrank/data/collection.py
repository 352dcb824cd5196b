"""Pages and the links between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, IntArray, check_choice, read_only
from glassrank.core.input_types import ArrayLike
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.column_table import Column, ColumnTable
from glassrank.data.hosts import comparable_address, domain_of, host_of, rename_host

OUTSIDE = ("keep", "refuse")


@dataclass(frozen=True, eq=False, repr=False)
class Pages(ColumnTable):
    """Pages of a collection: address, title, text and, if known, properties of their HTML.

    >>> pages = Pages(url=["http://a.org/", "http://b.org/x"], title=["A", ""], text=["home of a", "x"])
    >>> print(pages.describe())
    Pages: 2 rows, 2 hosts
      url    2 different
      title  2 different, 1 empty
      text   2 different
    """

    url: Annotated[Any, Column("name", "address; no two pages share one")]
    title: Annotated[Any, Column("text", "title")]
    text: Annotated[Any, Column("text", "visible text of the body")]
    site: Annotated[Any, Column("name", "site that the page belongs to, if that is not its host")] = None
    h1: Annotated[Any, Column("text", "text of the first-level headings")] = None
    headings: Annotated[Any, Column("text", "text of the headings of levels 1 to 3")] = None
    description: Annotated[Any, Column("text", "the page's own description (meta element)")] = None
    site_name: Annotated[Any, Column("text", "name of the site that the page gives (og:site_name)")] = None
    language: Annotated[
        Any, Column("text", "declared language (html lang, otherwise Content-Language), '' if undeclared")
    ] = None
    modified: Annotated[Any, Column("time or unknown", "time of the last change")] = None
    html_bytes: Annotated[Any, Column("count", "size of the HTML")] = None
    gzip_bytes: Annotated[Any, Column("count", "size of the HTML compressed with gzip")] = None
    link_words: Annotated[Any, Column("count", "words inside links")] = None
    internal_links: Annotated[Any, Column("count", "links to the page's own host")] = None
    external_links: Annotated[Any, Column("count", "links to other hosts")] = None
    external_hosts: Annotated[Any, Column("count", "different other hosts linked to")] = None
    images: Annotated[Any, Column("count", "images")] = None
    has_form: Annotated[Any, Column("flag", "whether a form asks for text or a password")] = None
    hidden_share: Annotated[Any, Column("share", "share of the body's text that is hidden")] = None

    def _check(self) -> None:
        seen: dict[str, int] = {}
        for row, url in enumerate(self.url):
            if seen.setdefault(url, row) != row:
                raise DataError(
                    f"url must be unique: rows {seen[url]} and {row} both contain {url!r}.",
                    remedy="Drop one.",
                )

    def _facts(self) -> tuple[str, ...]:
        return (counted(len(set(self.hosts)), "host"),)

    @cached_property
    def hosts(self) -> npt.NDArray[np.object_]:
        """Host of each page."""
        return read_only(np.array([host_of(url) for url in self.url], dtype=object))

    @cached_property
    def domains(self) -> npt.NDArray[np.object_]:
        """Registered domain of each page, by the public suffix list; its host if there is none."""
        return read_only(np.array([domain_of(url) for url in self.url], dtype=object))


@dataclass(frozen=True, eq=False, repr=False)
class Links(ColumnTable):
    """Links from page to page, one row per link; two pages may be linked more than once.

    >>> Links(source=["http://a.org/"], target=["http://b.org/x"], anchor=["see x"])
    Links(1 row: source, target, anchor)
    """

    source: Annotated[Any, Column("name", "address of the page that links")]
    target: Annotated[Any, Column("name", "address of the page linked to")]
    anchor: Annotated[Any, Column("text", "text of the link")]
    nofollow: Annotated[Any, Column("flag", "whether the link asks not to be followed")] = None

    def _facts(self) -> tuple[str, ...]:
        return (counted(len(set(zip(self.source, self.target, strict=True))), "linked pair"),)


class AddressIndex:
    """Finds pages by their address; equivalent addresses, as ``comparable_address`` defines them, find the same page.

    >>> rows = AddressIndex(["http://a.org/x", "http://b.org/"], aliases={"www.b.org": "b.org"})
    >>> rows.find("HTTP://A.org:80/x"), rows.find("http://www.b.org"), rows.find("http://c.org/")
    (0, 1, -1)
    """

    def __init__(self, urls: Sequence[str], aliases: Mapping[str, str] | None = None) -> None:
        self._urls = urls
        self._aliases = aliases or {}
        self._row_of = {url: row for row, url in enumerate(urls)}

    def find(self, address: str) -> int:
        """Return the row of the page with an address; −1 if there is none."""
        row = self._row_of.get(address)
        return row if row is not None else self._row_of_equivalent.get(self._comparable(address), -1)

    @cached_property
    def _row_of_equivalent(self) -> dict[str, int]:
        # Of several equivalent addresses, the first page counts.
        rows: dict[str, int] = {}
        for row, url in enumerate(self._urls):
            rows.setdefault(self._comparable(url), row)
        return rows

    def _comparable(self, address: str) -> str:
        return rename_host(comparable_address(address), self._aliases)


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Pages and links that belong together.

    A link may start or end at a page outside the collection, unless ``outside="refuse"``. ``folder`` is where the
    collection is stored (None for one in memory), ``reading`` is its reading report, and ``aliases`` are other names of
    its hosts. Addresses are compared as RFC 3986 defines equivalence, so ``http://A.org:80`` is ``http://a.org/``.

    >>> pages = Pages(url=["a", "b"], title=["A", "B"], text=["", ""])
    >>> collection = Collection(pages, Links(source=["a", "a"], target=["b", "elsewhere"], anchor=["to b", "away"]))
    >>> collection
    Collection(2 pages, 2 links, 1 of them between these pages)
    >>> collection.link_ends.tolist()
    [[0, 1], [0, -1]]
    """

    pages: Pages
    links: Links
    outside: str = "keep"
    folder: Path | None = None
    reading: Any = None
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("outside", self.outside, OUTSIDE)
        if self.outside == "keep":
            return
        is_outside = (self.link_ends < 0).any(axis=1)
        if is_outside.any():
            row = int(np.argmax(is_outside))
            raise DataError(
                f"{counted(int(is_outside.sum()), 'link has', 'links have')} an end outside the pages, the first "
                f"at row {row}: {self.links.source[row]!r} to {self.links.target[row]!r}.",
                remedy=("Add the pages", f"pass {setting('outside', 'keep')}"),
            )

    def __repr__(self) -> str:
        inside = int((self.link_ends >= 0).all(axis=1).sum())
        pages, links = counted(len(self.pages), "page"), counted(len(self.links), "link")
        return f"Collection({pages}, {links}, {inside:,} of them between these pages)"

    @cached_property
    def workings(self) -> dict[str, Any]:
        """Cache of values computed from the collection; they stay valid because pages and links never change."""
        return {}

    @cached_property
    def rows(self) -> AddressIndex:
        """Finds pages by their address."""
        return AddressIndex(self.pages.url, self.aliases)

    @cached_property
    def link_ends(self) -> IntArray:
        """Row of each link's source and target among the pages, −1 for a page outside the collection."""
        ends = [[self.rows.find(url) for url in column] for column in (self.links.source, self.links.target)]
        return read_only(np.array(ends, dtype=np.int64).T)

    def pick_pages(self, rows: ArrayLike) -> "Collection":
        """Return a collection of these pages (indices or a mask), in the order given, without links of the others.

        Links to addresses outside this collection are kept. The result is in memory.

        >>> pages = Pages(url=["a", "b", "c"], title=["A", "B", "C"], text=["", "", ""])
        >>> links = Links(source=["a", "a", "b"], target=["b", "elsewhere", "c"], anchor=["", "", ""])
        >>> Collection(pages, links).pick_pages([2, 0]).links.target.tolist()
        ['elsewhere']
        """
        pages = self.pages.pick_rows(rows)
        kept = np.zeros(len(self.pages), dtype=bool)
        kept[rows] = True
        is_dropped = np.append(~kept, False)
        links = self.links.pick_rows(~is_dropped[self.link_ends].any(axis=1))
        return Collection(pages, links, self.outside, aliases=self.aliases)
