"""Navigational queries: Lu, Peng, Li and Ahmed, 2006."""

import json
import re
from pathlib import Path

from experiments.intent_tables import tables
from experiments.papers.paper import FOLDER, Item, Paper, Part, Shown
from experiments.papers.pictures import chart_of, png_of

_TITLE = re.compile(r"^(Table \d|Figure \d): (.*)$", re.MULTILINE)
SIMULATED = ("--demo", "--size", "seed", "--languages", "5")
QUERIES = ("--query", "q0107", "--query", "q0018")
"""A navigational and an informational one."""


def show_study(folder: Path) -> dict[str, Shown]:
    """Tables 1 to 4 and figure 3, each beside the paper's numbers."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    parts = _TITLE.split("\n".join(tables(result["coupling"])))
    texts = {name.lower().replace(" ", "-"): text.strip() for name, text in zip(parts[1::3], parts[3::3], strict=True)}
    shown = {key: Shown(LINES[key](text), text) for key, text in texts.items()}
    chart = chart_of(folder / "report.html", "F1 of boosting trees")
    return shown | {"figure-3": Shown(shown["figure-3"].line, shown["figure-3"].text, *chart)}


def show_profile(folder: Path) -> dict[str, Shown]:
    """Figure 2: the feature over the ranks of a navigational and of an informational query."""
    picture = png_of((folder / "figure-2.svg").read_text(encoding="utf-8"))
    return {"figure-2": Shown("drawn", "", picture, "urlmr over the first 100 ranks of two simulated queries")}


def cell(text: str, row: str, column: int) -> str:
    """A cell of a Markdown table by the name of its row."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {row} |"))
    return line.strip("|").split("|")[column].strip()


LINES = {
    "table-1": lambda text: f"click features, paper / ours: {cell(text, 'click', 1)} by information gain",
    "table-2": lambda text: f"vector, paper / ours: {cell(text, 'vector', 1)} by information gain",
    "table-3": lambda text: f"F1 of boosting trees, paper / ours: {cell(text, 'boosting trees', 3)}",
    "table-4": lambda text: f"F1 of boosting trees on SVM weights, paper / ours: {cell(text, 'boosting trees', 2)}",
    "figure-3": lambda text: f"F1 with 50 features by combined: {cell(text, 'combined', 2)}",
}
PAPER = Paper(
    name="navigational-queries",
    title="Navigational query identification",
    citation="Y. Lu, F. Peng, X. Li, N. Ahmed: Coupling Feature Selection and Machine Learning Methods for "
    "Navigational Query Identification. CIKM 2006, 682–689.",
    items=(
        Item("Figure 1", "the system"),
        Item("Figure 2", "a feature over the ranks"),
        Item("Table 1", "selected features by category"),
        Item("Table 2", "selected features by operator"),
        Item("Table 3", "all features"),
        Item("Table 4", "selection coupled with classification"),
        Item("Figure 3", "F1 against the number of features"),
    ),
    parts=(
        Part(
            "study",
            ("glassrank", "intent", "study", *SIMULATED, "--folder", FOLDER),
            items=tuple(LINES),
            show=show_study,
        ),
        Part(
            "profile",
            ("glassrank", "intent", "profile", *SIMULATED, *QUERIES, "--output", f"{FOLDER}/figure-2.svg", "--force"),
            items=("figure-2",),
            show=show_profile,
        ),
    ),
)
