"""The 6 features of the query itself, the same in all its rows."""

import math
from itertools import pairwise

from tests.reference.navigational.events import issued
from tests.reference.navigational.text import LAMBDA, add_counts, background, count, normal, terms, tokens
from tests.reference.navigational.url import url_type_of

START = ("start",)


def add_one(term, counts, vocabulary):
    """(c + 1) / (total + V + 1) with the vocabulary of both parts of the collection."""
    return (counts.get(term, 0) + 1) / (sum(counts.values()) + len(vocabulary) + 1)


def q_kkdist(row, world):
    """Σ over T(q) of ln(P(t | home) / P(t | topic)): root pages and the others."""
    home = add_counts(world.whole[page["url"]] for page in world.pages if url_type_of(page["url"]) == 0)
    topic = add_counts(world.whole[page["url"]] for page in world.pages if url_type_of(page["url"]) != 0)
    if not home or not topic or not terms(row["query"]):
        return None
    vocabulary = set(home) | set(topic)
    return sum(
        math.log(add_one(term, home, vocabulary) / add_one(term, topic, vocabulary)) for term in terms(row["query"])
    )


def pages_with(world, *wanted):
    """Pages whose title or body contains all these words."""
    return sum(1 for words in world.whole.values() if all(word in words for word in wanted))


def q_kkmi(row, world):
    """Mean over neighbouring tokens a, b of ln((n_ab + ½)(N + ½) / ((n_a + ½)(n_b + ½))), n counting pages."""
    values = []
    for a, b in pairwise(tokens(row["query"])):
        both, one, other = pages_with(world, a, b), pages_with(world, a), pages_with(world, b)
        values.append(math.log((both + 0.5) * (len(world.pages) + 0.5) / ((one + 0.5) * (other + 0.5))))
    return sum(values) / len(values) if values and world.pages else None


def q_kkanc(row, world):
    """Mean of (anchors with t) / (pages with t) over the terms t of T(q) that occur in pages."""
    rates = []
    for term in terms(row["query"]):
        pages = pages_with(world, term)
        if pages:
            rates.append(sum(1 for link in world.links if term in tokens(link["anchor"])) / pages)
    return sum(rates) / len(rates) if rates else None


def q_freq(row, world):
    """ln(1 + times that q was issued)."""
    return math.log(1 + sum(1 for event in issued(world.log) if event["query"] == normal(row["query"])))


def q_lm(row, world):
    """Mean over the tokens of ln((1 − λ) c(a b)/c(a ·) + λ P(b)); P(b) alone if nothing follows a."""
    queries = [tokens(event["query"]) for event in issued(world.log)]
    singles = count(word for query in queries for word in query)
    pairs = count(pair for query in queries for pair in pairwise([START, *query]))
    if not singles or not tokens(row["query"]):
        return None
    logs = []
    for a, b in pairwise([START, *tokens(row["query"])]):
        followed = sum(number for (first, _), number in pairs.items() if first == a)
        single = background(b, singles)
        p = (1 - LAMBDA) * pairs.get((a, b), 0) / followed + LAMBDA * single if followed else single
        logs.append(math.log(p))
    return sum(logs) / len(logs)


FEATURES = {
    "q_kkdist": q_kkdist,
    "q_kkmi": q_kkmi,
    "q_kkanc": q_kkanc,
    "q_len": lambda row, world: len(tokens(row["query"])),
    "q_freq": q_freq,
    "q_lm": q_lm,
}
