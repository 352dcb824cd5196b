"""Scaling of features within each query."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from glassrank.core.checks import BoolArray, DataError, FloatArray, Matrix, check_choice
from glassrank.core.groups import Groups


def _minmax(block: FloatArray) -> tuple[FloatArray, FloatArray]:
    low = np.fmin.reduce(block, axis=0)
    return low, np.fmax.reduce(block, axis=0) - low


def _zscore(block: FloatArray) -> tuple[FloatArray, FloatArray]:
    known = ~np.isnan(block)
    count = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, block, 0.0).sum(axis=0) / count
    deviation = np.where(known, block - centre, 0.0)
    return centre, np.sqrt((deviation**2).sum(axis=0) / count)


# method -> centre and width of one query's columns; missing values (NaN) are ignored
METHODS = {"minmax": _minmax, "zscore": _zscore}


def _moderate(block: FloatArray) -> FloatArray:
    """Multiply each column by a power of two so that its largest value is below 1/2 and squares do not overflow.

    Both scaling methods are invariant to such a factor, and multiplying by a power of two is exact.
    """
    _, exponent = np.frexp(np.fmax.reduce(np.abs(block), axis=0))
    # In two steps, because a single power of two may be out of range.
    half = -(exponent + 1) // 2
    return np.asarray(np.ldexp(np.ldexp(block, half), -(exponent + 1) - half))


def scale_within_queries(X: Matrix, groups: Groups, method: str) -> FloatArray:
    """Scale each column within each query to (x − centre)/width; a column that is constant in a query becomes 0.

    ``minmax`` maps the query's smallest value to 0 and its largest to 1; ``zscore`` gives mean 0 and standard
    deviation 1 (divisor m, the number of documents). Missing values stay missing.
    """
    check_choice("method", method, METHODS)
    if sparse.issparse(X):
        raise DataError(
            "Scaling within queries shifts zeros, so it needs dense X: got a sparse matrix.", remedy="Use X.toarray()."
        )
    scaled = np.empty(X.shape)
    for query in range(groups.n_queries):
        rows = groups.rows(query)
        block = _moderate(X[rows])
        centre, width = METHODS[method](block)
        # Rounding may make the standard deviation of a constant column positive, so the values are compared.
        varies = np.fmax.reduce(block, axis=0) > np.fmin.reduce(block, axis=0)
        scaled[rows] = np.where(
            varies, (block - centre) / np.where(varies, width, 1.0), np.where(np.isnan(block), np.nan, 0.0)
        )
    return scaled


@dataclass(frozen=True, eq=False)
class SpreadSums:
    """Sums over queries from which the spread within queries follows; those of different queries can be added."""

    squares: FloatArray
    """Weighted squares of the distances from the query means."""
    total: FloatArray
    """Weight of the known values."""
    varies: BoolArray
    """Which columns differ within some query."""

    def __add__(self, other: "SpreadSums") -> "SpreadSums":
        return SpreadSums(self.squares + other.squares, self.total + other.total, self.varies | other.varies)

    def spread(self) -> FloatArray:
        """Return the standard deviation of each column around its query means; 0 if constant in each query."""
        spread = np.sqrt(self.squares / np.maximum(self.total, np.finfo(float).tiny))
        # Squares of very small or very large values underflow or overflow; return NaN instead of a wrong spread.
        return np.where(self.varies, np.where((spread > 0) & np.isfinite(spread), spread, np.nan), 0.0)


def spread_sums(X: FloatArray, groups: Groups, weights: FloatArray | None = None) -> SpreadSums:
    """Return the sums of all queries; missing values (NaN) are ignored."""
    weights = np.ones(groups.n_rows) if weights is None else weights
    squares, total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    varies = np.zeros(X.shape[1], dtype=bool)
    gaps = bool(np.isnan(X).any())
    for query in range(groups.n_queries):
        rows = groups.rows(query)
        rows = rows[weights[rows] > 0]
        if len(rows):
            block, weight = X[rows], weights[rows][:, None]
            if gaps:
                known = ~np.isnan(block)
                varies |= np.fmax.reduce(block, axis=0) > np.fmin.reduce(block, axis=0)
                block, weight = np.where(known, block, 0.0), weight * known
            else:
                varies |= block.max(axis=0) > block.min(axis=0)
            own = weight.sum(axis=0)
            mean = (weight * block).sum(axis=0) / np.where(own > 0, own, 1.0)
            with np.errstate(over="ignore"):
                squares += (weight * (block - mean) ** 2).sum(axis=0)
            total += own
    return SpreadSums(squares, total if gaps else np.full(X.shape[1], weights.sum()), varies)


def spread_within_queries(X: FloatArray, groups: Groups, weights: FloatArray | None = None) -> FloatArray:
    """Return the weighted standard deviation of each column around its query means; 0 if constant in each query.

    Missing values (NaN) are ignored.
    """
    return spread_sums(X, groups, weights).spread()
