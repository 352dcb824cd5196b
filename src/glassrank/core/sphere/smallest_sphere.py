"""The smallest sphere around most points of a kernel (SVDD), by its dual, with a duality gap."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_positive
from glassrank.core.setting import setting
from glassrank.core.sphere.dual_ascent import Ascent, ascend

ON_BOUND = 1e-9  # weights this close to 0 or C, relative to C, do not determine the radius
CANCELLED = 1e-13  # rounding error of d² when its terms cancel, relative to the greatest K(z, z)
NOT_POSITIVE = 1e-8  # a squared distance this far below 0, relative to the greatest diagonal, is not a rounding error
CHECKED_FOR_SYMMETRY = 256


@dataclass(frozen=True, eq=False)
class Sphere:
    """A sphere with centre o = Σ α_i φ(x_i), and its duality gap.

    ``squared_radius`` is R². ``radius_interval`` are the smallest and the largest optimal R (not squared), which differ
    only if no weight is strictly between 0 and C. ``objective`` is Σ α_i K_ii − Σ α_i α_j K_ij, and the optimum
    R² + C Σ ξ is at most ``gap`` above it.
    """

    alpha: FloatArray
    C: float
    squared_radius: float
    radius_interval: tuple[float, float]
    squared_centre: float
    """‖o‖² = Σ α_i α_j K_ij, a part of every distance."""
    squared_distances: FloatArray
    """d² of the training pages."""
    objective: float
    gap: float
    iterations: int
    converged: bool

    @property
    def radius(self) -> float:
        """R."""
        return float(np.sqrt(self.squared_radius))

    @property
    def radius_is_certain(self) -> bool:
        """Whether a page on the sphere determines its radius; otherwise R² is the middle of its interval."""
        return self.radius_interval[0] == self.radius_interval[1]


def fit_sphere(K: FloatArray, C: float, tol: float = 1e-10, max_iter: int = 10_000_000) -> Sphere:
    """Find the smallest sphere around the pages of a Gram matrix, with some pages allowed outside.

    min R² + C Σ ξ_i with ‖φ(x_i) − o‖² ≤ R² + ξ_i, by its dual: max Σ α_i K_ii − Σ α_i α_j K_ij with Σ α = 1 and
    0 ≤ α_i ≤ C (Tax & Duin 2004, equations 3 to 8). Stops when the gap is at most ``tol`` of the objective.

    >>> sphere = fit_sphere(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]), C=1.0)  # x = 0, 1, 2
    >>> sphere.alpha.round(9).tolist(), sphere.radius, sphere.squared_distances.tolist()
    ([0.5, 0.0, 0.5], 1.0, [1.0, 0.0, 1.0])
    """
    K = _checked_gram(K)
    check_positive("tol", tol)
    check_positive("max_iter", max_iter, whole=True)
    C = check_cost(C, len(K))
    ascent, gap = ascend(K, C, tol, max_iter)
    distances = _distances(ascent)
    low, high = squared_radius_interval(distances, ascent.alpha, C)
    return Sphere(
        alpha=ascent.alpha,
        C=C,
        squared_radius=0.5 * (low + high),
        radius_interval=(float(np.sqrt(low)), float(np.sqrt(high))),
        squared_centre=ascent.squared_centre,
        squared_distances=distances,
        objective=ascent.value,
        gap=gap,
        iterations=ascent.iterations,
        converged=gap <= ascent.tolerance(tol),
    )


def check_cost(C: Any, n_pages: int) -> float:
    """Return C as a number, which must be at least 1/N, because N weights of at most C must sum to 1.

    >>> check_cost(0.01, 50)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: C must be at least 1/N = 0.02 for N = 50 pages: got 0.01, but weights of at most \
