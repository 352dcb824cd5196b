"""ELMRank on simulated documents: accuracy as the hidden layer grows, with the penalty chosen on held-out queries.

Usage: python examples/elm_rank.py FOLDER
"""

import csv
import sys
from pathlib import Path

import glassrank as gr

NODES = (10, 50, 200)


def main(folder: Path) -> None:
    """Fit ELMRankCV with more and more random nodes, and compare it with a linear ranking SVM on held-out queries."""
    folder.mkdir(parents=True, exist_ok=True)
    data = gr.simulate_ranking(n_queries=100, documents_per_query=20, random_state=0).data
    train, test = data.split(0.5, random_state=0)
    rankers = {f"ELMRank, {n} nodes": gr.ELMRankCV(n_nodes=n, random_state=0) for n in NODES}
    rankers["RankSVM"] = gr.RankSVMCV()
    scores = {name: one.fit(train).predict(test) for name, one in rankers.items()}
    print(gr.compare(scores, test.y, qid=test.qid, baseline="RankSVM", random_state=0))
    with open(folder / "ndcg.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("ranker", "ndcg@10"))
        writer.writerows((name, gr.evaluate(test.y, s, qid=test.qid)["ndcg@10"]) for name, s in scores.items())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
