"""The share of a query's words that occur in texts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.vocabulary import Words, spread


def look_up(counts: Any, documents: Any, words: Any) -> FloatArray:
    """Return the entry of a CSR matrix for each pair of a document and a word.

    >>> from scipy import sparse
    >>> look_up(sparse.csr_matrix([[0, 2], [1, 0]]), [0, 1], [1, 1]).tolist()
    [2.0, 0.0]
    """
    if not len(documents):
        return np.zeros(0)
    return np.asarray(counts[documents, words], dtype=np.float64).ravel()


@dataclass(frozen=True, eq=False)
class SharedWords:
    """Words that queries share with texts: pair i is query ``query_of[i]`` and text ``text_of[i]``.

    >>> from glassrank.navigational.features.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary()
    >>> queries, texts = vocabulary.read(["zen garden"]), vocabulary.read(["garden of zen", "a zen"])
    >>> shared = SharedWords.of(queries, texts.counts, np.array([0, 0]), np.array([0, 1]))
    >>> shared.number.tolist(), shared.coverage.tolist(), shared.jaccard.round(2).tolist()
    ([2.0, 1.0], [1.0, 0.5], [0.67, 0.33])
    """

    number: FloatArray
    """#(T(q) ∩ T(x)) of each pair."""
    occurrences: FloatArray
    """Tokens of x that are in T(q)."""
    in_query: IntArray
    """#T(q)"""
    in_text: IntArray
    """#T(x)"""

    @classmethod
    def of(cls, queries: Words, counts: Any, query_of: IntArray, text_of: IntArray) -> "SharedWords":
        """Look up the words of the queries in the counts of the texts (CSR)."""
        terms = queries.distinct
        owner, place = spread(terms.starts, query_of)
        found = look_up(counts, text_of[owner], terms.ids[place])
        number = np.bincount(owner[found > 0], minlength=len(query_of)).astype(np.float64)
        occurrences = np.bincount(owner, found, len(query_of)).astype(np.float64)
        return cls(number, occurrences, terms.lengths[query_of], np.diff(counts.indptr)[text_of])

    @property
    def coverage(self) -> FloatArray:
        """cov(x) = #(T(q) ∩ T(x)) / #T(q); NaN for a query without a word."""
        return divide(self.number, self.in_query)

    @property
    def jaccard(self) -> FloatArray:
        """jacc(x) = #(T(q) ∩ T(x)) / #(T(q) ∪ T(x)); NaN for a query without a word."""
        both = self.in_query + self.in_text - self.number
        return np.where(self.in_query > 0, divide(self.number, both), np.nan)

    @property
    def contained(self) -> FloatArray:
        """1 if T(q) ⊆ T(x); NaN for a query without a word."""
        return np.where(self.in_query > 0, self.number == self.in_query, np.nan)


def divide(above: Any, below: Any) -> FloatArray:
    """Divide element by element; NaN if the divisor is 0.

    >>> divide([1.0, 1.0], [2, 0]).tolist()
    [0.5, nan]
    """
    below = np.asarray(below, dtype=np.float64)
    result: FloatArray = above / np.where(below == 0, np.nan, below)
    return result
