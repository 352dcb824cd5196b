"""BM25 and smoothed language models of queries in documents, at chosen pairs of a query and a document."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.vocabulary import Words, spread
from glassrank.navigational.features.word_coverage import divide, look_up
from glassrank.text.weighting import K1, B, document_frequencies

MU = 2000.0
LAMBDA = 0.1


@dataclass(frozen=True, eq=False)
class Documents:
    """A collection of documents: the counts, or weights, of words in each document (CSR).

    ``words`` contains the words of the distinct queries, as numbers. Pair i is the query ``query_of[i]`` and the
    document ``document_of[i]``. A query without a word has no value.

    >>> from glassrank.navigational.features.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary()
    >>> queries, texts = vocabulary.read(["zen"]), vocabulary.read(["zen zen art", "art", ""])
    >>> documents = Documents(texts.counts)
    >>> documents.bm25(queries, np.array([0, 0]), np.array([0, 1])).round(4).tolist()
    [0.9978, 0.0]
    >>> documents.dirichlet(queries, np.array([0, 0]), np.array([0, 2])).round(4).tolist()
    [-0.8465, nan]
    """

    counts: Any
    n_documents: int | None = None
    """Number of documents, if empty rows of ``counts`` do not count."""

    @cached_property
    def lengths(self) -> FloatArray:
        """Number, or weight, of the words of each document."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def mean_length(self) -> float:
        """Mean length over all documents."""
        return float(self.lengths.sum()) / max(self._n, 1)

    @cached_property
    def holding(self) -> IntArray:
        """Number of documents that contain each word."""
        return document_frequencies(self.counts)

    @cached_property
    def totals(self) -> FloatArray:
        """cf: occurrences of each word in the collection."""
        return np.bincount(self.counts.indices, self.counts.data, self.counts.shape[1]).astype(np.float64)

    @property
    def _n(self) -> int:
        return self.counts.shape[0] if self.n_documents is None else self.n_documents

    def background(self, words: Any) -> FloatArray:
        """P(t | C) = (cf + 1) / (# C + V + 1); all unknown words share one added count."""
        probabilities: FloatArray = (self.totals[words] + 1.0) / (
            self.totals.sum() + np.count_nonzero(self.totals) + 1.0
        )
        return probabilities

    def inverse_frequency(self, words: Any) -> FloatArray:
        """ln(1 + (N − n + ½) / (n + ½))."""
        return inverse_frequency(self._n, self.holding[words])

    def bm25(self, words: Words, query_of: IntArray, document_of: IntArray) -> FloatArray:
        """Σ over t(q) of idf · tf (k₁ + 1) / (tf + k₁ (1 − b + b len / mean len))."""
        damping = K1 * (1.0 - B + B * self.lengths / max(self.mean_length, np.finfo(float).tiny))

        def part(tf: FloatArray, document: IntArray, word: IntArray) -> FloatArray:
            return self.inverse_frequency(word) * tf * (K1 + 1.0) / (tf + damping[document])

        return self._sum(words, query_of, document_of, part)

    def dirichlet(self, words: Words, query_of: IntArray, document_of: IntArray) -> FloatArray:
        """Mean over t(q) of ln((tf + μ P(t | C)) / (len + μ)); NaN for an empty document."""

        def part(tf: FloatArray, document: IntArray, word: IntArray) -> FloatArray:
            return np.log((tf + MU * self.background(word)) / (self.lengths[document] + MU))

        return self._mean(words, query_of, document_of, part)

    def jelinek_mercer(self, words: Words, query_of: IntArray, document_of: IntArray) -> FloatArray:
        """Mean over t(q) of ln((1 − λ) tf / len + λ P(t | C)); NaN for an empty document."""
        lengths = np.where(self.lengths > 0, self.lengths, np.nan)

        def part(tf: FloatArray, document: IntArray, word: IntArray) -> FloatArray:
            return np.log((1.0 - LAMBDA) * tf / lengths[document] + LAMBDA * self.background(word))

        return self._mean(words, query_of, document_of, part)

    def _sum(
        self,
        words: Words,
        query_of: IntArray,
        document_of: IntArray,
        part: Callable[[FloatArray, IntArray, IntArray], FloatArray],
    ) -> FloatArray:
        owner, place = spread(words.starts, query_of)
        word, document = words.ids[place], np.asarray(document_of)[owner]
        values = part(look_up(self.counts, document, word), document, word)
        return np.where(words.lengths[query_of] > 0, np.bincount(owner, values, len(query_of)), np.nan)

    def _mean(
        self,
        words: Words,
        query_of: IntArray,
        document_of: IntArray,
        part: Callable[[FloatArray, IntArray, IntArray], FloatArray],
    ) -> FloatArray:
        mean = divide(self._sum(words, query_of, document_of, part), words.lengths[query_of])
        return np.where(self.lengths[document_of] > 0, mean, np.nan)


def inverse_frequency(n_documents: int, holding: Any) -> FloatArray:
    """ln(1 + (N − n + ½) / (n + ½)) of words that n of N documents contain.

    >>> inverse_frequency(2, np.array([1])).round(4).tolist()
    [0.6931]
    """
    return np.log1p((n_documents - holding + 0.5) / (holding + 0.5))
