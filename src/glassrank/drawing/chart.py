"""What every chart of a result can do: be saved as a picture or a page, and be shown by a notebook."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from glassrank.core.checks import check_choice
from glassrank.drawing.render import PICTURE_FORMATS, render, to_svg
from glassrank.drawing.theme import LIGHT, THEMES, Theme
from glassrank.files.atomic_files import write_atomically


class Chart(ABC):
    """A drawn result; a subclass says what is drawn."""

    @abstractmethod
    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""

    def save(self, path: str | Path, theme: str = "light") -> Path:
        """Write .svg, .png or .pdf in the named theme."""
        path = Path(path)
        check_choice("theme", theme, THEMES)
        check_choice("suffix", path.suffix, PICTURE_FORMATS)
        write_atomically(path, render(self.specification(THEMES[theme]), path.suffix))
        return path

    def _repr_svg_(self) -> str:
        return to_svg(self.specification())


class PageChart(Chart):
    """A drawn result that is a page of its own, too."""

    @abstractmethod
    def page(self) -> str:
        """The page as HTML; it follows the reader's light or dark scheme."""

    def save(self, path: str | Path, theme: str = "light") -> Path:
        """Write .html (follows the reader's light or dark scheme), .svg, .png or .pdf in the named theme."""
        path = Path(path)
        check_choice("suffix", path.suffix, [".html", *PICTURE_FORMATS])
        if path.suffix != ".html":
            return super().save(path, theme)
        check_choice("theme", theme, THEMES)
        write_atomically(path, self.page().encode())
        return path
