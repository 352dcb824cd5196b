"""Linear approximation of one-dimensional Gaussians: exp(−γ(x − z)²) ≈ φ(x)·φ(z) with few columns.

On a range R the Gaussian's spectrum decays so fast that a few columns reach any tolerance: for γR² = 25, 20 columns
reach 1e-10. A kernel machine with K(x, z) = Σ_k exp(−γ_k (x_k − z_k)²) is then a *linear* machine in these columns, and
each feature's effect is a sum of Gaussians at fixed nodes, which is also defined outside the range.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from glassrank.core.additive.curves import GaussianCurve
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting

TOLERANCE = 1e-10
EIGENVALUE_FLOOR = 1e-12  # smaller eigenvalues are rounding errors, which their directions would magnify
MAX_NODES = 1_000
TRANSFORM = "FeatureTransformer('log')"
NODES_PER_WIDTH = 5.0  # nodes for a range as wide as 1/√γ


@dataclass(frozen=True, eq=False)
class GaussianColumns:
    """φ(x) = exp(−γ(x − nodes)²) · mixing, so that φ(x)·φ(z) = exp(−γ(x − z)²) within the tolerance on the range."""

    gamma: float
    nodes: FloatArray
    mixing: FloatArray

    @property
    def n_columns(self) -> int:
        return int(self.mixing.shape[1])

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return the columns of φ for each value, computed once for equal values."""
        distinct, place = np.unique(values, return_inverse=True)
        made = np.exp(-self.gamma * (distinct[:, None] - self.nodes) ** 2) @ self.mixing
        return np.asarray(made[place])

    def curve(self, weights: FloatArray) -> Curve:
        """Return w·φ(x) as a curve, with the weights of columns converted to weights of nodes."""
        return GaussianCurve(self.gamma, self.nodes, np.asarray(self.mixing @ weights))


def gaussian_columns(gamma: float, low: float, high: float, tolerance: float = TOLERANCE) -> GaussianColumns:
    """Approximate the Gaussian of precision γ on [low, high] with as few columns as the tolerance allows.

    >>> phi = gaussian_columns(gamma=2.0, low=0.0, high=3.0)
    >>> x = np.array([0.3, 2.9])
    >>> bool(abs(phi(x)[0] @ phi(x)[1] - np.exp(-2.0 * (0.3 - 2.9) ** 2)) < 1e-10)
    True
    """
    half = max((high - low) / 2.0, np.finfo(float).tiny)
    span = gamma * (high - low) ** 2
    # More nodes than columns cost little and make the interpolation error negligible.
    n_nodes = int(16 + NODES_PER_WIDTH * np.sqrt(span))
    if n_nodes > MAX_NODES:
        raise DataError(
            f"A Gaussian with γ = {gamma:.3g} on the range {high - low:.3g} needs more than {MAX_NODES} nodes.",
            remedy=(
                f"Clip or transform the feature ({setting('transform', 'log', python=TRANSFORM)})",
                f"use a smaller {setting('gamma')}",
            ),
        )
    nodes = (low + high) / 2.0 + half * np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)
    eigenvalues, vectors = eigh(np.exp(-gamma * (nodes[:, None] - nodes) ** 2))
    kept = eigenvalues > EIGENVALUE_FLOOR * eigenvalues[-1]
    mixing = vectors[:, kept] / np.sqrt(eigenvalues[kept])
    return _compressed(GaussianColumns(gamma, nodes, mixing), low, high, tolerance)


def _compressed(full: GaussianColumns, low: float, high: float, tolerance: float) -> GaussianColumns:
    """Rotate to the directions of largest variation on the range, and keep as few as the tolerance allows."""
    grid = np.linspace(low, high, max(201, 4 * len(full.nodes)))
    columns = full(grid)
    # Squares lose half of the digits, and still distinguish directions far below the tolerance.
    rotation = eigh(columns.T @ columns)[1][:, ::-1].T
    rotated = columns @ rotation.T
    # By Cauchy–Schwarz, the error of any pair of values is at most the largest squared norm of the dropped columns.
    left_out = np.cumsum((rotated**2)[:, ::-1], axis=1).max(axis=0)[::-1]
    n_columns = int(np.searchsorted(-left_out, -tolerance / 2))
    # Positive at the lower end: otherwise the last digit of γ would decide the signs.
    turned = rotation.T * np.where(rotated[0] < 0, -1.0, 1.0)
    return GaussianColumns(full.gamma, full.nodes, full.mixing @ turned[:, : max(n_columns, 1)])
