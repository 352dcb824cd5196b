"""Similarity of the query to the anchor texts of a result: every text is compared with the query."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.anchor_texts import AnchorLinks, AnchorScope
from glassrank.navigational.features.common_substring import common_substring_lengths
from glassrank.navigational.features.distinct_pairs import Pairs
from glassrank.navigational.features.edit_likeness import likeness
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import spread
from glassrank.navigational.features.wanted_features import Column, only_wanted
from glassrank.navigational.features.word_coverage import SharedWords

BLOCK = 1 << 19
"""Number of comparisons of a query and a text in memory at a time."""
_SUMS = ("contain", "cov", "jacc", "ed_mean", "lcs")
_LIKE = ("ed_mean", "ed_max", "ed_top")
_NAMES = (*_SUMS, "ed_max", "ed_top", "hostdiv")


def match_texts(
    sources: IntentSources, pairs: Pairs, scopes: Sequence[AnchorScope], tie: float, wanted: Collection[str] = _NAMES
) -> list[dict[str, FloatArray]]:
    """The wanted features that compare the query with the texts of a target, for scopes with the same links."""
    found = [{name: np.full(len(pairs), np.nan) for name in _NAMES if name in wanted} for _ in scopes]
    if not found[0]:
        return found
    starts = scopes[0].weights.indptr.astype(np.int64)
    for chosen in _blocks(np.flatnonzero(np.diff(starts)[pairs.other]), np.diff(starts)[pairs.other]):
        owner, place = spread(starts, pairs.other[chosen])
        text = scopes[0].weights.indices[place].astype(np.int64)
        values, shared = _compare(sources, scopes[0].links, pairs.one[chosen], owner, text, wanted)
        for scope, into in zip(scopes, found, strict=True):
            share = scope.shares[place]
            for name in set(_SUMS) & into.keys():
                into[name][chosen] = np.bincount(owner, share * values[name], len(chosen))
            if "ed_max" in into or "ed_top" in into:
                for name, best in _best_likeness(owner, share, values["ed_mean"], tie).items():
                    if name in into:
                        into[name][chosen] = best
            if "hostdiv" in into:
                into["hostdiv"][chosen] = _host_diversity(scope, owner[shared], place[shared], len(chosen))
    return found


def _best_likeness(owner: IntArray, share: FloatArray, like: FloatArray, tie: float) -> dict[str, FloatArray]:
    """Largest similarity of any text of each owner, and of those with the largest share."""
    begins = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    top = np.maximum.reduceat(share, begins)[owner]
    of_top = np.where(share > top - tie, like, -np.inf)
    return {"ed_max": np.maximum.reduceat(like, begins), "ed_top": np.maximum.reduceat(of_top, begins)}


def _blocks(chosen: IntArray, lengths: IntArray) -> Iterator[IntArray]:
    """Split the pairs into parts of at least one pair whose texts fit into memory."""
    ends = np.cumsum(lengths[chosen])
    begin = 0
    while begin < len(chosen):
        done = ends[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ends, done + BLOCK, side="right")), begin + 1)
        yield chosen[begin:end]
        begin = end


def _compare(
    sources: IntentSources,
    links: AnchorLinks,
    query_of: IntArray,
    owner: IntArray,
    text_of: IntArray,
    wanted: Collection[str],
) -> tuple[dict[str, FloatArray], FloatArray]:
    """Similarity of the query to each text, as far as wanted features need it, and whether they share a word."""
    different = Pairs.of(query_of[owner], text_of)
    query, text = different.one, different.other
    shared = SharedWords.of(sources.query_words, links.words.counts, query, text)
    columns: dict[str, Column] = {
        "contain": lambda: shared.contained,
        "cov": lambda: shared.coverage,
        "jacc": lambda: shared.jaccard,
        "ed_mean": lambda: likeness(sources.queries, links.texts, query, text),
        "lcs": lambda: common_substring_lengths(sources.queries, links.texts, query, text) / links.text_lengths[text],
    }
    needed = {*wanted, "ed_mean"} if not set(_LIKE).isdisjoint(wanted) else wanted
    values = only_wanted(columns, needed)
    return {name: different.rows(value) for name, value in values.items()}, different.rows(shared.number > 0)


def _host_diversity(scope: AnchorScope, owner: IntArray, entry: IntArray, n_owners: int) -> FloatArray:
    """Entropy of the source hosts by weight over the entries of each owner; NaN without entries."""
    of, place = spread(scope.host_starts, entry)
    hosts = Pairs.of(owner[of], scope.hosts[place])
    weights = np.bincount(hosts.of_row, scope.host_weights[place], len(hosts))
    total = np.bincount(hosts.one, weights, n_owners)
    share = weights / total[hosts.one]
    return np.where(total > 0, np.bincount(hosts.one, -share * np.log(share), n_owners), np.nan)
