"""Intents of ORCAS-I with all its classes, predicted from the query and the address of one result.

Usage: python -m experiments.orcas_classes FOLDER [--jobs N]

``GLASSRANK_DATA`` names a folder with ``orcas-i-gold/orcas_i_gold.tsv``. The script runs the intent study for more than
two classes on its 1,000 queries: with the five labels as they are, and with the three classes of Broder (2002), where
factual, instrumental and abstain are informational. It prints a summary of each, and writes the reports into FOLDER.
Without the data, it uses simulated queries, which say nothing about real ones.
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from experiments.orcas import LabelledQueries, read_orcas_i, simulate_labelled
from glassrank.navigational.features.sources import IntentSources
from glassrank.studies.intent.study import study_intent

BRODER = {"factual": "informational", "instrumental": "informational", "abstain": "informational"}
N_FEATURES = 12
"""About half of the distinct columns; the page of the binary study uses the same number."""


def main(folder: Path, data: Path | None, n_jobs: int) -> None:
    """Study the real queries, or simulated ones, and print the results."""
    path = None if data is None else data / "orcas-i-gold" / "orcas_i_gold.tsv"
    if path is None or not path.is_file():
        print("No orcas-i-gold/orcas_i_gold.tsv in GLASSRANK_DATA: a demonstration on simulated queries.")
        study(simulated_classes(), {}, folder / "simulated", "Simulated", n_jobs)
        return
    queries = read_orcas_i(path)
    study(queries, {}, folder / "five", "ORCAS-I, five classes", n_jobs)
    study(queries, BRODER, folder / "three", "ORCAS-I, three classes", n_jobs)


def study(queries: LabelledQueries, merged: Mapping[str, str], folder: Path, title: str, n_jobs: int) -> None:
    """Measure the classifier with all choices inside the training folds, and print the tables."""
    labels = (label.casefold() for label in queries.labels)
    intents = dict(zip(queries.results.query_id, (merged.get(label, label) for label in labels), strict=True))
    sources = IntentSources(queries.results)
    simulated = title == "Simulated"
    print(
        study_intent(sources, intents, folder, n_features=N_FEATURES, n_jobs=n_jobs, title=title, simulated=simulated),
        "\n",
    )


def simulated_classes() -> LabelledQueries:
    """Simulated queries; names of sites that end in a suffix such as .com are addresses."""
    found = simulate_labelled()
    named = zip(found.results.query, found.labels, strict=True)
    return LabelledQueries(found.results, tuple("Address" if "." in query else label for query, label in named))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    home = os.environ.get("GLASSRANK_DATA")
    main(given.folder, None if home is None else Path(home), given.jobs)
