"""The parts of an address that the features use; an invalid address has none of them and causes no error."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from glassrank.data.web.readable_address import readable_address, readable_host
from glassrank.navigational.normal_text import normal_text

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")
_INDEX_PAGE = re.compile(r"(index|default|home)(\.[a-z0-9]+)?")
_KEPT = 1 << 18


class Host(NamedTuple):
    """A host, with its domain and suffix by the public suffix list."""

    name: str
    """In lower case, without user and port; '' if the address has none."""
    domain: str
    """Public suffix and one more label; the host itself for an IP address or if there is no further label."""
    suffix: str
    """Public suffix, '' if there is no further label."""

    @property
    def bare(self) -> str:
        """h: the host in its own letters, without a leading ``www.``."""
        return readable_host(self.name.removeprefix("www."))

    @property
    def second_level(self) -> str:
        """s: the first label of a domain with a public suffix, otherwise the host, in its own letters."""
        return readable_host(self.domain.split(".")[0] if self.suffix else self.name)

    @property
    def n_subdomains(self) -> int:
        """Number of labels before the domain, without a leading ``www``."""
        if not self.suffix:
            return 0
        labels = self.name.rstrip(".").removesuffix(self.domain).split(".")[:-1]
        return len(labels) - (labels[:1] == ["www"])


class Address(NamedTuple):
    """An address in parts."""

    text: str
    """u: the normal text in its own letters, without scheme and a leading ``www.``."""
    host: Host
    path: str
    """Path in normal text, in its own letters."""
    query_string: str
    is_readable: bool = True
    """Whether the address can be parsed."""

    @property
    def segments(self) -> list[str]:
        """Non-empty segments of the path."""
        return [part for part in self.path.split("/") if part]

    @property
    def folder(self) -> tuple[list[str], bool]:
        """Segments of the path without an index page, and whether the rest ends in a file."""
        parts = self.segments
        is_file = bool(self.path) and not self.path.endswith("/")
        if is_file and _INDEX_PAGE.fullmatch(parts[-1]):
            return parts[:-1], False
        return parts, is_file

    @property
    def url_type(self) -> float:
        """0 root, 1 one directory, 2 more, 3 a file or an address with a query string; NaN without a host."""
        if not self.host.name:
            return float("nan")
        parts, is_file = self.folder
        return 3.0 if is_file or self.query_string else float(min(len(parts), 2))


@lru_cache(maxsize=_KEPT)
def read_address(url: str) -> Address:
    """Parse an address; an invalid one has no host, path or query string.

    >>> address = read_address("https://www.News.bbc.co.uk/a/index.html?x=1")
    >>> address.text, address.host
    ('news.bbc.co.uk/a/index.html?x=1', Host(name='www.news.bbc.co.uk', domain='bbc.co.uk', suffix='co.uk'))
    >>> address.host.second_level, address.host.n_subdomains, address.url_type
    ('bbc', 1, 3.0)
    >>> read_address("http://www.xn--bcher-kva.de/caf%C3%A9").text
    'bücher.de/café'
    >>> read_address("http://[broken").is_readable
    False
    """
    shown = readable_address(url)
    text = _SCHEME.sub("", normal_text(shown)).removeprefix("www.")
    try:
        parts = urlsplit(url)
        host = read_host(parts.hostname or "")
    except ValueError:
        return Address(text, read_host(""), "", "", is_readable=False)
    return Address(text, host, normal_text(readable_address(parts.path)), parts.query)


@lru_cache(maxsize=_KEPT)
def read_host(name: str) -> Host:
    """Look a host up in the public suffix list.

    >>> read_host("127.0.0.1"), read_host("a.github.io").domain
    (Host(name='127.0.0.1', domain='127.0.0.1', suffix=''), 'a.github.io')
    """
    is_number = ":" in name or name.replace(".", "").isdigit()
    domain = None if not name or is_number else _suffix_list().privatesuffix(name)
    return Host(name, name, "") if domain is None else Host(name, domain, _suffix_list().publicsuffix(name))


def hosts_of(urls: Iterable[str]) -> list[str]:
    """Host of each address."""
    return [read_address(url).host.name for url in urls]


def domains_of(urls: Iterable[str]) -> list[str]:
    """Domain of each address."""
    return [read_address(url).host.domain for url in urls]


@cache
def _suffix_list() -> Any:
    # Imported and parsed on first use, because the list takes a tenth of a second to load.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
