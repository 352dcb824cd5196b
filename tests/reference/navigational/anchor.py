"""The 63 anchor features: 21 for each scope, which defines the links of u and their weights."""

import math

from tests.reference.navigational.text import (
    add_counts,
    bm25,
    coverage,
    dirichlet,
    entropy,
    jaccard,
    lcs,
    likeness,
    normal,
    ratio,
    terms,
    tokens,
)
from tests.reference.navigational.url import domain, host

# Tolerance for equality, because rounding of sums depends on the order.
TIE = 1e-9


def counted_links(links):
    """Links that count: not nofollow, not from a page to itself."""
    return [link for link in links if not link.get("nofollow") and link["source"] != link["target"]]


def weighted(links, scope):
    """Links with text, as dicts of target (address or domain), text, source host and weight."""
    result = [
        {
            "to": domain(link["target"]) if scope == "site" else link["target"],
            "text": normal(link["anchor"]),
            "host": host(link["source"]),
            "weight": 1.0,
        }
        for link in links
        if normal(link["anchor"])
    ]
    if scope == "host":
        for link in result:
            link["weight"] = 1 / sum(1 for o in result if o["to"] == link["to"] and o["host"] == link["host"])
    return result


def own_links(row, links, scope):
    """Links that point to the row's address, or to its domain."""
    to = domain(row["url"]) if scope == "site" else row["url"]
    return [link for link in links if link["to"] == to]


def text_weights(own):
    """w(a): weight of each distinct anchor text."""
    result = {}
    for link in own:
        result[link["text"]] = result.get(link["text"], 0) + link["weight"]
    return result


def shares(own):
    """P(a) = w(a) / W as pairs (text, share), the largest first."""
    weights = text_weights(own)
    total = sum(weights.values())
    return sorted(((text, w / total) for text, w in weights.items()), key=lambda pair: -pair[1])


def expected(own, value):
    """Σ_a P(a) value(a); missing without anchors or if a value is missing."""
    values = [(share, value(text)) for text, share in shares(own)]
    if not values or any(number is None for _, number in values):
        return None
    return sum(share * number for share, number in values)


def relative_entropy(own):
    """H / ln(#texts), 0 for a single text."""
    if not own:
        return None
    number = len(text_weights(own))
    return entropy(list(text_weights(own).values())) / math.log(number) if number > 1 else 0.0


def gap(own):
    """P(a1) − P(a2), with P(a2) = 0 for a single text."""
    if not own:
        return None
    values = [share for _, share in shares(own)] + [0.0]
    return values[0] - values[1]


def median_rank(own):
    """Smallest r for which the r largest shares sum to one half or more."""
    total = 0.0
    for rank, (_, share) in enumerate(shares(own), start=1):
        total += share
        if total >= 0.5 - TIE:
            return rank
    return None


def host_diversity(own, query):
    """Entropy of the source hosts by weight, over the links whose text shares a term with q."""
    by_host = {}
    for link in own:
        if terms(link["text"]) & terms(query):
            by_host[link["host"]] = by_host.get(link["host"], 0) + link["weight"]
    return entropy(list(by_host.values()))


def equal_weights(links, query):
    """w_x(a = q) for every address or domain x that has such a link."""
    result = {}
    for link in links:
        if link["text"] == normal(query):
            result[link["to"]] = result.get(link["to"], 0) + link["weight"]
    return result


def equal_weight(own, query):
    """w_u(a = q)."""
    return sum(link["weight"] for link in own if link["text"] == normal(query))


def equal_inverse_rank(own, links, query):
    """1 / (1 + number of x with a larger w_x(a = q)); missing if no link has the query as its text."""
    weights = equal_weights(links, query)
    if not weights:
        return None
    return 1 / (1 + sum(1 for w in weights.values() if w > equal_weight(own, query) + TIE))


def contains(own, query):
    """Σ P(a) over the texts that contain every term of q."""
    wanted = terms(query)
    return expected(own, lambda text: float(wanted <= terms(text))) if wanted else None


def likest(own, query):
    """Largest similarity of q to a text."""
    return max((likeness(normal(query), text) for text in text_weights(own)), default=None)


def top_likeness(own, query):
    """Similarity of q to the text with the largest weight; the largest similarity if tied."""
    best = shares(own)
    return max((likeness(normal(query), text) for text, share in best if share > best[0][1] - TIE), default=None)


def documents(links):
    """Weighted words of each address or domain: its anchor document."""
    result = {}
    for link in links:
        words = result.setdefault(link["to"], {})
        for word in tokens(link["text"]):
            words[word] = words.get(word, 0) + link["weight"]
    return {to: words for to, words in result.items() if words}


def anchor_bm25(own, links, query):
    """BM25 of the anchor document among all anchor documents; 0 without one."""
    texts = documents(links)
    document = texts.get(own[0]["to"]) if own else None
    return bm25(tokens(query), document or {}, list(texts.values()))


def anchor_lm(own, links, query):
    """Mean ln P(t) over the query's tokens in the anchor document, Dirichlet."""
    texts = documents(links)
    document = texts.get(own[0]["to"]) if own else None
    return dirichlet(tokens(query), document, add_counts(texts.values())) if document else None


# Arguments: the links of u, all links, and the query.
OF_LINKS = {
    "mass": lambda own, links, q: math.log(1 + sum(link["weight"] for link in own)),
    "types": lambda own, links, q: math.log(1 + len(text_weights(own))),
    "H": lambda own, links, q: entropy(list(text_weights(own).values())),
    "Hn": lambda own, links, q: relative_entropy(own),
    "top1": lambda own, links, q: shares(own)[0][1] if own else None,
    "gap": lambda own, links, q: gap(own),
    "hostdiv": lambda own, links, q: host_diversity(own, q),
    "medrank": lambda own, links, q: median_rank(own),
    "eq": lambda own, links, q: expected(own, lambda text: float(text == normal(q))),
    "eq_mass": lambda own, links, q: math.log(1 + equal_weight(own, q)),
    "eq_share": lambda own, links, q: ratio(equal_weight(own, q), sum(equal_weights(links, q).values())),
    "eq_invrank": lambda own, links, q: equal_inverse_rank(own, links, q),
    "contain": lambda own, links, q: contains(own, q),
    "cov": lambda own, links, q: expected(own, lambda text: coverage(terms(q), terms(text))),
    "jacc": lambda own, links, q: expected(own, lambda text: jaccard(terms(q), terms(text))),
    "ed_mean": lambda own, links, q: expected(own, lambda text: likeness(normal(q), text)),
    "ed_max": lambda own, links, q: likest(own, q),
    "ed_top": lambda own, links, q: top_likeness(own, q),
    "lcs": lambda own, links, q: expected(own, lambda text: lcs(normal(q), text) / len(text)),
    "bm25": anchor_bm25,
    "lm": anchor_lm,
}


def feature(scope, of):
    """Feature of a row from the links of one scope."""
    return lambda row, world: of(own_links(row, world.anchors(scope), scope), world.anchors(scope), row["query"])


FEATURES = {
    f"anc_{scope}_{name}": feature(scope, of) for scope in ("link", "host", "site") for name, of in OF_LINKS.items()
}
