"""RankSVM against LightGBM's lambdarank with its default 100 trees: time, and NDCG@10 on other queries; simulated."""

from collections.abc import Iterator

import numpy as np
from lightgbm import LGBMRanker

from glassrank import RankSVM, evaluate
from harness import Claim, best_of, main, ratio_claim
from problems import letor_like

MEAN_C = 100.0


def claims() -> Iterator[Claim]:
    """Compare two models of the same data; their objectives differ, so accuracy is reported next to time."""
    yield against_lambdarank(100_000, at_least=10)


def against_lambdarank(n_documents: int, at_least: float) -> Claim:
    """Train on one half of the queries, measure on the other."""
    problem = letor_like(2 * n_documents)
    train = problem.qid < np.median(problem.qid)
    X, y, qid = problem.X[train], problem.y[train], problem.qid[train]
    sizes = np.unique(qid, return_counts=True)[1]
    ours, peer = RankSVM(C=MEAN_C), LGBMRanker(n_estimators=100, random_state=0, verbose=-1)
    our_time = best_of(3, lambda: ours.fit(X, y, qid=qid))
    peer_time = best_of(3, lambda: peer.fit(X, y, group=sizes))
    quality = {
        name: evaluate(problem.y[~train], model.predict(problem.X[~train]), qid=problem.qid[~train])["ndcg@10"]
        for name, model in (("ours", ours), ("LightGBM", peer))
    }
    return ratio_claim(
        f"linear RankSVM, {len(y):,} documents × 46, against LightGBM's lambdarank with 100 trees",
        at_least,
        our_time.wall,
        peer_time.wall,
        accuracy=f"NDCG@10 on other queries {quality['ours']:.4f}, LightGBM {quality['LightGBM']:.4f}; "
        "the simulated utility is linear, which favours ours",
        accurate=True,
        detail="wall time",
    )


if __name__ == "__main__":
    main(claims)
