"""pagerank(): the share of time that a random surfer spends on each page (Brin and Page, 1998)."""

import numbers
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_positive
from glassrank.core.input_types import ArrayLike
from glassrank.core.links.random_surfer import visit
from glassrank.distillation.adjacency import as_adjacency, link_sums, page_weights
from glassrank.distillation.link_scores import LinkScores, warn_unless_converged


def pagerank(
    adjacency: ArrayLike,
    damping: float = 0.85,
    *,
    personalisation: ArrayLike | None = None,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> LinkScores:
    """Score pages by a surfer who follows a link with probability ``damping`` and otherwise jumps to any page.

    x = damping · (Pᵀx + (1/n) Σ x_i over pages without links) + (1 − damping) · v, where P_ij is the weight of the link
    i → j divided by that of all links of i, and v is uniform or ``personalisation``, one weight per page, scaled to the
    sum 1. The scores sum to 1; the iteration ends when they change by less than ``tol`` (L1).

    >>> pagerank([[0, 1, 1], [0, 0, 1], [0, 0, 0]]).authority_scores.round(4).tolist()
    [0.1976, 0.2816, 0.5209]
    """
    check_positive("tol", tol)
    check_positive("max_iter", max_iter, whole=True)
    if not isinstance(damping, numbers.Real) or isinstance(damping, bool) or not 0.0 <= float(damping) < 1.0:
        raise DataError(parameter="damping", expected="at least 0 and below 1", got=damping)
    matrix = as_adjacency(adjacency)
    jump = _jump(personalisation, matrix.shape[0])
    found = visit(link_sums(matrix), jump, float(damping), tol, max_iter)
    scores = LinkScores(
        "PageRank", found.shares, None, matrix.nnz, found.n_iterations, found.change, found.change < tol
    )
    return warn_unless_converged(scores, tol)


def _jump(personalisation: Any, n_pages: int) -> FloatArray:
    if personalisation is None:
        return np.full(n_pages, 1.0 / max(n_pages, 1))
    weights = page_weights("personalisation", personalisation, n_pages)
    if not weights.any():
        raise DataError(
            "personalisation must have a positive entry: all are 0.",
            parameter="personalisation",
            remedy="Omit it to jump to all pages with equal probability.",
        )
    scaled = weights / weights.max()
    return np.asarray(scaled / scaled.sum())
