"""Least squares over pairs of documents, from sums over single documents.

A score f = Hβ, where H has one row per document, is fitted to the differences of labels y_i − y_j. With the rows R and
t that ``PairRows`` computes from H and y, the mean over pairs is an ordinary least squares problem

    (1/Z) Σ_ij ω_ij (y_i − y_j − (f_i − f_j))² + λ‖β‖² = (2/Z) ‖t − Rβ‖² + λ‖β‖²,    (RᵀR + λZ/2 I) β = Rᵀt.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, get_blas_funcs
from scipy.linalg.lapack import dpocon

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.nodes.pair_rows import PairRows
from glassrank.core.setting import setting

BLOCK_BYTES = 64_000_000  # size of the blocks in which rows are mapped; memory does not grow with the number of rows


class Columns(Protocol):
    """A map from documents to the columns of the hidden layer."""

    @property
    def n_columns(self) -> int: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def __call__(self, X: Matrix, out: FloatArray | None = None) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """The normal equations of least squares over pairs; equations of different queries can be added."""

    gram: FloatArray
    """RᵀR."""
    right: FloatArray
    """Rᵀt."""
    target_square: float
    """tᵀt."""
    normaliser: float
    """Z."""
    dtype: np.dtype[Any]
    """Precision in which the columns were computed, which limits that of the equations."""

    def __add__(self, other: "NormalEquations") -> "NormalEquations":
        return NormalEquations(
            self.gram + other.gram,
            self.right + other.right,
            self.target_square + other.target_square,
            self.normaliser + other.normaliser,
            self.dtype,
        )

    def solve(self, alpha: float) -> FloatArray:
        """Return β for one λ, by Cholesky factorisation."""
        if self.normaliser == 0.0 or not len(self.right):
            return np.zeros(len(self.right))
        system = self.gram.copy()
        system[np.diag_indices_from(system)] += 0.5 * alpha * self.normaliser
        return solve_positive(system, self.right, alpha, self.dtype)

    def path(self, alphas: FloatArray) -> FloatArray:
        """Return β for many λ, one row each, from one eigendecomposition."""
        return Spectrum.of(self).path(alphas)

    def objective(self, coef: FloatArray, alpha: float) -> float:
        """Return the value of the objective at β = ``coef``."""
        square = self.target_square - 2.0 * float(self.right @ coef) + float(coef @ self.gram @ coef)
        loss = 2.0 * max(0.0, square) / self.normaliser if self.normaliser else 0.0
        return loss + alpha * float(coef @ coef)


def solve_positive(system: FloatArray, right: FloatArray, alpha: float, dtype: np.dtype[Any]) -> FloatArray:
    """Solve with a symmetric positive definite matrix; raise an error if it is numerically singular."""
    norm = float(np.abs(system).sum(axis=0).max())
    try:
        factor = cho_factor(system, lower=True, overwrite_a=True)
    except LinAlgError:
        raise _too_small(alpha, dtype) from None
    reciprocal_condition, _ = dpocon(factor[0], norm, uplo="L")
    if reciprocal_condition < np.finfo(dtype).eps:
        raise _too_small(alpha, dtype)
    return np.asarray(cho_solve(factor, right))


def _too_small(alpha: float, dtype: np.dtype[Any]) -> DataError:
    precise = () if dtype == np.float64 else (f"use {setting('dtype', 'float64')}",)
    return DataError(
        f"alpha {alpha:g} is too small for these data: the equations are numerically singular in {dtype.name}.",
        parameter="alpha",
        got=alpha,
        remedy=(f"Raise {setting('alpha')}", *precise),
    )


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Normal equations in the basis of their eigenvectors, where each λ needs only divisions."""

    eigenvalues: FloatArray
    vectors: FloatArray
    right: FloatArray
    normaliser: float
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, equations: NormalEquations) -> "Spectrum":
        eigenvalues, vectors = eigh(equations.gram, driver="evd")
        # The Gram matrix has no negative eigenvalues except by rounding.
        return cls(
            np.maximum(eigenvalues, 0.0), vectors, vectors.T @ equations.right, equations.normaliser, equations.dtype
        )

    def inverse(self, alpha: float) -> FloatArray:
        """Return 1/(eigenvalue + λZ/2); raise an error if it is dominated by rounding."""
        shifted = self.eigenvalues + 0.5 * alpha * self.normaliser
        if shifted.min(initial=np.inf) <= np.finfo(self.dtype).eps * shifted.max(initial=0.0):
            raise _too_small(alpha, self.dtype)
        return np.asarray(1.0 / shifted)

    def path(self, alphas: FloatArray) -> FloatArray:
        """Return β for many λ, one row each."""
        if self.normaliser == 0.0:
            return np.zeros((len(alphas), len(self.right)))
        return np.stack([self.inverse(alpha) * self.right for alpha in alphas.tolist()]) @ self.vectors.T


