"""Features of the anchor texts of links to the result's address or domain."""

from collections.abc import Container
from functools import partial

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.anchor.anchor_match import match_texts
from glassrank.navigational.features.anchor.anchor_shape import shape_of_texts
from glassrank.navigational.features.anchor_texts import AnchorScope
from glassrank.navigational.features.distinct_pairs import Pairs
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import runs
from glassrank.navigational.features.wanted_features import Column, only_wanted, together
from glassrank.navigational.features.word_coverage import divide, look_up

TIE = 1e-9
"""Tolerance for equality, because rounding of sums depends on the order."""

_FORMULAS = {
    "mass": "ln(1 + W)",
    "types": "ln(1 + # different a)",
    "H": "entropy of the w(a)",
    "Hn": "H / ln(# different a)",
    "top1": "largest P(a)",
    "gap": "largest P(a) − second largest",
    "hostdiv": "entropy of the source hosts over links whose anchor shares a term with q",
    "medrank": "smallest r for which the r largest P(a) sum to ½ or more",
    "eq": "P(q)",
    "eq_mass": "ln(1 + w(q))",
    "eq_share": "w(q) / Σ of w_x(q) over all targets x",
    "eq_invrank": "1 / (1 + # targets with a larger w_x(q))",
    "contain": "Σ of P(a) over the a with T(q) ⊆ T(a)",
    "cov": "Σ P(a) cov(a)",
    "jacc": "Σ P(a) jacc(a)",
    "ed_mean": "Σ P(a) like(q, a)",
    "ed_max": "largest like(q, a)",
    "ed_top": "like(q, a) of the a with the largest P(a)",
    "lcs": "Σ P(a) lcs(q, a) / len a",
    "bm25": "BM25 of the anchor document",
    "lm": "ll(anchor document), Dirichlet",
}
# Scope -> the target of its links. Scopes with the same links share the comparison of texts.
_SCOPES = {"link": "links to the address", "host": "hosts that link to the address", "site": "links to the domain"}
_SAME_LINKS = (("link", "host"), ("site",))
_EQUAL = ("eq", "eq_mass", "eq_share", "eq_invrank")

FEATURES: tuple[Feature, ...] = tuple(
    feature
    for scope, says in _SCOPES.items()
    for feature in declare(
        "anchor", "links", {f"anc_{scope}_{name}": f"{formula} ({says})" for name, formula in _FORMULAS.items()}
    )
)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    if sources.links is None:
        return {}
    scopes, shapes = sources.prepared(_scopes), sources.prepared(_shapes)
    found: dict[str, FloatArray] = {}
    for names in _SAME_LINKS:
        same = {name: scopes[name] for name in names if _wanted_of(name, wanted)}
        if not same:
            continue
        pairs = Pairs.of(sources.query_of, _targets(sources, scopes[names[0]], by_domain=names == ("site",)))
        compared = {feature for name in same for feature in _wanted_of(name, wanted)}
        matched = match_texts(sources, pairs, list(same.values()), TIE, compared)
        for (name, scope), of_texts in zip(same.items(), matched, strict=True):
            columns: dict[str, Column] = {
                **{feature: partial(np.take, value, pairs.other) for feature, value in shapes[name].items()},
                **{feature: partial(of_texts.__getitem__, feature) for feature in of_texts},
                **together(_EQUAL, partial(_of_equal_texts, sources, scope, pairs)),
                "bm25": partial(scope.documents.bm25, sources.query_words, pairs.one, pairs.other),
                "lm": partial(scope.documents.dirichlet, sources.query_words, pairs.one, pairs.other),
            }
            values = only_wanted(columns, _wanted_of(name, wanted))
            found |= {f"anc_{name}_{feature}": pairs.rows(value) for feature, value in values.items()}
    return found


def _wanted_of(scope: str, wanted: Container[str] | None) -> set[str]:
    """The wanted features of a scope, without its name."""
    return {feature for feature in _FORMULAS if wanted is None or f"anc_{scope}_{feature}" in wanted}


def _scopes(whole: IntentSources) -> dict[str, AnchorScope]:
    return whole.anchor_links.scopes()


def _shapes(whole: IntentSources) -> dict[str, dict[str, FloatArray]]:
    return {name: shape_of_texts(scope, TIE) for name, scope in whole.prepared(_scopes).items()}


def _targets(sources: IntentSources, scope: AnchorScope, *, by_domain: bool) -> IntArray:
    """Row of the scope for each result's address or domain."""
    names = [address.host.domain for address in sources.compared_addresses] if by_domain else sources.compared_urls
    found = [scope.row_of.get(name, scope.nothing) for name in names]
    return np.array(found, dtype=np.int64)[sources.url_of]


def _of_equal_texts(sources: IntentSources, scope: AnchorScope, pairs: Pairs) -> dict[str, FloatArray]:
    """Features of the links whose text is the query."""
    text_of_query = np.array([scope.links.number_of.get(query, -1) for query in sources.queries], dtype=np.int64)
    text = text_of_query[pairs.one]
    some = text >= 0
    own = np.zeros(len(pairs))
    own[some] = look_up(scope.weights, pairs.other[some], text[some])
    total = np.zeros(len(pairs))
    total[some] = scope.text_weights[text[some]]
    return {
        "eq": divide(own, scope.mass[pairs.other]),
        "eq_mass": np.log(1.0 + own),
        "eq_share": divide(own, total),
        "eq_invrank": np.where(some, 1.0 / (1.0 + _heavier(scope, text, own)), np.nan),
    }


def _heavier(scope: AnchorScope, text: IntArray, own: FloatArray) -> FloatArray:
    """Number of targets for which the text of each pair has a larger weight than for the pair's own target."""
    by_text = scope.by_text
    heavier = np.zeros(len(text))
    # Pairs are sorted by query, and so by text: one run per query that equals a link text.
    for begin, end in runs(text):
        if text[begin] >= 0:
            weights = np.sort(by_text.data[by_text.indptr[text[begin]] : by_text.indptr[text[begin] + 1]])
            heavier[begin:end] = len(weights) - np.searchsorted(weights, own[begin:end] + TIE, side="right")
    return heavier
