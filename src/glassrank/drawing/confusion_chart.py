"""A confusion matrix as a picture: true classes down, predicted classes across, a count in each cell."""

from collections.abc import Sequence
from dataclasses import dataclass

from glassrank.drawing.marks import field, rect, text
from glassrank.drawing.plot import Canvas
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.text_width import fitted, text_width
from glassrank.drawing.theme import Theme

CELL, GAP, MAX_NAME, TOP, SIZE = 104, 2, 220, 54, 12
HEIGHT = 48
# The darkest cell is half transparent, so that the text on it stays readable.
DARKEST = 0.5


@dataclass(frozen=True, eq=False)
class ConfusionChart(PlotChart):
    """Counts of true (rows) and predicted (columns) classes; a cell is darker, the larger its share of the row."""

    title: str
    classes: Sequence[str]
    counts: Sequence[Sequence[int]]

    @property
    def text(self) -> ChartText:
        """Title and subtitle."""
        return ChartText(self.title, "Rows: true class. Columns: predicted class. Per cent of the row.")

    def describe(self) -> str:
        """Say how many rows of each class are predicted as it."""
        found = enumerate(zip(self.classes, self.counts, strict=True))
        return "; ".join(f"{name}: {row[place]} of {sum(row)} predicted as it" for place, (name, row) in found)

    def draw(self, theme: Theme) -> Canvas:
        """Draw the names, and the cells with counts and shares."""
        left = 12 + min(MAX_NAME, max(text_width(name, SIZE) for name in (*self.classes, "true class")))
        on = Canvas(left + CELL * len(self.classes), TOP + HEIGHT * len(self.classes) + 8)
        name = {"text": field("name"), "fontSize": SIZE, "fill": theme.ink}
        centre = TOP + HEIGHT / 2
        rows = [
            {"y": centre + HEIGHT * place, "name": fitted(one, MAX_NAME, SIZE)}
            for place, one in enumerate(self.classes)
        ]
        columns = [
            {"x": left + CELL * (place + 0.5), "name": fitted(one, CELL - 8, SIZE)}
            for place, one in enumerate(self.classes)
        ]
        on.add("rows", rows, text("rows", x=left - 12, y=field("y"), align="right", **name))
        on.add("columns", columns, text("columns", x=field("x"), y=TOP - 14, align="center", **name))
        heads = {"fontSize": SIZE, "fill": theme.ink3}
        on.marks.append(text("one", x=left, y=10, text="predicted class", **heads))
        on.marks.append(text("one", x=left - 12, y=TOP - 14, text="true class", align="right", **heads))
        box = {"x": field("x"), "x2": field("x2"), "y": field("y"), "y2": field("y2")}
        middle = {"x": field("middle"), "align": "center"}
        on.add(
            "cells",
            self._cells(left),
            rect("cells", **box, fill=theme.subtle),
            rect("cells", **box, fill=theme.a, fillOpacity=field("depth"), description=field("description")),
            text("cells", **middle, y=field("first"), text=field("count"), fontSize=14, fontWeight=600, fill=theme.ink),
            text("cells", **middle, y=field("second"), text=field("percent"), fontSize=11, fill=theme.ink),
        )
        return on

    def _cells(self, left: float) -> list[dict[str, object]]:
        found = []
        for down, (true, row) in enumerate(zip(self.classes, self.counts, strict=True)):
            for across, (called, count) in enumerate(zip(self.classes, row, strict=True)):
                x, y, share = left + CELL * across, TOP + HEIGHT * down, count / max(sum(row), 1)
                found.append(
                    {
                        "x": x + GAP,
                        "x2": x + CELL - GAP,
                        "y": y + GAP,
                        "y2": y + HEIGHT - GAP,
                        "middle": x + CELL / 2,
                        "first": y + HEIGHT / 2 - 8,
                        "second": y + HEIGHT / 2 + 10,
                        "depth": DARKEST * share,
                        "count": f"{count:,}",
                        "percent": f"{share:.0%}",
                        "description": f"{count:,} {true} predicted {called}, {share:.0%}",
                    }
                )
        return found
