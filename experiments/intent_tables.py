"""Tables of an intent study beside those of Lu, Peng, Li and Ahmed (2006), in Markdown, and a picture of figure 3.

Usage: python -m experiments.intent_tables FOLDER [--picture FILE.png]

FOLDER is the output of ``glassrank intent study``. Where the paper has a number, it comes first: paper / ours.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from glassrank.navigational.coupling import paper_figures
from glassrank.navigational.coupling.coupling_chart import coupling_chart

Coupling = dict[str, Any]


def tables(coupling: Coupling) -> Iterator[str]:
    """Yield tables 1 to 4 and the values of figure 3."""
    yield from _shares("Table 1: by category", coupling["by_category"], paper_figures.BY_CATEGORY)
    yield from _shares("Table 2: by operators", coupling["by_operator"], paper_figures.BY_OPERATOR)
    names = ["recall", "precision", "F1"]
    whole = {one["classifier"]: one for one in coupling["coupled"] if one["selector"] is None}
    rows = [
        [name, *map(_beside, paper_figures.all_features(name), (one["recall"], one["precision"], one["f1"]))]
        for name, one in whole.items()
    ]
    yield from _table("Table 3: all features", names, rows)
    selectors = [*coupling["selectors"], None]
    found = {(one["classifier"], one["selector"]): one["f1"] for one in coupling["coupled"]}
    rows = [
        [name, *(_beside(paper_figures.f1(name, selector), found[name, selector]) for selector in selectors)]
        for name in whole
    ]
    yield from _table("Table 4: F1", [selector or "all features" for selector in selectors], rows)
    yield from _figure_3(coupling["curve"])


def _figure_3(curve: list[Coupling]) -> Iterator[str]:
    sizes = sorted({one["n_features"] for one in curve if one["selector"] is not None})
    selectors = dict.fromkeys(one["selector"] for one in curve if one["selector"] is not None)
    found = {(one["selector"], one["n_features"]): one["f1"] for one in curve}
    (everything,) = (one["f1"] for one in curve if one["selector"] is None)
    rows = [[name, *(_number(found[name, size]) for size in sizes), _number(everything)] for name in selectors]
    yield from _table("Figure 3: F1 of boosting trees", [*(f"{size:.0f}" for size in sizes), "all"], rows)


def _shares(title: str, ours: dict[str, dict[str, float]], paper: Any) -> Iterator[str]:
    groups = list(next(iter(ours.values())))
    rows = []
    for group in groups:
        pairs = [(paper_figures.share(paper, group, selector), own[group]) for selector, own in ours.items()]
        rows.append([group, *(" / ".join(f"{100 * v:.0f}" for v in pair if v is not None) + " %" for pair in pairs)])
    yield from _table(f"{title}, share of the selected columns", list(ours), rows)


def _table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"\n{title}\n"
    yield f"| | {' | '.join(names)} |"
    yield f"|{' --- |' * (len(names) + 1)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _beside(paper: float | None, ours: float) -> str:
    return _number(ours) if paper is None else f"{_number(paper)} / {_number(ours)}"


def _number(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def picture(coupling: Coupling, path: Path) -> None:
    """Draw figure 3; the last point of each curve has all features."""
    curves: dict[str, list[tuple[float, float, float]]] = {name: [] for name in coupling["selectors"]}
    for one in sorted(coupling["curve"], key=lambda one: float(one["n_features"])):
        for name in curves if one["selector"] is None else [one["selector"]]:
            curves[name].append((one["n_features"], one["f1"], one["f1_std"]))
    points = {name: tuple(found) for name, found in curves.items()}
    drawn = coupling_chart("boosting trees", points, len(coupling["n_columns"]), coupling["n_features"])
    replace(drawn, title=f"{drawn.title} (simulated data)").save(path)


def main() -> None:
    """Print the tables of a study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--picture", type=Path, help="also draw figure 3")
    asked = parser.parse_args()
    result = json.loads((asked.folder / "result.json").read_text())
    for name, fact in result["facts"].items():
        print(f"{name}: {fact}")
    print("\n".join(tables(result["coupling"])))
    if asked.picture is not None:
        picture(result["coupling"], asked.picture)


if __name__ == "__main__":
    main()
