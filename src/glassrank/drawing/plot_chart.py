"""Charts with a title, a subtitle and notes, which a page can show as HTML text instead."""

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
    """The texts of a chart: title, subtitle and notes."""

    title: str
    subtitle: str = ""
    notes: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        """Subtitle and notes as one text, for a page whose heading replaces the title."""
        parts = (part for part in (self.subtitle, *self.notes) if part)
        return " ".join(part if part.endswith(".") else f"{part}." for part in parts)


class PlotChart(Chart):
    """A chart that consists of a drawing and its text."""

    @property
    @abstractmethod
    def text(self) -> ChartText:
        """Title, subtitle and notes."""

    @abstractmethod
    def draw(self, theme: Theme) -> Canvas:
        """Draw everything except the text, starting at the left edge."""

    @abstractmethod
    def describe(self) -> str:
        """Describe the drawing in words, for screen readers."""

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification from which all formats are rendered."""
        drawing, words = self.draw(theme), self.text
        above = TITLE_ROW + (SUBTITLE_ROW if words.subtitle else 0)
        body: Mark = {"type": "group", "encode": {"update": {"y": {"value": above}}}, "marks": drawing.marks}
        below = [
            text("one", x=0, y=above + drawing.height + NOTE_ROW * (row + 0.5), text=note, fill=theme.ink3)
            for row, note in enumerate(words.notes)
        ]
        marks = [
            text("one", x=0, y=14, text=words.title, fontSize=18, fontWeight=600, fill=theme.ink),
            text("one", x=0, y=42, text=words.subtitle, fontSize=13, fill=theme.ink3),
            body,
            *below,
        ]
        height = above + drawing.height + NOTE_ROW * len(words.notes)
        return self._specified(drawing, height, marks, theme, MARGIN)

    def body(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the specification of the drawing without its text, which a page shows itself."""
        drawing = self.draw(theme)
        return self._specified(drawing, drawing.height, drawing.marks, theme, 0)

    def figure(self, caption: str | None = None) -> str:
        """Return the drawing as HTML, with the given caption or else the chart's own."""
        return figure(to_svg(self.body(PAGE)), self.text.caption if caption is None else caption)

    def _specified(
        self, drawing: Canvas, height: float, marks: list[Mark], theme: Theme, padding: int
    ) -> dict[str, Any]:
        description = f"{self.text.title}. {self.describe()}"
        look = {"background": theme.page, "padding": padding}
        return specification(drawing.width, height, drawing.data, marks, **look, description=description)
