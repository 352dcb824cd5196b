"""How well the rankers rank: documents, compounds and jokes, with significance tests.

Usage: python -m experiments.ranking_accuracy FOLDER [--only documents compounds jokes shapes]

If ``GLASSRANK_DATA`` names a folder of public data (``ohsumed-letor2``, ``qsar``, ``jester``, ``lightgbm-rank``), the
script runs the whole study on them, which takes the better part of an hour. Otherwise, it runs a small demonstration on
simulated data in seconds, which says nothing about real data. It prints the tables, and writes them as CSV and JSON
with charts (SVG and PNG) into FOLDER. ``experiments.accuracy.shapes`` runs the comparison of shapes alone.
"""

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from threadpoolctl import threadpool_limits

from experiments.accuracy import compounds, folds, jokes, shapes, tasks
from experiments.accuracy.chart import draw
from experiments.accuracy.effort import FULL, TASTE, Effort
from experiments.accuracy.verdicts import Tested
from glassrank.drawing.render import render

START = time.monotonic()
PARTS = ("documents", "compounds", "jokes", "shapes")


def main(folder: Path, data: Path | None, parts: Sequence[str] = PARTS) -> None:
    """Run the parts, print the results, and write them."""
    effort = TASTE if data is None else FULL
    origin = "Simulated data: a demonstration, not a measurement" if data is None else "Public data"
    print(origin)
    folder.mkdir(parents=True, exist_ok=True)
    table, chosen, documents, of_shapes = [], {}, [], []
    # With many small decompositions, threads of the linear algebra library would only wait for each other.
    with threadpool_limits(1):
        if "documents" in parts:
            table, chosen, documents = study_documents(data, effort)
        lists = study_compounds(data, effort) if "compounds" in parts else []
        lists += study_jokes(data, effort) if "jokes" in parts else []
        if "shapes" in parts:
            of_shapes = study_shapes(data, effort, folder)
    tests = [asdict(row) for row in documents + lists]
    for name, rows in {"measures.csv": table, "tests.csv": tests}.items():
        if rows:
            write_rows(folder / name, rows)
    whole = {"origin": origin, "measures": table, "chosen": chosen, "tests": tests}
    (folder / "accuracy.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    if of_shapes:
        shapes.write(folder, of_shapes, simulated=data is None)
    if documents and lists:
        figure = draw(documents, lists, simulated=data is None)
        for suffix in (".svg", ".png"):
            (folder / f"accuracy{suffix}").write_bytes(render(figure, suffix))
    print(f"Wrote to {folder}: {', '.join(sorted(path.name for path in folder.iterdir() if path.is_file()))}")


def report(message: str) -> None:
    """Report progress on stderr."""
    print(f"{time.monotonic() - START:6.1f} s  {message}", file=sys.stderr, flush=True)


def study_documents(data: Path | None, effort: Effort) -> tuple[list[dict], dict, list[Tested]]:
    """Five folds, three normalisations, all rankers: the table, the settings chosen, and the tests."""
    home = None if data is None else data / "ohsumed-letor2"
    name, parts = ("simulated", folds.simulate_parts()) if home is None else ("OHSUMED", folds.load_parts(home))
    rankers = [ranker for ranker in folds.RANKERS if ranker != "LightGBM" or find_spec("lightgbm")]
    if "LightGBM" not in rankers:
        print("LightGBM is not installed (pip install 'glassrank[lightgbm]'): it is left out")
    found = {}
    for normalisation in folds.NORMALISATIONS:
        made = folds.make_folds(parts, normalisation)
        for ranker in rankers:
            report(f"{name}, {normalisation}: {ranker}")
            found[normalisation, ranker] = folds.measure_ranker(ranker, made, effort)
    table = [measures_row(*key, one) for key, one in found.items()]
    table += [] if home is None else folds.official_rows(home)
    print_measures(name, table)
    tests = folds.tests_of(name, found)
    print_tests(tests)
    chosen = {f"{normalisation}, {ranker}": one.chosen for (normalisation, ranker), one in found.items()}
    return table, chosen, tests


def study_compounds(data: Path | None, effort: Effort) -> list[Tested]:
    """Inhibitors of DHFR and of COX2, by their activity."""
    sets = {"simulated list": compounds.simulate_compounds()}
    if data is not None:
        sets = {
            name: compounds.load_compounds(data / "qsar" / f"{name.lower()}_25d_desc.txt") for name in ("DHFR", "COX2")
        }
    tests = []
    for name, one in sets.items():
        scores = compounds.rank_compounds(one, effort, lambda ranker, name=name: report(f"{name}: {ranker}"))
        tests += compounds.tests_of(name, one, scores)
    print_tests(tests)
    return tests


def study_jokes(data: Path | None, effort: Effort) -> list[Tested]:
    """Jokes for users."""
    name = "simulated users" if data is None else "Jester"
    ratings = (
        jokes.simulate_ratings() if data is None else jokes.load_ratings(data / "jester" / "jester_ratings.csv.gz")
    )
    print(f"\n{name}: {len(ratings.test)} users measured, {ratings.features.shape[1]} reference users")
    found = jokes.rank_jokes(ratings, effort, lambda ranker: report(f"{name}: {ranker}"))
    tests = jokes.tests_of(name, found)
    print_tests(tests)
    return tests


def study_shapes(data: Path | None, effort: Effort, folder: Path) -> list[shapes.Compared]:
    """Straight lines, curves, transforms and trees, on documents, compounds and LightGBM's example."""
    if not find_spec("lightgbm"):
        print("LightGBM is not installed (pip install 'glassrank[lightgbm]'): shapes are not compared")
        return []
    sources = ("simulated",) if data is None else ("ohsumed", "compounds", "lightgbm")
    sets = [one for source in sources for one in tasks.SOURCES[source](data or Path())]
    return [shapes.compare_shapes(one, effort, folder, report) for one in sets]


def measures_row(normalisation: str, ranker: str, measured: folds.Measured) -> dict:
    """Means over seeds of the means over folds, and their spread over seeds."""
    means = measured.by_fold.mean(axis=1)
    row = {"normalisation": normalisation, "ranker": ranker}
    row |= dict(zip(folds.MEASURES, means.mean(axis=0).tolist(), strict=True))
    if len(means) > 1:
        row |= {f"{name} spread": value for name, value in zip(folds.MEASURES, means.std(axis=0).tolist(), strict=True)}
    return row


def print_measures(name: str, table: list[dict]) -> None:
    """One line per normalisation and ranker; ± is the standard deviation over seeds."""
    print(f"\n{name}, convention letor, mean of the five folds")
    print(f"{'normalisation':16}{'ranker':22}" + "".join(f"{measure:>14}" for measure in folds.MEASURES))
    for row in table:
        cells = [
            f"{row[m]:.4f}" + (f"±{row[f'{m} spread']:.4f}" if f"{m} spread" in row else "") for m in folds.MEASURES
        ]
        print(f"{row['normalisation']:16}{row['ranker']:22}" + "".join(f"{cell:>14}" for cell in cells))


def print_tests(tests: list[Tested]) -> None:
    """One line per system: mean with interval, difference with interval, Holm's p and the verdict."""
    title = None
    for row in tests:
        if (row.data, row.measure) != title:
            title = row.data, row.measure
            print(f"\n{row.data}: {row.measure}, 95 % intervals")
        spread = "" if row.spread is None else f"±{row.spread:.4f}"
        line = f"  {row.system:34}{row.mean:.4f}{spread:8} [{row.low:.4f}, {row.high:.4f}]"
        if row.difference is not None:
            line += f"  {row.difference:+.4f} [{row.difference_low:+.4f}, {row.difference_high:+.4f}]"
            line += f"  Holm p {row.adjusted_p_value:.4f}"
        print(f"{line}  {row.verdict}")


def write_rows(path: Path, rows: list[dict]) -> None:
    """A CSV file with the columns of all rows."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, columns)
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for the tables and the chart.")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="Parts to run. Default: all.")
    asked, named = parser.parse_args(), os.environ.get("GLASSRANK_DATA")
    main(asked.folder, Path(named) if named else None, asked.only)
