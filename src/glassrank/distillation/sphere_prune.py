"""Which pages a sphere around trusted pages accepts, separately for its training pages and for other pages."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice, check_positive
from glassrank.core.frames import make_frame
from glassrank.core.input_types import ArrayLike, Frame
from glassrank.core.setting import setting
from glassrank.core.sphere.smallest_sphere import Sphere, accepted_up_to, check_cost, fit_sphere, squared_distances
from glassrank.distillation.similarity_kernels import check_gram

ACCEPT = ("plain", "cross-fit")
N_FOLDS = 10
MAX_LEAVE_ONE_OUT = 20  # with up to this many training pages, each is left out alone

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class SphereJudgement:
    """Distances of pages from a sphere's centre, and which of them it accepts."""

    accepted: Flags
    """Which pages lie inside the sphere that judges them."""
    distances: FloatArray
    """From the centre of the sphere that judges the page (not squared)."""
    radii: FloatArray
    """Radius by which each page is judged."""
    radius: float
    """Radius for pages that the sphere was not trained on."""
    radius_interval: tuple[float, float]
    """Smallest and largest optimal radius of the sphere of all training pages; they differ if no page lies on it."""
    trained: Flags
    """Which pages the sphere was trained on."""
    alpha: FloatArray
    """Weights of the pages in the centre; 0 for pages that it was not trained on."""
    sphere: Sphere
    """The sphere around all training pages."""
    accept: str
    quantile: float | None

    @property
    def accepted_trained(self) -> float:
        """Share of the training pages that are accepted."""
        return float(self.accepted[self.trained].mean())

    @property
    def accepted_unseen(self) -> float | None:
        """Share of the other pages that are accepted; None if there are no others."""
        unseen = self.accepted[~self.trained]
        return float(unseen.mean()) if len(unseen) else None

    @property
    def relative_distances(self) -> FloatArray:
        """Distances as multiples of the radius. If the radius is 0, as when the training pages are equal, the accepted
        pages have 1 and the others infinity."""
        ratio = np.where(self.accepted, 1.0, np.inf)
        return np.divide(self.distances, self.radii, out=ratio, where=self.radii > 0)

    def __str__(self) -> str:
        lines = [
            f"{int(self.accepted.sum()):,} of {len(self.accepted):,} pages accepted, radius {self.radius:.4g}"
            f"{self._origin()}",
            f"trained on: {self._count(self.trained)}{' (each judged by a sphere without it)' * self._held_out}",
        ]
        if not self.trained.all():
            lines.append(f"unseen: {self._count(~self.trained)}")
        low, high = self.radius_interval
        if low < high and self.quantile is None:
            lines.append(f"No page lies on the sphere: any radius from {low:.4g} to {high:.4g} is optimal.")
        return "\n".join(lines)

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per page."""
        return make_frame({name: np.asarray(values) for name, values in self._columns().items()}, backend)

    def to_json(self) -> str:
        """Return everything except the training pages' Gram matrix as JSON."""
        return json.dumps(
            {
                "accept": self.accept,
                "quantile": self.quantile,
                "C": self.sphere.C,
                "radius": self.radius,
                "radius_interval": list(self.radius_interval),
                "accepted_trained": self.accepted_trained,
                "accepted_unseen": self.accepted_unseen,
                "pages": {name: values.tolist() for name, values in self._columns().items()},
            }
        )

    @property
    def _held_out(self) -> bool:
        return self.accept == "cross-fit"

    def _origin(self) -> str:
        if self.quantile is None:
            return ""
        return f" (the {self.quantile:g} quantile of held-out distances)"

    def _count(self, which: Flags) -> str:
        n_accepted, n_pages = int(self.accepted[which].sum()), int(which.sum())
        return f"{n_accepted:,} of {n_pages:,} accepted ({n_accepted / n_pages:.0%})"

    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "page": np.arange(len(self.accepted)),
            "accepted": self.accepted,
            "distance": self.distances,
            "radius": self.radii,
            "trained": self.trained,
            "alpha": self.alpha,
        }


