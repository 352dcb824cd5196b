"""bharat_henzinger(): HITS in which a host has one vote, with pages weighted by relevance."""

from typing import Any

import numpy as np

from glassrank.core.checks import DataError, IntArray, check_length, check_positive
from glassrank.core.input_types import ArrayLike
from glassrank.core.links.link_sums import LinkSums
from glassrank.core.links.link_weights import link_weights
from glassrank.distillation.adjacency import as_adjacency, page_weights
from glassrank.distillation.link_scores import LinkScores, reinforced, warn_unless_converged


def bharat_henzinger(
    adjacency: ArrayLike,
    hosts: ArrayLike,
    relevance: ArrayLike | None = None,
    *,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> LinkScores:
    """Score pages as authorities and hubs, with one vote per host (Bharat and Henzinger, 1998).

    a_n = Σ h_m · w_a(m → n) · W_m over the links m → n, h_n = Σ a_m · w_h(n → m) · W_m over the links n → m. Links
    within a host have weight 0; w_a = 1/k if k pages of m's host link to n; w_h = 1/l if n links to l pages of m's
    host. Any positive entry of ``adjacency`` is one link. ``hosts`` contains the host of each page as text or number,
    ``relevance`` contains W (default: 1). Start, normalisation and end of the iteration are those of ``hits``.

    >>> links = [[0, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    >>> scores = bharat_henzinger(links, hosts=["a", "a", "b", "c"])
    >>> scores.authority_scores.round(4).tolist(), scores.hub_scores.round(4).tolist()
    ([0.0, 0.0, 0.5774, 0.8165], [0.3827, 0.9239, 0.0, 0.0])
    """
    check_positive("tol", tol)
    check_positive("max_iter", max_iter, whole=True)
    matrix = as_adjacency(adjacency)
    n_pages = matrix.shape[0]
    host = _numbered(hosts, n_pages)
    W = np.ones(n_pages) if relevance is None else page_weights("relevance", relevance, n_pages)
    # Scores do not depend on the scale of the relevance.
    W = W / (W.max(initial=0.0) or 1.0)
    sources = np.repeat(np.arange(n_pages), np.diff(matrix.indptr))
    weigh = link_weights(sources, matrix.indices, host)
    links = LinkSums(matrix.indptr, matrix.indices, weigh.authority * W[sources], weigh.hub * W[matrix.indices])
    return warn_unless_converged(reinforced("Bharat–Henzinger", links, matrix.nnz, tol, max_iter), tol)


def _numbered(hosts: Any, n_pages: int) -> IntArray:
    """Number the hosts from 0; they may be texts, whole numbers or a mixture."""
    named = hosts.tolist() if hasattr(hosts, "tolist") else hosts
    if isinstance(named, str) or not hasattr(named, "__len__"):
        raise DataError(parameter="hosts", expected="a sequence with the host of each page", got=hosts)
    check_length("hosts", named, n_pages, "page")
    numbers: dict[Any, int] = {}
    for page, host in enumerate(named):
        if not isinstance(host, str | int):
            raise DataError(f"hosts must be text or whole numbers: got {host!r} at position {page}.", parameter="hosts")
        numbers.setdefault(host, len(numbers))
    return np.array([numbers[host] for host in named], dtype=np.int64)
