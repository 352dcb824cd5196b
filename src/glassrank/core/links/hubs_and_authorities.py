"""Hub and authority scores by mutual reinforcement along links (HITS).

Starting from h = 1, a ← Lᵀh and h ← La, each scaled to length 1. The limit is computed by a Krylov method in the space
of these iterates; one plain iteration then gives the result and measures the remaining change. The result does not
depend on the number of threads.
"""

from dataclasses import dataclass

import numpy as np

from glassrank.core.blocks import blas
from glassrank.core.checks import FloatArray
from glassrank.core.links.krylov import leading_vector
from glassrank.core.links.link_sums import LinkSums

GAP_AIM, GAP_PRODUCTS = 1e-9, 500


@dataclass(frozen=True, eq=False)
class Reinforced:
    """Authority scores and the corresponding hub scores, both of length 1."""

    authority: FloatArray
    hub: FloatArray
    n_iterations: int
    change: float
    """The larger of the L1 changes of the authority and hub scores in the last plain iteration."""


def reinforce(links: LinkSums, tol: float, max_iter: int) -> Reinforced:
    """Iterate until the L1 change is below ``tol``, at most ``max_iter`` times; without links all scores are 0.

    >>> found = reinforce(LinkSums(np.array([0, 2, 3, 3]), np.array([1, 2, 2])), tol=1e-10, max_iter=100)
    >>> found.authority.round(4).tolist(), found.hub.round(4).tolist(), found.change < 1e-10
    ([0.0, 0.5257, 0.8507], [0.8507, 0.5257, 0.0], True)
    """
    with blas().limit(limits=1):
        authority = _unit(links.authorities(np.ones(links.n_pages)))
        hub, change, n_iterations = np.zeros(links.n_pages), 0.0, 0
        # The L1 norm of a vector is at most √n times its length.
        aim = tol / np.sqrt(max(links.n_pages, 1))
        while authority.any():
            found = leading_vector(links.step, authority, aim, max_iter - n_iterations - 1, symmetric=links.symmetric)
            n_iterations += found.n_products + 1
            authority, hub, change = _plain_iteration(links, _unit(np.maximum(found.vector, 0.0)))
            if not authority.any():
                change = 0.0  # all scores remain 0
            if change < tol or n_iterations >= max_iter:
                break
            aim /= 10.0
    return Reinforced(authority, hub, n_iterations, change)


def relative_gap(links: LinkSums, authority: FloatArray, max_products: int = GAP_PRODUCTS) -> float:
    """Return 1 − λ₂/λ₁ of an iteration at its limit ``authority``; 0 if the leading eigenvalue is not simple.

    λ = σ² if both sums use the same weights. The gap is NaN if all scores are 0. With too few products, the gap is
    overestimated.

    >>> two_cycles = LinkSums(np.arange(5), np.array([1, 0, 3, 2]))
    >>> relative_gap(two_cycles, np.full(4, 0.5))
    0.0
    """
    if not authority.any():
        return np.nan
    with blas().limit(limits=1):
        opposite = authority if links.symmetric else reinforce(links.transposed, 1e-12, max_products).authority
        scale = opposite @ authority

        def deflated(vector: FloatArray) -> FloatArray:
            product = links.step(vector)
            return product - authority * (opposite @ product / scale)

        leading = float(opposite @ links.step(authority) / scale)
        # A random vector favours no part of the graph; a fixed seed makes runs reproducible.
        start = deflated(np.random.default_rng(0).standard_normal(links.n_pages))
        if np.sqrt(start @ start) <= 1e-12 * leading:
            return 1.0
        second = leading_vector(deflated, start, GAP_AIM, max_products, symmetric=links.symmetric).value
    return float(np.clip(1.0 - second / leading, 0.0, 1.0))


def gap_of(links: LinkSums, found: Reinforced) -> float:
    """Return the relative gap of a result of ``reinforce``, with more products if that took many iterations."""
    return relative_gap(links, found.authority, max(GAP_PRODUCTS, 4 * found.n_iterations))


def _plain_iteration(links: LinkSums, authority: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return the next authority and hub scores, and the larger of their L1 changes."""
    hub = _unit(links.hubs(authority))
    next_authority = _unit(links.authorities(hub))
    next_hub = _unit(links.hubs(next_authority))
    changes = [float(np.abs(next_authority - authority).sum()), float(np.abs(next_hub - hub).sum())]
    return next_authority, next_hub, max(changes)


def _unit(vector: FloatArray) -> FloatArray:
    """Scale to length 1; a zero vector is returned unchanged."""
    largest = vector.max(initial=0.0)
    if largest == 0.0:
        return vector
    # Divide by the largest first, because the square of a very small or large weight is 0 or infinite.
    vector = vector / largest
    return np.asarray(vector / np.sqrt(vector @ vector))