def judge_pages(
    K: ArrayLike,
    trained: ArrayLike,
    *,
    C: float | None = None,
    nu: float = 0.1,
    accept: str = "plain",
    quantile: float | None = None,
    radius_tol: float = 1e-4,
    tol: float = 1e-10,
) -> SphereJudgement:
    """Train a sphere on some pages of a Gram matrix, and judge all pages: accepted if d² ≤ R² (1 + radius_tol).

    Parameters
    ----------
    K : array of shape (n_pages, n_pages)
        Gram matrix of all pages, such as that of ``composite_kernel``.
    trained : array of int or bool
        Positions, or a mask, of the training pages.
    C, nu : float
        Cost of a page outside, at least 1/N for N training pages; None means C = 1/(nu·N), where nu, above 0 and at
        most 1, is an upper bound of the share of training pages outside.
    accept : {"plain", "cross-fit"}
        ``"cross-fit"`` judges each training page by a sphere that is trained without it, at the same nu: in ten folds
        of every tenth page, or one by one for up to 20 pages. A page's own weight pulls the centre towards it, so that
        a plain sphere accepts its training pages far more readily than others.
    quantile : float or None
        Use this quantile of the held-out distances of the training pages as the radius for all pages.
    radius_tol, tol : float
        Relative tolerances of R² and of the duality gap.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 1.5, 9.0])
    >>> print(judge_pages(np.outer(x, x), trained=[0, 1, 2], C=1.0))
    4 of 5 pages accepted, radius 1
    trained on: 3 of 3 accepted (100%)
    unseen: 1 of 2 accepted (50%)
    """
    gram = check_gram("K", K)
    check_choice("accept", accept, ACCEPT)
    pages = _positions(trained, len(gram))
    cost = check_cost(C, len(pages)) if C is not None else cost_of(nu, len(pages))
    sphere, squared = _fit(gram, pages, pages, cost, tol)
    squared_radii = np.full(len(gram), sphere.squared_radius)
    if accept == "cross-fit" or quantile is not None:
        held_out, fold_radii = _hold_out(gram, pages, cost, tol)
        if accept == "cross-fit":
            squared[pages], squared_radii[pages] = held_out, fold_radii
        if quantile is not None:
            squared_radii[:] = _at_quantile(held_out, quantile)
    mask = np.zeros(len(gram), dtype=bool)
    mask[pages] = True
    alpha = np.zeros(len(gram))
    alpha[pages] = sphere.alpha
    return SphereJudgement(
        accepted=squared <= accepted_up_to(squared_radii, float(np.diagonal(gram).max()), radius_tol),
        distances=np.sqrt(squared),
        radii=np.sqrt(squared_radii),
        radius=sphere.radius if quantile is None else float(np.sqrt(squared_radii[0])),
        radius_interval=sphere.radius_interval,
        trained=mask,
        alpha=alpha,
        sphere=sphere,
        accept=accept,
        quantile=quantile,
    )


def cost_of(nu: Any, n_pages: int) -> float:
    """Return C = 1/(nu·N); nu must be above 0 and at most 1.

    >>> cost_of(0.1, 50)
    0.2
    """
    check_positive("nu", nu)
    if nu > 1:
        raise DataError(parameter="nu", expected="at most 1, because it bounds the share of pages outside", got=nu)
    return 1 / (nu * n_pages)


def _positions(trained: Any, n_pages: int) -> IntArray:
    given = np.asarray(trained)
    if given.dtype == bool and given.shape == (n_pages,):
        given = np.flatnonzero(given)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0)
    if not whole or given.size == 0 or len(np.unique(given)) < len(given):
        raise DataError(
            f"trained must be a mask of {n_pages} pages or a list of different positions, at least one: got "
            f"{given.dtype} values of shape {given.shape}{', some twice' if whole and given.size else ''}.",
            parameter="trained",
        )
    if given.min() < 0 or given.max() >= n_pages:
        raise DataError(
            f"trained must contain positions from 0 to {n_pages - 1}: got {given.min()} to {given.max()}.",
            parameter="trained",
        )
    return given.astype(np.int64)


def _fit(gram: FloatArray, pages: IntArray, rest: IntArray, cost: float, tol: float) -> tuple[Sphere, FloatArray]:
    """Fit a sphere to ``rest``, a part of the training pages, at the same nu; return squared distances of all pages."""
    sphere = fit_sphere(gram[np.ix_(rest, rest)], cost * len(pages) / len(rest), tol)
    return sphere, squared_distances(gram[:, rest], np.diagonal(gram), sphere.alpha, sphere.squared_centre)


def _hold_out(gram: FloatArray, pages: IntArray, cost: float, tol: float) -> tuple[FloatArray, FloatArray]:
    """Return the squared distance and squared radius of each training page by a sphere trained without it."""
    if len(pages) < 2:
        raise DataError(
            "Held-out distances need at least two training pages: got 1.",
            remedy=(
                "Train on more pages",
                f"use {setting('accept', 'plain')} without {setting('quantile')}",
            ),
        )
    squared, radii = np.empty(len(pages)), np.empty(len(pages))
    for fold in _folds(len(pages)):
        rest = np.setdiff1d(np.arange(len(pages)), fold)
        sphere, distances = _fit(gram, pages, pages[rest], cost, tol)
        squared[fold], radii[fold] = distances[pages[fold]], sphere.squared_radius
    return squared, radii


def _folds(n_pages: int) -> Iterator[IntArray]:
    n_folds = n_pages if n_pages <= MAX_LEAVE_ONE_OUT else N_FOLDS
    return (np.arange(first, n_pages, n_folds) for first in range(n_folds))


def _at_quantile(squared: FloatArray, quantile: Any) -> float:
    check_positive("quantile", quantile)
    if quantile > 1:
        raise DataError(f"quantile must lie between 0 and 1: got {quantile:g}.", parameter="quantile", got=quantile)
    return float(np.quantile(squared, quantile, method="inverted_cdf"))
