"""PageRank: the random surfer who follows links and sometimes jumps."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.links.link_sums import LinkSums


@dataclass(frozen=True, eq=False)
class Visited:
    """Share of visits to each page, the number of iterations, and the L1 change in the last one."""

    shares: FloatArray
    n_iterations: int
    change: float


def visit(links: LinkSums, jump: FloatArray, damping: float, tol: float, max_iter: int) -> Visited:
    """Iterate x ← damping · (Pᵀx + mass of pages without links, spread evenly) + (1 − damping) · jump.

    P_ij is the weight of i → j divided by the weight of all links of i. Each iteration multiplies the change by at most
    ``damping``, so the distance to the limit is at most damping/(1 − damping) times the last change.

    >>> found = visit(LinkSums(np.array([0, 1, 2, 2]), np.array([1, 2])), np.full(3, 1 / 3), 0.85, 1e-10, 200)
    >>> found.shares.round(4).tolist()
    [0.1844, 0.3412, 0.4744]
    """
    leaving = links.hubs(np.ones(links.n_pages))
    ends = leaving == 0.0
    per_weight = np.divide(1.0, leaving, out=np.zeros_like(leaving), where=~ends)
    shares, change, n_iterations = jump, np.inf if len(jump) else 0.0, 0
    while change >= tol and n_iterations < max_iter:
        onward = links.authorities(shares * per_weight) + shares[ends].sum() / len(shares)
        onward = damping * onward + (1.0 - damping) * jump
        # Otherwise rounding errors would let the sum drift from 1.
        onward /= onward.sum()
        change = float(np.abs(onward - shares).sum())
        shares, n_iterations = onward, n_iterations + 1
    return Visited(shares, n_iterations, change)
