"""Maximisation of the sphere's dual, in rounds over the pages whose weights may still change.

Only rows of K whose weights change are read, and each round works on a block that fits into the cache. For many pages,
the starting point comes from a sphere around a sample of them.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.sphere.pair_steps import gather, move_slopes, step_pairs

SAMPLE = 400  # approximate number of pages
MIN_PAGES_TO_SAMPLE = 1600
SAMPLE_TOL = 1e-3
NEAR = 0.3  # pages this close to violating optimality, relative to the worst violation, are included in a round
SHARPENING = 0.03  # violation after a round, relative to that before
MAX_ROUNDS = 1000
MIN_BLOCK_SHARE = 0.7  # an existing block is reused if at least this share of its pages is active
WHOLE = 0.7  # if a larger share of all pages is active, K itself is used instead of a copy
ROUNDING = 64 * float(np.finfo(np.float64).eps)


@dataclass(eq=False)
class Ascent:
    """Weights α and the derivatives K_ii − 2 (Kα)_i of the dual value: squared distances minus ‖o‖²."""

    K: FloatArray
    diagonal: FloatArray
    C: float
    alpha: FloatArray
    slopes: FloatArray
    iterations: int = 0
    block: "Block | None" = None

    @property
    def squared_centre(self) -> float:
        """‖o‖² = αᵀKα, from α·slopes = α·diagonal − 2 αᵀKα."""
        return 0.5 * float(self.alpha @ (self.diagonal - self.slopes))

    @property
    def value(self) -> float:
        """Dual value Σ α_i K_ii − αᵀKα."""
        return 0.5 * float(self.alpha @ (self.diagonal + self.slopes))

    def gap(self) -> tuple[float, float]:
        """Return the duality gap, and the slope at which the best weights for these slopes change from 0 to C.

        The primal value at this centre, min over R² of R² + C Σ max(0, d_i² − R²), is the maximum of Σ β_i d_i² over
        feasible β: C for the farthest pages and the rest for the next. So the gap is max_β (β − α)·slopes.
        """
        n_full = min(len(self.alpha), int(1 / self.C + 1e-9))
        rest = max(0.0, 1.0 - n_full * self.C)
        place = max(0, len(self.slopes) - n_full - 1)
        ordered = np.partition(self.slopes, place)
        full = ordered[len(ordered) - n_full :]
        greatest = self.C * float(full.sum()) + rest * float(ordered[place])
        return max(0.0, greatest - float(self.alpha @ self.slopes)), float(ordered[place])

    def tolerance(self, tol: float) -> float:
        """Return the gap at which to stop, which is at least the rounding error."""
        return max(tol * self.value, ROUNDING * float(self.diagonal.max()))

    def active_pages(self, turn: float) -> IntArray:
        """Return pages whose weights are free, or violate optimality at the slope ``turn``, or nearly do."""
        may_rise, may_fall = self.alpha < self.C, self.alpha > 0
        worst = max(self.slopes[may_rise].max(initial=turn) - turn, turn - self.slopes[may_fall].min())
        wrong = np.where(may_rise, self.slopes > turn - NEAR * worst, self.slopes < turn + NEAR * worst)
        return np.flatnonzero(wrong | (may_rise & may_fall))

    def work_on(self, pages: IntArray, violation: float, max_steps: int) -> bool:
        """Move weight among pages until the violation of optimality is small; return whether any weight changed."""
        if len(pages) > WHOLE * len(self.alpha):
            steps = step_pairs(self.K, self.diagonal, self.slopes, self.alpha, self.C, violation, max_steps)
            self.iterations += steps
            return bool(steps > 0)
        if self.block is None or not self.block.serves(pages):
            self.block = Block.of(self.K, pages, self.block)
        pages = self.block.pages
        alpha = self.alpha[pages]
        self.iterations += step_pairs(
            self.block.K, self.diagonal[pages], self.slopes[pages], alpha, self.C, violation, max_steps
        )
        change = alpha - self.alpha[pages]
        changed = np.flatnonzero(change)
        move_slopes(self.K, pages[changed], change[changed], self.slopes)
        self.alpha[pages] = alpha
        return len(changed) > 0


@dataclass(frozen=True, eq=False)
class Block:
    """A copy of a part of K, reused in later rounds while possible."""

    pages: IntArray
    K: FloatArray
    memory: FloatArray

    @classmethod
    def of(cls, K: FloatArray, pages: IntArray, last: Self | None) -> Self:
        """Copy the rows and columns of some pages, reusing the memory of the last block if it is large enough."""
        size = len(pages) ** 2
        memory = np.empty(size) if last is None or len(last.memory) < size else last.memory
        block = memory[:size].reshape(len(pages), len(pages))
        gather(K, pages, block)
        return cls(pages, block, memory)

    def serves(self, pages: IntArray) -> bool:
        """Whether the block contains all these pages and not too many others."""
        return len(pages) >= MIN_BLOCK_SHARE * len(self.pages) and bool(np.isin(pages, self.pages).all())


def ascend(K: FloatArray, C: float, tol: float, max_iter: int) -> tuple[Ascent, float]:
    """Maximise the dual until the gap is small enough; return the ascent and its gap."""
    ascent = starting_point(K, C)
    for _ in range(MAX_ROUNDS):
        gap, turn = ascent.gap()
        enough = ascent.tolerance(tol)
        if gap <= enough or ascent.iterations >= max_iter:
            break
        violation = max(0.5 * enough, SHARPENING * violation_of(ascent.slopes, ascent.alpha, C))
        if not ascent.work_on(ascent.active_pages(turn), violation, max_iter - ascent.iterations):
            break
    return ascent, ascent.gap()[0]


def violation_of(slopes: FloatArray, alpha: FloatArray, C: float) -> float:
    """Largest slope of a weight that may increase minus smallest of one that may decrease; ≤ 0 at the optimum."""
    return float(slopes[alpha < C].max(initial=-np.inf) - slopes[alpha > 0].min())


def starting_point(K: FloatArray, C: float) -> Ascent:
    """Return an ascent at starting weights: from a sample's sphere if there are many pages, else from the mean."""
    diagonal = np.ascontiguousarray(np.diagonal(K))
    if len(diagonal) * C <= 1 + 1e-9:
        return started(K, diagonal, C, np.full(len(diagonal), 1 / len(diagonal)))
    if len(diagonal) >= MIN_PAGES_TO_SAMPLE:
        return started(K, diagonal, C, sampled_weights(K, diagonal, C))
    equal = started(K, diagonal, C, np.full(len(diagonal), 1 / len(diagonal)))
    farthest = started(K, diagonal, C, fill_farthest(np.zeros(len(diagonal)), equal.slopes, C))
    # Equal weights are the better start if most pages lie on the sphere, otherwise the pages far from the mean.
    return max(equal, farthest, key=lambda ascent: ascent.value)


