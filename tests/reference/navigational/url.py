"""Parts of an address, and the 24 URL features."""

import re
from functools import cache
from urllib.parse import unquote, urlsplit

from publicsuffixlist import PublicSuffixList

from tests.reference.navigational.text import (
    common_prefix,
    compact,
    jaccard,
    lcs,
    likeness,
    normal,
    ratio,
    terms,
    tokens,
    trigrams,
)

SUFFIXES = PublicSuffixList()
GENERIC = {"com", "org", "net", "gov", "edu"}
INDEX_PAGE = re.compile(r"(index|default|home)(\.[a-z0-9]+)?")


@cache
def host(url):
    """Host in lower case, without user and port; '' if the address has none."""
    return urlsplit(url).hostname or ""


def own_letters(text):
    """The text with escaped non-ASCII letters as letters; %20 and bytes that are not UTF-8 stay escaped."""
    parts = re.split(r"((?:%[89a-fA-F][0-9a-fA-F])+)", text)
    for at in range(1, len(parts), 2):
        shown = unquote(parts[at], errors="replace")
        parts[at] = parts[at] if "\ufffd" in shown else shown
    return "".join(parts)


def own_host(name):
    """The host with labels in Punycode as letters."""
    labels = name.split(".")
    return ".".join(
        one[4:].encode("ascii").decode("punycode") if one.lower().startswith("xn--") else one for one in labels
    )


def bare(url):
    """u: the normalised address in its own letters, without its scheme and a leading 'www.'."""
    scheme, first, rest = re.fullmatch(r"([a-zA-Z][a-zA-Z0-9+.-]*://)?([^/?#]*)(.*)", url, re.DOTALL).groups()
    shown = normal((scheme or "") + own_letters(own_host(first)) + own_letters(rest))
    return re.sub(r"^[a-z][a-z0-9+.-]*://", "", shown).removeprefix("www.")


def bare_host(url):
    """h: the host in its own letters, without a leading 'www.'."""
    return own_host(host(url).removeprefix("www."))


def is_number(name):
    """Whether a host is an IP address: with colons, or only digits and dots."""
    return ":" in name or name.replace(".", "").isdigit()


@cache
def domain(url):
    """d: public suffix and one more label; the host itself if it is an IP address or has no further label."""
    name = host(url)
    if not name or is_number(name):
        return name
    return SUFFIXES.privatesuffix(name) or name


def suffix(url):
    """Public suffix of a host that has a registered domain, otherwise ''."""
    name = host(url)
    if not name or is_number(name) or SUFFIXES.privatesuffix(name) is None:
        return ""
    return SUFFIXES.publicsuffix(name)


def second_level(url):
    """s: first label of the registered domain; the host itself if there is none."""
    return own_host(domain(url).split(".")[0] if suffix(url) else host(url))


def path(url):
    """Normalised path."""
    return normal(own_letters(urlsplit(url).path))


def segments(url):
    """Non-empty segments of the path."""
    return [part for part in path(url).split("/") if part]


def ends_in_file(url):
    """Whether the path ends in a name without '/' after it."""
    return bool(path(url)) and not path(url).endswith("/")


def url_type_of(url):
    """0 root, 1 one directory, 2 deeper directory, 3 file or an address with a query string; missing without host."""
    if not host(url):
        return None
    parts = segments(url)
    is_file = ends_in_file(url)
    if is_file and INDEX_PAGE.fullmatch(parts[-1]):
        parts, is_file = parts[:-1], False
    if is_file or urlsplit(url).query:
        return 3
    return min(len(parts), 2)


def parameters(url):
    """Non-empty parts of the query string."""
    return [part for part in urlsplit(url).query.split("&") if part]


def subdomains(url):
    """Labels before the registered domain, without a leading 'www'."""
    if not suffix(url):
        return []
    labels = host(url).removesuffix(domain(url)).split(".")[:-1]
    return labels[1:] if labels[:1] == ["www"] else labels


def covered(query, text):
    """Share of the query's terms that are substrings of the text."""
    wanted = terms(query)
    return ratio(sum(1 for term in wanted if term in text), len(wanted))


def initials(query):
    """First characters of the query's tokens."""
    return "".join(token[0] for token in tokens(query))


def dice(one, other):
    """2 |A ∩ B| / (|A| + |B|)."""
    return ratio(2 * len(one & other), len(one) + len(other))


def among(characters, text):
    """Number of characters of the text that are among these."""
    return sum(1 for c in text if c in characters)


# Arguments: the query q and the address u.
OF_PAIR = {
    "urlmr": lambda q, u: ratio(lcs(compact(q), bare(u)), len(bare(u))),
    "hostmr": lambda q, u: ratio(lcs(compact(q), bare_host(u)), len(bare_host(u))),
    "sldmr": lambda q, u: ratio(lcs(compact(q), second_level(u)), len(second_level(u))),
    "qcov_sld": lambda q, u: ratio(lcs(compact(q), second_level(u)), len(compact(q))),
    "sld_exact": lambda q, u: float(compact(q) == second_level(u)),
    "sld_prefix": lambda q, u: ratio(common_prefix(compact(q), second_level(u)), len(second_level(u))),
    "sld_lev": lambda q, u: likeness(compact(q), second_level(u)),
    "acronym": lambda q, u: float(initials(q) == second_level(u)) if tokens(q) else None,
    "sld_cov": lambda q, u: covered(q, second_level(u)),
    "host_cov": lambda q, u: covered(q, bare_host(u)),
    "path_cov": lambda q, u: covered(q, path(u)),
    "url_cov": lambda q, u: covered(q, bare(u)),
    "url_jacc": lambda q, u: jaccard(terms(q), terms(bare(u))),
    "c3_dice": lambda q, u: dice(trigrams(compact(q)), trigrams(bare_host(u))),
    "url_len": lambda q, u: len(bare(u)),
    "host_len": lambda q, u: len(bare_host(u)),
    "depth": lambda q, u: len(segments(u)),
    "url_type": lambda q, u: url_type_of(u),
    "is_root": lambda q, u: float(url_type_of(u) == 0),
    "n_sub": lambda q, u: len(subdomains(u)),
    "gen_suffix": lambda q, u: float(suffix(u) in GENERIC),
    "n_params": lambda q, u: len(parameters(u)),
    "digit_ratio": lambda q, u: ratio(among("0123456789", bare(u)), len(bare(u))),
    "delim_ratio": lambda q, u: ratio(among("-_%~", bare(u)), len(bare(u))),
}

# These do not use the host, so they are known for every address.
WITHOUT_HOST = {"urlmr", "path_cov", "url_cov", "url_jacc", "url_len", "depth", "n_params"}
WITHOUT_HOST |= {"digit_ratio", "delim_ratio"}


def feature(name):
    """Feature of a row; features of the host are missing if the address has none."""
    of = OF_PAIR[name]
    return lambda row, world: of(row["query"], row["url"]) if name in WITHOUT_HOST or host(row["url"]) else None


FEATURES = {name: feature(name) for name in OF_PAIR}
