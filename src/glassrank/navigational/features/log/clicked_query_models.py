"""Models of an address from the queries with clicks on it: their words, and the most frequent query."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.log.log_words import LogWords
from glassrank.text.tokens import tokenise

MU = 2000.0


@dataclass(frozen=True, eq=False)
class ClickedQueries:
    """Queries with clicks on addresses: ``text[i]`` led to ``n[i]`` clicks on the address ``url[i]``."""

    url: IntArray
    text: Any
    n: FloatArray


def compare_with_models(
    found: ClickedQueries, words: LogWords, query_of: IntArray, url_of: IntArray
) -> dict[str, FloatArray]:
    """Compute features of pairs of a query and an address; ``found`` contains all clicked queries of the addresses.

    ``lm``: mean ln((tf + μ P(t|C)) / (len + μ)) over t(q). ``kl``: Σ p ln(p/r), p the share of a word in the queries of
    the address, r in those of the log. ``top_like``: largest similarity of q to a most clicked query; ``top_same``:
    whether it is one.
    """
    models = ClickedQueryModels(found, query_of, url_of)
    like, same = models.compare_with_top(words.queries)
    return {"lm": models.likelihoods(words), "kl": models.divergence(words), "top_like": like, "top_same": same}


class ClickedQueryModels:
    """Counts of the words in the queries of each address, for pairs of a query and an address."""

    def __init__(self, found: ClickedQueries, query_of: IntArray, url_of: IntArray) -> None:
        self._found, self._query_of, self._url_of = found, query_of, url_of

    @cached_property
    def _model(self) -> "_Model":
        return _Model(self._found)

    @cached_property
    def _place(self) -> IntArray:
        return np.searchsorted(self._model.urls, self._url_of)

    def likelihoods(self, words: LogWords) -> FloatArray:
        """Mean ln of the smoothed chances of the query's words; ``words`` contains the words of the pairs' queries."""
        return self._model.likelihoods(words, self._query_of, self._place)

    def divergence(self, words: LogWords) -> FloatArray:
        """Σ p ln(p/r) of the address; ``words`` contains all words of the clicked queries."""
        return self._model.divergence(words)[self._place]

    def compare_with_top(self, queries: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Largest similarity of the query to a most clicked query, and whether it is one."""
        return _compare_with_top(self._found, queries, self._query_of, self._url_of)


class _Model:
    def __init__(self, found: ClickedQueries) -> None:
        self.urls, url = np.unique(found.url, return_inverse=True)
        tokens = {text: tokenise(text) for text in dict.fromkeys(found.text)}
        # Sorted, so that the words of an address are summed in the same order whatever the other addresses are.
        self._number = {word: number for number, word in enumerate(sorted({w for one in tokens.values() for w in one}))}
        lengths = np.array([len(tokens[text]) for text in found.text], dtype=np.int64)
        word = np.array([self._number[word] for text in found.text for word in tokens[text]], dtype=np.int64)
        self._n_words = max(len(self._number), 1)
        cells = np.repeat(url, lengths) * self._n_words + word
        self._cells, cell = np.unique(cells, return_inverse=True)
        self._counts = np.bincount(cell, np.repeat(found.n, lengths), minlength=len(self._cells))
        self._lengths = np.bincount(self._cells // self._n_words, self._counts, minlength=len(self.urls))

    def divergence(self, words: LogWords) -> FloatArray:
        url, word = np.divmod(self._cells, self._n_words)
        in_log = np.array([words.clicked[text] for text in self._number], dtype=np.float64)
        p = self._counts / self._lengths[url]
        r = in_log[word] / max(words.totals.clicked, 1)
        sums = np.bincount(url, p * np.log(p / r), minlength=len(self.urls))
        return np.where(self._lengths > 0, sums, np.nan)

    def likelihoods(self, words: LogWords, query_of: IntArray, place: IntArray) -> FloatArray:
        tokens = [words.tokens[query] for query in query_of]
        lengths = np.array([len(one) for one in tokens], dtype=np.int64)
        pair = np.repeat(np.arange(len(tokens)), lengths)
        word = np.array([self._number.get(text, -1) for one in tokens for text in one], dtype=np.int64)
        chance = words.clicked_chances([text for one in tokens for text in one])
        tf = np.where(word >= 0, self._count_of(place[pair] * self._n_words + word), 0.0)
        logs = np.log((tf + MU * chance) / (self._lengths[place[pair]] + MU))
        sums = np.bincount(pair, logs, minlength=len(tokens))
        known = (lengths > 0) & (self._lengths[place] > 0)
        return np.where(known, sums / np.maximum(lengths, 1), np.nan)

    def _count_of(self, cells: IntArray) -> FloatArray:
        if not len(self._cells):
            return np.zeros(len(cells))
        at = np.minimum(np.searchsorted(self._cells, cells), len(self._cells) - 1)
        return np.where(self._cells[at] == cells, self._counts[at], 0.0)


def _compare_with_top(
    found: ClickedQueries, queries: Any, query_of: IntArray, url_of: IntArray
) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(found.url, kind="stable")
    starts, ends = (np.searchsorted(found.url[order], url_of, side=side) for side in ("left", "right"))
    like, same = np.full(len(url_of), np.nan), np.full(len(url_of), np.nan)
    tops: dict[int, list[str]] = {}
    for pair, (query, start, end) in enumerate(zip(query_of, starts, ends, strict=True)):
        if start not in tops:
            rows = order[start:end]
            tops[start] = list(found.text[rows[found.n[rows] == found.n[rows].max()]])
        same[pair] = float(queries[query] in tops[start])
        like[pair] = _likeness(queries[query], tops[start])
    return like, same


def _likeness(query: str, tops: list[str]) -> float:
    """Largest 1 − lev / length of the longer text; NaN if both are empty."""
    if query == "" and "" in tops:
        return float("nan")
    if query in tops:
        return 1.0
    return float(cdist([query], tops, scorer=Levenshtein.normalized_similarity, dtype=np.float64).max())
