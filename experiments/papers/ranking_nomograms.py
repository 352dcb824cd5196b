"""Ranking SVMs drawn as nomograms: N. T. T. Thuy's paper."""

import re
from pathlib import Path

from experiments.papers.paper import FOLDER, Item, Paper, Part, Shown
from experiments.papers.pictures import png_of
from experiments.papers.run import OUTPUT

FIGURES = {"figure-1": "linear", "figure-2": "linear", "figure-3": "LRBF", "figure-4": "LRBF"}
_HEADING = re.compile(r"^(difference|utility) mode, (linear|LRBF) kernel$", re.MULTILINE)


def show(folder: Path) -> dict[str, Shown]:
    """The four figures in the paper's mode, with what the script has printed about them."""
    notes = notes_by_kernel((folder / OUTPUT).read_text(encoding="utf-8"))
    shown = {}
    for key, kernel in FIGURES.items():
        heading = key.replace("-", " ").capitalize()
        said = [line for line in notes[kernel] if line.startswith(heading) or not line.startswith("Figure")]
        # Elimination belongs to the figures after it.
        own = said if key in ("figure-2", "figure-4") else [line for line in said if line.startswith(heading)]
        picture = png_of((folder / "difference" / f"{key}.svg").read_text(encoding="utf-8"))
        caption = f"{heading}: {kernel} kernel, differences of two documents"
        own = [line.partition("features. ")[2] or line.partition("elimination. ")[2] or line for line in own]
        shown[key] = Shown(own[0].partition(". ")[0], "\n".join(f"- {line}" for line in own), picture, caption)
    return shown


def notes_by_kernel(output: str) -> dict[str, list[str]]:
    """Kernel → the lines printed about it in ``difference`` mode."""
    parts = _HEADING.split(output)
    found = {}
    for mode, kernel, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if mode == "difference":
            lines = text.split("\n\n")[0].splitlines()
            found[kernel] = [line.strip().removeprefix("-").strip() for line in lines if line.strip()]
    return found


PAPER = Paper(
    name="ranking-nomograms",
    title="Nomograms of ranking SVMs",
    citation="N. T. T. Thuy: Feature selection with ranking support vector machine visualization. Posts and "
    "Telecommunications Institute of Technology, Hanoi.",
    items=(
        Item("Table 1", "nomogram-based recursive feature elimination"),
        Item("Figure 1", "linear kernel, all features"),
        Item("Figure 2", "linear kernel, after elimination"),
        Item("Figure 3", "LRBF kernel, all features"),
        Item("Figure 4", "LRBF kernel, after elimination"),
    ),
    parts=(
        Part(
            "ohsumed",
            ("python", "examples/nomogram_figures.py", FOLDER),
            items=tuple(FIGURES),
            show=show,
            data="ohsumed-letor2",
            simulates=True,
        ),
    ),
)
