"""in_degree(): the simplest measure of authority, the number of links to a page."""

import numpy as np

from glassrank.core.input_types import ArrayLike
from glassrank.distillation.adjacency import as_adjacency
from glassrank.distillation.link_scores import LinkScores


def in_degree(adjacency: ArrayLike) -> LinkScores:
    """Score each page by the sum of the weights of the links to it: a_j = Σ_i L_ij.

    >>> in_degree([[0, 1, 1], [0, 0, 1], [0, 0, 0]]).authority_scores.tolist()
    [0.0, 1.0, 2.0]
    """
    matrix = as_adjacency(adjacency)
    weights = np.bincount(matrix.indices, matrix.data, matrix.shape[1]).astype(np.float64)
    return LinkScores("in-degree", weights, None, matrix.nnz, iterations=0, change=0.0, converged=True)
