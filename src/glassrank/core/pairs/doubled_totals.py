"""Sums over the pairs at one w in doubled precision, as fractions, so that those of different queries add exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import FloatArray, read_only
from glassrank.core.pairs import doubled_sums
from glassrank.core.pairs.compared_rows import ComparedRows

BLOCK_BYTES = 4_000_000

Margins = tuple[tuple[float, float], ...]
"""Margins of slacks, each with the sign of its slope; empty for the logistic loss."""


@dataclass(frozen=True, eq=False)
class DoubledTotals:
    """Two sums for each margin, and Xᵀ slope.

    The sums are Σ weight · slack and Σ weight · slack². Of the logistic loss they are the loss itself, and how
    sensitive it is to the rounding of the margins.
    """

    sums: tuple[tuple[Fraction, Fraction], ...]
    pulled: tuple[Fraction, ...]

    def __add__(self, other: "DoubledTotals") -> "DoubledTotals":
        return DoubledTotals(
            tuple((a + c, b + d) for (a, b), (c, d) in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.pulled, other.pulled, strict=True)),
        )


def doubled_totals(data: ComparedRows, w: FloatArray, margins: Margins) -> DoubledTotals:
    """Return the sums at ``w``; the slopes of all margins are added up.

    >>> from glassrank.core.groups import group_rows
    >>> data = ComparedRows.of(np.array([[1.0], [0.5]]), np.array([1.0, 0.0]), group_rows(None, 2))
    >>> found = doubled_totals(data, np.array([1.0]), ((1.0, 1.0),))
    >>> found.sums, found.pulled
    (((Fraction(1, 2), Fraction(1, 4)),), (Fraction(-1, 4),))
    """
    n_rows, w = len(data.level), np.ascontiguousarray(w)
    scores, slope = np.zeros((n_rows, 2)), np.zeros((n_rows, 2))
    for rows, X in _dense_blocks(data):
        doubled_sums.multiply_rows(X, w, scores[rows])
    ones = np.ones((n_rows, 1))
    own = ones if data.weights.own is None else data.weights.own
    partner = ones if data.weights.partner is None else data.weights.partner
    found = np.zeros((max(1, len(margins)), 2, 2))
    if margins:
        query = np.repeat(np.arange(len(data.n_levels)), np.diff(data.starts))
        ranking = np.lexsort((scores[:, 1], scores[:, 0], query))
        pairs = (data.starts, data.level, data.n_levels, own, partner)
        for (margin, sign), sums in zip(margins, found, strict=True):
            doubled_sums.add_slack(*pairs, margin, sign, scores, ranking, slope, sums)
    else:
        doubled_sums.add_logistic(data.starts, data.level, own, partner, scores, slope, found[0])
    total = np.zeros((len(w), 2))
    for rows, X in _dense_blocks(data):
        doubled_sums.add_rows(X, slope[rows], total)
    sums_of_margin = tuple((_fraction(first), _fraction(second)) for first, second in found)
    return DoubledTotals(sums_of_margin, tuple(map(_fraction, total)))


def _fraction(doubled: FloatArray) -> Fraction:
    return Fraction(float(doubled[0])) + Fraction(float(doubled[1]))


def _dense_blocks(data: ComparedRows) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the rows in blocks that are small enough to be made dense."""
    most_rows = max(1, BLOCK_BYTES // (8 * max(1, data.X.shape[1])))
    for first, end in blocks_of_queries(data.starts, most_rows):
        rows = slice(data.starts[first], data.starts[end])
        X = data.X[rows]
        yield rows, read_only(X.toarray() if sparse.issparse(X) else X)
