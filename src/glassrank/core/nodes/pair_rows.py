"""Rows whose least squares problem equals that of all pairs of documents: one row per document, not one per pair.

With residuals r of a query's documents and ω_ij the weight of a pair,

    ½ Σ_ij ω_ij (r_i − r_j)² = rᵀ L r,        L the Laplacian of the pairs,

and for the weightings here L = Rᵀ R with R = T J: J subtracts the query's mean, T multiplies each row by the root of
its weight and, if tied labels form no pair, appends the sum of the rows of each label. Only the mean is subtracted, so
there is no cancellation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups


@dataclass(frozen=True, eq=False)
class PairRows:
    """R = T J of some data; documents are sorted by ``order``.

    >>> from glassrank.core.groups import group_rows
    >>> pairs = pair_rows("pairs", np.array([1.0, 0.0]), group_rows(None, 2))
    >>> float((pairs.rows(np.array([[5.0], [1.0]])) ** 2).sum().round(9)), pairs.normaliser
    (16.0, 4.0)
    """

    order: IntArray
    """Documents query by query; if tied labels form no pair, by label within each query."""
    starts: IntArray
    """Start of each query, and the end of the last one."""
    weights: FloatArray
    """Weight of each document; the weight of a pair is the product of its two."""
    shares: FloatArray
    """Weight of each document, divided by that of its query."""
    root: FloatArray
    """Factor of each centred row."""
    label_starts: IntArray
    """Start of each run of equal labels, and the end of the last one; only the end if tied labels form pairs."""
    normaliser: float
    """Z: the weight of all pairs, by which their sum of squares is divided."""

    def rows(self, values: FloatArray, first: int = 0) -> FloatArray:
        """Return R times the values of whole queries from position ``first``; the values are overwritten."""
        rows, sums, _ = self.apply(self.centre(values, first), first)
        return np.concatenate([rows, sums])

    def centre(self, rows: FloatArray, first: int = 0) -> FloatArray:
        """Subtract its query's weighted mean from each row, in place, for whole queries from position ``first``."""
        query, end = np.searchsorted(self.starts, [first, first + len(rows)])
        cuts = (self.starts[query : end + 1] - first).tolist()
        # Query by query, so that the rows are still in the cache when the mean is subtracted.
        for start, stop in pairwise(cuts):
            rows[start:stop] -= self.part_of_mean(rows[start:stop], first + start)
        return rows

    def part_of_mean(self, rows: FloatArray, first: int) -> FloatArray:
        """Return the contribution of these rows of one query, from position ``first``, to its weighted mean."""
        shares = self.shares[first : first + len(rows)].astype(rows.dtype)
        # Not a matrix product, because starting the BLAS threads costs more than these few rows.
        return np.asarray(np.einsum("i,ij->j", shares, rows))

    def apply(self, centred: FloatArray, first: int = 0, open_label: Any = 0.0) -> tuple[FloatArray, FloatArray, Any]:
        """Return weighted rows, the sums of labels that end here, and the partial sum of a label that continues.

        ``centred`` are the rows from position ``first``; they are overwritten.
        """
        sums, open_label = self._label_sums(centred, first, open_label)
        centred *= self.root[first : first + len(centred), None].astype(centred.dtype)
        return centred, sums, open_label

    def _label_sums(self, rows: FloatArray, first: int, open_label: Any) -> tuple[FloatArray, Any]:
        """Return the weighted sum of each label's rows; a label of one document is covered by the document's row."""
        if len(self.label_starts) == 1:
            return rows[:0], open_label
        end = first + len(rows)
        run, last = np.searchsorted(self.label_starts, [first, end - 1], side="right") - 1
        cuts = np.concatenate([[first], self.label_starts[run + 1 : last + 1], [end]])
        weights = self.weights[first:end].astype(rows.dtype)
        sums = np.asarray(sparse.csr_matrix((weights, np.arange(len(rows)), cuts - first)) @ rows)
        sums[0] += open_label
        ends_here = self.label_starts[last + 1] == end
        complete = np.diff(self.label_starts[run : last + 2]) > 1
        complete[-1] &= ends_here
        return sums[complete], 0.0 if ends_here else sums[-1]

    def transpose(self, values: FloatArray) -> FloatArray:
        """Return Rᵀ times values (of documents, followed by label sums): one number per document."""
        n_rows = len(self.order)
        result = self.root * values[:n_rows]
        if len(self.label_starts) > 1:
            lengths = np.diff(self.label_starts)
            of_label = np.zeros(len(lengths))
            of_label[lengths > 1] = values[n_rows:]
            result += self.weights * np.repeat(of_label, lengths)
        totals = np.add.reduceat(result, self.starts[:-1])
        return np.asarray(result - self.shares * np.repeat(totals, np.diff(self.starts)))


