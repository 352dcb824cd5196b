"""What a solver minimises: an objective evaluated at a point gives value, gradient and Hessian."""

from functools import cached_property

import numpy as np
from scipy import sparse

from glassrank.core import pairs
from glassrank.core.checks import FloatArray, IntArray, Matrix, read_only
from glassrank.core.groups import Groups, comparable_pairs, levels_within_queries

BLOCK_BYTES = 4_000_000  # rows of the Hessian are made in blocks of about this size, to stay in the cache


class SquaredHingePairs:
    """Ranking SVM: f(w) = ½‖w‖² + C Σ max(0, 1 − w·(x_i − x_j))² over the pairs of one query with y_i > y_j.

    No pair is ever listed: see ``glassrank.core.pairs``. Evaluate with ``at``; a point's Hessian is available until
    the objective is evaluated elsewhere, because the work arrays are shared.
    """

    def __init__(self, X: Matrix, y: FloatArray, groups: Groups, C: float) -> None:
        self.C = C
        self.n_features: int = X.shape[1]
        self.n_pairs = int(comparable_pairs(y, groups).sum())
        self._X = X if groups.adjacent else X[groups.order]
        if not sparse.issparse(self._X):
            # One numba signature for writable and read-only input alike.
            self._X = read_only(np.ascontiguousarray(self._X))
        self._starts = groups.starts
        level, n_levels = levels_within_queries(y, groups)
        self._level, self._n_levels = level[groups.order], n_levels
        n_rows = groups.n_rows
        self._z, self._slope, self._degree = np.empty(n_rows), np.empty(n_rows), np.empty(n_rows)
        self._ranking, self._reach = np.arange(n_rows), np.empty(n_rows, dtype=np.int64)
        self._evaluations = 0

    def at(self, w: FloatArray) -> "Point":
        """Evaluate the objective at ``w``."""
        w = np.ascontiguousarray(w, dtype=np.float64)
        loss, loss_gradient = self._sweep(w)
        self._evaluations += 1
        value = 0.5 * float(w @ w) + self.C * loss
        return Point(self, self._evaluations, w, value, w + self.C * loss_gradient)

    def _sweep(self, w: FloatArray) -> tuple[float, FloatArray]:
        state = (self._z, self._ranking, self._reach, self._slope, self._degree)
        if sparse.issparse(self._X):
            self._z[:] = self._X @ w
            loss = pairs.sweep_scores(self._starts, self._level, self._n_levels, *state)
            return loss, self._X.T @ self._slope
        gradient = np.empty(self.n_features)
        loss = pairs.sweep_dense(self._X, w, self._starts, self._level, self._n_levels, *state, gradient)
        return loss, gradient

    def hessian(self, evaluation: int) -> FloatArray:
        """Hessian at the point of the last evaluation: I + 2C Xᵀ L X, L the Laplacian of the active pairs."""
        self._check_current(evaluation)
        half = np.zeros((self.n_features, self.n_features))
        for first_query, end_query in self._blocks:
            rows = slice(self._starts[first_query], self._starts[end_query])
            X = self._X[rows]
            X = read_only(X.toarray() if sparse.issparse(X) else X)
            centred, half_rows = np.empty(X.shape), np.empty(X.shape)
            pairs.half_laplacian_rows(
                X,
                self._starts[first_query : end_query + 1] - rows.start,
                self._level[rows],
                self._n_levels[first_query:end_query],
                self._ranking[rows],
                self._reach[rows],
                self._degree[rows],
                centred,
                half_rows,
            )
            half += centred.T @ half_rows
        return np.eye(self.n_features) + 2.0 * self.C * (half + half.T)

    def hessian_product(self, v: FloatArray, evaluation: int) -> FloatArray:
        """Hessian at the point of the last evaluation times ``v``, in two passes over X."""
        self._check_current(evaluation)
        product = np.empty(len(self._z))
        pairs.laplacian_product(
            self._starts,
            self._level,
            self._n_levels,
            self._ranking,
            self._reach,
            self._degree,
            np.ascontiguousarray(self._X @ v),
            product,
        )
        return np.asarray(v + 2.0 * self.C * (self._X.T @ product))

    def _check_current(self, evaluation: int) -> None:
        if evaluation != self._evaluations:
            raise RuntimeError(
                "The Hessian is that of the last evaluated point: ask for it before evaluating elsewhere."
            )

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        """Ranges of queries whose rows fit a block; a query longer than a block has one of its own."""
        most_rows = max(1, BLOCK_BYTES // (8 * max(1, self.n_features)))
        return _blocks_of_queries(self._starts, most_rows)


class Point:
    """An objective at one w: value, gradient, and on demand the Hessian."""

    def __init__(
        self, objective: SquaredHingePairs, evaluation: int, w: FloatArray, value: float, gradient: FloatArray
    ) -> None:
        self.w, self.value, self.gradient = w, value, gradient
        self._objective, self._evaluation = objective, evaluation

    @property
    def duality_gap(self) -> float:
        """Certified bound on value − minimum.

        With the dual variables α = 2C max(0, 1 − margin) of this point, Σ α (x_i − x_j) = w − ∇f, and the primal
        minus the dual value, Σα − Σα²/(4C) − ½‖Σ α (x_i − x_j)‖², simplifies to ½‖∇f‖².
        """
        return 0.5 * float(self.gradient @ self.gradient)

    def hessian(self) -> FloatArray:
        return self._objective.hessian(self._evaluation)

    def hessian_product(self, v: FloatArray) -> FloatArray:
        return self._objective.hessian_product(v, self._evaluation)


def _blocks_of_queries(starts: IntArray, most_rows: int) -> list[tuple[int, int]]:
    blocks, first = [], 0
    while first < len(starts) - 1:
        end = int(np.searchsorted(starts, starts[first] + most_rows, side="right")) - 1
        end = max(end, first + 1)
        blocks.append((first, end))
        first = end
    return blocks
