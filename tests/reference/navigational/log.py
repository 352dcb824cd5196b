"""The 6 features from the log's other queries."""

import math

from tests.reference.navigational.click import mean, on_pair, on_url
from tests.reference.navigational.events import GAP, clicks, issued
from tests.reference.navigational.text import count, dirichlet, likeness, normal, terms, tokens


def words(some_clicks):
    """How often each word occurs in the queries of the clicks, once for each click."""
    return count(word for click in some_clicks for word in tokens(click["query"]))


def ql_lm(row, world):
    """Mean ln P(t | θ_u) over the query's tokens, Dirichlet with the queries of all clicks as collection."""
    return dirichlet(tokens(row["query"]), words(on_url(row, world)), words(clicks(world.log)))


def ql_kl(row, world):
    """Σ_t P(t|θ_u) ln(P(t|θ_u) / P(t|θ_log)), both by plain shares."""
    own, everything = words(on_url(row, world)), words(clicks(world.log))
    if not own:
        return None
    total, whole = sum(own.values()), sum(everything.values())
    return sum(n / total * math.log((n / total) / (everything[word] / whole)) for word, n in own.items())


def top_queries(row, world):
    """Queries with the most clicks on u; several if tied."""
    numbers = count(click["query"] for click in on_url(row, world))
    return [query for query, n in numbers.items() if n == max(numbers.values())]


def ql_topsim(row, world):
    """Largest 1 − lev/max between q and a top query of u."""
    return max((likeness(normal(row["query"]), top) for top in top_queries(row, world)), default=None)


def ql_topeq(row, world):
    """1 if q is a top query of u."""
    tops = top_queries(row, world)
    return float(normal(row["query"]) in tops) if tops else None


def is_reformulated(click, world):
    """Whether the same user issues another query with a common term within 30 minutes after the click."""
    return any(
        event["user"] == click["user"]
        and event["query"] != click["query"]
        and terms(event["query"]) & terms(click["query"])
        and 0 < event["time"] - click["time"] <= GAP
        for event in issued(world.log)
    )


FEATURES = {
    "ql_lm": ql_lm,
    "ql_kl": ql_kl,
    "ql_nq": lambda row, world: math.log(1 + len({click["query"] for click in on_url(row, world)})),
    "ql_topsim": ql_topsim,
    "ql_topeq": ql_topeq,
    "ql_ref": lambda row, world: mean([float(is_reformulated(click, world)) for click in on_pair(row, world)]),
}
