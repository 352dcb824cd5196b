"""Texts about each page of a neighbourhood: for the picture, the list below it, and screen readers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.wording import counted
from glassrank.distillation.figure.neighbourhood import AUTHORITY, BOTH, HUB, PAGE, PRUNED, Neighbourhood
from glassrank.drawing.marks import drawable
from glassrank.drawing.text_width import ELLIPSIS

# Squares of the scores add up to 1, so that smaller ones are rounding errors.
ROUNDING = 1e-12
ROLE_WORDS = {
    AUTHORITY: "authority",
    HUB: "hub",
    BOTH: "authority and hub",
    PAGE: "other page",
    PRUNED: "pruned page",
}
LISTED = ("Page", "Role", "Authority", "Hub", "Distance", "Links to", "Linked from", "Address")
NUMERIC = {2, 3, 4, 5, 6}
MAX_TITLE_LENGTH = 160


@dataclass(frozen=True, eq=False)
class PageLabels:
    """The texts about pages."""

    pages: Neighbourhood

    @cached_property
    def order(self) -> IntArray:
        """Pages in reading order: by role, within a role the best first, pruned ones by distance."""
        pages, first = self.pages, {role: place for place, role in enumerate((AUTHORITY, BOTH, HUB, PAGE, PRUNED))}
        roles = np.array([first[role] for role in pages.roles])
        scores = np.where(roles == 0, pages.authority, np.where(roles == 2, pages.hub, pages.strengths))
        if pages.distances is not None:
            scores = np.where(pages.pruned, -pages.distances, scores)
        return np.lexsort((np.arange(len(pages)), -scores, roles))

    def title(self, page: int) -> str:
        """Return the title in one line, shortened if it is very long; the address if there is no title."""
        title = " ".join(drawable(self.pages.titles[page]).split()) or self.address(page) or "page without a title"
        return title if len(title) <= MAX_TITLE_LENGTH else title[: MAX_TITLE_LENGTH - 1].rstrip() + ELLIPSIS

    def address(self, page: int) -> str:
        """Return the address without characters that cannot be drawn."""
        return drawable(self.pages.urls[page])

    @cached_property
    def authority_places(self) -> IntArray:
        """Ranks by authority score, from 1; equal scores share the better rank."""
        return _places(self.pages.authority)

    @cached_property
    def hub_places(self) -> IntArray:
        """Ranks by hub score."""
        return _places(self.pages.hub)

    def best(self, role: str, most: int = 3) -> list[str]:
        """Return the titles of the first pages of a role."""
        found = [page for page in self.order if self.pages.roles[page] == role]
        return [self.title(page) for page in found[:most]]

    def says(self, page: int) -> str:
        """Describe a page in one sentence."""
        pages = self.pages
        facts = [f"{self.title(page)}: {ROLE_WORDS[pages.roles[page]]}"]
        if pages.roles[page] != PRUNED:
            facts.append(f"authority score {_placed(pages.authority[page], self.authority_places[page])}")
            facts.append(f"hub score {_placed(pages.hub[page], self.hub_places[page])}")
        if pages.distances is not None:
            edge = "" if pages.radius is None else f" (radius {number(pages.radius)})"
            facts.append(f"distance {number(pages.distances[page])} from the sphere’s centre{edge}")
        links_to, linked_from = int(pages.out_degrees[page]), int(pages.in_degrees[page])
        facts.append(f"links to {counted(links_to, 'page')}, linked from {linked_from:,}")
        return "; ".join(facts)

    def cells(self, page: int) -> list[str]:
        """Return the page's row in the list."""
        pages = self.pages
        scored = pages.roles[page] != PRUNED
        return [
            self.title(page),
            ROLE_WORDS[pages.roles[page]],
            number(pages.authority[page]) if scored else "–",
            number(pages.hub[page]) if scored else "–",
            *([] if pages.distances is None else [number(pages.distances[page])]),
            f"{int(pages.out_degrees[page]):,}",
            f"{int(pages.in_degrees[page]):,}",
            self.address(page),
        ]

    @property
    def heads(self) -> list[str]:
        """The column heads of the list."""
        return [head for head in LISTED if head != "Distance" or self.pages.distances is not None]

    @property
    def numeric(self) -> set[int]:
        """The columns of the list that contain numbers."""
        last = max(NUMERIC) - (self.pages.distances is None)
        return set(range(min(NUMERIC), last + 1))


def number(value: float) -> str:
    """Format a score or distance with three significant digits.

    >>> number(0.41234), number(4e-18), number(1.0), number(0.0000123)
    ('0.412', '0', '1.00', '1.23e-05')
    """
    return "0" if abs(value) < ROUNDING else f"{value:#.3g}".removesuffix(".")


def _places(scores: FloatArray) -> IntArray:
    return np.asarray(len(scores) - np.searchsorted(np.sort(scores), scores, "right") + 1)


def _placed(score: float, place: int) -> str:
    return f"{number(score)} (rank {place})" if score > 0 else "0"
