"""The pages around a query and their links as plain arrays, and the selection that fits into a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import (
    DataError,
    FloatArray,
    IntArray,
    as_vector,
    check_choice,
    check_length,
    check_positive,
    read_only,
)

AUTHORITY, HUB, BOTH, PAGE, PRUNED = ROLES = ("authority", "hub", "both", "page", "pruned")
MAX_PAGES = 300
MAX_PRUNED = 100
"""If a neighbourhood is too large, this many of the drawn pages are pruned pages, if there are enough of them."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Pages with their roles, scores and links.

    >>> pages = Neighbourhood(["Zen", "Links"], ["a.org", "b.org"], ["authority", "hub"], [1, 0], [0, 1], [[1, 0]])
    >>> pages.out_degrees.tolist(), pages.in_degrees.tolist()
    ([0, 1], [1, 0])
    """

    titles: Sequence[str]
    urls: Sequence[str]
    roles: Sequence[str]
    """For each page "authority", "hub", "both", "page" or "pruned"."""
    authority: FloatArray
    hub: FloatArray
    links: IntArray
    """One row (source, target) per link, as positions of pages."""
    distances: FloatArray | None = None
    """Distances from the centre of the sphere that judged the pages."""
    query: str = ""
    method: str = ""
    radius: float | None = None
    """Radius of that sphere."""

    def __post_init__(self) -> None:
        count = len(self.titles)
        if count == 0:
            raise DataError("A neighbourhood must have at least one page: got none.")
        for name in ("urls", "roles"):
            check_length(name, getattr(self, name), count, "page")
        for role in self.roles:
            check_choice("A page's role", role, ROLES)
        for name in ("authority", "hub"):
            self._keep(name, _scores(name, getattr(self, name), count))
        if self.distances is not None:
            self._keep("distances", _scores("distances", self.distances, count))
        if self.radius is not None:
            check_positive("radius", self.radius)
        for name in ("titles", "urls", "roles"):
            object.__setattr__(self, name, tuple(str(value) for value in getattr(self, name)))
        self._keep("links", _links(self.links, count))

    def _keep(self, name: str, values: Any) -> None:
        object.__setattr__(self, name, read_only(values))

    def __len__(self) -> int:
        return len(self.titles)

    @cached_property
    def pruned(self) -> Any:
        """Which pages are pruned."""
        return self.having(PRUNED)

    def having(self, role: str) -> Any:
        """Return which pages have this role."""
        return np.array([own == role for own in self.roles])

    @cached_property
    def strengths(self) -> FloatArray:
        """The larger of the two scores, each as a share of its maximum over all pages."""
        return np.maximum(shares(self.authority), shares(self.hub))

    @cached_property
    def leanings(self) -> FloatArray:
        """(a − h)/(a + h) of the scores as shares: from −1, only a hub, to 1, only an authority; 0 without scores."""
        a, h = shares(self.authority), shares(self.hub)
        total = a + h
        return np.divide(a - h, total, out=np.zeros(len(self)), where=total > 0)

    @cached_property
    def out_degrees(self) -> IntArray:
        """Number of pages that each page links to."""
        return np.bincount(self.links[:, 0], minlength=len(self))

    @cached_property
    def in_degrees(self) -> IntArray:
        """Number of pages that link to each page."""
        return np.bincount(self.links[:, 1], minlength=len(self))

    def strongest(self, most: int = MAX_PAGES) -> "Neighbourhood":
        """Return at most this many pages with the links between them.

        Pages with a role come first, then the strongest. Of the pruned pages every n-th by distance is kept, so that
        near and far ones are shown.
        """
        if len(self) <= most:
            return self
        kept, pruned = np.flatnonzero(~self.pruned), np.flatnonzero(self.pruned)
        room = max(most - min(len(pruned), most * MAX_PRUNED // MAX_PAGES), most - len(pruned))
        plain = self.having(PAGE)
        by_strength = kept[np.lexsort((kept, -self.strengths[kept], plain[kept]))][:room]
        return self._only(np.sort(np.concatenate([by_strength, self._sampled(pruned, most - len(by_strength))])))

    def _sampled(self, pruned: IntArray, most: int) -> IntArray:
        if len(pruned) <= most:
            return pruned
        by_distance = pruned if self.distances is None else pruned[np.lexsort((pruned, self.distances[pruned]))]
        return by_distance[np.linspace(0, len(pruned) - 1, most).round().astype(int)]

    def _only(self, chosen: IntArray) -> "Neighbourhood":
        place = np.full(len(self), -1)
        place[chosen] = np.arange(len(chosen))
        ends = place[self.links]
        return replace(
            self,
            titles=[self.titles[page] for page in chosen],
            urls=[self.urls[page] for page in chosen],
            roles=[self.roles[page] for page in chosen],
            authority=self.authority[chosen],
            hub=self.hub[chosen],
            links=ends[(ends >= 0).all(axis=1)],
            distances=None if self.distances is None else self.distances[chosen],
        )


def shares(scores: FloatArray) -> FloatArray:
    """Return scores as shares of the largest; zeros stay zeros.

    >>> shares(np.array([1.0, 4.0])).tolist(), shares(np.zeros(2)).tolist()
    ([0.25, 1.0], [0.0, 0.0])
    """
    largest = scores.max()
    return scores / largest if largest > 0 else np.zeros_like(scores)


def _scores(name: str, values: Any, count: int) -> FloatArray:
    scores = as_vector(name, values, count, per="page")
    if (scores < 0).any():
        raise DataError(
            f"{name} must not be negative: got {scores.min():g} at position {int(scores.argmin())}.", parameter=name
        )
    return scores


def _links(links: Any, count: int) -> IntArray:
    """Return each link once, without links from a page to itself."""
    ends = np.asarray(links)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise DataError(
            f"links must be whole numbers in two columns, source and target: got shape {ends.shape} of {ends.dtype}.",
            parameter="links",
        )
    if ends.min() < 0 or ends.max() >= count:
        worst = int(ends.min() if ends.min() < 0 else ends.max())
        raise DataError(
            f"links must name pages by position from 0 to {count - 1}: got {worst}.", parameter="links", got=worst
        )
    return np.unique(ends[ends[:, 0] != ends[:, 1]].astype(np.int64), axis=0)
