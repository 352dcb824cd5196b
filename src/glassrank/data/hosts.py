"""Host and registered domain of an address, and the form in which addresses are compared."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from glassrank.core.checks import DataError

LINKED_SCHEMES = ("http", "https", "ftp")
LINKED_BEGINNINGS = tuple(f"{scheme}://" for scheme in LINKED_SCHEMES)
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}
_WEB = re.compile(r"(?:https?|ftp)://", re.IGNORECASE)
_HOST = re.compile(r"((?:https?|ftp)://)([^/:?#\[\]]+)")
# A host has a dot, also if a port follows; a colon anywhere else would end a scheme.
_BARE_HOST = re.compile(r"\s*(?://)?[^\s/?#:@]+\.[^\s/?#:@.]+\.?(?::\d+)?(?:[/?#]|\s*$)")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_DOTS = re.compile(r"/\.\.?(?:/|$)")
_SAFE = "!#$%&'()*+,-./:;=?@[]_|~"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def host_of(url: str) -> str:
    """Return the host of an address in lower case, without the port; '' if the address has no host.

    >>> host_of("https://www.Example.org:8080/a?b"), host_of("folder/page.html")
    ('www.example.org', '')
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError as error:
        raise DataError(f"{url!r} is not an address: {error}.", remedy="Correct or drop it.") from error


def complete_address(address: str) -> str:
    """Return an address with the scheme that a bare host lacks; names without a host are returned as they are.

    >>> complete_address("www.Walmart.com/toys"), complete_address("https://a.org/"), complete_address("B076YX2LML")
    ('http://www.Walmart.com/toys', 'https://a.org/', 'B076YX2LML')
    """
    return f"http://{address.strip().removeprefix('//')}" if _BARE_HOST.match(address) else address


@lru_cache(maxsize=1 << 16)
def comparable_address(address: str) -> str:
    """Return the form of an address that all equivalent addresses share (RFC 3986, section 6.2).

    Two addresses name the same page if this function returns the same text for both. Names that are not addresses of
    the web, such as paths and product numbers, and addresses that cannot be parsed are equal only to themselves.

    >>> comparable_address("HTTP://Example.org:80/a/../%7euser#top"), comparable_address("wp/a.htm")
    ('http://example.org/~user', 'wp/a.htm')
    """
    if not _WEB.match(address):
        return address
    try:
        return normalise_url(address) if urlsplit(address).hostname else address
    except ValueError:
        return address


def normalise_url(url: str) -> str:
    """Normalise an address: lower-case host, no default port, no fragment, only necessary escapes and no dot segments.

    >>> normalise_url("HTTP://Example.org:80/x/../%7euser/caf\\xe9?q=a b#top")
    'http://example.org/~user/caf%C3%A9?q=a%20b'
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii():
        host = _ascii_host(host)
    if ":" in host:
        host = f"[{host}]"
    scheme = parts.scheme.lower()
    port = parts.port
    if port is not None and port != _DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    path = _without_dots(_normalise_escapes(parts.path)) or "/"
    return urlunsplit((scheme, host, path, _normalise_escapes(parts.query), ""))


def rename_host(address: str, names: Mapping[str, str]) -> str:
    """Return a normalised address with the host's other name, if it has one.

    >>> rename_host("http://www.a.org:8080/x", {"www.a.org": "a.org"}), rename_host("http://b.org/", {})
    ('http://a.org:8080/x', 'http://b.org/')
    """
    if not names or not (found := _HOST.match(address)) or found[2] not in names:
        return address
    return f"{found[1]}{names[found[2]]}{address[found.end() :]}"


def _without_dots(path: str) -> str:
    """Remove the segments . and .. (RFC 3986, section 5.2.4)."""
    if not _DOTS.search(path):
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments[1:]:
        if segment == ".." and kept:
            kept.pop()
        elif segment not in (".", ".."):
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


@lru_cache(maxsize=1 << 16)
def domain_of(url: str) -> str:
    """Return the registered domain of an address, by the public suffix list; its host if there is none.

    >>> domain_of("http://news.bbc.co.uk/a"), domain_of("http://127.0.0.1/"), domain_of("folder/page.html")
    ('bbc.co.uk', '127.0.0.1', '')
    """
    host = host_of(url)
    if not host or ":" in host or host.replace(".", "").isdigit():
        return host
    return _suffix_list().privatesuffix(host) or host


def has_public_suffix(host: str) -> bool:
    """Return whether a host ends in a suffix under which names are registered, such as .edu or .co.uk.

    >>> has_public_suffix("www.cs.cornell.edu"), has_public_suffix("index.html")
    (True, False)
    """
    return _suffix_list(accept_unknown=False).publicsuffix(host.lower()) is not None


@cache
def _suffix_list(accept_unknown: bool = True) -> Any:
    # Imported and parsed when first used: the list costs a tenth of a second.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=accept_unknown)


def _ascii_host(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return quote(host, safe="")


def _normalise_escapes(text: str) -> str:
    if "%" in text:
        text = _ESCAPE.sub(_shortest_escape, text)
    return quote(text, safe=_SAFE, errors="replace")


def _shortest_escape(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else f"%{found[1].upper()}"
