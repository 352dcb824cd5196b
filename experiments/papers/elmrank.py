"""Extreme learning machine for ranking: Chen, Peng, Zhou, Li and Pan, 2014."""

import csv
from collections.abc import Mapping
from pathlib import Path

from experiments.papers.paper import FOLDER, Item, Paper, Part, Shown, decimal, table


def show_compounds(folder: Path) -> dict[str, Shown]:
    """Misranking of the test compounds."""
    return {"drug-discovery": tests(folder)}


def show_jokes(folder: Path) -> dict[str, Shown]:
    """Misranking of the held-out jokes of each user."""
    return {"recommendation": tests(folder)}


def tests(folder: Path) -> Shown:
    """A table per data set of a run of ``experiments.ranking_accuracy``; ± is the spread over seeds."""
    with (folder / "tests.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts, lines = [], []
    for name in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if row["data"] == name]
        head = ("ranker", "misranking", "95 % interval", "minus ridge", "95 % interval", "Holm p", "verdict")
        texts.append(f"{name}:\n\n" + table(head, [cells(row) for row in own]))
        means = {row["system"]: decimal(float(row["mean"]), 4) for row in own}
        lines.append(f"{name}: ELMRank {means['ELMRank']}, ridge {means['ridge']}")
    return Shown("; ".join(lines), "\n\n".join(texts))


def cells(row: Mapping[str, str]) -> tuple[str, ...]:
    """One system: its misranking, and its difference from ridge regression."""
    spread = f" ± {decimal(float(row['spread']), 4)}" if row["spread"] else ""
    mean = f"{decimal(float(row['mean']), 4)}{spread}"
    interval = " to ".join(decimal(float(row[end]), 4) for end in ("low", "high"))
    if not row["difference"]:
        return row["system"], mean, interval, "", "", "", "baseline"
    ends = (decimal(float(row[f"difference_{end}"]), 4, signed=True) for end in ("low", "high"))
    difference = decimal(float(row["difference"]), 4, signed=True)
    p_value = decimal(float(row["adjusted_p_value"]), 4)
    return row["system"], mean, interval, difference, " to ".join(ends), p_value, row["verdict"]


def part(name: str, item: str, data: str, show) -> Part:
    """One part of the study of rankers."""
    command = ("python", "-m", "experiments.ranking_accuracy", FOLDER, "--only", name)
    return Part(name, command, items=(item,), show=show, data=data, simulates=True)


PAPER = Paper(
    name="elmrank",
    title="Extreme learning machine for ranking",
    citation="H. Chen, J. Peng, Y. Zhou, L. Li, Z. Pan: Extreme learning machine for ranking: Generalization analysis "
    "and applications. Neural Networks 53 (2014), 119–126.",
    items=(
        Item("Equations 1 to 6", "the solution without pairs"),
        Item("Recommendation", "jokes for users"),
        Item("Drug discovery", "compounds by their activity"),
    ),
    parts=(
        part("jokes", "recommendation", "jester/jester_ratings.csv.gz", show_jokes),
        part("compounds", "drug-discovery", "qsar/dhfr_25d_desc.txt", show_compounds),
    ),
)
