"""The parameter γ of the LRBF kernel, and the columns that follow from it."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.lrbf_columns import LrbfMap, lrbf_map
from glassrank.core.additive.odd_gaussian_columns import OddMap, odd_map
from glassrank.core.checks import DataError, FloatArray, Matrix, check_choice, check_positive
from glassrank.core.groups import Groups

SCALE = "scale"
MAX_SCALE_RATIO = 100.0


def check_gamma(gamma: Any) -> None:
    """Raise an error unless gamma is ``"scale"`` or a positive number."""
    if isinstance(gamma, str):
        check_choice("gamma", gamma, [SCALE])
    else:
        check_positive("gamma", gamma)


def lrbf_columns(X: FloatArray, gamma: str | float, spread: FloatArray, names: tuple[str, ...]) -> LrbfMap:
    """Return the columns for X: γ_k = 1/(2 spread_k²), or one γ for all; a feature without spread gets no column.

    >>> X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0]])
    >>> columns = lrbf_columns(X, 0.5, X.std(axis=0), ("age", "constant"))
    >>> bool(np.isclose(columns(X)[0] @ columns(X)[1], np.exp(-0.5)))
    True
    """
    return lrbf_map(_gammas(gamma, spread, names), X.min(axis=0), X.max(axis=0), names)


def odd_columns(
    X: FloatArray, groups: Groups, gamma: str | float, spread: FloatArray, names: tuple[str, ...]
) -> OddMap:
    """Return odd columns for differences within queries, up to the largest in X; γ is as in ``lrbf_columns``.

    >>> from glassrank.core.groups import group_rows
    >>> X = np.array([[0.0, 7.0], [1.0, 7.0], [3.0, 7.0]])
    >>> columns = odd_columns(X, group_rows(None, 3), 0.5, X.std(axis=0), ("age", "constant"))
    >>> a, b = columns(np.array([[1.0, 0.0], [-2.0, 0.0]]))
    >>> bool(np.isclose(a @ b, 0.5 * (np.exp(-0.5 * 3.0**2) - np.exp(-0.5 * 1.0**2))))
    True
    """
    rows, starts = X[groups.order], groups.starts[:-1]
    reach = (np.maximum.reduceat(rows, starts) - np.minimum.reduceat(rows, starts)).max(axis=0)
    return odd_map(_gammas(gamma, spread, names), reach, names)


def _gammas(gamma: str | float, spread: FloatArray, names: tuple[str, ...]) -> FloatArray:
    """Return γ of each feature; 0 for a feature without spread, which distinguishes no documents."""
    beyond = np.flatnonzero(np.isnan(spread))
    if len(beyond):
        raise DataError(f"The variance of {names[beyond[0]]!r} overflows floating point: rescale the feature.")
    varies = spread > 0
    gammas = 0.5 / np.where(varies, spread, 1.0) ** 2 if gamma == SCALE else np.full(len(spread), float(gamma))
    return np.where(varies, gammas, 0.0)


def scales_message(gamma: str | float, spread: FloatArray) -> str | None:
    """Return a warning if one γ is used for features of very different scales."""
    varying = spread[spread > 0]
    if gamma == SCALE or len(varying) == 0 or varying.max() <= MAX_SCALE_RATIO * varying.min():
        return None
    times = f"{varying.max() / varying.min():.0f} times"
    return f"One gamma for features whose spreads differ by {times}: scale them first, or use gamma='scale'."


def as_dense(X: Matrix) -> FloatArray:
    """Return rows as a dense array, because the Gaussians of a sparse matrix are not sparse."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X)
