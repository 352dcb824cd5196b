"""Navigational queries of ORCAS-I, identified from the query and one address, compared with a fixed linear SVM.

Usage: python -m experiments.orcas_report FOLDER [--jobs N]

If ``GLASSRANK_DATA`` names a folder with ``orcas-i-gold/orcas_i_gold.tsv``, the script runs the whole study on its
1,000 queries, each with a result and a manual label. It uses 20 repeats of 5 folds with all choices nested, with the
queries labelled Abstain as negatives and without them, and takes some minutes. Otherwise, it runs a small demonstration
on simulated queries in seconds, which says nothing about real queries. It prints a table and one line per set of
queries, and writes both into FOLDER.
"""

import argparse
import csv
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from experiments.orcas import ABSTAIN, TASTE, OrcasResult, read_orcas_i, simulate_labelled, study_orcas
from glassrank.drawing.text_table import align

START = time.monotonic()


def main(folder: Path, data: Path | None, n_jobs: int) -> None:
    """Study the real queries, or simulated ones, print the results, and write them."""
    path = None if data is None else data / "orcas-i-gold" / "orcas_i_gold.tsv"
    if path is not None and path.is_file():
        queries = read_orcas_i(path)
        sets = {"ORCAS-I": queries, "ORCAS-I without Abstain": queries.without(ABSTAIN)}
        found = [study_orcas(one, name, n_jobs=n_jobs, progress=report) for name, one in sets.items()]
    else:
        print("No orcas-i-gold/orcas_i_gold.tsv in GLASSRANK_DATA: a demonstration on simulated queries.")
        found = [study_orcas(simulate_labelled(), "Simulated", TASTE, n_jobs=1, progress=report)]
    folder.mkdir(parents=True, exist_ok=True)
    for result in found:
        print_result(result)
    write(folder, found)
    for result in found:
        print(result.line)


def report(done: int, total: int | None, what: str) -> None:
    """Report progress on stderr."""
    place = "" if total is None else f"{done} of {total}: "
    print(f"{time.monotonic() - START:6.1f} s  {place}{what}", file=sys.stderr, flush=True)


def print_result(result: OrcasResult) -> None:
    """A row per system, and which classifiers were chosen."""
    print(f"\n{result.data}: {result.n_queries} queries, {result.n_positive} navigational, {result.n_repeats} repeats")
    rows = [("system", "F1", "error", "95 % interval", "±", "difference", "95 % interval", "verdict")]
    for one in result.systems:
        ends = one.difference_interval
        rows.append(
            (
                one.system,
                f"{one.f1:.4f}",
                f"{one.standard_error:.4f}",
                f"{one.interval[0]:.4f} to {one.interval[1]:.4f}",
                f"{one.spread:.4f}",
                "" if one.difference is None else f"{one.difference:+.4f}",
                "" if ends is None else f"{ends[0]:+.4f} to {ends[1]:+.4f}",
                one.verdict,
            )
        )
    print(align(rows))
    chosen = ", ".join(f"{name} {count}" for name, count in sorted(result.chosen.items(), key=lambda item: -item[1]))
    print(f"winners among {result.n_candidates} candidates, by number of folds: {chosen}")
    columns, calibration = result.columns, result.calibration
    print(
        f"{columns.made} columns by 15 operators: {columns.constant} constant features, {columns.copies} copies of "
        f"other columns, {columns.distinct} distinct"
    )
    print(
        f"Brier score {calibration.brier:.4f} (95 % interval {calibration.interval[0]:.4f} to "
        f"{calibration.interval[1]:.4f}); of the constant share {calibration.constant_brier:.4f}; F1 at the best "
        f"threshold in hindsight {calibration.hindsight_f1:.4f}"
    )
    rows = [("P(navigational)", "queries", "predicted", "observed")]
    for one in calibration.bins:
        n = f"{one.n / result.n_repeats:.1f}"
        rows.append((f"{one.low:.1f} to {one.high:.1f}", n, f"{one.predicted:.3f}", f"{one.observed:.3f}"))
    print(align(rows))
    wrong = [("label", "queries", "wrong, mean over repeats")]
    wrong += [(label, str(n), f"{errors:.1f}") for label, (n, errors) in result.errors.items()]
    print(align(wrong))


def write(folder: Path, found: list[OrcasResult]) -> None:
    """All numbers as CSV and JSON."""
    rows = [{"data": result.data, **asdict(one)} for result in found for one in result.systems]
    with (folder / "navigational_orcas.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    text = json.dumps([{"line": result.line, **asdict(result)} for result in found], indent=1, ensure_ascii=False)
    (folder / "navigational_orcas.json").write_text(text + "\n", encoding="utf-8")
    print(f"\nWrote to {folder}: navigational_orcas.csv, navigational_orcas.json")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for the tables.")
    parser.add_argument("--jobs", type=int, default=-1, help="Folds to run in parallel; −1 for one per core.")
    home = os.environ.get("GLASSRANK_DATA")
    given = parser.parse_args()
    main(given.folder, Path(home) if home else None, given.jobs)
