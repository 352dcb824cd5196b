"""Navigational queries of a simulated search log: features, integration, and selection coupled with classification.

Usage: python examples/navigational_queries.py FOLDER
"""

import sys
from pathlib import Path

import glassrank as gr


def main(folder: Path) -> None:
    """Compute the features of a simulated log, and compare two couplings."""
    folder.mkdir(parents=True, exist_ok=True)
    web = gr.simulate_web(4, 40, 400, random_state=0)
    log = gr.simulate_log(web, 60, 20, sessions_per_query=5, random_state=0)
    pairs = gr.query_url_features(log.results, clicks=log.log, links=web.collection.links, pages=web.collection.pages)
    queries = gr.integrate(pairs)
    intents = dict(zip(log.truth.ids, log.intents, strict=True))
    is_navigational = [intents[query] for query in queries.query_ids]
    selectors, classifiers = ["SVM weights", "information gain"], ["maximum entropy"]
    study = gr.CouplingStudy(n_features=10, cv=3, selectors=selectors, classifiers=classifiers, random_state=0)
    found = study.fit(queries, is_navigational).result_
    print(found)
    found.to_frame("polars").write_csv(folder / "coupling.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
