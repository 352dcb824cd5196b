"""Addresses that are encoded in the names of saved files, or listed in a table."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.column_table import Column, ColumnTable
from glassrank.data.hosts import LINKED_BEGINNINGS, has_public_suffix, normalise_url

# `http_^^www.a.edu^x.html` and `http:^^…`: circumflexes for slashes.
_CARETS = re.compile(r"(?:(https?|ftp)[:_]?\^\^)?([^\^]+)(?:\^(.*))?$", re.IGNORECASE)
_SCHEME_FOLDERS = {"http": "http", "http:": "http", "https": "https", "https:": "https", "ftp": "ftp", "ftp:": "ftp"}
_HOST = re.compile(
    r"(?=.{3,253}(?::|$))(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+[a-z0-9-]{1,63}(?::\d{1,5})?", re.IGNORECASE
)
_FIELDS = {
    "scheme": r"(?P<scheme>https?|ftp)",
    "host": r"(?P<host>[^/^]+?)",
    "path": r"(?P<path>.*?)",
    "url": r"(?P<url>.+?)",
    "any": r"[^/]*?",
}


@dataclass(frozen=True, eq=False, repr=False)
class FileAddressTable(ColumnTable):
    """Files of a source and the addresses from which they were saved.

    >>> FileAddressTable(file=["0001.html"], url=["http://a.org/"])
    FileAddressTable(1 row: file, url)
    """

    file: Annotated[Any, Column("name", "path of the file inside the source")]
    url: Annotated[Any, Column("name", "address of the page")]


def address_in_name(place: str) -> str | None:
    """Return the address that a file name or its folders spell; None if they spell none.

    Slashes may be written as ``^`` or ``%2F``, or the folders are those of the web, below one named after the host.

    >>> address_in_name("course/http_^^www.cs.cornell.edu^Info^CS415.html")
    'http://www.cs.cornell.edu/Info/CS415.html'
    >>> address_in_name("http%3A%2F%2Fa.org%2F%7Eme"), address_in_name("crawl/www.a.org/x/index.html")
    ('http://a.org/~me', 'http://www.a.org/x/index.html')
    >>> address_in_name("notes/page.html")
    """
    name = posixpath.basename(place)
    if "^" in name and (found := _CARETS.match(name)) and (found[1] or is_host(found[2])):
        return _web_address((found[1] or "http").lower(), found[2], (found[3] or "").replace("^", "/"))
    if "%2f" in name.lower():
        plain = unquote(name)
        if plain.lower().startswith(LINKED_BEGINNINGS):
            return _normal(plain)
        host, _, path = plain.partition("/")
        if is_host(host):
            return _web_address("http", host, path)
    return _address_of_folders(place)


def spelled_address(place: str) -> str | None:
    """Return the address that a file name is if its slashes are encoded; None for other names.

    >>> spelled_address("http_^^www.cs.cornell.edu^"), spelled_address("www.a.org/x.html")
    ('http://www.cs.cornell.edu/', None)
    """
    name = posixpath.basename(place)
    return address_in_name(name) if "^" in name or "%2f" in name.lower() else None


def _address_of_folders(place: str) -> str | None:
    parts = place.split("/")
    for depth, part in enumerate(parts[:-1]):
        if is_host(part):
            scheme = _SCHEME_FOLDERS.get(parts[depth - 1].lower(), "http") if depth else "http"
            return _web_address(scheme, part, "/".join(parts[depth + 1 :]))
    return None


def is_host(text: str) -> bool:
    """Return whether a text is the name of a host on the Internet, by the public suffix list, or an IP address.

    >>> [is_host(text) for text in ("www.cs.cornell.edu", "192.168.0.1", "pages.old", "cornell", "a.org:8080")]
    [True, True, False, False, True]
    """
    if not _HOST.fullmatch(text):
        return False
    host = text.partition(":")[0]
    numbers = host.split(".")
    if all(number.isdigit() for number in numbers):
        return len(numbers) == 4 and all(int(number) < 256 for number in numbers)
    return has_public_suffix(host)


def address_by_pattern(pattern: str) -> Callable[[str], str | None]:
    """Return a function that reads addresses from paths by a pattern with the fields host, path, scheme, url and any.

    >>> named = address_by_pattern("{any}/{host}--{path}.saved")
    >>> named("1997/www.a.org--x^y.html.saved"), named("elsewhere.html")
    ('http://www.a.org/x/y.html', None)
    """
    pieces = re.split(r"\{(\w*)\}", pattern)
    fields = pieces[1::2]
    unknown = next((field for field in fields if field not in _FIELDS), None)
    repeated = next((field for field in fields if field != "any" and fields.count(field) > 1), None)
    if unknown is not None or repeated is not None or not {"host", "url"} & set(fields):
        raise DataError(
            parameter="url_pattern",
            expected="a path with the fields {host} and {path}, or {url}, each once, and {scheme} and {any} as needed",
            got=pattern,
            remedy="For example: 'crawl/{host}/{path}'.",
        )
    compiled = re.compile("".join(_FIELDS[p] if k % 2 else re.escape(p) for k, p in enumerate(pieces)), re.DOTALL)
    return partial(_read_pattern, compiled)


def _read_pattern(compiled: re.Pattern[str], place: str) -> str | None:
    found = compiled.fullmatch(place)
    if found is None:
        return None
    parts = {name: _slashes(text) for name, text in found.groupdict().items()}
    if "url" in parts:
        return address_in_name(found["url"]) or _normal(parts["url"])
    return _web_address(parts.get("scheme", "http"), parts["host"], parts.get("path", ""))


def _slashes(text: str) -> str:
    return re.sub("%2f", "/", text, flags=re.IGNORECASE).replace("^", "/")


def address_by_table(table: FileAddressTable) -> Callable[[str], str | None]:
    """Return a function that looks up the address of a file; the addresses of a table are checked first.

    >>> address_by_table(FileAddressTable(file=["0001.html"], url=["http://A.org"]))("0001.html")
    'http://a.org/'
    """
    known: dict[str, str] = {}
    for row, (file, url) in enumerate(zip(table.file, table.url, strict=True)):
        address = _normal(url)
        if address is None:
            raise DataError(
                f"row {row}: url must be an address such as 'http://example.org/': got {url!r}.", remedy="Correct it."
            )
        if known.setdefault(posixpath.normpath(file), address) != address:
            raise DataError(f"row {row}: {file!r} has two addresses.", remedy="Drop one.")
    return known.get


def _web_address(scheme: str, host: str, path: str) -> str | None:
    # A hash is part of a file name, but would begin a fragment.
    return _normal(f"{scheme}://{host}/{path.lstrip('/')}".replace("#", "%23"))


def _normal(url: str) -> str | None:
    try:
        return normalise_url(url) if url.lower().startswith(LINKED_BEGINNINGS) and urlsplit(url).hostname else None
    except ValueError:
        return None


def check_aliases(aliases: Mapping[str, str]) -> dict[str, str]:
    """Return other names of hosts, each with the name to use; names of names are followed.

    >>> check_aliases({"www.A.edu": "a.edu", "web.a.edu": "www.a.edu"})
    {'www.a.edu': 'a.edu', 'web.a.edu': 'a.edu'}
    """
    plain = {str(old).strip().lower(): str(new).strip().lower() for old, new in aliases.items()}
    for old, new in plain.items():
        for host in (old, new):
            if not host or re.search(r"[/:?#\s]", host):
                raise DataError(
                    parameter="aliases",
                    expected="names of hosts, such as 'www.example.org' and 'example.org'",
                    got=host,
                    remedy=f"Write {setting('aliases', {'www.example.org': 'example.org'})}.",
                )
    return {old: _last_name(old, plain) for old in plain}


def _last_name(host: str, names: Mapping[str, str]) -> str:
    seen = [host]
    while (host := names.get(host, host)) not in seen:
        seen.append(host)
    if host != seen[-1]:
        raise DataError(
            f"aliases must lead to one name: {' = '.join([*seen, host])} is a circle.",
            parameter="aliases",
            got=" = ".join(seen),
            remedy="Remove one of them.",
        )
    return host
