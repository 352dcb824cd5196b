"""Features of the query in the result's address, and of the address itself."""

from collections.abc import Callable, Container
from functools import cache, partial

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.feature_settings import LITERAL
from glassrank.navigational.features.address_parts import Address, Host
from glassrank.navigational.features.common_substring import common_substring_lengths
from glassrank.navigational.features.distinct_pairs import Pairs
from glassrank.navigational.features.edit_likeness import likeness
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import numbered
from glassrank.navigational.features.wanted_features import Column, only_wanted
from glassrank.navigational.features.word_coverage import divide
from glassrank.navigational.normal_text import normal_text
from glassrank.text.tokens import tokenise

GENERIC = frozenset({"com", "org", "net", "gov", "edu"})
NAN = float("nan")

FEATURES: tuple[Feature, ...] = declare(
    "url",
    "results",
    {
        "urlmr": "lcs(q, u) / len u",
        "hostmr": "lcs(q, h) / len h",
        "sldmr": "lcs(q, s) / len s",
        "qcov_sld": "lcs(q, s) / len q",
        "sld_exact": "1 if q = s",
        "sld_prefix": "length of the common prefix of q and s / len s",
        "sld_lev": "1 − lev(q, s) / max(len q, len s)",
        "acronym": "1 if the first characters of t(q), joined, are s",
        "sld_cov": "terms of T(q) that are substrings of s / # T(q)",
        "host_cov": "terms of T(q) that are substrings of h / # T(q)",
        "path_cov": "terms of T(q) that are substrings of the path / # T(q)",
        "url_cov": "terms of T(q) that are substrings of u / # T(q)",
        "url_jacc": "#(T(q) ∩ T(u)) / #(T(q) ∪ T(u))",
        "c3_dice": "2 #(A ∩ B) / (#A + #B), character 3-grams of q and h",
        "url_len": "len u",
        "host_len": "len h",
        "depth": "# segments of the path",
        "url_type": "0 root, 1 one directory, 2 more directories, 3 file",
        "is_root": "1 if url_type is 0",
        "n_sub": "# labels before the domain, without www",
        "gen_suffix": "1 if the public suffix is com, org, net, gov or edu",
        "n_params": "# parts of the query string",
        "digit_ratio": "digits in u / len u",
        "delim_ratio": "characters -, _, %, ~ in u / len u",
    },
)

# Features of the address alone; those of the host are missing without a host.
_OF_ADDRESS: dict[str, Callable[[Address], float]] = {
    "url_len": lambda address: len(address.text),
    "host_len": lambda address: len(address.host.bare) if address.host.name else NAN,
    "depth": lambda address: len(address.segments),
    "url_type": lambda address: address.url_type,
    "is_root": lambda address: float(address.url_type == 0) if address.host.name else NAN,
    "n_sub": lambda address: address.host.n_subdomains if address.host.name else NAN,
    "gen_suffix": lambda address: float(address.host.suffix in GENERIC) if address.host.name else NAN,
    "n_params": lambda address: sum(1 for part in address.query_string.split("&") if part),
    "digit_ratio": lambda address: _share_of("0123456789", address.text),
    "delim_ratio": lambda address: _share_of("-_%~", address.text),
}


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    columns: dict[str, Column] = {
        **{name: partial(_of_address, sources, of) for name, of in _OF_ADDRESS.items()},
        **_of_query_and_address(sources, Pairs.of(sources.query_of, sources.url_of)),
    }
    hosts, host_of_url = numbered(address.host for address in sources.addresses)
    host_of = host_of_url[sources.url_of]
    has_host = np.array([bool(host.name) for host in hosts], dtype=bool)[host_of]
    of_host = only_wanted(_of_query_and_host(sources, hosts, Pairs.of(sources.query_of, host_of)), wanted)
    found = {name: np.where(has_host, values, np.nan) for name, values in of_host.items()}
    return found | only_wanted(columns, wanted)


def _of_address(sources: IntentSources, of: Callable[[Address], float]) -> FloatArray:
    return np.array([of(address) for address in sources.addresses], dtype=np.float64)[sources.url_of]


