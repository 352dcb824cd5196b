"""The LRBF kernel K(x, z) = Σ_k exp(−γ_k (x_k − z_k)²) as columns of a linear machine."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.gaussian_columns import CHUNK_ROWS, MAX_COLUMNS, GaussianColumns, gaussian_columns
from glassrank.core.checks import DataError, FloatArray, within
from glassrank.core.setting import setting


@dataclass(frozen=True, eq=False)
class LrbfMap:
    """One block of Gaussian columns per feature; a feature without variation has none."""

    blocks: tuple[GaussianColumns | None, ...]

    @property
    def n_columns(self) -> int:
        return sum(block.n_columns for block in self.blocks if block is not None)

    @property
    def ends(self) -> FloatArray:
        """End of each feature's block of columns."""
        return np.cumsum([0 if block is None else block.n_columns for block in self.blocks])

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the columns for each row of X; K(x, z) is the product of two such rows."""
        columns = np.empty((X.shape[0], self.n_columns))
        for first in range(0, X.shape[0], CHUNK_ROWS):
            rows = slice(first, first + CHUNK_ROWS)
            place = 0
            for k, block in enumerate(self.blocks):
                if block is not None:
                    columns[rows, place : place + block.n_columns] = block(X[rows, k])
                    place += block.n_columns
        return columns


def lrbf_map(gammas: FloatArray, low: FloatArray, high: FloatArray, names: tuple[str, ...]) -> LrbfMap:
    """Return Gaussian columns for each feature on its range; γ = 0 excludes a feature."""
    blocks: list[GaussianColumns | None] = []
    for gamma, bottom, top, name in zip(gammas, low, high, names, strict=True):
        if gamma == 0.0 or bottom == top:
            blocks.append(None)
            continue
        with within(f"Feature {name!r}"):
            blocks.append(gaussian_columns(float(gamma), float(bottom), float(top)))
    made = LrbfMap(tuple(blocks))
    check_columns("The LRBF kernel", made.ends, names, MAX_COLUMNS)
    return made


def check_columns(kernel: str, ends: FloatArray, names: tuple[str, ...], most: int) -> None:
    """Raise an error that names the widest feature if there are too many columns; features end at ``ends``."""
    widths = np.diff(ends, prepend=0)
    if widths.sum() > most:
        widest = int(np.argmax(widths))
        raise DataError(
            f"{kernel} needs {int(widths.sum())} columns, but at most {most} are supported; {names[widest]!r} alone "
            f"needs {int(widths[widest])}.",
            remedy=("Clip or log-transform wide features", f"use a smaller {setting('gamma')}"),
        )
