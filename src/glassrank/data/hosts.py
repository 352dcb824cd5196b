"""Host and registered domain of an address."""

from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from glassrank.core.checks import DataError


def host_of(url: str) -> str:
    """Return the host of an address in lower case, without the port; '' if the address has no host.

    >>> host_of("https://www.Example.org:8080/a?b"), host_of("folder/page.html")
    ('www.example.org', '')
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError as error:
        raise DataError(f"{url!r} is not an address: {error}.", remedy="Correct or drop it.") from error


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


@cache
def _suffix_list() -> Any:
    # Imported and parsed when first used: the list costs a tenth of a second.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
