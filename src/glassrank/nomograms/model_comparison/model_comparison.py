"""The result of compare_models(): the comparison with its chart and its page."""

from dataclasses import dataclass
from pathlib import Path

from glassrank.core.checks import check_choice
from glassrank.drawing.render import PICTURE_FORMATS
from glassrank.files.atomic_files import write_atomically
from glassrank.nomograms.model_comparison.compared_models import ComparedModels
from glassrank.nomograms.model_comparison.comparison_page import comparison_page
from glassrank.nomograms.model_comparison.difference_chart import DifferenceChart


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(ComparedModels):
    """Two models measured on the same queries, with a chart and a page."""

    def chart(self) -> DifferenceChart:
        """Return a dot plot of the change of each query, which can be saved as a picture."""
        return DifferenceChart(self)

    def save(self, path: str | Path, theme: str = "light") -> Path:
        """Save the comparison as an .html page, or its chart as .svg, .png or .pdf in the given theme."""
        path = Path(path)
        check_choice("suffix", path.suffix, [".html", *PICTURE_FORMATS])
        if path.suffix != ".html":
            return self.chart().save(path, theme)
        write_atomically(path, comparison_page(self).encode())
        return path
