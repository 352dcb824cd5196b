"""Objectives of ranking machines on rows in memory: squared hinge, hinge and logistic loss."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
from scipy import sparse

from glassrank.core.blocks import blocks_of_queries, even_blocks, for_each
from glassrank.core.checks import BoolArray, FloatArray, IntArray, read_only
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs import hinge_sweep, logistic_sweep, sweeps
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.doubled_sums import DoubledTotals, Margins, doubled_totals
from glassrank.core.pairs.half_laplacian import half_laplacian_rows
from glassrank.core.pairs.pair_objective import HingeObjective, LossSums, PairObjective

BLOCK_BYTES = 4_000_000  # approximate size of the blocks of rows for the Hessian, which fit into the cache
CHEAP_ROW = 1_000  # number of multiplications that cost as much as one row of a sweep
MAX_FEATURES_PER_THREAD = 512  # with more, threads share one Hessian by columns, to save memory
COLUMNS_PER_THREAD = 128  # fixed, so that products are formed in the same order on every machine


def _add_product(total: FloatArray, left: FloatArray, right: FloatArray) -> None:
    total += left.T @ right


def _add_product_by_columns(total: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Like ``_add_product``, in threads that each compute some columns of the total."""
    edges = blocks_of_queries(np.arange(total.shape[1] + 1), COLUMNS_PER_THREAD)
    for_each(edges, lambda edge: _add_product(total[:, edge[0] : edge[1]], left, right[:, edge[0] : edge[1]]))


AddProduct = Callable[[FloatArray, FloatArray, FloatArray], None]


