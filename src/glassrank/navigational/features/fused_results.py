"""Fuse the lists of several engines into one list per query."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.vocabulary import numbered

OFFSET = 60
DECIMALS = 12


@dataclass(frozen=True, eq=False)
class FusedResults:
    """One list per query, with the number of engines that return each address, and Σ 1/(60 + rank)."""

    results: SearchResults
    votes: FloatArray
    fusion: FloatArray


def fuse(given: SearchResults) -> FusedResults:
    """Rank the addresses of each query by Σ over engines of 1/(60 + rank), largest first; ties are sorted by address.

    Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009); sums are compared to 12 decimals. The score is the mean
    of the known scores, and snippets are concatenated.

    >>> fused = fuse(SearchResults(
    ...     query_id=[1, 1, 1], query=["zen"] * 3, rank=[1, 2, 1], url=["a", "b", "b"], engine=["x", "x", "y"]
    ... ))
    >>> fused.results.url.tolist(), fused.votes.tolist()
    (['b', 'a'], [2.0, 1.0])
    """
    pairs, pair_of = numbered(zip(given.query_id, given.url, strict=True))
    votes, sums = _vote(pair_of, given, len(pairs))
    query_number = {query_id: number for number, query_id in enumerate(dict.fromkeys(given.query_id))}
    order = sorted(
        range(len(pairs)),
        key=lambda pair: (query_number[pairs[pair][0]], -round(float(sums[pair]), DECIMALS), pairs[pair][1]),
    )
    lists = np.array([query_number[pairs[pair][0]] for pair in order], dtype=np.int64)
    begins = np.searchsorted(lists, lists)
    text_of = dict(zip(given.query_id, given.query, strict=True))
    optional: dict[str, Any] = {}
    if given.score is not None:
        optional["score"] = _mean_known(pair_of, given.score, len(pairs))[order]
    if given.snippet is not None:
        optional["snippet"] = _joined(pair_of, given.snippet, len(pairs))[order]
    results = SearchResults(
        query_id=[pairs[pair][0] for pair in order],
        query=[text_of[pairs[pair][0]] for pair in order],
        rank=np.arange(len(order)) - begins + 1.0,
        url=[pairs[pair][1] for pair in order],
        **optional,
    )
    return FusedResults(results, votes[order], sums[order])


def _vote(pair_of: Any, given: SearchResults, n_pairs: int) -> tuple[FloatArray, FloatArray]:
    """Number of engines and fusion score of each pair; an address that an engine lists twice counts at its best rank.

    Engines are added in the order of their names, so that the order of the rows does not change the sum.
    """
    engine_names, engine_of = np.unique(given.engine.astype(str), return_inverse=True)
    order = np.lexsort((given.rank, engine_of, pair_of))
    keys = pair_of[order] * len(engine_names) + engine_of[order]
    best = order[np.append(True, keys[1:] != keys[:-1])] if len(order) else order
    votes = np.bincount(pair_of[best], minlength=n_pairs).astype(np.float64)
    sums = np.bincount(pair_of[best], 1.0 / (OFFSET + given.rank[best]), n_pairs)
    return votes, sums.astype(np.float64)


def _mean_known(pair_of: Any, scores: FloatArray, n_pairs: int) -> FloatArray:
    known = ~np.isnan(scores)
    number = np.bincount(pair_of[known], minlength=n_pairs)
    total = np.bincount(pair_of[known], scores[known], n_pairs)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _joined(pair_of: Any, snippets: Any, n_pairs: int) -> Any:
    parts: list[list[str]] = [[] for _ in range(n_pairs)]
    for pair, snippet in zip(pair_of, snippets, strict=True):
        if snippet is not None:
            parts[pair].append(snippet)
    return np.array(["\n".join(found) if found else None for found in parts], dtype=object)
