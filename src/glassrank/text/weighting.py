"""Weights of words in documents: tf-idf and BM25, from a matrix of counts."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray

K1 = 1.2
B = 0.75


def document_frequencies(counts: Any) -> IntArray:
    """Return the number of documents (rows) that contain each term (column).

    >>> document_frequencies(sparse.csr_matrix([[2, 0], [1, 3]])).tolist()
    [2, 1]
    """
    return np.bincount(counts.indices, minlength=counts.shape[1])


def inverse_frequencies(counts: Any) -> FloatArray:
    """ln(N / n_t) for each term t, contained in n_t of N documents; 0 if all or none contain it."""
    frequencies = document_frequencies(counts)
    return np.log(counts.shape[0] / np.where(frequencies == 0, counts.shape[0], frequencies))


def tfidf(counts: Any, inverse: FloatArray, unit: bool = True) -> Any:
    """Rows of entries (1 + ln tf) · idf, scaled to Euclidean length 1 if ``unit``; rows without counts stay empty.

    >>> counts = sparse.csr_matrix([[1, 1, 0], [1, 0, 4]])
    >>> tfidf(counts, inverse_frequencies(counts)).toarray().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    weighted = sparse.csr_matrix(counts, dtype=np.float64, copy=True)
    weighted.data = (1.0 + np.log(weighted.data)) * inverse[weighted.indices]
    if unit:
        return unit_rows(weighted)
    weighted.eliminate_zeros()
    return weighted


def unit_rows(matrix: Any) -> Any:
    """Scale each row of a CSR matrix to Euclidean length 1; rows of zeros stay zero, and zeros are not stored."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scaled = sparse.diags_array(1.0 / np.where(lengths == 0.0, 1.0, lengths)) @ matrix
    scaled = sparse.csr_matrix(scaled)
    scaled.eliminate_zeros()
    return scaled


def bm25(counts: Any, terms: IntArray, lengths: FloatArray) -> FloatArray:
    """Score every document for a query's terms; a term that occurs twice in the query counts twice.

        Σ_t ln(1 + (N − n_t + ½) / (n_t + ½)) · tf (k₁ + 1) / (tf + k₁ (1 − b + b · length / mean length))

    with k₁ = 1.2 and b = 0.75 (Robertson and Zaragoza 2009, with the idf that is never negative).

    >>> counts = sparse.csr_matrix([[1, 0], [0, 1], [0, 1]])
    >>> bm25(counts, np.array([0]), np.ones(3)).round(4).tolist()
    [0.9808, 0.0, 0.0]
    """
    found = counts[:, terms].toarray().astype(np.float64)
    n, n_containing = counts.shape[0], (found > 0).sum(axis=0)
    inverse = np.log1p((n - n_containing + 0.5) / (n_containing + 0.5))
    damping = K1 * (1.0 - B + B * lengths / max(lengths.mean(), np.finfo(float).tiny))
    return (found * (K1 + 1.0) / (found + damping[:, None])) @ inverse
