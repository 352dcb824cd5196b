"""Features of the result list alone: ranks, scores, repeated hosts, votes of engines, and the snippet."""

from collections.abc import Container

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import Vocabulary, numbered
from glassrank.navigational.features.wanted_features import Column, only_wanted, together
from glassrank.navigational.features.word_coverage import SharedWords

FEATURES: tuple[Feature, ...] = (
    *declare("other", "results", {"rk_rr": "1 / rank"}),
    *declare(
        "other",
        "results score",
        {
            "rk_score": "score",
            "rk_rel": "score / score of the first result",
            "rk_z": "(score − mean) / standard deviation over the query's known scores",
            "rk_gap": "(score − score of the next result) / score of the first",
        },
    ),
    *declare(
        "other",
        "results",
        {
            "rk_hostdup": "# results of the query with the same host",
            "rk_domdup": "results of the query with the same domain / # results",
            "rk_hostfirst": "1 / smallest rank of a result with the same host",
        },
    ),
    *declare(
        "other",
        "results engine",
        {"rk_votes": "# engines that return the address", "rk_rrf": "Σ over engines of 1/(60 + rank_e)"},
    ),
    *declare("other", "results snippet", {"sn_cov": "cov(snippet)"}),
)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    results, fused = sources.results, sources.fused
    columns: dict[str, Column] = {"rk_rr": lambda: 1.0 / results.rank}
    columns |= together(("rk_hostdup", "rk_domdup", "rk_hostfirst"), lambda: _of_sites(sources))
    if sources.has("score"):
        columns["rk_score"] = lambda: results.score
        columns |= together(("rk_rel", "rk_z", "rk_gap"), lambda: _of_scores(sources))
    if fused is not None:
        columns |= {"rk_votes": lambda: fused.votes, "rk_rrf": lambda: fused.fusion}
    if sources.has("snippet"):
        columns["sn_cov"] = lambda: _snippet_coverage(sources)
    return only_wanted(columns, wanted)


def _of_sites(sources: IntentSources) -> dict[str, FloatArray]:
    """Results of the same list on the same host or domain."""
    rank, lists = sources.results.rank, sources.list_of
    hosts = numbered(address.host.name for address in sources.addresses)[1][sources.url_of]
    domains = numbered(address.host.domain for address in sources.addresses)[1][sources.url_of]
    host_group, domain_group = _pairs(lists, hosts), _pairs(lists, domains)
    first = np.full(int(host_group.max(initial=-1)) + 1, np.inf)
    np.minimum.at(first, host_group, rank)
    return {
        "rk_hostdup": np.bincount(host_group)[host_group].astype(np.float64),
        "rk_domdup": np.bincount(domain_group)[domain_group] / np.bincount(lists)[lists],
        "rk_hostfirst": 1.0 / first[host_group],
    }


def _pairs(one: IntArray, other: IntArray) -> IntArray:
    """Number the distinct pairs of numbers."""
    numbers: IntArray = np.unique(one * (other.max(initial=0) + 1) + other, return_inverse=True)[1]
    return numbers


def _of_scores(sources: IntentSources) -> dict[str, FloatArray]:
    score, rank, lists = sources.results.score, sources.results.rank, sources.list_of
    n_lists = int(lists.max(initial=-1)) + 1
    order = np.lexsort((rank, lists))
    is_first = np.append(True, np.diff(lists[order]) != 0)[: len(order)]
    top = np.empty(n_lists)
    top[lists[order][is_first]] = score[order][is_first]
    above = np.where(top == 0, np.nan, top)[lists]
    following = np.full(len(score), np.nan)
    following[order[:-1]] = np.where(is_first[1:], np.nan, score[order[1:]])
    return {
        "rk_rel": score / above,
        "rk_z": _standardised(score, lists, n_lists),
        "rk_gap": (score - following) / above,
    }


def _standardised(score: FloatArray, lists: IntArray, n_lists: int) -> FloatArray:
    known = ~np.isnan(score)
    values, of = score[known], lists[known]
    number = np.maximum(np.bincount(of, minlength=n_lists), 1)
    mean = np.bincount(of, values, n_lists) / number
    deviation = np.sqrt(np.bincount(of, (values - mean[of]) ** 2, n_lists) / number)
    low, high = np.full(n_lists, np.inf), np.full(n_lists, -np.inf)
    np.minimum.at(low, of, values)
    np.maximum.at(high, of, values)
    varies = high > low
    shifted = np.where(varies[lists], score - mean[lists], score * 0.0)
    return shifted / np.where(varies, deviation, 1.0)[lists]


def _snippet_coverage(sources: IntentSources) -> FloatArray:
    snippets, snippet_of = numbered(sources.results.snippet)
    vocabulary = Vocabulary()
    asked, words = vocabulary.take(sources.query_tokens), vocabulary.read(snippet or "" for snippet in snippets)
    found = SharedWords.of(asked, words.counts, sources.query_of, snippet_of).coverage
    return np.where(np.array([snippet is None for snippet in snippets])[snippet_of], np.nan, found)
