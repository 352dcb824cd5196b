"""Similarity of pages as Gram matrices: by words, by co-citation, and by a combination of kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, as_matrix, as_weights, check_finite
from glassrank.core.input_types import ArrayLike

KERNELS = ("unit", "raw")
TEXT_ROWS = ("unit", "raw")
# A column with more nonzero rows than this share is multiplied as a dense column.
COMMON = 0.1


def text_kernel(tfidf: ArrayLike) -> FloatArray:
    """Return the products of the pages' term weights, K = D Dᵀ (pages × terms, sparse or dense).

    >>> text_kernel([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]).tolist()
    [[5.0, 2.0], [2.0, 10.0]]
    """
    weights = as_matrix(tfidf, "tfidf")
    check_finite("tfidf", weights)
    return _row_products(weights)


def cocitation_kernel(links: ArrayLike) -> FloatArray:
    """Return how many pages cite both of two pages, K = Lᵀ L; row i of L links to column j (sparse or dense).

    >>> cocitation_kernel([[1, 1, 0], [1, 1, 1]]).tolist()  # two citing pages, three cited
    [[2.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 1.0, 1.0]]
    """
    citing = as_matrix(links, "links")
    check_finite("links", citing)
    return _row_products(citing.T.tocsr() if sparse.issparse(citing) else np.ascontiguousarray(citing.T))


def normalise_kernel(K: ArrayLike, empty: float = 1.0) -> FloatArray:
    """Scale a kernel to a diagonal of ones, K_ij / √(K_ii K_jj): cosines instead of products.

    A page without text or in-links is similar only to itself: 1 (or ``empty``) on its diagonal, otherwise zeros.

    >>> normalise_kernel([[4.0, 3.0, 0.0], [3.0, 9.0, 0.0], [0.0, 0.0, 0.0]]).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    gram = check_gram("K", K).copy()
    diagonal = np.diagonal(gram).copy()
    without = diagonal == 0
    scale = 1 / np.sqrt(np.where(without, 1.0, diagonal))
    gram *= scale[:, None]
    gram *= scale
    np.fill_diagonal(gram, np.where(without, empty, 1.0))
    return gram


def composite_kernel(
    grams: Sequence[ArrayLike], weights: ArrayLike | None = None, unit_diagonal: bool = True
) -> FloatArray:
    """Return a weighted sum of Gram matrices of the same pages, K = Σ μ_k K_k, each scaled to a diagonal of ones.

    With two kernels and weights μ and 1 − μ, it is the composite kernel of text and co-citation. Without ``weights``,
    each kernel has the weight 1/m. ``unit_diagonal=False`` adds the kernels without scaling.

    >>> text, cited = [[4.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 0.0]]
    >>> composite_kernel([text, cited], weights=[0.5, 0.5]).tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    if len(grams) == 0:
        raise DataError("grams must contain at least one Gram matrix: got none.", parameter="grams")
    n_pages = len(check_gram("grams[0]", grams[0]))
    shares = np.full(len(grams), 1 / len(grams)) if weights is None else _shares(weights, len(grams))
    total = np.zeros((n_pages, n_pages))
    for number, (given, share) in enumerate(zip(grams, shares, strict=True)):
        gram = check_gram(f"grams[{number}]", given)
        if len(gram) != n_pages:
            raise DataError(
                f"grams must be of the same pages: expected {n_pages} rows, got {len(gram)}.",
                parameter="grams",
                expected=n_pages,
                got=len(gram),
            )
        total += share * (normalise_kernel(gram) if unit_diagonal else gram)
    return total


def check_gram(name: str, K: Any) -> FloatArray:
    """Return a square float64 array of finite numbers with a non-negative diagonal."""
    gram = np.asarray(_dense(as_matrix(K, name)))
    if gram.shape[0] != gram.shape[1]:
        raise DataError(
            f"{name} must be square, one row and one column per page: got shape {gram.shape}.",
            parameter=name,
            got=gram.shape,
        )
    check_finite(name, gram)
    diagonal = np.diagonal(gram)
    if (diagonal < 0).any():
        page = int(np.argmin(diagonal))
        raise DataError(
            f"{name} must not be negative on its diagonal: got {diagonal[page]:g} for page {page}.", parameter=name
        )
    return gram


def _shares(weights: Any, n_kernels: int) -> FloatArray:
    shares = as_weights("weights", weights, n_kernels)
    if not shares.any():
        raise DataError(
            "weights must not all be zero: got only zeros.",
            parameter="weights",
            remedy="Give one kernel a positive weight.",
        )
    return shares


def _row_products(rows: Any) -> FloatArray:
    """Return X Xᵀ of a CSR or dense matrix.

    A column with n nonzero rows costs n² sparse products, so the few columns with many nonzero rows are made dense.
    """
    if not sparse.issparse(rows):
        return np.ascontiguousarray(rows @ rows.T)
    common = np.bincount(rows.indices, minlength=rows.shape[1]) > COMMON * rows.shape[0]
    dense, rest = rows[:, common].toarray(), rows[:, ~common]
    products = dense @ dense.T
    products += (rest @ rest.T).toarray()
    return products


def _dense(matrix: Any) -> FloatArray:
    return np.ascontiguousarray(matrix.toarray() if sparse.issparse(matrix) else matrix)
