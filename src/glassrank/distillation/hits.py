"""hits(): authorities and hubs of a graph (Kleinberg, 1999)."""

from glassrank.core.checks import check_positive
from glassrank.core.input_types import ArrayLike
from glassrank.distillation.adjacency import as_adjacency, link_sums
from glassrank.distillation.link_scores import LinkScores, reinforced, warn_unless_converged


def hits(adjacency: ArrayLike, *, tol: float = 1e-10, max_iter: int = 1000) -> LinkScores:
    """Score pages as authorities and as hubs: good hubs link to good authorities.

    a_i = Σ h_j over the links j → i, h_i = Σ a_j over the links i → j, starting with h = 1, both of length 1, until
    neither changes by ``tol`` (L1). ``adjacency`` is a sparse or dense matrix: page i links to page j with weight
    (i, j); True counts as 1. Links of a page to itself count like any other; clear the diagonal to drop them.

    Scores are never negative, and the hub scores belong to the authority scores. If the top singular value of the
    matrix is not simple, the scores are not unique: the iteration converges to those that follow from the uniform
    start. The printed result says so (see ``gap``).

    >>> scores = hits([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> scores.authority_scores.round(4).tolist(), scores.hub_scores.round(4).tolist(), scores.converged
    ([0.0, 0.5257, 0.8507], [0.8507, 0.5257, 0.0], True)
    """
    check_positive("tol", tol)
    check_positive("max_iter", max_iter, whole=True)
    matrix = as_adjacency(adjacency)
    return warn_unless_converged(reinforced("HITS", link_sums(matrix), matrix.nnz, tol, max_iter), tol)
