"""The study of the page "A whole study on simulated logs": one engine, and the intents of the users.

Usage: python -m experiments.one_engine_study FOLDER [--queries N] [--seeds 0 1 2] [--jobs N]

Writes the report, ``result.json`` and ``coupling.csv`` of each seed into a folder of its own. In contrast, ``glassrank
intent study`` simulates four engines, gives the language of the queries, and labels them by judgements.
"""

import argparse
from pathlib import Path
from typing import Any

import glassrank as gr
from glassrank.simulation.log.simulated_log import SimulatedLog
from glassrank.studies.intent.result import IntentResult


def study_one_engine(log: SimulatedLog, folder: Path, *, n_jobs: int = 1, **options: Any) -> IntentResult:
    """Study a log of one engine with the true intents of its users."""
    web = log.web.collection
    sources = gr.IntentSources(log.results, log.log, web.links, web.pages)
    intents = dict(zip(log.truth.ids, log.intents.tolist(), strict=True))
    title = f"Navigational queries of a simulated search log of one engine (seed {log.seed})"
    return gr.study_intent(
        sources, intents, folder, n_jobs=n_jobs, random_state=log.seed or 0, simulated=True, title=title, **options
    )


def main() -> None:
    """Study each seed, and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=2102)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--jobs", type=int, default=-1)
    asked = parser.parse_args()
    for seed in asked.seeds:
        log = gr.simulate_log(gr.simulate_web(random_state=seed), asked.queries, 100, random_state=seed)
        print(study_one_engine(log, asked.folder / f"seed-{seed}", n_jobs=asked.jobs))


if __name__ == "__main__":
    main()