@dataclass(frozen=True, eq=False)
class _Documents:
    """Input of a weighting, with one entry per document in ``order``."""

    labels: FloatArray
    weights: FloatArray
    query_weight: FloatArray
    """V: the sum of the weights of the document's query."""
    starts: IntArray


Rule = Callable[[_Documents], tuple[FloatArray, IntArray, float]]


def _all_pairs(documents: _Documents) -> tuple[FloatArray, IntArray, float]:
    squares = documents.weights * documents.query_weight
    return squares, documents.starts[-1:], float(squares.sum())


def _query_means(documents: _Documents) -> tuple[FloatArray, IntArray, float]:
    shares = _shares(documents.weights, documents.query_weight)
    return shares, documents.starts[-1:], float((documents.query_weight[documents.starts[:-1]] > 0).sum())


def _different_labels(documents: _Documents) -> tuple[FloatArray, IntArray, float]:
    new_label = np.append(True, np.diff(documents.labels) != 0)
    new_label[documents.starts[:-1]] = True
    label_starts = np.append(np.flatnonzero(new_label), len(new_label))
    sizes = np.diff(label_starts)
    same_label = np.repeat(np.add.reduceat(documents.weights, label_starts[:-1]), sizes)
    partners = np.maximum(documents.query_weight - same_label, 0.0)
    # The sum of a label of one document equals the document's row: add its square to that of the row.
    alone = np.repeat(sizes == 1, sizes)
    squares = documents.weights * np.where(alone, documents.query_weight, partners)
    return squares, label_starts, float(documents.weights @ partners)


# name -> square of each row's factor, starts of labels if their sums are needed, and Z
WEIGHTINGS: dict[str, Rule] = {"pairs": _all_pairs, "query": _query_means, "different-labels": _different_labels}


def pair_rows(weighting: str, y: FloatArray, groups: Groups, row_weights: FloatArray | None = None) -> PairRows:
    """Return R for a weighting of the pairs.

    With the row weights v (1 by default) and V their sum over a query, the weight of documents i and j as a pair is

    - ``pairs``: v_i v_j;
    - ``query``: v_i v_j/V², so that all queries have the same weight;
    - ``different-labels``: v_i v_j if the labels differ, 0 if they are tied.
    """
    order = np.lexsort((y, groups.of_row)) if weighting == "different-labels" else groups.order
    weights = np.ones(groups.n_rows) if row_weights is None else row_weights[order]
    query_weight = np.repeat(np.add.reduceat(weights, groups.starts[:-1]), groups.sizes)
    squares, label_starts, normaliser = WEIGHTINGS[weighting](
        _Documents(y[order], weights, query_weight, groups.starts)
    )
    shares = _shares(weights, query_weight)
    return PairRows(order, groups.starts, weights, shares, np.sqrt(squares), label_starts, normaliser)


def _shares(weights: FloatArray, query_weight: FloatArray) -> FloatArray:
    """Return the weight of each document divided by that of its query; 0 if the query has no weight."""
    return np.asarray(weights / np.where(query_weight > 0, query_weight, 1.0))