0.01 cannot sum to 1. Use a larger C, or set nu instead, which is at most 1 and means C = 1/(nu·N).
    """
    check_positive("C", C)
    if C * n_pages < 1 - 1e-9:
        raise DataError(
            f"C must be at least 1/N = {1 / n_pages:g} for N = {n_pages} pages: got {C:g}, but weights of at most "
            f"{C:g} cannot sum to 1.",
            parameter="C",
            remedy=(
                f"Use a larger {setting('C')}",
                f"set {setting('nu')} instead, which is at most 1 and means C = 1/(nu·N)",
            ),
        )
    return max(float(C), 1 / n_pages)


def squared_distances(K_rows: FloatArray, diagonal: FloatArray, alpha: FloatArray, squared_centre: float) -> FloatArray:
    """Squared distances from the centre, d²(z) = K(z, z) − 2 Σ α_i K(z, x_i) + Σ α_i α_j K_ij.

    >>> sphere = fit_sphere(np.array([[0.0, 0.0], [0.0, 4.0]]), C=1.0)  # x = 0 and 2
    >>> squared_distances(np.array([[0.0, 6.0]]), np.array([9.0]), sphere.alpha, sphere.squared_centre)  # of x = 3
    array([4.])
    """
    return np.asarray(np.maximum(0.0, diagonal - 2 * (K_rows @ alpha) + squared_centre))


def accepted_up_to(squared_radius: Any, scale: float, tol: float = 1e-4) -> Any:
    """Return the largest squared distance that counts as inside: R² (1 + tol), plus rounding if K is up to ``scale``.

    With normalised text kernels, half of the pages lie on the sphere itself, up to the precision of R².

    >>> accepted_up_to(4.0, scale=1.0)
    4.0004000000001
    """
    return squared_radius * (1 + tol) + CANCELLED * scale


def _checked_gram(K: Any) -> FloatArray:
    gram = np.ascontiguousarray(K, dtype=np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or len(gram) == 0:
        raise DataError(
            f"K must be square, one row and one column per page: got shape {np.shape(K)}.",
            parameter="K",
            got=np.shape(K),
        )
    diagonal = np.diagonal(gram)
    if not np.isfinite(diagonal).all() or (diagonal < 0).any():
        page = int(np.argmin(np.where(np.isfinite(diagonal), diagonal, -np.inf)))
        raise DataError(
            f"K must have a diagonal of finite numbers ≥ 0: got {diagonal[page]} for page {page}.", parameter="K"
        )
    some = np.unique(np.linspace(0, len(gram) - 1, CHECKED_FOR_SYMMETRY).astype(np.int64))
    block = gram[np.ix_(some, some)]
    skew = np.abs(block - block.T)
    if skew.max() > 1e-8 * diagonal.max():
        i, j = (int(some[place]) for place in np.unravel_index(int(np.argmax(skew)), skew.shape))
        raise DataError(
            f"K must be symmetric: K[{i}, {j}] is {gram[i, j]:g} and K[{j}, {i}] is {gram[j, i]:g}.",
            parameter="K",
            remedy="Use (K + K.T) / 2 if they should be equal.",
        )
    return gram


def squared_radius_interval(distances: FloatArray, alpha: FloatArray, C: float) -> tuple[float, float]:
    """Return the smallest and largest optimal R²: both are the median d² of the pages on the sphere, 0 < α < C.

    If there is no such page, R² may be anything from the farthest page with α = 0 (0 if there is none) to the nearest
    with α = C.
    """
    margin = ON_BOUND * C
    on_sphere = (alpha > margin) & (alpha < C - margin)
    if on_sphere.any():
        middle = float(np.median(distances[on_sphere]))
        return middle, middle
    low = float(distances[alpha <= margin].max(initial=0.0))
    high = float(distances[alpha > margin].min())
    return min(low, high), max(low, high)


def _distances(ascent: Ascent) -> FloatArray:
    distances = ascent.slopes + ascent.squared_centre
    page = int(np.argmin(distances))
    if distances[page] < -NOT_POSITIVE * ascent.diagonal.max():
        raise DataError(
            f"K must be positive semidefinite: the squared distance of page {page} from the centre is "
            f"{distances[page]:g}.",
            parameter="K",
            remedy="Use a kernel that is a product of feature vectors, such as a Gaussian.",
        )
    return np.asarray(np.maximum(0.0, distances))
