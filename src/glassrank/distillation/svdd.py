"""SVDD: the smallest sphere that contains most of the data, in the space of any kernel."""

import numbers
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import DataError, FloatArray, IntArray, as_vector, check_choice, check_positive
from glassrank.core.input_types import ArrayLike
from glassrank.core.setting import setting
from glassrank.core.sphere.smallest_sphere import Sphere, accepted_up_to, check_cost, fit_sphere, squared_distances
from glassrank.distillation.sphere_prune import cost_of

KERNELS = ("linear", "rbf", "precomputed")
CHUNK = 256  # rows whose K(z, z) are computed at a time
EQUAL_TOL = 1e-12  # relative difference up to which training diagonals count as equal


class SVDD(OutlierMixin, BaseEstimator):
    """Support vector data description: a sphere around the data, with a few rows outside.

    min R² + C Σ ξ_i with ‖φ(x_i) − o‖² ≤ R² + ξ_i over centre, radius and slacks; the centre is o = Σ α_i φ(x_i), α
    from the dual max Σ α_i K_ii − Σ α_i α_j K_ij, Σ α = 1, 0 ≤ α_i ≤ C (Tax & Duin 2004). A row is an inlier if its
    distance d from the centre satisfies d² ≤ R² (1 + radius_tol). SVDD uses the diagonal of K, and is equivalent to a
    one-class SVM only if the diagonal is constant.

    Parameters
    ----------
    nu : float
        Upper bound of the share of rows outside, above 0 and at most 1; C = 1/(nu·N). Ignored if ``C`` is given.
    C : float or None
        Cost of a row outside, at least 1/N (the centre is the mean); from 1 on, no row lies outside.
    kernel : {"linear", "rbf", "precomputed"} or callable
        ``rbf`` is exp(−γ‖x − z‖²). With ``precomputed``, X is a Gram matrix; a callable computes it from X and Y.
    gamma : "scale" or float
        γ of ``rbf``; ``"scale"`` is 1/(n_features · X.var()).
    radius_tol : float
        Relative tolerance of R² for inliers, because several rows usually lie on the sphere itself.
    tol : float
        Stop when ``duality_gap_ ≤ tol · objective_``.
    max_iter : int
        Maximum number of steps on pairs of rows.

    Attributes
    ----------
    radius_ : float
        R, not R².
    radius_interval_ : tuple of float
        Smallest and largest optimal R. They differ if no row lies on the sphere; ``radius_``² is then halfway between
        their squares.
    support_, dual_coef_ : ndarray
        Rows with α > 0, and their α, of shape (1, n_support).
    objective_, duality_gap_ : float
        Dual value, and an upper bound of the distance to the optimum.
    offset_ : float
        −R² (1 + radius_tol): ``decision_function`` is ``score_samples − offset_``.

    Examples
    --------
    >>> from glassrank import SVDD
    >>> model = SVDD(C=1.0).fit([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> round(model.radius_, 6), model.support_.tolist(), model.predict([[1.0, 0.9], [1.0, 1.1]]).tolist()
    (1.0, [0, 1], [1, -1])
    """

    def __init__(
        self,
        nu: float = 0.1,
        C: float | None = None,
        *,
        kernel: str | Callable[[FloatArray, FloatArray], FloatArray] = "linear",
        gamma: str | float = "scale",
        radius_tol: float = 1e-4,
        tol: float = 1e-10,
        max_iter: int = 10_000_000,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.radius_tol = radius_tol
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Find the sphere around the rows of X, or of a Gram matrix; ``y`` is not used."""
        self._check_parameters()
        precomputed = self.kernel == "precomputed"
        # Only some rows of a Gram matrix are read, and these are checked when they are read.
        X = validate_data(self, X, dtype="float64", order="C", ensure_all_finite=not precomputed)
        cost = cost_of(self.nu, len(X)) if self.C is None else check_cost(self.C, len(X))
        gram = X if precomputed else self._train_gram(X)
        sphere = fit_sphere(gram, cost, self.tol, self.max_iter)
        if not sphere.converged:
            warnings.warn(_not_converged(sphere, self.tol), ConvergenceWarning, stacklevel=2)
        self._keep(sphere, np.diagonal(gram))
        if not precomputed:
            self._support_rows = X[self.support_] - self._mean
        return self

    def score_samples(self, X: ArrayLike, diagonal: ArrayLike | None = None) -> FloatArray:
        """Return −d², the negative squared distance of each row from the centre: higher is more normal.

        With ``kernel="precomputed"``, X is the kernel of new rows against the training rows, and ``diagonal`` contains
        K(z, z) of the new rows. It may be omitted only if K(z, z) is the same for all training rows.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", order="C", reset=False)
        if self.kernel == "precomputed":
            products, own = X[:, self.support_], self._given_diagonal(diagonal, len(X))
        elif diagonal is not None:
            raise DataError(
                f"diagonal is for {setting('kernel', 'precomputed')}: this SVDD computes it, with the kernel "
                f"{self.kernel!r}.",
                parameter="diagonal",
            )
        else:
            rows = X - self._mean
            products, own = self._gram(rows, self._support_rows), self._own_products(rows)
        return -squared_distances(products, own, self.dual_coef_[0], self._squared_centre)

    def decision_function(self, X: ArrayLike, diagonal: ArrayLike | None = None) -> FloatArray:
        """Return R² (1 + radius_tol) − d², which is not negative for inliers."""
        return self.score_samples(X, diagonal) - self.offset_

    def predict(self, X: ArrayLike, diagonal: ArrayLike | None = None) -> IntArray:
        """Return +1 for rows inside the sphere, −1 for rows outside."""
        return np.where(self.decision_function(X, diagonal) >= 0, 1, -1)

    def fit_predict(self, X: ArrayLike, y: ArrayLike | None = None) -> IntArray:
        """Fit, and return +1 for inliers and −1 for outliers among the training rows."""
        self.fit(X, y)
        return self.predict(X, diagonal=np.diagonal(X) if self.kernel == "precomputed" else None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _check_parameters(self) -> None:
        if not callable(self.kernel):
            check_choice("kernel", self.kernel, KERNELS)
        if self.gamma != "scale":
            check_positive("gamma", self.gamma)
        if not isinstance(self.radius_tol, numbers.Real) or not 0 <= self.radius_tol < np.inf:
            raise DataError(parameter="radius_tol", expected="a number of at least 0", got=self.radius_tol)

    def _train_gram(self, X: FloatArray) -> FloatArray:
        """Return the Gram matrix of the training rows; set the mean and γ."""
        # The sphere moves with the data, and products of centred rows lose no digits.
        self._mean = X.mean(axis=0) if self.kernel == "linear" else np.zeros(X.shape[1])
        spread = float(X.var())
        scale = 1 / (X.shape[1] * spread) if spread > 0 else 1.0
        self._gamma = scale if self.gamma == "scale" else float(self.gamma)
        rows = X - self._mean
        return self._gram(rows, rows)

    def _gram(self, rows: FloatArray, others: FloatArray) -> FloatArray:
        if callable(self.kernel):
            products = np.asarray(self.kernel(rows, others), dtype=np.float64)
            if products.shape != (len(rows), len(others)):
                raise DataError(
                    f"kernel(X, Y) must return one row per row of X and one column per row of Y: expected shape "
                    f"{(len(rows), len(others))}, got {products.shape}."
                )
            return products
        if self.kernel == "linear":
            return np.asarray(rows @ others.T)
        return np.asarray(rbf_kernel(rows, others, gamma=self._gamma))

    def _own_products(self, rows: FloatArray) -> FloatArray:
        """Return K(z, z) of each row."""
        if self.kernel == "linear":
            return np.asarray((rows * rows).sum(axis=1))
        if self.kernel == "rbf":
            return np.ones(len(rows))
        parts = [rows[first : first + CHUNK] for first in range(0, len(rows), CHUNK)]
        return np.concatenate([np.diagonal(self._gram(part, part)) for part in parts])

    def _given_diagonal(self, diagonal: Any, n_rows: int) -> FloatArray:
        if diagonal is not None:
            return as_vector("diagonal", diagonal, n_rows)
        low, high = self._diagonal_range
        if high - low > EQUAL_TOL * high:
            raise DataError(
                f"diagonal must be given, K(z, z) of each row: the training rows have different ones, from {low:g} "
                f"to {high:g}.",
                parameter="diagonal",
                remedy=f"Call predict(K, {setting('diagonal', ...)}); for the training rows it is np.diagonal(K).",
            )
        return np.full(n_rows, high)

    def _keep(self, sphere: Sphere, diagonal: FloatArray) -> None:
        """Set the fitted attributes."""
        self.support_ = np.flatnonzero(sphere.alpha)
        self.dual_coef_ = sphere.alpha[None, self.support_]
        self.radius_, self.radius_interval_ = sphere.radius, sphere.radius_interval
        self.objective_, self.duality_gap_, self.n_iter_ = sphere.objective, sphere.gap, sphere.iterations
        self.offset_ = -accepted_up_to(sphere.squared_radius, float(diagonal.max()), self.radius_tol)
        self._squared_centre = sphere.squared_centre
        self._diagonal_range = float(diagonal.min()), float(diagonal.max())


def _not_converged(sphere: Sphere, tol: float) -> str:
    return (
        f"SVDD stopped after {sphere.iterations:,} steps with a duality gap of {sphere.gap:.2g}: expected at most "
        f"{tol:g} of the objective {sphere.objective:g}. Raise max_iter or tol."
    )