def normal_equations(
    columns: Columns, X: Matrix, y: FloatArray, pairs: PairRows, block_bytes: int = BLOCK_BYTES
) -> NormalEquations:
    """Sum the equations block by block, so that only one block of columns is in memory.

    >>> from glassrank.core.groups import group_rows
    >>> from glassrank.core.nodes.hidden_nodes import FullNodes
    >>> from glassrank.core.nodes.pair_rows import pair_rows
    >>> identity = FullNodes("linear", np.eye(1), np.zeros(1))
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 4.0])
    >>> equations = normal_equations(identity, X, y, pair_rows("pairs", y, group_rows(None, 3)))
    >>> equations.solve(alpha=1e-9).round(6).tolist(), equations.normaliser
    ([2.0], 9.0)
    """
    size = columns.n_columns + 1
    max_rows = max(1, block_bytes // (columns.dtype.itemsize * size))
    moments = np.zeros((size, size), order="F")
    open_label: Any = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for first, centred in _centred_blocks(columns, X, y, pairs, max_rows):
            rows, sums, open_label = pairs.apply(centred, first, open_label)
            moments = _add_gram(moments, rows)
            moments = _add_gram(moments, sums) if len(sums) else moments
    if not np.isfinite(np.diag(moments)).all():
        raise _too_large(columns.dtype)
    moments = np.tril(moments) + np.tril(moments, -1).T
    gram, right = np.ascontiguousarray(moments[:-1, :-1]), moments[:-1, -1].copy()
    return NormalEquations(gram, right, float(moments[-1, -1]), pairs.normaliser, columns.dtype)


def _add_gram(moments: FloatArray, rows: FloatArray) -> FloatArray:
    """Add rowsᵀ rows to the lower triangle in place; sums over blocks always have double precision."""
    syrk = get_blas_funcs("syrk", dtype=rows.dtype)
    if rows.dtype == np.float64:
        return np.asarray(syrk(1.0, rows.T, beta=1.0, c=moments, overwrite_c=True, lower=True))
    moments += syrk(1.0, rows.T, lower=True)
    return moments


def _centred_blocks(
    columns: Columns, X: Matrix, y: FloatArray, pairs: PairRows, max_rows: int
) -> Iterator[tuple[int, FloatArray]]:
    """Yield rows of [H y] minus their query's mean, with the position of the first row; H are the columns.

    All blocks share memory: use each before requesting the next.
    """
    labels = pairs.centre(y[pairs.order][:, None])
    in_order = bool(np.array_equal(pairs.order, np.arange(len(pairs.order))))
    memory = np.empty((min(max_rows, len(y)), columns.n_columns + 1), dtype=columns.dtype)

    def block(first: int, end: int) -> FloatArray:
        rows = memory[: end - first]
        columns(X[first:end] if in_order else X[pairs.order[first:end]], out=rows[:, :-1])
        rows[:, -1] = labels[first:end, 0]
        return rows

    for first_query, end_query in blocks_of_queries(pairs.starts, max_rows):
        first, end = int(pairs.starts[first_query]), int(pairs.starts[end_query])
        if end - first <= max_rows:
            yield first, pairs.centre(block(first, end), first)
            continue
        # A query that is longer than a block needs a separate pass for its mean.
        parts = [(cut, min(cut + max_rows, end)) for cut in range(first, end, max_rows)]
        mean = np.sum([pairs.part_of_mean(block(*part), part[0]) for part in parts], axis=0)
        for part in parts:
            rows = block(*part)
            rows -= mean
            yield part[0], rows


def scores(columns: Columns, X: Matrix, coefs: FloatArray, block_bytes: int = BLOCK_BYTES) -> FloatArray:
    """Return Hβ for each row β of ``coefs``, with one row per document, computed in blocks."""
    max_rows = max(1, block_bytes // (8 * max(1, columns.n_columns)))
    result = np.empty((X.shape[0], len(coefs)))
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, X.shape[0], max_rows):
            block = slice(first, first + max_rows)
            result[block] = columns(X[block]) @ coefs.T
    if not np.isfinite(result).all():
        raise _too_large(columns.dtype)
    return result


def leave_query_out(
    equations: NormalEquations, columns: Columns, X: Matrix, y: FloatArray, pairs: PairRows, alphas: FloatArray
) -> FloatArray:
    """Score every document by the fit without its query, for each λ: one row per λ, one column per document.

    The scores are exact without refitting: removing a query is a correction whose rank is at most the query's size.
    The penalty λZ/2 remains that of all queries.
    """
    spectrum = Spectrum.of(equations)
    inverses = [spectrum.inverse(alpha) for alpha in alphas.tolist()]
    held_out = np.empty((len(alphas), len(y)))
    for first, end in zip(pairs.starts[:-1].tolist(), pairs.starts[1:].tolist(), strict=True):
        documents = pairs.order[first:end]
        outputs = columns(X[documents]) @ spectrum.vectors
        rows = pairs.rows(np.column_stack([outputs, y[documents]]), first)
        if len(rows) > rows.shape[1]:
            rows = np.asarray(np.linalg.qr(rows, mode="r"))  # a triangular matrix with the same Gram matrix
        for k, inverse in enumerate(inverses):
            held_out[k, documents] = outputs @ _without_query(spectrum.right, inverse, rows)
    return held_out


def _without_query(right: FloatArray, inverse: FloatArray, rows: FloatArray) -> FloatArray:
    """Return β without the query whose rows are [R t], by the Sherman–Morrison–Woodbury identity.

    With M = RᵀR + λZ/2 I of all queries and R, t of one: β − M⁻¹Rᵀ (I − R M⁻¹ Rᵀ)⁻¹ (t − Rβ).
    """
    R, t = rows[:, :-1], rows[:, -1]
    coef = inverse * right
    leverage = (R * inverse) @ R.T
    residual = np.linalg.solve(np.eye(len(t)) - leverage, t - R @ coef)
    return np.asarray(coef - inverse * (R.T @ residual))


def kernel_coefficients(K: FloatArray, y: FloatArray, pairs: PairRows, alpha: float) -> FloatArray:
    """Return β of f = Σ β_i K(x_i, ·) that minimises the mean over pairs plus λ‖f‖²_K = λ Σ β_i β_j K(x_i, x_j).

    The minimiser is β = Rᵀu with (R K Rᵀ + λZ/2 I) u = t.
    """
    order = pairs.order
    one_side = pairs.rows(K[np.ix_(order, order)])
    system = pairs.rows(np.ascontiguousarray(one_side.T))
    system[np.diag_indices_from(system)] += 0.5 * alpha * pairs.normaliser
    target = pairs.rows(y[order][:, None]).ravel()
    coef = np.empty(len(order))
    coef[order] = pairs.transpose(solve_positive(system, target, alpha, K.dtype))
    return coef


def _too_large(dtype: np.dtype[Any]) -> DataError:
    return DataError(
        f"The hidden layer has values that are too large for {dtype.name}.",
        remedy="Scale the features first, for example with StandardScaler.",
    )
