"""Simulated log: does a classifier trained on earlier clicks work on later ones?

Usage: python -m experiments.time_split [--size small|demo|seed]

The log is simulated, so the numbers say nothing about real users: its users do not change, and the difference shows
only what less data per period costs.
"""

import argparse
import sys

from glassrank.navigational.coupling.couplings import Coupling
from glassrank.navigational.coupling.fold_work import stratified_folds
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.normal_text import normal_query
from glassrank.studies.intent.intents import match_intents
from glassrank.studies.intent.later_clicks import split_by_time
from glassrank.studies.intent.result import later_text
from glassrank.studies.intent.simulated_intents import known_intents, simulate_intents


def main(size: str) -> None:
    """Simulate a log, divide it at the median time of its clicks, and print F1 on both parts."""
    log = simulate_intents(size)
    web = log.web.collection
    sources = IntentSources(log.results, log.log, web.links, web.pages, log.language)
    ids = list(dict.fromkeys(sources.results.query_id))
    matched = match_intents(ids, known_intents(log))
    text_of = dict(zip(sources.results.query_id, sources.results.query, strict=True))
    folds = stratified_folds(5, matched.y, 0, [normal_query(text_of[ids[row]]) for row in matched.rows])
    coupling = Coupling("SVM weights", "maximum entropy", 50)
    found = split_by_time(sources, matched.rows, matched.y, coupling, folds, 0, _say)
    print(f"Simulated, {len(matched.y)} queries, {int(matched.y.sum())} navigational; {coupling}.")
    print(later_text(found))


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="demo", choices=("small", "demo", "seed"), help="Size of the simulated log.")
    main(parser.parse_args().size)
