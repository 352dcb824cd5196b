"""FeatureMap: the columns φ(x) of a linear machine, made feature by feature from values, levels and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from glassrank.core.additive.curves import FLAT, CategoryCurve, MissingCurve, add_curves
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.monotone_columns import MonotoneColumns
from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, Matrix
from glassrank.core.feature_kinds import check_level_codes
from glassrank.core.setting import setting

DOUBLE = np.dtype(np.float64)
CHUNK_ROWS = 8_192
MAX_COLUMNS = 4_096
MAX_DENSITY = 0.2  # largest share of values other than 0 in a sparse matrix, which stores each in 12 bytes
TRANSFORM = "FeatureTransformer('log')"
MAX_BYTES = 4_000_000_000  # of all columns of the training rows


class ColumnBlock(Protocol):
    """The columns of one feature, and the curve that weights of these columns make."""

    @property
    def n_columns(self) -> int: ...

    def __call__(self, values: FloatArray) -> FloatArray: ...

    def curve(self, weights: FloatArray) -> Curve: ...


@dataclass(frozen=True)
class LinearColumn:
    """φ(x) = scale · x; if ``bounded``, its weight must not be negative, so that the sign of the slope is fixed.

    >>> LinearColumn(2.0).curve(np.array([3.0]))
    LinearCurve(slope=6.0)
    """

    scale: float = 1.0
    bounded: bool = False

    @property
    def n_columns(self) -> int:
        return 1

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.scale * values[:, None])

    def curve(self, weights: FloatArray) -> Curve:
        """Return w·φ(x) as a straight line."""
        return LinearCurve(float(self.scale * weights[0]))


@dataclass(frozen=True, eq=False)
class StackedColumns:
    """The columns of several parts side by side: φ(x)·φ(z) is the sum of their kernels."""

    parts: tuple[ColumnBlock, ...]

    @property
    def n_columns(self) -> int:
        return sum(part.n_columns for part in self.parts)

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.concatenate([part(values) for part in self.parts], axis=1)

    def curve(self, weights: FloatArray) -> Curve:
        """Return the sum of the parts' curves."""
        ends = np.cumsum([part.n_columns for part in self.parts])
        own = np.split(weights, ends[:-1])
        return add_curves(part.curve(some) for part, some in zip(self.parts, own, strict=True))


@dataclass(frozen=True, eq=False)
class CategoryColumns:
    """φ_l(x) = 1[x = l] − share_l: one column per frequent level, and one that all other levels share.

    The columns have mean 0 in training. A level that was not seen in training counts among the other levels; if
    training had none, its columns are 0, and so is its effect.

    >>> columns = CategoryColumns(np.array([0, 1, 1]), np.array([0.5, 0.5]), other=1)
    >>> columns(np.array([0.0, 2.0, -1.0])).tolist()
    [[0.5, -0.5], [-0.5, 0.5], [-0.5, 0.5]]
    """

    column_of_level: IntArray
    """Column of each level; −1 for a level without rows if there is no column for other levels."""
    shares: FloatArray
    """Weighted share of the training rows of each column."""
    other: int
    """Column of all other levels; −1 if there is none."""

    @property
    def n_columns(self) -> int:
        return len(self.shares)

    def __call__(self, values: FloatArray) -> FloatArray:
        place = self._places(values)
        columns = np.zeros((len(values), self.n_columns))
        known = np.flatnonzero(place >= 0)
        columns[known] = -self.shares
        columns[known, place[known]] += 1.0
        return columns

    def shifted(self, values: FloatArray) -> sparse.csr_matrix:
        """Return φ(x) + shares as a sparse matrix: 1 for the level; the columns of a missing value are the shares.

        >>> columns = CategoryColumns(np.array([0, 1]), np.array([0.75, 0.25]), other=-1)
        >>> columns.shifted(np.array([1.0, np.nan])).toarray().tolist()
        [[0.0, 1.0], [0.75, 0.25]]
        """
        place = np.full(len(values), -1)
        present = ~np.isnan(values)
        place[present] = self._places(values[present])
        widths = np.where(place >= 0, 1, self.n_columns)
        columns = np.empty(int(widths.sum()), dtype=np.int64)
        entries, starts = np.ones(len(columns)), np.append(0, np.cumsum(widths))
        columns[starts[:-1][place >= 0]] = place[place >= 0]
        others = (starts[:-1][place < 0][:, None] + np.arange(self.n_columns)).ravel()
        columns[others] = np.tile(np.arange(self.n_columns), int((place < 0).sum()))
        entries[others] = np.tile(self.shares, int((place < 0).sum()))
        return sparse.csr_matrix((entries, columns, starts), shape=(len(values), self.n_columns))

    def _places(self, values: FloatArray) -> IntArray:
        check_level_codes(values, len(self.column_of_level), unseen=True)
        return np.asarray(np.append(self.column_of_level, self.other)[values.astype(np.int64)])

    def curve(self, weights: FloatArray) -> Curve:
        """Return the effect of each level, relative to the mean in training."""
        mean = float(self.shares @ weights)
        places = np.append(self.column_of_level, self.other)
        effects = np.where(places >= 0, weights[places] - mean, 0.0)
        rare = tuple(np.flatnonzero(self.column_of_level == self.other).tolist())
        return CategoryCurve(effects[:-1], unseen=float(effects[-1]), centred=True, rare=rare)


