"""Inner loops of the sphere's solver: steps on pairs of weights, and updates of the slopes."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.kernels import njit

# Sums may be reordered, so that they can be vectorised.
reordering_njit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
# Maxima too, because all numbers are finite.
finite_njit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz", "nnan"})
MIN_CURVATURE = 1e-12  # for two pages that are equal up to rounding, relative to their diagonal entries
BARRED = 1e150  # far beyond every slope, but its square is still finite
CHECK_EVERY = 8  # steps
TINY = np.finfo(np.float64).tiny


@reordering_njit
def gather(K: FloatArray, pages: IntArray, block: FloatArray) -> None:
    """Copy the rows and columns of some pages into a block."""
    for a in range(len(pages)):
        row = K[pages[a]]
        for b in range(len(pages)):
            block[a, b] = row[pages[b]]


@reordering_njit
def move_slopes(K: FloatArray, pages: IntArray, change: FloatArray, slopes: FloatArray) -> None:
    """Subtract 2 Σ change_j K_j from the slopes, four rows at a time, because reading K takes most of the time."""
    a = 0
    while a + 4 <= len(pages):
        first, second, third, fourth = K[pages[a]], K[pages[a + 1]], K[pages[a + 2]], K[pages[a + 3]]
        c1, c2, c3, c4 = 2 * change[a], 2 * change[a + 1], 2 * change[a + 2], 2 * change[a + 3]
        for t in range(len(slopes)):
            slopes[t] -= c1 * first[t] + c2 * second[t] + c3 * third[t] + c4 * fourth[t]
        a += 4
    while a < len(pages):
        row, c = K[pages[a]], 2 * change[a]
        for t in range(len(slopes)):
            slopes[t] -= c * row[t]
        a += 1


@finite_njit
def step_pairs(
    K: FloatArray,
    diagonal: FloatArray,
    slopes: FloatArray,
    alpha: FloatArray,
    C: float,
    violation: float,
    max_steps: int,
) -> int:
    """Move weight between pairs of pages until no violation exceeds ``violation``; updates slopes and alpha.

    The riser has the greatest slope of the weights that may increase. Its partner, among those that may decrease,
    gives the greatest gain of the dual value (second-order choice, Fan, Chen & Lin 2005). A weight that must not move
    is barred by a huge number, so that the loops over pages have no branches and can be vectorised.
    """
    rising, falling = np.where(alpha < C, 0.0, BARRED), np.where(alpha > 0, 0.0, BARRED)
    values = slopes - rising
    for step in range(max_steps):
        greatest = greatest_of(values)
        riser = place_of(values, greatest)
        row = K[riser]
        measure_gains(row, diagonal, diagonal[riser], greatest, slopes, falling, values)
        best = greatest_of(values)
        if best <= 0.0 or greatest < -0.5 * BARRED:
            return step
        if step % CHECK_EVERY == 0 and greatest - np.min(slopes + falling) <= violation:
            return step
        partner = place_of(values, best)
        curvature = pair_curvature(diagonal[riser], diagonal[partner], row[partner])
        moved = move_weight(alpha, riser, partner, (greatest - slopes[partner]) / (2 * curvature), C)
        for page in (riser, partner):
            rising[page] = 0.0 if alpha[page] < C else BARRED
            falling[page] = 0.0 if alpha[page] > 0 else BARRED
        exchange(row, K[partner], 2 * moved, slopes, rising, values)
    return max_steps


@finite_njit
def measure_gains(
    row: FloatArray,
    diagonal: FloatArray,
    own: float,
    greatest: float,
    slopes: FloatArray,
    falling: FloatArray,
    gains: FloatArray,
) -> None:
    """Compute the gain of moving weight from each page to the riser, excess² / curvature; 0 if there is none."""
    for t in range(len(slopes)):
        excess = max(greatest - slopes[t] - falling[t], 0.0)
        gains[t] = excess * excess / pair_curvature(own, diagonal[t], row[t])


@finite_njit
def pair_curvature(own: float, other: float, product: float) -> float:
    """Return the squared distance K_ii + K_jj − 2 K_ij of two pages, kept above rounding errors."""
    return max(own + other - 2 * product, MIN_CURVATURE * (own + other) + TINY)


@finite_njit
def exchange(
    row: FloatArray, other: FloatArray, moved: float, slopes: FloatArray, rising: FloatArray, values: FloatArray
) -> None:
    """Update the slopes after weight has moved; ``values`` are the slopes of weights that may increase."""
    for t in range(len(slopes)):
        slope = slopes[t] - moved * (row[t] - other[t])
        slopes[t] = slope
        values[t] = slope - rising[t]


@finite_njit
def greatest_of(values: FloatArray) -> float:
    """Return the greatest value, using four independent maxima so that comparisons need not wait."""
    a = b = c = d = -np.inf
    whole = len(values) - len(values) % 4
    for t in range(0, whole, 4):
        a, b = max(a, values[t]), max(b, values[t + 1])
        c, d = max(c, values[t + 2]), max(d, values[t + 3])
    for t in range(whole, len(values)):
        a = max(a, values[t])
    return max(max(a, b), max(c, d))


@finite_njit
def place_of(values: FloatArray, wanted: float) -> int:
    """Return the first position of a value that is known to occur; search eight at a time, then one by one."""
    t = 0
    while t + 8 <= len(values):
        found = 0
        for u in range(t, t + 8):
            found += values[u] == wanted
        if found:
            break
        t += 8
    while values[t] != wanted:
        t += 1
    return t


@finite_njit
def move_weight(alpha: FloatArray, riser: int, partner: int, wished: float, C: float) -> float:
    """Move weight from the partner to the riser, up to ``wished`` and within the bounds, which are met exactly."""
    room, stock = C - alpha[riser], alpha[partner]
    step: float = min(wished, room, stock)
    alpha[riser] = C if step == room else min(C, alpha[riser] + step)
    alpha[partner] = 0.0 if step == stock else max(0.0, alpha[partner] - step)
    return step
