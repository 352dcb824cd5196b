"""CurveSum: the sum of one curve per feature, with the Gaussians of all features in one array."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from glassrank.core.additive.curves import GaussianCurve, MissingCurve, SumCurve
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import BoolArray, FloatArray, IntArray, Matrix

BLOCK_ROWS = 1_024  # rows of a sparse matrix that are dense at the same time
CACHE_ROWS, CACHE_NODES = 128, 512  # computed at a time: more would leave the processor's cache
ROW_GROUP = 8  # rows that a processor computes at once


@dataclass(frozen=True, eq=False)
class CurveSum:
    """u(x) = Σ_k curve_k(x_k) for each row of X.

    A list of documents is short and has many features, so that most of the time would go into calls of numpy. Gaussians
    and straight lines are therefore computed for all features together.

    >>> curves = (GaussianCurve(1.0, np.array([0.0, 1.0]), np.array([2.0, 1.0])), LinearCurve(0.5))
    >>> CurveSum.of(curves)(np.array([[0.0, 0.0], [1.0, 2.0]])).round(4).tolist()
    [2.3679, 2.7358]
    """

    gaps: IntArray
    """Features whose missing values have an effect of their own."""
    shifts: FloatArray
    missing: FloatArray
    bumps: IntArray
    """Features with Gaussians, once for each γ."""
    centres: FloatArray
    roots: FloatArray
    """√γ, by which values and nodes are multiplied after the centre is subtracted."""
    bump: IntArray
    """Entry of ``bumps`` of each Gaussian."""
    nodes: FloatArray
    weights: FloatArray
    lines: IntArray
    """Features with a straight line."""
    slopes: FloatArray
    others: tuple[tuple[int, Curve], ...]

    @classmethod
    def of(cls, curves: Sequence[Curve]) -> "CurveSum":
        """Sort the parts of the curves by their kind."""
        gaps = [(k, curve) for k, curve in enumerate(curves) if isinstance(curve, MissingCurve)]
        parts = list(_parts(curves))
        gaussians = [(k, part) for k, part in parts if isinstance(part, GaussianCurve) and len(part.nodes)]
        lines = [(k, part) for k, part in parts if isinstance(part, LinearCurve) and part.slope != 0.0]
        has_gap = {k for k, _ in gaps}
        centres = np.array([part.nodes[len(part.nodes) // 2] for _, part in gaussians])
        roots = np.sqrt(np.array([part.gamma for _, part in gaussians]))
        bump = np.repeat(np.arange(len(gaussians)), [len(part.nodes) for _, part in gaussians])
        nodes = np.concatenate([np.zeros(0), *(part.nodes for _, part in gaussians)])
        return cls(
            np.array([k for k, _ in gaps], dtype=np.int64),
            np.array([curve.shift for _, curve in gaps]),
            np.array([curve.missing for _, curve in gaps]),
            np.array([k for k, _ in gaussians], dtype=np.int64),
            centres,
            roots,
            bump,
            (nodes - centres[bump]) * roots[bump],
            np.concatenate([np.zeros(0), *(part.weights for _, part in gaussians)]),
            np.array([k for k, _ in lines], dtype=np.int64),
            np.array([part.slope for _, part in lines]),
            tuple(
                (k, MissingCurve(part, 0.0, 0.0) if k in has_gap else part)
                for k, part in parts
                if not isinstance(part, (GaussianCurve, LinearCurve))
            ),
        )

    def __call__(self, X: Matrix) -> FloatArray:
        """Return the sum for each row of X; memory does not grow with the number of rows."""
        scores = np.zeros(X.shape[0])
        for first in range(0, X.shape[0], BLOCK_ROWS):
            rows = slice(first, first + BLOCK_ROWS)
            scores[rows] = self._sums(X[rows].toarray() if sparse.issparse(X) else X[rows])
        return scores

    def _sums(self, block: FloatArray) -> FloatArray:
        total = np.zeros(len(block))
        for k, curve in self.others:
            total += curve(block[:, k])
        absent = np.isnan(block[:, self.gaps])
        if len(self.gaps):
            total += np.where(absent, self.missing, -self.shifts).sum(axis=1)
        if len(self.lines):
            total += _dot(self._filled(block, absent, 0.0).take(self.lines, axis=1), self.slopes)
        if len(self.nodes):
            # All Gaussians of an infinite value are 0, so that only the effect of the missing value counts.
            total += self._gaussians(self._filled(block, absent, np.inf))
        return total

    def _filled(self, block: FloatArray, absent: BoolArray, value: float) -> FloatArray:
        """Return the rows with a value in place of missing ones that have an effect of their own."""
        if not absent.any():
            return block
        filled = block.copy()
        filled[:, self.gaps] = np.where(absent, value, block[:, self.gaps])
        return filled

    def _gaussians(self, block: FloatArray) -> FloatArray:
        """Return Σ_j w_j exp(−t_j²), with t = √γ (x − node), for each row."""
        sums = np.empty(len(block))
        for first in range(0, len(block), CACHE_ROWS):
            rows = block[first : first + CACHE_ROWS]
            # Vectors of a processor are always full, so that a row is rounded the same whatever the other rows are.
            values = np.zeros((len(self.bumps), -(-len(rows) // ROW_GROUP) * ROW_GROUP))
            values[:, : len(rows)] = ((rows[:, self.bumps] - self.centres) * self.roots).T
            sums[first : first + CACHE_ROWS] = self._sums_of_gaussians(values)[: len(rows)]
        return sums

    def _sums_of_gaussians(self, values: FloatArray) -> FloatArray:
        """Return the sums for the columns of scaled values: each Gaussian is computed for all of them at once."""
        sums = np.zeros(values.shape[1])
        buffer = np.empty((min(CACHE_NODES, len(self.nodes)), values.shape[1]))
        for first in range(0, len(self.nodes), CACHE_NODES):
            some = slice(first, first + CACHE_NODES)
            cells = buffer[: len(self.nodes[some])]
            values.take(self.bump[some], axis=0, out=cells, mode="clip")  # unlike "raise", without a copy
            cells -= self.nodes[some, None]
            cells *= cells
            np.negative(cells, out=cells)
            np.exp(cells, out=cells)
            sums += np.einsum("ji,j->i", cells, self.weights[some])
        return sums


def _dot(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return w·x of each row; unlike a product of matrices, it rounds a row the same whatever the other rows are."""
    return np.asarray(np.einsum("ij,j->i", rows, weights))


def _parts(curves: Sequence[Curve]) -> Iterator[tuple[int, Curve]]:
    """Yield the curves of which each feature's curve is the sum, without its treatment of missing values."""
    for k, curve in enumerate(curves):
        known = curve.curve if isinstance(curve, MissingCurve) else curve
        for part in known.curves if isinstance(known, SumCurve) else (known,):
            yield k, part
