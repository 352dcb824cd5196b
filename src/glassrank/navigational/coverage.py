"""How much of a query's words stand in texts."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.sources import Sources
from glassrank.navigational.words import spread


def look_up(counts: Any, documents: Any, words: Any) -> FloatArray:
    """Entry of a CSR matrix at each pair of a document and a word.

    >>> from scipy import sparse
    >>> look_up(sparse.csr_matrix([[0, 2], [1, 0]]), [0, 1], [1, 1]).tolist()
    [2.0, 0.0]
    """
    if not len(documents):
        return np.zeros(0)
    return np.asarray(counts[documents, words], dtype=np.float64).ravel()


def shared_words(sources: Sources, counts: Any, document_of: IntArray) -> FloatArray:
    """#(T(q) ∩ T(x)) of each row, x the row's document."""
    terms = sources.query_words.distinct
    owner, place = spread(terms.starts, sources.query_of)
    holds = look_up(counts, document_of[owner], terms.ids[place]) > 0
    return np.bincount(owner[holds], minlength=sources.n_rows).astype(np.float64)


def covered_share(sources: Sources, counts: Any, document_of: IntArray) -> FloatArray:
    """cov(x) = #(T(q) ∩ T(x)) / #T(q) of each row; NaN for a query without a word."""
    return divide(shared_words(sources, counts, document_of), sources.query_words.distinct.lengths[sources.query_of])


def jaccard(sources: Sources, counts: Any, document_of: IntArray) -> FloatArray:
    """jacc(x) = #(T(q) ∩ T(x)) / #(T(q) ∪ T(x)) of each row; NaN for a query without a word."""
    shared = shared_words(sources, counts, document_of)
    in_query = sources.query_words.distinct.lengths[sources.query_of]
    in_text = np.diff(counts.indptr)[document_of]
    return np.where(in_query > 0, divide(shared, in_query + in_text - shared), np.nan)


def divide(above: Any, below: Any) -> FloatArray:
    """A quotient, NaN where there is nothing to divide by.

    >>> divide([1.0, 1.0], [2, 0]).tolist()
    [0.5, nan]
    """
    below = np.asarray(below, dtype=np.float64)
    result: FloatArray = above / np.where(below == 0, np.nan, below)
    return result
