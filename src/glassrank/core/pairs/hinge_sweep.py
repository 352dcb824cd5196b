"""Sweeps for the hinge loss smoothed over a width δ.

A pair with t = 1 − margin costs 0 for t ≤ 0, t²/(2δ) in the *band* 0 < t < δ, and t − δ/2 beyond. Sums beyond the band
come from a Fenwick tree, as in ``glassrank.core.pairs.sweeps``. Sums over a wide band are differences of two prefixes.
For a narrow band the rounding error of that difference would be too large. It contains few documents, so its pairs are
added one by one.
"""

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.pairs.level_tree import add, new_tree, pair_weight, sum_before
from glassrank.core.pairs.score_order import centre, sort_rows
from glassrank.core.pairs.sweeps import PairData, Sweep
from glassrank.kernels import njit

# Documents in the band that are visited one by one. A narrow band may contain many ties if features are discrete.
MAX_VISITED, MAX_VISITED_IF_NARROW, NARROW = 48, 4096, 1e-3
# No kernel here uses fastmath, because both passes must give a pair bitwise the same slack. The slack becomes the
# pair's dual variable, and the certificate is valid for any dual variables that are the same in both passes.


@njit(cache=True, nogil=True)
def sweep_hinge(queries: IntArray, data: PairData, width: float, sweep: Sweep, sums: FloatArray) -> None:
    """Compute slope, reach, degree and four sums over the pairs for the scores in ``sweep.z``.

    The sums are the smoothed loss, Σ weight · φ′, the hinge loss, and the weight of the band pairs that were not
    visited. Row 0 of ``reach`` and ``degree`` belongs to the margin 1 and row 1 to 1 − δ; the band is between them.
    """
    outer, inner = new_tree(data.n_levels, data.partner), new_tree(data.n_levels, data.partner)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        sweep.slope[first:end] = 0.0
        if data.n_levels[query] < 2:
            sweep.reach[:, first:end] = first
            sweep.degree[:, first:end] = 0.0
            continue
        sort_rows(first, end, sweep.z, sweep.ranking)
        centre(first, end, sweep.z, sweep.ranking)
        _sweep_worse(query, data, width, sweep, sums, outer, inner)
        _sweep_better(query, data, width, sweep, outer, inner)


@njit(cache=True, nogil=True)
def _sweep_worse(
    query: int, data: PairData, width: float, sweep: Sweep, sums: FloatArray, outer: FloatArray, inner: FloatArray
) -> None:
    """Process rows as the worse document: partners have a higher label and z < z_row + 1."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    outer[: n_levels + 1] = 0.0
    inner[: n_levels + 1] = 0.0
    far = near = first
    few = MAX_VISITED if width > NARROW else MAX_VISITED_IF_NARROW
    for r in range(first, end):
        row = sweep.ranking[r]
        edge = sweep.z[row] + 1.0
        while far < end and sweep.z[sweep.ranking[far]] < edge:
            other = sweep.ranking[far]
            add(outer, n_levels, n_levels - 1 - data.level[other], sweep.z[other], data.partner, other)
            far += 1
        while near < far and sweep.z[sweep.ranking[near]] < edge - width:
            other = sweep.ranking[near]
            add(inner, n_levels, n_levels - 1 - data.level[other], sweep.z[other], data.partner, other)
            near += 1
        sweep.reach[0, r], sweep.reach[1, r] = far, near
        position = n_levels - 1 - data.level[row]
        _, all_weight, all_total, all_squares = sum_before(outer, position, data.own, row)
        _, weight, total, squares = sum_before(inner, position, data.own, row)
        band_weight, band, band_squares = all_weight - weight, 0.0, 0.0
        if far - near <= few:
            for place in range(near, far):
                other = sweep.ranking[place]
                if data.level[other] > data.level[row]:
                    slack = edge - sweep.z[other]
                    share = pair_weight(data.own, row, data.partner, other) * slack
                    band += share
                    band_squares += share * slack
        else:
            band = band_weight * edge - (all_total - total)
            band_squares = band_weight * edge * edge - 2.0 * edge * (all_total - total) + all_squares - squares
            sums[3] += band_weight
        beyond = weight * edge - total
        sums[0] += beyond - 0.5 * width * weight + band_squares / (2.0 * width)
        sums[1] += weight + band / width
        sums[2] += beyond + band
        sweep.slope[row] += weight + band / width
        sweep.degree[0, row], sweep.degree[1, row] = all_weight, weight


@njit(cache=True, nogil=True)
def _sweep_better(query: int, data: PairData, width: float, sweep: Sweep, outer: FloatArray, inner: FloatArray) -> None:
    """Process rows as the better document; partners are taken from ``reach``, so that both passes agree on ties."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    outer[: n_levels + 1] = 0.0
    inner[: n_levels + 1] = 0.0
    far = near = end - 1
    few = MAX_VISITED if width > NARROW else MAX_VISITED_IF_NARROW
    for r in range(end - 1, first - 1, -1):
        row = sweep.ranking[r]
        edge = sweep.z[row] - 1.0
        while far >= first and sweep.reach[0, far] > r:
            other = sweep.ranking[far]
            add(outer, n_levels, data.level[other], sweep.z[other], data.partner, other)
            far -= 1
        while near >= first and sweep.reach[1, near] > r:
            other = sweep.ranking[near]
            add(inner, n_levels, data.level[other], sweep.z[other], data.partner, other)
            near -= 1
        _, all_weight, all_total, _ = sum_before(outer, data.level[row], data.own, row)
        _, weight, total, _ = sum_before(inner, data.level[row], data.own, row)
        band = 0.0
        if near - far <= few:
            for place in range(far + 1, near + 1):
                other = sweep.ranking[place]
                if data.level[other] < data.level[row]:
                    band += pair_weight(data.own, row, data.partner, other) * (sweep.z[other] + 1.0 - sweep.z[row])
        else:
            band = all_total - total - (all_weight - weight) * edge
        sweep.slope[row] -= data.turned * (weight + band / width)
        sweep.degree[0, row] += data.turned * all_weight
        sweep.degree[1, row] += data.turned * weight
