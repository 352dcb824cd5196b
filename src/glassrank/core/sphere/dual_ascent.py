"""Ascent to the sphere's dual optimum: rounds of work on the pages whose weights are in question.

Only rows of K whose weights change are read, and each round works in a block of its own that fits the cache. Where the
ascent starts is told by a sphere around some hundreds of the pages.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.sphere.pair_steps import gather, move_slopes, step_pairs

SAMPLE = 400  # pages, or a few more
FEWEST_TO_SAMPLE = 1600
SAMPLE_TOL = 1e-3
NEAR = 0.3  # pages this near to violating optimality, against the worst that do, are worked on too
SHARPENING = 0.03  # violation that a round leaves, against the one it meets
MOST_ROUNDS = 1000
WORTH_KEEPING = 0.7  # pages in question, of those in a block that is there already
WHOLE = 0.7  # of all pages in question: work on K itself, without a copy
ROUNDING = 64 * float(np.finfo(np.float64).eps)


@dataclass(eq=False)
class Ascent:
    """Weights α, and the slopes K_ii − 2 (Kα)_i of the dual value in them: squared distances less ‖o‖²."""

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
        """Duality gap, and the slope at which the best weights for these slopes turn from 0 to C.

        The primal value at this centre, min over R² of R² + C Σ max(0, d_i² − R²), is the greatest Σ β_i d_i² over
        feasible β: C for the farthest pages, the rest for the next. So the gap is max_β (β − α)·slopes.
        """
        n_full = min(len(self.alpha), int(1 / self.C + 1e-9))
        rest = max(0.0, 1.0 - n_full * self.C)
        place = max(0, len(self.slopes) - n_full - 1)
        ordered = np.partition(self.slopes, place)
        full = ordered[len(ordered) - n_full :]
        greatest = self.C * float(full.sum()) + rest * float(ordered[place])
        return max(0.0, greatest - float(self.alpha @ self.slopes)), float(ordered[place])

    def tolerance(self, tol: float) -> float:
        """Gap at which to stop; never below what rounding leaves."""
        return max(tol * self.value, ROUNDING * float(self.diagonal.max()))

    def in_question(self, turn: float) -> IntArray:
        """Pages whose weights are free, wrong for the slope at which weights turn, or nearly so."""
        may_rise, may_fall = self.alpha < self.C, self.alpha > 0
        worst = max(self.slopes[may_rise].max(initial=turn) - turn, turn - self.slopes[may_fall].min())
        wrong = np.where(may_rise, self.slopes > turn - NEAR * worst, self.slopes < turn + NEAR * worst)
        return np.flatnonzero(wrong | (may_rise & may_fall))

    def work_on(self, pages: IntArray, violation: float, most_steps: int) -> bool:
        """Move weight among some pages until they violate optimality by no more; tell whether any weight changed."""
        if len(pages) > WHOLE * len(self.alpha):
            steps = step_pairs(self.K, self.diagonal, self.slopes, self.alpha, self.C, violation, most_steps)
            self.iterations += steps
            return bool(steps > 0)
        if self.block is None or not self.block.serves(pages):
            self.block = Block.of(self.K, pages, self.block)
        pages = self.block.pages
        alpha = self.alpha[pages]
        self.iterations += step_pairs(
            self.block.K, self.diagonal[pages], self.slopes[pages], alpha, self.C, violation, most_steps
        )
        change = alpha - self.alpha[pages]
        changed = np.flatnonzero(change)
        move_slopes(self.K, pages[changed], change[changed], self.slopes)
        self.alpha[pages] = alpha
        return len(changed) > 0


@dataclass(frozen=True, eq=False)
class Block:
    """A part of K in memory of its own, used from round to round as long as it serves."""

    pages: IntArray
    K: FloatArray
    memory: FloatArray

    @classmethod
    def of(cls, K: FloatArray, pages: IntArray, last: Self | None) -> Self:
        """Copy the rows and columns of some pages, into the memory of the last block if it is large enough."""
        size = len(pages) ** 2
        memory = np.empty(size) if last is None or len(last.memory) < size else last.memory
        block = memory[:size].reshape(len(pages), len(pages))
        gather(K, pages, block)
        return cls(pages, block, memory)

    def serves(self, pages: IntArray) -> bool:
        """Whether all these pages are in the block, and not lost in it."""
        return len(pages) >= WORTH_KEEPING * len(self.pages) and bool(np.isin(pages, self.pages).all())


def ascend(K: FloatArray, C: float, tol: float, max_iter: int) -> tuple[Ascent, float]:
    """Maximise the dual from an informed start until the gap is small enough; return it with its gap."""
    ascent = start_of(K, C)
    for _ in range(MOST_ROUNDS):
        gap, turn = ascent.gap()
        enough = ascent.tolerance(tol)
        if gap <= enough or ascent.iterations >= max_iter:
            break
        violation = max(0.5 * enough, SHARPENING * violation_of(ascent.slopes, ascent.alpha, C))
        if not ascent.work_on(ascent.in_question(turn), violation, max_iter - ascent.iterations):
            break
    return ascent, ascent.gap()[0]


def violation_of(slopes: FloatArray, alpha: FloatArray, C: float) -> float:
    """How much steeper a weight that may rise is than one that may fall: at the optimum, at most 0."""
    return float(slopes[alpha < C].max(initial=-np.inf) - slopes[alpha > 0].min())


def start_of(K: FloatArray, C: float) -> Ascent:
    """Weights to start from: of many pages those that a sphere around a sample suggests, else by the mean."""
    diagonal = np.ascontiguousarray(np.diagonal(K))
    if len(diagonal) * C <= 1 + 1e-9:
        return started(K, diagonal, C, np.full(len(diagonal), 1 / len(diagonal)))
    if len(diagonal) >= FEWEST_TO_SAMPLE:
        return started(K, diagonal, C, sampled_weights(K, diagonal, C))
    equal = started(K, diagonal, C, np.full(len(diagonal), 1 / len(diagonal)))
    farthest = started(K, diagonal, C, fill_farthest(np.zeros(len(diagonal)), equal.slopes, C))
    # Where most pages will lie on the sphere, equal weights are the better start; else the pages far from the mean.
    return max(equal, farthest, key=lambda ascent: ascent.value)


def started(K: FloatArray, diagonal: FloatArray, C: float, alpha: FloatArray) -> Ascent:
    """An ascent at given weights."""
    return Ascent(K, diagonal, C, alpha, slopes_of(K, diagonal, np.arange(len(alpha)), alpha))


def slopes_of(K: FloatArray, diagonal: FloatArray, pages: IntArray, alpha: FloatArray) -> FloatArray:
    """Slopes of all pages where ``pages`` weigh ``alpha`` and others nothing; refuses a K with gaps."""
    slopes = diagonal.copy()
    weighing = np.flatnonzero(alpha)
    move_slopes(K, pages[weighing], alpha[weighing], slopes)
    if not np.isfinite(slopes).all():
        page = int(pages[weighing[np.argmax(~np.isfinite(K[pages[weighing]]).all(axis=1))]])
        column = int(np.argmax(~np.isfinite(K[page])))
        raise DataError(
            f"K must hold finite numbers: got {K[page, column]} at row {page}, column {column}.", parameter="K"
        )
    return slopes


def sampled_weights(K: FloatArray, diagonal: FloatArray, C: float) -> FloatArray:
    """Weights of the free pages of a sample's sphere; what is left goes to the pages farthest from its centre."""
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
    """Give what the weights lack of 1 to the steepest pages, C to each at most."""
    order = np.argsort(-slopes, kind="stable")
    room = C - alpha[order]
    before = np.cumsum(room) - room
    alpha[order] += np.clip(1.0 - alpha.sum() - before, 0.0, room)
    return np.minimum(alpha, C)
