"""What each link passes on after convergence: the terms of the sum that is a page's score."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.links.link_weights import link_weights
from glassrank.distillation.link_scores import LinkScores


@dataclass(frozen=True, eq=False)
class Flows:
    """Matrices with an entry (i, j) for each link i → j."""

    to_target: Any
    """What j receives from i as an authority."""
    to_source: Any = None
    """What i receives from j as a hub; None if the method has no hub scores."""

    def spread(self, rows: IntArray, n_pages: int) -> "Flows":
        """Return the same flows as matrices over all pages, in which these pages are ``rows``."""
        return Flows(
            *(None if flow is None else _spread(flow, rows, n_pages) for flow in (self.to_target, self.to_source))
        )


def hits_flows(adjacency: Any, scores: LinkScores) -> Flows:
    """a_j = Σ h_i and h_i = Σ a_j over the links i → j.

    >>> links = sparse.csr_matrix([[0.0, 1.0], [0.0, 0.0]])
    >>> given = LinkScores("HITS", np.array([0.0, 1.0]), np.array([0.5, 0.0]), 1, 1, 0.0, True, lambda: 1.0)
    >>> hits_flows(links, given).to_target.toarray().tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """
    sources, targets = _ends(adjacency)
    return _flows(adjacency, _hubs(scores)[sources], scores.authority_scores[targets])


def bharat_henzinger_flows(adjacency: Any, scores: LinkScores, sites: IntArray, relevance: FloatArray) -> Flows:
    """a_j = Σ h_i · w_a · W_i and h_i = Σ a_j · w_h · W_j over the links i → j."""
    sources, targets = _ends(adjacency)
    weigh = link_weights(sources, targets, sites)
    return _flows(
        adjacency,
        _hubs(scores)[sources] * weigh.authority * relevance[sources],
        scores.authority_scores[targets] * weigh.hub * relevance[targets],
    )


def pagerank_flows(adjacency: Any, scores: LinkScores) -> Flows:
    """Each page passes on its score in equal parts."""
    sources, _ = _ends(adjacency)
    return _flows(adjacency, scores.authority_scores[sources] / np.diff(adjacency.indptr)[sources])


def in_degree_flows(adjacency: Any, scores: LinkScores) -> Flows:
    """Every link counts 1."""
    return Flows(adjacency)


def _hubs(scores: LinkScores) -> FloatArray:
    return scores.authority_scores if scores.hub_scores is None else scores.hub_scores


def _ends(adjacency: Any) -> tuple[IntArray, IntArray]:
    return np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr)), adjacency.indices


def _flows(adjacency: Any, to_target: FloatArray, to_source: FloatArray | None = None) -> Flows:
    passed = [
        None if entries is None else sparse.csr_matrix((entries, adjacency.indices, adjacency.indptr), adjacency.shape)
        for entries in (to_target, to_source)
    ]
    return Flows(*passed)


def _spread(flow: Any, rows: IntArray, n_pages: int) -> Any:
    sources, targets = _ends(flow)
    return sparse.csr_matrix((flow.data, (rows[sources], rows[targets])), shape=(n_pages, n_pages))
