"""Topic distillation of a simulated web: the authorities of a topic by several methods, and the neighbourhood drawn.

Usage: python examples/topic_distillation.py FOLDER
"""

import sys
from pathlib import Path

import glassrank as gr


def main(folder: Path) -> None:
    """Distil one topic by each method, compare the lists, and draw the pages around the query."""
    folder.mkdir(parents=True, exist_ok=True)
    web = gr.simulate_web(4, 40, 400, random_state=0)
    query = web.topics[0].query
    print(gr.compare_distillers(web.collection, query, k=5, random_state=0))
    found = gr.distill(web.collection, query, method="svdd", random_state=0)
    print(found)
    found.chart().save(folder / "neighbourhood.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
