"""The relevance of each page to the query, and the threshold for pruning (Bharat and Henzinger, 1998)."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, as_matrix, check_choice, check_finite, check_length
from glassrank.core.input_types import ArrayLike
from glassrank.core.setting import setting
from glassrank.distillation.adjacency import page_weights

TENTH = 0.1
OF_LARGEST = "max/10"
# Rule -> threshold from the relevance of all pages, of the root set's pages, and the fraction
THRESHOLDS: dict[str, Callable[[FloatArray, FloatArray, float], float]] = {
    "root-median": lambda everything, root, fraction: float(np.median(root)),
    "median": lambda everything, root, fraction: float(np.median(everything)),
    OF_LARGEST: lambda everything, root, fraction: float(everything.max() * fraction),
}


def relevance_weights(tfidf: ArrayLike, query: ArrayLike) -> FloatArray:
    """Return the cosine of each page with the query document: W_n = x_n · q / (‖x_n‖ ‖q‖), 0 if either is empty.

    ``tfidf`` has a row per page. ``query`` is one such row, for example for the first 1000 words of each page of the
    root set, concatenated.

    >>> relevance_weights([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]], [0.0, 1.0]).tolist()
    [0.8, 1.0, 0.0]
    """
    X = as_matrix(tfidf, "tfidf")
    # A vector counts as one row; sparse arrays may also have one dimension.
    row = query.reshape(1, -1) if sparse.issparse(query) else np.atleast_2d(np.asarray(query))
    q = as_matrix(row, "query")
    if q.shape != (1, X.shape[1]):
        raise DataError(
            f"query must be one row with the {X.shape[1]} columns of tfidf: got shape {q.shape}.",
            parameter="query",
            got=q.shape,
        )
    check_finite("tfidf", X)
    check_finite("query", q)
    dense = np.ravel(q.toarray() if sparse.issparse(q) else q)
    lengths = np.sqrt(_row_sums_of_squares(X)) * np.sqrt(dense @ dense)
    return np.divide(X @ dense, lengths, out=np.zeros(X.shape[0]), where=lengths > 0.0)


def relevance_threshold(
    relevance: ArrayLike, in_root: ArrayLike, rule: str = "root-median", *, fraction: float | None = None
) -> float:
    """Return the relevance below which pages are pruned.

    ``"root-median"``: the median of the root set; ``"median"``: that of all pages; ``"max/10"``: a tenth of the
    largest, or another ``fraction`` of it.

    >>> [relevance_threshold([0.0, 0.25, 0.75, 1.0], [False, False, True, True], rule) for rule in THRESHOLDS]
    [0.875, 0.5, 0.1]
    """
    check_choice("rule", rule, THRESHOLDS)
    check_fraction(fraction, rule)
    W = page_weights("relevance", relevance, len(relevance))
    root = np.asarray(in_root)
    check_length("in_root", root, len(W), "page")
    if root.dtype != np.bool_:
        raise DataError(f"in_root must be a mask of True and False: got {root.dtype}.", parameter="in_root")
    if len(W) == 0:
        raise DataError(
            "relevance must have at least one entry: got no pages.",
            parameter="relevance",
            remedy="Enlarge the root set.",
        )
    if rule == "root-median" and not root.any():
        raise DataError(
            f"in_root must mark a page for {setting('rule', 'root-median')}: got none.",
            parameter="in_root",
            remedy=f"Use {setting('rule', 'median')}.",
        )
    return THRESHOLDS[rule](W, W[root], TENTH if fraction is None else float(fraction))


def check_fraction(fraction: float | None, rule: str) -> None:
    """Raise an error if a fraction is not between 0 and 1, or the rule does not use one.

    >>> check_fraction(0.2, "median")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: fraction is only for the threshold 'max/10': got it with 'median'. Omit it.
    """
    if fraction is None:
        return
    if not isinstance(fraction, numbers.Real) or isinstance(fraction, bool) or not 0.0 <= float(fraction) <= 1.0:
        raise DataError(parameter="fraction", expected="between 0 and 1", got=fraction)
    if rule != OF_LARGEST:
        raise DataError(
            f"fraction is only for the threshold {OF_LARGEST!r}: got it with {rule!r}.",
            parameter="fraction",
            remedy="Omit it.",
        )


def _row_sums_of_squares(X: Any) -> FloatArray:
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    return np.ravel(np.asarray(squares.sum(axis=1)))