@dataclass(frozen=True, eq=False)
class MissingColumns:
    """The columns of the known values, centred, and an indicator; of a missing value, only the indicator is not 0."""

    known: ColumnBlock | None
    """None if the known values do not differ."""
    centre: float | None
    """Value at which the columns are 0, the weighted mean of the known values; None if they need no shift."""

    @property
    def n_columns(self) -> int:
        return 1 + (0 if self.known is None else self.known.n_columns)

    def __call__(self, values: FloatArray) -> FloatArray:
        columns = np.zeros((len(values), self.n_columns))
        present = ~np.isnan(values)
        columns[~present, -1] = 1.0
        if self.known is not None:
            shift = 0.0 if self.centre is None else self.known(np.array([self.centre]))
            columns[present, :-1] = self.known(values[present]) - shift
        return columns

    def curve(self, weights: FloatArray) -> Curve:
        """Return the curve of the known values, 0 at the centre, with the indicator's weight for missing ones."""
        missing = float(weights[-1])
        if self.known is None:
            return MissingCurve(FLAT, 0.0, missing)
        curve = self.known.curve(weights[:-1])
        shift = 0.0 if self.centre is None else float(curve(np.array(self.centre)))
        return MissingCurve(curve, shift, missing)


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """One block of columns per feature; a feature that cannot distinguish documents has none."""

    blocks: tuple[ColumnBlock | None, ...]
    dtype: np.dtype[Any] = DOUBLE
    """Precision of the columns."""

    @property
    def n_columns(self) -> int:
        return sum(block.n_columns for block in self.blocks if block is not None)

    @property
    def ends(self) -> IntArray:
        """End of each feature's block of columns."""
        return np.cumsum([0 if block is None else block.n_columns for block in self.blocks])

    @property
    def feature_of_column(self) -> IntArray:
        """The feature to which each column belongs."""
        return np.repeat(np.arange(len(self.blocks)), np.diff(self.ends, prepend=0))

    @property
    def nonnegative(self) -> BoolArray | None:
        """Columns whose weights must not be negative; None if there are none."""
        parts = [_bounds(block) for block in self.blocks if block is not None]
        found = np.concatenate(parts) if parts else np.zeros(0, dtype=bool)
        return found if found.any() else None

    def signed(self, coef: FloatArray) -> tuple["FeatureMap", FloatArray]:
        """Return the same function with positive factors: the weight of a feature that must fall is negative."""
        blocks, parts = list(self.blocks), np.split(coef, self.ends[:-1])
        for k, block in enumerate(blocks):
            column = block.known if isinstance(block, MissingColumns) else block
            if isinstance(column, LinearColumn) and column.scale < 0:
                positive = LinearColumn(-column.scale)
                blocks[k] = MissingColumns(positive, block.centre) if isinstance(block, MissingColumns) else positive
                parts[k] = np.append(-parts[k][0] + 0.0, parts[k][1:])
        return FeatureMap(tuple(blocks)), np.concatenate(parts)

    def __call__(self, X: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Return the columns for each row of X, in ``out`` if it is given; K(x, z) is the product of two such rows."""
        columns = np.empty((X.shape[0], self.n_columns), dtype=self.dtype) if out is None else out
        for first in range(0, X.shape[0], CHUNK_ROWS):
            rows = slice(first, first + CHUNK_ROWS)
            place = 0
            for k, block in enumerate(self.blocks):
                if block is not None:
                    columns[rows, place : place + block.n_columns] = block(X[rows, k])
                    place += block.n_columns
        return columns

    def for_pairs(self, X: FloatArray) -> Matrix:
        """Return the columns for each row plus a constant for each column, which cancels out in pairs of rows.

        Columns of levels need not be centred then: the matrix is sparse if most of its columns are those of levels.
        """
        # Values other than 0 in a row: one of a category, all columns of other features.
        n_stored = sum(1 if _of_levels(block) else block.n_columns for block in self.blocks if block is not None)
        if n_stored >= MAX_DENSITY * self.n_columns:
            return self(X)
        blocks = enumerate(self.blocks)
        return sparse.hstack([_sparse_columns(one, X[:, k]) for k, one in blocks if one is not None], format="csr")

    def curves(self, coef: FloatArray) -> tuple[Curve, ...]:
        """Return one curve per feature, such that Σ_k curve_k(x_k) = w·φ(x)."""
        parts = np.split(coef, self.ends[:-1])
        return tuple(
            FLAT if block is None else block.curve(part) for block, part in zip(self.blocks, parts, strict=True)
        )


def _of_levels(block: ColumnBlock | None) -> bool:
    return isinstance(block.known if isinstance(block, MissingColumns) else block, CategoryColumns)


def _sparse_columns(block: ColumnBlock, values: FloatArray) -> sparse.csr_matrix:
    """Return the columns of a feature, those of levels shifted by a constant."""
    if isinstance(block, CategoryColumns):
        return block.shifted(values)
    if isinstance(block, MissingColumns) and isinstance(block.known, CategoryColumns):
        absent = sparse.csr_matrix(np.isnan(values)[:, None].astype(np.float64))
        return sparse.hstack([block.known.shifted(values), absent], format="csr")
    return sparse.csr_matrix(block(values))


def _bounds(block: ColumnBlock) -> BoolArray:
    """Return which columns of a feature must not have negative weights."""
    if isinstance(block, MissingColumns):
        return np.append(np.zeros(0, dtype=bool) if block.known is None else _bounds(block.known), False)
    bounded = isinstance(block, MonotoneColumns) or (isinstance(block, LinearColumn) and block.bounded)
    return np.full(block.n_columns, bounded)


def category_columns(
    codes: FloatArray, n_levels: int, weights: FloatArray | None, min_count: int
) -> CategoryColumns | None:
    """Return columns for the levels among ``codes``; levels with fewer than ``min_count`` rows share one column.

    >>> found = category_columns(np.array([0.0, 0.0, 1.0, 2.0]), 4, None, min_count=2)
    >>> found.column_of_level.tolist(), found.shares.tolist(), found.other
    ([0, 1, 1, 1], [0.5, 0.5], 1)
    """
    places = codes.astype(np.int64)
    counts = np.bincount(places, minlength=n_levels)
    totals = np.bincount(places, weights, minlength=n_levels)
    frequent = np.flatnonzero(counts >= min_count)
    rare = (counts > 0) & (counts < min_count)
    other = len(frequent) if rare.any() else -1
    if len(frequent) + rare.any() < 2:
        return None
    column_of_level = np.full(n_levels, other)
    column_of_level[frequent] = np.arange(len(frequent))
    shares = totals[frequent] / totals.sum()
    return CategoryColumns(
        column_of_level, shares if other < 0 else np.append(shares, totals[rare].sum() / totals.sum()), other
    )


def check_columns(kernel: str, widths: Sequence[int], names: Sequence[str], n_rows: int = 0) -> None:
    """Raise an error that names the widest feature if the columns of all features are too many."""
    total, widest = int(sum(widths)), int(np.argmax(widths)) if len(widths) else 0
    if total > MAX_COLUMNS:
        raise DataError(
            f"{kernel} needs {total} columns, but at most {MAX_COLUMNS} are supported; {names[widest]!r} alone needs "
            f"{int(widths[widest])}.",
            remedy=(
                f"Clip or transform wide features ({setting('transform', 'log', python=TRANSFORM)})",
                f"use a smaller {setting('gamma')}",
                f"raise {setting('min_count')}, so that more levels share a column",
            ),
        )
    if 8 * total * n_rows > MAX_BYTES:
        raise DataError(
            f"{kernel} makes {total:,} columns of {n_rows:,} rows, {8e-9 * total * n_rows:.1f} GB: expected at most "
            f"{MAX_BYTES / 1e9:.0f} GB.",
            remedy=("Train on fewer queries", f"raise {setting('min_count')}, so that more levels share a column"),
        )
