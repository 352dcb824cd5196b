"""draw_neighbourhood(): the pages around a query with their links, hubs on the left and authorities on the right."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.distillation.figure.chart_marks import HEADER_ROOM, NOTE_LINE, NOTE_SIZE, PictureMarks
from glassrank.distillation.figure.chart_rows import PictureRows
from glassrank.distillation.figure.live_neighbourhood import driver, live_figure
from glassrank.distillation.figure.neighbourhood import AUTHORITY, BOTH, HUB, Neighbourhood
from glassrank.distillation.figure.neighbourhood import PAGE as PLAIN
from glassrank.distillation.figure.page_labels import PageLabels
from glassrank.distillation.figure.page_places import WIDTH, Placing, place_pages
from glassrank.drawing.chart import PageChart
from glassrank.drawing.live_page import live_page
from glassrank.drawing.marks import drawable, specification
from glassrank.drawing.render import to_svg
from glassrank.drawing.text_width import wrapped
from glassrank.drawing.theme import LIGHT, PAGE, Theme

BEST = {AUTHORITY: "Best authorities", BOTH: "Best authorities that are also hubs", HUB: "Best hubs"}


@dataclass(frozen=True, eq=False)
class NeighbourhoodChart(PageChart):
    """A drawn neighbourhood; ``save`` it, or let a notebook show it."""

    pages: Neighbourhood
    """All pages, including those for which the picture has no room."""

    @cached_property
    def drawn(self) -> Neighbourhood:
        """The pages that are drawn."""
        return self.pages.strongest()

    @cached_property
    def placing(self) -> Placing:
        """Their positions."""
        return place_pages(self.drawn)

    @property
    def title(self) -> str:
        """Title of the picture."""
        query = " ".join(drawable(self.pages.query).split())
        return f"Hubs and authorities for “{query}”" if query else "Hubs and authorities"

    @property
    def subtitle(self) -> str:
        """Method, number of pages and number of links."""
        pruned = int(self.pages.pruned.sum())
        facts = [
            f"method {self.pages.method}" if self.pages.method else "",
            counted(len(self.pages), "page") + (f", {pruned:,} of them pruned" if pruned else ""),
            counted(len(self.pages.links), "link"),
        ]
        return "  ·  ".join(fact for fact in facts if fact)

    @property
    def left_out(self) -> str:
        """A sentence about the pages that are not drawn; empty if all are drawn."""
        missing = len(self.pages) - len(self.drawn)
        if not missing:
            return ""
        kept, pruned = ((~which).sum() for which in (self.drawn.pruned, ~self.drawn.pruned))
        of_kept, of_pruned = (~self.pages.pruned).sum(), self.pages.pruned.sum()
        drawn = [f"the {kept:,} strongest of {of_kept:,} pages" if kept < of_kept else f"all {kept:,} pages kept"]
        if of_pruned:
            evenly = "spread evenly by distance" if self.pages.distances is not None else "spread evenly"
            share = f"{pruned:,} of {of_pruned:,} pruned pages, {evenly}"
            drawn.append(share if pruned < of_pruned else f"all {pruned:,} pruned pages")
        return f"Drawn: {' and '.join(drawn)}; {missing:,} are omitted, with their links."

    @property
    def caption(self) -> str:
        """How to read the picture."""
        pruned = " Pruned pages are below; they do not affect the scores." if self.pages.pruned.any() else ""
        return (
            "Hubs are on the left and authorities on the right, the best at the top. Other pages are between them: the "
            f"further right, the more authority than hub. Larger and higher up: higher score.{pruned} {self.left_out}"
        ).strip()

    @property
    def _notes(self) -> list[str]:
        """The lines at the bottom of the picture."""
        read = ["Larger and higher up: higher score."]
        if len(self.drawn.links):
            read.append("Darker lines: links into the best authorities, darkest from the best hubs.")
        if (self.drawn.having(PLAIN) & (self.drawn.strengths > 0)).any():
            read.append("Other pages: the further right, the more authority than hub.")
        return [
            line for note in (" ".join(read), self.left_out) if note for line in wrapped(note, HEADER_ROOM, NOTE_SIZE)
        ]

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification from which all formats of the picture are made."""
        marks, notes = PictureMarks(self.drawn, self.placing, theme), self._notes
        return specification(
            WIDTH,
            self.placing.height + NOTE_LINE * (len(notes) - 1),
            PictureRows(self.drawn, self.placing, theme).data(),
            [{"interactive": False, **mark} for mark in marks.marks(self.title, self.subtitle, notes)],
            background=theme.page,
            description=self.description(),
            signals=[
                {"name": "focus", "value": -1},
                {"name": "wanted", "value": ""},
                {"name": "show_pruned", "value": True},
            ],
        )

    def description(self) -> str:
        """Describe the picture in words, for screen readers."""
        rows = PageLabels(self.drawn)
        best = {name: rows.best(role) for role, name in BEST.items()}
        sentences = [f"{name}: {'; '.join(titles)}." for name, titles in best.items() if titles]
        return " ".join([f"{self.title}. {self.subtitle}.", *sentences])

    def live_figure(self) -> str:
        """Return the live picture and the list of its pages, for a page that loads Vega and the picture's script."""
        spec = self.specification(PAGE)
        return live_figure(spec, to_svg(spec), PageLabels(self.drawn), self.caption)

    def page(self) -> str:
        """Return a page with the live picture and the list of its pages."""
        return live_page(self.title, self.live_figure(), self.caption, driver())


def draw_neighbourhood(pages: Neighbourhood) -> NeighbourhoodChart:
    """Draw at most 300 pages with their roles, scores and links; a sentence says which pages are omitted.

    >>> pages = Neighbourhood(["Zen", "Links"], ["a.org", "b.org"], ["authority", "hub"], [1, 0], [0, 1], [[1, 0]],
    ...                       query="zen buddhism", method="hits")
    >>> draw_neighbourhood(pages).subtitle
    'method hits  ·  2 pages  ·  1 link'
    """
    if not isinstance(pages, Neighbourhood):
        raise DataError(f"draw_neighbourhood needs a Neighbourhood: got {type(pages).__name__}.")
    return NeighbourhoodChart(pages)
