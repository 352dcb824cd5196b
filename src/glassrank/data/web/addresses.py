"""Addresses of pages: links are resolved and normalised."""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from glassrank.core.checks import DataError
from glassrank.data.hosts import LINKED_BEGINNINGS, LINKED_SCHEMES, host_of, normalise_url

# Files without a base address are resolved below a host that cannot exist (RFC 2606).
_NOWHERE = "http://files.invalid/"
# The address of their top folder.
_TOP = "/"
_BLANKS = "".join(map(chr, range(33)))
_BREAKS = re.compile(r"[\t\n\r]")
_UNREADABLE = re.compile("[\udc80-\udcff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# Links that begin with a name, with dots, or with one slash.
_IN_FOLDER = re.compile(r"/?[\w.%~-]+(?:[/?#]|$)")
# Links with a scheme and a host, and addresses with a host that no rule forbids.
_WHOLE = re.compile(r"(?:https?|ftp)://\w", re.IGNORECASE)
_PLAIN_HOST = re.compile(r"((?:https?|ftp):)//[A-Za-z0-9.:-]+(?:/|$)")


class WebAddresses:
    """Addresses of pages in web archives."""

    is_named = False

    def resolve(self, base: str, href: str) -> str | None:
        """Return the address that a link points to, without its fragment; None if it cannot be a page.

        >>> WebAddresses().resolve("http://a.org/x/y.html", "../caf%c3%a9.html#top")
        'http://a.org/caf%C3%A9.html'
        """
        return join_address(base, href)

    def names(self, address: str) -> tuple[str, ...]:
        """Return the names of the page that patterns are matched against."""
        return (address,)

    def alternatives(self, address: str) -> tuple[str, ...]:
        """Return other addresses to try if there is no page at this one."""
        return ()


class FileAddresses:
    """Addresses of pages that are files: the path inside the source, or ``base_url`` followed by the path.

    >>> addresses = FileAddresses()
    >>> page = addresses.of_file("wp/b/100%25.htm")
    >>> page, addresses.resolve(page, "../c/Caf%C3%A9.htm#top"), addresses.resolve(page, "100%2525.htm")
    ('wp/b/100%25.htm', 'wp/c/Café.htm', 'wp/b/100%25.htm')
    """

    def __init__(
        self,
        base_url: str | None = None,
        named: Callable[[str], str | None] | None = None,
        *,
        only_some: bool = False,
    ) -> None:
        """``named`` returns the address of a file, or None; ``only_some`` files are expected to have one."""
        self._only_some = only_some
        self._root = _NOWHERE if base_url is None else check_base_url(base_url)
        self._is_nowhere = base_url is None
        self._named = named
        self._place_of: dict[str, str] = {}

    def of_file(self, path: str) -> str:
        """Return the address of the file at this path inside the source."""
        found = None if self._named is None else self._named(path)
        if found is not None:
            self._place_of[found] = path
            return found
        return path if self._is_nowhere else normalise_url(self._root + quote(path))

    @property
    def is_named(self) -> bool:
        """Whether names, a pattern or a table give the files their addresses."""
        return self._named is not None and not self._only_some

    def is_of_web(self, address: str) -> bool:
        """Whether the name of a file has given it this address."""
        return address in self._place_of

    def lacks_address(self, address: str) -> bool:
        """Return whether a file should have an address of the web by its name, but has only its path."""
        return self.is_named and address not in self._place_of

    def resolve(self, base: str, href: str) -> str | None:
        """Return the address that a link points to; paths are unquoted once, as by a file server."""
        if self._is_nowhere and not base.startswith(LINKED_BEGINNINGS):
            base = _below_nowhere(base)
        found = join_address(base, href)
        if found is None or not self._is_nowhere or not found.startswith(_NOWHERE):
            return found
        path, mark, query = found.removeprefix(_NOWHERE).partition("?")
        return (unquote_path(path) + mark + query) or _TOP

    def names(self, address: str) -> tuple[str, ...]:
        """Return the names that patterns are matched against: the address and the path, with and without the query."""
        if address in self._place_of:
            return (address, self._place_of[address])
        if not self._is_nowhere and not address.startswith(self._root):
            return (address,)
        file = address.partition("?")[0]
        if self._is_nowhere:
            return (address,) if file == address else (address, file)
        return (address, file, unquote_path(file.removeprefix(self._root)))

    def alternatives(self, address: str) -> tuple[str, ...]:
        """Return what a file server tries next: the path without its query, and the index of a folder."""
        if self._is_nowhere and address.startswith(LINKED_BEGINNINGS):
            return _neighbouring(address) if self._place_of else ()
        path = address.partition("?")[0].removeprefix(_TOP)
        folder = path if path.endswith("/") or not path else path + "/"
        return (path, folder + "index.html", folder + "index.htm")


def _neighbouring(address: str) -> tuple[str, ...]:
    """Return the addresses under which servers offer the same page: a folder, with and without its index file."""
    if "?" in address:
        return ()
    folder = re.sub(r"/(?:index\.html?)?$", "", address)
    return (f"{folder}/", folder, f"{folder}/index.html", f"{folder}/index.htm")


@lru_cache(maxsize=16)
def _below_nowhere(path: str) -> str:
    return _NOWHERE + quote(path, errors="surrogatepass")


def join_address(base: str, href: str) -> str | None:
    """Return the absolute, normalised address of a link on a page; None if it cannot be a page.

    >>> join_address("http://a.org/x/", "y?q=1#part"), join_address("http://a.org/x/", "mailto:me@a.org")
    ('http://a.org/x/y?q=1', None)
    """
    plain = _BREAKS.sub("", href.strip(_BLANKS))
    # Most links depend on the folder of their page only, and whole ones on its scheme: pages share what is remembered.
    if _IN_FOLDER.match(plain):
        base = _folder_of(base)
    elif _WHOLE.match(plain) and (known := _PLAIN_HOST.match(base)):
        base = known[1] + "//files.invalid/"
    return _join(base, plain)


@lru_cache(maxsize=1 << 10)
def _folder_of(address: str) -> str:
    """Return an address without what follows the last slash of its path; the whole address if it has no path."""
    folder, slash, _ = address.partition("#")[0].partition("?")[0].rpartition("/")
    return folder + slash if folder.count("/") > 1 else address


@lru_cache(maxsize=1 << 16)
def _join(base: str, plain: str) -> str | None:
    scheme = _SCHEME.match(plain)
    if scheme and (scheme[1].lower() not in LINKED_SCHEMES or not plain[scheme.end() :].strip("/\\")):
        return None
    head, mark, tail = plain.partition("?")
    try:
        joined = urljoin(base, head.replace("\\", "/") + mark + tail)
        return normalise_url(joined) if joined.startswith(LINKED_BEGINNINGS) and urlsplit(joined).hostname else None
    except ValueError:
        return None


@lru_cache(maxsize=1 << 16)
def unquote_path(path: str) -> str:
    """Unquote a path once; bytes that are not valid UTF-8 stay escaped.

    >>> unquote_path("100%2525_caf%E9_%C3%A9"), unquote_path("a%00b")
    ('100%25_caf%E9_é', 'a%00b')
    """
    return readable_name(unquote_to_bytes(path).decode("utf-8", "surrogateescape")).replace("\0", "%00")


def readable_name(name: str) -> str:
    """Escape the bytes of a file name that are not valid UTF-8 (Python returns them as lone surrogates).

    >>> readable_name(b"caf\\xe9.htm".decode("utf-8", "surrogateescape"))
    'caf%E9.htm'
    """
    return _UNREADABLE.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", name)


def check_base_url(base_url: str) -> str:
    """Check and normalise the address of a source's top folder."""
    try:
        host = host_of(base_url)
    except DataError:
        host = ""
    if not base_url.startswith(LINKED_BEGINNINGS) or not host:
        raise DataError(
            parameter="base_url",
            expected="an absolute address such as 'http://example.org/'",
            got=base_url,
            remedy="Give the address of the source's top folder, or omit it to use paths.",
        )
    return normalise_url(base_url).rstrip("/") + "/"
