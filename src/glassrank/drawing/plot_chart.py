"""Charts with a title, a subtitle and notes; inside a page the page says these, and the chart draws the rest."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from glassrank.drawing.chart import Chart
from glassrank.drawing.marks import Mark, specification, text
from glassrank.drawing.plot import Canvas
from glassrank.drawing.render import to_svg
from glassrank.drawing.self_contained_page import figure
from glassrank.drawing.theme import LIGHT, PAGE, Theme

TITLE_ROW, SUBTITLE_ROW, NOTE_ROW = 40, 26, 18
MARGIN = 24  # around a picture that is not part of a page


@dataclass(frozen=True)
class ChartText:
    """What a chart says in words, each thing once."""

    title: str
    subtitle: str = ""
    notes: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        """Everything but the title, for a page whose heading takes the title's place."""
        parts = (part for part in (self.subtitle, *self.notes) if part)
        return " ".join(part if part.endswith(".") else f"{part}." for part in parts)


class PlotChart(Chart):
    """A chart made of a drawing and its text."""

    @property
    @abstractmethod
    def text(self) -> ChartText:
        """Title, subtitle and notes."""

    @abstractmethod
    def draw(self, theme: Theme) -> Canvas:
        """Draw everything but the text, from the left edge on."""

    @abstractmethod
    def describe(self) -> str:
        """Say in words what the drawing shows, for those who cannot see it."""

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        drawing, said = self.draw(theme), self.text
        above = TITLE_ROW + (SUBTITLE_ROW if said.subtitle else 0)
        body: Mark = {"type": "group", "encode": {"update": {"y": {"value": above}}}, "marks": drawing.marks}
        below = [
            text("one", x=0, y=above + drawing.height + NOTE_ROW * (row + 0.5), text=note, fill=theme.ink3)
            for row, note in enumerate(said.notes)
        ]
        marks = [
            text("one", x=0, y=14, text=said.title, fontSize=18, fontWeight=600, fill=theme.ink),
            text("one", x=0, y=42, text=said.subtitle, fontSize=13, fill=theme.ink3),
            body,
            *below,
        ]
        height = above + drawing.height + NOTE_ROW * len(said.notes)
        return self._specified(drawing, height, marks, theme, MARGIN)

    def body(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The specification of the drawing alone, for a page that says the text itself."""
        drawing = self.draw(theme)
        return self._specified(drawing, drawing.height, drawing.marks, theme, 0)

    def figure(self, caption: str | None = None) -> str:
        """The drawing inside a page, with the chart's own caption unless another is given."""
        return figure(to_svg(self.body(PAGE)), self.text.caption if caption is None else caption)

    def _specified(
        self, drawing: Canvas, height: float, marks: list[Mark], theme: Theme, padding: int
    ) -> dict[str, Any]:
        said = f"{self.text.title}. {self.describe()}"
        look = {"background": theme.page, "padding": padding}
        return specification(drawing.width, height, drawing.data, marks, **look, description=said)
