"""Click features that correct for position compared with plain ones, as position bias grows, on simulated data.

Usage: python -m experiments.position_bias_report FOLDER [--full] [--jobs N]

The script simulates worlds, each with its own web, queries, result lists and users, at several strengths of position
bias. It measures how well click features order results by what users want, and how well they identify navigational
queries. It prints tables, and writes them and a picture into FOLDER. With ``--full``, it runs the study of the evidence
page, which takes some minutes. Otherwise, it runs a small version in seconds. The numbers say nothing about real users.
"""

import argparse
import csv
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from experiments.position_bias import (
    CLICKS,
    FULL,
    TASTE,
    Effort,
    Measured,
    PositionBiasResult,
    study_position_bias,
)
from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine
from glassrank.drawing.text_table import align

START = time.monotonic()
EMPHASISED = (CLICKS, "clk_coec", "raw", "debiased")


def main(folder: Path, effort: Effort, n_jobs: int) -> None:
    """Run the study, print the results, and write them."""
    print("Simulated worlds, not measured on any search engine.")
    result = study_position_bias(effort, n_jobs=n_jobs, progress=report)
    folder.mkdir(parents=True, exist_ok=True)
    for measure in result.measures:
        print_measure(result, measure)
    write(folder, result)
    draw(result).save(folder / "position_bias.png")
    print(f"\nWrote to {folder}: position_bias.csv, position_bias.json, position_bias.png")


def report(done: int, total: int | None, what: str) -> None:
    """Report progress on stderr."""
    place = "" if total is None else f"{done} of {total}: "
    print(f"{time.monotonic() - START:6.1f} s  {place}{what}", file=sys.stderr, flush=True)


def print_measure(result: PositionBiasResult, measure: str) -> None:
    """Means by bias, then each system against its reference."""
    systems = result.of(measure)
    header = ("", *(f"bias {bias:g}" for bias in result.effort.biases))
    print(f"\n{measure}: mean over {result.effort.n_worlds} worlds")
    print(align([header, *((name, *(_mean(row) for row in rows)) for name, rows in systems.items())]))
    differences = [["system", "against", "bias", "difference", "95 % interval", "Holm p", "verdict"]]
    differences += [_cells(row) for rows in systems.values() for row in rows if row.against is not None]
    if len(differences) > 1:
        print(align(differences))


def _mean(row: Measured) -> str:
    return f"{row.mean:,.0f}" if row.system == "clicks" else f"{row.mean:.4f}"


def _cells(row: Measured) -> list[str]:
    found = row.against
    low, high = found.interval
    ends = f"{low:+.4f} to {high:+.4f}"
    names = [row.system, row.reference, f"{row.bias:g}"]
    return [*names, f"{found.difference:+.4f}", ends, f"{found.p_value:.3f}", found.verdict]


def draw(result: PositionBiasResult) -> LinePanels:
    """Up to three panels: the first measure of order, and F1 by each classifier."""
    shown = [next(name for name in result.measures if name.startswith("pair accuracy"))]
    shown += [name for name in result.measures if name.startswith("F1")]
    return LinePanels(
        f"Simulated: click features as position bias grows, means over {result.effort.n_worlds} worlds",
        tuple(_panel(result, measure) for measure in shown),
    )


def _panel(result: PositionBiasResult, measure: str) -> Panel:
    kind, _, what = measure.partition(", ")
    lines = [
        PanelLine(name, [(row.bias, row.mean) for row in rows], name in EMPHASISED)
        for name, rows in result.of(measure).items()
    ]
    title = f"{what[:1].upper()}{what[1:]}"
    return Panel(title, "position bias", kind, lines, x_ticks=result.effort.biases)


def write(folder: Path, result: PositionBiasResult) -> None:
    """All numbers as CSV and JSON."""
    rows = [_flat(row) for row in result.rows]
    with (folder / "position_bias.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    text = json.dumps(asdict(result), indent=1, ensure_ascii=False)
    (folder / "position_bias.json").write_text(text + "\n", encoding="utf-8")


def _flat(row: Measured) -> dict:
    found = row.against
    low, high = (None, None) if found is None else found.interval
    return {
        "measure": row.measure,
        "system": row.system,
        "bias": row.bias,
        "mean": row.mean,
        "low": row.interval[0],
        "high": row.interval[1],
        "reference": row.reference,
        "difference": found and found.difference,
        "difference_low": low,
        "difference_high": high,
        "holm_p": found and found.p_value,
        "verdict": found and found.verdict,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for the tables.")
    parser.add_argument("--full", action="store_true", help="Run the whole study, which takes some minutes.")
    parser.add_argument("--jobs", type=int, default=-1, help="Worlds to run in parallel; −1 for one per core.")
    given = parser.parse_args()
    main(given.folder, FULL if given.full else TASTE, given.jobs)
