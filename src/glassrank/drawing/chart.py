"""Base classes of charts, which can be saved as pictures or pages and displayed in notebooks."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from glassrank.core.checks import check_choice
from glassrank.drawing.render import PICTURE_FORMATS, render, to_svg
from glassrank.drawing.theme import LIGHT, THEMES, Theme
from glassrank.files.atomic_files import write_atomically


class Chart(ABC):
    """A chart of a result; subclasses provide the Vega specification."""

    @abstractmethod
    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification from which all formats are rendered."""

    def save(self, path: str | Path, theme: str = "light") -> Path:
        """Save the chart as .svg, .png or .pdf in the given theme."""
        path = Path(path)
        check_choice("theme", theme, THEMES)
        check_choice("suffix", path.suffix, PICTURE_FORMATS)
        write_atomically(path, render(self.specification(THEMES[theme]), path.suffix))
        return path

    def _repr_svg_(self) -> str:
        return to_svg(self.specification())


class PageChart(Chart):
    """A chart that can also be saved as an HTML page."""

    @abstractmethod
    def page(self) -> str:
        """Return the page as HTML, which follows the reader's light or dark scheme."""

    def save(self, path: str | Path, theme: str = "light") -> Path:
        """Save the chart as .html, which follows the reader's scheme, or as .svg, .png or .pdf in the given theme."""
        path = Path(path)
        check_choice("suffix", path.suffix, [".html", *PICTURE_FORMATS])
        if path.suffix != ".html":
            return super().save(path, theme)
        check_choice("theme", theme, THEMES)
        write_atomically(path, self.page().encode())
        return path
