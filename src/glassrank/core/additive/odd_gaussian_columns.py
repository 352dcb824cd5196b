"""The odd part of the LRBF kernel on differences, ½[K(δ, δ′) − K(δ, −δ′)], as columns of a linear machine.

A machine that compares documents by δ = x_A − x_B must be consistent: f(−δ) = −f(δ). The consistent functions of the
kernel K(δ, δ′) = Σ_k exp(−γ_k (δ_k − δ′_k)²) are those of its odd part. They need half of its columns, because
Gaussians at mirrored nodes occur only as differences, exp(−γ(δ − t)²) − exp(−γ(δ + t)²).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from glassrank.core.additive.feature_map import FeatureMap, check_columns
from glassrank.core.additive.gaussian_columns import (
    NODES_PER_WIDTH,
    TOLERANCE,
    GaussianColumns,
    _compressed,
    gaussian_columns,
)
from glassrank.core.checks import FloatArray, within

NEGLIGIBLE = 1e-13  # share of a curve's series that is only rounding error


def _mirrored(values: FloatArray, gamma: float, nodes: FloatArray) -> FloatArray:
    """exp(−γ(δ − t)²) − exp(−γ(δ + t)²) of each value with each node; bitwise odd in δ."""
    towards, away = values[..., None] - nodes, values[..., None] + nodes
    for gaussians in (towards, away):
        # If the square overflows, the Gaussian is correctly 0.
        with np.errstate(over="ignore"):
            gaussians *= gaussians
            gaussians *= -gamma
        np.exp(gaussians, out=gaussians)
    towards -= away
    return towards


@dataclass(frozen=True, eq=False)
class OddGaussianColumns(GaussianColumns):
    """φ(δ)·φ(δ′) = ½[exp(−γ(δ − δ′)²) − exp(−γ(δ + δ′)²)] within the tolerance; nodes are on one side of 0."""

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return the columns of φ for each value."""
        return np.asarray(_mirrored(values, self.gamma, self.nodes) @ self.mixing)


def odd_gaussian_columns(gamma: float, reach: float, tolerance: float = TOLERANCE) -> OddGaussianColumns:
    """Approximate the odd part of the Gaussian of precision γ on [−reach, reach] with few columns.

    >>> phi = odd_gaussian_columns(gamma=0.5, reach=2.0)
    >>> a, b = phi(np.array([0.7, -1.9]))
    >>> exact = 0.5 * (np.exp(-0.5 * (0.7 + 1.9) ** 2) - np.exp(-0.5 * (0.7 - 1.9) ** 2))
    >>> bool(abs(a @ b - exact) < 1e-10)
    True
    """
    full = gaussian_columns(gamma, -reach, reach, tolerance)
    # The nodes are symmetric, so the columns at −δ equal those at δ with the nodes in reverse order.
    odd = GaussianColumns(gamma, full.nodes, 0.5 * (full.mixing - full.mixing[::-1]))
    odd = _compressed(odd, -reach, reach, tolerance)
    one_side = len(odd.nodes) // 2
    return OddGaussianColumns(gamma, odd.nodes[:one_side], odd.mixing[:one_side])


@dataclass(frozen=True, eq=False)
class OddCurve:
    """g(δ) = Σ_j weight_j [exp(−γ(δ − t_j)²) − exp(−γ(δ + t_j)²)]: the effect of a difference in one feature.

    >>> curve = OddCurve(gamma=1.0, nodes=np.array([1.0]), weights=np.array([2.0]))
    >>> curve(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-1.9634, 0.0, 1.9634]
    """

    gamma: float
    nodes: FloatArray
    weights: FloatArray

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        if len(self.nodes) == 0:
            return np.zeros(values.shape)
        half = float(self.nodes.max())
        found = np.asarray(_odd_series(np.clip(values, -half, half) / half, self._coefficients))
        beyond = np.abs(values) > half
        found[beyond] = _mirrored(values[beyond], self.gamma, self.nodes) @ self.weights
        return found

    @cached_property
    def _coefficients(self) -> FloatArray:
        """g(half · x) = Σ_j c_j T_{2j+1}(x) between the outermost nodes: a few products instead of many exponentials.

        As many Chebyshev points as ``gaussian_columns`` has nodes represent any sum of these Gaussians.
        """
        half = float(self.nodes.max())
        n_points = int(8 + NODES_PER_WIDTH * np.sqrt(self.gamma) * half)
        angles = np.pi * (np.arange(n_points) + 0.5) / (2 * n_points)
        at_points = _mirrored(half * np.cos(angles), self.gamma, self.nodes) @ self.weights
        coefficients = (2.0 / n_points) * (np.cos(np.outer(2 * np.arange(n_points) + 1, angles)) @ at_points)
        tail = np.cumsum(np.abs(coefficients[::-1]))[::-1]
        return np.asarray(coefficients[: max(1, int(np.sum(tail > NEGLIGIBLE * tail[0])))])


def _odd_series(x: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Σ_j c_j T_{2j+1}(x) by Clenshaw's recurrence in 2 T_2(x), elementwise and bitwise odd."""
    twice = 4.0 * x * x - 2.0
    last, this, following = np.zeros_like(x), np.zeros_like(x), np.empty_like(x)
    for coefficient in coefficients[::-1]:
        np.multiply(twice, this, out=following)
        following -= last
        following += coefficient
        last, this, following = this, following, last
    return np.asarray(x * (this - last))


@dataclass(frozen=True, eq=False)
class OddMap(FeatureMap):
    """One block of odd columns per feature; a feature without differences has none."""

    blocks: tuple[GaussianColumns | None, ...]

    def curves(self, coef: FloatArray) -> tuple[OddCurve, ...]:
        """Return one odd curve per feature, such that Σ_k g_k(δ_k) = w·φ(δ)."""
        parts = np.split(coef, self.ends[:-1])
        return tuple(
            OddCurve(0.0, np.zeros(0), np.zeros(0))
            if block is None
            else OddCurve(block.gamma, block.nodes, block.mixing @ part)
            for block, part in zip(self.blocks, parts, strict=True)
        )


def odd_map(gammas: FloatArray, reach: FloatArray, names: tuple[str, ...]) -> OddMap:
    """Return odd columns for each feature's differences in [−reach, reach]; γ = 0 excludes a feature."""
    blocks: list[GaussianColumns | None] = []
    for gamma, longest, name in zip(gammas, reach, names, strict=True):
        if gamma == 0.0 or longest == 0.0:
            blocks.append(None)
            continue
        with within(f"Differences of feature {name!r}"):
            blocks.append(odd_gaussian_columns(float(gamma), float(longest)))
    made = OddMap(tuple(blocks))
    check_columns("The LRBF kernel on differences", np.diff(made.ends, prepend=0).tolist(), names)
    return made


BLOCK_PAIRS = 4_096  # differences of one feature that fit into the processor's cache


def difference_scores(differences: FloatArray, curves: tuple[OddCurve, ...]) -> FloatArray:
    """f(δ) = Σ_k g_k(δ_k) for each row of differences.

    >>> curve = OddCurve(gamma=1.0, nodes=np.array([1.0]), weights=np.array([2.0]))
    >>> difference_scores(np.array([[1.0, 0.0], [1.0, -1.0]]), (curve, curve)).round(4).tolist()
    [1.9634, 0.0]
    """
    scores = np.zeros(len(differences))
    for first in range(0, len(differences), BLOCK_PAIRS):
        rows = slice(first, first + BLOCK_PAIRS)
        for feature, curve in enumerate(curves):
            if len(curve.nodes):
                scores[rows] += curve(differences[rows, feature])
    return scores