def _of_query_and_address(sources: IntentSources, pairs: Pairs) -> dict[str, Column]:
    texts = [address.text for address in sources.addresses]
    paths = [address.path for address in sources.addresses]
    terms = [frozenset(tokens) for tokens in sources.query_tokens]
    return {
        "urlmr": lambda: _urlmr(sources, texts, pairs),
        "path_cov": lambda: pairs.each(_covered, terms, paths),
        "url_cov": lambda: pairs.each(_covered, terms, texts),
        "url_jacc": lambda: pairs.each(_jaccard, terms, [frozenset(tokenise(text)) for text in texts]),
    }


def _urlmr(sources: IntentSources, bare: list[str], pairs: Pairs) -> FloatArray:
    """Length of the longest substring of the query that is in the address, divided by the length of the address."""
    literal = sources.urlmr == LITERAL
    queries, texts = (sources.queries, list(map(normal_text, sources.urls))) if literal else (_joined(sources), bare)
    common = common_substring_lengths(queries, texts, pairs.one, pairs.other)
    return pairs.rows(divide(common, np.array([len(text) for text in texts])[pairs.other]))


def _of_query_and_host(sources: IntentSources, hosts: list[Host], pairs: Pairs) -> dict[str, Column]:
    queries = _joined(sources)
    names = [host.second_level for host in hosts]
    bare = [host.bare for host in hosts]
    terms = [frozenset(tokens) for tokens in sources.query_tokens]
    in_host = cache(lambda: common_substring_lengths(queries, bare, pairs.one, pairs.other))
    in_name = cache(lambda: common_substring_lengths(queries, names, pairs.one, pairs.other))
    name_lengths = np.array([len(name) for name in names])[pairs.other]
    query_lengths = np.array([len(query) for query in queries])[pairs.one]
    return {
        "hostmr": lambda: pairs.rows(divide(in_host(), np.array([len(host) for host in bare])[pairs.other])),
        "sldmr": lambda: pairs.rows(divide(in_name(), name_lengths)),
        "qcov_sld": lambda: pairs.rows(divide(in_name(), query_lengths)),
        "sld_exact": lambda: pairs.each(lambda query, name: float(query == name), queries, names),
        "sld_prefix": lambda: pairs.each(_common_prefix, queries, names) / pairs.rows(np.maximum(name_lengths, 1)),
        "sld_lev": lambda: pairs.rows(likeness(queries, names, pairs.one, pairs.other)),
        "acronym": lambda: pairs.each(_is_acronym, sources.query_tokens, names),
        "sld_cov": lambda: pairs.each(_covered, terms, names),
        "host_cov": lambda: pairs.each(_covered, terms, bare),
        "c3_dice": lambda: pairs.each(_dice, list(map(_trigrams, queries)), list(map(_trigrams, bare))),
    }


def _joined(sources: IntentSources) -> list[str]:
    """Normalised queries, without spaces."""
    return [query.replace(" ", "") for query in sources.queries]


def _covered(terms: frozenset[str], text: str) -> float:
    return sum(term in text for term in terms) / len(terms) if terms else NAN


def _jaccard(terms: frozenset[str], others: frozenset[str]) -> float:
    if not terms:
        return NAN
    shared = len(terms & others)
    return shared / (len(terms) + len(others) - shared)


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    size = len(one) + len(other)
    return 2 * len(one & other) / size if size else NAN


def _trigrams(text: str) -> frozenset[str]:
    return frozenset(text[i : i + 3] for i in range(len(text) - 2))


def _common_prefix(one: str, other: str) -> float:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _is_acronym(tokens: list[str], name: str) -> float:
    if not tokens:
        return NAN
    # Compare the first character first, so that the tokens of long queries are rarely joined.
    return float(name[:1] == tokens[0][0] and "".join(token[0] for token in tokens) == name)


def _share_of(characters: str, text: str) -> float:
    return sum(map(text.count, characters)) / len(text) if text else NAN
