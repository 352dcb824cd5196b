"""Unusual input, which is counted; it is neither repaired silently nor an error."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.navigational.features.address_parts import hosts_of, read_address
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.normal_text import MAX_LENGTH
from glassrank.text.tokens import tokenise

_SHOWN = 30
# Signs of text decoded with the wrong encoding: the replacement character, C1 controls, lone surrogates.
_BROKEN = frozenset(["\ufffd", *map(chr, range(0x80, 0xA0)), *map(chr, range(0xD800, 0xE000))])


@dataclass(frozen=True)
class Unusual:
    """The number of values that are unusual in one way, and the first of them."""

    count: int
    noun: str
    example: str
    consequence: str

    def __str__(self) -> str:
        return (
            f"{counted(self.count, self.noun, _PLURALS.get(self.noun))}, the first {self.example} ({self.consequence})"
        )


_PLURALS = {"query": "queries", "address": "addresses"}


def find_unusual(sources: IntentSources) -> dict[str, Unusual]:
    """Count, by kind, distinct queries and addresses for which some features are missing or unreliable.

    >>> from glassrank.data.search_results import SearchResults
    >>> results = SearchResults(query_id=[1, 1], query=["???"] * 2, rank=[1, 2], url=["http://[a", "http://b.org/"])
    >>> for kind, found in find_unusual(IntentSources(results)).items():
    ...     print(f"{kind}: {found}")
    query without a word: 1 query, the first '???' (features of its words are missing)
    unreadable address: 1 address, the first 'http://[a' (has no host and no path)
    """
    queries = list(dict.fromkeys(sources.results.query))
    addresses = dict.fromkeys(sources.urls)
    if sources.pages is not None:
        addresses |= dict.fromkeys(sources.pages.url)
    if sources.links is not None:
        addresses |= dict.fromkeys(sources.links.source) | dict.fromkeys(sources.links.target)
    kinds = {
        "empty query": ("query", filter(_is_empty, queries), "most features are 0 or missing"),
        "query without a word": ("query", filter(_is_wordless, queries), "features of its words are missing"),
        "long query": ("query", filter(_is_long, queries), f"cut off after {MAX_LENGTH:,} characters"),
        "broken characters": ("query", filter(_is_broken, queries), "decoded with the wrong encoding; used unchanged"),
        "unreadable address": ("address", filter(_is_unreadable, addresses), "has no host and no path"),
        "address without a host": (
            "address",
            filter(_is_hostless, addresses),
            "features of its host are missing; bare hosts can be read as web addresses",
        ),
        "host outside ASCII": ("address", filter(_is_international, addresses), "not the same as its xn-- form"),
        "trusted host without a link": ("host", _unlinked(sources), "has no effect; check the spelling"),
    }
    found = {kind: _counted(*parts) for kind, parts in kinds.items()}
    return {kind: unusual for kind, unusual in found.items() if unusual is not None}


def refuse_unusual(found: Mapping[str, Unusual]) -> None:
    """Raise for the first kind of unusual input."""
    for kind, unusual in found.items():
        raise DataError(
            f"{setting('strict', True)} refuses unusual input: {kind}: {unusual}.",
            remedy=("Correct or drop it", f"continue {setting('strict', False, python='with strict=False')}"),
        )


def _unlinked(sources: IntentSources) -> list[str]:
    """Trusted hosts without any link to or from them."""
    if not sources.trusted_hosts:
        return []
    ends = [] if sources.links is None else [*sources.links.source, *sources.links.target]
    hosts = set(hosts_of(list(dict.fromkeys(ends))))
    return [host for host in dict.fromkeys(sources.trusted_hosts) if host not in hosts]


def _counted(noun: str, values: Iterable[Any], consequence: str) -> Unusual | None:
    every = list(values)
    return Unusual(len(every), noun, _shown(every[0]), consequence) if every else None


def _shown(text: str) -> str:
    return ascii(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!a}… of {len(text):,} characters"


def _is_empty(query: str) -> bool:
    return not query[:MAX_LENGTH].strip()


def _is_wordless(query: str) -> bool:
    return not _is_empty(query) and not tokenise(query[:MAX_LENGTH])


def _is_long(query: str) -> bool:
    return len(query) > MAX_LENGTH


def _is_broken(query: str) -> bool:
    return not query.isascii() and not _BROKEN.isdisjoint(query)


def _is_unreadable(url: str) -> bool:
    return not read_address(url).is_readable


def _is_hostless(url: str) -> bool:
    address = read_address(url)
    return address.is_readable and not address.host.name


def _is_international(url: str) -> bool:
    return not read_address(url).host.name.isascii()