class RowsObjective(PairObjective):
    """A pair objective on rows in memory. Subclasses define the loss, its slope and its second derivative."""

    def __init__(self, data: ComparedRows, C: float, nonnegative: BoolArray | None = None) -> None:
        super().__init__(data.sizes, C, nonnegative)
        self.data = data
        self._z, self._slope = np.empty(len(data.level)), np.empty(len(data.level))
        weights = data.weights
        self._pairs = sweeps.PairData(
            data.starts, data.level, data.n_levels, weights.own, weights.partner, weights.turned
        )
        self._blocks = even_blocks(data.starts)

    def on(self, data: ComparedRows, C: float) -> "RowsObjective":
        """Return the same loss on other rows."""
        return type(self)(data, C, nonnegative=self.nonnegative)

    def on_queries(self, queries: IntArray) -> "RowsObjective":
        sample = self.data.pick_queries(queries)
        return self.on(sample, self.C * self.n_pairs / max(sample.n_pairs, 1))

    def doubled_totals(self, w: FloatArray, margins: Margins) -> DoubledTotals:
        return doubled_totals(self.data, w, margins)

    def loss_hessian(self, w: FloatArray) -> FloatArray:
        """Xᵀ (d²loss/dz²) X, from one matrix product per block of rows."""
        with one_blas_thread():
            if self.n_features > MAX_FEATURES_PER_THREAD:
                half = self._half_hessian(np.array([0, len(self.data.starts) - 1]), _add_product_by_columns)
            else:
                work = max(1, self.n_features**2 // CHEAP_ROW)
                half = np.sum(for_each(even_blocks(self.data.starts, work), self._half_hessian), axis=0)
        return np.asarray(half + half.T)

    def _half_hessian(self, queries: IntArray, add_product: AddProduct = _add_product) -> FloatArray:
        """CᵀY of some queries, in blocks of rows that stay in the cache."""
        half = np.zeros((self.n_features, self.n_features))
        max_rows = max(1, BLOCK_BYTES // (8 * max(1, self.n_features)))
        starts = self.data.starts[queries[0] : queries[1] + 1]
        for block in blocks_of_queries(starts, max_rows):
            X = self.data.X[starts[block[0]] : starts[block[1]]]
            X = read_only(X.toarray() if sparse.issparse(X) else X)
            centred, half_rows = np.empty(X.shape), np.empty(X.shape)
            self._fill_half_rows(X, queries[0] + block, centred, half_rows)
            add_product(half, centred, half_rows)
        return half

    def loss_product(self, w: FloatArray, v: FloatArray) -> FloatArray:
        """Hessian of the loss times ``v``, in two passes over X."""
        scores, product = np.ascontiguousarray(self.data.X @ v), np.empty(len(self._z))
        for_each(self._blocks, lambda block: self._multiply(block, scores, product))
        return np.asarray(self.data.X.T @ product)

    def _between_products(
        self, w: FloatArray, sweep: Callable[[IntArray], FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Compute z = X w, sweep over blocks of queries, add up what the sweeps return, and compute Xᵀ slope."""
        X, starts = self.data.X, self.data.starts
        if sparse.issparse(X):
            self._z[:] = X @ w
            return np.sum(for_each(self._blocks, sweep), axis=0), np.asarray(X.T @ self._slope)

        def work(block: IntArray) -> tuple[FloatArray, FloatArray]:
            rows = slice(starts[block[0]], starts[block[1]])
            self._z[rows] = X[rows] @ w
            sums = sweep(block)
            return sums, X[rows].T @ self._slope[rows]

        sums, gradients = zip(*for_each(self._blocks, work), strict=True)
        return np.sum(sums, axis=0), np.sum(gradients, axis=0)

    @abstractmethod
    def _multiply(self, block: IntArray, scores: FloatArray, product: FloatArray) -> None:
        """Fill ``product`` with (d²loss/dz²) scores for the rows of a block."""

    @abstractmethod
    def _fill_half_rows(self, X: FloatArray, block: IntArray, centred: FloatArray, half: FloatArray) -> None:
        """Fill C and Y with CᵀY + YᵀC = Xᵀ (d²loss/dz²) X for the rows of a block."""


class MarginPairs(RowsObjective):
    """loss = Σ_e coefficient_e · S(e), S(e) = Σ over pairs of weight · max(0, e − w·(x_i − x_j))².

    Pairs are not enumerated: see ``glassrank.core.pairs.sweeps``.
    """

    def __init__(
        self,
        data: ComparedRows,
        C: float,
        margins: list[float],
        coefficients: list[float],
        nonnegative: BoolArray | None = None,
    ) -> None:
        super().__init__(data, C, nonnegative)
        self._loss = sweeps.MarginLoss(np.array(margins), np.array(coefficients))
        n_rows = len(data.level)
        reach, degree = np.empty((len(margins), n_rows), dtype=np.int64), np.empty((len(margins), n_rows))
        self._state = sweeps.Sweep(self._z, np.arange(n_rows), reach, degree, self._slope)

    def loss_sums(self, w: FloatArray) -> LossSums:
        n_margins = len(self._loss.margins)
        is_sparse = sparse.issparse(self.data.X)
        if is_sparse:
            self._z[:] = self.data.X @ w

        def sweep(block: IntArray) -> FloatArray:
            sums, gradient = np.zeros((2, n_margins)), np.zeros(len(w))
            if is_sparse:
                sweeps.sweep_scores(block, self._pairs, self._loss, self._state, sums)
            else:
                sweeps.sweep_dense(self.data.X, w, block, self._pairs, self._loss, self._state, sums, gradient)
            return np.concatenate([sums.ravel(), gradient])

        total = np.sum(for_each(self._blocks, sweep), axis=0)
        losses, slacks = total[: 2 * n_margins].reshape(2, n_margins)
        gradient = self.data.X.T @ self._slope if is_sparse else total[2 * n_margins :]
        return LossSums(float(self._loss.coefficients @ losses), gradient, slacks)

    def query_gradients(self, w: FloatArray, queries: IntArray) -> FloatArray:
        """Return the gradient of the loss of each of these queries, one row per query; only of dense rows."""
        w, gradients = np.ascontiguousarray(w), np.empty((len(queries), self.n_features))

        def sweep(block: IntArray) -> None:
            some = slice(block[0], block[1])
            sweeps.query_gradients(self.data.X, w, queries[some], self._pairs, self._loss, self._state, gradients[some])

        for_each(even_blocks(np.append(0, np.cumsum(np.diff(self.data.starts)[queries]))), sweep)
        # The work arrays no longer belong to the last evaluated point.
        self._evaluations += 1
        return gradients

    @property
    def _curvature(self) -> FloatArray:
        """The second derivative of max(0, ·)² is 2 on active pairs."""
        return 2.0 * self._loss.coefficients

    def loss_product(self, w: FloatArray, v: FloatArray) -> FloatArray:
        if sparse.issparse(self.data.X):
            return super().loss_product(w, v)
        X, v = self.data.X, np.ascontiguousarray(v)
        scores, product = np.empty((2, len(self._z)))

        def multiply(block: IntArray) -> FloatArray:
            result = np.zeros(len(v))
            sweeps.laplacian_product_dense(
                X, v, block, self._pairs, self._curvature, self._state, scores, product, result
            )
            return result

        return np.asarray(np.sum(for_each(self._blocks, multiply), axis=0))

    def _multiply(self, block: IntArray, scores: FloatArray, product: FloatArray) -> None:
        sweeps.laplacian_product(block, self._pairs, self._curvature, self._state, scores, product)

    def _fill_half_rows(self, X: FloatArray, block: IntArray, centred: FloatArray, half: FloatArray) -> None:
        half_laplacian_rows(X, block, self._pairs, self._curvature, self._state, centred, half)


class SquaredHingePairs(MarginPairs):
    """Ranking SVM: f(w) = ½‖w‖² + C Σ weight · max(0, 1 − w·(x_i − x_j))² over pairs of one query with y_i > y_j."""

    def __init__(self, data: ComparedRows, C: float, nonnegative: BoolArray | None = None) -> None:
        super().__init__(data, C, [1.0], [1.0], nonnegative)

    def on(self, data: ComparedRows, C: float) -> "SquaredHingePairs":
        return SquaredHingePairs(data, C, self.nonnegative)


class SmoothedHingePairs(MarginPairs, HingeObjective):
    """Hinge loss max(0, 1 − margin), smoothed quadratically over a width δ: φ = (S(1) − S(1 − δ))/(2δ).

    0 ≤ hinge − φ ≤ δ/2 for each pair. ``hinge_value`` and the gap are those of the hinge loss.
    """

    def __init__(self, data: ComparedRows, C: float, width: float = 0.5, nonnegative: BoolArray | None = None) -> None:
        self.width = width
        super().__init__(data, C, [1.0, 1.0 - width], [0.5 / width, -0.5 / width], nonnegative)

    def on(self, data: ComparedRows, C: float) -> "SmoothedHingePairs":
        return SmoothedHingePairs(data, C, self.width, self.nonnegative)

    def narrowed(self, width: float) -> "SmoothedHingePairs":
        """Return the objective with another width; the last order of the rows is kept."""
        narrower = SmoothedHingePairs(self.data, self.C, width, self.nonnegative)
        narrower._state.ranking[:] = self._state.ranking
        return narrower

    def loss_sums(self, w: FloatArray) -> LossSums:
        def sweep(block: IntArray) -> FloatArray:
            sums = np.zeros(4)
            hinge_sweep.sweep_hinge(block, self._pairs, self.width, self._state, sums)
            return sums

        (smooth, slopes, hinge, unvisited), gradient = self._between_products(w, sweep)
        # Sums over unvisited band pairs are differences of prefixes: their rounding is magnified by 1/δ.
        size = 1.0 + float(np.abs(self._z).max(initial=0.0))
        rounding = 4.0 * float(np.finfo(float).eps) * size * unvisited / self.width
        return LossSums(float(smooth), gradient, np.array([slopes, hinge, rounding]))


class LogisticPairs(RowsObjective):
    """f(w) = ½‖w‖² + C Σ weight · log(1 + exp(−w·(x_i − x_j))) over pairs of one query with y_i > y_j."""

    logistic = True

    def loss_sums(self, w: FloatArray) -> LossSums:
        def sweep(block: IntArray) -> FloatArray:
            return np.array([logistic_sweep.sweep_logistic(block, self._pairs, self._z, self._slope)])

        (loss,), gradient = self._between_products(w, sweep)
        return LossSums(float(loss), gradient, np.zeros(0))

    def _multiply(self, block: IntArray, scores: FloatArray, product: FloatArray) -> None:
        logistic_sweep.logistic_product(block, self._pairs, self._z, scores, product)

    def _fill_half_rows(self, X: FloatArray, block: IntArray, centred: FloatArray, half: FloatArray) -> None:
        logistic_sweep.half_logistic_rows(X, block, self._pairs, self._z, centred, half)