def started(K: FloatArray, diagonal: FloatArray, C: float, alpha: FloatArray) -> Ascent:
    """Return an ascent at given weights."""
    return Ascent(K, diagonal, C, alpha, slopes_of(K, diagonal, np.arange(len(alpha)), alpha))


def slopes_of(K: FloatArray, diagonal: FloatArray, pages: IntArray, alpha: FloatArray) -> FloatArray:
    """Return the slopes of all pages if ``pages`` have the weights ``alpha`` and others 0; check that K is finite."""
    slopes = diagonal.copy()
    weighing = np.flatnonzero(alpha)
    move_slopes(K, pages[weighing], alpha[weighing], slopes)
    if not np.isfinite(slopes).all():
        page = int(pages[weighing[np.argmax(~np.isfinite(K[pages[weighing]]).all(axis=1))]])
        column = int(np.argmax(~np.isfinite(K[page])))
        raise DataError(
            f"K must contain finite numbers: got {K[page, column]} at row {page}, column {column}.", parameter="K"
        )
    return slopes


def sampled_weights(K: FloatArray, diagonal: FloatArray, C: float) -> FloatArray:
    """Return the weights of the free pages of a sample's sphere; pages farthest from its centre get the rest."""
    sample = np.arange(0, len(K), len(K) // SAMPLE)
    block = np.empty((len(sample), len(sample)))
    gather(K, sample, block)
    sample_C = max(1 / len(sample), min(1.0, C * len(K) / len(sample)))
    found, _ = ascend(block, sample_C, SAMPLE_TOL, 10 * len(K))
    free = (found.alpha > 0) & (found.alpha < sample_C)
    alpha = np.zeros(len(K))
    alpha[sample[free]] = np.minimum(found.alpha[free], C)
    slopes = slopes_of(K, diagonal, sample, found.alpha)
    return fill_farthest(alpha, slopes, C)


def fill_farthest(alpha: npt.NDArray[np.float64], slopes: FloatArray, C: float) -> FloatArray:
    """Increase the weights of the pages with the largest slopes, up to C each, until they sum to 1."""
    order = np.argsort(-slopes, kind="stable")
    room = C - alpha[order]
    before = np.cumsum(room) - room
    alpha[order] += np.clip(1.0 - alpha.sum() - before, 0.0, room)
    return np.minimum(alpha, C)
